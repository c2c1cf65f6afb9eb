// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which grids contradict the stiffness. Rigid motions of the files (IMP-1) need places and displacement axes of all
// grids. Those of the stiffness need nothing but K: they are its null space Z. Where K has six and those of the files
// meet forces, a place or a displacement system is wrong. With T, 6 x 6, such that
//
//     sum over grids of | Z_g T - D_g |  is least ,  D_g the rigid motions of (IMP-1)                     (IMP-13)
//
// grids that are right have no gap as long as they are the majority: sums of norms, not of squares, are not drawn
// towards those that are wrong. Z_g T then says how a wrong one really moves, from which its axes and place follow.
#include <math.h>
#include <string.h>

#include "base/symmetric.h"
#include "beams/fe.h"
#include "imported.h"

enum { N = 6, ROWS_MOST = 1200, ROUNDS = 200 };

/// Larger gaps than this part of a motion are of a wrong grid: matrices of seven digits leave 1e-6.
static const double gap_allowed = 1e-4;

// A null space of dimension six: the eigenvalues of K, scaled to ones on its diagonal, that are zero but for
// rounding, with a gap of a thousand to the next. By columns in `Z`.
static lb_status find_null_space(lb_import *import, const lb_fe_matrix *K, double *Z, int *count)
{
    const size_t n = (size_t)K->n;
    double *A, *B, *values, *scale;
    if (!LB_IMPORT_TAKE(import, A, n * n) || !LB_IMPORT_TAKE(import, B, n * n) ||
        !LB_IMPORT_TAKE(import, values, n) || !LB_IMPORT_TAKE(import, scale, n)) {
        return LB_E_MEMORY;
    }
    for (size_t j = 0; j < n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            if ((size_t)K->row[k] == j) {
                scale[j] = K->value[k] > 0 ? 1 / sqrt(K->value[k]) : 1;
            }
        }
        scale[j] = scale[j] > 0 ? scale[j] : 1;
        B[j * n + j] = 1;
    }
    for (size_t j = 0; j < n; ++j) {
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            A[j * n + (size_t)K->row[k]] = K->value[k] * scale[j] * scale[K->row[k]];
        }
    }
    const lb_status status = lb_fe_solve_dense((int)n, A, B, values);
    if (status != LB_OK) {
        *count = -1;
        return status == LB_E_MEMORY ? status : LB_OK;
    }
    *count = 0;
    while (*count < (int)n && fabs(values[*count]) < 1e-7) {
        ++*count;
    }
    if (*count > 0 && *count < (int)n &&
        values[*count] < 1e3 * fmax(fabs(values[*count - 1]), 1e-14)) {
        *count = -1; // nothing tells what is zero
    }
    for (size_t i = 0; *count == N && i < N * n; ++i) {
        Z[i] = A[i] * scale[i % n];
    }
    return LB_OK;
}

// Rows of a grid: its motion in Z and by the files, rotations as lengths.
typedef struct grid_rows {
    int count;
    double Z[N][N], D[N][N];
    int direction[N];
} grid_rows;

static void get_rows(const lb_structure *s, const int *rows, int node, const double *Z, size_t n,
                     double size, grid_rows *out)
{
    out->count = 0;
    for (int d = 0; d < N; ++d) {
        const int row = rows[6 * node + d];
        if (row < 0) {
            continue;
        }
        const double unit = d < 3 ? 1 : size;
        for (int k = 0; k < N; ++k) {
            out->Z[out->count][k] = unit * Z[(size_t)k * n + (size_t)row];
            out->D[out->count][k] =
                unit * lb_get_rigid_motion(&s->nodes[node], d, k) / (k < 3 ? 1 : size);
        }
        out->direction[out->count++] = d;
    }
}

// Z_g T, and the norm of its gap.
static double find_gap(const grid_rows *g, const double *T, double moved[N][N])
{
    double sum = 0;
    for (int i = 0; i < g->count; ++i) {
        for (int k = 0; k < N; ++k) {
            moved[i][k] = 0;
            for (int j = 0; j < N; ++j) {
                moved[i][k] += g->Z[i][j] * T[N * j + k];
            }
            sum += (moved[i][k] - g->D[i][k]) * (moved[i][k] - g->D[i][k]);
        }
    }
    return sqrt(sum);
}

// T by squares that are weighted with the inverse of the last gaps, again and again.
static bool fit(int count, const grid_rows *grids, double *gaps, double *T)
{
    double moved[N][N];
    for (int g = 0; g < count; ++g) {
        gaps[g] = 1;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        double A[N * N] = {0}, B[N][N] = {{0}}, threshold[N];
        for (int g = 0; g < count; ++g) {
            const double weight = 1 / fmax(gaps[g], 1e-8);
            for (int i = 0; i < grids[g].count; ++i) {
                for (int j = 0; j < N; ++j) {
                    for (int k = 0; k < N; ++k) {
                        A[N * j + k] += weight * grids[g].Z[i][j] * grids[g].Z[i][k];
                        B[k][j] += weight * grids[g].Z[i][j] * grids[g].D[i][k];
                    }
                }
            }
        }
        for (int i = 0; i < N; ++i) {
            threshold[i] = 1e-13 * A[(N + 1) * i];
        }
        if (lb_factor_ldl(N, A, N, threshold) >= 0) {
            return false;
        }
        for (int k = 0; k < N; ++k) {
            lb_solve_ldl(N, A, N, B[k]);
            for (int j = 0; j < N; ++j) {
                T[N * j + k] = B[k][j];
            }
        }
        double change = 0;
        for (int g = 0; g < count; ++g) {
            const double gap = find_gap(&grids[g], T, moved);
            change = fmax(change, fabs(gap - gaps[g]));
            gaps[g] = gap;
        }
        if (change < 1e-10) {
            break;
        }
    }
    return true;
}

// What the stiffness says of a grid: whether translations of the whole are along other axes, or else where it is.
static void describe(const lb_fe_grid *grid, const grid_rows *g, const double *T, double size,
                     lb_import_checks *checks)
{
    double moved[N][N], turn[3][3] = {{0}}, off = 0;
    (void)find_gap(g, T, moved);
    for (int i = 0; i < g->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            off = fmax(off, fabs(moved[i][k] - g->D[i][k]));
            for (int c = 0; g->direction[i] < 3 && c < 3; ++c) {
                turn[k][c] += grid->axes[c][g->direction[i]] * moved[i][3 + k] * size;
            }
        }
    }
    checks->wrong_grid = grid->id;
    checks->has_wrong_axes = off > gap_allowed;
    // e_k x p by k
    checks->wrong_place[0] = 0.5 * (turn[2][1] - turn[1][2]);
    checks->wrong_place[1] = 0.5 * (turn[0][2] - turn[2][0]);
    checks->wrong_place[2] = 0.5 * (turn[1][0] - turn[0][1]);
}

lb_status lb_find_wrong_grids(lb_import *import, const lb_reduced *reduced,
                              lb_import_checks *checks)
{
    const lb_structure *s = reduced->structure;
    const size_t n = (size_t)reduced->K.n;
    checks->null_count = -1;
    if (checks->free_count == N || n < N || n > ROWS_MOST) {
        return LB_OK;
    }
    double *Z, *gaps, T[N * N];
    grid_rows *grids;
    if (!LB_IMPORT_TAKE(import, Z, N * n) || !LB_IMPORT_TAKE(import, gaps, s->node_count) ||
        !LB_IMPORT_TAKE(import, grids, s->node_count)) {
        return LB_E_MEMORY;
    }
    const lb_status status = find_null_space(import, &reduced->K, Z, &checks->null_count);
    if (status != LB_OK || checks->null_count != N) {
        return status;
    }
    const double size = fmax(fmax(checks->box[0], checks->box[1]), fmax(checks->box[2], 1e-300));
    for (int i = 0; i < s->node_count; ++i) {
        get_rows(s, reduced->rows, i, Z, n, size, &grids[i]);
    }
    if (!fit(s->node_count, grids, gaps, T)) {
        return LB_OK;
    }
    int worst = 0;
    for (int i = 0; i < s->node_count; ++i) {
        checks->wrong_count += gaps[i] > gap_allowed;
        worst = gaps[i] > gaps[worst] ? i : worst;
    }
    // without a majority nobody knows who is right
    if (2 * checks->wrong_count >= s->node_count) {
        checks->wrong_count = 0;
    } else if (checks->wrong_count > 0) {
        describe(&s->nodes[worst], &grids[worst], T, size, checks);
    }
    return LB_OK;
}
