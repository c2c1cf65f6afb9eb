// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequency response of a state-space model.
#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linear.h"

typedef lapack_complex_double number;

// The unit of speeds in which stiffness and the definition of speeds weigh alike.
static double get_scale(const lb_linear *l)
{
    const int n = l->state_count, half = n / 2;
    double stiffness = 0.0;
    for (int i = half; i < n; ++i) {
        for (int j = 0; j < half; ++j) {
            stiffness = fmax(stiffness, fabs(l->A[i * n + j]));
        }
    }
    return stiffness > 0.0 ? sqrt(stiffness) : 1.0;
}

// X = (i w - A)^-1 B; false if that is singular to working precision.
static bool solve(const lb_linear *l, double w, double scale, number *S, number *X, int *pivots)
{
    const int n = l->state_count, m = l->input_count, half = n / 2;
    double norm = 0.0, rest = 0.0;
    for (int i = 0; i < n; ++i) {
        const double unit = i < half ? 1.0 : scale;
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            const number s = (i == j ? I * w : 0.0) - l->A[i * n + j];
            S[i * n + j] = s * (j < half ? 1.0 : scale) / unit;
            sum += cabs(S[i * n + j]);
        }
        norm = fmax(norm, sum);
        for (int j = 0; j < m; ++j) {
            X[i * m + j] = l->B[i * m + j] / unit;
        }
    }
    const bool good = LAPACKE_zgetrf(LAPACK_ROW_MAJOR, n, n, S, n, pivots) == 0 &&
                      LAPACKE_zgecon(LAPACK_ROW_MAJOR, 'I', n, S, n, norm, &rest) == 0 &&
                      rest > DBL_EPSILON * n &&
                      LAPACKE_zgetrs(LAPACK_ROW_MAJOR, 'N', n, m, S, n, pivots, X, m) == 0;
    for (int i = half * m; i < n * m; ++i) {
        X[i] *= scale;
    }
    return good;
}

// G = C (i w - A)^-1 B + D                                                              (LIN-12)
lb_status lb_compute_response(const lb_linear *l, int count, const double *frequencies,
                              double *response)
{
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    const double scale = get_scale(l);
    lb_arena arena = lb_make_arena(NULL);
    number *S = lb_arena_take(&arena, (size_t)n * (size_t)n + 1, sizeof *S);
    number *X = lb_arena_take(&arena, (size_t)n * (size_t)m + 1, sizeof *X);
    int *pivots = lb_arena_take(&arena, (size_t)n + 1, sizeof *pivots);
    lb_status status = S && X && pivots ? LB_OK : LB_E_MEMORY;
    for (int k = 0; k < count && status != LB_E_MEMORY; ++k) {
        double *out = response + 2 * (size_t)k * (size_t)m * (size_t)p;
        const bool good =
            n == 0 || m == 0 || solve(l, 6.283185307179586 * frequencies[k], scale, S, X, pivots);
        status = good ? status : LB_E_SINGULAR;
        for (int i = 0; i < p; ++i) {
            for (int j = 0; j < m; ++j) {
                double complex sum = l->D[i * m + j];
                for (int x = 0; x < n; ++x) {
                    sum += l->C[i * n + x] * X[x * m + j];
                }
                out[2 * (i * m + j)] = good ? creal(sum) : NAN;
                out[2 * (i * m + j) + 1] = good ? cimag(sum) : NAN;
            }
        }
    }
    lb_arena_free(&arena);
    return status;
}
