// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinge reactions.
#include "base/sized.h"
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

lb_status lb_compute_reactions(const lb_model *model, lb_work *work, double *reactions)
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

static lb_status check_reactions(const lb_model *model, lb_work *work, const double *reactions)
{
    if (lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY) != LB_OK) {
        return LB_E_STAGE;
    }
    return lb_check_numbers(work, "reactions", (ptrdiff_t)6 * model->body_count, reactions);
}

lb_status lb_subtract_point_gravity(const lb_model *model, lb_work *work,
                                    const lb_point_gravity *field, double *reactions)
{
    lb_status status = check_reactions(model, work, reactions);
    status = status < 0 ? status : lb_collect_point_gravity(model, work, field);
    if (status >= 0) {
        subtract_collected(model, work, reactions);
    }
    return status < 0 ? status : LB_OK;
}

lb_status lb_subtract_applied_loads(const lb_model *model, lb_work *work,
                                    const lb_applied_loads *applied, double *reactions)
{
    lb_applied_loads own = {.size = sizeof own};
    if (lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_applied_loads, fields), applied) !=
        LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = check_reactions(model, work, reactions);
    for (int i = 0; i < own.field_count && status >= 0; ++i) {
        status = lb_subtract_point_gravity(model, work, &own.fields[i], reactions);
    }
    if (status >= 0 && own.force_count > 0) {
        status = lb_collect_node_forces(model, work, own.force_count, own.forces);
        if (status >= 0) {
            subtract_collected(model, work, reactions);
        }
    }
    return status < 0 ? status : LB_OK;
}

// ---- one reaction, written as the caller likes ---------------------------------------------------

// Pose of a node in world axes, seen from the root of its tree: no digits are lost far from the world's origin.
typedef struct place {
    int root; // -1 for the ground, which is seen from the world's origin
    lb_pose X;
} place;

static place see_from_root(const lb_model *model, const lb_work *work, int k, lb_pose X)
{
    for (; k >= 0 && model->bodies[k].parent >= 0; k = model->bodies[k].parent) {
        X = lb_pose_mul(&work->bodies[k].X, &X);
    }
    if (k >= 0) {
        const lb_mat3 *R = &work->X_0[k].R;
        X = (lb_pose){lb_mat3_mul(R, &X.R), lb_mat3_mul_vec(R, X.p)};
    }
    return (place){k, X};
}

static place see_node(const lb_model *model, const lb_work *work, int body, int node)
{
    const int k = body == LB_GROUND ? -1 : model->infos[body].sweep;
    return see_from_root(model, work, k,
                         lb_get_node_place(model, work, k, lb_get_node(model, body, node)));
}

// From b to a, world axes.
static lb_vec3 measure(const lb_work *work, const place *a, const place *b)
{
    const lb_vec3 within = lb_vec3_sub(a->X.p, b->X.p);
    return a->root == b->root
               ? within
               : lb_vec3_add(within, lb_vec3_sub(work->X_0[a->root].p, work->X_0[b->root].p));
}

// A force that acts at a place, in its axes, as a frame has it.
static void write_force(const lb_model *model, const lb_work *work, const place *at, lb_vec6 f,
                        const lb_load_frame *frame, double out[6])
{
    const place axes = see_node(model, work, frame->axes_body, frame->axes_node);
    const place about = see_node(model, work, frame->about_body, frame->about_node);
    const lb_vec3 force = lb_mat3_mul_vec(&at->X.R, f.v);
    const lb_vec3 moment = lb_vec3_add(lb_mat3_mul_vec(&at->X.R, f.w),
                                       lb_vec3_cross(measure(work, at, &about), force));
    lb_vec3_to(lb_mat3_tmul_vec(&axes.X.R, moment), out);
    lb_vec3_to(lb_mat3_tmul_vec(&axes.X.R, force), out + 3);
}

// Adds what was collected in y to `sum`, for body k and everything outboard of it.
static lb_vec6 take_carried(const lb_model *model, lb_work *work, int k, lb_vec6 sum)
{
    carry_loads(model, work);
    return lb_vec6_add(sum, work->y[k]);
}

// What comes from outside to the subtree of k, about its frame and in its axes.
static lb_status sum_applied(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                             int k, lb_vec6 *sum)
{
    lb_status status = LB_OK;
    for (int i = 0; i < applied->field_count && status >= 0; ++i) {
        status = lb_collect_point_gravity(model, work, &applied->fields[i]);
        if (status >= 0) {
            *sum = take_carried(model, work, k, *sum);
        }
    }
    if (status >= 0 && applied->force_count > 0) {
        status = lb_collect_node_forces(model, work, applied->force_count, applied->forces);
        if (status >= 0) {
            *sum = take_carried(model, work, k, *sum);
        }
    }
    return status;
}

// The same of forces of loops, along their rows.
static lb_vec6 sum_loops(const lb_model *model, lb_work *work, const double *x, int k, lb_vec6 sum)
{
    lb_collect_loop_forces(model, work, x);
    for (int j = -1; j < model->body_count; ++j) {
        work->y[j] = work->loops->load[j];
    }
    return take_carried(model, work, k, sum);
}

static lb_status check_reaction(const lb_model *model, const lb_work *work,
                                const lb_applied_loads *applied, int body,
                                const lb_load_frame *given, lb_applied_loads *own,
                                lb_load_frame *frame)
{
    *own = (lb_applied_loads){.size = sizeof *own};
    if (applied && lb_take_sized(own, sizeof *own, LB_SIZE_THROUGH(lb_applied_loads, fields),
                                 applied) != LB_OK) {
        return LB_E_VERSION;
    }
    if (!lb_settle_hinge_frame(model, given, body, frame)) {
        return LB_E_ARGUMENT;
    }
    return lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY);
}

// Hands over a force on the subtree of k, about its frame and in its axes.
static void hand_over(const lb_model *model, const lb_work *work, int k, lb_vec6 f,
                      const lb_load_frame *frame, double out[6])
{
    const lb_pose none = {lb_mat3_identity(), {0, 0, 0}};
    const place at = see_from_root(model, work, k, none);
    write_force(model, work, &at, f, frame, out);
}

// Reaction of a hinge                                                                   (RNE-3)
//
//     f(k) - sum over loads, fields and loops outboard of k, each carried to F_k
//
// given     f(k) of (RNE-2), gravity of the model in it
// computes  that force about the place and in the axes of the frame
lb_status lb_compute_reaction(const lb_model *model, lb_work *work, const lb_applied_loads *applied,
                              int body, const lb_load_frame *given, double reaction[6])
{
    lb_applied_loads own;
    lb_load_frame frame;
    lb_status status = check_reaction(model, work, applied, body, given, &own, &frame);
    status = status < 0 ? status : lb_need_stage(work, LB_HAS_FORCES);
    if (status < 0) {
        return status;
    }
    lb_update_motion(model, work);
    const int k = model->infos[body].sweep;
    lb_vec6 share = lb_vec6_zero();
    status = sum_applied(model, work, &own, k, &share);
    if (status < 0) {
        return status;
    }
    if (work->has & LB_HAS_CLOSED) {
        share = sum_loops(model, work, work->loops->force, k, share);
    }
    lb_sweep_forces(model, work);
    hand_over(model, work, k, lb_vec6_sub(work->bodies[k].z, share), &frame, reaction);
    return LB_OK;
}

lb_status lb_compute_applied_share(const lb_model *model, lb_work *work,
                                   const lb_applied_loads *applied, const double *loop_forces,
                                   int body, const lb_load_frame *given, double share[6])
{
    lb_applied_loads own;
    lb_load_frame frame;
    lb_status status = check_reaction(model, work, applied, body, given, &own, &frame);
    if (status < 0) {
        return status;
    }
    lb_update_motion(model, work);
    const int k = model->infos[body].sweep;
    lb_vec6 sum = lb_vec6_zero();
    status = sum_applied(model, work, &own, k, &sum);
    if (status >= 0 && loop_forces && model->pattern) {
        const ptrdiff_t count = (ptrdiff_t)6 * model->pattern->count;
        status = lb_check_numbers(work, "forces", count, loop_forces);
        if (status < 0) {
            return status;
        }
        lb_enter_all_rows(model, work, loop_forces);
        sum = sum_loops(model, work, work->loops->x, k, sum);
    }
    if (status >= 0) {
        hand_over(model, work, k, sum, &frame, share);
    }
    return status;
}

lb_status lb_refer_loop_force(const lb_model *model, lb_work *work, int loop, const double force[6],
                              const lb_load_frame *given, double out[6])
{
    const bool known = model->pattern && loop >= 0 && loop < model->pattern->count;
    const lb_loop_slot *slot = known ? &work->loops->slots[loop] : NULL;
    if (!slot || !slot->active) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_end *ends = slot->loop.ends;
    lb_load_frame frame = {ends[0].body, ends[0].node, ends[1].body, ends[1].node};
    if (!lb_settle_frame(model, given, frame, &frame)) {
        return LB_E_ARGUMENT;
    }
    lb_status status = lb_need_stage(work, LB_HAS_POSITION | LB_HAS_VELOCITY);
    status = status < 0 ? status : lb_check_numbers(work, "force", 6, force);
    if (status < 0) {
        return status;
    }
    const lb_vec6 f = lb_vec6_from(force);
    // a coupler has no ends: its one entry stays what it is
    if (slot->loop.type == LB_LOOP_COUPLER) {
        lb_vec6_to(f, out);
        return LB_OK;
    }
    lb_update_motion(model, work);
    const place a = see_node(model, work, ends[0].body, ends[0].node);
    place b = see_node(model, work, ends[1].body, ends[1].node);
    b.X.R = a.X.R;
    write_force(model, work, &b, f, &frame, out);
    return LB_OK;
}
