// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mass points that stand for many nodes.
#include <string.h>

#include "flex_draft.h"

// Every integral of a body is a sum over nodes of a product of two nodal fields, so that fields of
// fewer points with the same Gram matrix serve as well:
//
//     Q_ab = sum_j f_a(j) f_b(j) = sum_i L_a(i) L_b(i),   Q = L L' by pivoted Cholesky
//
// Fields are scaled to unit length first; what is left when all pivots are below 1e-14 is round-off
// of Q itself, so the integrals are kept to all their digits.
lb_status lb_compress_points(int field_count, int node_count, double *fields, int *rank,
                             lb_arena *scratch)
{
    const ptrdiff_t n = field_count, m = node_count;
    *rank = node_count;
    double *Q = lb_arena_take(scratch, (size_t)(n * n), sizeof *Q);
    double *L = lb_arena_take(scratch, (size_t)(n * m), sizeof *L);
    double *scale = lb_arena_take(scratch, (size_t)n, sizeof *scale);
    if (!Q || !L || !scale) {
        return LB_E_MEMORY;
    }
    for (ptrdiff_t a = 0; a < n; ++a) {
        double s = 0.0;
        for (ptrdiff_t j = 0; j < m; ++j) {
            s += fields[a * m + j] * fields[a * m + j];
        }
        scale[a] = sqrt(s);
    }
    for (ptrdiff_t a = 0; a < n; ++a) {
        for (ptrdiff_t b = 0; b <= a && scale[a] > 0; ++b) {
            double s = 0.0;
            for (ptrdiff_t j = 0; j < m && scale[b] > 0; ++j) {
                s += (fields[a * m + j] / scale[a]) * (fields[b * m + j] / scale[b]);
            }
            Q[a * n + b] = Q[b * n + a] = s;
        }
    }

    // left-looking: column i of L from the largest remaining diagonal entry
    ptrdiff_t points = 0;
    for (; points < m; ++points) {
        ptrdiff_t pivot = 0;
        for (ptrdiff_t a = 1; a < n; ++a) {
            if (Q[a * n + a] > Q[pivot * n + pivot]) {
                pivot = a;
            }
        }
        const double d = Q[pivot * n + pivot];
        if (!(d > 1e-14)) {
            break;
        }
        const double inverse = 1.0 / sqrt(d);
        for (ptrdiff_t a = 0; a < n; ++a) {
            double s = Q[a * n + pivot];
            if (a != pivot) {
                for (ptrdiff_t k = 0; k < points; ++k) {
                    s -= L[a * m + k] * L[pivot * m + k];
                }
            }
            L[a * m + points] = s * inverse;
        }
        for (ptrdiff_t a = 0; a < n; ++a) {
            Q[a * n + a] -= L[a * m + points] * L[a * m + points];
        }
        Q[pivot * n + pivot] = 0.0; // done: never chosen again
    }
    if (points >= m) {
        return LB_OK;
    }
    for (ptrdiff_t a = 0; a < n; ++a) {
        for (ptrdiff_t i = 0; i < m; ++i) {
            fields[a * m + i] = i < points ? scale[a] * L[a * m + i] : 0.0;
        }
    }
    *rank = (int)points;
    return LB_OK;
}
