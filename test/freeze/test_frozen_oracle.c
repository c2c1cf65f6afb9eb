// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frozen files against the cases of test/data/oracles, and against the engine. Of each kind a small case; the
// long test takes all. LB_ORACLE_DIR names another folder.
#include <glob.h>
#include <jansson.h>
#include <limber/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frozen/program.h"

// 1e-12 and 1e-4: what the project promises of frozen files, against the engine. The files of the cases are
// held to the 1e-9 of the engine itself.
static const double tolerance = 1e-12, float_tolerance = 1e-4, oracle_tolerance = 1e-9;

static size_t read_numbers(const json_t *json, double *out)
{
    if (json_is_number(json)) {
        out[0] = json_number_value(json);
        return 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(json); ++i) {
        count += read_numbers(json_array_get(json, i), out + count);
    }
    return count;
}

static void read_key(const json_t *state, const char *key, size_t count, double *out)
{
    assert_int_equal(read_numbers(json_object_get(state, key), out), count);
}

static float *make_floats(const double *x, size_t count)
{
    float *y = calloc(count + 1, sizeof *y);
    assert_non_null(y);
    for (size_t i = 0; x && i < count; ++i) {
        y[i] = (float)x[i];
    }
    return y;
}

// The functions of one file with numbers of double.
static void check_double(const lb_model *model, const lb_program *program, const json_t *state)
{
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *x = lb_make_numbers(n);
    double *y = lb_make_numbers(n * n), *reference = lb_make_numbers(n * n);
    lb_work *work = lb_create_work(model);
    lb_frozen_four forward, inverse;
    lb_frozen_two mass;
    lb_get_program_function(program, "forward", &forward);
    lb_get_program_function(program, "inverse", &inverse);
    lb_get_program_function(program, "mass", &mass);
    read_key(state, "q", nq, q);
    read_key(state, "v", n, v);

    read_key(state, "tau", n, x);
    assert_int_equal(forward(q, v, x, y), LB_OK);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, x, reference));
    lb_expect_close("forward", y, reference, n, tolerance);
    read_key(state, "qdd", n, reference);
    lb_expect_close("forward of the file", y, reference, n, oracle_tolerance);

    read_key(state, "a", n, x);
    assert_int_equal(inverse(q, v, x, y), LB_OK);
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, x, reference));
    lb_expect_close("inverse", y, reference, n, tolerance);
    read_key(state, "inverse", n, reference);
    lb_expect_close("inverse of the file", y, reference, n, oracle_tolerance);

    assert_int_equal(mass(q, y), LB_OK);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, reference));
    lb_expect_close("mass", y, reference, n * n, tolerance);
    read_key(state, "mass", n * n, reference);
    lb_expect_close("mass of the file", y, reference, n * n, oracle_tolerance);
    lb_destroy_work(work);
    free(q);
    free(v);
    free(x);
    free(y);
    free(reference);
}

// The same functions in single precision.
static void check_float(const lb_model *model, const lb_program *program, const json_t *state)
{
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *x = lb_make_numbers(n);
    double *y = lb_make_numbers(n * n), *reference = lb_make_numbers(n * n);
    lb_work *work = lb_create_work(model);
    lb_frozen_four_float forward, inverse;
    lb_frozen_two_float mass;
    lb_get_program_function(program, "forward", &forward);
    lb_get_program_function(program, "inverse", &inverse);
    lb_get_program_function(program, "mass", &mass);
    read_key(state, "q", nq, q);
    read_key(state, "v", n, v);
    read_key(state, "a", n, x);
    float *qf = make_floats(q, nq), *vf = make_floats(v, n), *xf = make_floats(x, n);
    float *yf = make_floats(NULL, n * n);
    assert_int_equal(inverse(qf, vf, xf, yf), LB_OK);
    lb_expect_ok(lb_compute_inverse_dynamics(model, work, q, v, x, reference));
    for (size_t i = 0; i < n; ++i) {
        y[i] = (double)yf[i];
    }
    lb_expect_close("inverse in float", y, reference, n, float_tolerance);
    assert_int_equal(mass(qf, yf), LB_OK);
    lb_expect_ok(lb_compute_mass_matrix(model, work, q, reference));
    for (size_t i = 0; i < n * n; ++i) {
        y[i] = (double)yf[i];
    }
    lb_expect_close("mass in float", y, reference, n * n, float_tolerance);
    assert_true(forward(qf, vf, xf, yf) >= LB_OK);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, x, reference));
    for (size_t i = 0; i < n; ++i) {
        y[i] = (double)yf[i];
    }
    lb_expect_close("forward in float", y, reference, n, float_tolerance);
    lb_destroy_work(work);
    free(q);
    free(v);
    free(x);
    free(y);
    free(reference);
    free(qf);
    free(vf);
    free(xf);
    free(yf);
}

static void check_derivatives(const lb_model *model, const lb_program *program, const json_t *state)
{
    const size_t nq = (size_t)lb_get_q_count(model), n = (size_t)lb_get_v_count(model);
    const size_t starts[] = {0, n, n + n * n, n + 2 * n * n};
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *tau = lb_make_numbers(n);
    double *x = lb_make_numbers(n + 3 * n * n), *y = lb_make_numbers(n + 3 * n * n);
    lb_work *work = lb_create_work(model);
    lb_derivative_work *scratch = lb_create_derivative_work(model);
    lb_frozen_seven derivatives;
    lb_get_program_function(program, "derivatives", &derivatives);
    read_key(state, "q", nq, q);
    read_key(state, "v", n, v);
    read_key(state, "tau", n, tau);
    lb_expect_ok(lb_compute_forward_derivatives(model, work, scratch, q, v, tau, x, x + starts[1],
                                                x + starts[2], x + starts[3]));
    assert_int_equal(derivatives(q, v, tau, y, y + starts[1], y + starts[2], y + starts[3]), LB_OK);
    lb_expect_close("accelerations", y, x, n, tolerance);
    for (int i = 1; i < 4; ++i) {
        lb_expect_close("derivatives", y + starts[i], x + starts[i], n * n, tolerance);
    }
    lb_destroy_derivative_work(scratch);
    lb_destroy_work(work);
    free(q);
    free(v);
    free(tau);
    free(x);
    free(y);
}

typedef enum what { IN_DOUBLE, IN_FLOAT, DERIVATIVES, IN_PARTS } what;

static void check_file(const char *path, what checked)
{
    json_t *json = json_load_file(path, 0, NULL);
    assert_non_null(json);
    char *text = json_dumps(json_object_get(json, "model"), 0);
    lb_model *model = NULL;
    lb_expect_ok(
        lb_load_model_text(text, strlen(text), "oracle.json", LB_FORMAT_JSON, NULL, NULL, &model));
    free(text);
    lb_freeze_options options = lb_default_freeze_options();
    static const char *const functions[] = {"forward,inverse,mass", "forward,inverse,mass",
                                            "derivatives", "forward,inverse,mass"};
    static void (*const checks[])(const lb_model *, const lb_program *, const json_t *) = {
        check_double, check_float, check_derivatives, check_double};
    options.number = checked == IN_FLOAT ? LB_FROZEN_FLOAT : LB_FROZEN_DOUBLE;
    options.functions = functions[checked];
    options.operation_count = checked == IN_PARTS ? 150 : 0;
    lb_program program;
    assert_true(lb_write_program(model, &options, &program));
    assert_true(lb_load_program(&program, checked == IN_PARTS
                                              ? "cc -std=c99 -O0 -Wall -Wextra -Werror"
                                              : "cc -std=c99 -O0"));
    const json_t *states = json_object_get(json, "states");
    for (size_t i = 0; i < json_array_size(states); ++i) {
        checks[checked](model, &program, json_array_get(states, i));
    }
    lb_end_program(&program);
    lb_destroy_model(model);
    json_decref(json);
}

static void check_kinds(const char *const *kinds, size_t count, what functions)
{
    const char *folder = getenv("LB_ORACLE_DIR");
    int checked = 0;
    for (size_t i = 0; i < count; ++i) {
        char pattern[1024];
        const int last = (int)strlen(kinds[i]) - 1;
        snprintf(pattern, sizeof pattern, "%s/%.*s%s.json",
                 folder ? folder : lb_find_source("test/data/oracles"), last, kinds[i],
                 lb_is_long() ? "*" : kinds[i] + last);
        glob_t found;
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t j = 0; j < found.gl_pathc; ++j) {
                check_file(found.gl_pathv[j], functions);
                ++checked;
            }
            globfree(&found);
        }
    }
    print_message("%d files\n", checked);
    assert_true(checked > 0);
}

static void trees_of_rigid_bodies_move_as_in_the_engine(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rigid_chain_0", "rigid_tree_0"};
    check_kinds(kinds, 2, IN_DOUBLE);
}

static void flexible_bodies_of_every_fidelity_move_as_in_the_engine(void **state)
{
    (void)state;
    static const char *const kinds[] = {
        "flex_consistent_1",        "flex_freefree_2", "flex_appendix_c_1", "flex_ruthless_2",
        "flex_ruthless_freefree_1", "flex_mixed_0",    "point_mass_flex_0"};
    check_kinds(kinds, 7, IN_DOUBLE);
    if (lb_is_long()) {
        static const char *const large[] = {"flex_chain_0", "flex_many_modes_0"};
        check_kinds(large, 2, IN_DOUBLE);
    }
}

static void single_precision_keeps_four_digits(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rigid_tree_0", "flex_ruthless_2"};
    check_kinds(kinds, 2, IN_FLOAT);
}

static void derivatives_are_those_of_the_engine(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rigid_tree_0", "flex_mixed_0"};
    check_kinds(kinds, 2, DERIVATIVES);
}

static void long_functions_are_cut_into_several(void **state)
{
    (void)state;
    static const char *const kinds[] = {"rigid_tree_0", "flex_consistent_1"};
    check_kinds(kinds, 2, IN_PARTS);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_rigid_bodies_move_as_in_the_engine),
        cmocka_unit_test(flexible_bodies_of_every_fidelity_move_as_in_the_engine),
        cmocka_unit_test(derivatives_are_those_of_the_engine),
        cmocka_unit_test(single_precision_keeps_four_digits),
        cmocka_unit_test(long_functions_are_cut_into_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
