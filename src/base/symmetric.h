// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small dense symmetric matrices, stored whole, row by row.
#ifndef LB_SYMMETRIC_H
#define LB_SYMMETRIC_H

/// Eigenvalues, ascending, by cyclic Jacobi rotations. A (n x n) is destroyed.
void lb_compute_eigenvalues(int n, double *A, double *values);

/// A = L D L' in place without pivoting: D on the diagonal, unit L below. The upper triangle is
/// neither read nor written. Stops at a pivot with |d| <= threshold[i] (threshold may be NULL).
///
/// @return -1, or the index of the pivot at which it stopped
int lb_factor_ldl(int n, double *A, int stride, const double *threshold);

/// x := A^-1 x for a factored A.
void lb_solve_ldl(int n, const double *A, int stride, double *x);

#endif // LB_SYMMETRIC_H
