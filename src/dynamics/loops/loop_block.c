// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One block of the admittance: its rank, and products with its factors.
#include <math.h>
#include <string.h>

#include "loop_factor.h"

// S = L L*, pivots in the order of size, as many as exceed the threshold: L is n x rank.
static int factor_cholesky(int n, const double *S, double threshold, double *L, double *left)
{
    double d[6];
    int taken[6] = {0}, rank = 0;
    *left = 0.0;
    for (int i = 0; i < n; ++i) {
        d[i] = S[7 * i];
    }
    for (; rank < n; ++rank) {
        int p = -1;
        for (int i = 0; i < n; ++i) {
            if (!taken[i] && (p < 0 || d[i] > d[p])) {
                p = i;
            }
        }
        if (!(d[p] > threshold)) {
            *left = d[p];
            break;
        }
        taken[p] = 1;
        const double root = sqrt(d[p]);
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            if (!taken[i]) {
                sum = i > p ? S[6 * i + p] : S[6 * p + i];
                for (int t = 0; t < rank; ++t) {
                    sum -= L[6 * i + t] * L[6 * p + t];
                }
                sum /= root;
                d[i] -= sum * sum;
            }
            L[6 * i + rank] = i == p ? root : sum;
        }
    }
    return rank;
}

// L = Q R by reflections: Q n x n, its first columns the range of L; R in place of L.
static void factor_orthogonal(int n, int rank, double *R, double *Q)
{
    for (int i = 0; i < 36; ++i) {
        Q[i] = i % 7 == 0;
    }
    for (int c = 0; c < rank; ++c) {
        double u[6], norm = 0.0, square = 0.0;
        for (int i = c; i < n; ++i) {
            u[i] = R[6 * i + c];
            norm += u[i] * u[i];
        }
        norm = sqrt(norm);
        u[c] += u[c] < 0 ? -norm : norm;
        for (int i = c; i < n; ++i) {
            square += u[i] * u[i];
        }
        if (!(square > 0)) {
            continue;
        }
        for (int j = c; j < rank; ++j) {
            double along = 0.0;
            for (int i = c; i < n; ++i) {
                along += u[i] * R[6 * i + j];
            }
            for (int i = c; i < n; ++i) {
                R[6 * i + j] -= 2.0 * along / square * u[i];
            }
        }
        for (int i = 0; i < n; ++i) {
            double along = 0.0;
            for (int j = c; j < n; ++j) {
                along += Q[6 * i + j] * u[j];
            }
            for (int j = c; j < n; ++j) {
                Q[6 * i + j] -= 2.0 * along / square * u[j];
            }
        }
    }
}

int lb_factor_block(int n, const double *S, double threshold, double *R, double *Q, double *left)
{
    memset(R, 0, 36 * sizeof *R);
    const int rank = factor_cholesky(n, S, threshold, R, left);
    factor_orthogonal(n, rank, R, Q);
    return rank;
}

double lb_read_column(const lb_loop_slot *s, int c, const double *r)
{
    double along = 0.0;
    for (int i = 0; i < s->loop.row_count; ++i) {
        along += s->Q[6 * i + c] * r[i];
    }
    return along;
}
