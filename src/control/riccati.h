// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Optimal gains of linear systems.
#ifndef LB_CONTROL_RICCATI_H
#define LB_CONTROL_RICCATI_H

#include "limber/base.h"

/// Gains of the regulator u = -K x that minimises the integral of x'Q x + u'R u on x_dot = A x + B u,
/// by the stable invariant subspace of the Hamiltonian. Allocates.                    (CTL-10)
///
/// @param n, m  entries of x and of u
/// @param A, Q  n x n; Q symmetric
/// @param B     n x m
/// @param R     m: a diagonal, positive
/// @param K     out: m x n
/// @return LB_OK, LB_E_MEMORY, or LB_E_SINGULAR if there is no such regulator: something that neither
///         dies out by itself nor can be controlled
lb_status lb_solve_regulator(int n, int m, const double *A, const double *B, const double *Q,
                             const double *R, double *K);

/// Gains of the observer x_dot = A x + L (y - C x) against noise of intensity W in the state and V in
/// the p measurements: the same problem, transposed.
///
/// @param C  p x n
/// @param W  n x n, symmetric
/// @param V  p: a diagonal, positive
/// @param L  out: n x p
lb_status lb_solve_observer(int n, int p, const double *A, const double *C, const double *W,
                            const double *V, double *L);

#endif // LB_CONTROL_RICCATI_H
