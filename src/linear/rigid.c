// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motions without resistance: null spaces, told from what is merely soft.
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "linear.h"

// Row and column factors that bring the largest entry of every row and column near to 1; rows and
// columns of zeros keep the factor 1.
static void equilibrate(int n, const double *K, double *row, double *column)
{
    enum { ROUNDS = 8 };
    for (int i = 0; i < n; ++i) {
        row[i] = column[i] = 1.0;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < n; ++i) {
                double largest = 0.0;
                for (int j = 0; j < n; ++j) {
                    const double x = side ? K[j * n + i] * row[j] * column[i]
                                          : K[i * n + j] * row[i] * column[j];
                    largest = fmax(largest, fabs(x));
                }
                double *factor = side ? &column[i] : &row[i];
                // by half the way, so that a symmetric matrix stays one
                *factor = largest > 0.0 ? *factor / sqrt(largest) : *factor;
            }
        }
    }
}

// |u|'E |v| with the factors: what errors can make of a singular value.
static double find_noise(int n, const double *E, const double *row, const double *column,
                         const double *u, int u_stride, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double x = fabs(row[i] * u[i * u_stride]);
        for (int j = 0; j < n && x > 0.0; ++j) {
            sum += x * E[i * n + j] * fabs(column[j] * v[j]);
        }
    }
    return sum;
}

// Size of the errors of R K S, rows and columns of zeros left out.
static double find_error(int n, const double *K, const double *E, const double *row,
                         const double *column)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n && lb_find_largest(n, K + i * n) > 0.0; ++j) {
            double largest = 0.0;
            for (int k = 0; k < n && E[i * n + j] > 0.0; ++k) {
                largest = fmax(largest, fabs(K[k * n + j]));
            }
            sum = hypot(sum, largest > 0.0 ? row[i] * E[i * n + j] * column[j] : 0.0);
        }
    }
    return sum;
}

// By how much entries of vectors of the null space may be wrong: the error over the gap. What is smaller
// is zero.
static void clear(int n, lb_null_space *null, double error)
{
    double gap = INFINITY;
    for (int k = 0; k < n; ++k) {
        gap = null->sigma[k] > 0.0 ? fmin(gap, null->sigma[k]) : gap;
    }
    // vectors known to fewer than six digits are left as they are
    const double fuzz = error <= 1e-6 * gap ? error / gap : 0.0;
    for (int i = 0; i < n; ++i) {
        null->right_error[i] = fuzz * null->column[i];
        null->left_error[i] = fuzz * null->row[i];
        for (int k = 0; k < null->count; ++k) {
            double *x = &null->right[k * n + i], *y = &null->left[k * n + i];
            *x = fabs(*x) <= null->right_error[i] ? 0.0 : *x;
            *y = fabs(*y) <= null->left_error[i] ? 0.0 : *y;
        }
    }
}

lb_status lb_take_null_space(lb_arena *arena, int n, lb_null_space *null)
{
    const size_t size = (size_t)n * (size_t)n;
    *null = (lb_null_space){.n = n};
    null->right = lb_take_numbers(arena, 4 * size + 6 * (size_t)n);
    if (!null->right) {
        return LB_E_MEMORY;
    }
    null->left = null->right + size;
    null->U = null->left + size;
    null->Vt = null->U + size;
    null->row = null->Vt + size;
    null->column = null->row + n;
    null->sigma = null->column + n;
    null->super = null->sigma + n;
    null->right_error = null->super + n;
    null->left_error = null->right_error + n;
    return LB_OK;
}

// Null space of K by its structure                                                      (LIN-4)
//
//     R K S = U diag(sigma) V',   sigma = 0 where  sigma <= 16 n eps + 4 |u|'R E S |v|
//
// given     E     how far entries of K are known
//           R, S  diagonal: no row or column of R K S is small beside another
// computes  right  x = S v with K x = 0, rows;   left  y = R u with y'K = 0, rows
lb_status lb_find_null_space(int n, const double *K, const double *E, lb_null_space *null)
{
    null->count = 0;
    if (n == 0) {
        return LB_OK;
    }
    equilibrate(n, K, null->row, null->column);
    double *scaled = null->right;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            scaled[i * n + j] = null->row[i] * K[i * n + j] * null->column[j];
        }
    }
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'A', n, n, scaled, n, null->sigma, null->U, n,
                       null->Vt, n, null->super) != 0) {
        return LB_E_NUMBER;
    }
    for (int k = n - 1; k >= 0; --k) {
        const double noise =
            find_noise(n, E, null->row, null->column, null->U + k, n, null->Vt + k * n);
        if (null->sigma[k] > 16.0 * n * DBL_EPSILON * fmax(null->sigma[0], 1.0) + 4.0 * noise) {
            continue;
        }
        null->sigma[k] = 0.0;
        for (int i = 0; i < n; ++i) {
            null->right[null->count * n + i] = null->column[i] * null->Vt[k * n + i];
            null->left[null->count * n + i] = null->row[i] * null->U[i * n + k];
        }
        null->count += 1;
    }
    const double error = find_error(n, K, E, null->row, null->column);
    clear(n, null, 16.0 * n * DBL_EPSILON * fmax(null->sigma[0], 1.0) + 4.0 * error);
    return LB_OK;
}

// x = K^+ b: of least size by the factors, and as if b were in the range.
void lb_solve_beside(const lb_null_space *null, const double *b, double *x)
{
    const int n = null->n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < n; ++k) {
        double part = 0.0;
        for (int i = 0; i < n && null->sigma[k] > 0.0; ++i) {
            part += null->U[i * n + k] * null->row[i] * b[i];
        }
        for (int i = 0; i < n && null->sigma[k] > 0.0; ++i) {
            x[i] += null->column[i] * null->Vt[k * n + i] * part / null->sigma[k];
        }
    }
}
