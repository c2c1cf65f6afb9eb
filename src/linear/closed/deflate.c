// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of a matrix that are zero, taken out one null space at a time.
#include "deflate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "linear/linear.h"

// Echelon form: as many coordinates as there are vectors belong to one of them each, with the value 1.
static void reduce(int n, const double *weight, lb_deflation_level *level)
{
    double *X = level->X;
    for (int k = 0; k < level->count; ++k) {
        double largest = -1.0;
        int row = k, best = 0;
        for (int a = k; a < level->count; ++a) {
            for (int i = 0; i < n; ++i) {
                const double size = fabs(X[a * n + i]) / weight[i];
                bool taken = false;
                for (int j = 0; j < k; ++j) {
                    taken = taken || level->pivots[j] == i;
                }
                // of those that are equal up to round-off the first
                if (!taken && size > largest * (1.0 + 1e-6)) {
                    largest = size;
                    row = a;
                    best = i;
                }
            }
        }
        level->pivots[k] = best;
        const double unit = X[row * n + best];
        for (int i = 0; i < n; ++i) {
            const double x = X[row * n + i] / unit;
            X[row * n + i] = X[k * n + i];
            X[k * n + i] = x;
        }
        X[k * n + best] = 1.0;
        for (int a = 0; a < level->count; ++a) {
            const double f = a == k ? 0.0 : X[a * n + best];
            if (f != 0.0) {
                lb_add_scaled(n, -f, X + k * n, X + a * n);
                X[a * n + best] = 0.0;
            }
        }
    }
}

// In the order of the coordinates.
static void sort(int n, lb_deflation_level *level)
{
    for (int k = 1; k < level->count; ++k) {
        for (int a = k; a > 0 && level->pivots[a] < level->pivots[a - 1]; --a) {
            const int pivot = level->pivots[a];
            level->pivots[a] = level->pivots[a - 1];
            level->pivots[a - 1] = pivot;
            for (int i = 0; i < n; ++i) {
                const double x = level->X[a * n + i];
                level->X[a * n + i] = level->X[(a - 1) * n + i];
                level->X[(a - 1) * n + i] = x;
            }
        }
    }
}

// Lists the coordinates that are left.
static void list_rest(lb_deflation_level *level)
{
    int at = 0;
    for (int i = 0; i < level->n; ++i) {
        bool taken = false;
        for (int k = 0; k < level->count; ++k) {
            taken = taken || level->pivots[k] == i;
        }
        if (!taken) {
            level->rest[at++] = i;
        }
    }
}

// The matrix on the quotient by its null space                                          (CLL-6)
//
//     A X = 0,  X_p = 1:   A_q = A_rr - X_r'A_pr
//
// p the coordinates that the null vectors have one each, r the rest; E, how far entries are known, likewise
static void divide(const lb_deflation_level *level, const double *A, const double *E, double *A_q,
                   double *E_q)
{
    const int n = level->n, m = n - level->count;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            const int at = level->rest[i] * n + level->rest[j];
            double sum = A[at], error = E[at];
            for (int k = 0; k < level->count; ++k) {
                const double x = level->X[k * n + level->rest[i]];
                const int other = level->pivots[k] * n + level->rest[j];
                sum -= x * A[other];
                error += fabs(x) * (E[other] + 4.0 * DBL_EPSILON * fabs(A[other]));
            }
            A_q[i * m + j] = sum;
            E_q[i * m + j] = error;
        }
    }
}

static lb_status take_level(lb_arena *arena, int n, int count, lb_deflation_level *level)
{
    level->n = n;
    level->count = count;
    level->X = lb_take_numbers(arena, 2 * (size_t)count * (size_t)n + 1);
    level->A_p = level->X + (size_t)count * (size_t)n;
    level->pivots = lb_arena_take(arena, (size_t)n + 1, sizeof *level->pivots);
    level->rest = lb_arena_take(arena, (size_t)n + 1, sizeof *level->rest);
    return level->X && level->pivots && level->rest ? LB_OK : LB_E_MEMORY;
}

lb_status lb_deflate(int n, const double *A, const double *known, lb_arena *arena,
                     lb_deflation *out)
{
    const size_t size = (size_t)n * (size_t)n;
    double *E = lb_take_numbers(arena, size + 1);
    double *A_q = lb_take_numbers(arena, 2 * size + 1), *E_q = A_q + size;
    *out = (lb_deflation){.n = n, .rest = n, .A = lb_take_numbers(arena, size + 1), .E = E};
    if (!E || !A_q || !out->A) {
        return LB_E_MEMORY;
    }
    memcpy(out->A, A, size * sizeof *A);
    for (size_t i = 0; i < size; ++i) {
        // what products and quotients before have left
        E[i] = known ? known[i] : 256.0 * DBL_EPSILON * fabs(A[i]);
    }
    while (out->level_count < LB_DEFLATION_LEVELS && out->rest > 0) {
        lb_deflation_level *level = &out->levels[out->level_count];
        lb_null_space null;
        const int rest = out->rest;
        lb_status status = lb_take_null_space(arena, rest, &null);
        status = status < 0 ? status : lb_find_null_space(rest, out->A, E, &null);
        if (status < 0 || null.count == 0) {
            return status;
        }
        status = take_level(arena, rest, null.count, level);
        if (status < 0) {
            return status;
        }
        memcpy(level->X, null.right, (size_t)null.count * (size_t)rest * sizeof *level->X);
        reduce(rest, null.column, level);
        sort(rest, level);
        list_rest(level);
        for (int k = 0; k < level->count; ++k) {
            memcpy(level->A_p + k * rest, out->A + level->pivots[k] * rest,
                   (size_t)rest * sizeof *level->A_p);
        }
        divide(level, out->A, E, A_q, E_q);
        out->rest = rest - level->count;
        const size_t left = (size_t)out->rest * (size_t)out->rest;
        memcpy(out->A, A_q, left * sizeof *A_q);
        memcpy(E, E_q, left * sizeof *E_q);
        ++out->level_count;
    }
    return LB_OK;
}

// A x = s x with  x_p = A_pr y / s,  x_r = y + X_r'x_p                                   (CLL-6)
void lb_lift_right(const lb_deflation *d, double complex s, double complex *x,
                   double complex *scratch)
{
    for (int l = d->level_count - 1; l >= 0; --l) {
        const lb_deflation_level *level = &d->levels[l];
        const int n = level->n, m = n - level->count;
        memcpy(scratch, x, (size_t)m * sizeof *x);
        for (int i = 0; i < m; ++i) {
            x[level->rest[i]] = scratch[i];
        }
        for (int k = 0; k < level->count; ++k) {
            double complex sum = 0.0;
            for (int i = 0; i < m; ++i) {
                sum += level->A_p[k * n + level->rest[i]] * scratch[i];
            }
            x[level->pivots[k]] = sum / s;
        }
        for (int k = 0; k < level->count; ++k) {
            for (int i = 0; i < m; ++i) {
                x[level->rest[i]] += level->X[k * n + level->rest[i]] * x[level->pivots[k]];
            }
        }
    }
}

// w'A = s w' with  w_r = that of the quotient,  w_p = -X_r w_r                            (CLL-6)
void lb_lift_left(const lb_deflation *d, double complex *w, double complex *scratch)
{
    for (int l = d->level_count - 1; l >= 0; --l) {
        const lb_deflation_level *level = &d->levels[l];
        const int n = level->n, m = n - level->count;
        memcpy(scratch, w, (size_t)m * sizeof *w);
        for (int i = 0; i < m; ++i) {
            w[level->rest[i]] = scratch[i];
        }
        for (int k = 0; k < level->count; ++k) {
            double complex sum = 0.0;
            for (int i = 0; i < m; ++i) {
                sum -= level->X[k * n + level->rest[i]] * scratch[i];
            }
            w[level->pivots[k]] = sum;
        }
    }
}
