// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinge reactions.
#include "base/sized.h"
#include "dynamics/tree/point_field.h"
#include "loop_rows.h"
#include "model/numbers.h"

// Loads of the bodies in y become those on each body and everything outboard of it.
static void carry_loads(const lb_model *model, lb_work *work)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        lb_vec6 *y_p = &work->y[model->bodies[k].parent];
        *y_p = lb_vec6_add(*y_p, lb_pose_carry_force(&work->bodies[k].X, work->y[k]));
    }
}

// A force on body k, about its frame, as the caller sees it: at O, in the axes of O.
static lb_vec6 refer_to_hinge(const lb_model *model, const lb_work *work, int k, lb_vec6 f)
{
    const lb_body *b = &model->bodies[k];
    if (b->moving) {
        // from the frame of the body to O
        const lb_pose *X = &work->joints[b->joint_index].X_d;
        const lb_vec3 moment = lb_vec3_sub(f.w, lb_vec3_cross(X->p, f.v));
        f = lb_vec6_make(lb_mat3_tmul_vec(&X->R, moment), lb_mat3_tmul_vec(&X->R, f.v));
    }
    // from the turned O to the caller's: only the axes differ
    const lb_mat3 *turn = &model->infos[b->listed].turn;
    return lb_vec6_make(lb_mat3_mul_vec(turn, f.w), lb_mat3_mul_vec(turn, f.v));
}

// What the motion of everything outboard takes, less the forces of loops.
static lb_status balance_motion(const lb_model *model, lb_work *work, double *reactions)
{
    if (lb_need_stage(work, LB_HAS_VELOCITY | LB_HAS_FORCES) != LB_OK) {
        return LB_E_STAGE;
    }
    const int closed = (work->has & LB_HAS_CLOSED) != 0;
    if (closed) {
        // what the loops take off
        lb_collect_loop_forces(model, work, work->loops->force);
        for (int k = -1; k < model->body_count; ++k) {
            work->y[k] = work->loops->load[k];
        }
        carry_loads(model, work);
    }
    lb_sweep_forces(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        lb_vec6 f = work->bodies[k].z;
        if (closed) {
            f = lb_vec6_sub(f, work->y[k]);
        }
        f = refer_to_hinge(model, work, k, f);
        double *out = reactions + (ptrdiff_t)6 * model->bodies[k].listed;
        lb_vec3_to(f.w, out);
        lb_vec3_to(f.v, out + 3);
    }
    return LB_OK;
}

// Takes what was collected in y off all reactions.
static void subtract_collected(const lb_model *model, lb_work *work, double *reactions)
{
    carry_loads(model, work);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_vec6 f = refer_to_hinge(model, work, k, work->y[k]);
        double *out = reactions + (ptrdiff_t)6 * model->bodies[k].listed;
        lb_vec3_to(lb_vec3_sub(lb_vec3_from(out), f.w), out);
        lb_vec3_to(lb_vec3_sub(lb_vec3_from(out + 3), f.v), out + 3);
    }
}

lb_status lb_compute_reactions(const lb_model *model, lb_work *work,
                               const lb_applied_loads *applied, double *reactions)
{
    lb_applied_loads own = {.size = sizeof own};
    if (applied && lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_applied_loads, fields),
                                 applied) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = balance_motion(model, work, reactions);
    for (int i = 0; i < own.field_count && status >= 0; ++i) {
        status = lb_collect_gravity(model, work, &own.fields[i]);
        if (status >= 0) {
            subtract_collected(model, work, reactions);
        }
    }
    if (status >= 0 && own.force_count > 0) {
        status = lb_collect_node_forces(model, work, NULL, own.force_count, own.forces);
        if (status >= 0) {
            subtract_collected(model, work, reactions);
        }
    }
    return status < 0 ? status : LB_OK;
}
