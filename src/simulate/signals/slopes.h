// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Slopes of signals, expressions and functions: their derivatives by q, along the directions of v, and by
// v. Exact, but for signals that are a function of the caller, and forces in cuts by mode displacement. These are
// sampled: differenced once for all who read them.
#ifndef LB_SLOPES_H
#define LB_SLOPES_H

#include "base/differences.h"
#include "functions.h"
#include "limber/derivatives.h"
#include "signals.h"

/// Where slopes go: by q, v and a, v_count each.
typedef struct lb_slopes {
    double *q, *v;
    double *a; ///< NULL where accelerations are not known
} lb_slopes;

/// A signal that is differenced.
typedef struct lb_sampled {
    lb_signal signal;
    lb_slopes slopes;
} lb_sampled;

/// What differentiating takes.
typedef struct lb_slope_work {
    lb_derivative_work *scratch; ///< at the state of the instant
    double *rows;                ///< lb_count_slope_rows numbers: scratch
    int sampled_count, sampled_capacity;
    lb_sampled *sampled;
    int line_capacity;
    lb_line_slope *line; ///< one for each of them
    bool undefined;      ///< set where a norm or a distance that is zero was differentiated
} lb_slope_work;

/// Numbers that lb_slope_work.rows must have room for.
static inline size_t lb_count_slope_rows(const lb_model *model)
{
    return 31 * (size_t)lb_get_v_count(model) + (size_t)lb_get_q_count(model) + 1;
}

/// Partial derivatives of an operation by its operands                                  (FRC-13)
///
/// Those of a jump are zero, those of a kink are of the side it is on, and a slope that is not finite is
/// taken as zero.
///
/// @param value  of the operation
void lb_get_term_slopes(lb_term_op op, const double *x, double value, double slopes[3]);

/// Value of an expression, and its partial derivatives by the signals that it mentions.  (FRC-13)
///
/// @param slopes    out: LB_MOST_SIGNALS
/// @param mentions  out: LB_MOST_SIGNALS: which signal of the expression each of them belongs to
/// @param count     out: how many there are
/// @return as lb_evaluate_expression
lb_status lb_evaluate_expression_slopes(const lb_expression *expression, const lb_instant *instant,
                                        double *value, double *slopes, int *mentions, int *count);

/// Takes a signal that is no expression, and the slope of what reads it.
///
/// @return LB_OK, or a status that ends the visit
typedef lb_status (*lb_leaf_visit)(void *user, const lb_signal *leaf, double slope);

/// Goes through all that a signal reads in the end, with its partial derivatives times a weight: the mentions of
/// expressions down to signals that are none; the signal itself, if it is no expression.  (FRC-13)
///
/// @return as lb_evaluate_signal, or what `visit` returned
lb_status lb_visit_leaves(const lb_signal *signal, const lb_instant *instant, double weight,
                          lb_leaf_visit visit, void *user);

/// Adds the slopes of a signal, times a weight. What reads accelerations needs those of the instant, and of
/// the derivatives, and slopes by them.
///
/// @param slopes  in and out
/// @return as lb_evaluate_signal
lb_status lb_add_signal_slopes(const lb_signal *signal, const lb_instant *instant,
                               lb_slope_work *work, double weight, const lb_slopes *slopes);

/// Value of a function and its slopes.
///
/// @param slopes  out
lb_status lb_evaluate_function_slopes(const lb_function *function, const lb_instant *instant,
                                      lb_slope_work *work, double *value, const lb_slopes *slopes);

/// Makes sure that what a signal reads and has no formula is sampled.
///
/// @param samples  in and out: set if there is such a signal
/// @return LB_OK or LB_E_MEMORY
lb_status lb_prepare_signal_slopes(lb_arena *arena, const lb_signal *signal, int v_count,
                                   lb_slope_work *work, bool *samples);

/// The same for a function.
lb_status lb_prepare_function_slopes(lb_arena *arena, const lb_function *function, int v_count,
                                     lb_slope_work *work, bool *samples);

/// Samples: differences, from steps of 5e-4 of the sizes of coordinates on. To be called before slopes are asked
/// for, with derivatives at the state; leaves it so.                                       (FRC-15)
///
/// @param scales  v_count: sizes of coordinates
lb_status lb_sample_signals(const lb_instant *instant, lb_slope_work *work, const double *scales);

/// The motion of the two nodes of a distance.
lb_status lb_find_ends(const lb_signal *signal, const lb_instant *instant, lb_node_motion ends[2]);

/// Value of a signal of attitude.c.
lb_status lb_read_attitude(const lb_signal *signal, const lb_instant *instant, double *value);

/// Slopes of such a signal by the poses of its two nodes: turn, then shift, world axes.
///
/// @param defined  out: whether there are any: not where the angles of a sequence have no meaning
lb_status lb_find_attitude_slopes(const lb_signal *signal, const lb_instant *instant, double b[6],
                                  double a[6], bool *defined);

/// Slopes of a component of a rotation by a turn in the axes that it leads to; zero of its norm.
void lb_turn_slopes(const double *rotation, int index, double *slopes);

/// The expression of a named signal; NULL of a function of the caller.
const lb_expression *lb_get_named_expression(const lb_signals *signals, int index);

/// The expression that a signal names; NULL of anything else.
static inline const lb_expression *lb_get_signal_expression(const lb_signal *signal)
{
    return signal->kind == LB_SIGNAL_NAMED ? lb_get_named_expression(signal->named, signal->index)
                                           : NULL;
}

#endif // LB_SLOPES_H
