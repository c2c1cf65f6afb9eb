// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The mass matrix of trees of rigid bodies: (CRB-1) with the composite inertia as a matrix of moments,
// four numbers side by side. The plain form is in composite_body.c; cross tests compare both.
#include "columns.h"
#include "steps.h"
#include "sweeps.h"

#ifndef LB_COUNTING // there composite_body.c does it all

// ---- four by four ------------------------------------------------------------------------------

enum { PARTS = 4 / LB_COLUMN_LANES };

// A row of four numbers, in as many registers as it takes.
typedef struct quad {
    lb_column_lane part[PARTS];
} quad;

static inline quad load_quad(const double *x)
{
    quad r;
    for (int i = 0; i < PARTS; ++i) {
        r.part[i] = lb_load_lane(x + i * LB_COLUMN_LANES);
    }
    return r;
}

static inline void store_quad(double *x, quad r)
{
    for (int i = 0; i < PARTS; ++i) {
        lb_store_lane(x + i * LB_COLUMN_LANES, r.part[i]);
    }
}

static inline quad add_quads(quad a, quad b)
{
    for (int i = 0; i < PARTS; ++i) {
        a.part[i] += b.part[i];
    }
    return a;
}

// p A0 + r[0] A1 + r[1] A2 + r[2] A3
static inline quad combine(double p, const double r[3], const quad A[4])
{
    quad x;
    for (int i = 0; i < PARTS; ++i) {
        x.part[i] =
            (p * A[0].part[i] + r[0] * A[1].part[i]) + (r[1] * A[2].part[i] + r[2] * A[3].part[i]);
    }
    return x;
}

static inline void transpose_quads(quad A[4])
{
#ifdef __AVX__
    const lb_column_lane a = A[0].part[0], b = A[1].part[0], c = A[2].part[0], d = A[3].part[0];
    const lb_column_lane e = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const lb_column_lane f = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const lb_column_lane g = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const lb_column_lane h = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    A[0].part[0] = __builtin_shufflevector(e, g, 0, 1, 4, 5);
    A[1].part[0] = __builtin_shufflevector(f, h, 0, 1, 4, 5);
    A[2].part[0] = __builtin_shufflevector(e, g, 2, 3, 6, 7);
    A[3].part[0] = __builtin_shufflevector(f, h, 2, 3, 6, 7);
#else
    quad B[4];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const lb_column_lane a = A[2 * i].part[j], b = A[2 * i + 1].part[j];
            B[2 * j].part[i] = __builtin_shufflevector(a, b, 0, 2);
            B[2 * j + 1].part[i] = __builtin_shufflevector(a, b, 1, 3);
        }
    }
    for (int i = 0; i < 4; ++i) {
        A[i] = B[i];
    }
#endif
}

// ---- moments -----------------------------------------------------------------------------------

// Moments of the mass, carried                                                          (CRB-3)
//
//     S = [m h'; h Sigma],   S(p) += T S(k) T',   T = [1 0; l R] of the pose of k in p
//
// with Sigma = 1/2 tr(J) I - J, the sum of m r r'. T S by rows, turned about, and once more by rows.
static inline void give_moments(const lb_pose *X, const double *S, double *S_p)
{
    const double l[3] = {X->p.x, X->p.y, X->p.z};
    const quad rows[4] = {load_quad(S), load_quad(S + 4), load_quad(S + 8), load_quad(S + 12)};
    quad A[4];
    A[0] = rows[0];
    for (int i = 0; i < 3; ++i) {
        A[i + 1] = combine(l[i], X->R.m[i], rows);
    }
    transpose_quads(A);
    store_quad(S_p, add_quads(load_quad(S_p), A[0]));
    for (int i = 0; i < 3; ++i) {
        double *row = S_p + 4 * (i + 1);
        store_quad(row, add_quads(load_quad(row), combine(l[i], X->R.m[i], A)));
    }
}

// S of a body by itself.
static inline void start_moments(const lb_body *b, double *S)
{
    const double h[3] = {b->M.h.x, b->M.h.y, b->M.h.z};
    store_quad(S, load_quad(&b->M.m)); // m and h follow one another
    for (int i = 0; i < 3; ++i) {
        quad row = load_quad(b->second + 3 * i);
        row.part[0][0] = h[i];
        store_quad(S + 4 * (i + 1), row);
    }
}

// The same inertia as everybody else has it: J = tr(Sigma) I - Sigma.
static lb_inertia get_inertia(const double *S)
{
    const double xx = S[5], yy = S[10], zz = S[15];
    return (lb_inertia){
        S[0], {S[1], S[2], S[3]}, {yy + zz, xx + zz, xx + yy, -S[6], -S[7], -S[11]}};
}

// ---- columns -----------------------------------------------------------------------------------

// X := phi(p,k) X for the columns of the subtree of a simple hinge. Its own, R z, which it starts,
// joins the others in their registers: a vector read of single writes would wait for them.
static inline void carry_with_own(const lb_columns *F, const lb_pose *X, const double *S, int from,
                                  int to)
{
    int s = to - LB_COLUMN_LANES;
    for (; s > from; s -= LB_COLUMN_LANES) {
        lb_column_lane x[6];
        lb_load_columns(F, s, x);
        lb_carry_lane(F, X, x, s);
    }
    const double own[6] = {-S[7], -S[11], S[5] + S[10], -S[2], S[1], 0.0};
    lb_column_mask lane;
    for (int i = 0; i < LB_COLUMN_LANES; ++i) {
        lane[i] = i;
    }
    const lb_column_mask here = lane == (lb_column_mask){0} + (from - s);
    lb_column_lane x[6];
    lb_load_columns(F, s, x);
    for (int i = 0; i < 6; ++i) {
        const lb_column_lane spread = (lb_column_lane){0} + own[i];
        x[i] = (lb_column_lane)(((lb_column_mask)spread & here) | ((lb_column_mask)x[i] & ~here));
    }
    lb_carry_lane(F, X, x, s);
}

// Own columns X = R H* of any hinge and all rows of its speeds.
static void write_any_hinge(const lb_model *model, lb_work *work, int k, const lb_columns *F,
                            double *M)
{
    const lb_body *b = &model->bodies[k];
    const lb_inertia R = get_inertia(work->bodies[k].S);
    for (int i = 0; i < b->nv; ++i) {
        const lb_vec6 H = work->H[b->dof + i], X = lb_inertia_mul(&R, H);
        lb_put_column(F, b->speed + i, X);
        work->scale[b->hinge_v + i] = fabs(lb_vec6_dot(H, X));
    }
    if (b->hinge == LB_HINGE_FREE) {
        lb_copy_six_rows(model, F, b->hinge_v, b->speed, b->speed_end, M); // H* = I
        return;
    }
    for (int i = 0; i < b->nv; ++i) {
        lb_write_row(model, F, b->hinge_v + i, work->H[b->dof + i], b->speed, b->speed_end, M);
    }
}

void lb_run_mass_matrix_rigid(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const ptrdiff_t n = model->v_count;
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        start_moments(&model->bodies[k], work->bodies[k].S);
    }
    lb_start_state(work, LB_HAS_POSITION | LB_HAS_INERTIA);
    const ptrdiff_t full = model->full_rows;
    memset(M + full * n, 0, (size_t)((n - full) * n) * sizeof *M);
    const lb_columns F = lb_get_columns(model, work);
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        if (b->simple) {
            const double diagonal = w->S[5] + w->S[10];
            work->scale[b->hinge_v] = fabs(diagonal);
            M[b->hinge_v * (n + 1)] = diagonal;
            lb_copy_row(model, F.row[2], b->hinge_v, b->speed + 1, b->speed_end, M);
        } else {
            write_any_hinge(model, work, k, &F, M);
        }
        if (b->parent < 0) {
            continue;
        }
        give_moments(&w->X, w->S, work->bodies[b->parent].S);
        if (b->simple) {
            carry_with_own(&F, &w->X, w->S, b->speed, b->speed_end);
        } else {
            lb_carry_columns(&F, &w->X, b->speed, b->speed_end);
        }
    }
}
#endif // LB_COUNTING
