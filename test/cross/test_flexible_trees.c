// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Random trees of bodies with 0 to 30 modes: every road through the equations of motion leads to
// the same accelerations.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"

// Trees with many modes: few bodies, all shapes and fidelities. Modes of thirty random shapes on 14
// nodes are far from orthogonal: cond(M) reaches 1e6.
static lb_tree_options lb_get_modal_tree(int n)
{
    lb_tree_options options = lb_get_flexible_tree(n);
    options.body_count = 1 + n % 5;
    options.mode_min = n % 4 == 3 ? 30 : 0;
    options.mode_max = 30;
    options.mixed_fidelity = n / 8 % 2;
    return options;
}

static void solve_unsplit(lb_trial *t, const double *tau, double *a)
{
    double *scratch = lb_make_numbers(lb_count_unsplit_scratch(t->model));
    lb_expect_ok(lb_tree_unsplit(t->model, t->work, t->q, t->v, tau, scratch, a));
    free(scratch);
}

static void articulated_composite_and_unsplit_undo_inverse(void **state)
{
    (void)state;
    for (int i = 0; i < 80; ++i) {
        const lb_tree_options options = lb_get_modal_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *tau = lb_make_numbers(n), *x = lb_make_numbers(n), *M = lb_make_numbers(n * n);
        lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, tau));
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, x));
        // 1e-9: cond(M) up to 1e6
        lb_expect_close("articulated", x, t.a, n, 1e-9);
        lb_expect_ok(lb_tree_composite(t.model, t.work, t.q, t.v, tau, M, x));
        lb_expect_close("composite", x, t.a, n, 1e-9);
        solve_unsplit(&t, tau, x);
        lb_expect_close("unsplit", x, t.a, n, 1e-9);
        free(tau);
        free(x);
        free(M);
        lb_end_trial(&t);
    }
}

static void split_form_is_the_unsplit_one_on_small_trees(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.mixed_fidelity = i / 8 % 2;
        lb_trial t = lb_begin_trial(&options, (uint64_t)(1000 + i));
        const size_t n = (size_t)t.v_count;
        double *x = lb_make_numbers(n);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        solve_unsplit(&t, t.tau, x);
        // 1e-11: cond(M) up to 1e4
        lb_expect_close("accelerations", t.a, x, n, 1e-11);
        free(x);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(articulated_composite_and_unsplit_undo_inverse),
        cmocka_unit_test(split_form_is_the_unsplit_one_on_small_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
