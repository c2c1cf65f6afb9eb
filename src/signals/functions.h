// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time as force elements use them: constants, polynomial pieces (tables among them),
// sines, pulses, and expressions, which may also read signals.
#ifndef LB_FUNCTIONS_H
#define LB_FUNCTIONS_H

#include "expression.h"

typedef enum lb_function_kind {
    LB_FUNCTION_CONSTANT,
    LB_FUNCTION_PIECES,
    LB_FUNCTION_SINE,
    LB_FUNCTION_PULSE,
    LB_FUNCTION_EXPRESSION
} lb_function_kind;

typedef struct lb_function {
    lb_function_kind kind;
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

/// The first kink or jump after t; infinity if there is none.
double lb_find_function_break(const lb_function *function, double t);

/// Derivatives that are continuous where its pieces meet, up to 2; -1 if it jumps.
int lb_get_smoothness(const lb_function *function);

/// What loading needs to know.
typedef struct lb_function_loader {
    lb_arena *arena;
    lb_scope scope;
    lb_reader *reader;
} lb_function_loader;

/// Reads a function from a place, which must be there.
///
/// @param smoothness  for motion, what lb_get_smoothness must be at least; -2 for a force
/// @param function    out: also after errors, which are reported: something harmless
/// @return LB_OK or LB_E_MEMORY
lb_status lb_load_function(const lb_function_loader *loader, const lb_place *place, int smoothness,
                           lb_function *function);

#endif // LB_FUNCTIONS_H
