// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The mass matrix by composite bodies, and forward dynamics through it.
#include "steps.h"

// Composite bodies and the mass matrix                                                  (CRB-1)
//
//     R(k) = M(k) + sum over children j of  phi(k,j) R(j) phi*(k,j)           tip to base
//     X(k) = R(k) H*(k),   M_kk = H(k) X(k)
//     X(j) = phi(j,j') X(j'),   M_jk = H(j) X(j) = M_kj'     for the ancestors j of k, outwards in
//
// Source: Jain and Rodriguez 1992, (50), for trees.
lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const ptrdiff_t n = model->v_count;
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        work->bodies[k].R = model->bodies[k].M;
    }
    work->has = LB_HAS_POSITION;
    for (ptrdiff_t i = 0; i < n * n; ++i) {
        M[i] = 0.0;
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_inertia *R = &work->bodies[k].R;
        if (b->parent >= 0) {
            const lb_inertia carried = lb_inertia_carry(&work->bodies[k].X, R);
            work->bodies[b->parent].R = lb_inertia_add(&work->bodies[b->parent].R, &carried);
        }
        for (int i = 0; i < b->nv; ++i) {
            const ptrdiff_t column = b->hinge_v + i;
            lb_vec6 X = lb_inertia_mul(R, work->H[b->dof + i]);
            for (int j = 0; j <= i; ++j) {
                const ptrdiff_t row = b->hinge_v + j;
                M[row * n + column] = M[column * n + row] = lb_vec6_dot(work->H[b->dof + j], X);
            }
            for (int j = k; model->bodies[j].parent >= 0;) {
                X = lb_pose_carry_force(&work->bodies[j].X, X);
                j = model->bodies[j].parent;
                for (int m = 0; m < model->bodies[j].nv; ++m) {
                    const ptrdiff_t row = model->bodies[j].hinge_v + m;
                    M[row * n + column] = M[column * n + row] =
                        lb_vec6_dot(work->H[model->bodies[j].dof + m], X);
                }
            }
        }
    }
    return LB_OK;
}

// Walks from a speed towards the base: first the lower speeds of its own body, then its ancestors'.
typedef struct climb {
    int body;   // sweep index
    int offset; // among the body's own speeds
} climb;

static int speed_count(const lb_body *b)
{
    return b->mode_count + b->nv;
}

// One step towards the base, past bodies without speeds. Index into v, or -1 at the base.
static int climb_on(const lb_model *model, climb *c)
{
    while (--c->offset < 0) {
        c->body = model->bodies[c->body].parent;
        if (c->body < 0) {
            return -1;
        }
        c->offset = speed_count(&model->bodies[c->body]);
    }
    return model->bodies[c->body].v + c->offset;
}

// Factorisation that follows the tree                                                   (CRB-2)
//
//     M = L' D L,  L unit, L_ij non-zero only where j is i or on the way from i to the base
//
// given     M, whole
// computes  D on the diagonal, L_ij at M[i][j] for the j on the way from i to the base
//
// Source: Featherstone 2008, section 6.5. No fill-in: cost n d^2 for depth d.
static lb_status factor(const lb_model *model, lb_work *work, double *M)
{
    const ptrdiff_t n = model->v_count;
    lb_status status = LB_OK;
    for (ptrdiff_t i = 0; i < n; ++i) {
        work->x[i] = fabs(M[i * n + i]);
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        for (int i = speed_count(b) - 1; i >= 0; --i) {
            const ptrdiff_t s = b->v + i;
            const double d = M[s * n + s];
            // 1e-14: below it the pivot is round-off of the sums that made it
            if (!(fabs(d) > 1e-14 * work->x[s])) {
                lb_set_trouble(work, b, i);
                return LB_E_SINGULAR;
            }
            if (d < 0) {
                lb_set_trouble(work, b, i);
                status = LB_NEWS_INDEFINITE;
            }
            climb c = {k, i};
            for (ptrdiff_t row = climb_on(model, &c); row >= 0; row = climb_on(model, &c)) {
                const double l = M[s * n + row] / d;
                // M_row,j -= l M_s,j for j from row towards the base
                M[row * n + row] -= l * M[s * n + row];
                climb e = c;
                for (ptrdiff_t j = climb_on(model, &e); j >= 0; j = climb_on(model, &e)) {
                    M[row * n + j] -= l * M[s * n + j];
                }
                M[s * n + row] = l;
            }
        }
    }
    return status;
}

// x := M^-1 x with the factors of (CRB-2)
static void solve(const lb_model *model, const double *M, double *x)
{
    const ptrdiff_t n = model->v_count;
    // L'^-1, tip to base
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        for (int i = speed_count(b) - 1; i >= 0; --i) {
            const ptrdiff_t s = b->v + i;
            climb c = {k, i};
            for (int j = climb_on(model, &c); j >= 0; j = climb_on(model, &c)) {
                x[j] -= M[s * n + j] * x[s];
            }
            x[s] /= M[s * n + s];
        }
    }
    // L^-1, base to tip
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = 0; i < speed_count(b); ++i) {
            const ptrdiff_t s = b->v + i;
            climb c = {k, i};
            for (int j = climb_on(model, &c); j >= 0; j = climb_on(model, &c)) {
                x[s] -= M[s * n + j] * x[j];
            }
        }
    }
}

lb_status lb_compute_forward_dynamics_composite(const lb_model *model, lb_work *work,
                                                const double *q, const double *v, const double *tau,
                                                double *M, double *a)
{
    // M a = tau - c
    lb_compute_mass_matrix(model, work, q, M);
    lb_compute_bias(model, work, q, v, a);
    for (int i = 0; i < model->v_count; ++i) {
        a[i] = (tau ? tau[i] : 0.0) - a[i];
    }
    const lb_status status = factor(model, work, M);
    if (status < LB_OK) {
        return status;
    }
    solve(model, M, a);
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_acceleration(model, work, k, a);
    }
    return status;
}
