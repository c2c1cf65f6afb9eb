// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small dense vectors and matrices, stored row by row. Sums run in the order of the entries.
#ifndef LB_DENSE_H
#define LB_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "limber/base.h"

// ---- vectors -----------------------------------------------------------------------------------

static inline double lb_compute_dot(ptrdiff_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static inline double lb_compute_norm(ptrdiff_t n, const double *x)
{
    return sqrt(lb_compute_dot(n, x, x));
}

/// The largest magnitude, zero of nothing; NaN is passed over.
static inline double lb_find_largest(ptrdiff_t n, const double *x)
{
    double largest = 0.0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/// y += a x
static inline void lb_add_scaled(ptrdiff_t n, double a, const double *x, double *y)
{
    for (ptrdiff_t i = 0; i < n; ++i) {
        y[i] += a * x[i];
    }
}

// ---- products ----------------------------------------------------------------------------------

/// y += a A x and y += a A' x, A of m x n.
void lb_add_image(ptrdiff_t m, ptrdiff_t n, double a, const double *A, const double *x, double *y);
void lb_add_transposed_image(ptrdiff_t m, ptrdiff_t n, double a, const double *A, const double *x,
                             double *y);

/// C += a A B, A of m x k and B of k x n.
void lb_add_matrix_product(ptrdiff_t m, ptrdiff_t k, ptrdiff_t n, double a, const double *A,
                           const double *B, double *C);

/// C = A B, likewise.
void lb_form_product(ptrdiff_t m, ptrdiff_t k, ptrdiff_t n, const double *A, const double *B,
                     double *C);

/// C = A' B, A of k x m and B of k x n.
void lb_form_transposed_product(ptrdiff_t k, ptrdiff_t m, ptrdiff_t n, const double *A,
                                const double *B, double *C);

// ---- equations ---------------------------------------------------------------------------------

/// x := R^-1 x of an upper triangle in rows `stride` apart.
static inline void lb_solve_triangle(int n, int stride, const double *R, double *x)
{
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            x[i] -= R[i * stride + j] * x[j];
        }
        x[i] /= R[i * stride + i];
    }
}

/// x := R'^-1 x, likewise.
static inline void lb_solve_transposed_triangle(int n, int stride, const double *R, double *x)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= R[j * stride + i] * x[j];
        }
        x[i] /= R[i * stride + i];
    }
}

/// What a function of LAPACKE has returned as a status. If it had no memory for its own scratch arrays it
/// returns -1010 or -1011; everything else but zero means `failure`.
static inline lb_status lb_check_lapack(int info, lb_status failure)
{
    return info == 0 ? LB_OK : info == -1010 || info == -1011 ? LB_E_MEMORY : failure;
}

/// LU factors with row exchanges, in place; false if singular.
bool lb_factor_lu(int n, double *S, int *pivot);

/// b := S^-1 b with those factors.
void lb_solve_lu(int n, const double *S, const int *pivot, double *b);

#endif // LB_DENSE_H
