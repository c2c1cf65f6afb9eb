// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Free motion, integrated by a method of order 4: energy, and in free flight momentum, must be
// constant up to an error that falls at that order, down to round-off.
#include "check.h"
#include "motion.h"

static void energy_is_constant_for_every_hinge_type(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 3;
        options.hinges = LB_HINGE_BIT(type);
        lb_trial t = lb_begin_trial(&options, (uint64_t)type);
        lb_expect_conserved(&t, 0.5, 1);
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
        lb_expect_conserved(&t, 0.5, 7);
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
        lb_expect_conserved(&t, 0.5, 7);
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
        lb_expect_conserved(&t, 0.5, 7);
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
        lb_expect_conserved(&t, 0.5, 1);
        lb_end_trial(&t);
    }
}

LB_TESTS()
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
