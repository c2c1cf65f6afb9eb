// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics of a workspace: with its algorithm, and with the loops, locks and drives that it has.
#include "dynamics/divide/division.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_work.h"
#include "dynamics/tree/tree.h"

bool lb_is_tree(const lb_model *model, const lb_work *work)
{
    if (work->uses_tree) {
        return true;
    }
    bool holds = work->locked_count > 0 || work->driven_count > 0;
    for (int l = 0; model->pattern && l < model->pattern->count && !holds; ++l) {
        holds = work->loops->slots[l].active;
    }
    return !holds;
}

lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *a)
{
    if (lb_is_tree(model, work)) {
        switch (work->algorithm) {
        case LB_ALGORITHM_DIVIDE_AND_CONQUER:
            return lb_divided_by_team(model, work, work->division, &work->division->team, q, v,
                                      NULL, tau, NULL, a);
        case LB_ALGORITHM_COMPOSITE:
            return lb_tree_composite(model, work, q, v, tau, work->numbers, a);
        case LB_ALGORITHM_UNSPLIT:
            return lb_tree_unsplit(model, work, q, v, tau, work->numbers, a);
        default:
            return lb_tree_forward(model, work, q, v, tau, a);
        }
    }
    const unsigned char *driven = work->driven_count ? work->driven : NULL;
    const lb_status status =
        work->division ? lb_divided_closed(model, work, work->division, q, v, driven, tau, a,
                                           work->drives, NULL)
                       : lb_closed_forward(model, work, q, v, driven, tau, a, work->drives, NULL);
    work->has |= status < LB_OK ? 0u : LB_HAS_DRIVES;
    return status;
}

lb_status lb_get_drive_forces(const lb_model *model, const lb_work *work, double *drive)
{
    const bool held = !work->uses_tree && (work->locked_count > 0 || work->driven_count > 0);
    if (lb_need_stage(work, held ? LB_HAS_DRIVES : LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    for (int i = 0; i < model->v_count; ++i) {
        drive[i] = held ? work->drives[i] : 0.0;
    }
    return LB_OK;
}
