// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Eigenpairs: LAPACK for small matrices, ARPACK with a shift and SuperLU for large ones. Both solve
//
//     M x = mu (K + shift M) x,   omega^2 = 1 / mu - shift                              (BM-10)
//
// whose largest mu, the lowest modes, come out to full precision; shift > 0 where K is singular.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include <arpack/arpack.h>
#include <lapacke.h>

#include "base/dense.h"
#include "fe.h"

enum { DENSE_MOST = 320 };

// ---- dense -------------------------------------------------------------------------------------

lb_status lb_fe_solve_dense(int n, double *K, double *M, double *squares)
{
    return lb_check_lapack(LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K, n, M, n, squares),
                           LB_E_SINGULAR);
}

static lb_status find_dense(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                            int skip, double shift, int count, double *squares, double *vectors)
{
    const size_t n = (size_t)K->n;
    double *A, *B, *mu;
    if (!LB_FE_TAKE(context, A, n * n) || !LB_FE_TAKE(context, B, n * n) ||
        !LB_FE_TAKE(context, mu, n)) {
        return LB_E_MEMORY;
    }
    for (size_t j = 0; j < n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            A[j * n + (size_t)K->row[k]] = M->value[k];
            B[j * n + (size_t)K->row[k]] = K->value[k] + shift * M->value[k];
        }
    }
    const lb_status status = lb_fe_solve_dense((int)n, A, B, mu);
    if (status != LB_OK) {
        return status;
    }
    for (int i = 0; i < count; ++i) {
        // ascending mu: the lowest modes are last
        const size_t from = n - 1 - (size_t)(skip + i);
        if (!(mu[from] > 0)) {
            return LB_E_SINGULAR;
        }
        squares[i] = 1 / mu[from] - shift;
        for (size_t k = 0; k < n; ++k) {
            vectors[(size_t)i * n + k] = A[from * n + k] / sqrt(mu[from]);
        }
    }
    return LB_OK;
}

// ---- sparse ------------------------------------------------------------------------------------

typedef struct lanczos {
    a_int n, nev, ncv, lworkl, info, iparam[11], ipntr[14];
    double *resid, *V, *workd, *workl, *d;
    a_int *select;
} lanczos;

// ARPACK keeps variables of its own from call to call: one iteration at a time in the whole program.
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

static lb_status iterate(lanczos *z, const lb_fe_matrix *M, lb_fe_factors *factors, double shift)
{
    a_int ido = 0;
    lb_status status = LB_OK;
    z->info = 1; // resid holds the first vector
    for (;;) {
        dsaupd_c(&ido, "G", z->n, "LM", z->nev, 0.0, z->resid, z->ncv, z->V, z->n, z->iparam,
                 z->ipntr, z->workd, z->workl, z->lworkl, &z->info);
        double *x = z->workd + z->ipntr[0] - 1, *y = z->workd + z->ipntr[1] - 1;
        if (ido == -1) {
            lb_fe_multiply(M, x, y);
            status = lb_fe_solve(factors, y, 1);
        } else if (ido == 1) {
            memcpy(y, z->workd + z->ipntr[2] - 1, (size_t)z->n * sizeof *y); // M x is there
            status = lb_fe_solve(factors, y, 1);
        } else if (ido == 2) {
            lb_fe_multiply(M, x, y);
        } else {
            break;
        }
        if (status != LB_OK) {
            return status;
        }
    }
    if (z->info != 0) {
        return LB_E_SINGULAR;
    }
    dseupd_c(1, "A", z->select, z->d, z->V, z->n, -shift, "G", z->n, "LM", z->nev, 0.0, z->resid,
             z->ncv, z->V, z->n, z->iparam, z->ipntr, z->workd, z->workl, z->lworkl, &z->info);
    return z->info == 0 && z->iparam[4] >= z->nev ? LB_OK : LB_E_SINGULAR;
}

static lb_status find_sparse(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                             int skip, double shift, int count, double *squares, double *vectors)
{
    const int n = K->n;
    lanczos z = {.n = n, .nev = skip + count, .iparam = {1, 0, 500, 1, 0, 0, 3}};
    z.ncv = 2 * z.nev + 20 < n ? 2 * z.nev + 20 : n;
    z.lworkl = z.ncv * (z.ncv + 8);
    const size_t size = (size_t)n;
    double *work;
    if (!LB_FE_TAKE(context, z.resid, size) || !LB_FE_TAKE(context, z.V, size * (size_t)z.ncv) ||
        !LB_FE_TAKE(context, z.workd, 3 * size) || !LB_FE_TAKE(context, z.workl, z.lworkl) ||
        !LB_FE_TAKE(context, z.d, z.nev) || !LB_FE_TAKE(context, z.select, z.ncv) ||
        !LB_FE_TAKE(context, work, size)) {
        return LB_E_MEMORY;
    }
    // the same start every time, with a part of every mode
    unsigned long long random = 88172645463325252ull;
    for (int i = 0; i < n; ++i) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        z.resid[i] = (double)(random >> 33) / 2147483648.0 - 0.5;
    }
    lb_status status;
    lb_fe_factors *factors = lb_fe_factor(K, M, shift, &status);
    if (!factors) {
        return status;
    }
    pthread_mutex_lock(&arpack_lock);
    status = iterate(&z, M, factors, shift);
    pthread_mutex_unlock(&arpack_lock);
    lb_fe_free_factors(factors);
    if (status != LB_OK) {
        return status;
    }
    // ascending, by selection: there are few
    for (int j = 0; j < z.nev; ++j) {
        z.select[j] = 1;
    }
    for (int i = 0; i < z.nev; ++i) {
        int least = -1;
        for (int j = 0; j < z.nev; ++j) {
            least = !z.select[j] || (least >= 0 && z.d[j] >= z.d[least]) ? least : j;
        }
        if (least < 0) {
            return LB_E_SINGULAR;
        }
        z.select[least] = 0;
        if (i < skip) {
            continue;
        }
        const double *from = z.V + (size_t)least * size;
        lb_fe_multiply(M, from, work);
        const double norm = lb_compute_dot((ptrdiff_t)size, from, work);
        squares[i - skip] = z.d[least];
        for (size_t k = 0; k < size; ++k) {
            vectors[(size_t)(i - skip) * size + k] = from[k] / sqrt(norm);
        }
    }
    return LB_OK;
}

lb_status lb_fe_find_modes(lb_fe_context *context, const lb_fe_matrix *K, const lb_fe_matrix *M,
                           int skip, double shift, int count, double *squares, double *vectors)
{
    // Lanczos wants room beside what it looks for
    const bool dense = K->n <= DENSE_MOST || 2 * (skip + count) >= K->n;
    return dense ? find_dense(context, K, M, skip, shift, count, squares, vectors)
                 : find_sparse(context, K, M, skip, shift, count, squares, vectors);
}
