// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models are the same wherever a system flies and however fast, and slow motions are told from
// rigid ones beside fast ones.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/linear.h"
#include "loaded.h"

#define PI 3.14159265358979323846

static lb_linear *linearize(lb_loaded *l, const lb_linear_options *options)
{
    lb_linear *linear = NULL;
    const lb_status status = lb_linearize(l->simulation, options, &linear);
    if (status != LB_OK) {
        print_message("%s\n", lb_get_simulation_message(l->simulation));
    }
    lb_expect_ok(status);
    return linear;
}

static int find_state(const lb_linear *linear, const char *name)
{
    int i = 0;
    while (i < linear->state_count && strcmp(linear->states[i], name) != 0) {
        ++i;
    }
    assert_true(i < linear->state_count);
    return i;
}

// ---- uniform motion ----------------------------------------------------------------------------

// A panel on a soft hinge, as it is at rest, at an orbital speed, and far away. The entry of the hinge is
// -k times the entry of the inverse of the mass matrix of turn, shift and angle,
//
//     [66.25 0.5 1.25; 0.5 101 0.5; 1.25 0.5 1.25]:   (66.25 * 101 - 0.25) / det
static void soft_hinge_is_as_stiff_in_flight(void **state)
{
    (void)state;
    static const char *const starts[] = {"{velocity: [7500, 0, 0]}", "{velocity: [0, 0, 0]}",
                                         "{position: [0, 7.0e+6, 0], velocity: [0, 0, -7500]}",
                                         "{velocity: [10, -4000, 7000]}"};
    const double det = 66.25 * (101 * 1.25 - 0.25) - 0.5 * (0.5 * 1.25 - 0.5 * 1.25) +
                       1.25 * (0.5 * 0.5 - 101 * 1.25);
    double rest[14 * 14];
    static const int order[] = {1, 0, 2, 3};
    for (int k = 0; k < 4; ++k) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies:\n"
                 "  - {name: s, hinge: {type: free}, mass: 100, inertia: [10, 60, 65, 0, 0, 0]}\n"
                 "  - {name: p, parent: s, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                 "com: [0.5, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}\n"
                 "forces:\n"
                 "  - {name: k, type: spring, hinge: p, stiffness: 4.0e-6}\n"
                 "initial: {s: %s}\n",
                 starts[order[k]]);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = linearize(&l, &options);
        assert_int_equal(linear->state_count, 14);
        const int angle = find_state(linear, "p.angle"), rate = find_state(linear, "p.rate");
        lb_expect_near("hinge", linear->A[rate * 14 + angle], -4e-6 * (66.25 * 101 - 0.25) / det,
                       1e-12);
        assert_int_equal(linear->zero_count, 12);
        lb_expect_near("pole", linear->eigenvalues[25], sqrt(4e-6 * (66.25 * 101 - 0.25) / det),
                       1e-12);
        for (int i = 0; i < 14 * 14; ++i) {
            const int row = i / 14, column = i % 14;
            // turns (0 to 2) turn the velocity: shifts (3 to 5) and their rates (10 to 12) follow
            const bool carries = (row >= 3 && row < 6 && column < 3) ||
                                 (row >= 10 && row < 13 && column >= 7 && column < 10);
            if (k == 0) {
                rest[i] = linear->A[i];
            }
            // the same bits
            assert_true(carries || linear->A[i] == rest[i]);
        }
        lb_destroy_linear(linear);
        lb_end_loaded(&l);
    }
}

// Random flexible trees that are free in space, with dampers at their hinges and a spring across.
static lb_loaded load_flyer(int number, lb_trial *trial)
{
    lb_tree_options tree = lb_get_flexible_tree(number);
    tree.root_count = 1;
    tree.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    tree.hinges &= ~LB_HINGE_BIT(LB_HINGE_FREE);
    tree.gravity = 0.0;
    *trial = lb_begin_trial(&tree, (uint64_t)number + 4100);
    const lb_model *model = trial->model;
    char text[4000] = "limber: 1\nforces:\n";
    for (int k = 0; k < trial->body_count; ++k) {
        for (int i = 0;
             lb_get_hinge(model, k).parent != LB_GROUND && i < lb_get_hinge(model, k).v_count;
             ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used,
                     "  - {name: d%d_%d, type: damper, hinge: %s.%d, damping: 0.%d}\n", k, i,
                     lb_get_body_name(model, k), i, 1 + (k + i) % 8);
        }
    }
    const size_t used = strlen(text);
    const int last = trial->body_count - 1;
    snprintf(text + used, sizeof text - used,
             "  - {name: s, type: spring, between: [%s, %s/%s], stiffness: 7, length: 0.3}\n",
             lb_get_body_name(model, 0), lb_get_body_name(model, last),
             lb_get_node_name(model, last, 1));
    lb_model *own = lb_build_scene(trial->scene);
    assert_non_null(own);
    return lb_begin_loaded(text, own);
}

static double find_nearest(const lb_linear *linear, const double *value)
{
    double nearest = INFINITY;
    for (int k = 0; k < linear->state_count; ++k) {
        nearest = fmin(nearest, hypot(linear->eigenvalues[2 * k] - value[0],
                                      linear->eigenvalues[2 * k + 1] - value[1]));
    }
    return nearest;
}

static void trees_in_flight_are_those_at_rest(void **state)
{
    (void)state;
    for (int number = 0; number < 8; ++number) {
        lb_trial trial;
        lb_loaded l = load_flyer(number, &trial);
        const lb_model *model = l.model;
        const int nq = lb_get_q_count(model), nv = lb_get_v_count(model);
        double *q = lb_make_numbers((size_t)(nq + nv)), *v = q + nq;
        int root = 0;
        while (lb_get_hinge(model, root).parent != LB_GROUND) {
            ++root;
        }
        const int modes = lb_get_mode_count(model, root);
        const int place = lb_get_q_offset(model, root) + modes + 4;
        const int speed = lb_get_v_offset(model, root) + modes + 3;
        memcpy(q, trial.q, (size_t)nq * sizeof *q);
        char input[128], outputs[2][128];
        const char *inputs[1] = {input}, *signals[2] = {outputs[0], outputs[1]};
        const int last = trial.body_count - 1;
        snprintf(input, sizeof input, "%s/%s.force.x", lb_get_body_name(model, last),
                 lb_get_node_name(model, last, 1));
        snprintf(outputs[0], 128, "%s/%s.position.y", lb_get_body_name(model, last),
                 lb_get_node_name(model, last, 1));
        snprintf(outputs[1], 128, "%s/%s.acceleration.z", lb_get_body_name(model, last),
                 lb_get_node_name(model, last, 1));
        lb_linear_options options = lb_default_linear_options();
        options.q = q;
        options.v = v;
        options.inputs = inputs;
        options.input_count = 1;
        options.outputs = signals;
        options.output_count = 2;
        lb_linear *rest = linearize(&l, &options);
        const int count = rest->state_count;
        static const double frequencies[3] = {0.1, 0.7, 20.0};
        double expected[12], found[12];
        lb_expect_ok(lb_compute_response(rest, 3, frequencies, expected));
        for (int look = 0; look < 2; ++look) {
            v[speed] = 3000;
            v[speed + 1] = -5000;
            v[speed + 2] = 4700;
            q[place + 1] += look ? 7e6 : 0.0;
            // at 7e6 m nodes are known to 1e-9 m; levers of the spring are of 0.1 to 1 m
            const double share = look ? 1e-6 : 1e-9;
            lb_linear *flown = linearize(&l, &options);
            assert_int_equal(flown->zero_count, rest->zero_count);
            double largest = 0.0;
            for (int i = 0; i < count; ++i) {
                largest =
                    fmax(largest, hypot(rest->eigenvalues[2 * i], rest->eigenvalues[2 * i + 1]));
            }
            for (int i = 0; i < count; ++i) {
                lb_expect_below("pole", find_nearest(flown, rest->eigenvalues + 2 * i),
                                share * largest);
            }
            lb_expect_ok(lb_compute_response(flown, 3, frequencies, found));
            for (int k = 0; k < 6; ++k) {
                lb_expect_within("response", found + 2 * k, expected + 2 * k, 2,
                                 10 * share * hypot(expected[2 * k], expected[2 * k + 1]));
            }
            lb_destroy_linear(flown);
        }
        lb_destroy_linear(rest);
        free(q);
        lb_end_loaded(&l);
        lb_end_trial(&trial);
    }
}

// ---- orbits ------------------------------------------------------------------------------------

// A body that faces the earth on a circular orbit. In its axes, x outwards, y ahead, gravity changes by
// n^2 (2, -1, -1) with the place; it turns back to the vertical with 3 n^2 (J_y - J_x) in pitch, and with
// 4 n^2 (J_z - J_x) about y, of which n^2 (J_z - J_x) comes from the rotation of the axes.
static void gravity_gradient_is_part_of_the_model(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: s, hinge: {type: free}, mass: 100, inertia: [10, 100, 105, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: earth, type: gravity-point, mu: 3.986004418e14}\n"
        "initial: {s: {position: [7.0e+6, 0, 0], velocity: [0, 7546.0532901, 0], "
        "angular_velocity: [0, 0, 0.00107800761287]}}\n",
        NULL);
    const lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = linearize(&l, &options);
    const double n2 = 3.986004418e14 / (7e6 * 7e6 * 7e6), n = sqrt(n2);
    const double *A = linear->A;
    // 1e-5: the field may be differenced
    static const double gradient[3] = {2, -1, -1};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            lb_expect_within("gradient", &A[(9 + i) * 12 + 3 + j],
                             (double[]){i == j ? n2 * gradient[i] : 0.0}, 1, 1e-5 * n2);
        }
    }
    lb_expect_near("pitch", A[8 * 12 + 2], -3 * n2 * 90 / 105, 1e-5);
    lb_expect_near("about y", A[7 * 12 + 1], -3 * n2 * 95 / 100, 1e-5);
    // Hill's equations: n twice. Pitch; and the shape of roll and yaw: see Hughes, Spacecraft Attitude
    // Dynamics, 1986, section 9.1, k_1 = (J_z - J_y) / J_x, k_3 = (J_z - J_x) / J_y here
    double expected[3] = {n, n, n * sqrt(3 * 90.0 / 105)};
    int hits[3] = {0, 0, 0};
    for (int k = 0; k < 12; ++k) {
        for (int i = 0; i < 3; ++i) {
            hits[i] += fabs(linear->eigenvalues[2 * k + 1] - expected[i]) < 1e-5 * n &&
                       fabs(linear->eigenvalues[2 * k]) < 1e-5 * n;
        }
    }
    assert_int_equal(hits[0], 2);
    assert_int_equal(hits[2], 1);
    lb_destroy_linear(linear);
    lb_end_loaded(&l);
}

// ---- slow beside fast --------------------------------------------------------------------------

#define STUB                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: p, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0, 0], "            \
    "inertia: [1, 1, 1, 0, 0, 0], nodes: {n: {position: [0.1, 0, 0]}}}\n"                          \
    "  - name: stub\n"                                                                             \
    "    parent: p\n"                                                                              \
    "    at: n\n"                                                                                  \
    "    hinge: {type: fixed}\n"                                                                   \
    "    beam: {length: 0.02, section: {type: rectangle, width: 0.01, height: 0.01}, "             \
    "material: steel, modes: 12}\n"                                                                \
    "forces:\n"

// The stub is rigid for such a slow motion: sqrt(k / J), J the inertia of everything about the hinge. What
// it bends is of the square of the ratio of the frequencies, 1e-12.
static void slow_hinge_beside_fast_modes_is_not_rigid(void **state)
{
    (void)state;
    static const double stiffnesses[] = {0.03, 3e-6, 3e-10};
    for (int k = 0; k < 3; ++k) {
        for (int damped = 0; damped < 2; ++damped) {
            char text[1500];
            const double damping = damped ? 1e-3 * sqrt(stiffnesses[k]) : 0.0;
            snprintf(text, sizeof text,
                     STUB "  - {name: k, type: spring, hinge: p, stiffness: %.17g}\n"
                          "  - {name: c, type: damper, hinge: p, damping: %.17g}\n",
                     stiffnesses[k], damping);
            lb_loaded l = lb_begin_loaded(text, NULL);
            const lb_linear_options options = lb_default_linear_options();
            lb_modes *modes;
            lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
            const double J = modes->inertia[2], w = sqrt(stiffnesses[k] / J);
            lb_expect_near("inertia", J, 1.00019, 1e-5);
            assert_int_equal(modes->kinds[0], LB_MODE_OSCILLATION);
            assert_int_equal(modes->symmetric, !damped);
            // 1e-8: of the eigenvalues of a general matrix the digits beside 1.6e6 rad/s
            const double share = damped ? 1e-8 : 1e-12;
            lb_expect_near("frequency", modes->frequencies[0], w / (2 * PI), share);
            lb_expect_within("damping", &modes->dampings[0], (double[]){damping / (2 * J * w)}, 1,
                             1e-8);
            lb_expect_near("fastest", modes->frequencies[12], 258453.56, 1e-7);
            lb_linear *linear = linearize(&l, &options);
            assert_int_equal(linear->zero_count, 0);
            lb_expect_near("pole", hypot(linear->eigenvalues[0], linear->eigenvalues[1]), w, 1e-8);
            lb_destroy_linear(linear);
            lb_destroy_modes(modes);
            lb_end_loaded(&l);
        }
    }
}

// Two soft hinges of nearly the same frequency, far below the modes, keep apart; without its spring a
// hinge is rigid, whatever the other has.
static void rigid_is_what_has_no_stiffness(void **state)
{
    (void)state;
    static const char *const springs[] = {
        "  - {name: k, type: spring, hinge: p, stiffness: 1.0e-7}\n"
        "  - {name: k2, type: spring, hinge: w, stiffness: 1.1e-7}\n",
        "  - {name: k2, type: spring, hinge: w, stiffness: 1.1e-7}\n"};
    for (int k = 0; k < 2; ++k) {
        char text[2000];
        snprintf(text, sizeof text, STUB "%s", springs[k]);
        char *at = strstr(text, "forces:");
        char rest[1000];
        snprintf(rest, sizeof rest, "%s", at);
        snprintf(at, sizeof text - (size_t)(at - text),
                 "  - {name: w, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                 "inertia: [1, 1, 1, 0, 0, 0]}\n%s",
                 rest);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const lb_linear_options options = lb_default_linear_options();
        lb_modes *modes;
        lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
        const double J = modes->inertia[2] - 1.0;
        assert_int_equal(modes->kinds[0], k ? LB_MODE_RIGID : LB_MODE_OSCILLATION);
        if (k == 0) {
            lb_expect_near("first", modes->frequencies[0], sqrt(1e-7 / J) / (2 * PI), 1e-11);
        }
        lb_expect_near("second", modes->frequencies[1], sqrt(1.1e-7) / (2 * PI), 1e-11);
        lb_linear *linear = linearize(&l, &options);
        assert_int_equal(linear->zero_count, k ? 2 : 0);
        lb_destroy_linear(linear);
        lb_destroy_modes(modes);
        lb_end_loaded(&l);
    }
}

// Axes that are turned upright are so to the last digit only: about them bodies turn without resistance,
// whatever the weight. With a spring of 1e-9 of the weight's moment they do not.
static void upright_hinge_is_rigid(void **state)
{
    (void)state;
    static const double scales[] = {1e-3, 1.0, 1e3};
    for (int k = 0; k < 6; ++k) {
        const double L = scales[k / 2], stiffness = k % 2 ? 5 * 9.81 * L * 1e-9 : 0.0;
        char text[1500];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "gravity: [0, 0, -9.81]\n"
                 "ground: {nodes: {wall: {rotation: [0.70710678118654757, 0.70710678118654746, 0, "
                 "0]}}}\n"
                 "bodies:\n"
                 "  - {name: b, at: wall, hinge: {type: revolute, axis: [0, 1, 0]}, "
                 "nodes: {tip: {position: [%.17g, 0, 0]}}, "
                 "mass: 3, com: [%.17g, 0, 0], inertia: [%.17g, %.17g, %.17g, 0, 0, 0]}\n"
                 "  - {name: c, parent: b, hinge: {type: revolute, axis: [0, 1, 0]}, "
                 "at: tip, mass: 2, com: [%.17g, 0, 0]}\n"
                 "forces:\n"
                 "  - {name: k, type: spring, hinge: b, stiffness: %.17g}\n"
                 "initial: {c: {angle: -2.1}}\n",
                 L, L, L * L, L * L, L * L, L, stiffness);
        lb_loaded l = lb_begin_loaded(text, NULL);
        const lb_linear_options options = lb_default_linear_options();
        lb_modes *modes;
        lb_expect_ok(lb_compute_modes(l.simulation, &options, &modes));
        assert_int_equal(modes->kinds[0], LB_MODE_RIGID);
        assert_int_equal(modes->kinds[1], k % 2 ? LB_MODE_OSCILLATION : LB_MODE_RIGID);
        lb_linear *linear = linearize(&l, &options);
        assert_int_equal(linear->zero_count, k % 2 ? 2 : 4);
        lb_destroy_linear(linear);
        lb_destroy_modes(modes);
        lb_end_loaded(&l);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_hinge_is_as_stiff_in_flight),
        cmocka_unit_test(trees_in_flight_are_those_at_rest),
        cmocka_unit_test(gravity_gradient_is_part_of_the_model),
        cmocka_unit_test(slow_hinge_beside_fast_modes_is_not_rigid),
        cmocka_unit_test(rigid_is_what_has_no_stiffness),
        cmocka_unit_test(upright_hinge_is_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
