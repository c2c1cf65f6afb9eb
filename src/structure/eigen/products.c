// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of sparse matrices, and of dense ones.
#include <math.h>
#include <string.h>

#include "eigen.h"

void lb_fe_multiply(const lb_fe_matrix *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            y[A->row[k]] += A->value[k] * x[j];
        }
    }
}

// The matrix, which does not fit into the cache, is read once for eight columns. It is symmetric: a sum over a column is
// one over a row, and nothing is written on the way.
static void multiply_eight(const lb_fe_matrix *A, const double *x, double *y)
{
    const size_t n = (size_t)A->n;
    for (size_t j = 0; j < n; ++j) {
        double sum[8] = {0};
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            const double *from = x + A->row[k];
            const double value = A->value[k];
            for (size_t c = 0; c < 8; ++c) {
                sum[c] += value * from[c * n];
            }
        }
        for (size_t c = 0; c < 8; ++c) {
            y[c * n + j] = sum[c];
        }
    }
}

void lb_fe_multiply_block(const lb_fe_matrix *A, const double *x, int count, double *y)
{
    const size_t n = (size_t)A->n;
    int done = 0;
    for (; done + 8 <= count; done += 8) {
        multiply_eight(A, x + (size_t)done * n, y + (size_t)done * n);
    }
    for (; done < count; ++done) {
        lb_fe_multiply(A, x + (size_t)done * n, y + (size_t)done * n);
    }
}

void lb_fe_multiply_exactly(const lb_fe_matrix *A, const double *x, double *y, double *low)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    memset(low, 0, (size_t)A->n * sizeof *low);
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            const int i = A->row[k];
            // product and sum without error: Dekker, Knuth
            const double product = A->value[k] * x[j];
            const double lost = fma(A->value[k], x[j], -product);
            const double sum = y[i] + product, part = sum - y[i];
            low[i] += (y[i] - (sum - part)) + (product - part) + lost;
            y[i] = sum;
        }
    }
}

// Of the BLAS, under its name in Fortran.
extern void dgemm_(const char *op_a, const char *op_b, const int *m, const int *n, const int *k,
                   const double *alpha, const double *A, const int *lda, const double *B,
                   const int *ldb, const double *beta, double *C, const int *ldc);

void lb_fe_multiply_dense(char op, int m, int n, int k, double alpha, const double *A, int lda,
                          const double *B, int ldb, double beta, double *C, int ldc)
{
    if (m > 0 && n > 0 && k > 0) {
        lb_lock_lapack();
        dgemm_(&op, "N", &m, &n, &k, &alpha, A, &lda, B, &ldb, &beta, C, &ldc);
        lb_unlock_lapack();
    }
}
