// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The state within a step of a one-step method, as exact as the step itself.
#ifndef LB_DENSE_OUTPUT_H
#define LB_DENSE_OUTPUT_H

#include "flow.h"

enum {
    LB_DENSE_POINTS = 5,                   ///< inside the step, at the highest level
    LB_DENSE_LEVELS = LB_DENSE_POINTS + 1, ///< level m has m points
    LB_DENSE_RATES = LB_DENSE_POINTS + 2,  ///< with both ends
    LB_DENSE_TERMS = LB_DENSE_RATES + 1,   ///< integrals of the rates, and what the end asks for
    LB_DENSE_POWERS = LB_DENSE_POINTS + 4  ///< of a polynomial of degree m + 3
};

/// One polynomial.
typedef struct lb_dense_curve {
    int level;
    double *rates[LB_DENSE_POINTS]; ///< y' at its points
    double *rest;                   ///< the gap that the integral of the rates leaves at the end
} lb_dense_curve;

typedef struct lb_dense {
    int count; ///< entries of y
    double t0, h;
    const double *y0, *y1, *f0, *f1; ///< at both ends of the step
    lb_dense_curve curves[2];        ///< the one in use and the one of the level below
    int current;
    double *y; ///< scratch
    /// Per level and term: coefficients of the powers 0, 1, ... of (t - t0) / h.
    double terms[LB_DENSE_LEVELS][LB_DENSE_TERMS][LB_DENSE_POWERS];
} lb_dense;

/// Takes memory from the arena of the system.
lb_status lb_init_dense(lb_dense *dense, const lb_system *system);

/// Starts with the cubic (level 0) of a step from t0 to t1. Keeps the pointers.
void lb_begin_dense(lb_dense *dense, double t0, double t1, const double *y0, const double *y1,
                    const double *f0, const double *f1);

/// Goes up by a level of m points, which takes m evaluations.
///
/// @return LB_OK, or the failure of an evaluation; the level then stays
lb_status lb_refine_dense(lb_dense *dense, lb_system *system);

/// Difference to the polynomial of the level below, at a part x of the step.
void lb_compare_dense(const lb_dense *dense, double x, double *difference);

/// y at a time within the step.
void lb_evaluate_dense(const lb_dense *dense, double t, double *y);

#endif // LB_DENSE_OUTPUT_H
