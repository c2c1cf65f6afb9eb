// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the field of a point mass: in a laboratory against differences, in orbit against those of
// the exact field at every mass.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "limber/spatial.h"

// Derivatives at the state of a trial.
static void differentiate(lb_trial *t, const lb_oblate_gravity *field, double *dtau, double *power)
{
    const size_t n = (size_t)t->v_count;
    memset(dtau, 0, n * n * sizeof *dtau);
    memset(power, 0, 2 * n * sizeof *power);
    lb_expect_ok(lb_compute_inverse_derivatives(t->model, t->work, t->derivatives, t->q, t->v, t->a,
                                                NULL, NULL, NULL, NULL));
    lb_expect_ok(lb_apply_oblate_gravity_derivatives(t->model, t->work, t->derivatives, field, dtau,
                                                     power, power + n));
}

// Central differences of the eighth order of tau and power; returns the largest of tau.
static double difference(lb_trial *t, const lb_oblate_gravity *field, double h, double *dtau,
                         double *power)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)t->v_count, nq = (size_t)t->q_count;
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *step = lb_make_numbers(n);
    double *tau = lb_make_numbers(n), largest = 0.0;
    memset(dtau, 0, n * n * sizeof *dtau);
    memset(power, 0, 2 * n * sizeof *power);
    for (size_t j = 0; j < 2 * n; ++j) {
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0, size = sign * h * (side / 2 + 1);
            const double weight = sign * weights[side / 2] / h;
            memset(step, 0, n * sizeof *step);
            memset(tau, 0, n * sizeof *tau);
            memcpy(v, t->v, n * sizeof *v);
            (j < n ? step : v)[j % n] += size;
            lb_integrate_configuration(t->model, t->q, step, q);
            double P, energy;
            lb_expect_ok(lb_compute_kinematics(t->model, t->work, q, v, NULL));
            lb_expect_ok(lb_apply_oblate_gravity(t->model, t->work, field, tau, &P, &energy));
            for (size_t i = 0; j < n && i < n; ++i) {
                dtau[i * n + j] += weight * tau[i];
                largest = fmax(largest, fabs(tau[i]));
            }
            power[j] += weight * P;
        }
    }
    free(q);
    free(v);
    free(step);
    free(tau);
    return largest;
}

// Some ten metres away, of every fidelity, with hinges at nodes that deform.
static void they_agree_with_differences(void **state)
{
    (void)state;
    int flexible[3] = {0};
    for (int i = 0; i < 90; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        options.mixed_fidelity = i % 10 == 9;
        options.second_order = options.second_order && options.fidelity == LB_FIDELITY_CONSISTENT &&
                               !options.mixed_fidelity;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *space = lb_make_numbers(2 * n * n + 4 * n + 1);
        double *dtau = space, *seen = dtau + n * n, *power = seen + n * n,
               *power_seen = power + 2 * n;
        // of a planet that is round, or very oblate
        const lb_oblate_gravity field = {.point = {400.0, {25.0, -19.0, 16.0}, i % 4 != 0},
                                         .j2 = i % 3 ? 0.7 : 0.0,
                                         .radius = 20.0,
                                         .axis = {0.48, -0.64, 0.6}};
        const double tau = difference(&t, &field, 1e-2, seen, power_seen);
        differentiate(&t, &field, dtau, power);
        // 1e-10: steps of 1e-2, h^8 f(9) / 630 of functions that change over 30 m and over a radian; bodies
        // have up to nine hinges between them and the ground
        lb_expect_within("dtau/dq", dtau, seen, n * n, 1e-10 * tau);
        double speed = 1.0;
        for (size_t j = 0; j < n; ++j) {
            speed = fmax(speed, fabs(t.v[j]));
        }
        lb_expect_within("dP", power, power_seen, 2 * n, 1e-10 * (double)(n + 1) * tau * speed);
        flexible[options.fidelity] += options.mode_max > 0;
        free(space);
        lb_end_trial(&t);
    }
    for (int i = 0; i < 3; ++i) {
        assert_true(flexible[i] >= 10);
    }
}

// The exact field at each mass as loads at nodes whose components follow the place:
//
//     dtau = J' g' J m + (J' m g with g held)',   g' = -mu / d^3 (I - 3 e e')
static void add_exact_field(lb_trial *t, const lb_point_gravity *field, double *dtau)
{
    const size_t n = (size_t)t->v_count;
    double *J = lb_make_numbers(6 * n);
    for (int b = 0; b < t->body_count; ++b) {
        const lb_scene_flex *flex = t->scene->bodies[b].flex;
        for (int k = 0; k < flex->options.node_count; ++k) {
            lb_node_motion node;
            const lb_node_derivatives out = {.size = sizeof out, .pose_dq = J};
            lb_node_force load = {.body = b, .node = k + 1, .axes = LB_AXES_WORLD};
            lb_expect_ok(lb_compute_node_motion(t->model, t->work, b, k + 1, &node));
            const lb_vec3 from =
                lb_vec3_sub(lb_vec3_from(node.position), lb_vec3_from(field->position));
            const double d = lb_vec3_norm(from),
                         scale = flex->nodes[k].mass * field->mu / (d * d * d);
            lb_vec3_to(lb_vec3_scale(-scale, from), load.force + 3);
            lb_expect_ok(
                lb_apply_node_force_derivatives(t->model, t->work, t->derivatives, 1, &load, dtau));
            lb_expect_ok(
                lb_compute_node_derivatives(t->model, t->work, t->derivatives, b, k + 1, &out));
            for (size_t j = 0; j < n; ++j) {
                const lb_vec3 x = {J[3 * n + j], J[4 * n + j], J[5 * n + j]};
                const double along = lb_vec3_dot(from, x) / (d * d);
                const lb_vec3 g = lb_vec3_scale(-scale, lb_vec3_axpy(x, -3.0 * along, from));
                for (size_t i = 0; i < n; ++i) {
                    dtau[i * n + j] += g.x * J[3 * n + i] + g.y * J[4 * n + i] + g.z * J[5 * n + i];
                }
            }
        }
    }
    free(J);
}

// Bodies of some metres at 7000 km, and mu / d^3 = 1: what the inertia of bodies adds is of the order of one,
// of which terms of third order are some 1e-6, and the uniform part, 7e6 times as large, loses 1e-8.
static void in_orbit_they_are_those_of_the_exact_field_at_every_mass(void **state)
{
    (void)state;
    const double d = 7e6;
    for (int i = 0; i < 60; ++i) {
        lb_tree_options options = lb_get_flexible_tree(i);
        options.rigid_percent = 0;
        options.rotary_inertia = 0;
        options.mode_min = options.mode_min > 0 ? options.mode_min : 1;
        options.mode_max =
            options.mode_max > options.mode_min ? options.mode_max : options.mode_min;
        options.second_order = i % 2;
        options.free_free = i / 2 % 2;
        options.fidelity = LB_FIDELITY_CONSISTENT;
        options.mixed_fidelity = 0;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *space = lb_make_numbers(3 * n * n + 2 * n + 1);
        double *dtau = space, *plain = dtau + n * n, *exact = plain + n * n, *power = exact + n * n;
        lb_point_gravity field = {d * d * d, {0.6 * d, -0.48 * d, 0.64 * d}, false};
        differentiate(&t, &(lb_oblate_gravity){.point = field}, plain, power);
        field.gradient = true;
        differentiate(&t, &(lb_oblate_gravity){.point = field}, dtau, power);
        add_exact_field(&t, &field, exact);
        double effect = 0.0;
        for (size_t k = 0; k < n * n; ++k) {
            effect = fmax(effect, fabs(dtau[k] - plain[k]));
        }
        lb_expect_within("dtau/dq", dtau, exact, n * n, 1e-4 * effect + 1e-6);
        free(space);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_agree_with_differences),
        cmocka_unit_test(in_orbit_they_are_those_of_the_exact_field_at_every_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
