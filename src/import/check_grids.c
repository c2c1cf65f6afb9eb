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
#include "imported.h"
#include "structure/fe.h"

enum { N = 6, NULLS_MOST = 12, ROWS_MOST = 20000, ROUNDS = 200 };

/// Larger gaps than this part of a motion are of a wrong grid: matrices of seven digits leave 1e-6.
static const double gap_allowed = 1e-4;

// The masses of the rows by themselves, in the pattern of K; a row without mass swings as fast as the fastest that has.
static lb_status form_diagonal(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M,
                               lb_fe_matrix *D, double *slowest)
{
    double *k, *m, fastest = 0;
    *D = *K;
    *slowest = INFINITY;
    if (!LB_IMPORT_TAKE(import, D->value, K->start[K->n]) || !LB_IMPORT_TAKE(import, k, K->n) ||
        !LB_IMPORT_TAKE(import, m, K->n)) {
        return LB_E_MEMORY;
    }
    for (int j = 0; j < K->n; ++j) {
        for (int i = K->start[j]; i < K->start[j + 1]; ++i) {
            k[j] = K->row[i] == j ? K->value[i] : k[j];
        }
        for (int i = M->start[j]; i < M->start[j + 1]; ++i) {
            m[j] = M->row[i] == j ? M->value[i] : m[j];
        }
        fastest = fmax(fastest, m[j] > 0 ? k[j] / m[j] : 0);
        *slowest = fmin(*slowest, m[j] > 0 && k[j] > 0 ? k[j] / m[j] : INFINITY);
    }
    for (int j = 0; j < K->n; ++j) {
        for (int i = K->start[j]; i < K->start[j + 1]; ++i) {
            const double none = fastest > 0 && k[j] > 0 ? k[j] / fastest : 1;
            D->value[i] = K->row[i] != j ? 0 : m[j] > 0 ? m[j] : none;
        }
    }
    return LB_OK;
}

// The null space of K: eigenvalues of K x = lambda D x that are zero beside the next one, which has to be a thousand times
// as large. The shift comes down to that one, so that rounding of the shift does not hide it. By columns in `Z`.
//
// @param count  out: -1 if nothing tells
static lb_status find_null_space(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M,
                                 double *Z, int *count)
{
    enum { TURNS = 8 };
    const int most = K->n < NULLS_MOST ? K->n : NULLS_MOST;
    lb_fe_matrix D;
    double squares[NULLS_MOST], shift;
    lb_status status = form_diagonal(import, K, M, &D, &shift);
    *count = -1;
    for (int turn = 0; turn < TURNS && status == LB_OK && isfinite(shift); ++turn) {
        const lb_report nobody = {NULL, NULL};
        lb_fe_search s = {.count = most, .shift = shift};
        lb_fe_context context;
        lb_fe_init(&context, &import->arena.allocator, &nobody);
        const lb_status found = lb_fe_search_modes(&context, &s, K, &D, squares, Z);
        lb_arena_free(&context.arena);
        if (found == LB_E_MEMORY) {
            return found;
        }
        int nulls = 0;
        double largest = 0;
        for (int i = 0; found == LB_OK && i < most; ++i) {
            // rounding of the shift is far below a thousandth of it
            const bool stands_out = squares[i] > 1e3 * largest && squares[i] > 1e-10 * shift;
            if (stands_out && (i > 0 || squares[i] > 1e-3 * shift)) {
                nulls = i;
                largest = squares[i];
                break;
            }
            largest = fmax(largest, fabs(squares[i]));
            nulls = -1;
        }
        if (found == LB_OK && nulls >= 0 && largest > 1e-3 * shift) {
            *count = nulls;
            break;
        }
        shift = found == LB_OK && nulls > 0 ? largest : 1e-4 * shift;
    }
    return status;
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
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double place = 0.5 * (turn[b][a] - turn[a][b]);
        checks->wrong_place[k] = fabs(place) < 1e-8 * size ? 0 : place; // rounding
    }
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
    if (!LB_IMPORT_TAKE(import, Z, NULLS_MOST * n) ||
        !LB_IMPORT_TAKE(import, gaps, s->node_count) ||
        !LB_IMPORT_TAKE(import, grids, s->node_count)) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        find_null_space(import, &reduced->K, &reduced->M, Z, &checks->null_count);
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
