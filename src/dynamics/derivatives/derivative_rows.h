// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the rows of loops and of the forces along them.
#ifndef LB_DERIVATIVE_ROWS_H
#define LB_DERIVATIVE_ROWS_H

#include "derivative_paths.h"
#include "dynamics/loops/loop_work.h"

/// What is wanted, added to what is there; NULL for nothing. Rows are six for each slot, along its rows
/// or, with `six`, as six entries in the axes of a.
typedef struct lb_row_derivatives {
    ptrdiff_t stride; ///< entries from row to row
    const int *order; ///< by entry of the caller's v: its column; NULL for the same
    int six;
    double *J;
    double *velocity;        ///< of J v less prescribed rates, by q
    double *acceleration;    ///< of J a + bias, by q
    double *acceleration_dv; ///< likewise, by v
    const double *forces;    ///< six for each slot, in the axes of a
    double *force;           ///< of J' f, by q; over speeds
    double
        *turning; ///< of the six components of forces along rods, in the axes of a: how they turn
} lb_row_derivatives;

/// Fills them, after lb_sweep_derivatives.                                       (DER-12)..(DER-14)
void lb_differentiate_rows(const lb_model *model, lb_work *work, lb_derivative_work *s,
                           const lb_row_derivatives *out);

#endif // LB_DERIVATIVE_ROWS_H
