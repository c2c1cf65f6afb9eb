// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closed loops as they are recorded: the sources of the engine, and the order in which they are called.
#ifndef LB_RECORDED_LOOPS_HH
#define LB_RECORDED_LOOPS_HH

#include "looped.hh"

// no load but those of loops, which go through lb_run_response
#define lb_sweep_loads(...) abort()
#define lb_check_numbers lb_check_loop_numbers
#define lb_get_loop_scale lb_get_loop_scale_plain
#include "dynamics/loops/loop_admittance.c"
#undef lb_get_loop_scale
#define lb_factor_block lb_factor_block_plain
#include "dynamics/loops/loop_block.c"
#undef lb_factor_block
#define lb_drop_noise lb_drop_noise_plain
#define lb_reaches_others lb_reaches_others_plain
#include "dynamics/loops/loop_null.c"
#undef lb_drop_noise
#undef lb_reaches_others
#define lb_quat_from_mat3 lb_quat_of_small_turn
#define lb_quat_log lb_quat_small_log
#include "dynamics/loops/loop_errors.c"
#undef lb_quat_from_mat3
#undef lb_quat_log
#include "dynamics/loops/loop_factor.c"
#include "dynamics/loops/loop_rows.c"
#undef lb_sweep_loads
#undef lb_check_numbers

static void mark_loops(const char *equation)
{
    lb_mark_graph(graph, -1, equation);
}

// (CLO-3), as lb_compute_closed_dynamics does it
//
// @param driven  by body: its hinge has given accelerations, and gets in tau what it needs; NULL for none
static lb_status run_closed(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const unsigned char *driven, double *tau, double *a)
{
    lb_loop_work *loops = work->loops;
    const lb_status status = driven ? lb_run_hybrid_dynamics(model, work, q, v, driven, tau, a)
                                    : lb_run_forward_dynamics(model, work, q, v, tau, a);
    if (status < LB_OK) {
        return status;
    }
    mark_loops("CLO-4");
    lb_update_motion(model, work);
    lb_solve_accelerations(model, work, a, loops->force);
    mark_loops("CLO-3");
    lb_run_response(model, work, loops->load, loops->tau, NULL, work->response, work->drive);
    for (int i = 0; i < model->v_count; ++i) {
        a[i] += work->response[i];
        if (driven) {
            tau[i] += work->drive[i];
        }
    }
    return status;
}

// Factors at q, as lb_factor_loops makes them.
static lb_status factor_loops(const lb_model *model, lb_work *work, const double *q)
{
    lb_start_state(work, 0);
    const lb_status status = lb_run_held_inertia(model, work, q);
    if (status >= LB_OK) {
        mark_loops("CLO-4");
        lb_update_world(model, work);
        lb_factor_admittance(model, work);
    }
    return status;
}

// dv of minus the errors x, by slot and row                                              (CLO-10)
static const double *respond_to_errors(const lb_model *model, lb_work *work, double *x)
{
    lb_loop_work *loops = work->loops;
    mark_loops("CLO-10");
    for (int i = 0; i < 6 * model->pattern->count; ++i) {
        x[i] = -x[i];
    }
    lb_solve_admittance(model, work, x);
    lb_collect_loop_forces(model, work, x);
    lb_run_response(model, work, loops->load, loops->tau, NULL, work->response, work->drive);
    return work->response;
}

// One step of (PRJ-1), and the errors before it: q_count entries, then six for each slot. Axes that point in
// opposite directions have no error, but the loop is turned over: that is a failure.
static lb_status close_positions(const lb_model *model, lb_work *work, const double *q,
                                 const double *q_given, double *out)
{
    double *gaps = out + model->q_count, *x = work->loops->x;
    const lb_status status = factor_loops(model, work, q);
    if (status < LB_OK) {
        return status;
    }
    mark_loops("CLO-5");
    compute_positions(model, work, q_given, 0, gaps);
    for (int l = 0; l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        lb_enter_rows(&slot->loop, gaps + 6 * l, x + 6 * l);
        if (slot->active && leaves_one_turn(&slot->loop)) {
            const lb_end_motion a = lb_get_end_place(model, work, slot, 0);
            const lb_end_motion b = lb_get_end_place(model, work, slot, 1);
            const lb_mat3 R = get_turn(slot, &a.R, &b.R);
            (void)(lb_vec3_dot(slot->loop.axis, lb_mat3_mul_vec(&R, slot->loop.axis)) > 1e-6);
        }
    }
    const double *dv = respond_to_errors(model, work, x);
    mark_loops("PRJ-1");
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int r = 0; r < b->mode_count; ++r) {
            out[b->q + r] = q_given[b->q + r] + dv[b->v + r];
        }
        lb_hinge_move(b, q_given + b->hinge_q, dv + b->hinge_v, out + b->hinge_q);
    }
    return status;
}

// (PRJ-2)
static lb_status close_speeds(const lb_model *model, lb_work *work, const double *q,
                              const double *v, double *out)
{
    double *x = work->loops->x;
    const lb_status status = factor_loops(model, work, q);
    if (status < LB_OK) {
        return status;
    }
    lb_compute_row_velocities(model, work, v, x);
    const double *dv = respond_to_errors(model, work, x);
    mark_loops("PRJ-2");
    for (int i = 0; i < model->v_count; ++i) {
        out[i] = v[i] + dv[i];
    }
    return status;
}

#endif // LB_RECORDED_LOOPS_HH
