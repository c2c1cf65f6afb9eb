// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mass points that stand for many nodes.
#include <string.h>

#include "flex_draft.h"

// Rows that are worked on side by side: their sums stay in the nearest cache.
enum { BLOCK = 512 };

// The rows that are not zero, scaled to unit length and transposed: F[j][i] for node j of row i.
typedef struct unit_rows {
    ptrdiff_t count;
    ptrdiff_t *row; // which one
    double *scale, *F;
} unit_rows;

static lb_status scale_rows(ptrdiff_t n, ptrdiff_t m, const double *fields, unit_rows *u,
                            lb_arena *scratch)
{
    u->row = lb_arena_take(scratch, (size_t)n, sizeof *u->row);
    u->scale = lb_arena_take(scratch, (size_t)n, sizeof *u->scale);
    if (!u->row || !u->scale) {
        return LB_E_MEMORY;
    }
    for (ptrdiff_t a = 0; a < n; ++a) {
        double s = 0.0;
        for (ptrdiff_t j = 0; j < m; ++j) {
            s += fields[a * m + j] * fields[a * m + j];
        }
        if (sqrt(s) > 0) {
            u->scale[u->count] = sqrt(s);
            u->row[u->count++] = a;
        }
    }
    u->F = lb_arena_take(scratch, (size_t)(u->count * m), sizeof *u->F);
    if (!u->F) {
        return LB_E_MEMORY;
    }
    for (ptrdiff_t i = 0; i < u->count; ++i) {
        for (ptrdiff_t j = 0; j < m; ++j) {
            u->F[j * u->count + i] = fields[u->row[i] * m + j] / u->scale[i];
        }
    }
    return LB_OK;
}

// s[i] += factor a[i] for i in one block
static void add_block(const double *a, double factor, ptrdiff_t first, ptrdiff_t end, double *s)
{
    for (ptrdiff_t i = first; i < end; ++i) {
        s[i] += a[i] * factor;
    }
}

// Every integral of a body is a sum over nodes of a product of two nodal fields, so that fields of
// fewer points with the same Gram matrix serve as well:
//
//     Q_ab = sum_j f_a(j) f_b(j) = sum_i L_a(i) L_b(i),   Q = L L' by pivoted Cholesky
//
// Fields are scaled to unit length first; what is left when all pivots are below 1e-14 is round-off
// of Q itself, so the integrals are kept to all their digits. A body has three fields for each pair of
// modes, so Q is never formed: a column of it is computed when its pivot is chosen.
lb_status lb_compress_points(int field_count, int node_count, double *fields, int *rank,
                             lb_arena *scratch)
{
    const ptrdiff_t m = node_count;
    unit_rows u = {.count = 0};
    *rank = node_count;
    if (scale_rows(field_count, m, fields, &u, scratch) != LB_OK) {
        return LB_E_MEMORY;
    }
    const ptrdiff_t n = u.count;
    double **L = lb_arena_take(scratch, (size_t)m, sizeof *L); // columns
    double *diagonal = lb_arena_take(scratch, (size_t)n, sizeof *diagonal);
    if (!L || !diagonal) {
        return LB_E_MEMORY;
    }
    for (ptrdiff_t j = 0; j < m; ++j) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            diagonal[i] += u.F[j * n + i] * u.F[j * n + i];
        }
    }

    // left-looking: column `points` of L from the largest remaining diagonal entry
    ptrdiff_t points = 0;
    for (; points < m; ++points) {
        ptrdiff_t pivot = 0;
        for (ptrdiff_t i = 1; i < n; ++i) {
            pivot = diagonal[i] > diagonal[pivot] ? i : pivot;
        }
        const double d = n > 0 ? diagonal[pivot] : 0.0;
        if (!(d > 1e-14)) {
            break;
        }
        const double inverse = 1.0 / sqrt(d);
        double *column = lb_arena_take(scratch, (size_t)n, sizeof *column);
        if (!column) {
            return LB_E_MEMORY;
        }
        L[points] = column;
        for (ptrdiff_t first = 0; first < n; first += BLOCK) {
            const ptrdiff_t end = first + BLOCK < n ? first + BLOCK : n;
            for (ptrdiff_t j = 0; j < m; ++j) {
                add_block(u.F + j * n, u.F[j * n + pivot], first, end, column);
            }
            for (ptrdiff_t k = 0; k < points; ++k) {
                add_block(L[k], -L[k][pivot], first, end, column);
            }
        }
        column[pivot] = d;
        for (ptrdiff_t i = 0; i < n; ++i) {
            column[i] *= inverse;
            diagonal[i] -= column[i] * column[i];
        }
        diagonal[pivot] = 0.0; // done: never chosen again
    }
    if (points >= m) {
        return LB_OK;
    }
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t k = 0; k < m; ++k) {
            fields[u.row[i] * m + k] = k < points ? u.scale[i] * L[k][i] : 0.0;
        }
    }
    *rank = (int)points;
    return LB_OK;
}
