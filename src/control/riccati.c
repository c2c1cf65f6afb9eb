// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The algebraic Riccati equation.
#include "riccati.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"

// Those to come first in the Schur form.
static lapack_logical is_stable(const double *re, const double *im)
{
    (void)im;
    return *re < 0.0;
}

// H = [A, -B R^-1 B'; -Q, -A'], by columns.
static void form_hamiltonian(int n, int m, const double *A, const double *B, const double *Q,
                             const double *R, double *H)
{
    const int N = 2 * n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double G = 0.0;
            for (int k = 0; k < m; ++k) {
                G += B[i * m + k] * B[j * m + k] / R[k];
            }
            H[j * N + i] = A[i * n + j];
            H[(n + j) * N + i] = -G;
            H[j * N + n + i] = -Q[i * n + j];
            H[(n + j) * N + n + i] = -A[j * n + i];
        }
    }
}

// Regulator                                                                             (CTL-10)
//
//     A'X + X A - X B R^-1 B' X + Q = 0,   K = R^-1 B' X,   X = U_2 U_1^-1
//
// given     [U_1; U_2]  a basis of the n stable directions of the Hamiltonian, from its Schur form
//
// Source: Laub 1979, IEEE Transactions on Automatic Control 24(6).
static lb_status solve(int n, int m, const double *B, const double *R, double *H, double *U,
                       double *K)
{
    const int N = 2 * n;
    double *re = malloc(2 * (size_t)N * sizeof *re);
    lapack_int *pivots = malloc((size_t)n * sizeof *pivots);
    lapack_int stable = 0;
    lb_status status = re && pivots ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        status = lb_check_lapack(LB_LAPACK(dgees, LAPACK_COL_MAJOR, 'V', 'S', is_stable, N, H, N,
                                           &stable, re, re + N, U, N),
                                 LB_E_SINGULAR);
        status = status == LB_OK && stable != n ? LB_E_SINGULAR : status;
    }
    if (status == LB_OK) {
        // U_1' X = U_2', X being symmetric: into the place of H
        double *U1 = H, *X = H + (size_t)n * (size_t)n;
        for (int i = 0; i < n; ++i) {
            memcpy(U1 + i * n, U + i * N, (size_t)n * sizeof *U);
            memcpy(X + i * n, U + i * N + n, (size_t)n * sizeof *U);
        }
        status = lb_check_lapack(LB_LAPACK(dgesv, LAPACK_ROW_MAJOR, n, n, U1, n, pivots, X, n),
                                 LB_E_SINGULAR);
    }
    for (int i = 0; status == LB_OK && i < m; ++i) {
        const double *X = H + (size_t)n * (size_t)n;
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += B[k * m + i] * 0.5 * (X[k * n + j] + X[j * n + k]);
            }
            K[i * n + j] = sum / R[i];
            status = isfinite(K[i * n + j]) ? status : LB_E_SINGULAR;
        }
    }
    free(re);
    free(pivots);
    return status;
}

lb_status lb_solve_regulator(int n, int m, const double *A, const double *B, const double *Q,
                             const double *R, double *K)
{
    const size_t size = 4 * (size_t)n * (size_t)n;
    double *H = malloc(2 * size * sizeof *H);
    if (!H) {
        return LB_E_MEMORY;
    }
    form_hamiltonian(n, m, A, B, Q, R, H);
    const lb_status status = solve(n, m, B, R, H, H + size, K);
    free(H);
    return status;
}

lb_status lb_solve_observer(int n, int p, const double *A, const double *C, const double *W,
                            const double *V, double *L)
{
    const size_t nn = (size_t)n * (size_t)n, np = (size_t)n * (size_t)p;
    double *transposed = calloc(nn + 2 * np, sizeof *transposed);
    if (!transposed) {
        return LB_E_MEMORY;
    }
    double *At = transposed, *Ct = At + nn, *Lt = Ct + np;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            At[i * n + j] = A[j * n + i];
        }
        for (int k = 0; k < p; ++k) {
            Ct[i * p + k] = C[k * n + i];
        }
    }
    const lb_status status = lb_solve_regulator(n, p, At, Ct, W, V, Lt);
    for (int i = 0; status == LB_OK && i < n; ++i) {
        for (int k = 0; k < p; ++k) {
            L[i * p + k] = Lt[k * n + i];
        }
    }
    free(transposed);
    return status;
}
