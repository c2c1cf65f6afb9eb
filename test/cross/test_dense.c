// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The library against the dense reference of test/support: two roads that share nothing but the
// model format.
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "dense.h"
#include "dynamics/tree/tree.h"

// Everything that depends on a state, against dense sums in extended precision. `tolerance` is for
// products; accelerations lose the condition of M on top of it and get `solved`.
static void lb_compare_with_dense(lb_trial *t, double tolerance, double solved)
{
    const size_t n = (size_t)t->v_count;
    lb_dense *dense = lb_create_dense(t->scene, t->q, t->v);
    double *M = lb_make_numbers(n * n), *M_dense = lb_make_numbers(n * n);
    double *x = lb_make_numbers(n), *y = lb_make_numbers(n);
    lb_get_dense(dense, M_dense, y);

    lb_expect_ok(lb_compute_mass_matrix(t->model, t->work, t->q, M));
    lb_expect_close("mass matrix", M, M_dense, n * n, tolerance);
    lb_expect_ok(lb_compute_bias(t->model, t->work, t->q, t->v, x));
    lb_expect_close("bias", x, y, n, tolerance);

    lb_solve_dense(dense, t->tau, y);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, x));
    lb_expect_close("articulated", x, y, n, solved);
    lb_expect_ok(lb_tree_composite(t->model, t->work, t->q, t->v, t->tau, M, x));
    lb_expect_close("composite", x, y, n, solved);

    // tau = M a + c, compared with the size of its parts, which may cancel
    double size = 0.0;
    for (size_t i = 0; i < n; ++i) {
        long double sum = 0;
        for (size_t j = 0; j < n; ++j) {
            sum += dense->M[i * n + j] * t->a[j];
        }
        y[i] = (double)(sum + dense->c[i]);
        size = fmax(size, fmax(fabs((double)sum), fabs((double)dense->c[i])));
    }
    lb_expect_ok(lb_compute_inverse_dynamics(t->model, t->work, t->q, t->v, t->a, x));
    lb_expect_within("inverse", x, y, n, tolerance * size);

    // energies and momentum
    double kinetic, potential;
    lb_system_motion motion;
    lb_expect_ok(lb_compute_energy(t->model, t->work, &kinetic, &potential));
    lb_expect_near("kinetic", kinetic, (double)dense->kinetic, tolerance);
    double scale = 0.0;
    for (int k = 0; k < t->body_count; ++k) {
        scale += t->scene->bodies[k].mass * 9.81;
    }
    lb_expect_below("potential", potential - (double)dense->potential, tolerance * scale);
    lb_expect_ok(lb_compute_system_motion(t->model, t->work, &motion));
    double P[6], P_dense[6];
    for (int i = 0; i < 3; ++i) {
        P[i] = motion.linear[i];
        P[3 + i] = motion.angular_world[i];
        P_dense[i] = (double)dense->linear[i];
        P_dense[3 + i] = (double)dense->angular[i];
    }
    lb_expect_close("momentum", P, P_dense, 6, tolerance);

    free(M);
    free(M_dense);
    free(x);
    free(y);
    lb_destroy_dense(dense);
}

static void small_trees_agree_with_dense_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 300; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        // 1e-12: up to 9 bodies, some hundred roundings, and sums that cancel by a factor of 10 or
        // so; 1e-11: cond(M) up to 1e4
        lb_compare_with_dense(&t, 1e-12, 1e-11);
        lb_end_trial(&t);
    }
}

static void every_hinge_type_agrees_with_dense_sums(void **state)
{
    (void)state;
    for (int type = 0; type < LB_HINGE_TYPE_COUNT; ++type) {
        for (int i = 0; i < 10; ++i) {
            lb_tree_options options = lb_get_small_tree(i);
            options.hinges = LB_HINGE_BIT(type);
            lb_trial t = lb_begin_trial(&options, (uint64_t)(100 * type + i));
            // as above
            lb_compare_with_dense(&t, 1e-12, 1e-11);
            lb_end_trial(&t);
        }
    }
}

static void large_trees_agree_with_dense_sums(void **state)
{
    (void)state;
    for (int shape = 0; shape < LB_SHAPE_COUNT; ++shape) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 60;
        options.root_count = 2;
        options.shape = (lb_shape)shape;
        lb_trial t = lb_begin_trial(&options, (uint64_t)shape);
        // 1e-11: chains of up to 30 bodies, errors growing with the depth squared;
        // 1e-8: cond(M) up to 1e7
        lb_compare_with_dense(&t, 1e-11, 1e-8);
        lb_end_trial(&t);
    }
}

static void six_hundred_dofs_agree_with_dense_sums(void **state)
{
    (void)state;
    const lb_shape shapes[] = {LB_SHAPE_CHAIN, LB_SHAPE_WIDE};
    for (int i = 0; i < 2; ++i) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 200;
        options.shape = shapes[i];
        // three dofs each
        options.hinges = LB_HINGE_BIT(LB_HINGE_SPHERICAL) | LB_HINGE_BIT(LB_HINGE_TRANSLATIONAL) |
                         LB_HINGE_BIT(LB_HINGE_PLANAR);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        assert_int_equal(t.v_count, 600);
        // a chain 200 deep: errors grow with the depth squared; cond(M) up to 1e8
        lb_compare_with_dense(&t, 1e-11, 1e-8);
        lb_end_trial(&t);
    }
}

static void node_motion_agrees_with_dense_sums(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int n = t.v_count;
        lb_dense *dense = lb_create_dense(t.scene, t.q, t.v);
        double *J = lb_make_numbers(6 * (size_t)n), *J_dense = lb_make_numbers(6 * (size_t)n);
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, t.a));
        for (int k = 0; k < t.body_count; ++k) {
            for (int node = 0; node < LB_SCENE_NODE_COUNT; ++node) {
                double p[3], R[9], rate[6], rate_dense[6], V[6] = {0}, A[6];
                lb_node_motion motion;
                lb_get_dense_node(dense, t.scene, k, node, p, R, J_dense, rate_dense);
                lb_expect_ok(lb_compute_node_motion(t.model, t.work, k, node, &motion));
                lb_expect_ok(lb_compute_jacobian(t.model, t.work, k, node, LB_AXES_WORLD, J));
                lb_expect_ok(
                    lb_compute_jacobian_rate(t.model, t.work, k, node, LB_AXES_WORLD, rate));
                for (int r = 0; r < 6; ++r) {
                    A[r] = rate_dense[r];
                    for (int j = 0; j < n; ++j) {
                        V[r] += J_dense[r * n + j] * t.v[j];
                        A[r] += J_dense[r * n + j] * t.a[j];
                    }
                }
                const lb_mat3 turn = lb_quat_to_mat3(lb_quat_from(motion.rotation));
                // 1e-13: no more than 9 hinges, each a few dozen operations on numbers of order 1;
                // velocities and accelerations add n columns, and may be zero
                lb_expect_close("position", motion.position, p, 3, 1e-13);
                lb_expect_close("rotation", &turn.m[0][0], R, 9, 1e-13);
                assert_true(motion.rotation[0] >= 0.0);
                lb_expect_close("Jacobian", J, J_dense, 6 * n, 1e-13);
                lb_expect_within("velocity", motion.velocity, V, 6, 1e-12 * (1 + n));
                lb_expect_within("Jacobian rate", rate, rate_dense, 6, 1e-12 * (1 + n));
                lb_expect_within("acceleration", motion.acceleration, A, 6, 1e-12 * (1 + n));
            }
        }
        free(J);
        free(J_dense);
        lb_destroy_dense(dense);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_agree_with_dense_sums),
        cmocka_unit_test(every_hinge_type_agrees_with_dense_sums),
        cmocka_unit_test(large_trees_agree_with_dense_sums),
        cmocka_unit_test(six_hundred_dofs_agree_with_dense_sums),
        cmocka_unit_test(node_motion_agrees_with_dense_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
