// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a regulator asks of hinges at a sample.
#include <string.h>

#include "control/regulator.h"
#include "dynamics/tree/tree.h"
#include "limber/dynamics.h"

// Accelerations to ask for                                                              (CTL-13)
//
//     u = xdd_d - G [x - x_d; eta - eta_s; xd - xd_d; eta_dot],   K eta_s = -(M_fh xdd_d + c_f) at eta = 0
//
// given     eta_s  the deflection that the desired acceleration and gravity ask for
lb_status lb_regulate(const lb_regulator *r, lb_plan *plan, const lb_controller *c, double *wanted)
{
    const int m = r->hinge_count, n = r->mode_count, half = m + n;
    // modal forces at rest, undeformed
    memcpy(plan->q0, plan->q, (size_t)plan->q_count * sizeof *plan->q0);
    memset(plan->v0, 0, (size_t)plan->v_count * sizeof *plan->v0);
    memset(r->scratch, 0, (size_t)plan->v_count * sizeof *r->scratch);
    for (int i = 0; i < n; ++i) {
        plan->q0[r->mode_q[i]] = 0.0;
    }
    for (int i = 0; i < m; ++i) {
        r->scratch[plan->v_at[i]] = c->desired[2][i];
    }
    const lb_status status =
        lb_tree_inverse(plan->model, plan->work, plan->q0, plan->v0, r->scratch, plan->a_sum);
    if (status < 0) {
        return status;
    }
    for (int i = 0; i < n; ++i) {
        r->deflection[i] = plan->q[r->mode_q[i]];
        for (int j = 0; j < n; ++j) {
            r->deflection[i] += r->softness[i * n + j] * plan->a_sum[r->modes[j]];
        }
    }
    for (int i = 0; i < m; ++i) {
        const double *g = r->gains + 2 * i * half;
        wanted[i] = c->desired[2][i];
        for (int j = 0; j < m; ++j) {
            wanted[i] -= g[j] * (c->position[j] - c->desired[0][j]) +
                         g[half + j] * (c->speed[j] - c->desired[1][j]);
        }
        for (int j = 0; j < n; ++j) {
            wanted[i] -= g[m + j] * r->deflection[j] + g[half + m + j] * plan->v[r->modes[j]];
        }
    }
    return LB_OK;
}
