// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How far a state is off its loops.
#include <string.h>

#include "base/rotation.h"
#include "loop_products.h"
#include "loop_rows.h"
#include "model/model_parts.h"
#include "model/numbers.h"

// Whether a loop forbids every turn.
static int forbids_turns(const lb_loop *loop)
{
    int turns = 0;
    for (int r = 0; r < loop->row_count; ++r) {
        turns += lb_vec3_norm(lb_vec3_from(loop->W[r])) > 0.5;
    }
    return turns == 3;
}

// Whether a loop leaves one turn free.
static int leaves_one_turn(const lb_loop *loop)
{
    return lb_has_loop_axis(loop->type) && !forbids_turns(loop) &&
           lb_vec3_norm(lb_vec3_from(loop->W[0])) > 0.5;
}

// How the axes of a loop with one free turn are apart, the second turned back by offset and motion.
static lb_mat3 get_turn(const lb_loop_slot *slot, const lb_mat3 *R_a, const lb_mat3 *R_b)
{
    const lb_mat3 R_t = lb_mat3_transpose(R_a), R_ab = lb_mat3_mul(&R_t, R_b);
    const lb_mat3 turned = lb_rotation_exp(lb_vec3_from(slot->motion.position));
    const lb_mat3 target = lb_mat3_mul(&turned, &slot->loop.offset.R);
    return lb_mat3_mul_t(&R_ab, &target);
}

// The tilt of one axis against the other where it is more than a right angle              (CLO-13)
//
//     theta n,   n = e x R e / |e x R e|,   tan theta = |e x R e| / e.R e
//
// of axes that are opposite to each other about any line across.
static lb_vec3 widen(lb_vec3 axis, lb_vec3 other, lb_vec3 turn)
{
    const double sine = lb_vec3_norm(turn);
    lb_vec3 n = turn;
    if (!(sine > 1e-12)) {
        n = lb_vec3_cross(axis, fabs(axis.x) < 0.9 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0));
    }
    return lb_vec3_scale(atan2(sine, lb_vec3_dot(axis, other)) / lb_vec3_norm(n), n);
}

// Pose of b in a, as far as the loop forbids it                                         (CLO-5)
//
//     R = R_a'R_b R_off' exp(turn)',   d = R_a'(x_b - x_a) - p_off - shift
//     angular: log(R) where no turn is free, axis x (R axis) where one is
//     linear:  d along the constrained rows
//
// With `wide`, the second is the whole tilt where it is more than a right angle.
static void position_error(const lb_loop_slot *slot, const lb_end_motion *a, const lb_end_motion *b,
                           int wide, double out[6])
{
    const lb_loop *loop = &slot->loop;
    const double *motion = slot->motion.position;
    const lb_vec3 x = lb_mat3_tmul_vec(&a->R, lb_vec3_sub(b->x, a->x));
    if (loop->type == LB_LOOP_ROD) {
        const double d = lb_vec3_norm(x), off = d - loop->length - motion[0];
        lb_vec6_to(lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_scale(d > 0 ? off / d : 0.0, x)),
                   out);
        return;
    }
    const lb_mat3 R = get_turn(slot, &a->R, &b->R);
    const lb_vec3 d = lb_vec3_sub(lb_vec3_sub(x, loop->offset.p), lb_vec3_from(motion + 3));
    double rows[6], six[6];
    lb_vec6_to(lb_vec6_make(lb_vec3_make(0, 0, 0), d), six);
    lb_enter_rows(loop, six, rows);
    lb_leave_rows(loop, rows, out);
    lb_vec3 turn = {0, 0, 0};
    if (forbids_turns(loop)) {
        turn = lb_quat_log(lb_quat_from_mat3(&R));
    } else if (leaves_one_turn(loop)) {
        const lb_vec3 other = lb_mat3_mul_vec(&R, loop->axis);
        turn = lb_vec3_cross(loop->axis, other);
        turn = wide && lb_vec3_dot(loop->axis, other) < 0 ? widen(loop->axis, other, turn) : turn;
    }
    lb_vec3_to(turn, out);
}

// Position errors of all slots.
static void compute_positions(const lb_model *model, lb_work *work, const double *q, int wide,
                              double *position)
{
    lb_update_world(model, work);
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        double *out = position + (ptrdiff_t)6 * l;
        memset(out, 0, 6 * sizeof *out);
        if (!slot->active) {
            continue;
        }
        if (slot->loop.type == LB_LOOP_COUPLER) {
            out[0] = lb_relate_coordinates(model, &slot->loop, q) - slot->loop.length -
                     slot->motion.position[0];
        } else {
            const lb_end_motion a = lb_get_end_place(model, work, slot, 0);
            const lb_end_motion b = lb_get_end_place(model, work, slot, 1);
            position_error(slot, &a, &b, wide, out);
        }
    }
}

bool lb_wait_for_offsets(const lb_model *model, const lb_work *work)
{
    bool waits = false;
    for (int l = 0; model->pattern && l < model->pattern->count && !waits; ++l) {
        waits = work->loops->slots[l].active && work->loops->slots[l].loop.as_assembled;
    }
    return waits;
}

lb_status lb_compute_loop_gaps(const lb_model *model, lb_work *work, const double *q,
                               double *position)
{
    if (lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_status status = lb_check_numbers(work, "q", model->q_count, q);
    if (status < 0 || !model->pattern) {
        return status;
    }
    if (lb_wait_for_offsets(model, work)) {
        return LB_E_STAGE;
    }
    compute_positions(model, work, q, 1, position);
    return LB_OK;
}

bool lb_is_loop_flipped(const lb_model *model, lb_work *work, int loop)
{
    if (loop < 0 || loop >= lb_get_loop_capacity(model) ||
        lb_need_stage(work, LB_HAS_POSITION) != LB_OK) {
        return false;
    }
    const lb_loop_slot *slot = &work->loops->slots[loop];
    if (!slot->active || !leaves_one_turn(&slot->loop)) {
        return false;
    }
    const lb_end_motion a = lb_get_end_place(model, work, slot, 0);
    const lb_end_motion b = lb_get_end_place(model, work, slot, 1);
    const lb_mat3 R = get_turn(slot, &a.R, &b.R);
    return lb_vec3_dot(slot->loop.axis, lb_mat3_mul_vec(&R, slot->loop.axis)) < 0;
}

lb_status lb_compute_loop_errors(const lb_model *model, lb_work *work, const double *q,
                                 double *position, double *velocity)
{
    if (lb_need_stage(work, LB_HAS_POSITION | (velocity ? LB_HAS_VELOCITY : 0)) != LB_OK) {
        return LB_E_STAGE;
    }
    const lb_status status = position ? lb_check_numbers(work, "q", model->q_count, q) : LB_OK;
    if (status < 0 || !model->pattern) {
        return status;
    }
    if (position && lb_wait_for_offsets(model, work)) {
        return LB_E_STAGE;
    }
    lb_place_loops(model, work);
    if (position) {
        compute_positions(model, work, q, 0, position);
    }
    if (velocity) {
        for (int k = 0; k < model->body_count; ++k) {
            const lb_body *b = &model->bodies[k];
            for (int r = 0; r < b->mode_count; ++r) {
                work->given[b->v + r] = work->flex[b->flex_index].eta_dot[r];
            }
            for (int i = 0; i < b->nv; ++i) {
                work->given[b->hinge_v + i] = work->beta[b->dof + i];
            }
        }
        lb_compute_row_velocities(model, work, work->given, work->loops->x);
        lb_leave_all_rows(model, work, work->loops->x, velocity);
    }
    return LB_OK;
}
