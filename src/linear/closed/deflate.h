// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of a matrix that are zero.
#ifndef LB_DEFLATE_H
#define LB_DEFLATE_H

#include <complex.h>

#include "base/arena.h"
#include "limber/base.h"

enum { LB_DEFLATION_LEVELS = 8 };

/// One null space of A, and what is needed to go back from the quotient by it.
typedef struct lb_deflation_level {
    int n, count;
    double *X;          ///< null vectors, count rows of n, in echelon form
    double *A_p;        ///< rows of A at their pivots
    int *pivots, *rest; ///< coordinates: of the vectors, and the n - count others
} lb_deflation_level;

typedef struct lb_deflation {
    int n, rest; ///< rest: eigenvalues that are not zero
    double *A;   ///< rest x rest: with these
    double *E;   ///< rest x rest: errors of its entries
    int level_count;
    lb_deflation_level levels[LB_DEFLATION_LEVELS];
} lb_deflation;

/// Takes out all eigenvalues of A, n x n, that are zero within the errors of its entries.  (CLL-6)
///
/// @param E  n x n; NULL for round-off
lb_status lb_deflate(int n, const double *A, const double *E, lb_arena *arena, lb_deflation *out);

/// Right and left vectors of A from those of what is left, in place; room for n each.
void lb_lift_right(const lb_deflation *deflation, double complex s, double complex *x,
                   double complex *scratch);
void lb_lift_left(const lb_deflation *deflation, double complex *w, double complex *scratch);

#endif // LB_DEFLATE_H
