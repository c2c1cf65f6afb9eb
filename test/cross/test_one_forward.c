// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics with whatever a workspace has: loops, locks and drives act, the tree must be asked for, and what
// knows the tree alone refuses. That the numbers are right is for test_loops.c: it compares this call with dense
// matrices, on flexible trees with loops of every type and driven hinges.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "limber/derivatives.h"
#include "limber/divide_and_conquer.h"
#include "limber/loops.h"

// Two sliders in gravity, the second geared to the first by -1, as a mimic joint of a URDF:
//
//     (m1 + m2) a1 = (m1 - m2) g,   a2 = -a1
static lb_model *build_mimic(void)
{
    lb_builder *builder = lb_create_builder(NULL, NULL);
    static const char *const names[2] = {"left", "right"};
    static const double masses[2] = {3.0, 1.0};
    for (int i = 0; i < 2; ++i) {
        lb_body_options body = lb_default_body_options();
        body.name = names[i];
        body.hinge.type = LB_HINGE_PRISMATIC;
        body.hinge.axis[2] = 1.0;
        body.mass = masses[i];
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    const lb_coupler_term terms[2] = {{"left", 0, 1.0}, {"right", 0, 1.0}};
    lb_loop_options gear = lb_default_loop_options();
    gear.name = "gear";
    gear.type = LB_LOOP_COUPLER;
    gear.terms = terms;
    gear.term_count = 2;
    lb_expect_ok(lb_add_loop(builder, &gear, NULL));
    lb_set_gravity(builder, (const double[3]){0, 0, -10.0});
    lb_model *model;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    return model;
}

static void mimic_hinges_move_together(void **state)
{
    (void)state;
    lb_model *model = build_mimic();
    lb_work *work = lb_create_work(model);
    const double q[2] = {0}, v[2] = {0}, tau[2] = {0.0, 4.0};
    double a[2], force[6], drive[2];
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    // 4 a1 = -3 g + g - 4 with g = 10
    assert_true(fabs(a[0] + 6.0) < 1e-13 && fabs(a[1] - 6.0) < 1e-13);
    lb_expect_ok(lb_get_loop_force(model, work, 0, force));
    assert_true(fabs(force[0] - (3.0 * (a[0] + 10.0))) < 1e-12);
    lb_expect_ok(lb_get_drive_forces(model, work, drive));
    assert_true(drive[0] == 0.0 && drive[1] == 0.0);
    assert_int_equal(lb_get_redundant_row_count(work), 0);

    // the tree is asked for
    lb_use_tree(work, true);
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    assert_true(fabs(a[0] + 10.0) < 1e-13 && fabs(a[1] + 6.0) < 1e-13);
    lb_use_tree(work, false);

    // or there are no loops: a slot that is not active has no force
    lb_expect_ok(lb_set_loop_active(model, work, 0, false));
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    assert_true(fabs(a[0] + 10.0) < 1e-13);
    lb_expect_ok(lb_get_loop_force(model, work, 0, force));
    assert_true(force[0] == 0.0);
    lb_expect_ok(lb_set_loop_active(model, work, 0, true));

    // the left one driven: the drive carries both
    lb_expect_ok(lb_set_hinge_driven(model, work, 0, true));
    assert_true(lb_is_hinge_driven(work, 0) && !lb_is_hinge_driven(work, 1));
    a[0] = 2.0;
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    assert_true(a[0] == 2.0 && fabs(a[1] + 2.0) < 1e-13);
    lb_expect_ok(lb_get_drive_forces(model, work, drive));
    // 3 (2 + 10) = drive + lambda, 1 (-2 + 10) = 4 + lambda
    assert_true(fabs(drive[0] - 32.0) < 1e-12 && drive[1] == 0.0);

    // locked as well: locked
    lb_expect_ok(lb_set_hinge_locked(model, work, 0, true));
    lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
    assert_true(a[0] == 0.0 && fabs(a[1]) < 1e-13);
    lb_expect_ok(lb_set_hinge_locked(model, work, 0, false));
    assert_int_equal(lb_get_drive_forces(model, work, drive), LB_E_STAGE); // of what is no more
    assert_int_equal(lb_set_hinge_driven(model, work, 2, true), LB_E_ARGUMENT);
    lb_destroy_work(work);
    lb_destroy_model(model);
}

static int count_refusals(lb_trial *t, double *x, double *matrix)
{
    double admittance[36];
    lb_derivative_work *scratch = lb_create_derivative_work(t->model);
    const lb_status found[] = {
        lb_compute_inverse_dynamics(t->model, t->work, t->q, t->v, t->a, x),
        lb_compute_bias(t->model, t->work, t->q, t->v, x),
        lb_compute_mass_matrix(t->model, t->work, t->q, matrix),
        lb_compute_mass_matrix_inverse(t->model, t->work, t->q, matrix),
        lb_compute_articulated_inertia(t->model, t->work, t->q),
        lb_solve_mass_matrix(t->model, t->work, t->tau, x),
        lb_compute_admittance(t->model, t->work, 0, 0, LB_AXES_WORLD, admittance),
        lb_compute_inverse_derivatives(t->model, t->work, scratch, t->q, t->v, t->a, x, NULL, NULL,
                                       NULL),
    };
    int count = 0;
    for (size_t i = 0; i < sizeof found / sizeof found[0]; ++i) {
        assert_true(found[i] == LB_OK || found[i] == LB_E_LOOPS);
        count += found[i] == LB_E_LOOPS;
    }
    lb_destroy_derivative_work(scratch);
    return count;
}

static void what_knows_the_tree_alone_refuses_the_rest(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1, LB_LOOP_SPHERICAL, 0), 1);
    const size_t n = (size_t)t.v_count;
    double *x = lb_make_numbers(n), *matrix = lb_make_numbers(n * n);
    assert_int_equal(count_refusals(&t, x, matrix), 8);
    lb_use_tree(t.work, true);
    assert_int_equal(count_refusals(&t, x, matrix), 0);
    lb_use_tree(t.work, false);
    for (int l = 0; l < lb_get_loop_capacity(t.model); ++l) {
        lb_expect_ok(lb_set_loop_active(t.model, t.work, l, false));
    }
    assert_int_equal(count_refusals(&t, x, matrix), 0);
    lb_expect_ok(lb_set_hinge_locked(t.model, t.work, 0, true));
    assert_int_equal(count_refusals(&t, x, matrix), 8);
    lb_expect_ok(lb_set_hinge_locked(t.model, t.work, 0, false));
    lb_expect_ok(lb_set_hinge_driven(t.model, t.work, 1, true));
    assert_int_equal(count_refusals(&t, x, matrix), 8);
    lb_expect_ok(lb_set_hinge_driven(t.model, t.work, 1, false));
    assert_int_equal(count_refusals(&t, x, matrix), 0);
    free(x);
    free(matrix);
    lb_end_trial(&t);
}

// Some hinges locked and some driven, flexible bodies, every algorithm: against the matrices of the tree,
//
//     M a + c = tau + E' drive
static void every_algorithm_takes_locks_and_drives(void **state)
{
    (void)state;
    for (int i = 0; i < 40; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *first = lb_make_numbers(n), *a = lb_make_numbers(n), *drive = lb_make_numbers(n);
        double *needed = lb_make_numbers(n), *tau = lb_make_numbers(n);
        for (int held = 0; held < 2; ++held) {
            for (int algorithm = 0; algorithm < LB_ALGORITHM_COUNT; ++algorithm) {
                lb_work_options work_options = lb_default_work_options();
                work_options.algorithm = (lb_algorithm)algorithm;
                lb_work *work;
                lb_expect_ok(lb_create_work_with(t.model, &work_options, &work));
                for (int k = 0; held && k < t.body_count; ++k) {
                    lb_expect_ok(lb_set_hinge_locked(t.model, work, k, k % 4 == 0));
                    lb_expect_ok(lb_set_hinge_driven(t.model, work, k, k % 4 == 1));
                }
                memcpy(a, t.a, n * sizeof *a);
                const lb_status status =
                    lb_compute_forward_dynamics(t.model, work, t.q, t.v, t.tau, a);
                lb_division_report report = {.size = sizeof report};
                const bool divided = algorithm == LB_ALGORITHM_DIVIDE_AND_CONQUER;
                assert_true(status == LB_OK || (divided && status == LB_NEWS_FALLBACK));
                assert_int_equal(lb_get_division_report(work, &report),
                                 divided ? LB_OK : LB_E_STAGE);
                if (algorithm == 0) {
                    memcpy(first, a, n * sizeof *a);
                }
                // 1e-8: cond(M) of these trees
                lb_expect_close("accelerations", a, first, (int)n, 1e-8);
                if (algorithm == LB_ALGORITHM_UNSPLIT && !held) {
                    lb_destroy_work(work);
                    continue; // leaves nothing
                }
                lb_expect_ok(lb_get_drive_forces(t.model, work, drive));
                lb_expect_ok(lb_tree_inverse(t.model, work, t.q, t.v, a, needed));
                for (int k = 0; k < t.body_count; ++k) {
                    const int at = lb_get_v_offset(t.model, k);
                    const int modes = lb_get_mode_count(t.model, k);
                    const int end = at + modes + lb_get_hinge(t.model, k).v_count;
                    const bool holds = held && k % 4 < 2;
                    for (int j = at; j < end; ++j) {
                        const bool is_hinge = j >= at + modes;
                        tau[j] = holds && is_hinge ? drive[j] : t.tau[j];
                        assert_true((holds && is_hinge) || drive[j] == 0.0);
                        assert_true(!(holds && is_hinge) || a[j] == (k % 4 ? t.a[j] : 0.0));
                    }
                }
                lb_expect_close("forces", tau, needed, (int)n, 1e-8);
                lb_destroy_work(work);
            }
        }
        free(first);
        free(a);
        free(drive);
        free(needed);
        free(tau);
        lb_end_trial(&t);
    }
}

// Derivatives are those of the same call.
static void derivatives_take_what_forward_dynamics_takes(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1, LB_LOOP_SPHERICAL, 0), 2);
    const size_t n = (size_t)t.v_count;
    double *dq = lb_make_numbers(n * n), *dv = lb_make_numbers(n * n), *dt = lb_make_numbers(n * n);
    double *a = lb_make_numbers(n), *b = lb_make_numbers(n);
    lb_derivative_work *scratch = lb_create_derivative_work(t.model);
    for (int driven = 0; driven < 2; ++driven) {
        lb_expect_ok(lb_set_hinge_driven(t.model, t.work, 0, driven));
        memcpy(a, t.a, n * sizeof *a);
        lb_expect_ok(lb_compute_forward_derivatives(t.model, t.work, scratch, t.q, t.v, t.tau, a,
                                                    dq, dv, dt));
        memcpy(b, t.a, n * sizeof *b);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, b));
        lb_expect_close("accelerations", a, b, (int)n, 1e-13);
        // accelerations are linear in tau
        for (size_t j = 0; j < n; ++j) {
            t.tau[j] += 1.0;
            memcpy(b, t.a, n * sizeof *b);
            lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, b));
            t.tau[j] -= 1.0;
            for (size_t i = 0; i < n; ++i) {
                assert_true(fabs(b[i] - a[i] - dt[i * n + j]) < 1e-9 * (1.0 + fabs(a[i])));
            }
        }
    }
    lb_destroy_derivative_work(scratch);
    free(dq);
    free(dv);
    free(dt);
    free(a);
    free(b);
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mimic_hinges_move_together),
        cmocka_unit_test(what_knows_the_tree_alone_refuses_the_rest),
        cmocka_unit_test(every_algorithm_takes_locks_and_drives),
        cmocka_unit_test(derivatives_take_what_forward_dynamics_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
