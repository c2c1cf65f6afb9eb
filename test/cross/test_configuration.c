// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration manifold: integrate, difference and rate, one against the other.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void difference_undoes_integrate(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double *q1 = lb_make_numbers((size_t)t.q_count);
        double *dv = lb_make_numbers((size_t)t.v_count);
        // turns below pi are unique: entries up to 1.7 give at most 2.95; and tiny ones, where a
        // formula with a division by the angle would lose its digits
        const double scales[] = {1.7, 1e-4, 1e-9};
        for (int s = 0; s < 3; ++s) {
            lb_draw_vector(&t.random, t.v_count, scales[s], t.v);
            lb_integrate_configuration(t.model, t.q, t.v, q1);
            lb_difference_configuration(t.model, t.q, q1, dv);
            // coordinates of order 4 carry an absolute error of 1e-15; near a turn of pi the
            // logarithm loses a digit or two
            for (int j = 0; j < t.v_count; ++j) {
                lb_expect_below("dv", dv[j] - t.v[j], 2e-14);
            }
            // quaternions stay unit, and the answer may replace the input
            double *in_place = lb_make_numbers((size_t)t.q_count);
            memcpy(in_place, t.q, (size_t)t.q_count * sizeof *in_place);
            lb_integrate_configuration(t.model, in_place, t.v, in_place);
            lb_expect_close("in place", in_place, q1, t.q_count, 0.0);
            // 1e-14: unit within some roundings
            assert_int_equal(lb_normalize_configuration(t.model, 1e-14, in_place, NULL), LB_OK);
            free(in_place);
        }
        free(q1);
        free(dv);
        lb_end_trial(&t);
    }
}

static void integrate_starts_off_at_the_configuration_rate(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.q_count;
        double *rate = lb_make_numbers(n), *forth = lb_make_numbers(n), *back = lb_make_numbers(n);
        double *dv = lb_make_numbers((size_t)t.v_count);
        const double h = 1e-5;
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int j = 0; j < t.v_count; ++j) {
                dv[j] = sign * h * t.v[j];
            }
            lb_integrate_configuration(t.model, t.q, dv, sign > 0 ? forth : back);
        }
        lb_compute_configuration_rate(t.model, t.q, t.v, rate);
        for (size_t j = 0; j < n; ++j) {
            // central difference: h^2 / 6 = 2e-11, and round-off of 4e-16 / h
            lb_expect_below("rate", (forth[j] - back[j]) / (2.0 * h) - rate[j], 2e-10);
        }
        free(rate);
        free(forth);
        free(back);
        free(dv);
        lb_end_trial(&t);
    }
}

// Constant speeds for unit time: a free body moves on a screw, so the frame that is reached does
// not depend on how the time is cut up.
static void integrate_is_a_one_parameter_group(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double *whole = lb_make_numbers((size_t)t.q_count);
        double *cut = lb_make_numbers((size_t)t.q_count);
        double *dv = lb_make_numbers((size_t)t.v_count);
        lb_integrate_configuration(t.model, t.q, t.v, whole);
        memcpy(cut, t.q, (size_t)t.q_count * sizeof *cut);
        for (int part = 0; part < 4; ++part) {
            for (int j = 0; j < t.v_count; ++j) {
                dv[j] = 0.25 * t.v[j];
            }
            lb_integrate_configuration(t.model, cut, dv, cut);
        }
        // a quaternion and its negative are the same configuration
        lb_difference_configuration(t.model, whole, cut, dv);
        for (int j = 0; j < t.v_count; ++j) {
            lb_expect_below("gap", dv[j], 1e-14);
        }
        free(whole);
        free(cut);
        free(dv);
        lb_end_trial(&t);
    }
}

// What the rate says, the nodes do: velocities are derivatives of positions.
static void node_velocities_are_derivatives_of_positions(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double *q = lb_make_numbers((size_t)t.q_count), *dv = lb_make_numbers((size_t)t.v_count);
        const double h = 1e-5;
        for (int k = 0; k < t.body_count; ++k) {
            lb_node_motion motion, at[2];
            lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, k, 1, &motion));
            for (int side = 0; side < 2; ++side) {
                for (int j = 0; j < t.v_count; ++j) {
                    dv[j] = (side ? h : -h) * t.v[j];
                }
                lb_integrate_configuration(t.model, t.q, dv, q);
                lb_expect_ok(lb_compute_kinematics(t.model, t.work, q, NULL, NULL));
                lb_expect_ok(lb_compute_node_motion(t.model, t.work, k, 1, &at[side]));
            }
            // R(t+h) R(t-h)' turns by 2 h omega: its antisymmetric part
            const lb_mat3 R1 = lb_quat_to_mat3(lb_quat_from(at[1].rotation));
            const lb_mat3 R0 = lb_quat_to_mat3(lb_quat_from(at[0].rotation));
            const lb_mat3 turn = lb_mat3_mul_t(&R1, &R0);
            const double omega[3] = {(turn.m[2][1] - turn.m[1][2]) / (4.0 * h),
                                     (turn.m[0][2] - turn.m[2][0]) / (4.0 * h),
                                     (turn.m[1][0] - turn.m[0][1]) / (4.0 * h)};
            double size = 1.0;
            for (int j = 0; j < 6; ++j) {
                size = fmax(size, fabs(motion.velocity[j]));
            }
            for (int j = 0; j < 3; ++j) {
                const double v = (at[1].position[j] - at[0].position[j]) / (2.0 * h);
                // central differences: h^2 |w|^3, and round-off of 1e-15 / h
                lb_expect_below("angular", omega[j] - motion.velocity[j],
                                1e-9 * size * size * size);
                lb_expect_below("linear", v - motion.velocity[3 + j], 1e-9 * size * size * size);
            }
        }
        free(q);
        free(dv);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(difference_undoes_integrate),
        cmocka_unit_test(integrate_starts_off_at_the_configuration_rate),
        cmocka_unit_test(integrate_is_a_one_parameter_group),
        cmocka_unit_test(node_velocities_are_derivatives_of_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
