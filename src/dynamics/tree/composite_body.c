// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The mass matrix by composite bodies, and forward dynamics through it.
#include <string.h>

#include "columns.h"
#include "revolute_steps.h"
#include "steps.h"
#include "sweeps.h"

// The composite inertia of k, handed to its parent: R(p) += Phi(p,k) R_rr(k) Phi*(p,k).
static void give_composite(const lb_model *model, lb_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_inertia *R = &work->bodies[k].R;
    lb_inertia *R_p = &work->bodies[b->parent].R;
    const lb_inertia carried = lb_inertia_carry(&work->bodies[k].X, R);
    if (b->at) {
        // (FLX-9): P_ff, P_rf of the parent stand for R_ff, R_rf
        const lb_joint_work *j = &work->joints[b->joint_index];
        lb_flex_work *f = lb_get_flex(model, work, b->parent);
        const int n = model->bodies[b->parent].mode_count;
        for (int r = 0; r < n; ++r) {
            // Pi^t_F, at the frame of the parent, is a motion of the rigid composite there
            LB_LANE(r, n);
            const lb_vec6 F = lb_inertia_mul(&carried, j->Pi[r]);
            f->P_rf[r] = lb_vec6_add(f->P_rf[r], F);
            LB_LANE(0, 0);
            for (int s = 0; s <= r; ++s) {
                f->P_ff[r * n + s] += lb_vec6_dot(j->Pi[s], F);
            }
        }
    }
    R_p->m += carried.m;
    R_p->h = lb_vec3_add(R_p->h, carried.h);
    R_p->J = lb_sym3_add(R_p->J, carried.J);
}

// Rows of a hinge over all columns of its subtree: H X.
static inline void write_hinge_rows(const lb_model *model, const lb_work *work, const lb_body *b,
                                    const lb_columns *F, double *M)
{
    if (b->simple) {
        lb_copy_row(model, F->row[2], b->hinge_v, b->speed, b->speed_end, M);
        return;
    }
    if (b->hinge == LB_HINGE_FREE && !b->moving) {
        lb_copy_six_rows(model, F, b->hinge_v, b->speed, b->speed_end, M); // H* = I
        return;
    }
    for (int i = 0; i < b->nv; ++i) {
        lb_write_row(model, F, b->hinge_v + i, work->H[b->dof + i], b->speed, b->speed_end, M);
    }
}

// Own columns of a body, at its frame: X = R H*, for modes [R_rf - R_rr Pi^d_F].
static inline void start_columns(const lb_body *b, lb_work *work, const lb_inertia *R,
                                 const lb_columns *F)
{
    const lb_flex_work *f = b->flex ? &work->flex[b->flex_index] : NULL;
    for (int r = 0; r < b->mode_count; ++r) {
        const lb_vec6 own = b->moving ? lb_inertia_mul(R, f->Pi_d[r]) : lb_vec6_zero();
        lb_put_column(F, b->speed + r, lb_vec6_sub(f->P_rf[r], own));
    }
    const int first = b->speed + b->mode_count;
    if (b->simple) {
        // R z
        const lb_vec6 X = {{R->J.xz, R->J.yz, R->J.zz}, {-R->h.y, R->h.x, 0}};
        lb_put_column(F, first, X);
        work->scale[b->hinge_v] = fabs(R->J.zz);
        return;
    }
    for (int i = 0; i < b->nv; ++i) {
        const lb_vec6 H = work->H[b->dof + i], X = lb_inertia_mul(R, H);
        lb_put_column(F, first + i, X);
        work->scale[b->hinge_v + i] = fabs(lb_vec6_dot(H, X));
    }
}

// Rows of the modes of a body: X_f - Pi^d_F* X. For columns from outboard X_f = Pi^t_F* X is in M
// already, written when the columns arrived.
static void write_mode_rows(const lb_model *model, lb_work *work, const lb_body *b,
                            const lb_columns *F, double *M)
{
    const ptrdiff_t n = model->v_count;
    const lb_flex_work *f = &work->flex[b->flex_index];
    const int m = b->mode_count, hinge = b->speed + m, outboard = hinge + b->nv;
    for (int r = 0; r < m; ++r) {
        const ptrdiff_t row = b->v + r;
        const lb_vec6 Pi = b->moving ? f->Pi_d[r] : lb_vec6_zero();
        work->scale[row] = fabs(f->P_ff[r * m + r]);
        for (int s = b->speed; s < b->speed_end; ++s) {
            const ptrdiff_t column = model->speeds[s];
            double X_f;
            if (s < hinge) {
                const int i = s - b->speed;
                const double P_ff = r < i ? f->P_ff[i * m + r] : f->P_ff[r * m + i];
                X_f = P_ff - (b->moving ? lb_vec6_dot(f->P_rf[r], f->Pi_d[i]) : 0.0);
            } else if (s < outboard) {
                X_f = lb_vec6_dot(f->P_rf[r], work->H[b->dof + s - hinge]);
            } else {
                X_f = M[row * n + column];
            }
            const double own = b->moving ? lb_vec6_dot(Pi, lb_get_column(F, s)) : 0.0;
            M[row * n + column] = M[column * n + row] = X_f - own;
        }
    }
}

// Composite bodies and the mass matrix                                                  (CRB-1)
//
//     R(k) = M_m(k) + sum over children j of  Phi(k,j) R(j) Phi*(k,j)         tip to base
//     X(k) = R(k) H*(k),   M_kk = H(k) X(k)
//     X(j) = Phi(j,j') X(j'),   M_jk = H(j) X(j) = M_kj'     for the ancestors j of k, inwards
//
// with H* = [I, 0; -Pi^d_F, H_F*] in (modes, frame) by (modes, hinge). All columns of a subtree
// travel together, for they pass through the same hinges.
//
// Source: Jain and Rodriguez 1992, (50), for trees.
lb_status lb_run_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const ptrdiff_t n = model->v_count;
#ifndef LB_COUNTING // which counts what one body and one column at a time take
    if (model->flex_count == 0) {
        lb_run_mass_matrix_rigid(model, work, q, M);
        return LB_OK;
    }
#endif
    lb_compute_angles(model, work, q);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_step_position(model, work, k, q);
        lb_step_inertia(model, work, k, 0);
        work->bodies[k].R = *lb_get_inertia(model, work, k);
        for (int r = 0, m = b->mode_count; r < m; ++r) {
            lb_flex_work *f = &work->flex[b->flex_index];
            f->P_rf[r] = f->M_rf[r];
            for (int s = 0; s <= r; ++s) {
                f->P_ff[r * m + s] = f->M_ff[r * m + s];
            }
        }
    }
    lb_start_state(work, LB_HAS_POSITION | LB_HAS_INERTIA);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    const lb_columns F = lb_get_columns(model, work);
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        LB_MARK(b, "CRB-1");
        start_columns(b, work, &work->bodies[k].R, &F);
        write_hinge_rows(model, work, b, &F, M);
        if (b->mode_count) {
            write_mode_rows(model, work, b, &F, M);
        }
        if (b->parent < 0) {
            continue;
        }
        give_composite(model, work, k);
        lb_carry_columns(&F, &work->bodies[k].X, b->speed, b->speed_end);
        if (b->at) {
            const lb_joint_work *j = &work->joints[b->joint_index];
            const lb_body *p = &model->bodies[b->parent];
            for (int r = 0; r < p->mode_count; ++r) {
                lb_write_row(model, &F, p->v + r, j->Pi[r], b->speed, b->speed_end, M);
            }
        }
    }
    return LB_OK;
}

// Factorisation that follows the tree                                                   (CRB-2)
//
//     M = L' D L,  L unit, L_ij non-zero only where j is i or on the way from i to the base
//
// given     M, whole
// computes  D on the diagonal, L_ij at M[i][j] for the j on the way from i to the base
//
// Source: Featherstone 2008, section 6.5. No fill-in: cost n d^2 for depth d.
static lb_status factor_tree(const lb_model *model, lb_work *work, double *M)
{
    const ptrdiff_t n = model->v_count;
    const int *inward = model->inward;
    lb_status status = LB_OK;
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        LB_MARK(b, "CRB-2");
        for (int s = b->hinge_v + b->nv - 1; s >= b->v; --s) {
            double *row_s = M + s * n;
            const double d = row_s[s];
            // 1e-14: below it the pivot is round-off of the sums that made it
            const int singular = !(fabs(d) > 1e-14 * work->scale[s]);
            if (singular || d < 0) {
                lb_set_bad_inertia(work, b, s - b->v);
                status = LB_NEWS_INDEFINITE;
            }
            if (singular) {
                return LB_E_SINGULAR;
            }
            const double inverse = 1.0 / d;
            for (int i = inward[s]; i >= 0; i = inward[i]) {
                // M_ij -= L_si M_sj for j from i towards the base
                double *row_i = M + i * n;
                const double l = row_s[i] * inverse;
                for (int j = i; j >= 0; j = inward[j]) {
                    row_i[j] -= l * row_s[j];
                }
                row_s[i] = l;
            }
        }
    }
    return status;
}

// x := M^-1 x with the factors of (CRB-2)
static void solve_tree(const lb_model *model, const double *M, double *x)
{
    const ptrdiff_t n = model->v_count;
    const int *inward = model->inward;
    // L'^-1 and D^-1, tip to base
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        LB_MARK(b, "CRB-2");
        for (int s = b->hinge_v + b->nv - 1; s >= b->v; --s) {
            for (int j = inward[s]; j >= 0; j = inward[j]) {
                x[j] -= M[s * n + j] * x[s];
            }
            x[s] /= M[s * n + s];
        }
    }
    // L^-1, base to tip
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        LB_MARK(b, "CRB-2");
        for (int s = b->v; s < b->hinge_v + b->nv; ++s) {
            for (int j = inward[s]; j >= 0; j = inward[j]) {
                x[s] -= M[s * n + j] * x[j];
            }
        }
    }
}

lb_status lb_run_forward_dynamics_composite(const lb_model *model, lb_work *work, const double *q,
                                            const double *v, const double *tau, double *M,
                                            double *a)
{
    // M a = tau - c
    lb_run_mass_matrix(model, work, q, M);
    lb_run_bias(model, work, q, v, a);
    for (int i = 0; i < model->v_count; ++i) {
        a[i] = (tau ? tau[i] : 0.0) - a[i];
    }
    const lb_status status = factor_tree(model, work, M);
    if (status < LB_OK) {
        return status;
    }
    solve_tree(model, M, a);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        if (b->simple && !b->flex) { // the bias has not kept w->a
            lb_revolute_step_motion(&work->bodies[k], &work->bodies[b->parent], v[b->hinge_v],
                                    a[b->hinge_v]);
        } else {
            lb_step_acceleration(model, work, k, a);
        }
    }
    return status;
}
