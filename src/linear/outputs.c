// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of signals.
#include <string.h>

#include "dynamics/derivatives/derivative_parts.h"
#include "linear.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/slopes.h"

// Functions of the caller that the output reads.
static lb_status sample(const lb_instant *instant, lb_arena *arena, lb_slope_work *work)
{
    double *scales = lb_take_numbers(arena, (size_t)lb_get_v_count(instant->model) + 1);
    if (!scales) {
        return LB_E_MEMORY;
    }
    lb_find_scales(instant->model, scales);
    return lb_sample_signals(instant, work, scales);
}

lb_status lb_add_output_slopes(lb_system *s, const lb_operating_point *point,
                               lb_derivative_work *scratch, int count, const lb_output_leaf *leaves,
                               lb_arena *arena, lb_output_rows *rows)
{
    const size_t n = (size_t)s->v_count;
    const lb_instant instant =
        lb_make_instant(s->model, s->work, point->t, point->q, point->v, point->a);
    const lb_slopes slopes = {rows->q, rows->v, rows->a};
    lb_slope_work work = {.scratch = scratch,
                          .rows = lb_take_numbers(arena, lb_count_slope_rows(s->model))};
    lb_status status = work.rows ? LB_OK : LB_E_MEMORY;
    bool samples = false;
    memset(rows->q, 0, n * sizeof *rows->q);
    memset(rows->v, 0, n * sizeof *rows->v);
    memset(rows->a, 0, n * sizeof *rows->a);
    for (int i = 0; i < count && status >= 0; ++i) {
        status = lb_prepare_signal_slopes(arena, leaves[i].signal, s->v_count, &work, &samples);
    }
    status = status < 0 ? status
                        : lb_tree_inverse_derivatives(s->model, s->work, scratch, point->q,
                                                      point->v, point->a, s->tau, NULL, NULL, NULL);
    status = status < 0 || !samples ? status : sample(&instant, arena, &work);
    for (int i = 0; i < count && status >= 0; ++i) {
        status = lb_add_signal_slopes(leaves[i].signal, &instant, &work, leaves[i].slope, &slopes);
    }
    // within an expression it is a kink, with the slope zero
    const bool alone = count == 1 && leaves[0].alone && leaves[0].signal->kind != LB_SIGNAL_NAMED;
    return status >= 0 && work.undefined && alone ? LB_E_NUMBER : status;
}

lb_status lb_differentiate_output(lb_system *s, const lb_operating_point *point,
                                  lb_derivative_work *scratch, const lb_signal *signal,
                                  lb_arena *arena, double *value, lb_output_rows *rows)
{
    const lb_instant instant =
        lb_make_instant(s->model, s->work, point->t, point->q, point->v, point->a);
    const lb_output_leaf whole = {signal, 1.0, true};
    lb_status status = lb_compute_kinematics(s->model, s->work, point->q, point->v, point->a);
    status = status < 0 ? status : lb_evaluate_signal(signal, &instant, value);
    return status < 0 ? status : lb_add_output_slopes(s, point, scratch, 1, &whole, arena, rows);
}
