// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where expressions jump or have kinks. Each comparison, choice and the like is a switch with a few sides, such as 0
// and 1 of a comparison. Switches of time alone are found before a run comes to them; others can be held on one side
// while an integrator looks for the place where they pass to another.                              (JMP-1), (JMP-2)
#ifndef LB_SWITCHES_H
#define LB_SWITCHES_H

#include "expression.h"

/// Whether an operation jumps or has a kink.
bool lb_has_sides(lb_term_op op);

/// The side that its operands are on; LB_SIDE_FREE where they are no numbers, or too large.
int lb_find_side(lb_term_op op, const double *x);

/// How far its operands are from leaving a side: zero where they do, negative behind that.
double lb_get_side_level(lb_term_op op, int side, const double *x);

/// Operands of a switch at an instant, in `x`.
///
/// @return as lb_evaluate_expression
lb_status lb_evaluate_operands(const lb_expression *expression, const lb_switch *s,
                               const lb_instant *instant, double x[3]);

// ---- breaks.c ------------------------------------------------------------------------------------

/// The first time after t at which a switch of time alone changes its side, those of named signals included; infinity
/// if there is none. Where that cannot be decided in reasonable time, a time before which there is none.  (JMP-1)
///
/// A side that is left behind a time, as by `t > 5`, is left at that time: see lb_passes_expression.
double lb_find_expression_break(const lb_expression *expression, double t);

/// Where a step should end after t so that it does not miss a narrow feature of time, such as a bell: at its beginning,
/// and a few times within. Infinity if there is none before a horizon, or before the next break.              (JMP-3)
double lb_find_expression_feature(const lb_expression *expression, double t, double horizon);

/// Whether such a switch has its old side at t, and another right behind.
bool lb_passes_expression(const lb_expression *expression, double t);

/// Whether an expression is of time alone, and calls no function of the caller.
bool lb_is_expression_of_time(const lb_expression *expression);

/// The first time after t at which an expression of time alone comes to a value, or jumps over it; infinity if there
/// is none.
///
/// @param is_rising  out: which way it is to go after t
double lb_find_expression_crossing(const lb_expression *expression, double value, double t,
                                   bool *is_rising);

/// Whether such an expression is at the value at t, with other sides of it before and behind.
///
/// @param is_rising  out: which way
bool lb_meets_value(const lb_expression *expression, double value, double t, bool *is_rising);

#endif // LB_SWITCHES_H
