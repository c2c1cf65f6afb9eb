// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of time (library limber-sim), as forces, driven motion and controllers take them.
//
//     lb_function_options thrust = lb_constant_function(5.0);
//     lb_function_options sway = lb_expression_function("0.1 * sin(2 * t)");
//     lb_function_options burn = lb_default_function_options();
//     burn.type = LB_FUNCTION_PULSE;
//     burn.value = 20.0;
//     burn.start = 1.0;
//     burn.width = 0.5;
//
// docs/guide/forces.md shows the same functions in a model file. SI units and radians.
#ifndef LB_FUNCTIONS_H
#define LB_FUNCTIONS_H

#include <math.h>
#include <stdbool.h>

#include "limber/base.h"

/// The shape of a function of time.
typedef enum lb_function_type {
    LB_FUNCTION_CONSTANT,
    LB_FUNCTION_EXPRESSION, ///< a formula of t; for forces also of signals
    LB_FUNCTION_TABLE,      ///< points in time with interpolation between them
    LB_FUNCTION_PIECES,     ///< polynomials, one after the other
    LB_FUNCTION_SINE,
    LB_FUNCTION_PULSE,
    LB_FUNCTION_TYPE_COUNT
} lb_function_type;

/// What a table does between its points.
typedef enum lb_interpolation {
    LB_INTERPOLATION_LINEAR,
    LB_INTERPOLATION_CUBIC, ///< a spline with continuous second derivative
    LB_INTERPOLATION_STEPS, ///< keeps the value of the last point
    LB_INTERPOLATION_COUNT
} lb_interpolation;

/// A function of time. Arrays and strings are read by the call that takes the options and are not kept.
/// Start from lb_default_function_options(). In an array, all elements have the size of the first.
typedef struct lb_function_options {
    size_t size; ///< of this struct
    lb_function_type type;
    double value;           ///< constant; amplitude of a sine; height of a pulse
    const char *expression; ///< such as "2 * sin(3 * t)"

    int point_count;      ///< table: at least 2
    const double *times;  ///< table: rising, s
    const double *values; ///< table: one per time
    lb_interpolation interpolation;
    bool at_rest; ///< cubic table: slope zero at both ends; false: curvature zero ("natural")

    int piece_count;            ///< pieces: at least 1
    int coefficient_count;      ///< pieces: coefficients of each, at most 20
    const double *starts;       ///< pieces: where each starts, rising, s
    const double *coefficients; ///< pieces: one row per piece, of powers of (t - start)
    double until;               ///< pieces: end of the last, s; infinite by default

    double offset; ///< sine: added to it
    double rate;   ///< sine: rad/s
    double phase;  ///< sine: rad at t = 0

    double start;  ///< pulse: s
    double width;  ///< pulse: s
    double period; ///< pulse: s; 0 for a single one
    double rise;   ///< pulse: s in which it rises and falls smoothly; 0 for jumps
} lb_function_options;

/// The constant zero.
static inline lb_function_options lb_default_function_options(void)
{
    lb_function_options options = LB_ZEROES;
    options.size = sizeof options;
    options.until = INFINITY;
    return options;
}

/// A constant.
static inline lb_function_options lb_constant_function(double value)
{
    lb_function_options options = lb_default_function_options();
    options.value = value;
    return options;
}

/// A formula. The string is not copied: it must last until the options are used.
static inline lb_function_options lb_expression_function(const char *expression)
{
    lb_function_options options = lb_default_function_options();
    options.type = LB_FUNCTION_EXPRESSION;
    options.expression = expression;
    return options;
}

#endif // LB_FUNCTIONS_H
