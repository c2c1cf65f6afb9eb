// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How acceleration matching finds its forces.
#include "dynamics/tree/tree.h"
#include "laws.h"
#include "limber/dynamics.h"

// Acceleration matching, hinge by hinge                                                 (CTL-9)
//
//     a = M^-1 (tau + f - c)                       predicted, hinges and modes
//     tau_i += (a_i wanted - a_i) / (M^-1)_ii      corrected; then predicted anew
//
// given     tau  as it was a sample ago;  f  forces of other elements
// computes  tau; each sweep over the hinges is one of Gauss and Seidel's on a positive definite system
//
// Source: US 5,546,508, FIG. 4 and 6, claims 1, 6 (integrated state) and 7 (joint sensors). The patent
// leaves the correction to "well-known feedback control techniques".
lb_status lb_match_accelerations(lb_torque_law *own, const lb_controller *c)
{
    lb_plan *plan = own->plan;
    lb_status status = LB_OK;
    for (int sweep = 0; sweep < own->sweep_count; ++sweep) {
        for (int i = c->sample.channel_count - 1; status >= 0 && i >= 0; --i) {
            const int at = plan->v_at[i];
            status = lb_compute_plan_forward(plan);
            for (int j = 0; j < plan->v_count; ++j) {
                own->unit[j] = j == at;
            }
            status =
                status < 0 ? status : lb_tree_solve(plan->model, plan->work, own->unit, own->unit);
            plan->tau[at] += (own->wanted[i] - plan->a[at]) / own->unit[at];
        }
    }
    return status;
}
