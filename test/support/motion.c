// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lb_move_state(const lb_model *model, const double *q, const double *v, const double *a,
                   double h, double *q_out, double *v_out)
{
    const int n = lb_get_v_count(model);
    double *dv = lb_make_numbers((size_t)n);
    for (int i = 0; i < n; ++i) {
        dv[i] = h * v[i] + 0.5 * h * h * a[i];
        v_out[i] = v[i] + h * a[i];
    }
    lb_integrate_configuration(model, q, dv, q_out);
    free(dv);
}

void lb_integrate_motion(const lb_model *model, lb_work *work, double duration, int step_count,
                         double *q, double *v)
{
    // q and v as one vector x = (q, v)
    const int nq = lb_get_q_count(model), nv = lb_get_v_count(model), n = nq + nv;
    const double h = duration / step_count;
    const double weight[4] = {h / 6, h / 3, h / 3, h / 6}, reach[4] = {0, h / 2, h / 2, h};
    double *memory = lb_make_numbers(4 * (size_t)n);
    double *x0 = memory, *x = x0 + n, *rate = x + n, *sum = rate + n;
    memcpy(x0, q, (size_t)nq * sizeof *q);
    memcpy(x0 + nq, v, (size_t)nv * sizeof *v);
    for (int step = 0; step < step_count; ++step) {
        memcpy(sum, x0, (size_t)n * sizeof *sum);
        for (int stage = 0; stage < 4; ++stage) {
            for (int i = 0; i < n; ++i) {
                x[i] = x0[i] + reach[stage] * (stage > 0 ? rate[i] : 0.0);
            }
            // rates are taken at the normalised state: a smooth field that agrees with the motion
            // where quaternions are unit, so the order of the method is kept
            assert_int_equal(lb_normalize_configuration(model, 0.5, x, NULL), LB_OK);
            assert_int_equal(lb_compute_forward_dynamics(model, work, x, x + nq, NULL, rate + nq),
                             LB_OK);
            lb_compute_configuration_rate(model, x, x + nq, rate);
            for (int i = 0; i < n; ++i) {
                sum[i] += weight[stage] * rate[i];
            }
        }
        memcpy(x0, sum, (size_t)n * sizeof *sum);
        assert_int_equal(lb_normalize_configuration(model, 0.5, x0, NULL), LB_OK);
    }
    memcpy(q, x0, (size_t)nq * sizeof *q);
    memcpy(v, x0 + nq, (size_t)nv * sizeof *v);
    free(memory);
}

// energy, linear momentum, angular momentum about the world's origin
static void lb_measure(const lb_model *model, lb_work *work, const double *q, const double *v,
                       double out[7], double *size)
{
    double kinetic, potential;
    lb_system_motion motion;
    lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
    lb_expect_ok(lb_compute_energy(model, work, &kinetic, &potential));
    lb_expect_ok(lb_compute_system_motion(model, work, &motion));
    out[0] = kinetic + potential;
    memcpy(out + 1, motion.linear, sizeof motion.linear);
    memcpy(out + 4, motion.angular_world, sizeof motion.angular_world);
    *size = 1.0 + kinetic + fabs(potential);
}

void lb_expect_conserved(lb_trial *t, double duration, int count)
{
    double *q = lb_make_numbers((size_t)t->q_count), *v = lb_make_numbers((size_t)t->v_count);
    double start[7], end[7], size, error = HUGE_VAL, bound = 0.0;
    lb_measure(t->model, t->work, t->q, t->v, start, &size);
    // round-off: some thousand steps of a few relative 1e-16 each, partly adding up
    const double floor = 1e-12 * size;
    for (int i = 0; i <= 10 && error > floor; ++i) {
        double now;
        memcpy(q, t->q, (size_t)t->q_count * sizeof *q);
        memcpy(v, t->v, (size_t)t->v_count * sizeof *v);
        lb_integrate_motion(t->model, t->work, duration, 16 << i, q, v);
        lb_measure(t->model, t->work, q, v, end, &now);
        error = 0.0;
        for (int j = 0; j < count; ++j) {
            error = fmax(error, fabs(end[j] - start[j]));
        }
        const double scaled = error * pow(16.0, i);
        if (i < 3) {
            bound = fmax(bound, scaled);
        } else if (error > 5.0 * floor) {
            // 4: coarse steps may lie before the asymptotic range, or profit from a change of sign
            lb_expect_below("error / h^4", scaled, 4.0 * bound);
        }
    }
    lb_expect_below("final error", error, floor);
    free(q);
    free(v);
}
