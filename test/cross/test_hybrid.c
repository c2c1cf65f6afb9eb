// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinges driven by motion, against forward and inverse dynamics.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"

// Drives some hinges with the accelerations that forward dynamics gives: nothing may change, and
// the drives must need the forces that were there.
static void driving_along_the_free_motion_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 600; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *tau = lb_make_numbers(n);
        unsigned char driven[9] = {0};
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        memcpy(tau, t.tau, n * sizeof *tau);
        for (int k = 0; k < t.body_count; ++k) {
            // one in two, and at times none or all
            driven[k] = (unsigned char)(lb_draw_index(&t.random, 2) != 0);
            const lb_scene_body *body = &t.scene->bodies[k];
            for (int j = 0; driven[k] && j < lb_scene_hinge_v_count[body->hinge.type]; ++j) {
                a[body->hinge_v + j] = t.a[body->hinge_v + j];
                tau[body->hinge_v + j] = 1e3; // an input that must be ignored
            }
        }
        lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, tau, a));
        // 1e-11: cond(M) up to 1e4, twice
        lb_expect_close("accelerations", a, t.a, n, 1e-11);
        lb_expect_close("forces", tau, t.tau, n, 1e-11);
        free(a);
        free(tau);
        lb_end_trial(&t);
    }
}

static void hybrid_forces_satisfy_inverse_dynamics(void **state)
{
    (void)state;
    for (int i = 0; i < 600; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *tau = lb_make_numbers(n), *needed = lb_make_numbers(n);
        unsigned char driven[9] = {0};
        memcpy(a, t.a, n * sizeof *a);
        memcpy(tau, t.tau, n * sizeof *tau);
        for (int k = 0; k < t.body_count; ++k) {
            driven[k] = (unsigned char)(lb_draw_index(&t.random, 2) != 0);
        }
        lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, tau, a));
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, a, needed));
        // 1e-11: inverse dynamics of accelerations that carry cond(M) up to 1e4
        lb_expect_close("forces", tau, needed, n, 1e-11);
        // what was given has not been touched
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            for (int j = 0; j < lb_scene_hinge_v_count[body->hinge.type]; ++j) {
                const int at = body->hinge_v + j;
                assert_true(driven[k] ? a[at] == t.a[at] : tau[at] == t.tau[at]);
            }
            // modes are never driven
            for (int at = body->v_offset; at < body->hinge_v; ++at) {
                assert_true(tau[at] == t.tau[at]);
            }
        }
        free(a);
        free(tau);
        free(needed);
        lb_end_trial(&t);
    }
}

// Of rigid trees: where there are modes, their accelerations remain unknown.
static void all_hinges_driven_is_inverse_dynamics(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *needed = lb_make_numbers(n), *a = lb_make_numbers(n);
        unsigned char driven[9];
        memset(driven, 1, sizeof driven);
        memcpy(a, t.a, n * sizeof *a);
        lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, a));
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, needed));
        // 1e-12: both are sums over at most 9 bodies; nothing is inverted
        lb_expect_close("forces", t.tau, needed, n, 1e-12);
        free(a);
        free(needed);
        lb_end_trial(&t);
    }
}

static void no_hinge_driven_is_forward_dynamics(void **state)
{
    (void)state;
    const lb_tree_options options = lb_get_small_tree(8);
    lb_trial t = lb_begin_trial(&options, 0);
    const size_t n = (size_t)t.v_count;
    const unsigned char driven[9] = {0};
    double *a = lb_make_numbers(n);
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, a));
    // the same recursion on the same numbers; 1e-14 allows another order of sums
    lb_expect_close("accelerations", a, t.a, n, 1e-14);
    free(a);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driving_along_the_free_motion_changes_nothing),
        cmocka_unit_test(hybrid_forces_satisfy_inverse_dynamics),
        cmocka_unit_test(all_hinges_driven_is_inverse_dynamics),
        cmocka_unit_test(no_hinge_driven_is_forward_dynamics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
