// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motions without resistance: null spaces, told from what is merely soft.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
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

// How noisy a row or column is, its entries apart by `stride`: the sum of its errors, 0 if its largest
// entry is above eight of its largest error, all with the factors.
static double find_line_noise(int n, const double *K, const double *E, int stride, double factor,
                              const double *factors)
{
    double largest = 0.0, error = 0.0, sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double size = E[i * stride] * factors[i] * factor;
        largest = fmax(largest, fabs(K[i * stride]) * factors[i] * factor);
        error = fmax(error, size);
        sum += size;
    }
    return largest > 0.0 && largest <= 8.0 * error ? sum : 0.0;
}

// Factors of K, of which rows and columns that are round-off are zeroed, the noisiest first: an entry left
// over among round-off would set the scale of its column, and the errors beside it would hide what the
// others hold.
static void settle(int n, double *K, const double *E, double *row, double *column)
{
    for (;;) {
        equilibrate(n, K, row, column);
        double most = 0.0;
        int line = 0, stride = 1;
        for (int i = 0; i < n; ++i) {
            const double down = find_line_noise(n, K + i, E + i, n, column[i], row);
            const double across = find_line_noise(n, K + i * n, E + i * n, 1, row[i], column);
            if (fmax(down, across) > most) {
                most = fmax(down, across);
                stride = down >= across ? n : 1;
                line = down >= across ? i : i * n;
            }
        }
        if (most == 0.0) {
            return;
        }
        for (int i = 0; i < n; ++i) {
            K[line + i * stride] = 0.0;
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

// By how much entries of a vector of the null space may be wrong, to first order         (LIN-4)
//
//     |dx| <= sum over k of S|v_k| (4 |u_k|'R E |x| + 16 n eps) / sigma_k
//
// given     x  of the right null space; of the left with R and S, u and v exchanged and E transposed
static void find_vector_error(const lb_null_space *null, const double *E, bool right,
                              const double *x, double *error)
{
    const int n = null->n;
    const double *inner = right ? null->row : null->column;
    const double *outer = right ? null->column : null->row;
    double *w = null->super;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += (right ? E[i * n + j] : E[j * n + i]) * fabs(x[j]);
        }
        w[i] = 4.0 * inner[i] * sum;
        error[i] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
        const double sigma = null->sigma[k];
        double noise = 16.0 * n * DBL_EPSILON * fmax(null->sigma[0], 1.0);
        for (int i = 0; i < n && sigma > 0.0; ++i) {
            noise += w[i] * fabs(right ? null->U[i * n + k] : null->Vt[k * n + i]);
        }
        for (int i = 0; i < n && sigma > 0.0; ++i) {
            const double part = right ? null->Vt[k * n + i] : null->U[i * n + k];
            error[i] += outer[i] * fabs(part) * noise / sigma;
        }
    }
}

// Entries that are smaller than their errors are zero; vectors known to fewer than six digits are left as
// they are.
static void clear(int n, const double *factors, const double *error, double *x)
{
    double fuzz = 0.0;
    for (int i = 0; i < n; ++i) {
        fuzz = fmax(fuzz, error[i] / factors[i]);
    }
    for (int i = 0; i < n && fuzz <= 1e-6; ++i) {
        x[i] = fabs(x[i]) <= error[i] ? 0.0 : x[i];
    }
}

lb_status lb_take_null_space(lb_arena *arena, int n, lb_null_space *null)
{
    const size_t size = (size_t)n * (size_t)n;
    *null = (lb_null_space){.n = n};
    null->right = lb_take_numbers(arena, 6 * size + 4 * (size_t)n);
    if (!null->right) {
        return LB_E_MEMORY;
    }
    null->left = null->right + size;
    null->U = null->left + size;
    null->Vt = null->U + size;
    null->right_error = null->Vt + size;
    null->left_error = null->right_error + size;
    null->row = null->left_error + size;
    null->column = null->row + n;
    null->sigma = null->column + n;
    null->super = null->sigma + n;
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
    double *scaled = null->right;
    memcpy(scaled, K, (size_t)n * (size_t)n * sizeof *K);
    settle(n, scaled, E, null->row, null->column);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            scaled[i * n + j] *= null->row[i] * null->column[j];
        }
    }
    const int info = LB_LAPACK(dgesvd, LAPACK_ROW_MAJOR, 'A', 'A', n, n, scaled, n, null->sigma,
                               null->U, n, null->Vt, n, null->super);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
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
    for (int k = 0; k < null->count; ++k) {
        double *x = null->right + k * n, *x_error = null->right_error + k * n;
        double *y = null->left + k * n, *y_error = null->left_error + k * n;
        find_vector_error(null, E, true, x, x_error);
        find_vector_error(null, E, false, y, y_error);
        clear(n, null->column, x_error, x);
        clear(n, null->row, y_error, y);
    }
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
