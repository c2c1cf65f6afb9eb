// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The library against the cases of test/data/oracles, which an independent program made (see the
// README there). One test a file. LB_ORACLE_DIR in the environment adds another directory.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <jansson.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"

// Kinds of cases that the library can do, by the beginning of the file's name.
static const char *const LB_PREFIXES[] = {
    "rigid_",           "point_mass_flex_", "flex_consistent_", "flex_chain_", "flex_freefree_",
    "flex_many_modes_", "flex_ruthless",    "flex_appendix_c_", "flex_mixed_", "loop_"};

enum { LB_MAX_CASES = 4096 };

// 1e-9: what the project promises. The cases themselves are good to 1e-12; ours come to about 1e-13
// except where M is badly conditioned.
static const double LB_TOLERANCE = 1e-9;

typedef struct lb_case {
    char path[4096];
    double worst;
    const char *worst_of;
} lb_case;

// ---- reading -----------------------------------------------------------------------------------

// Reads a number, or an array of them of any depth, row by row; returns how many.
static size_t lb_read_numbers(const json_t *json, double *out)
{
    if (json_is_number(json)) {
        out[0] = json_number_value(json);
        return 1;
    }
    assert_true(json_is_array(json));
    size_t count = 0, i;
    const json_t *entry;
    json_array_foreach(json, i, entry)
    {
        count += lb_read_numbers(entry, out + count);
    }
    return count;
}

static const json_t *lb_get_key(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) {
        fail_msg("key '%s' is missing", key);
    }
    return value;
}

// Reads the array of a key, which must have this many numbers.
static void lb_read_key(const json_t *object, const char *key, double *out, size_t count)
{
    const json_t *value = lb_get_key(object, key);
    const size_t rows = json_is_array(value) ? json_array_size(value) : 1;
    const json_t *row = rows > 0 ? json_array_get(value, 0) : NULL;
    assert_int_equal(json_is_array(row) ? rows * json_array_size(row) : rows, count);
    if (count > 0) {
        assert_int_equal(lb_read_numbers(value, out), count);
    }
}

// ---- comparing ---------------------------------------------------------------------------------

static void lb_check(lb_case *c, const char *what, const double *x, const double *reference,
                     size_t count)
{
    const double gap = lb_get_gap(x, reference, count);
    if (!(gap <= c->worst)) {
        c->worst = gap;
        c->worst_of = what;
    }
    lb_expect_close(what, x, reference, count, LB_TOLERANCE);
}

static void lb_check_key(lb_case *c, const json_t *object, const char *key, const double *x,
                         size_t count)
{
    double *reference = lb_make_numbers(count);
    lb_read_key(object, key, reference, count);
    lb_check(c, key, x, reference, count);
    free(reference);
}

static void lb_check_node(lb_case *c, const lb_model *model, lb_work *work, const json_t *node)
{
    const size_t n = (size_t)lb_get_v_count(model);
    const json_t *at = lb_get_key(node, "at");
    const int body = lb_find_body(model, json_string_value(lb_get_key(at, "body")));
    assert_true(body >= LB_GROUND);
    const int index = lb_find_node(model, body, json_string_value(lb_get_key(at, "node")));
    assert_true(index >= 0);

    lb_node_motion motion;
    double rotation[4], dot = 0.0, *J = lb_make_numbers(6 * n), admittance[36];
    lb_expect_ok(lb_compute_node_motion(model, work, body, index, &motion));
    lb_check_key(c, node, "position", motion.position, 3);
    lb_check_key(c, node, "velocity", motion.velocity, 6);
    lb_check_key(c, node, "acceleration", motion.acceleration, 6);
    // a quaternion and its negative are one rotation; ours has w >= 0
    lb_read_key(node, "rotation", rotation, 4);
    for (int i = 0; i < 4; ++i) {
        dot += rotation[i] * motion.rotation[i];
    }
    assert_true(motion.rotation[0] >= 0.0);
    for (int i = 0; i < 4; ++i) {
        rotation[i] = copysign(1.0, dot) * rotation[i];
    }
    lb_check(c, "rotation", motion.rotation, rotation, 4);
    lb_expect_ok(lb_compute_jacobian(model, work, body, index, LB_AXES_WORLD, J));
    lb_check_key(c, node, "jacobian", J, 6 * n);
    lb_expect_ok(lb_tree_admittance(model, work, body, index, LB_AXES_WORLD, admittance));
    lb_check_key(c, node, "admittance", admittance, 36);
    free(J);
}

static void lb_check_hybrid(lb_case *c, const lb_model *model, lb_work *work, const double *q,
                            const double *v, const double *tau_given, const json_t *hybrid)
{
    const size_t n = (size_t)lb_get_v_count(model);
    unsigned char *driven = calloc((size_t)lb_get_body_count(model), 1);
    assert_non_null(driven);
    double *tau = lb_make_numbers(n), *a = lb_make_numbers(n);
    memcpy(tau, tau_given, n * sizeof *tau);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)lb_get_key(hybrid, "prescribed"), name, value)
    {
        const int body = lb_find_body(model, name);
        assert_true(body >= 0);
        driven[body] = 1;
        const int start = lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
        assert_int_equal(lb_read_numbers(value, a + start), lb_get_hinge(model, body).v_count);
    }
    lb_expect_ok(lb_tree_hybrid(model, work, q, v, driven, tau, a));
    lb_check_key(c, hybrid, "qdd", a, n);
    json_object_foreach((json_t *)lb_get_key(hybrid, "drive"), name, value)
    {
        const int body = lb_find_body(model, name);
        const int start = lb_get_v_offset(model, body) + lb_get_mode_count(model, body);
        lb_check_key(c, lb_get_key(hybrid, "drive"), name, tau + start,
                     (size_t)lb_get_hinge(model, body).v_count);
    }
    free(driven);
    free(tau);
    free(a);
}

// Divide and conquer, in runs of one, two and three bodies: by itself, without falling back.
static void lb_check_divided(lb_case *c, const lb_model *model, lb_work *work, const double *q,
                             const double *v, const double *tau, const json_t *state)
{
    const size_t n = (size_t)lb_get_v_count(model);
    double *x = lb_make_numbers(n);
    for (int run = 1; run <= 3; ++run) {
        lb_division_options options = lb_default_division_options();
        options.run_length = run;
        lb_division *division;
        lb_expect_ok(lb_create_division(model, &options, &division));
        lb_expect_ok(lb_divided_forward(model, work, division, q, v, tau, x));
        lb_check_key(c, state, "qdd", x, n);
        lb_destroy_division(division);
    }
    free(x);
}

// Whether a case says something of a node. With ruthless bodies in it there is nothing to say: what
// hinges see and what is shown of a node differ.
static int lb_has_node(const lb_case *c)
{
    const char *name = strrchr(c->path, '/') + 1;
    return strstr(name, "ruthless") == NULL && strstr(name, "mixed") == NULL;
}

static void lb_check_state(lb_case *c, const lb_model *model, lb_work *work, const json_t *state)
{
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *tau = lb_make_numbers(n);
    double *a = lb_make_numbers(n), *x = lb_make_numbers(n), energy[2];
    double *M = lb_make_numbers(n * n), *inverse = lb_make_numbers(n * n);
    double *product = lb_make_numbers(n * n), *identity = lb_make_numbers(n * n);
    lb_read_key(state, "q", q, nq);
    lb_read_key(state, "v", v, n);
    lb_read_key(state, "tau", tau, n);
    lb_read_key(state, "a", a, n);

    lb_expect_ok(lb_tree_composite(model, work, q, v, tau, M, x));
    lb_check_key(c, state, "qdd", x, n);
    lb_check_divided(c, model, work, q, v, tau, state);
    lb_expect_ok(lb_tree_inverse(model, work, q, v, a, x));
    lb_check_key(c, state, "inverse", x, n);
    lb_expect_ok(lb_tree_bias(model, work, q, v, x));
    lb_check_key(c, state, "bias", x, n);
    lb_expect_ok(lb_tree_mass_matrix(model, work, q, M));
    lb_check_key(c, state, "mass", M, n * n);

    // the inverse has no numbers in the file: against the file's own mass matrix
    lb_read_key(state, "mass", M, n * n);
    lb_expect_ok(lb_tree_mass_matrix_inverse(model, work, q, inverse));
    for (size_t i = 0; i < n; ++i) {
        identity[i * n + i] = 1.0;
        for (size_t j = 0; j < n; ++j) {
            for (size_t r = 0; r < n; ++r) {
                product[i * n + j] += inverse[i * n + r] * M[r * n + j];
            }
        }
    }
    lb_check(c, "mass inverse times mass", product, identity, n * n);

    lb_check_hybrid(c, model, work, q, v, tau, lb_get_key(state, "hybrid"));

    // last, so that the read-outs see its accelerations
    lb_expect_ok(lb_tree_forward(model, work, q, v, tau, x));
    lb_check_key(c, state, "qdd", x, n);
    lb_expect_ok(lb_compute_energy(model, work, &energy[0], &energy[1]));
    lb_check_key(c, state, "kinetic", &energy[0], 1);
    lb_check_key(c, state, "potential", &energy[1], 1);
    if (lb_has_node(c)) {
        lb_check_node(c, model, work, lb_get_key(state, "node"));
    }

    free(q);
    free(v);
    free(tau);
    free(a);
    free(x);
    free(M);
    free(inverse);
    free(product);
    free(identity);
}

// J' times the forces of the loops: (moment, force) on b at its node, the opposite on a there.
static void lb_add_loop_forces(const lb_model *model, lb_work *work, const double *forces,
                               double *tau)
{
    const size_t n = (size_t)lb_get_v_count(model);
    double *J = lb_make_numbers(6 * n);
    for (int loop = 0; loop < lb_get_loop_count(model); ++loop) {
        lb_node_motion ends[2];
        for (int side = 0; side < 2; ++side) {
            const lb_loop_info info = lb_get_loop_info(model, loop);
            const int body = info.body[side], node = info.node[side];
            lb_expect_ok(lb_compute_node_motion(model, work, body, node, &ends[side]));
        }
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(ends[0].rotation));
        const lb_vec3 moment = lb_mat3_mul_vec(&R, lb_vec3_from(forces + 6 * loop));
        const lb_vec3 force = lb_mat3_mul_vec(&R, lb_vec3_from(forces + 6 * loop + 3));
        const lb_vec3 d =
            lb_vec3_sub(lb_vec3_from(ends[1].position), lb_vec3_from(ends[0].position));
        const lb_vec3 at_a = lb_vec3_add(moment, lb_vec3_cross(d, force));
        const double wrench[2][6] = {{-at_a.x, -at_a.y, -at_a.z, -force.x, -force.y, -force.z},
                                     {moment.x, moment.y, moment.z, force.x, force.y, force.z}};
        for (int side = 0; side < 2; ++side) {
            const lb_loop_info info = lb_get_loop_info(model, loop);
            const int body = info.body[side], node = info.node[side];
            lb_expect_ok(lb_compute_jacobian(model, work, body, node, LB_AXES_WORLD, J));
            for (size_t i = 0; i < 6 * n; ++i) {
                tau[i % n] += J[i] * wrench[side][i / n];
            }
        }
    }
    free(J);
}

// A model with loops: the motion, the equations of motion with the forces of the loops, and closure.
static void lb_check_closed_state(lb_case *c, const lb_model *model, lb_work *work,
                                  const json_t *state)
{
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    const size_t six = 6 * (size_t)lb_get_loop_count(model);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *tau = lb_make_numbers(n);
    double *a = lb_make_numbers(n), *needed = lb_make_numbers(n), energy[2];
    double *forces = lb_make_numbers(six), *off = lb_make_numbers(2 * six);
    double *zero = lb_make_numbers(2 * six);
    lb_read_key(state, "q", q, nq);
    lb_read_key(state, "v", v, n);
    lb_read_key(state, "tau", tau, n);
    const lb_status status = lb_closed_forward(model, work, q, v, NULL, tau, a, NULL, forces);
    const int redundant = strstr(c->path, "redundant") != NULL;
    assert_int_equal(status, LB_OK);
    assert_int_equal(lb_get_redundant_row_count(work) > 0, redundant);
    lb_check_key(c, state, "qdd", a, n);
    lb_expect_ok(lb_compute_energy(model, work, &energy[0], &energy[1]));
    lb_check_key(c, state, "kinetic", &energy[0], 1);
    lb_check_key(c, state, "potential", &energy[1], 1);

    // the tree by divide and conquer: the same, forces too
    lb_division *division;
    lb_expect_ok(lb_create_division(model, NULL, &division));
    assert_int_equal(lb_divided_closed(model, work, division, q, v, NULL, tau, needed, NULL, off),
                     status);
    lb_check_key(c, state, "qdd", needed, n);
    lb_check(c, "forces by divide and conquer", off, forces, six);
    lb_destroy_division(division);

    // 1e-9: the states of the files satisfy their loops to about 1e-12
    lb_expect_ok(lb_compute_loop_errors(model, work, q, off, off + six));
    lb_expect_within("closure", off, zero, 2 * six, 1e-9);

    // M a + c = tau + J' lambda
    lb_expect_ok(lb_tree_inverse(model, work, q, v, a, needed));
    lb_add_loop_forces(model, work, forces, tau);
    lb_check(c, "forces of the loops", tau, needed, n);

    free(q);
    free(v);
    free(tau);
    free(a);
    free(needed);
    free(forces);
    free(off);
    free(zero);
}

static void lb_print_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    if (diagnostic->severity == LB_SEVERITY_ERROR) {
        print_error("%s: %s\n", diagnostic->path, diagnostic->message);
    }
}

static void case_agrees_with_the_oracle(void **state)
{
    lb_case *c = *state;
    json_error_t error;
    json_t *json = json_load_file(c->path, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(json);
    char *text = json_dumps(lb_get_key(json, "model"), JSON_COMPACT | JSON_REAL_PRECISION(17));
    assert_non_null(text);
    const lb_report report = {lb_print_diagnostic, NULL};
    const json_t *states = lb_get_key(json, "states");
    assert_true(json_array_size(states) > 0);
    // on each instruction set that this machine has
    const lb_instruction_set sets[] = {LB_INSTRUCTIONS_PORTABLE, LB_INSTRUCTIONS_AVX2,
                                       LB_INSTRUCTIONS_AVX512};
    for (size_t set = 0; set < sizeof sets / sizeof *sets; ++set) {
        lb_load_options options = lb_default_load_options();
        options.instructions = sets[set];
        lb_model *model = NULL;
        const lb_status status = lb_load_model_text(text, strlen(text), c->path, LB_FORMAT_JSON,
                                                    &options, &report, &model);
        if (status == LB_E_UNSUPPORTED && sets[set] != LB_INSTRUCTIONS_PORTABLE) {
            continue;
        }
        lb_expect_ok(status);
        assert_int_equal(lb_get_instruction_set(model), sets[set]);
        lb_work *work = lb_create_work(model);
        assert_non_null(work);
        size_t i;
        json_t *entry;
        json_array_foreach(states, i, entry)
        {
            if (lb_get_loop_count(model) > 0) {
                lb_check_closed_state(c, model, work, entry);
            } else {
                lb_check_state(c, model, work, entry);
            }
        }
        lb_destroy_work(work);
        lb_destroy_model(model);
    }
    print_message("worst %.2g (%s)\n", c->worst, c->worst_of != NULL ? c->worst_of : "-");
    free(text);
    json_decref(json);
}

// ---- one test a file ---------------------------------------------------------------------------

static int lb_is_wanted(const char *name)
{
    const size_t length = strlen(name);
    if (length < 5 || strcmp(name + length - 5, ".json") != 0) {
        return 0;
    }
    for (size_t i = 0; i < sizeof LB_PREFIXES / sizeof *LB_PREFIXES; ++i) {
        if (strncmp(name, LB_PREFIXES[i], strlen(LB_PREFIXES[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static int lb_compare_paths(const void *a, const void *b)
{
    return strcmp(((const lb_case *)a)->path, ((const lb_case *)b)->path);
}

// Adds the cases of a directory; returns the new count, or -1 if it cannot be read.
static int lb_list_cases(const char *directory, lb_case *cases, int count)
{
    DIR *dir = opendir(directory);
    if (dir == NULL) {
        return -1;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL && count < LB_MAX_CASES) {
        if (lb_is_wanted(entry->d_name)) {
            snprintf(cases[count++].path, sizeof cases->path, "%s/%s", directory, entry->d_name);
        }
    }
    closedir(dir);
    return count;
}

LB_TESTS()
{
    static struct CMUnitTest tests[LB_MAX_CASES];
    lb_case *cases = calloc(LB_MAX_CASES, sizeof *cases);
    if (cases == NULL) {
        return 1;
    }
    const char *more = getenv("LB_ORACLE_DIR");
    int count = lb_list_cases(lb_find_source("test/data/oracles"), cases, 0);
    if (count > 0 && more != NULL) {
        count = lb_list_cases(more, cases, count);
    }
    // no cases is a failure, not a success
    if (count <= 0) {
        fprintf(stderr, "no oracle cases found in %s or %s\n", lb_find_source("test/data/oracles"),
                more != NULL ? more : "LB_ORACLE_DIR (not set)");
        free(cases);
        return 1;
    }
    qsort(cases, (size_t)count, sizeof *cases, lb_compare_paths);
    for (int i = 0; i < count; ++i) {
        tests[i].name = strrchr(cases[i].path, '/') + 1;
        tests[i].test_func = case_agrees_with_the_oracle;
        tests[i].initial_state = &cases[i];
    }
    const int failed = _cmocka_run_group_tests("oracle", tests, (size_t)count, NULL, NULL);
    free(cases);
    return failed;
}
