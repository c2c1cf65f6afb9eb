// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Articulated-body dynamics: the innovations factorisation of the mass matrix, forward and hybrid
// dynamics, and products with the inverse.
#include "../base/symmetric.h"
#include "steps.h"

// Factors D = H P H* of a hinge in place as L D L'.
//
// A pivot is singular when it is lost in the round-off of the inertias that made it: compared with
// the traces of P that a unit rotation and a unit translation meet.
static lb_status factor_hinge(const lb_body *b, const lb_sym6 *P, const lb_vec6 *H, double *D,
                              lb_work *work)
{
    const double turn = P->J.xx + P->J.yy + P->J.zz, shift = P->M.xx + P->M.yy + P->M.zz;
    double threshold[6];
    for (int i = 0; i < b->nv; ++i) {
        const double scale =
            lb_vec3_dot(H[i].w, H[i].w) * turn + lb_vec3_dot(H[i].v, H[i].v) * shift;
        threshold[i] = 1e-14 * fabs(scale);
    }
    const int singular = lb_factor_ldl(b->nv, D, b->nv, threshold);
    if (singular >= 0) {
        lb_set_trouble(work, b, b->mode_count + singular);
        return LB_E_SINGULAR;
    }
    for (int i = 0; i < b->nv; ++i) {
        if (D[i * b->nv + i] < 0) {
            lb_set_trouble(work, b, b->mode_count + i);
            return LB_NEWS_INDEFINITE;
        }
    }
    return LB_OK;
}

// Articulated inertia at one body                                                       (ABA-1)
//
//     D = H P H*,   G = P H* D^-1,   P+ = (I - G H) P = P - G D G*
//
// given     P(k), whole
// computes  G(k), the factors of D(k), and P+: what the parent feels of k across the hinge
//
// Source: Jain and Rodriguez 1992, (51); hinge part of the split form (63).
static lb_status eliminate_hinge(const lb_body *b, const lb_sym6 *P, lb_work *work, lb_sym6 *P_plus)
{
    const int n = b->nv;
    const lb_vec6 *H = work->H + b->dof;
    lb_vec6 *G = work->G + b->dof;
    double *D = work->D + b->factor;
    *P_plus = *P;

    // G holds U = P H* at first
    for (int i = 0; i < n; ++i) {
        G[i] = lb_sym6_mul(P, H[i]);
        for (int j = 0; j <= i; ++j) {
            D[i * n + j] = lb_vec6_dot(H[j], G[i]);
        }
    }
    const lb_status status = factor_hinge(b, P, H, D, work);
    if (status < LB_OK) {
        return status;
    }
    if (n == 6) {
        // nothing is felt across a free hinge
        *P_plus = (lb_sym6){0};
    }
    // W = U L'^-1:  P+ = P - W D^-1 W*,  then G = W D^-1 L^-1
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[i * n + j], G[j]);
        }
        if (n < 6) {
            lb_sym6_downdate(P_plus, 1.0 / D[i * n + i], G[i]);
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const double s = 1.0 / D[i * n + i];
        G[i] = lb_vec6_make(lb_vec3_scale(s, G[i].w), lb_vec3_scale(s, G[i].v));
        for (int j = i + 1; j < n; ++j) {
            G[i] = lb_vec6_axpy(G[i], -D[j * n + i], G[j]);
        }
    }
    return status;
}

// Keeps the worse of two statuses.
static lb_status worse(lb_status a, lb_status b)
{
    return a < LB_OK ? a : b < LB_OK ? b : a > b ? a : b;
}

// Tip to base                                                                           (ABA-2)
//
//     P(k) = M(k) + sum over children j of  phi(k,j) P+(j) phi*(k,j)
//     z(k) = b(k) + sum over children j of  phi(k,j) z+(j)
//     eps = T - H (z + P a),   nu = D^-1 eps,   z+ = z + P a + G eps
//
// and where the hinge is driven with beta_dot: a := a + H* beta_dot, P+ = P, z+ = z + P a.
static lb_status sweep_inwards(const lb_model *model, lb_work *work, const unsigned char *driven,
                               const double *tau, const double *beta_dot)
{
    lb_status status = LB_OK;
    work->bodies[-1].P = (lb_sym6){0};
    work->bodies[-1].z = lb_vec6_zero();
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        const lb_vec6 *H = work->H + b->dof;
        lb_sym6 P_plus;
        lb_vec6 z_plus;

        if (driven && driven[b->listed]) {
            for (int i = 0; i < b->nv; ++i) {
                w->a = lb_vec6_axpy(w->a, beta_dot[b->hinge_v + i], H[i]);
            }
            P_plus = w->P;
            z_plus = lb_vec6_add(w->z, lb_sym6_mul(&w->P, w->a));
        } else {
            status = worse(status, eliminate_hinge(b, &w->P, work, &P_plus));
            if (status < LB_OK) {
                return status;
            }
            z_plus = lb_vec6_add(w->z, lb_sym6_mul(&w->P, w->a));
            double eps[6];
            for (int i = 0; i < b->nv; ++i) {
                eps[i] = (tau ? tau[b->hinge_v + i] : 0.0) - lb_vec6_dot(H[i], z_plus);
            }
            for (int i = 0; i < b->nv; ++i) {
                work->nu[b->dof + i] = eps[i];
                z_plus = lb_vec6_axpy(z_plus, eps[i], work->G[b->dof + i]);
            }
            lb_solve_ldl(b->nv, work->D + b->factor, b->nv, work->nu + b->dof);
        }
        lb_body_work *parent = &work->bodies[b->parent];
        lb_sym6_add_carried(&parent->P, &w->X, &P_plus);
        parent->z = lb_vec6_add(parent->z, lb_pose_carry_force(&w->X, z_plus));
    }
    return status;
}

// Base to tip                                                                           (ABA-3)
//
//     alpha+ = phi*(p,k) alpha(p),   beta_dot = nu - G* alpha+,   alpha(k) = alpha+ + H* beta_dot + a
//
// and where the hinge is driven: T = H (P alpha + z).
static void sweep_outwards(const lb_model *model, lb_work *work, const unsigned char *driven,
                           double *tau, double *beta_dot)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_body_work *w = &work->bodies[k];
        const lb_vec6 *H = work->H + b->dof, *G = work->G + b->dof;
        const lb_vec6 carried = lb_pose_carry_motion(&w->X, work->bodies[b->parent].alpha);
        w->alpha = lb_vec6_add(carried, w->a);
        if (driven && driven[b->listed]) {
            const lb_vec6 f = lb_vec6_add(lb_sym6_mul(&w->P, w->alpha), w->z);
            for (int i = 0; i < b->nv; ++i) {
                tau[b->hinge_v + i] = lb_vec6_dot(H[i], f);
            }
        } else {
            for (int i = 0; i < b->nv; ++i) {
                const double x = work->nu[b->dof + i] - lb_vec6_dot(G[i], carried);
                beta_dot[b->hinge_v + i] = x;
                w->alpha = lb_vec6_axpy(w->alpha, x, H[i]);
            }
        }
    }
}

// Kinematics and the bodies' own inertia and gyroscopic force, then the two sweeps.
static lb_status compute(const lb_model *model, lb_work *work, const double *q, const double *v,
                         const unsigned char *driven, const double *tau, double *drive, double *a)
{
    work->has = 0;
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        lb_step_velocity(model, work, k, q, v);
        lb_body_work *w = &work->bodies[k];
        w->P = lb_sym6_from_inertia(&model->bodies[k].M);
        w->z = lb_get_gyroscopic_force(&model->bodies[k].M, w->V.w);
    }
    work->has = LB_HAS_POSITION | LB_HAS_VELOCITY;
    const lb_status status = sweep_inwards(model, work, driven, tau, a);
    if (status >= LB_OK) {
        sweep_outwards(model, work, driven, drive, a);
        work->has |= LB_HAS_ACCELERATION | LB_HAS_FORCES | (driven ? 0u : LB_HAS_ARTICULATED);
    }
    return status;
}

lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *a)
{
    return compute(model, work, q, v, NULL, tau, NULL, a);
}

lb_status lb_compute_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                     const double *v, const unsigned char *driven, double *tau,
                                     double *a)
{
    return compute(model, work, q, v, driven, tau, tau, a);
}

lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work, const double *q)
{
    lb_status status = LB_OK;
    for (int k = 0; k < model->body_count; ++k) {
        lb_step_position(model, work, k, q);
        work->bodies[k].P = lb_sym6_from_inertia(&model->bodies[k].M);
    }
    work->has = LB_HAS_POSITION;
    work->bodies[-1].P = (lb_sym6){0};
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_body_work *w = &work->bodies[k];
        lb_sym6 P_plus;
        status = worse(status, eliminate_hinge(b, &w->P, work, &P_plus));
        if (status < LB_OK) {
            return status;
        }
        lb_sym6_add_carried(&work->bodies[b->parent].P, &w->X, &P_plus);
    }
    work->has |= LB_HAS_ARTICULATED;
    return status;
}

// Product with the inverse of the mass matrix                                           (ABA-4)
//
//     M^-1 = [I - H Psi K]* D^-1 [I - H Psi K]
//
//     tip to base   z = sum over children of phi z+,   eps = b - H z,   z+ = z + G eps
//     base to tip   x = D^-1 eps - G* phi* y(p),       y = phi* y(p) + H* x
//
// Source: Jain and Rodriguez 1992, (56); the sweeps of (ABA-2), (ABA-3) without bias. The sweeps
// use the z of the workspace and, for y, its own scratch: positions and P stay as they are, forces
// do not.
lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b_in,
                               double *x_out)
{
    if (lb_need(work, LB_HAS_ARTICULATED) != LB_OK) {
        return LB_E_STAGE;
    }
    lb_vec6 *y = work->y;
    for (int k = -1; k < model->body_count; ++k) {
        work->bodies[k].z = lb_vec6_zero();
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_body_work *w = &work->bodies[k];
        lb_vec6 z_plus = w->z;
        for (int i = 0; i < b->nv; ++i) {
            const double eps = b_in[b->hinge_v + i] - lb_vec6_dot(work->H[b->dof + i], w->z);
            work->nu[b->dof + i] = eps;
            z_plus = lb_vec6_axpy(z_plus, eps, work->G[b->dof + i]);
        }
        lb_solve_ldl(b->nv, work->D + b->factor, b->nv, work->nu + b->dof);
        lb_vec6 *z_p = &work->bodies[b->parent].z;
        *z_p = lb_vec6_add(*z_p, lb_pose_carry_force(&w->X, z_plus));
    }
    y[-1] = lb_vec6_zero();
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_vec6 carried = lb_pose_carry_motion(&work->bodies[k].X, y[b->parent]);
        y[k] = carried;
        for (int i = 0; i < b->nv; ++i) {
            const double x = work->nu[b->dof + i] - lb_vec6_dot(work->G[b->dof + i], carried);
            x_out[b->hinge_v + i] = x;
            y[k] = lb_vec6_axpy(y[k], x, work->H[b->dof + i]);
        }
    }
    return LB_OK;
}

lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                         double *M_inverse)
{
    const ptrdiff_t n = model->v_count;
    const lb_status status = lb_compute_articulated_inertia(model, work, q);
    if (status < LB_OK) {
        return status;
    }
    // rows are columns: the inverse is symmetric
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            work->x[j] = i == j;
        }
        lb_solve_mass_matrix(model, work, work->x, M_inverse + i * n);
    }
    return status;
}
