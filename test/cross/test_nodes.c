// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes: Jacobians, their rates, admittances and the axes that they are written in, by two roads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/tree/tree.h"

// y = diag(R', R') x for a spatial vector, R from a quaternion: world axes to local ones.
static void lb_turn_back(const double rotation[4], const double x[6], double y[6])
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(rotation));
    for (int i = 0; i < 6; i += 3) {
        lb_vec3_to(lb_mat3_tmul_vec(&R, lb_vec3_from(x + i)), y + i);
    }
}

// J a of a 6 x n matrix.
static void lb_multiply(const double *J, const double *a, int n, double out[6])
{
    for (int r = 0; r < 6; ++r) {
        out[r] = 0.0;
        for (int j = 0; j < n; ++j) {
            out[r] += J[r * n + j] * a[j];
        }
    }
}

static void lb_expect_node(lb_trial *t, int body, int node)
{
    const int n = t->v_count;
    double *J = lb_make_numbers(6 * (size_t)n);
    double *MJ = lb_make_numbers(6 * (size_t)n);
    lb_node_motion motion, frame;
    lb_expect_ok(lb_compute_node_motion(t->model, t->work, body, node, &motion));
    lb_expect_ok(lb_compute_node_motion(t->model, t->work, body, 0, &frame));
    const double identity[4] = {1, 0, 0, 0};
    const double *turns[] = {identity, frame.rotation, motion.rotation};
    const lb_axes axes[] = {LB_AXES_WORLD, LB_AXES_BODY, LB_AXES_NODE};

    for (int i = 0; i < 3; ++i) {
        double expected[6], got[6], rate[6], admittance[36], product[36] = {0};
        // J v is the velocity, in these axes
        lb_expect_ok(lb_compute_jacobian(t->model, t->work, body, node, axes[i], J));
        lb_multiply(J, t->v, n, got);
        lb_turn_back(turns[i], motion.velocity, expected);
        // 1e-13 for each of n columns of order 1; a velocity may be zero
        lb_expect_within("J v", got, expected, 6, 1e-13 * (1 + n));

        // J a + dJ/dt v is the acceleration, in these axes
        lb_expect_ok(lb_compute_jacobian_rate(t->model, t->work, body, node, axes[i], rate));
        lb_multiply(J, t->a, n, got);
        for (int r = 0; r < 6; ++r) {
            got[r] += rate[r];
        }
        lb_turn_back(turns[i], motion.acceleration, expected);
        // likewise, for accelerations up to some hundred
        lb_expect_within("J a + dJ v", got, expected, 6, 1e-11 * (1 + n));

        // J M^-1 J' with M^-1 applied to the rows of J
        lb_expect_ok(lb_compute_admittance(t->model, t->work, body, node, axes[i], admittance));
        for (int r = 0; r < 6; ++r) {
            lb_expect_ok(lb_solve_mass_matrix(t->model, t->work, J + r * n, MJ + r * n));
            for (int s = 0; s < 6; ++s) {
                for (int j = 0; j < n; ++j) {
                    product[6 * s + r] += J[s * n + j] * MJ[r * n + j];
                }
            }
        }
        // 1e-12: the same recursion in another order, cond(M) common to both; a node that cannot
        // move has none, so the scale is at least 1
        double size = 1.0;
        for (int r = 0; r < 36; ++r) {
            size = fmax(size, fabs(product[r]));
        }
        lb_expect_within("admittance", admittance, product, 36, 1e-12 * size);
    }
    free(J);
    free(MJ);
}

static void node_read_outs_agree(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        for (int k = 0; k < t.body_count; ++k) {
            lb_expect_node(&t, k, lb_draw_index(&t.random, LB_SCENE_NODE_COUNT));
        }
        lb_end_trial(&t);
    }
}

// The admittance means what it says: a force at a node changes the node's acceleration by it.
static void admittance_is_acceleration_per_force(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int n = t.v_count, body = lb_draw_index(&t.random, t.body_count);
        double *J = lb_make_numbers(6 * (size_t)n), *tau = lb_make_numbers((size_t)n);
        double admittance[36], f[6], expected[6], change[6];
        lb_node_motion before, after;
        lb_draw_vector(&t.random, 6, 1.0, f);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_node_motion(t.model, t.work, body, 1, &before));
        lb_expect_ok(lb_compute_jacobian(t.model, t.work, body, 1, LB_AXES_WORLD, J));
        lb_expect_ok(lb_compute_admittance(t.model, t.work, body, 1, LB_AXES_WORLD, admittance));
        memcpy(tau, t.tau, (size_t)n * sizeof *tau);
        for (int r = 0; r < 6; ++r) {
            for (int j = 0; j < n; ++j) {
                tau[j] += J[r * n + j] * f[r];
            }
        }
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, t.a));
        lb_expect_ok(lb_compute_node_motion(t.model, t.work, body, 1, &after));
        double size = 1.0;
        for (int r = 0; r < 6; ++r) {
            expected[r] = 0.0;
            for (int s = 0; s < 6; ++s) {
                expected[r] += admittance[6 * r + s] * f[s];
            }
            change[r] = after.acceleration[r] - before.acceleration[r];
            size += after.acceleration[r] * after.acceleration[r];
        }
        // two accelerations of this size, each with 1e-12 for cond(M) up to 1e4, subtracted
        for (int r = 0; r < 6; ++r) {
            lb_expect_below("change", change[r] - expected[r], 1e-11 * size);
        }
        free(J);
        free(tau);
        lb_end_trial(&t);
    }
}

// Read-outs tell of the state and the accelerations, whichever call led there.
static void read_outs_do_not_depend_on_the_call_that_led_there(void **state)
{
    (void)state;
    enum { FORWARD, COMPOSITE, HYBRID, INVERSE, CALL_COUNT };
    for (int i = 0; i < 120; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count, forces = 6 * (size_t)t.body_count;
        double *M = lb_make_numbers(n * n), *tau = lb_make_numbers(n);
        double *reactions = lb_make_numbers(forces), *expected = lb_make_numbers(forces);
        lb_work *fresh = lb_create_work(t.model);
        assert_non_null(fresh);
        const int body = lb_draw_index(&t.random, t.body_count);
        for (int call = 0; call < CALL_COUNT; ++call) {
            unsigned char driven[9] = {0};
            memcpy(tau, t.tau, n * sizeof *tau);
            lb_status status = LB_OK;
            switch (call) {
            case FORWARD:
                status = lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, tau, t.a);
                break;
            case COMPOSITE:
                status = lb_tree_composite(t.model, t.work, t.q, t.v, tau, M, t.a);
                break;
            case HYBRID:
                driven[body] = driven[0] = 1;
                status = lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, tau, t.a);
                break;
            default:
                status = lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, tau);
            }
            lb_expect_ok(status);

            // against kinematics alone, in another workspace
            lb_node_motion motion, plain;
            double rate[6], plain_rate[6], energy[2], plain_energy[2];
            lb_system_motion system, plain_system;
            lb_expect_ok(lb_compute_kinematics(t.model, fresh, t.q, t.v, t.a));
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, body, 1, &motion));
            lb_expect_ok(lb_compute_node_motion(t.model, fresh, body, 1, &plain));
            lb_expect_ok(lb_compute_jacobian_rate(t.model, t.work, body, 1, LB_AXES_WORLD, rate));
            lb_expect_ok(
                lb_compute_jacobian_rate(t.model, fresh, body, 1, LB_AXES_WORLD, plain_rate));
            lb_expect_ok(lb_compute_energy(t.model, t.work, &energy[0], &energy[1]));
            lb_expect_ok(lb_compute_energy(t.model, fresh, &plain_energy[0], &plain_energy[1]));
            lb_expect_ok(lb_compute_system_motion(t.model, t.work, &system));
            lb_expect_ok(lb_compute_system_motion(t.model, fresh, &plain_system));
            // positions and velocities: the same operations
            lb_expect_close("position", motion.position, plain.position, 3, 0.0);
            lb_expect_close("rotation", motion.rotation, plain.rotation, 4, 0.0);
            lb_expect_close("velocity", motion.velocity, plain.velocity, 6, 0.0);
            // 1e-14: inertias of flexible bodies come from the hot path or from a read-out, and the
            // two may be compiled for different instructions
            lb_expect_close("energy", energy, plain_energy, 2, 1e-14);
            lb_expect_close("momentum", system.angular_world, plain_system.angular_world, 3, 1e-14);
            // accelerations up to some hundred, summed in another order
            lb_expect_within("rate", rate, plain_rate, 6, 1e-12);
            lb_expect_within("acceleration", motion.acceleration, plain.acceleration, 6, 1e-11);

            // reactions, against inverse dynamics of the same accelerations; forces up to 1e3
            lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, reactions));
            lb_expect_ok(lb_compute_inverse_dynamics(t.model, fresh, t.q, t.v, t.a, tau));
            lb_expect_ok(lb_compute_reactions(t.model, fresh, NULL, expected));
            lb_expect_within("reactions", reactions, expected, forces, 1e-10);
        }
        lb_destroy_work(fresh);
        free(M);
        free(tau);
        free(reactions);
        free(expected);
        lb_end_trial(&t);
    }
}

static void ground_nodes_stand_still(void **state)
{
    (void)state;
    const lb_tree_options options = lb_get_small_tree(5);
    lb_trial t = lb_begin_trial(&options, 0);
    const double still[6] = {0};
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    for (int node = 0; node < LB_SCENE_NODE_COUNT; ++node) {
        lb_node_motion motion;
        lb_expect_ok(lb_compute_node_motion(t.model, t.work, LB_GROUND, node, &motion));
        lb_expect_close("position", motion.position, t.scene->ground[node].position, 3, 0.0);
        lb_expect_close("velocity", motion.velocity, still, 6, 0.0);
        lb_expect_close("acceleration", motion.acceleration, still, 6, 0.0);
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
        const lb_mat3 R0 = lb_quat_to_mat3(lb_quat_from(t.scene->ground[node].rotation));
        // a quaternion to a matrix and back: a few roundings
        lb_expect_close("rotation", &R.m[0][0], &R0.m[0][0], 9, 1e-14);
    }
    lb_end_trial(&t);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_read_outs_agree),
        cmocka_unit_test(admittance_is_acceleration_per_force),
        cmocka_unit_test(read_outs_do_not_depend_on_the_call_that_led_there),
        cmocka_unit_test(ground_nodes_stand_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
