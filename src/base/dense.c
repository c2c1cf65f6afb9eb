// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include <math.h>

bool lb_factor_lu(int n, double *S, int *pivot)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(S[i * n + k]) > fabs(S[p * n + k]) ? i : p;
        }
        pivot[k] = p;
        if (!(fabs(S[p * n + k]) > 0.0)) {
            return false;
        }
        for (int j = 0; p != k && j < n; ++j) {
            const double kept = S[k * n + j];
            S[k * n + j] = S[p * n + j];
            S[p * n + j] = kept;
        }
        for (int i = k + 1; i < n; ++i) {
            const double l = S[i * n + k] / S[k * n + k];
            S[i * n + k] = l;
            for (int j = k + 1; l != 0.0 && j < n; ++j) {
                S[i * n + j] -= l * S[k * n + j];
            }
        }
    }
    return true;
}

void lb_solve_lu(int n, const double *S, const int *pivot, double *b)
{
    for (int k = 0; k < n; ++k) {
        const double kept = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = kept;
    }
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            b[i] -= S[i * n + j] * b[j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            b[i] -= S[i * n + j] * b[j];
        }
        b[i] /= S[i * n + i];
    }
}
