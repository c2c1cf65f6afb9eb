// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time as force elements use them: constants, polynomial pieces (tables among them),
// sines, pulses, and expressions, which may also read signals.
#ifndef LB_FUNCTIONS_INSIDE_H
#define LB_FUNCTIONS_INSIDE_H

#include "base/faults.h"
#include "expression.h"
#include "limber/functions.h"

typedef struct lb_function {
    lb_function_type type;              ///< a table has become pieces
    double value;                       ///< constant; amplitude; height of a pulse
    double offset, omega, phase;        ///< sine, rad/s and rad
    double start, width, period, rise;  ///< pulse, s; period 0 for a single one
    int piece_count, coefficient_count; ///< pieces
    const double *starts;               ///< of pieces, and the end of the last: infinite if none
    const double *coefficients;         ///< a row a piece, powers of t - start
    lb_expression *expressions[3];      ///< itself and, for motion, its derivatives
} lb_function;

/// Value at an instant. Fails as lb_evaluate_signal does; may give what is not finite.
lb_status lb_evaluate_function(const lb_function *function, const lb_instant *instant,
                               double *value);

/// Value, rate and acceleration of a function that was loaded for motion.
void lb_evaluate_motion(const lb_function *function, double t, double out[3]);

/// Which of the pulses comes last at a time, by the very starts that are breaks.
double lb_find_pulse_turn(const lb_function *function, double t);

/// The first kink or jump after t, as far as it depends on time alone; infinity if there is none.     (JMP-1)
double lb_find_function_break(const lb_function *function, double t);

/// Whether an expression of motion, or its rate, jumps at t: smoothness as of lb_make_function.
bool lb_is_rough_at(const lb_function *function, double t, int smoothness);

/// Where a step should end after t so that it does not miss a narrow feature: see lb_find_expression_feature.
double lb_find_function_feature(const lb_function *function, double t, double horizon);

/// Whether the function jumps right behind t, as `step(1 - t)` does behind 1.
bool lb_passes_break(const lb_function *function, double t);

/// Derivatives that are continuous where its pieces meet, up to 2; -1 if it jumps.
int lb_get_smoothness(const lb_function *function);

/// Smoothness that is asked of a function which is a force: any.
enum { LB_SMOOTHNESS_ANY = -2 };

/// Makes a function of what a caller, or a file, says of it. What is wrong is complained of at
/// "where.key": "value" and so on, in the words of the model file.
///
/// @param where       path of the function itself: "forces[2].value[1]"
/// @param smoothness  for motion, what lb_get_smoothness must be at least; LB_SMOOTHNESS_ANY for a force
/// @param function    out: also after faults: something harmless
/// @return LB_OK (also after faults), LB_E_VERSION (complained of as well) or LB_E_MEMORY
lb_status lb_make_function(lb_arena *arena, const lb_scope *scope, lb_faults *faults,
                           const char *where, int smoothness, const lb_function_options *options,
                           lb_function *function);

typedef void (*lb_note_period)(void *user, double period);

/// Notes every period, s, that a function is seen to have: of a sine, a train of pulses, and in an expression of
/// sines and remainders whose arguments are linear in t.
void lb_list_periods(const lb_function *function, lb_note_period note, void *user);

/// Whether it is seen to have a period.
bool lb_repeats_itself(const lb_function *function);

/// Whether its value may depend on time itself, and not only on the state.
bool lb_varies_in_time(const lb_function *function);

#endif // LB_FUNCTIONS_INSIDE_H
