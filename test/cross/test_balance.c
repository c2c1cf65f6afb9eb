// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Balances: power, momentum, and the forces in hinges, against rates of change along the motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "motion.h"

// Quantities whose rates are checked: total energy, linear and angular momentum.
enum { LB_QUANTITY_COUNT = 7 };

static void lb_measure(lb_trial *t, const double *q, const double *v, double out[LB_QUANTITY_COUNT])
{
    double kinetic, potential;
    lb_system_motion motion;
    lb_expect_ok(lb_compute_kinematics(t->model, t->work, q, v, NULL));
    lb_expect_ok(lb_compute_energy(t->model, t->work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(t->model, t->work, &motion));
    out[0] = kinetic + potential;
    memcpy(out + 1, motion.linear, sizeof motion.linear);
    memcpy(out + 4, motion.angular_world, sizeof motion.angular_world);
}

// Rates along the motion of forward dynamics: central differences of two widths, extrapolated.
static void lb_measure_rates(lb_trial *t, const double *a, double rates[LB_QUANTITY_COUNT])
{
    const double widths[2] = {5e-4, 2.5e-4};
    double slope[2][LB_QUANTITY_COUNT];
    double *q = lb_make_numbers((size_t)t->q_count), *v = lb_make_numbers((size_t)t->v_count);
    for (int i = 0; i < 2; ++i) {
        double after[LB_QUANTITY_COUNT], before[LB_QUANTITY_COUNT];
        lb_move_state(t->model, t->q, t->v, a, widths[i], q, v);
        lb_measure(t, q, v, after);
        lb_move_state(t->model, t->q, t->v, a, -widths[i], q, v);
        lb_measure(t, q, v, before);
        for (int j = 0; j < LB_QUANTITY_COUNT; ++j) {
            slope[i][j] = (after[j] - before[j]) / (2.0 * widths[i]);
        }
    }
    for (int j = 0; j < LB_QUANTITY_COUNT; ++j) {
        rates[j] = (4.0 * slope[1][j] - slope[0][j]) / 3.0;
    }
    free(q);
    free(v);
}

// etad' D etad: what the modal damping of a body takes.
static double lb_get_damping_power(const lb_scene_body *body, const double *v)
{
    const int n = body->hinge_v - body->v_offset;
    const double *rate = v + body->v_offset;
    double power = 0.0;
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) {
            power += rate[r] * body->flex->options.damping[r * n + s] * rate[s];
        }
    }
    return power;
}

static void energy_changes_by_the_power_of_the_forces(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double power = 0.0, size = 1.0, rates[LB_QUANTITY_COUNT];
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_measure_rates(&t, t.a, rates);
        for (int j = 0; j < t.v_count; ++j) {
            power += t.tau[j] * t.v[j];
            size = fmax(size, fabs(t.a[j]));
        }
        for (int k = 0; k < t.body_count; ++k) {
            power -= lb_get_damping_power(&t.scene->bodies[k], t.v);
        }
        // truncation: h^4 = 6e-14 times a fifth derivative, some powers of |a|; round-off: energies
        // of order 100 to 1e-16, divided by h
        lb_expect_below("power", rates[0] - power, 1e-9 * size * size);
        lb_end_trial(&t);
    }
}

// Spatial forces of the reactions, about the world's origin and in its axes, summed over roots.
static void lb_sum_root_reactions(lb_trial *t, const double *reactions, lb_vec6 *sum)
{
    *sum = lb_vec6_zero();
    for (int k = 0; k < t->body_count; ++k) {
        if (lb_get_hinge(t->model, k).parent != LB_GROUND) {
            continue;
        }
        lb_node_motion O;
        lb_expect_ok(
            lb_compute_node_motion(t->model, t->work, k, lb_get_hinge(t->model, k).node, &O));
        const lb_pose X = {lb_quat_to_mat3(lb_quat_from(O.rotation)), lb_vec3_from(O.position)};
        const double *f = reactions + 6 * k;
        const lb_vec6 force = {lb_vec3_from(f), lb_vec3_from(f + 3)};
        *sum = lb_vec6_add(*sum, lb_pose_carry_force(&X, force));
    }
}

static void root_reactions_and_gravity_change_the_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 200; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        double *reactions = lb_make_numbers(6 * (size_t)t.body_count);
        lb_vec6 ground;
        lb_system_motion motion;
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, reactions));
        lb_sum_root_reactions(&t, reactions, &ground);
        lb_expect_ok(lb_compute_system_motion(t.model, t.work, &motion));
        const lb_vec3 weight = lb_vec3_scale(motion.mass, lb_vec3_from(t.scene->gravity));
        const lb_vec3 moment = lb_vec3_cross(lb_vec3_from(motion.com), weight);
        double expected[6], rates[LB_QUANTITY_COUNT];
        lb_vec3_to(lb_vec3_add(ground.v, weight), expected);
        lb_vec3_to(lb_vec3_add(ground.w, moment), expected + 3);
        lb_measure_rates(&t, t.a, rates);
        double size = 1.0;
        for (int j = 0; j < t.v_count; ++j) {
            size = fmax(size, fabs(t.a[j]));
        }
        for (int j = 0; j < 6; ++j) {
            // as for the power
            lb_expect_below("momentum", rates[1 + j] - expected[j], 1e-9 * size * size);
        }
        free(reactions);
        lb_end_trial(&t);
    }
}

// Along its freedom a hinge carries the generalized force: tau = H' f, where H is the part of the
// Jacobian of O, in its own axes, that belongs to the hinge's own speeds.
static void reactions_along_the_freedom_are_the_generalized_forces(void **state)
{
    (void)state;
    for (int i = 0; i < 400; ++i) {
        const lb_tree_options options = lb_get_mixed_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const int n = t.v_count;
        double *reactions = lb_make_numbers(6 * (size_t)t.body_count);
        double *J = lb_make_numbers(6 * (size_t)n), *projected = lb_make_numbers((size_t)n);
        // from forward and from inverse dynamics alike
        for (int inverse = 0; inverse < 2; ++inverse) {
            if (inverse) {
                lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, t.a, t.tau));
            } else {
                lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
            }
            lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, reactions));
            for (int k = 0; k < t.body_count; ++k) {
                const lb_scene_body *body = &t.scene->bodies[k];
                lb_expect_ok(lb_compute_jacobian(t.model, t.work, k, body->by, LB_AXES_NODE, J));
                for (int j = body->v_offset; j < body->hinge_v; ++j) {
                    projected[j] = t.tau[j]; // modes have no hinge to look at
                }
                for (int j = 0; j < lb_scene_hinge_v_count[body->hinge.type]; ++j) {
                    const int column = body->hinge_v + j;
                    projected[column] = 0.0;
                    for (int r = 0; r < 6; ++r) {
                        projected[column] += J[r * n + column] * reactions[6 * k + r];
                    }
                }
            }
            // 1e-12: reactions are sums of forces up to a hundred times tau
            lb_expect_close("H' f", projected, t.tau, n, 1e-12);
        }
        free(reactions);
        free(J);
        free(projected);
        lb_end_trial(&t);
    }
}

// Fixed to the ground, at rest: the reaction carries the weight.
static void reaction_of_a_resting_body_is_its_weight(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_single_body(LB_HINGE_FIXED, 9.81, 3), 3);
    lb_expect_ok(lb_compute_inverse_dynamics(t.model, t.work, t.q, t.v, NULL, t.tau));
    double reaction[6], expected[6];
    lb_vec6 ground;
    lb_expect_ok(lb_compute_reactions(t.model, t.work, NULL, reaction));
    lb_sum_root_reactions(&t, reaction, &ground);
    lb_system_motion motion;
    lb_expect_ok(lb_compute_system_motion(t.model, t.work, &motion));
    const lb_vec3 weight = lb_vec3_scale(-t.scene->bodies[0].mass, lb_vec3_from(t.scene->gravity));
    lb_vec3_to(lb_vec3_cross(lb_vec3_from(motion.com), weight), expected);
    lb_vec3_to(weight, expected + 3);
    const double got[6] = {ground.w.x, ground.w.y, ground.w.z, ground.v.x, ground.v.y, ground.v.z};
    // a few dozen operations
    lb_expect_close("reaction", got, expected, 6, 1e-14);
    lb_end_trial(&t);
}

static void momentum_about_the_centre_of_mass_is_consistent(void **state)
{
    (void)state;
    for (int i = 0; i < 50; ++i) {
        const lb_tree_options options = lb_get_small_tree(i);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        lb_system_motion motion;
        lb_expect_ok(lb_compute_kinematics(t.model, t.work, t.q, t.v, NULL));
        lb_expect_ok(lb_compute_system_motion(t.model, t.work, &motion));

        // mass, centre and momentum again as sums over bodies, from node motions
        double mass = 0.0;
        lb_vec3 first = {0, 0, 0}, linear = {0, 0, 0}, angular = {0, 0, 0};
        for (int k = 0; k < t.body_count; ++k) {
            const lb_scene_body *body = &t.scene->bodies[k];
            lb_node_motion F;
            lb_expect_ok(lb_compute_node_motion(t.model, t.work, k, 0, &F));
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(F.rotation));
            const lb_vec3 w = lb_vec3_from(F.velocity);
            const lb_vec3 d = lb_mat3_mul_vec(&R, lb_vec3_from(body->com));
            const lb_vec3 x = lb_vec3_add(lb_vec3_from(F.position), d);
            const lb_vec3 p = lb_vec3_scale(
                body->mass, lb_vec3_add(lb_vec3_from(F.velocity + 3), lb_vec3_cross(w, d)));
            const lb_vec3 spin =
                lb_sym3_mul_vec(lb_sym3_rotate(&R, lb_sym3_from(body->inertia)), w);
            mass += body->mass;
            first = lb_vec3_axpy(first, body->mass, x);
            linear = lb_vec3_add(linear, p);
            angular = lb_vec3_add(angular, lb_vec3_add(spin, lb_vec3_cross(x, p)));
        }
        const lb_vec3 com = lb_vec3_scale(1.0 / mass, first);
        const lb_vec3 velocity = lb_vec3_scale(1.0 / mass, linear);
        const lb_vec3 about_com = lb_vec3_sub(angular, lb_vec3_cross(com, linear));
        const double expected[16] = {mass,       com.x,       com.y,       com.z,
                                     velocity.x, velocity.y,  velocity.z,  linear.x,
                                     linear.y,   linear.z,    angular.x,   angular.y,
                                     angular.z,  about_com.x, about_com.y, about_com.z};
        double got[16] = {motion.mass};
        memcpy(got + 1, motion.com, sizeof motion.com);
        memcpy(got + 4, motion.com_velocity, sizeof motion.com_velocity);
        memcpy(got + 7, motion.linear, sizeof motion.linear);
        memcpy(got + 10, motion.angular_world, sizeof motion.angular_world);
        memcpy(got + 13, motion.angular, sizeof motion.angular);
        // 1e-13: sums over at most 9 bodies
        lb_expect_close("system motion", got, expected, 16, 1e-13);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_changes_by_the_power_of_the_forces),
        cmocka_unit_test(root_reactions_and_gravity_change_the_momentum),
        cmocka_unit_test(reactions_along_the_freedom_are_the_generalized_forces),
        cmocka_unit_test(reaction_of_a_resting_body_is_its_weight),
        cmocka_unit_test(momentum_about_the_centre_of_mass_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
