// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include <string.h>

void lb_add_image(ptrdiff_t m, ptrdiff_t n, double a, const double *A, const double *x, double *y)
{
    for (ptrdiff_t i = 0; i < m; ++i) {
        y[i] += a * lb_compute_dot(n, A + i * n, x);
    }
}

void lb_add_transposed_image(ptrdiff_t m, ptrdiff_t n, double a, const double *A, const double *x,
                             double *y)
{
    for (ptrdiff_t i = 0; i < m; ++i) {
        for (ptrdiff_t j = 0; x[i] != 0.0 && j < n; ++j) {
            y[j] += a * A[i * n + j] * x[i];
        }
    }
}

void lb_add_matrix_product(ptrdiff_t m, ptrdiff_t k, ptrdiff_t n, double a, const double *A,
                           const double *B, double *C)
{
    for (ptrdiff_t i = 0; i < m; ++i) {
        for (ptrdiff_t j = 0; j < k; ++j) {
            const double factor = a * A[i * k + j];
            if (factor != 0.0) {
                lb_add_scaled(n, factor, B + j * n, C + i * n);
            }
        }
    }
}

void lb_form_product(ptrdiff_t m, ptrdiff_t k, ptrdiff_t n, const double *A, const double *B,
                     double *C)
{
    memset(C, 0, (size_t)(m * n) * sizeof *C);
    lb_add_matrix_product(m, k, n, 1.0, A, B, C);
}

void lb_form_transposed_product(ptrdiff_t k, ptrdiff_t m, ptrdiff_t n, const double *A,
                                const double *B, double *C)
{
    memset(C, 0, (size_t)(m * n) * sizeof *C);
    for (ptrdiff_t j = 0; j < k; ++j) {
        for (ptrdiff_t i = 0; i < m; ++i) {
            const double factor = A[j * m + i];
            if (factor != 0.0) {
                lb_add_scaled(n, factor, B + j * n, C + i * n);
            }
        }
    }
}

bool lb_factor_lu(int n, double *S, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(S[i * n + k]) > fabs(S[p * n + k]) ? i : p;
        }
        pivot[k] = p;
        if (!(fabs(S[p * n + k]) > 0.0)) {
            return false;
        }
        for (int j = 0; p != k && j < n; ++j) {
            const double kept = S[k * n + j];
            S[k * n + j] = S[p * n + j];
            S[p * n + j] = kept;
        }
        for (int i = k + 1; i < n; ++i) {
            const double l = S[i * n + k] / S[k * n + k];
            S[i * n + k] = l;
            for (int j = k + 1; l != 0.0 && j < n; ++j) {
                S[i * n + j] -= l * S[k * n + j];
            }
        }
    }
    return true;
}

void lb_solve_lu(int n, const double *S, const int *pivot, double *b)
{
    for (int k = 0; k < n; ++k) {
        const double kept = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = kept;
    }
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            b[i] -= S[i * n + j] * b[j];
        }
    }
    lb_solve_triangle(n, n, S, b);
}
