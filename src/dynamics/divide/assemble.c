// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Assembly: the two-handle equations of runs of bodies and of joins of two assemblies.
#include "base/symmetric.h"
#include "division.h"
#include "dynamics/tree/eliminate.h"
#include "dynamics/tree/steps.h"

// ---- a hinge -----------------------------------------------------------------------------------

// Acceleration per unit of f at each coordinate of a hinge: K = D^-1 H E.
static void solve_columns(int n, const double *D, const lb_vec6 *h, lb_vec6 *K)
{
    double x[6][6];
    for (int i = 0; i < n; ++i) {
        lb_vec3_to(h[i].w, x[i]);
        lb_vec3_to(h[i].v, x[i] + 3);
    }
    for (int c = 0; c < 6; ++c) {
        double y[6];
        for (int i = 0; i < n; ++i) {
            y[i] = x[i][c];
        }
        lb_solve_ldl(n, D, n, y);
        for (int i = 0; i < n; ++i) {
            x[i][c] = y[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        K[i] = lb_vec6_make(lb_vec3_from(x[i]), lb_vec3_from(x[i] + 3));
    }
}

// A hinge driven by motion takes nothing out: A = A- + H* beta_dot + a with beta_dot known.
static void pass_driven(const lb_body *b, const lb_division *d, const lb_work *work, lb_vec6 a,
                        int open, lb_segment *s)
{
    for (int i = 0; i < b->nv; ++i) {
        a = lb_vec6_axpy(a, d->a[b->hinge_v + i], work->H[b->dof + i]);
    }
    s->z = lb_vec6_add(s->z, lb_sym6_mul(&s->P, a));
    if (open) {
        s->u = lb_vec6_add(s->u, lb_columns_tmul(s->E, a));
    }
}

// A hinge taken out of the assembly that starts with its body                           (DCA-3)
//
//     D = H P H*,  G = P H* D^-1,  nu = D^-1 (T - H (z + P a)),  K = D^-1 H E
//     P+ = P - G D G*        z+ = z + P a + G D nu
//     E+ = (I - G H) E       U+ = U + E* H* D^-1 H E       u+ = u + E* (a + H* nu)
//
// given     the equations with A behind the hinge
// computes  those with A- ahead of it: A = A- + H* beta_dot + a,  beta_dot = nu - G* A- + K f
static int move_ahead_of_hinge(const lb_model *model, lb_work *work, const lb_division *d, int k,
                               int open, lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 a = work->bodies[k].a;
    if (lb_is_driven(d, b)) {
        pass_driven(b, d, work, a, open, s);
        return 1;
    }
    const lb_vec6 *H = work->H + b->dof;
    lb_vec6 *G = work->G + b->dof, *K = d->K + b->hinge_v;
    double *D = work->D + b->factor, *nu = work->nu + b->dof;
    const int n = b->nv;
    lb_sym6 P_plus;
    int bad;
    if (lb_eliminate_hinge(b, &s->P, work, &P_plus, &bad) != LB_OK) {
        return 0;
    }
    s->z = lb_vec6_add(s->z, lb_sym6_mul(&s->P, a));
    for (int i = 0; i < n; ++i) {
        nu[i] = (d->tau ? d->tau[b->hinge_v + i] : 0.0) - lb_vec6_dot(H[i], s->z);
    }
    for (int i = 0; i < n; ++i) {
        s->z = lb_vec6_axpy(s->z, nu[i], G[i]);
    }
    lb_solve_ldl(n, D, n, nu);
    s->P = P_plus;
    if (!open) {
        return 1;
    }
    lb_vec6 h[6];
    s->u = lb_vec6_add(s->u, lb_columns_tmul(s->E, a));
    for (int i = 0; i < n; ++i) {
        h[i] = lb_columns_tmul(s->E, H[i]);
        s->u = lb_vec6_axpy(s->u, nu[i], h[i]);
    }
    solve_columns(n, D, h, K);
    for (int i = 0; i < n; ++i) {
        lb_sym6_subtract_product(&s->U, lb_vec6_scale(-1.0, K[i]), h[i]);
        lb_columns_subtract(s->E, G[i], h[i]);
    }
    for (int c = 0; c < 6 && n == 6; ++c) {
        // nothing is felt across a free hinge
        s->E[c] = lb_vec6_zero();
    }
    return 1;
}

// The same for a revolute hinge between places that do not move: H* = (z, 0).
static int move_ahead_of_revolute(const lb_model *model, lb_work *work, const lb_division *d, int k,
                                  int open, lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 a = work->bodies[k].a;
    lb_vec6 *G = work->G + b->dof;
    const double inverse = lb_revolute_eliminate(b, &s->P, G);
    if (!(inverse > 0)) {
        return 0;
    }
    s->z = lb_vec6_add(s->z, lb_revolute_bias_force(&s->P, &a));
    const double eps = (d->tau ? d->tau[b->hinge_v] : 0.0) - s->z.w.z, nu = eps * inverse;
    work->D[b->factor] = inverse;
    work->nu[b->dof] = nu;
    s->z = lb_vec6_axpy(s->z, eps, *G);
    const lb_vec6 U = {{s->P.J.xz, s->P.J.yz, s->P.J.zz}, lb_vec3_from(s->P.H.m[2])};
    lb_sym6_subtract_product(&s->P, *G, U);
    // what is left along the axis is round-off
    s->P.J.xz = s->P.J.yz = s->P.J.zz = 0.0;
    s->P.H.m[2][0] = s->P.H.m[2][1] = s->P.H.m[2][2] = 0.0;
    if (!open) {
        return 1;
    }
    const lb_vec6 *E = s->E;
    const lb_vec6 h = {{E[0].w.z, E[1].w.z, E[2].w.z}, {E[3].w.z, E[4].w.z, E[5].w.z}};
    const lb_vec6 K = lb_vec6_scale(inverse, h);
    s->u = lb_vec6_axpy(lb_vec6_add(s->u, lb_columns_tmul(E, a)), nu, h);
    d->K[b->hinge_v] = K;
    lb_sym6_subtract_product(&s->U, lb_vec6_scale(-1.0, K), h);
    lb_columns_subtract(s->E, *G, h);
    return 1;
}

static int pass(const lb_model *model, lb_work *work, const lb_division *d, int k, int open,
                lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    return b->simple && !lb_is_driven(d, b) ? move_ahead_of_revolute(model, work, d, k, open, s)
                                            : move_ahead_of_hinge(model, work, d, k, open, s);
}

// ---- a body ------------------------------------------------------------------------------------

// Its own inertia and bias, where those of its children are added.
static void start_body(const lb_model *model, lb_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    lb_body_work *w = &work->bodies[k];
    const lb_inertia *M = lb_get_inertia(model, work, k);
    const lb_flex_work *f = lb_get_flex(model, work, k);
    w->P = lb_sym6_from_inertia(M);
    if (!f) {
        w->z = lb_get_gyroscopic_force(M, w->V.w);
        return;
    }
    w->z = f->b_r;
    for (int r = 0, n = b->mode_count; r < n; ++r) {
        f->P_rf[r] = f->M_rf[r];
        f->z_f[r] = f->b_f[r];
        for (int s = 0; s <= r; ++s) {
            f->P_ff[r * n + s] = f->M_ff[r * n + s];
        }
    }
}

// What is outboard of the hinge of k, added to its parent: Phi P+ Phi* and Phi z+.
static void take_child(const lb_model *model, lb_work *work, int k, const lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    const lb_sym6 Gamma = lb_sym6_carry(&work->bodies[k].X, &s->P);
    if (b->at) {
        lb_add_joint_inertia(model, work, k, &Gamma);
    } else {
        lb_sym6_add(&work->bodies[b->parent].P, &Gamma);
    }
    lb_give_force(model, work, k, s->z);
}

// Columns of E at the frame of the parent of k: f at the open handle becomes a force there.
static void carry_handle(const lb_model *model, const lb_work *work, int k, lb_segment *s)
{
    (void)model;
    const lb_pose *X = &work->bodies[k].X;
    for (int c = 0; c < 6; ++c) {
        s->E[c] = lb_pose_carry_force(X, s->E[c]);
    }
}

static void open_handle(lb_segment *s)
{
    for (int c = 0; c < 6; ++c) {
        double unit[6] = {0};
        unit[c] = 1.0;
        s->E[c] = lb_vec6_make(lb_vec3_from(unit), lb_vec3_from(unit + 3));
    }
    s->U = (lb_sym6){0};
    s->u = lb_vec6_zero();
}

// Modes of a body taken out of the assembly that starts with it                          (DCA-4)
//
//     D_f, G_f, P_R by (ABA-5),  z_R, nu_f by (ABA-6),  and for an open handle at child j
//     Z = Pi^t_F(j) - Pi^d_F,   X = L^-1 Z* E,   K = L*^-1 d^-1 X
//     E_R = E - G_f X,   U_R = U + X* d^-1 X,   u_R = u + X* nu_f
//
// so that eta_ddot = L*^-1 (nu_f - G_f* A) + K f.
static int take_out_segment_modes(const lb_model *model, lb_work *work, const lb_division *d, int k,
                                  int child, lb_segment *s)
{
    const lb_body *b = &model->bodies[k];
    lb_flex_work *f = &work->flex[b->flex_index];
    const int n = b->mode_count;
    int bad;
    if (lb_take_out_modes(b, &s->P, f, &bad) != LB_OK) {
        return 0;
    }
    for (int r = 0; r < n; ++r) {
        const double own = b->moving ? lb_vec6_dot(f->Pi_d[r], s->z) : 0.0;
        f->nu_f[r] = (d->tau ? d->tau[b->v + r] : 0.0) - f->z_f[r] + own;
    }
    lb_solve_lower(n, f->P_ff, n, f->nu_f);
    for (int r = 0; r < n; ++r) {
        s->z = lb_vec6_axpy(s->z, f->nu_f[r], f->P_rf[r]);
        f->nu_f[r] *= f->P_ff[r * n + r];
    }
    if (child < 0) {
        return 1;
    }
    const lb_vec6 *Pi =
        model->bodies[child].at ? work->joints[model->bodies[child].joint_index].Pi : NULL;
    lb_vec6 *X = d->K + b->v;
    for (int r = 0; r < n; ++r) {
        lb_vec6 Z = Pi ? Pi[r] : lb_vec6_zero();
        if (b->moving) {
            Z = lb_vec6_sub(Z, f->Pi_d[r]);
        }
        X[r] = lb_columns_tmul(s->E, Z);
    }
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < r; ++i) {
            X[r] = lb_vec6_axpy(X[r], -f->P_ff[r * n + i], X[i]);
        }
    }
    for (int r = 0; r < n; ++r) {
        const lb_vec6 x = X[r];
        X[r] = lb_vec6_scale(f->P_ff[r * n + r], x);
        lb_columns_subtract(s->E, f->P_rf[r], x);
        lb_sym6_subtract_product(&s->U, lb_vec6_scale(-1.0, X[r]), x);
        s->u = lb_vec6_axpy(s->u, f->nu_f[r], x);
    }
    for (int r = n - 1; r > 0; --r) {
        for (int i = 0; i < r; ++i) {
            X[i] = lb_vec6_axpy(X[i], -f->P_ff[r * n + i], X[r]);
        }
    }
    return 1;
}

// ---- nodes -------------------------------------------------------------------------------------

// A run, tip to base, as the articulated recursion does it: each body takes in the whole paths that
// hang on it and the assembly outboard, then its modes go, then its hinge.               (DCA-5)
static int assemble_run(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    const int open = plan->open[n] >= 0;
    int outer = plan->open[n]; // the body behind the one at hand
    if (open) {
        open_handle(s);
    }
    for (int i = plan->end[n] - 1; i >= plan->first[n]; --i) {
        const int k = plan->bodies[i];
        lb_body_work *w = &work->bodies[k];
        start_body(model, work, k);
        for (int j = plan->raked[k]; j < plan->raked[k + 1]; ++j) {
            const int rake = plan->rakes[j];
            take_child(model, work, plan->head[rake], &d->segments[rake]);
        }
        if (i + 1 < plan->end[n]) {
            if (!pass(model, work, d, outer, open, s)) {
                return 0;
            }
            take_child(model, work, outer, s);
        }
        if (open) {
            carry_handle(model, work, outer, s);
        }
        s->P = w->P;
        s->z = w->z;
        if (model->bodies[k].mode_count &&
            !take_out_segment_modes(model, work, d, k, open ? outer : -1, s)) {
            return 0;
        }
        outer = k;
    }
    return 1;
}

void lb_assemble(const lb_model *model, lb_work *work, lb_division *d, int n)
{
    const lb_schedule *plan = &d->schedule;
    lb_segment *s = &d->segments[n];
    int good;
    if (plan->first[n] >= 0) {
        good = assemble_run(model, work, d, n);
    } else {
        lb_segment *inner = &d->segments[plan->inner[n]];
        lb_join(inner, &d->segments[plan->outer[n]], plan->open[n] >= 0, s);
        good = 1;
    }
    if (good && plan->hinged[n]) {
        good = pass(model, work, d, plan->head[n], plan->open[n] >= 0, s);
    }
    s->broken = !good;
}
