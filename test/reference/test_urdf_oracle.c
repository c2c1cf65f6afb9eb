// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Robots in URDF against the numbers of Pinocchio. They are others' files and no part of this
// project: they are read from the folder LB_URDF_ORACLE_DIR, or ../shared/oracles/urdf beside the
// source tree; where there is none the test is skipped.
//
// A file NAME.json beside NAME.urdf has random states and what Pinocchio makes of them. It lists
// siblings alphabetically, we joints in the order of the file; it puts linear parts first, and the
// scalar of a quaternion last.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"
#include "limber/io.h"

enum { MAX_ROBOTS = 64 };

// 1e-10: what the project promises; both sides are good to about 1e-13.
static const double tolerance = 1e-10;

typedef struct robot {
    char path[2048]; // without its ending
    json_t *json;
    lb_model *model;
    lb_work *work;
    size_t nq, nv;
    int *q_of, *v_of; // ours, for each entry of theirs
    int body, node;   // of the frame that is looked at
    double worst;
} robot;

// ---- reading -----------------------------------------------------------------------------------

static size_t read_all(const json_t *json, double *out)
{
    if (!json_is_array(json)) {
        assert_true(json_is_number(json));
        out[0] = json_number_value(json);
        return 1;
    }
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(json); ++i) {
        count += read_all(json_array_get(json, i), out + count);
    }
    return count;
}

static void read_key(const json_t *object, const char *key, double *out, size_t count)
{
    const json_t *value = json_object_get(object, key);
    if (!value) {
        fail_msg("no key %s", key);
    }
    assert_int_equal(read_all(value, out), count);
}

static int read_index(const json_t *object, const char *key, size_t i)
{
    const json_t *value = json_array_get(json_object_get(object, key), i);
    assert_true(json_is_integer(value));
    return (int)json_integer_value(value);
}

// ---- their order and ours ----------------------------------------------------------------------

// The body whose hinge is a joint: it sits at a node of that name, or is the floating base.
static int find_joint(const robot *r, const char *name)
{
    if (strcmp(name, "root_joint") == 0) {
        return lb_find_body(r->model, json_string_value(json_object_get(r->json, "root_link")));
    }
    for (int body = 0; body < lb_get_body_count(r->model); ++body) {
        const int parent = lb_get_hinge(r->model, body).parent;
        const int node = lb_get_hinge(r->model, body).parent_node;
        if (strcmp(lb_get_node_name(r->model, parent, node), name) == 0) {
            return body;
        }
    }
    fail_msg("no hinge of joint %s", name);
    return -1;
}

static void map_joints(robot *r)
{
    // theirs: position, x y z w; linear, angular. Ours: w x y z, position; angular, linear.
    static const int free_q[7] = {4, 5, 6, 1, 2, 3, 0}, free_v[6] = {3, 4, 5, 0, 1, 2};
    const json_t *names = json_object_get(r->json, "joint_names");
    for (size_t i = 0; i < json_array_size(names); ++i) {
        const int body = find_joint(r, json_string_value(json_array_get(names, i)));
        const bool is_free = lb_get_hinge(r->model, body).type == LB_HINGE_FREE;
        const int q = read_index(r->json, "joint_idx_q", i);
        const int v = read_index(r->json, "joint_idx_v", i);
        for (int k = 0; k < lb_get_hinge(r->model, body).q_count; ++k) {
            r->q_of[q + k] = lb_get_q_offset(r->model, body) + (is_free ? free_q[k] : k);
        }
        for (int k = 0; k < lb_get_hinge(r->model, body).v_count; ++k) {
            r->v_of[v + k] = lb_get_v_offset(r->model, body) + (is_free ? free_v[k] : k);
        }
    }
}

// A link: a body, or a node of one.
static void find_frame(robot *r)
{
    const char *name = json_string_value(json_object_get(r->json, "frame"));
    r->body = lb_find_body(r->model, name);
    r->node = 0;
    for (int body = LB_GROUND; r->body < LB_GROUND && body < lb_get_body_count(r->model); ++body) {
        const int node = lb_find_node(r->model, body, name);
        if (node >= 0) {
            r->body = body;
            r->node = node;
        }
    }
    assert_true(r->body >= LB_GROUND);
}

// ---- comparing ---------------------------------------------------------------------------------

static void compare(robot *r, const char *what, const double *x, const double *reference,
                    size_t count)
{
    const double gap = lb_get_gap(x, reference, count);
    r->worst = gap > r->worst ? gap : r->worst;
    lb_expect_close(what, x, reference, count, tolerance);
}

// An array in the order of v.
static double *read_v(const robot *r, const json_t *sample, const char *key)
{
    double *theirs = lb_make_numbers(r->nv), *ours = lb_make_numbers(r->nv);
    read_key(sample, key, theirs, r->nv);
    for (size_t i = 0; i < r->nv; ++i) {
        ours[r->v_of[i]] = theirs[i];
    }
    free(theirs);
    return ours;
}

static double *read_q(const robot *r, const json_t *sample)
{
    double *theirs = lb_make_numbers(r->nq), *ours = lb_make_numbers(r->nq);
    read_key(sample, "q", theirs, r->nq);
    for (size_t i = 0; i < r->nq; ++i) {
        ours[r->q_of[i]] = theirs[i];
    }
    lb_expect_ok(lb_normalize_configuration(r->model, 1e-6, ours, NULL));
    free(theirs);
    return ours;
}

static void compare_v(robot *r, const json_t *sample, const char *key, const double *x)
{
    double *reference = read_v(r, sample, key);
    compare(r, key, x, reference, r->nv);
    free(reference);
}

static void compare_mass_matrix(robot *r, const json_t *sample, const double *M)
{
    const size_t n = r->nv;
    double *theirs = lb_make_numbers(n * n), *reference = lb_make_numbers(n * n);
    read_key(sample, "M", theirs, n * n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            reference[(size_t)r->v_of[i] * n + (size_t)r->v_of[j]] = theirs[i * n + j];
        }
    }
    compare(r, "M", M, reference, n * n);
    free(theirs);
    free(reference);
}

// Linear first, then angular, in world axes: ours the other way round.
static void compare_motion(robot *r, const json_t *sample, const char *key, const double x[6])
{
    double theirs[6];
    read_key(sample, key, theirs, 6);
    const double reference[6] = {theirs[3], theirs[4], theirs[5], theirs[0], theirs[1], theirs[2]};
    compare(r, key, x, reference, 6);
}

// After forward dynamics.
static void compare_frame(robot *r, const json_t *sample)
{
    const size_t n = r->nv;
    lb_node_motion motion;
    lb_expect_ok(lb_compute_node_motion(r->model, r->work, r->body, r->node, &motion));
    double position[3], rotation[9];
    read_key(sample, "frame_p", position, 3);
    read_key(sample, "frame_R", rotation, 9);
    compare(r, "frame_p", motion.position, position, 3);
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
    compare(r, "frame_R", &R.m[0][0], rotation, 9);
    compare_motion(r, sample, "frame_vel_lwa", motion.velocity);
    if (json_object_get(sample, "frame_classical_acc_lwa")) {
        compare_motion(r, sample, "frame_classical_acc_lwa", motion.acceleration);
    }

    double *theirs = lb_make_numbers(6 * n), *reference = lb_make_numbers(6 * n);
    double *J = lb_make_numbers(6 * n);
    read_key(sample, "J_lwa", theirs, 6 * n);
    for (size_t row = 0; row < 6; ++row) {
        for (size_t i = 0; i < n; ++i) {
            reference[(row + 3) % 6 * n + (size_t)r->v_of[i]] = theirs[row * n + i];
        }
    }
    lb_expect_ok(lb_compute_jacobian(r->model, r->work, r->body, r->node, LB_AXES_WORLD, J));
    compare(r, "J_lwa", J, reference, 6 * n);
    free(theirs);
    free(reference);
    free(J);
}

static void compare_energy(robot *r, const json_t *sample)
{
    double kinetic, potential, reference;
    lb_expect_ok(lb_compute_energy(r->model, r->work, &kinetic, &potential));
    read_key(sample, "kinetic_energy", &reference, 1);
    compare(r, "kinetic_energy", &kinetic, &reference, 1);
    read_key(sample, "potential_energy", &reference, 1);
    compare(r, "potential_energy", &potential, &reference, 1);
    double com[3];
    lb_system_motion motion;
    lb_expect_ok(lb_compute_system_motion(r->model, r->work, &motion));
    read_key(sample, "com", com, 3);
    compare(r, "com", motion.com, com, 3);
}

static void compare_sample(robot *r, const json_t *sample)
{
    double *q = read_q(r, sample);
    double *v = read_v(r, sample, "v"), *tau = read_v(r, sample, "tau");
    double *a = read_v(r, sample, "a_in"), *x = lb_make_numbers(r->nv);
    double *zero = lb_make_numbers(r->nv), *M = lb_make_numbers(r->nv * r->nv);

    lb_expect_ok(lb_compute_inverse_dynamics(r->model, r->work, q, v, a, x));
    compare_v(r, sample, "rnea", x);
    lb_expect_ok(lb_compute_bias(r->model, r->work, q, v, x));
    compare_v(r, sample, "nle", x);
    lb_expect_ok(lb_compute_bias(r->model, r->work, q, zero, x));
    compare_v(r, sample, "gravity_torque", x);
    lb_expect_ok(lb_compute_mass_matrix(r->model, r->work, q, M));
    compare_mass_matrix(r, sample, M);
    lb_expect_ok(lb_tree_composite(r->model, r->work, q, v, tau, M, x));
    compare_v(r, sample, "qdd", x);
    lb_expect_ok(lb_compute_forward_dynamics(r->model, r->work, q, v, tau, x));
    compare_v(r, sample, "qdd", x);
    compare_energy(r, sample);
    compare_frame(r, sample);

    free(q);
    free(v);
    free(tau);
    free(a);
    free(x);
    free(zero);
    free(M);
}

// All samples at once.
static void compare_batch(robot *r, const json_t *samples)
{
    const size_t n = json_array_size(samples), nq = r->nq, nv = r->nv;
    double *q = lb_make_numbers(n * nq), *v = lb_make_numbers(3 * n * nv);
    double *tau = v + n * nv, *a = tau + n * nv;
    for (size_t s = 0; s < n; ++s) {
        const json_t *sample = json_array_get(samples, s);
        double *parts[] = {read_q(r, sample), read_v(r, sample, "v"), read_v(r, sample, "tau"),
                           read_v(r, sample, "a_in")};
        memcpy(q + s * nq, parts[0], nq * sizeof *q);
        memcpy(v + s * nv, parts[1], nv * sizeof *v);
        memcpy(tau + s * nv, parts[2], nv * sizeof *tau);
        memcpy(a + s * nv, parts[3], nv * sizeof *a);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
            free(parts[i]);
        }
    }

    lb_batch *work = lb_create_batch(r->model, NULL);
    assert_non_null(work);
    double *forward = lb_make_numbers(2 * n * nv), *inverse = forward + n * nv;
    double *M = lb_make_numbers(n * nv * nv);
    const int count = (int)n;
    lb_expect_ok(lb_compute_forward_dynamics_batch(r->model, work, count, q, v, tau, forward));
    lb_expect_ok(lb_compute_inverse_dynamics_batch(r->model, work, count, q, v, a, inverse));
    lb_expect_ok(lb_compute_mass_matrix_batch(r->model, work, count, q, M));
    for (size_t s = 0; s < n; ++s) {
        const json_t *sample = json_array_get(samples, s);
        compare_v(r, sample, "qdd", forward + s * nv);
        compare_v(r, sample, "rnea", inverse + s * nv);
        compare_mass_matrix(r, sample, M + s * nv * nv);
    }
    lb_destroy_batch(work);
    free(q);
    free(v);
    free(forward);
    free(M);
}

static void compare_total_mass(robot *r, double total_mass)
{
    double sum = 0.0;
    for (int body = 0; body < lb_get_body_count(r->model); ++body) {
        double mass, com[3], inertia[6];
        lb_get_mass_properties(r->model, body, &mass, com, inertia);
        sum += mass;
    }
    compare(r, "total_mass", &sum, &total_mass, 1);
}

static void robot_agrees_with_pinocchio(void **state)
{
    robot *r = *state;
    char path[2100];
    json_error_t error;
    snprintf(path, sizeof path, "%s.json", r->path);
    r->json = json_load_file(path, 0, &error);
    assert_non_null(r->json);

    snprintf(path, sizeof path, "%s.urdf", r->path);
    lb_load_options options = lb_default_load_options();
    options.floating_base = json_is_true(json_object_get(r->json, "floating_base"));
    lb_expect_ok(lb_load_model(path, &options, NULL, &r->model));
    r->work = lb_create_work(r->model);
    assert_non_null(r->work);
    r->nq = (size_t)lb_get_q_count(r->model);
    r->nv = (size_t)lb_get_v_count(r->model);
    assert_int_equal(json_integer_value(json_object_get(r->json, "nq")), r->nq);
    assert_int_equal(json_integer_value(json_object_get(r->json, "nv")), r->nv);
    r->q_of = calloc(r->nq + 1, sizeof(int));
    r->v_of = calloc(r->nv + 1, sizeof(int));
    assert_true(r->q_of && r->v_of);
    map_joints(r);
    find_frame(r);

    const double total_mass = json_number_value(json_object_get(r->json, "total_mass"));
    compare_total_mass(r, total_mass);
    const json_t *samples = json_object_get(r->json, "samples");
    assert_true(json_array_size(samples) > 0);
    for (size_t i = 0; i < json_array_size(samples); ++i) {
        compare_sample(r, json_array_get(samples, i));
    }
    compare_batch(r, samples);
    print_message("%zu states, worst %.2g\n", json_array_size(samples), r->worst);

    free(r->q_of);
    free(r->v_of);
    lb_destroy_work(r->work);
    lb_destroy_model(r->model);
    json_decref(r->json);
}

// ---- one test a robot --------------------------------------------------------------------------

static int compare_robots(const void *a, const void *b)
{
    return strcmp(((const robot *)a)->path, ((const robot *)b)->path);
}

static int list_robots(const char *folder, robot *robots)
{
    DIR *dir = opendir(folder);
    int count = 0;
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)) != NULL && count < MAX_ROBOTS) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0) {
            snprintf(robots[count++].path, sizeof robots->path, "%s/%.*s", folder, (int)length - 5,
                     entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    qsort(robots, (size_t)count, sizeof *robots, compare_robots);
    return count;
}

LB_TESTS()
{
    static robot robots[MAX_ROBOTS];
    static struct CMUnitTest tests[MAX_ROBOTS];
    const char *given = getenv("LB_URDF_ORACLE_DIR");
    const char *folder = given ? given : lb_find_source("../shared/oracles/urdf");
    const int count = list_robots(folder, robots);
    if (count == 0) {
        fprintf(stderr, "no robots in %s%s\n", folder, given ? "" : ": skipped");
        return given ? 1 : 77;
    }
    for (int i = 0; i < count; ++i) {
        tests[i].name = strrchr(robots[i].path, '/') + 1;
        tests[i].test_func = robot_agrees_with_pinocchio;
        tests[i].initial_state = &robots[i];
    }
    return _cmocka_run_group_tests("robots", tests, (size_t)count, NULL, NULL);
}
