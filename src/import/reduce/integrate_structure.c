// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inertia of a body from the mass matrix of its finite elements. With the velocity of the nodes in body axes,
//
//     V = R (v, w) + sum_r eta_dot_r phi_r + sum_t eta_t W_t w
//
// where column k of W_t turns the displacements of mode t about axis k (e_k x u_t at translations, nothing at
// rotations), the kinetic energy is V' M V / 2, and its coefficients are                      (IMP-2)
//
//     rigid = R' M R,  E, B0 = R' M phi,  M_ff = phi' M phi
//     B_tr = W_t' M phi_r,  S_t = W_t' M R_w + R_w' M W_t,  S2_ts = W_t' M W_s + W_s' M W_t   (IMP-3)
//
// It is exact where M couples equal directions only, by equal numbers, as that of solid elements does: such an
// M is the same in all axes. Where it is not, as for beams and shells with rotations, it is the usual
// approximation that the mass matrix turns with the body and does not depend on the deformation.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "reduction.h"

// Columns of n numbers, as R and Phi.
static double multiply_columns(const lb_reduction *r, const double *A, int i, const double *B,
                               int j)
{
    const size_t n = (size_t)r->n;
    return lb_compute_dot((ptrdiff_t)n, A + (size_t)i * n, B + (size_t)j * n);
}

static void integrate_rigid(const lb_reduction *r, lb_flex_integrals *I)
{
    double G[6][6];
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            G[i][j] = multiply_columns(r, r->R, i, r->MR, j);
        }
    }
    I->mass = (G[0][0] + G[1][1] + G[2][2]) / 3;
    // a turn about k moves the centre by e_k x c: column k of the upper right block is e_k x h0
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        I->h0[k] = 0.5 * (G[i][3 + j] - G[j][3 + i]);
    }
    static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int c = 0; c < 6; ++c) {
        I->S0[c] =
            0.5 * (G[3 + place[c][0]][3 + place[c][1]] + G[3 + place[c][1]][3 + place[c][0]]);
    }
}

// W_t: three columns for each mode.
static void turn_modes(const lb_structure *structure, const lb_reduction *r, const int *rows,
                       double *W)
{
    const size_t n = (size_t)r->n;
    for (int t = 0; t < r->mode_count; ++t) {
        const double *phi = r->Phi + (size_t)t * n;
        for (int node = 0; node < structure->node_count; ++node) {
            const lb_fe_grid *grid = &structure->nodes[node];
            double u[3] = {0, 0, 0};
            for (int d = 0; d < 3; ++d) {
                const int row = rows[6 * node + d];
                for (int c = 0; row >= 0 && c < 3; ++c) {
                    u[c] += grid->axes[c][d] * phi[row];
                }
            }
            for (int d = 0; d < 3; ++d) {
                const int row = rows[6 * node + d];
                for (int k = 0; row >= 0 && k < 3; ++k) {
                    const int i = (k + 1) % 3, j = (k + 2) % 3;
                    W[(3 * (size_t)t + (size_t)k) * n + (size_t)row] =
                        grid->axes[j][d] * u[i] - grid->axes[i][d] * u[j];
                }
            }
        }
    }
}

static lb_status integrate_deformed(lb_import *import, const lb_structure *structure,
                                    const lb_fe_matrix *M, const lb_reduction *r,
                                    lb_flex_integrals *I)
{
    const int m = r->mode_count;
    const size_t n = (size_t)r->n;
    int *rows = lb_index_rows(import, structure);
    const int columns = 3 * m;
    double *W, *MW, *B, *S, *S2, *with_W, *with_R, *with_phi;
    if (!rows || !LB_IMPORT_TAKE(import, W, 3 * (size_t)m * n) ||
        !LB_IMPORT_TAKE(import, MW, 3 * (size_t)m * n) ||
        !LB_IMPORT_TAKE(import, B, 3 * (size_t)m * (size_t)m) ||
        !LB_IMPORT_TAKE(import, S, 6 * (size_t)m) ||
        !LB_IMPORT_TAKE(import, S2, 6 * (size_t)m * (size_t)m) ||
        !LB_IMPORT_TAKE(import, with_W, 9 * (size_t)m * (size_t)m) ||
        !LB_IMPORT_TAKE(import, with_R, 9 * (size_t)m) ||
        !LB_IMPORT_TAKE(import, with_phi, 3 * (size_t)m * (size_t)m)) {
        return LB_E_MEMORY;
    }
    turn_modes(structure, r, rows, W);
    lb_fe_multiply_block(M, W, columns, MW);
    // W' M of all modes and axes, times each mode, turn and W
    lb_fe_multiply_dense('T', columns, m, r->n, 1.0, MW, r->n, r->Phi, r->n, 0.0, with_phi,
                         columns);
    lb_fe_multiply_dense('T', columns, 3, r->n, 1.0, MW, r->n, r->R + 3 * n, r->n, 0.0, with_R,
                         columns);
    lb_fe_multiply_dense('T', columns, columns, r->n, 1.0, MW, r->n, W, r->n, 0.0, with_W, columns);
    static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int t = 0; t < m; ++t) {
        for (int q = 0; q < m; ++q) {
            memcpy(B + 3 * (t * m + q), with_phi + q * columns + 3 * t, 3 * sizeof *B);
        }
        for (int c = 0; c < 6; ++c) {
            const int k = place[c][0], l = place[c][1];
            S[6 * t + c] = with_R[l * columns + 3 * t + k] + with_R[k * columns + 3 * t + l];
            for (int s = 0; s <= t; ++s) {
                S2[6 * (t * m + s) + c] = S2[6 * (s * m + t) + c] =
                    with_W[(3 * s + l) * columns + 3 * t + k] +
                    with_W[(3 * s + k) * columns + 3 * t + l];
            }
        }
    }
    I->B = B;
    I->S = S;
    I->S2 = S2;
    return LB_OK;
}

lb_status lb_integrate_structure(lb_import *import, const lb_structure *structure,
                                 const lb_fe_matrix *M, const lb_reduction *r, lb_modal_body *body)
{
    const int m = r->mode_count;
    lb_flex_integrals *I = &body->integrals;
    double *E, *B0, *M_ff;
    *I = (lb_flex_integrals){.size = sizeof *I};
    if (!LB_IMPORT_TAKE(import, E, 3 * (size_t)m) || !LB_IMPORT_TAKE(import, B0, 3 * (size_t)m) ||
        !LB_IMPORT_TAKE(import, M_ff, (size_t)m * (size_t)m)) {
        return LB_E_MEMORY;
    }
    integrate_rigid(r, I);
    for (int q = 0; q < m; ++q) {
        for (int k = 0; k < 3; ++k) {
            E[3 * q + k] = multiply_columns(r, r->R, k, r->MPhi, q);
            B0[3 * q + k] = multiply_columns(r, r->R, 3 + k, r->MPhi, q);
        }
        for (int s = 0; s <= q; ++s) {
            M_ff[q * m + s] = M_ff[s * m + q] = multiply_columns(r, r->Phi, s, r->MPhi, q);
        }
    }
    I->E = E;
    I->B0 = B0;
    I->M_ff = M_ff;
    body->order = structure->is_reduced ? LB_INERTIA_ORDER_0 : LB_INERTIA_ORDER_2;
    return structure->is_reduced ? LB_OK : integrate_deformed(import, structure, M, r, I);
}

lb_status lb_reduce_damping(lb_import *import, const lb_structure *structure,
                            const lb_import_units *units, const lb_reduction *r,
                            lb_modal_body *body)
{
    const size_t m = (size_t)r->mode_count, n = (size_t)r->n;
    lb_fe_matrix C;
    double *D, *force;
    if (structure->C.count == 0) {
        return LB_OK;
    }
    const lb_status status = lb_assemble_damping(import, structure, units, &C);
    if (status != LB_OK) {
        return status;
    }
    if (!LB_IMPORT_TAKE(import, D, m * m + 1) || !LB_IMPORT_TAKE(import, force, n)) {
        return LB_E_MEMORY;
    }
    double largest = 0.0, rigid = 0.0;
    for (int k = 0; k < C.start[C.n]; ++k) {
        largest = fmax(largest, fabs(C.value[k]));
    }
    for (size_t k = 0; k < 3; ++k) {
        lb_fe_multiply(&C, r->R + k * n, force);
        for (size_t i = 0; i < n; ++i) {
            rigid = fmax(rigid, fabs(force[i]));
        }
    }
    if (rigid > 1e-6 * largest) {
        lb_import_warn(import, structure->C.file, 0,
                       "this damping resists the motion of the whole body too: that part of it is "
                       "left out, since a model may move the body anywhere");
    }
    for (size_t s = 0; s < m; ++s) {
        lb_fe_multiply(&C, r->Phi + s * n, force);
        for (size_t t = 0; t < m; ++t) {
            D[t * m + s] = lb_compute_dot((ptrdiff_t)n, r->Phi + t * n, force);
        }
    }
    body->flex.damping = D;
    return LB_OK;
}
