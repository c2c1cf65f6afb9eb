// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small dense systems of equations.
#ifndef LB_DENSE_H
#define LB_DENSE_H

#include <stdbool.h>

/// LU factors with row exchanges, in place; false if singular.
bool lb_factor_lu(int n, double *S, int *pivot);

/// b := S^-1 b with those factors.
void lb_solve_lu(int n, const double *S, const int *pivot, double *b);

#endif // LB_DENSE_H
