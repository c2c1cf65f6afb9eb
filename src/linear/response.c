// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequency response of a state-space model.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "linear.h"

typedef lapack_complex_double number;

// A and C with speeds seen from frames that move along with free bodies                 (LIN-17)
//
//     A' = L^-1 (A - [0 0; Z_dot 0]) L,   C' = C L,   L = [I 0; Z I]
//
// The answer is the same; at orbital speeds its digits are not.
//
// States behind those of the coordinates, those of controllers, stay.
bool lb_enter_frame(const lb_linear *l, lb_arena *arena, lb_linear *own)
{
    const int n = l->state_count, half = l->coordinate_count, p = l->output_count;
    double *A = lb_take_numbers(arena, (size_t)n * (size_t)n + 1);
    double *C = lb_take_numbers(arena, (size_t)p * (size_t)n + 1);
    *own = *l;
    if (!A || !C) {
        return false;
    }
    memcpy(A, l->A, (size_t)n * (size_t)n * sizeof *A);
    memcpy(C, l->C, (size_t)p * (size_t)n * sizeof *C);
    for (int i = 0; i < half; ++i) {
        lb_add_scaled(half, -1.0, l->carry_rate + i * half, A + (half + i) * n);
    }
    for (int i = 0; i < half; ++i) {
        for (int k = 0; k < half; ++k) {
            const double z = l->carry[i * half + k];
            if (z != 0.0) {
                lb_add_scaled(n, -z, A + k * n, A + (half + i) * n);
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        lb_add_transposed_image(half, half, 1.0, l->carry, A + i * n + half, A + i * n);
    }
    for (int i = 0; i < p; ++i) {
        lb_add_transposed_image(half, half, 1.0, l->carry, C + i * n + half, C + i * n);
    }
    own->A = A;
    own->C = C;
    return true;
}

// X = (s - A)^-1 B; LB_E_SINGULAR if that is singular to working precision. Columns are weighed by d, which
// balances A, and rows by their largest entries: fast and slow parts of a system weigh alike.
static lb_status solve(const lb_linear *l, number s, const double *d, number *S, number *X,
                       int *pivots)
{
    const int n = l->state_count, m = l->input_count;
    double norm = 0.0, rest = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0, largest = 0.0;
        for (int j = 0; j < n; ++j) {
            S[i * n + j] = ((i == j ? s : 0.0) - l->A[i * n + j]) * d[j];
            largest = fmax(largest, cabs(S[i * n + j]));
        }
        const double unit = largest > 0.0 ? largest : 1.0;
        for (int j = 0; j < n; ++j) {
            S[i * n + j] /= unit;
            sum += cabs(S[i * n + j]);
        }
        norm = fmax(norm, sum);
        for (int j = 0; j < m; ++j) {
            X[i * m + j] = l->B[i * m + j] / unit;
        }
    }
    int info = LB_LAPACK(zgetrf, LAPACK_ROW_MAJOR, n, n, S, n, pivots);
    info = info ? info : LB_LAPACK(zgecon, LAPACK_ROW_MAJOR, 'I', n, S, n, norm, &rest);
    lb_status status = lb_check_lapack(info, LB_E_SINGULAR);
    status = status == LB_OK && !(rest > DBL_EPSILON * n) ? LB_E_SINGULAR : status;
    if (status == LB_OK) {
        status = lb_check_lapack(LB_LAPACK(zgetrs, LAPACK_ROW_MAJOR, 'N', n, m, S, n, pivots, X, m),
                                 LB_E_SINGULAR);
    }
    for (int i = 0; i < n * m; ++i) {
        X[i] *= d[i / m];
    }
    return status;
}

// Factors that balance A; its copy is lost.
static bool balance(int n, double *A, double *d)
{
    int low = 0, high = 0;
    return n == 0 || LB_LAPACK(dgebal, LAPACK_ROW_MAJOR, 'S', n, A, n, &low, &high, d) == 0;
}

// G = C (s - A)^-1 B + D,  s = i w, of discrete models exp(i w T)                       (LIN-12)
lb_status lb_evaluate_response(const lb_linear *l, int count, const double *frequencies,
                               double *response)
{
    lb_arena arena = lb_make_arena(NULL);
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    double *copy = lb_take_numbers(&arena, (size_t)n * (size_t)n + (size_t)n + 1),
           *d = copy + n * n;
    number *S = lb_arena_take(&arena, (size_t)n * (size_t)n + 1, sizeof *S);
    number *X = lb_arena_take(&arena, (size_t)n * (size_t)m + 1, sizeof *X);
    int *pivots = lb_arena_take(&arena, (size_t)n + 1, sizeof *pivots);
    lb_status status = copy && S && X && pivots ? LB_OK : LB_E_MEMORY;
    if (status >= 0) {
        memcpy(copy, l->A, (size_t)n * (size_t)n * sizeof *copy);
        status = balance(n, copy, d) ? LB_OK : LB_E_MEMORY;
    }
    for (int k = 0; k < count && status != LB_E_MEMORY; ++k) {
        double *out = response + 2 * (size_t)k * (size_t)m * (size_t)p;
        const number w = I * (6.283185307179586 * frequencies[k]);
        const lb_status solved =
            n == 0 || m == 0 ? LB_OK
                             : solve(l, l->period > 0.0 ? cexp(w * l->period) : w, d, S, X, pivots);
        const bool good = solved == LB_OK;
        status = good ? status : solved;
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

lb_status lb_compute_response(const lb_linear *linear, int count, const double *frequencies,
                              double *response)
{
    for (int k = 0; k < count; ++k) {
        if (!isfinite(frequencies[k])) {
            return LB_E_NUMBER;
        }
    }
    if (linear->sampled) {
        return lb_evaluate_sampled(linear->sampled, count, frequencies, response, NULL);
    }
    lb_arena arena = lb_make_arena(NULL);
    lb_linear framed, own;
    lb_status status = lb_enter_frame(linear, &arena, &framed) ? LB_OK : LB_E_MEMORY;
    status = status < 0 ? status : lb_take_path(&framed, &arena, &own);
    status = status < 0 ? status : lb_evaluate_response(&own, count, frequencies, response);
    lb_arena_free(&arena);
    return status;
}
