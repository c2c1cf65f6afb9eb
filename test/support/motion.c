// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "motion.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

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
