// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modes of a system that is undamped and at rest: a symmetric eigenproblem.
#include <math.h>
#include <string.h>

#include "system_modes.h"

#include "base/dense.h"
#include "base/lapack/locked.h"

// Whether (LIN-1) is M da + K xi = 0 with a symmetric K. Written so that a NaN fails.
bool lb_is_symmetric_problem(const lb_mode_problem *p)
{
    const int n = p->n;
    const double *K = p->K, *E = p->tangent.K_error;
    bool even = lb_find_largest(n * n, p->C) == 0.0 && lb_find_largest(n * n, p->N) == 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double a = K[i * n + j], b = K[j * n + i];
            const double size = fabs(a) + fabs(b) + sqrt(fabs(K[i * n + i] * K[j * n + j]));
            const double error = E[i * n + j] + E[j * n + i];
            even = even && fabs(a - b) <= 1e-10 * size + 8.0 * error;
        }
    }
    return even;
}

// Scratch of a symmetric problem of n coordinates.
typedef struct pair {
    int n;
    double *K, *M;      // n x n
    double *square, *Y; // eigenvalues; vectors, columns
} pair;

// Slow modes beside fast ones to full digits, for K > 0                                (LIN-22)
//
//     K = D L L'D,  M = F F',  F^-1 D = Q R P',  R P'L = U S V':   w = S,  y = F^-T Q U
//
// D the roots of the diagonal of K. Nothing is added to what is much larger: F and L depend little on
// units, R has rows as different as D has entries, and Jacobi's rotations respect that.
//
// Source: Demmel, Gu, Eisenstat, Slapnicar, Veselic and Drmac (1999), algorithm 3.1.
//
// returns   LB_E_SINGULAR if K is not positive definite
static lb_status solve_graded(const pair *p, double *scratch, int *pivots)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    double *F = scratch, *L = F + size, *G = L + size, *W = G + size, *V = W + size;
    double *tau = V + size, *D = tau + n, *values = D + n, stat[6];
    for (int i = 0; i < n; ++i) {
        if (!(p->K[i * n + i] > 0.0)) {
            return LB_E_SINGULAR;
        }
        D[i] = sqrt(p->K[i * n + i]);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            L[i * n + j] = j <= i ? p->K[i * n + j] / (D[i] * D[j]) : 0.0;
            F[i * n + j] = p->M[i * n + j];
            G[i * n + j] = i == j ? D[i] : 0.0;
            pivots[i] = 0;
        }
    }
    int info = LB_LAPACK(dpotrf, LAPACK_ROW_MAJOR, 'L', n, L, n);
    info = info ? info : LB_LAPACK(dpotrf, LAPACK_ROW_MAJOR, 'L', n, F, n);
    info = info ? info : LB_LAPACK(dtrtrs, LAPACK_ROW_MAJOR, 'L', 'N', 'N', n, n, F, n, G, n);
    info = info ? info : LB_LAPACK(dgeqp3, LAPACK_ROW_MAJOR, n, n, G, n, pivots, tau);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    // W = (R P'L)'
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            double sum = 0.0;
            for (int j = a; j < n; ++j) {
                sum += G[a * n + j] * L[(pivots[j] - 1) * n + b];
            }
            W[b * n + a] = sum;
        }
    }
    info = LB_LAPACK(dorgqr, LAPACK_ROW_MAJOR, n, n, n, G, n, tau);
    info = info ? info
                : LB_LAPACK(dgesvj, LAPACK_ROW_MAJOR, 'G', 'N', 'V', n, n, W, n, values, n, V, n,
                            stat);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    lb_form_product(n, n, n, G, V, p->Y);
    info = LB_LAPACK(dtrtrs, LAPACK_ROW_MAJOR, 'L', 'T', 'N', n, n, F, n, p->Y, n);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int k = 0; k < n; ++k) {
        const double w = stat[0] * values[k];
        p->square[k] = w * w;
    }
    return LB_OK;
}

// Each w^2 is taken again as the quotient y'K y / y'M y, whose error is of the second order in that
// of y.
static lb_status solve_indefinite(const pair *p, double *scratch)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    memcpy(p->Y, p->K, size * sizeof *p->Y);
    memcpy(scratch, p->M, size * sizeof *scratch);
    const int info =
        LB_LAPACK(dsygvd, LAPACK_ROW_MAJOR, 1, 'V', 'U', n, p->Y, n, scratch, n, p->square);
    if (info != 0) {
        return lb_check_lapack(info, LB_E_SINGULAR);
    }
    for (int k = 0; k < n; ++k) {
        double stiffness = 0.0, mass = 0.0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const double yy = p->Y[i * n + k] * p->Y[j * n + k];
                stiffness += p->K[i * n + j] * yy;
                mass += p->M[i * n + j] * yy;
            }
        }
        p->square[k] = stiffness / mass;
    }
    return LB_OK;
}

// x'M y
static double weigh(int n, const double *M, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] == 0.0 ? 0.0 : x[i] * lb_compute_dot(n, M + i * n, y);
    }
    return sum;
}

// Rigid shapes of unit modal mass, orthogonal to each other: rows of X.
static void make_orthonormal(int n, int count, const double *M, double *X)
{
    for (int k = 0; k < count; ++k) {
        double *x = X + k * n;
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                lb_add_scaled(n, -weigh(n, M, x, X + j * n), X + j * n, x);
            }
            const double size = sqrt(weigh(n, M, x, x));
            for (int i = 0; i < n && size > 0.0; ++i) {
                x[i] /= size;
            }
        }
    }
}

// The coordinates that are left when as many as there are rigid shapes, those that the shapes move
// most, are taken away: by elimination in a copy of X.
static void choose_kept(int n, int count, const double *M, double *X, int *kept)
{
    for (int i = 0; i < n; ++i) {
        kept[i] = 1;
    }
    for (int k = 0; k < count; ++k) {
        int row = k, column = -1;
        double largest = -1.0;
        for (int a = k; a < count; ++a) {
            for (int i = 0; i < n; ++i) {
                const double size = sqrt(M[i * n + i]) * fabs(X[a * n + i]);
                if (kept[i] == 1 && size > largest) {
                    largest = size;
                    row = a;
                    column = i;
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            const double x = X[row * n + i];
            X[row * n + i] = X[k * n + i];
            X[k * n + i] = x;
        }
        for (int a = k + 1; a < count && largest > 0.0; ++a) {
            lb_add_scaled(n, -X[a * n + column] / X[k * n + column], X + k * n, X + a * n);
        }
        kept[column] = 0;
    }
    int at = 0;
    for (int i = 0; i < n; ++i) {
        if (kept[i]) {
            kept[at++] = i;
        }
    }
}

static void put_mode(lb_mode_problem *p, lb_mode mode, const double *x)
{
    double *shape = p->shapes + 2 * (size_t)p->n * (size_t)p->count;
    p->modes[p->count++] = mode;
    for (int i = 0; i < p->n; ++i) {
        shape[2 * i] = x[i];
    }
}

// K x = w^2 M x                                                                         (LIN-6)
//
//     K X = 0,  X'M X = 1;   the others  x = Z y,  Z = I - X X'M  on the coordinates k that are kept:
//     K_kk y = w^2 (M_kk - B'B) y,  B = X'M_k
//
// A negative w^2 is a pair of real eigenvalues, one of which grows.
lb_status lb_solve_symmetric_modes(lb_mode_problem *p, lb_arena *arena)
{
    const int n = p->n;
    const size_t size = (size_t)n * (size_t)n;
    lb_null_space null;
    double *K = lb_take_numbers(arena, 5 * size + 2 * (size_t)n);
    double *scratch = lb_take_numbers(arena, 5 * size + 3 * (size_t)n);
    int *kept = lb_arena_take(arena, 2 * (size_t)n, sizeof *kept), *pivots = kept + n;
    if (!K || !scratch || !kept) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n * n; ++i) {
        K[i] = 0.5 * (p->K[i] + p->K[i % n * n + i / n]);
    }
    lb_status status = lb_take_null_space(arena, n, &null);
    status = status < 0 ? status : lb_find_null_space(n, K, p->tangent.K_error, &null);
    if (status < 0) {
        return status;
    }
    const int r = null.count, m = n - r;
    double *X = null.right, *B = K + size, *x = B + size;
    pair rest = {.n = m, .square = x + n, .K = x + 2 * n, .M = x + 2 * n + size};
    rest.Y = rest.M + size;
    make_orthonormal(n, r, p->M, X);
    memcpy(scratch, X, (size_t)r * (size_t)n * sizeof *X);
    choose_kept(n, r, p->M, scratch, kept);
    for (int k = 0; k < r; ++k) {
        for (int j = 0; j < m; ++j) {
            B[k * m + j] = lb_compute_dot(n, p->M + kept[j] * n, X + k * n);
        }
        put_mode(p, lb_make_mode(LB_MODE_RIGID, 0.0, 0.0), X + k * n);
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            double mass = p->M[kept[i] * n + kept[j]];
            for (int k = 0; k < r; ++k) {
                mass -= B[k * m + i] * B[k * m + j];
            }
            rest.K[i * m + j] = K[kept[i] * n + kept[j]];
            rest.M[i * m + j] = mass;
        }
    }
    if (m > 0) {
        status = solve_graded(&rest, scratch, pivots);
        status = status == LB_E_SINGULAR ? solve_indefinite(&rest, scratch) : status;
    }
    for (int k = 0; k < m && status >= 0; ++k) {
        memset(x, 0, (size_t)n * sizeof *x);
        for (int i = 0; i < m; ++i) {
            x[kept[i]] = rest.Y[i * m + k];
        }
        for (int a = 0; a < r; ++a) {
            double part = 0.0;
            for (int i = 0; i < m; ++i) {
                part += B[a * m + i] * rest.Y[i * m + k];
            }
            lb_add_scaled(n, -part, X + a * n, x);
        }
        const double w2 = rest.square[k], rate = sqrt(fmax(0.0, -w2));
        if (w2 < 0.0) {
            put_mode(p, lb_make_mode(LB_MODE_APERIODIC, -rate, 0.0), x);
        }
        put_mode(p,
                 w2 < 0.0 ? lb_make_mode(LB_MODE_APERIODIC, rate, 0.0)
                          : lb_make_mode(LB_MODE_OSCILLATION, 0.0, sqrt(w2)),
                 x);
    }
    return status;
}
