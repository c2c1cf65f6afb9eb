// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinge reactions.
#include "loop_rows.h"

// What the loops take off: their forces on each body and everything outboard of it, in y.
static void carry_loop_forces(const lb_model *model, lb_work *work)
{
    lb_collect_loop_forces(model, work, work->loops->force);
    for (int k = -1; k < model->body_count; ++k) {
        work->y[k] = work->loops->load[k];
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        lb_vec6 *y_p = &work->y[model->bodies[k].parent];
        *y_p = lb_vec6_add(*y_p, lb_pose_carry_force(&work->bodies[k].X, work->y[k]));
    }
}

lb_status lb_compute_reactions(const lb_model *model, lb_work *work, double *reactions)
{
    if (lb_need_stage(work, LB_HAS_VELOCITY | LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    const int closed = (work->has & LB_HAS_CLOSED) != 0;
    if (closed) {
        carry_loop_forces(model, work);
    }
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_vec6 f = work->bodies[k].z;
        if (closed) {
            f = lb_vec6_sub(f, work->y[k]);
        }
        if (b->moving) {
            // from the frame of the body to O
            const lb_pose *X = &work->joints[b->joint_index].X_d;
            const lb_vec3 moment = lb_vec3_sub(f.w, lb_vec3_cross(X->p, f.v));
            f = lb_vec6_make(lb_mat3_tmul_vec(&X->R, moment), lb_mat3_tmul_vec(&X->R, f.v));
        }
        // from the turned O to the caller's: only the axes differ
        const lb_mat3 *turn = &model->infos[b->listed].turn;
        double *out = reactions + (ptrdiff_t)6 * b->listed;
        lb_vec3_to(lb_mat3_mul_vec(turn, f.w), out);
        lb_vec3_to(lb_mat3_mul_vec(turn, f.v), out + 3);
    }
    return LB_OK;
}
