// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Columns of the mass matrix on their way to the base, and how they get into the matrix.
#ifndef LB_COLUMNS_H
#define LB_COLUMNS_H

#include <string.h>

#include "base/hot.h"
#include "model/layout.h"

/// Columns X, six rows of v_count entries: a column of the speed s stands at index s of the sweep
/// order, so that those of a subtree lie in one piece.
typedef struct lb_columns {
    double *row[6];
} lb_columns;

static inline lb_columns lb_get_columns(const lb_model *model, const lb_work *work)
{
    const ptrdiff_t n = model->v_count;
    lb_columns F;
    for (int i = 0; i < 6; ++i) {
        F.row[i] = work->F + i * (n + LB_COLUMN_MARGIN) + LB_COLUMN_MARGIN;
    }
    return F;
}

static inline void lb_put_column(const lb_columns *F, int s, lb_vec6 X)
{
    F->row[0][s] = X.w.x;
    F->row[1][s] = X.w.y;
    F->row[2][s] = X.w.z;
    F->row[3][s] = X.v.x;
    F->row[4][s] = X.v.y;
    F->row[5][s] = X.v.z;
}

static inline lb_vec6 lb_get_column(const lb_columns *F, int s)
{
    return lb_vec6_make(lb_vec3_make(F->row[0][s], F->row[1][s], F->row[2][s]),
                        lb_vec3_make(F->row[3][s], F->row[4][s], F->row[5][s]));
}

// ---- side by side ------------------------------------------------------------------------------

#ifndef LB_COUNTING // one by one where operations are counted
// As many columns side by side as a register holds: gcc takes wider ones apart through memory.
#ifdef __AVX__
typedef double lb_column_lane __attribute__((vector_size(32)));
typedef long long lb_column_mask __attribute__((vector_size(32)));
#else
typedef double lb_column_lane __attribute__((vector_size(16)));
typedef long long lb_column_mask __attribute__((vector_size(16)));
#endif
enum { LB_COLUMN_LANES = sizeof(lb_column_lane) / sizeof(double) };

static inline lb_column_lane lb_load_lane(const double *x)
{
    lb_column_lane r;
    memcpy(&r, x, sizeof r);
    return r;
}

static inline void lb_store_lane(double *x, lb_column_lane r)
{
    memcpy(x, &r, sizeof r);
}

// phi(p,k) X of the columns x, stored at s
static inline void lb_carry_lane(const lb_columns *F, const lb_pose *X, const lb_column_lane x[6],
                                 int s)
{
    const double(*R)[3] = X->R.m;
    const double px = X->p.x, py = X->p.y, pz = X->p.z;
    const lb_column_lane fx = R[0][0] * x[3] + R[0][1] * x[4] + R[0][2] * x[5];
    const lb_column_lane fy = R[1][0] * x[3] + R[1][1] * x[4] + R[1][2] * x[5];
    const lb_column_lane fz = R[2][0] * x[3] + R[2][1] * x[4] + R[2][2] * x[5];
    const lb_column_lane nx = R[0][0] * x[0] + R[0][1] * x[1] + R[0][2] * x[2] + py * fz - pz * fy;
    const lb_column_lane ny = R[1][0] * x[0] + R[1][1] * x[1] + R[1][2] * x[2] + pz * fx - px * fz;
    const lb_column_lane nz = R[2][0] * x[0] + R[2][1] * x[1] + R[2][2] * x[2] + px * fy - py * fx;
    lb_store_lane(F->row[0] + s, nx);
    lb_store_lane(F->row[1] + s, ny);
    lb_store_lane(F->row[2] + s, nz);
    lb_store_lane(F->row[3] + s, fx);
    lb_store_lane(F->row[4] + s, fy);
    lb_store_lane(F->row[5] + s, fz);
}

static inline void lb_load_columns(const lb_columns *F, int s, lb_column_lane x[6])
{
    for (int i = 0; i < 6; ++i) {
        x[i] = lb_load_lane(F->row[i] + s);
    }
}
#endif // LB_COUNTING

// X := phi(p,k) X for the columns from..to, from the last on, so that lanes are read as they were
// written one body further out. They may reach below the first: what stands there is written later,
// by bodies further in, or is the margin of the row.
static inline void lb_carry_columns(const lb_columns *F, const lb_pose *X, int from, int to)
{
#ifndef LB_COUNTING
    for (int s = to; s > from; s -= LB_COLUMN_LANES) {
        lb_column_lane x[6];
        lb_load_columns(F, s - LB_COLUMN_LANES, x);
        lb_carry_lane(F, X, x, s - LB_COLUMN_LANES);
    }
#else
    for (int s = from; s < to; ++s) {
        LB_SPEED_LANE(s);
        lb_put_column(F, s, lb_pose_carry_force(X, lb_get_column(F, s)));
    }
    LB_LANE(0, 0);
#endif
}

// ---- into the matrix ---------------------------------------------------------------------------

// One row of M and, by symmetry, its column, over the speeds from..to: motion . X
static inline void lb_write_row(const lb_model *model, const lb_columns *F, ptrdiff_t row,
                                lb_vec6 motion, int from, int to, double *M)
{
    const ptrdiff_t n = model->v_count;
    for (int s = from; s < to; ++s) {
        const ptrdiff_t column = model->speeds[s];
        LB_SPEED_LANE(s);
        M[row * n + column] = M[column * n + row] = lb_vec6_dot(motion, lb_get_column(F, s));
    }
    LB_LANE(0, 0);
}

// x to y, lanes at a time; the last may write some entries twice.
static inline void lb_copy_run(double *y, const double *x, ptrdiff_t count)
{
    ptrdiff_t i = 0;
#ifndef LB_COUNTING
    for (; i + LB_COLUMN_LANES <= count; i += LB_COLUMN_LANES) {
        lb_store_lane(y + i, lb_load_lane(x + i));
    }
    if (i > 0 && i < count) {
        i = count - LB_COLUMN_LANES;
        lb_store_lane(y + i, lb_load_lane(x + i));
        return;
    }
#endif
    for (; i < count; ++i) {
        y[i] = x[i];
    }
}

// The same for a unit motion: a row of the columns as it stands.
static inline void lb_copy_row(const lb_model *model, const double *x, ptrdiff_t row, int from,
                               int to, double *M)
{
    const ptrdiff_t n = model->v_count;
    for (int s = from; s < to; ++s) {
        const ptrdiff_t column = model->speeds[s];
        M[row * n + column] = M[column * n + row] = x[s];
    }
}

#ifndef LB_COUNTING
// A register's worth of columns, all six entries, to as many rows of y.
static inline void lb_turn_six(const lb_columns *F, int s, double *y, ptrdiff_t stride)
{
    enum { PAIR = 2 * sizeof(double) };
    for (int i = 0; i < 6; i += 2) {
        const lb_column_lane a = lb_load_lane(F->row[i] + s), b = lb_load_lane(F->row[i + 1] + s);
#ifdef __AVX__
        const lb_column_lane even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        const lb_column_lane odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
#else
        const lb_column_lane even = __builtin_shufflevector(a, b, 0, 2);
        const lb_column_lane odd = __builtin_shufflevector(a, b, 1, 3);
#endif
        for (int j = 0; j < LB_COLUMN_LANES; j += 2) {
            memcpy(y + j * stride + i, (const double *)&even + j, PAIR);
            memcpy(y + (j + 1) * stride + i, (const double *)&odd + j, PAIR);
        }
    }
}
#endif

// The same for the six unit motions of a free hinge at once.
static inline void lb_copy_six_rows(const lb_model *model, const lb_columns *F, ptrdiff_t row,
                                    int from, int to, double *M)
{
    const ptrdiff_t n = model->v_count;
    for (int s = from, count; s < to; s += count) {
        count = model->runs[s] < to - s ? model->runs[s] : to - s;
        const ptrdiff_t column = model->speeds[s];
        for (int i = 0; i < 6; ++i) {
            lb_copy_run(M + (row + i) * n + column, F->row[i] + s, count);
        }
        int j = 0;
#ifndef LB_COUNTING
        for (; j + LB_COLUMN_LANES <= count; j += LB_COLUMN_LANES) {
            lb_turn_six(F, s + j, M + (column + j) * n + row, n);
        }
#endif
        for (; j < count; ++j) {
            double *mirror = M + (column + j) * n + row;
            for (int i = 0; i < 6; ++i) {
                mirror[i] = F->row[i][s + j];
            }
        }
    }
}

#endif // LB_COLUMNS_H
