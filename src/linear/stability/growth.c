// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which poles grow: those that no round-off can move back onto the axis of motions that stay as they are.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "linear/linear.h"

// Factors that bring the largest entry of every row and column near to 1.
static void equilibrate(int n, const lapack_complex_double *S, double *row, double *column)
{
    enum { ROUNDS = 8 };
    for (int i = 0; i < n; ++i) {
        row[i] = column[i] = 1.0;
    }
    for (int side = 0; side < 2 * ROUNDS; ++side) {
        for (int i = 0; i < n; ++i) {
            double largest = 0.0;
            for (int j = 0; j < n; ++j) {
                const double size =
                    side % 2 ? cabs(S[j * n + i]) * row[j] : cabs(S[i * n + j]) * column[j];
                largest = fmax(largest, size);
            }
            double *factor = side % 2 ? &column[i] : &row[i];
            *factor = largest > 0.0 ? 1.0 / largest : 1.0;
        }
    }
}

// Whether a matrix whose entries are known to E may be singular                         (STB-1)
//
//     R S C = U diag(sigma) V^H,   sigma_n <= 16 n eps sigma_1 + 4 |u_n|'R E C |v_n|
//
// R, C diagonal, so that no row or column is small beside another
lb_status lb_may_be_singular(int n, double _Complex *S, const double *E, bool *may)
{
    lb_arena arena = lb_make_arena(NULL);
    const size_t size = (size_t)n * (size_t)n;
    lapack_complex_double *U = lb_arena_take(&arena, 2 * size + 1, sizeof *U), *Vt = U + size;
    double *row = lb_take_numbers(&arena, 4 * (size_t)n + 1);
    *may = false;
    if (!U || !row) {
        lb_arena_free(&arena);
        return LB_E_MEMORY;
    }
    double *column = row + n, *sigma = column + n, *super = sigma + n;
    equilibrate(n, S, row, column);
    for (int i = 0; i < n * n; ++i) {
        S[i] *= row[i / n] * column[i % n];
    }
    const int info =
        n > 0 ? LB_LAPACK(zgesvd, LAPACK_ROW_MAJOR, 'A', 'A', n, n, S, n, sigma, U, n, Vt, n, super)
              : 0;
    const lb_status status = lb_check_lapack(info, LB_E_NUMBER);
    if (status >= 0 && n > 0) {
        double noise = 0.0;
        for (int i = 0; i < n; ++i) {
            const double u = cabs(U[i * n + n - 1]) * row[i];
            for (int j = 0; j < n; ++j) {
                noise += u * E[i * n + j] * column[j] * cabs(Vt[(n - 1) * n + j]);
            }
        }
        *may = sigma[n - 1] <= 16.0 * n * DBL_EPSILON * sigma[0] + 4.0 * noise;
    }
    lb_arena_free(&arena);
    return status;
}

bool lb_find_growth(int count, const double *values, double growth[2])
{
    growth[0] = growth[1] = 0.0;
    for (int i = 0; i < count; ++i) {
        if (values[2 * i] > growth[0] && values[2 * i + 1] >= 0.0) {
            memcpy(growth, values + 2 * i, 2 * sizeof *growth);
        }
    }
    return growth[0] > 0.0;
}
