// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Free motion, integrated by a method of order 4: energy, and in free flight momentum, must be
// constant up to an error that falls at that order, down to round-off.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"

// energy, linear momentum, angular momentum about the world's origin
static void lb_measure(const lb_model *model, lb_work *work, const double *q, const double *v,
                       double out[7], double *size)
{
    double kinetic, potential;
    lb_system_motion motion;
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_energy(model, work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(model, work, &motion));
    out[0] = kinetic + potential;
    memcpy(out + 1, motion.linear, sizeof motion.linear);
    memcpy(out + 4, motion.angular_world, sizeof motion.angular_world);
    *size = 1.0 + kinetic + fabs(potential);
}

// Integrates with ever smaller steps h, until what is conserved (the first `count` quantities) is
// constant to round-off. On the way there error / h^4 must stay bounded by what the three coarsest
// steps show: at order 3 it would double with every halving.
static void lb_expect_conserved(lb_trial *t, int count)
{
    double *q = lb_make_numbers((size_t)t->q_count), *v = lb_make_numbers((size_t)t->v_count);
    double start[7], end[7], size, error = HUGE_VAL, bound = 0.0;
    lb_measure(t->model, t->work, t->q, t->v, start, &size);
    // round-off: some thousand steps of a few relative 1e-16 each, partly adding up
    const double floor = 1e-12 * size;
    for (int i = 0; i <= 10 && error > floor; ++i) {
        double now;
        memcpy(q, t->q, (size_t)t->q_count * sizeof *q);
        memcpy(v, t->v, (size_t)t->v_count * sizeof *v);
        lb_integrate_motion(t->model, t->work, 0.5, 16 << i, q, v);
        lb_measure(t->model, t->work, q, v, end, &now);
        error = 0.0;
        for (int j = 0; j < count; ++j) {
            error = fmax(error, fabs(end[j] - start[j]));
        }
        const double scaled = error * pow(16.0, i);
        if (i < 3) {
            bound = fmax(bound, scaled);
        } else if (error > 5.0 * floor) {
            // 4: coarse steps may lie before the asymptotic range, or profit from a change of sign
            lb_expect_below("error / h^4", scaled, 4.0 * bound);
        }
    }
    lb_expect_below("final error", error, floor);
    free(q);
    free(v);
}

static void energy_is_constant_for_every_hinge_type(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 3;
        options.hinges = LB_HINGE_BIT(type);
        lb_trial t = lb_begin_trial(&options, (uint64_t)type);
        lb_expect_conserved(&t, 1);
        lb_end_trial(&t);
    }
}

static void momentum_is_constant_in_free_flight_for_every_hinge_type(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 3;
        options.hinges = LB_HINGE_BIT(type);
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0.0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)(100 + type));
        lb_expect_conserved(&t, 7);
        lb_end_trial(&t);
    }
}

static void mixed_tree_conserves_energy_and_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 8;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0.0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)(200 + i));
        lb_expect_conserved(&t, 7);
        lb_end_trial(&t);
    }
}

// Flexible bodies, their hinges at deforming nodes or not, with and without rotary inertia and
// second-order displacements; deformations of a tenth of the size of the body and more.
static void flexible_tree_conserves_energy_and_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 8; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.body_count = 3;
        options.root_count = 1;
        options.rigid_percent = 0;
        options.undamped = 1;
        options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
        options.gravity = 0.0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)(300 + i));
        lb_expect_conserved(&t, 7);
        lb_end_trial(&t);
    }
}

static void flexible_tree_conserves_energy_for_every_hinge_type(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        lb_tree_options options = lb_get_flexible_tree(7);
        options.body_count = 3;
        options.root_count = 1;
        options.rigid_percent = 0;
        options.undamped = 1;
        options.hinges = LB_HINGE_BIT(type);
        lb_trial t = lb_begin_trial(&options, (uint64_t)(400 + type));
        lb_expect_conserved(&t, 1);
        lb_end_trial(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_constant_for_every_hinge_type),
        cmocka_unit_test(momentum_is_constant_in_free_flight_for_every_hinge_type),
        cmocka_unit_test(mixed_tree_conserves_energy_and_momentum),
        cmocka_unit_test(flexible_tree_conserves_energy_and_momentum),
        cmocka_unit_test(flexible_tree_conserves_energy_for_every_hinge_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
