// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small dense symmetric matrices, stored whole, row by row.
#ifndef LB_SYMMETRIC_H
#define LB_SYMMETRIC_H

#include "hot.h"

/// LB_CASE, which the caller defines, for the sizes of hinges: code of its own for each.
#define LB_CASES_TO_SIX LB_CASE(1) LB_CASE(2) LB_CASE(3) LB_CASE(4) LB_CASE(5) LB_CASE(6)

/// Eigenvalues, ascending, by cyclic Jacobi rotations. A (n x n) is destroyed; its upper triangle is not read.
LB_HOT void lb_compute_eigenvalues(int n, double *A, double *values);

/// Eigenvalues on the diagonal of A (n x n, destroyed otherwise), unsorted, and their vectors as the
/// columns of V.
LB_HOT void lb_compute_eigenvectors(int n, double *A, double *V);

/// A = L D L' in place without pivoting: D^-1 on the diagonal, unit L below. The upper triangle is
/// neither read nor written. Stops at a pivot with |d| <= threshold[i] (threshold may be NULL) and
/// leaves that d.
///
/// @return -1, or the index of the pivot at which it stopped
LB_HOT int lb_factor_ldl(int n, double *A, int stride, const double *threshold);

/// x := L^-1 x and x := L'^-1 x for a factored A.
LB_HOT void lb_solve_lower(int n, const double *A, int stride, double *x);
LB_HOT void lb_solve_upper(int n, const double *A, int stride, double *x);

/// x := A^-1 x for a factored A.
LB_HOT void lb_solve_ldl(int n, const double *A, int stride, double *x);

#endif // LB_SYMMETRIC_H
