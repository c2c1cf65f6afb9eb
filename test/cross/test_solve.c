// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// M a + c = tau by all the roads that the library has: what one does, another undoes.
#include <stdlib.h>

#include "check.h"
#include "dynamics/tree/tree.h"

static void lb_expect_roads_agree(lb_trial *t, double tolerance)
{
    const size_t n = (size_t)t->v_count;
    double *M = lb_make_numbers(n * n), *inverse = lb_make_numbers(n * n);
    double *x = lb_make_numbers(n), *y = lb_make_numbers(n), *c = lb_make_numbers(n);

    // forward undoes inverse, by both algorithms
    lb_expect_ok(lb_compute_inverse_dynamics(t->model, t->work, t->q, t->v, t->a, x));
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, x, y));
    lb_expect_close("articulated undoes inverse", y, t->a, n, tolerance);
    lb_expect_ok(lb_tree_composite(t->model, t->work, t->q, t->v, x, M, y));
    lb_expect_close("composite undoes inverse", y, t->a, n, tolerance);

    // NULL stands for zero
    lb_expect_ok(lb_compute_bias(t->model, t->work, t->q, t->v, c));
    lb_expect_ok(lb_compute_inverse_dynamics(t->model, t->work, t->q, t->v, NULL, y));
    lb_expect_close("bias is inverse at rest", y, c, n, 0.0);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, NULL, x));
    for (size_t i = 0; i < n; ++i) {
        y[i] = 0.0;
    }
    double *zero_force = lb_make_numbers(n);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, y, zero_force));
    lb_expect_close("no force is zero force", zero_force, x, n, 0.0);
    free(zero_force);

    // apply equals form: M (M^-1 b) = b with M formed and M^-1 applied
    lb_expect_ok(lb_compute_mass_matrix(t->model, t->work, t->q, M));
    lb_expect_ok(lb_compute_articulated_inertia(t->model, t->work, t->q));
    for (size_t i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (size_t j = 0; j < n; ++j) {
            y[i] += M[i * n + j] * t->a[j];
        }
    }
    lb_expect_ok(lb_solve_mass_matrix(t->model, t->work, y, x));
    lb_expect_close("solve undoes M", x, t->a, n, tolerance);
    lb_expect_ok(lb_solve_mass_matrix(t->model, t->work, y, y));
    lb_expect_close("solve in place", y, x, n, 0.0);

    // the formed inverse: symmetric, and its product with tau is the applied one
    lb_expect_ok(lb_compute_mass_matrix_inverse(t->model, t->work, t->q, inverse));
    lb_expect_ok(lb_solve_mass_matrix(t->model, t->work, t->tau, x));
    for (size_t i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (size_t j = 0; j < n; ++j) {
            y[i] += inverse[i * n + j] * t->tau[j];
        }
    }
    lb_expect_close("formed inverse times b", y, x, n, tolerance);
    double *product = lb_make_numbers(n * n), *identity = lb_make_numbers(n * n);
    for (size_t i = 0; i < n; ++i) {
        identity[i * n + i] = 1.0;
        for (size_t j = 0; j < n; ++j) {
            for (size_t r = 0; r < n; ++r) {
                product[i * n + j] += inverse[i * n + r] * M[r * n + j];
            }
        }
    }
    lb_expect_close("inverse times M", product, identity, n * n, tolerance);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            product[i * n + j] = product[j * n + i] = inverse[i * n + j];
            // M is symmetric to the last bit, since only one half is computed
            assert_true(M[i * n + j] == M[j * n + i]);
        }
        product[i * n + i] = inverse[i * n + i];
    }
    lb_expect_close("inverse is symmetric", inverse, product, n * n, tolerance);

    free(product);
    free(identity);
    free(M);
    free(inverse);
    free(x);
    free(y);
    free(c);
}

static void small_trees_agree_by_all_roads(void **state)
{
    (void)state;
    for (int i = 0; i < 600; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        // 1e-11: cond(M) up to 1e4
        lb_expect_roads_agree(&t, 1e-11);
        lb_end_trial(&t);
    }
}

static void large_trees_agree_by_all_roads(void **state)
{
    (void)state;
    for (int shape = 0; shape < LB_SHAPE_COUNT; ++shape) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 80;
        options.shape = (lb_shape)shape;
        lb_trial t = lb_begin_trial(&options, (uint64_t)shape);
        // 1e-8: chains of up to 80 bodies, cond(M) up to 1e7
        lb_expect_roads_agree(&t, 1e-8);
        lb_end_trial(&t);
    }
}

// The answer does not depend on the order in which bodies are listed.
static void listed_order_only_permutes_the_answer(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        lb_tree_options options = lb_get_small_tree(i);
        options.body_count = 7;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_scene *turned = lb_create_tree(&options, t.seed);
        const int n = t.body_count;
        // list the bodies backwards
        for (int k = 0; k < n; ++k) {
            turned->bodies[k] = t.scene->bodies[n - 1 - k];
            if (turned->bodies[k].parent != LB_GROUND) {
                turned->bodies[k].parent = n - 1 - turned->bodies[k].parent;
            }
        }
        lb_count_scene(turned);
        lb_trial u = lb_begin_scene_trial(turned, t.seed);
        for (int k = 0; k < n; ++k) {
            const lb_scene_body *from = &t.scene->bodies[n - 1 - k], *to = &turned->bodies[k];
            for (int j = 0; j < lb_scene_hinge_q_count[to->hinge.type]; ++j) {
                u.q[to->q_offset + j] = t.q[from->q_offset + j];
            }
            for (int j = 0; j < lb_scene_hinge_v_count[to->hinge.type]; ++j) {
                u.v[to->v_offset + j] = t.v[from->v_offset + j];
                u.tau[to->v_offset + j] = t.tau[from->v_offset + j];
            }
        }
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_forward_dynamics(u.model, u.work, u.q, u.v, u.tau, u.a));
        double *back = lb_make_numbers((size_t)t.v_count);
        for (int k = 0; k < n; ++k) {
            const lb_scene_body *from = &t.scene->bodies[n - 1 - k], *to = &turned->bodies[k];
            for (int j = 0; j < lb_scene_hinge_v_count[to->hinge.type]; ++j) {
                back[from->v_offset + j] = u.a[to->v_offset + j];
            }
        }
        // 1e-11: children are summed in another order, then cond(M) up to 1e4
        lb_expect_close("accelerations", back, t.a, t.v_count, 1e-11);
        free(back);
        lb_end_trial(&u);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_agree_by_all_roads),
        cmocka_unit_test(large_trees_agree_by_all_roads),
        cmocka_unit_test(listed_order_only_permutes_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
