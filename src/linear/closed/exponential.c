// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The exponential of a matrix.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "closed_loop.h"

// Largest sum of absolute values in a row.
static double find_norm(int n, const double *A)
{
    double norm = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += fabs(A[i * n + j]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

// E = 1 + X (1 + X/2 (1 + X/3 (...))), then squared as often as X was halved. Units are balanced by
// powers of two, so that fast parts do not ask for more squarings than they need.
lb_status lb_form_exponential(int n, const double *A, double t, double *E)
{
    // what is left out is below 1e-17 for a norm of 1/2
    enum { TERMS = 14 };
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)n * (size_t)n;
    double *X = lb_take_numbers(&arena, 2 * size + (size_t)n + 1), *Y = X + size, *d = Y + size;
    int low = 0, high = 0;
    if (!X) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < size; ++i) {
        X[i] = A[i] * t;
    }
    if (n > 0 && LB_LAPACK(dgebal, LAPACK_ROW_MAJOR, 'S', n, X, n, &low, &high, d) != 0) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    int halvings = 0;
    for (double norm = find_norm(n, X); norm > 0.5 && isfinite(norm); norm *= 0.5) {
        ++halvings;
    }
    const double scale = ldexp(1.0, -halvings);
    for (size_t i = 0; i < size; ++i) {
        X[i] *= scale;
        E[i] = i % ((size_t)n + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = TERMS; k > 0; --k) {
        lb_form_product(n, n, n, X, E, Y);
        for (size_t i = 0; i < size; ++i) {
            E[i] = Y[i] / k + (i % ((size_t)n + 1) == 0 ? 1.0 : 0.0);
        }
    }
    for (; halvings > 0; --halvings) {
        lb_form_product(n, n, n, E, E, Y);
        memcpy(E, Y, size * sizeof *E);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            E[i * n + j] *= d[i] / d[j];
        }
    }
    lb_arena_free(&arena);
    return LB_OK;
}
