// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of force elements against differences of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "simulate/forces/force_set.h"

// Every kind of element on every hinge and body of a tree that can have it.
static void write_forces(const lb_model *model, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "forces:\n");
    int number = 0;
#define ADD(...)                                                                                   \
    do {                                                                                           \
        used += (size_t)snprintf(text + used, size - used, "- {name: f%d, ", number++);            \
        used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);                           \
    } while (0)
    for (int b = 0; b < lb_get_body_count(model); ++b) {
        const lb_hinge_type type = lb_get_hinge(model, b).type;
        const bool plain = type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE;
        for (int i = 0; i < lb_get_hinge(model, b).v_count; ++i) {
            if (plain) {
                ADD("type: spring, hinge: b%d.%d, stiffness: 3, rest: 20 deg}\n", b, i);
                // wide, so that it is smooth on the scale of the differences
                ADD("type: stop, hinge: b%d.%d, lower: -0.4, upper: 0.3, stiffness: 20, "
                    "damping: "
                    "1, width: 0.9}\n",
                    b, i);
            }
            ADD("type: damper, hinge: b%d.%d, damping: 0.7}\n", b, i);
            ADD("type: friction, hinge: b%d.%d, coulomb: 2, viscous: 0.1, speed: 0.8}\n", b, i);
            ADD("type: motor, hinge: b%d.%d, value: 2*sin(t), limits: [-1, 1.5], max_speed: "
                "9}\n",
                b, i);
            ADD("type: motor, hinge: b%d.%d, value: 4, max_power: 1.3}\n", b, i);
        }
        ADD("type: motor, hinge: b%d.0, value: 3*sin(b0/n1.position.x) - b0/n1.velocity.z}\n",
            lb_get_hinge(model, b).v_count ? b : 0);
        ADD("type: spring, between: [b%d/n1, %s], stiffness: 5, length: 0.5}\n", b,
            b % 2 ? "ground/n2" : "b0");
        ADD("type: damper, between: [b%d/n2, b0/n1], damping: 2}\n", b);
        ADD("type: force, at: b%d/n1, axes: %s, value: [1, t, -2]}\n", b,
            b % 3 == 0   ? "world"
            : b % 3 == 1 ? "body"
                         : "node");
        ADD("type: torque, at: b%d/n2, axes: %s, value: [3, 1, 0.5]}\n", b,
            b % 3 == 1   ? "world"
            : b % 3 == 2 ? "body"
                         : "node");
    }
    ADD("type: gravity-point, mu: 400, position: [9, -8, 7]}\n");
    ADD("type: force, at: b0/n1, value: [b0/n1.position.y, -b0/n1.velocity.x, 1]}\n");
#undef ADD
}

typedef enum direction { ALONG_Q, ALONG_V } direction;

// Central differences of the eighth order of tau and powers, rows as in the answer.
static void difference(lb_rig *rig, double t, direction along, double *dtau, double *power)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const double h = 5e-4;
    const size_t n = (size_t)rig->v_count, nq = (size_t)rig->q_count;
    const int count = lb_get_force_count(rig->forces);
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *step = lb_make_numbers(n);
    memcpy(q, rig->q, nq * sizeof *q);
    memcpy(v, rig->v, n * sizeof *v);
    memset(dtau, 0, n * n * sizeof *dtau);
    memset(power, 0, (size_t)count * n * sizeof *power);
    for (size_t j = 0; j < n; ++j) {
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0, size = sign * h * (side / 2 + 1);
            if (along == ALONG_Q) {
                memset(step, 0, n * sizeof *step);
                step[j] = size;
                lb_integrate_configuration(rig->model, q, step, rig->q);
            } else {
                rig->v[j] = v[j] + size;
            }
            lb_expect_ok(lb_evaluate_rig(rig, t));
            for (size_t i = 0; i < n; ++i) {
                dtau[i * n + j] += sign * weights[side / 2] / h * rig->tau[i];
            }
            for (int f = 0; f < count; ++f) {
                power[(size_t)f * n + j] +=
                    sign * weights[side / 2] / h * lb_get_force_info(rig->forces, f).power;
            }
        }
        memcpy(rig->q, q, nq * sizeof *q);
        memcpy(rig->v, v, n * sizeof *v);
    }
    free(q);
    free(v);
    free(step);
}

// Where a kink is near, differences across it say nothing: distance of the state from all kinks of the
// elements of write_forces, in speeds and coordinates.
static bool is_near_kink(const lb_rig *rig)
{
    bool near = false;
    for (int b = 0; b < rig->body_count; ++b) {
        const lb_hinge_type type = lb_get_hinge(rig->model, b).type;
        const int modes = lb_get_mode_count(rig->model, b);
        const int iv = lb_get_v_offset(rig->model, b) + modes;
        const int iq = lb_get_q_offset(rig->model, b) + modes;
        for (int i = 0; i < lb_get_hinge(rig->model, b).v_count; ++i) {
            const double v = rig->v[iv + i];
            // motors: v = 0, power 1.3 = 4 v; limits 1.5 (1 - v/9) = 2 sin(1) never
            near = near || fabs(v) < 0.02 || fabs(v - 1.3 / 4) < 0.02;
            if (type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE) {
                const double q = rig->q[iq + i];
                const double d = fmax(-0.4 - q, q - 0.3);
                // the bound, the end of the ramp, and where damping would pull
                near = near || fabs(d) < 0.02 || fabs(d - 0.9) < 0.02;
            }
        }
    }
    return near;
}

static void elements_agree_with_differences(void **state)
{
    (void)state;
    static char text[65536];
    int tried = 0;
    int fidelities[3] = {0};
    for (int i = 0; i < 240 && tried < 60; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.fidelity = (lb_fidelity)(i / 2 % 3);
        options.mixed_fidelity = i % 10 == 9;
        lb_trial trial = lb_begin_trial(&options, (uint64_t)i);
        write_forces(trial.model, text, sizeof text);
        if (lb_get_hinge(trial.model, 0).v_count == 0) {
            lb_end_trial(&trial); // a motor needs a hinge that moves
            continue;
        }
        lb_rig rig = lb_begin_rig(text, lb_build_scene(trial.scene));
        memcpy(rig.q, trial.q, (size_t)trial.q_count * sizeof *trial.q);
        memcpy(rig.v, trial.v, (size_t)trial.v_count * sizeof *trial.v);
        if (!is_near_kink(&rig)) {
            ++tried;
            ++fidelities[options.fidelity];
            const double t = 1.0;
            const size_t n = (size_t)rig.v_count;
            const size_t rows = (size_t)lb_get_force_count(rig.forces) * n;
            double *numbers = lb_make_numbers(4 * n * n + 4 * rows);
            double *dq = numbers, *dv = dq + n * n, *dq_seen = dv + n * n;
            double *dv_seen = dq_seen + n * n, *pq = dv_seen + n * n, *pv = pq + rows;
            double *pq_seen = pv + rows, *pv_seen = pq_seen + rows;
            difference(&rig, t, ALONG_Q, dq_seen, pq_seen);
            difference(&rig, t, ALONG_V, dv_seen, pv_seen);
            lb_expect_ok(lb_evaluate_rig(&rig, t));
            double power = lb_get_force_info(rig.forces, 0).power;
            lb_expect_ok(lb_compute_inverse_derivatives(rig.model, rig.work, trial.derivatives,
                                                        rig.q, rig.v, NULL, NULL, NULL, NULL,
                                                        NULL));
            lb_expect_ok(lb_compute_force_derivatives(rig.forces, rig.model, rig.work,
                                                      trial.derivatives, t, rig.q, rig.v, dq, dv,
                                                      pq, pv));
            // 1e-9: forces of order 10, differences of h^8 and 1e-16 / h
            lb_expect_close("dtau/dq", dq, dq_seen, n * n, 1e-9);
            lb_expect_close("dtau/dv", dv, dv_seen, n * n, 1e-9);
            lb_expect_close("dP/dq", pq, pq_seen, rows, 1e-9);
            lb_expect_close("dP/dv", pv, pv_seen, rows, 1e-9);
            // without powers the same
            lb_expect_ok(lb_compute_inverse_derivatives(rig.model, rig.work, trial.derivatives,
                                                        rig.q, rig.v, NULL, NULL, NULL, NULL,
                                                        NULL));
            lb_expect_ok(lb_compute_force_derivatives(rig.forces, rig.model, rig.work,
                                                      trial.derivatives, t, rig.q, rig.v, dq_seen,
                                                      dv_seen, NULL, NULL));
            assert_memory_equal(dq, dq_seen, n * n * sizeof *dq);
            assert_true(lb_get_force_info(rig.forces, 0).power == power);
            free(numbers);
        }
        lb_end_rig(&rig);
        lb_end_trial(&trial);
    }
    assert_true(tried >= 20);
    for (int i = 0; i < 3; ++i) {
        assert_true(fidelities[i] >= 10);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_agree_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
