// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "symmetric.h"

#include <math.h>
#include <stddef.h>

// Cyclic Jacobi rotations until A is diagonal; columns of V, where given, turn along.
static void diagonalize(int n, double *A, double *V)
{
    enum { SWEEPS = 60 };
    // what rounding has made different would never get smaller
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            A[j * n + i] = A[i * n + j];
        }
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double off = 0.0, diagonal = 0.0;
        for (int i = 0; i < n; ++i) {
            diagonal += A[i * n + i] * A[i * n + i];
            for (int j = 0; j < i; ++j) {
                off += A[i * n + j] * A[i * n + j];
            }
        }
        if (off <= 1e-34 * diagonal || off == 0.0) {
            break;
        }
        for (int p = 0; p < n - 1; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (A[p * n + q] == 0.0) {
                    continue;
                }
                // the rotation that annihilates A_pq
                const double theta = (A[q * n + q] - A[p * n + p]) / (2.0 * A[p * n + q]);
                const double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + hypot(1.0, theta));
                const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int k = 0; k < n; ++k) {
                    const double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b;
                    A[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; ++k) {
                    const double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b;
                    A[q * n + k] = s * a + c * b;
                }
                A[p * n + q] = A[q * n + p] = 0.0;
                for (int k = 0; V && k < n; ++k) {
                    const double a = V[k * n + p], b = V[k * n + q];
                    V[k * n + p] = c * a - s * b;
                    V[k * n + q] = s * a + c * b;
                }
            }
        }
    }
}

void lb_compute_eigenvectors(int n, double *A, double *V)
{
    for (int i = 0; i < n * n; ++i) {
        V[i] = i % (n + 1) == 0;
    }
    diagonalize(n, A, V);
}

void lb_compute_eigenvalues(int n, double *A, double *values)
{
    diagonalize(n, A, NULL);
    // insertion sort of the diagonal
    for (int i = 0; i < n; ++i) {
        const double value = A[i * n + i];
        int j = i;
        for (; j > 0 && values[j - 1] > value; --j) {
            values[j] = values[j - 1];
        }
        values[j] = value;
    }
}

// Inlined below with n known, so that small matrices are factored without loops.
static inline __attribute__((always_inline)) int factor(int n, double *A, int stride,
                                                        const double *threshold)
{
    // row by row: u_ij = L_ij d_j = A_ij - sum_k u_ik L_jk,  d_i = A_ii - sum_k u_ik L_ik
    for (int i = 0; i < n; ++i) {
        double *row_i = A + (ptrdiff_t)i * stride;
        for (int j = 1; j < i; ++j) {
            const double *row_j = A + (ptrdiff_t)j * stride;
            double sum = row_i[j];
            for (int k = 0; k < j; ++k) {
                sum -= row_i[k] * row_j[k];
            }
            row_i[j] = sum;
        }
        double d = row_i[i];
        for (int k = 0; k < i; ++k) {
            const double u = row_i[k];
            row_i[k] = u * A[(ptrdiff_t)k * stride + k];
            d -= u * row_i[k];
        }
        row_i[i] = d;
        if (!(fabs(d) > (threshold ? threshold[i] : 0.0))) {
            return i;
        }
        row_i[i] = 1.0 / d;
    }
    return -1;
}

int lb_factor_ldl(int n, double *A, int stride, const double *threshold)
{
    if (stride == n) {
        switch (n) {
#define LB_CASE(size)                                                                              \
    case size:                                                                                     \
        return factor(size, A, size, threshold);
            LB_CASES_TO_SIX
            LB_CASE(7)
            LB_CASE(8)
#undef LB_CASE
        default:
            break;
        }
    }
    return factor(n, A, stride, threshold);
}

void lb_solve_lower(int n, const double *A, int stride, double *x)
{
    for (int i = 1; i < n; ++i) {
        const double *row = A + (ptrdiff_t)i * stride;
        for (int k = 0; k < i; ++k) {
            x[i] -= row[k] * x[k];
        }
    }
}

void lb_solve_upper(int n, const double *A, int stride, double *x)
{
    for (int i = n - 1; i > 0; --i) {
        const double *row = A + (ptrdiff_t)i * stride;
        for (int k = 0; k < i; ++k) {
            x[k] -= row[k] * x[i];
        }
    }
}

void lb_solve_ldl(int n, const double *A, int stride, double *x)
{
    lb_solve_lower(n, A, stride, x);
    for (int i = 0; i < n; ++i) {
        x[i] *= A[(ptrdiff_t)i * stride + i];
    }
    lb_solve_upper(n, A, stride, x);
}
