// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of a linear model, those that are zero told from those that are small.
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "linear.h"

double lb_get_zero_share(int n)
{
    return 16.0 * n * DBL_EPSILON;
}

// ---- A and B -----------------------------------------------------------------------------------

lb_status lb_form_system_matrix(int n, const double *M, const double *C, const double *K,
                                const double *N, int m, const double *G, lb_arena *arena, double *A,
                                double *B)
{
    const int width = 2 * n + m;
    double *L = lb_take_numbers(arena, (size_t)n * (size_t)(n + width));
    int *pivots = lb_arena_take(arena, (size_t)n, sizeof *pivots);
    if (!L || !pivots) {
        return LB_E_MEMORY;
    }
    // [-K, -C, G] side by side, solved together
    double *R = L + (size_t)n * (size_t)n;
    memcpy(L, M, (size_t)n * (size_t)n * sizeof *L);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            R[i * width + j] = -K[i * n + j];
            R[i * width + n + j] = -C[i * n + j];
        }
        for (int j = 0; j < m; ++j) {
            R[i * width + 2 * n + j] = G[i * m + j];
        }
    }
    if (n > 0 && LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, width, L, n, pivots, R, width) != 0) {
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            A[i * 2 * n + j] = N[i * n + j];
            A[i * 2 * n + n + j] = i == j ? 1.0 : 0.0;
            // no -0
            A[(n + i) * 2 * n + j] = R[i * width + j] + 0.0;
            A[(n + i) * 2 * n + n + j] = R[i * width + n + j] + 0.0;
        }
        for (int j = 0; j < m; ++j) {
            B[i * m + j] = 0.0;
            B[(n + i) * m + j] = R[i * width + 2 * n + j] + 0.0;
        }
    }
    return LB_OK;
}

// ---- zeros -------------------------------------------------------------------------------------

// One step of the staircase: V with A V_null = 0, and A restricted to the rest, in place.
//
// @return dimension of the null space; -1 if LAPACK gives up
static int peel(int n, double *A, double bound, double *Vt, double *scratch)
{
    double *sigma = scratch, *copy = scratch + n, *U = copy + n * n, *super = U + n * n;
    memcpy(copy, A, (size_t)n * (size_t)n * sizeof *A);
    if (n == 0) {
        return 0;
    }
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'A', n, n, copy, n, sigma, U, n, Vt, n, super) != 0) {
        return -1;
    }
    int rank = 0;
    while (rank < n && sigma[rank] > bound) {
        ++rank;
    }
    // rest: V_r' A V_r with the first `rank` rows of Vt
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < rank; ++j) {
            copy[i * rank + j] = lb_compute_dot(n, A + i * n, Vt + j * n);
        }
    }
    lb_form_product(rank, n, rank, Vt, copy, U);
    memcpy(A, U, (size_t)rank * (size_t)rank * sizeof *A);
    return n - rank;
}

// How many eigenvalues are zero, and the vectors of the null space                      (LIN-4)
//
//     D^-1 A D = [N s; P/s R],   s^2 = max |P|: null spaces of A, of A on the quotient by it, ...
//
// A rigid motion has a double zero, which round-off spreads to the square root of itself; the
// staircase finds it by ranks instead.
static lb_status find_zeros(int n, const double *A, const double *scale, lb_arena *arena,
                            lb_spectrum *spectrum)
{
    const int count = 2 * n;
    const size_t size = (size_t)count * (size_t)count;
    double *S = lb_take_numbers(arena, 4 * size + 2 * (size_t)count);
    double *d = lb_take_numbers(arena, (size_t)count);
    spectrum->rigid = lb_take_numbers(arena, size);
    if (!S || !d || !spectrum->rigid) {
        return LB_E_MEMORY;
    }
    double *Vt = S + size, *scratch = Vt + size;

    // coordinates weighed by their inertia, speeds by s
    double stiffness = 0.0, rest = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double w = scale[i] / scale[j];
            stiffness = fmax(stiffness, fabs(w * A[(n + i) * count + j]));
            rest = fmax(rest, fabs(w * A[(n + i) * count + n + j]));
            rest = fmax(rest, fabs(w * A[i * count + j]));
        }
    }
    const double s = stiffness > 0.0 ? sqrt(stiffness) : rest > 0.0 ? rest : 1.0;
    for (int i = 0; i < n; ++i) {
        d[i] = 1.0 / scale[i];
        d[n + i] = s / scale[i];
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            S[i * count + j] = A[i * count + j] * d[j] / d[i];
        }
    }
    const double bound = lb_get_zero_share(n) * lb_find_largest((ptrdiff_t)size, S);
    int left = count, found;
    bool first = true;
    do {
        found = peel(left, S, bound, Vt, scratch);
        if (found < 0) {
            return LB_E_NUMBER;
        }
        if (first) {
            spectrum->rigid_count = found;
            for (int i = 0; i < found; ++i) {
                for (int j = 0; j < count; ++j) {
                    spectrum->rigid[i * count + j] = d[j] * Vt[(count - found + i) * count + j];
                }
            }
        }
        first = false;
        left -= found;
        spectrum->zero_count += found;
    } while (found > 0);
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static void permute_columns(int n, const int *order, double *V, double *row)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            row[j] = V[i * n + order[j]];
        }
        memcpy(V + i * n, row, (size_t)n * sizeof *row);
    }
}

lb_status lb_compute_spectrum(int n, const double *A, const double *scale, bool with_left,
                              lb_arena *arena, lb_spectrum *spectrum)
{
    const int count = 2 * n;
    const size_t size = (size_t)count * (size_t)count;
    *spectrum = (lb_spectrum){.count = count};
    double *copy = lb_take_numbers(arena, size);
    int *order = lb_arena_take(arena, (size_t)count, sizeof *order);
    spectrum->real = lb_take_numbers(arena, 3 * (size_t)count);
    spectrum->right = lb_take_numbers(arena, size);
    spectrum->left = with_left ? lb_take_numbers(arena, size) : NULL;
    if (!copy || !order || !spectrum->real || !spectrum->right || (with_left && !spectrum->left)) {
        return LB_E_MEMORY;
    }
    double *x = spectrum->real, *y = x + count, *row = y + count;
    spectrum->imaginary = y;
    if (n == 0) {
        return LB_OK;
    }
    lb_status status = find_zeros(n, A, scale, arena, spectrum);
    if (status < 0) {
        return status;
    }
    memcpy(copy, A, size * sizeof *A);
    if (LAPACKE_dgeev(LAPACK_ROW_MAJOR, with_left ? 'V' : 'N', 'V', count, copy, count, x, y,
                      spectrum->left, count, spectrum->right, count) != 0) {
        return LB_E_NUMBER;
    }

    // ascending, pairs together: insertion keeps the order of equals
    for (int i = 0; i < count; ++i) {
        const double key = hypot(x[i], y[i]);
        int at = i;
        for (; at > 0 && hypot(x[order[at - 1]], y[order[at - 1]]) > key; --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    // a rank may be missed by one in a long chain: of a pair, both are zero
    if (spectrum->zero_count > 0 && spectrum->zero_count < count &&
        y[order[spectrum->zero_count]] < 0.0) {
        ++spectrum->zero_count;
    }
    permute_columns(count, order, spectrum->right, row);
    if (with_left) {
        permute_columns(count, order, spectrum->left, row);
    }
    // of a pair, a rate below the round-off of the fastest is none
    const int last = order[count - 1];
    const double noise = lb_get_zero_share(n) * hypot(x[last], y[last]);
    for (int i = 0; i < count; ++i) {
        x[i] = y[i] != 0.0 && fabs(x[i]) <= noise ? 0.0 : x[i];
    }
    for (int part = 0; part < 2; ++part) {
        double *values = part ? y : x;
        for (int i = 0; i < count; ++i) {
            row[i] = i < spectrum->zero_count ? 0.0 : values[order[i]];
        }
        memcpy(values, row, (size_t)count * sizeof *row);
    }
    return LB_OK;
}
