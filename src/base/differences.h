// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Slopes of functions that have no formula.
#ifndef LB_DIFFERENCES_H
#define LB_DIFFERENCES_H

#include "limber/base.h"

/// One number of a function along a line.
typedef struct lb_line_slope {
    double value;     ///< what the function says
    double slope;     ///< out
    double error;     ///< by how much slopes of two steps differ
    double sum, last; ///< slope of this step, and of the one before
    double size;      ///< largest of the values
} lb_line_slope;

/// Sets the `value` of each number, `step` away from where slopes are wanted.
///
/// @return LB_OK, or an error where the function is not defined
typedef lb_status (*lb_line)(void *user, double step, lb_line_slope *x);

/// Slopes of numbers along a line: central differences of the sixth order, with steps that become smaller until
/// two of them agree for all numbers, to 1e-11 or to round-off. Each number keeps what agreed best. (DER-9)
///
/// @param step  the first: small against what the function is expected to change over
/// @param x     out: `count` of them
/// @return LB_OK, or what the function returned at every step
lb_status lb_difference_line(lb_line function, void *user, double step, int count,
                             lb_line_slope *x);

#endif // LB_DIFFERENCES_H
