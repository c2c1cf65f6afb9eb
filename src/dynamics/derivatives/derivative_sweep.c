// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the inverse dynamics: the sweep outwards, the sweep inwards, and the fill.
#include "derivatives.h"
#include "dynamics/tree/steps.h"

// ---- outwards ----------------------------------------------------------------------------------

static inline lb_vec6 gather(const lb_column *c, int n, const double *rate, lb_vec6 V)
{
    for (int i = 0; i < n; ++i) {
        V = lb_vec6_axpy(V, rate[i], c[i].S);
    }
    return V;
}

// Across n modes: V += S etad, A += S eta_ddot + (dS/dt) etad.
static void move_by_modes(const lb_column *c, int n, const lb_flex_work *f, lb_vec6 *V, lb_vec6 *A)
{
    *V = gather(c, n, f->eta_dot, *V);
    *A = gather(c, n, f->eta_ddot, *A);
    for (int r = 0; r < n; ++r) {
        *A = lb_vec6_axpy(*A, f->eta_dot[r], c[r].d);
    }
}

// A hinge: columns and motion of O from those of O+.
static void cross_hinge(const lb_body *b, const double *v, const double *a, lb_derivative_body *w,
                        lb_column *c)
{
    const double *beta = v + b->hinge_v, *beta_dot = a + b->hinge_v;
    w->V_O = gather(c, b->nv, beta, w->V_t);
    w->A_O = gather(c, b->nv, beta_dot, w->A_t);
    for (int i = 0; i < b->nv; ++i) {
        const lb_vec6 V = lb_get_attachment(b->hinge, i) == LB_IN_PARENT ? w->V_t : w->V_O;
        w->A_O = lb_vec6_axpy(w->A_O, beta[i], lb_cross_motion(V, c[i].S));
    }
    const lb_vec6 none = lb_vec6_zero();
    for (int i = 0; i < b->nv; ++i) {
        switch (lb_get_attachment(b->hinge, i)) {
        case LB_IN_PARENT:
            lb_finish_column(&c[i], w->V_t, w->A_t, none, none);
            break;
        case LB_IN_BODY:
            lb_finish_column(&c[i], w->V_O, w->A_O, none, none);
            break;
        case LB_IN_BODY_QUASI:
            // speeds in O: a turn of O leaves them, V(O) is seen to change by V(O+) x S
            lb_finish_column(&c[i], w->V_t, w->A_t, none, none);
            c[i].t = lb_vec6_add(c[i].d, lb_cross_motion(w->V_O, c[i].S));
            break;
        }
    }
}

// Resistance of a body by itself                                                        (DER-3)
//
//     p = (n, f) = I V + M_rf etad,   T = 2 w~J - tr(J) w~ - 2 h~v~ + dJ/dt - n_f~
//     F = M_m alpha_m + b_m
//
// dJ/dt and n_f = M_wf etad come from deformation alone.
static void start_resistance(const lb_model *model, const lb_work *work, int k,
                             lb_derivative_body *w)
{
    lb_resistance *r = &w->sum;
    if (r->U) {
        *r->U = (lb_mat3){{{0}}};
    }
    r->I = lb_inertia_carry(&w->X, lb_get_inertia(model, work, k));
    const lb_inertia *I = &r->I;
    const lb_vec3 o = w->V.w, v = w->V.v;
    const lb_vec6 p = lb_inertia_mul(I, w->V);
    r->f = p.v;

    // 2 w~J - tr(J) w~
    const lb_sym3 J = I->J;
    const double trace = J.xx + J.yy + J.zz;
    const lb_vec3 c0 = lb_vec3_cross(o, lb_vec3_make(J.xx, J.xy, J.xz));
    const lb_vec3 c1 = lb_vec3_cross(o, lb_vec3_make(J.xy, J.yy, J.yz));
    const lb_vec3 c2 = lb_vec3_cross(o, lb_vec3_make(J.xz, J.yz, J.zz));
    // h~v~ = v h' - (h.v) I
    const lb_vec3 h = I->h;
    const double hv = lb_vec3_dot(h, v);
    r->T = (lb_mat3){{{2 * (c0.x - v.x * h.x + hv), 2 * (c1.x - v.x * h.y) + trace * o.z,
                       2 * (c2.x - v.x * h.z) - trace * o.y},
                      {2 * (c0.y - v.y * h.x) - trace * o.z, 2 * (c1.y - v.y * h.y + hv),
                       2 * (c2.y - v.y * h.z) + trace * o.x},
                      {2 * (c0.z - v.z * h.x) + trace * o.y, 2 * (c1.z - v.z * h.y) - trace * o.x,
                       2 * (c2.z - v.z * h.z + hv)}}};

    // F = I A + V x* p for a rigid body
    r->F = lb_vec6_add(lb_inertia_mul(I, w->A), lb_cross_force(w->V, p));
}

// (DER-2) of a revolute hinge between places that do not move: one column, (e, p x e), fixed in both.
static inline void cross_revolute(const lb_derivative_body *p, double beta, double beta_dot,
                                  lb_derivative_body *w, lb_column *c)
{
    const lb_mat3 *R = &w->X.R;
    const lb_vec3 e = {R->m[0][2], R->m[1][2], R->m[2][2]};
    c->S = lb_vec6_make(e, lb_vec3_cross(w->X.p, e));
    c->d = lb_cross_motion(p->V, c->S);
    c->dd = lb_vec6_add(lb_cross_motion(p->A, c->S), lb_cross_motion(p->V, c->d));
    c->t = lb_vec6_add(c->d, c->d);
    w->V = lb_vec6_axpy(p->V, beta, c->S);
    w->A = lb_vec6_axpy(lb_vec6_axpy(p->A, beta_dot, c->S), beta, c->d);
}

static void place_bodies(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_derivative_body *w = &s->bodies[k];
        lb_column *hinge = s->columns + w->hinge;
        const lb_pose *X = &work->bodies[k].X;
        if (b->parent >= 0) {
            const lb_derivative_body *p = &s->bodies[b->parent];
            w->X.R = lb_mat3_mul(&p->X.R, &X->R);
            w->X.p = lb_vec3_add(p->X.p, lb_mat3_mul_vec(&p->X.R, X->p));
            if (b->simple && !b->flex) {
                cross_revolute(p, s->v[b->hinge_v], s->a[b->hinge_v], w, hinge);
                start_resistance(model, work, k, w);
                continue;
            }
            w->V_t = p->V;
            w->A_t = p->A;
        } else {
            w->X.R = X->R;
            w->X.p = lb_vec3_make(0, 0, 0);
            w->V_t = lb_vec6_zero();
            w->A_t = lb_vec6_make(w->X.p, lb_vec3_neg(model->gravity));
        }
        for (int i = 0; i < b->nv; ++i) {
            hinge[i].S = lb_place_motion(&w->X, work->H[b->dof + i]);
        }

        lb_crossing crossing = {lb_vec6_zero(), lb_vec6_zero()};
        if (w->still) {
            lb_start_crossing(model, work, s, k, &crossing);
            w->A_t = lb_vec6_add(w->A_t, crossing.A);
        }
        if (w->at >= 0 && !(w->still & LB_STILL_AT)) {
            const lb_derivative_body *p = &s->bodies[b->parent];
            const lb_flex_work *f = lb_get_flex(model, work, b->parent);
            const int n = model->bodies[b->parent].mode_count;
            lb_get_node_columns(b->at, &b->X_p, n, f, s->columns + w->at);
            lb_place_mode_columns(&p->X, p->V, p->A, 1.0, n, s->columns + w->at);
            move_by_modes(s->columns + w->at, n, f, &w->V_t, &w->A_t);
        }
        if (b->parent < 0) {
            // the frame moves with the root: seen from it, the ground moves
            w->V_t.v = lb_vec3_neg(gather(hinge, b->nv, s->v + b->hinge_v, lb_vec6_zero()).v);
        }
        cross_hinge(b, s->v, s->a, w, hinge);
        if (b->parent < 0) {
            w->V_O.v = lb_vec3_make(0, 0, 0);
        }
        w->V = w->V_O;
        w->A = w->A_O;
        if (w->own >= 0 && !(w->still & LB_STILL_OWN)) {
            // O -> F_k: columns are fixed in F_k up to their rates there, so V first
            const lb_flex_work *f = lb_get_flex(model, work, k);
            lb_column *own = s->columns + w->own;
            lb_get_node_columns(b->moving->node, &b->moving->X, b->mode_count, f, own);
            for (int r = 0; r < b->mode_count; ++r) {
                w->V = lb_vec6_axpy(w->V, -f->eta_dot[r], lb_place_motion(&w->X, own[r].S));
            }
            // A of the frame: dS/dt needs V only, d2S/dt2 needs A
            for (int r = 0; r < b->mode_count; ++r) {
                const lb_vec6 S = lb_place_motion(&w->X, own[r].S);
                const lb_vec6 rate =
                    lb_vec6_add(lb_cross_motion(w->V, S), lb_place_motion(&w->X, own[r].d));
                w->A = lb_vec6_axpy(w->A, -f->eta_ddot[r], S);
                w->A = lb_vec6_axpy(w->A, -f->eta_dot[r], rate);
            }
            lb_place_mode_columns(&w->X, w->V, w->A, -1.0, b->mode_count, own);
        }
        if (w->still) {
            lb_finish_crossing(model, work, s, k, &crossing);
        }
        start_resistance(model, work, k, w);
        if (b->mode_count) {
            lb_start_mode_derivatives(model, work, s, k);
        }
    }
}

// ---- the fill ----------------------------------------------------------------------------------

static inline lb_loose_lane dot_rows(const double *rows, ptrdiff_t stride, ptrdiff_t i, lb_vec6 a)
{
    return (lb_load_lanes(rows + i) * a.w.x + lb_load_lanes(rows + stride + i) * a.w.y +
            lb_load_lanes(rows + 2 * stride + i) * a.w.z) +
           (lb_load_lanes(rows + 3 * stride + i) * a.v.x +
            lb_load_lanes(rows + 4 * stride + i) * a.v.y +
            lb_load_lanes(rows + 5 * stride + i) * a.v.z);
}

static inline lb_loose_lane dot3(const double *rows, ptrdiff_t stride, ptrdiff_t i, lb_vec3 a)
{
    return lb_load_lanes(rows + i) * a.x + lb_load_lanes(rows + stride + i) * a.y +
           lb_load_lanes(rows + 2 * stride + i) * a.z;
}

// Four entries of a column.
static inline void scatter(double *to, ptrdiff_t n, lb_loose_lane x)
{
    to[0] = x[0];
    to[n] = x[1];
    to[2 * n] = x[2];
    to[3 * n] = x[3];
}

// Entries of one column and row                                                         (DER-4)
//
//     M_ij = S_j . y_i,   dtau_j/dq_i = S_j . z_i,   dtau_j/dv_i = S_j . u_i
//     dtau_i/dq_j = dd_j . y_i + d_j . w_i,          dtau_i/dv_j = t_j . y_i + S_j . w_i
//
// for the speeds i in [first, end), all outboard of column j
static inline void fill(const lb_derivative_work *s, const lb_column *c, ptrdiff_t j,
                        ptrdiff_t first, ptrdiff_t end)
{
    const ptrdiff_t n = s->stride;
    double *M = s->M + j * n, *dq = s->dq + j * n, *dv = s->dv + j * n;
    for (ptrdiff_t i = first; i < end; i += LB_LANES) {
        const lb_loose_lane mass = dot_rows(s->y, n, i, c->S);
        const lb_loose_lane z = dot_rows(s->z, n, i, c->S), u = dot_rows(s->u, n, i, c->S);
        const lb_loose_lane p = dot_rows(s->y, n, i, c->dd) + dot3(s->w, n, i, c->d.w);
        const lb_loose_lane v = dot_rows(s->y, n, i, c->t) + dot3(s->w, n, i, c->S.w);
        if (end - i >= LB_LANES) {
            lb_store_lanes(M + i, mass);
            lb_store_lanes(dq + i, z);
            lb_store_lanes(dv + i, u);
            scatter(s->M + i * n + j, n, mass);
            scatter(s->dq + i * n + j, n, p);
            scatter(s->dv + i * n + j, n, v);
            continue;
        }
        for (ptrdiff_t l = 0; l < end - i; ++l) {
            M[i + l] = mass[l];
            dq[i + l] = z[l];
            dv[i + l] = u[l];
            s->M[(i + l) * n + j] = mass[l];
            s->dq[(i + l) * n + j] = p[l];
            s->dv[(i + l) * n + j] = v[l];
        }
    }
}

// The block of one hinge by itself                                                      (DER-4)
//
//     dtau_i/dq_j = S_i . (I dd_j + 2 B d_j) + F . (change of S_i with q_j, seen in O)
//
// the last is S_i x S_j where the axis is fixed in O+, and zero where it is fixed in O
static void fill_hinge(const lb_derivative_work *s, const lb_body *b, const lb_derivative_body *w)
{
    const ptrdiff_t n = s->stride, first = b->speed + b->mode_count;
    const lb_column *c = s->columns + w->hinge;
    for (int i = 0; i < b->nv; ++i) {
        const lb_vec6 y = lb_get_row(s->y, n, first + i);
        const lb_vec3 own = lb_get_row3(s->w, n, first + i);
        for (int j = 0; j < b->nv; ++j) {
            double x = lb_vec6_dot(y, c[j].dd) + lb_vec3_dot(own, c[j].d.w);
            if (lb_get_attachment(b->hinge, i) == LB_IN_PARENT) {
                x += lb_vec6_dot(lb_cross_motion(c[i].S, c[j].S), w->sum.F);
            }
            s->dq[(first + i) * n + first + j] = x;
            s->dv[(first + i) * n + first + j] =
                lb_vec6_dot(y, c[j].t) + lb_vec3_dot(own, c[j].S.w);
        }
    }
}

// ---- inwards -----------------------------------------------------------------------------------

// y, w, z, u of a column                                                                (DER-4)
//
//     y = I S,   w = 2 B* S,   z = I dd + 2 B d + S x* F,   u = I t + 2 B S
static inline void put_rows(const lb_derivative_work *s, const lb_resistance *r, const lb_column *c,
                            ptrdiff_t i)
{
    const ptrdiff_t n = s->stride;
    lb_put_row(s->y, n, i, lb_inertia_mul(&r->I, c->S));
    lb_put_row3(s->w, n, i, lb_resist_transposed(r, c->S));
    lb_put_row(s->z, n, i, lb_vec6_add(lb_resist(r, c->dd, c->d.w), lb_cross_force(c->S, r->F)));
    lb_put_row(s->u, n, i, lb_resist(r, c->t, c->S.w));
}

// The same of a column of modes; with the coordinate of one that stands no force changes.
static void add_rows(const lb_derivative_work *s, const lb_resistance *r, const lb_column *c,
                     int still, ptrdiff_t i)
{
    const ptrdiff_t n = s->stride;
    lb_put_row(s->y, n, i, lb_vec6_add(lb_get_row(s->y, n, i), lb_inertia_mul(&r->I, c->S)));
    lb_put_row3(s->w, n, i, lb_vec3_add(lb_get_row3(s->w, n, i), lb_resist_transposed(r, c->S)));
    lb_put_row(s->u, n, i, lb_vec6_add(lb_get_row(s->u, n, i), lb_resist(r, c->t, c->S.w)));
    if (!still) {
        const lb_vec6 z = lb_vec6_add(lb_resist(r, c->dd, c->d.w), lb_cross_force(c->S, r->F));
        lb_put_row(s->z, n, i, lb_vec6_add(lb_get_row(s->z, n, i), z));
    }
}

// Modes of body k among themselves, through its own hinge node                          (DER-5)
//
//     with y, w, z, u of the modes while the frame stands:
//     dtau_r/deta_s  += y_r . dd_s + w_r . d_s + S_r . (z_s + I dd_s + 2 B d_s) + F . dS_r/deta_s
//     dtau_r/detad_s += y_r . t_s + w_r . S_s + S_r . (u_s + I t_s + 2 B S_s)
//     M_rs           += y_r . S_s + S_r . (y_s + I S_s)
static void add_own_modes(const lb_model *model, lb_work *work, lb_derivative_work *s, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_derivative_body *w = &s->bodies[k];
    const lb_column *c = s->columns + w->own;
    const ptrdiff_t n = s->stride, first = b->speed;
    const int m = b->mode_count;
    const int still = (w->still & LB_STILL_OWN) != 0;
    const lb_vec6 F = still ? lb_vec6_zero() : lb_bring_home(&w->X, w->sum.F);
    double *curvature = s->W;
    lb_get_node_curvature(b->moving->node, &b->moving->X, m, work->flex[b->flex_index].eta, F,
                          curvature);
    for (int q = 0; q < m; ++q) {
        const lb_vec6 y =
            lb_vec6_add(lb_get_row(s->y, n, first + q), lb_inertia_mul(&w->sum.I, c[q].S));
        const lb_vec6 z =
            lb_vec6_add(lb_get_row(s->z, n, first + q), lb_resist(&w->sum, c[q].dd, c[q].d.w));
        const lb_vec6 u =
            lb_vec6_add(lb_get_row(s->u, n, first + q), lb_resist(&w->sum, c[q].t, c[q].S.w));
        for (int r = 0; r < m; ++r) {
            const ptrdiff_t at = (first + r) * n + first + q;
            const lb_vec6 y_r = lb_get_row(s->y, n, first + r);
            const lb_vec3 w_r = lb_get_row3(s->w, n, first + r);
            s->dq[at] += lb_vec6_dot(y_r, c[q].dd) + lb_vec3_dot(w_r, c[q].d.w) +
                         lb_vec6_dot(c[r].S, z) - curvature[q * m + r];
            s->dv[at] +=
                lb_vec6_dot(y_r, c[q].t) + lb_vec3_dot(w_r, c[q].S.w) + lb_vec6_dot(c[r].S, u);
            s->M[at] += lb_vec6_dot(y_r, c[q].S) + lb_vec6_dot(c[r].S, y);
        }
    }
    for (int r = 0; r < m; ++r) {
        add_rows(s, &w->sum, &c[r], still, first + r);
    }
}

// What child k gives to the modes of its parent at the node t                           (DER-5)
//
//     dtau_r/deta_s  += S_r . (I dd_s + 2 B d_s) + F . dS_s/deta_r
//     dtau_r/detad_s += S_r . (I t_s + 2 B S_s),   M_rs += S_r . I S_s
static void give_to_modes(const lb_model *model, lb_work *work, lb_derivative_work *s, int k)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    const lb_derivative_body *w = &s->bodies[k];
    const lb_column *c = s->columns + w->at;
    const ptrdiff_t n = s->stride, first = p->speed;
    const int m = p->mode_count;
    const int still = (w->still & LB_STILL_AT) != 0;
    const lb_vec6 F = still ? lb_vec6_zero() : lb_bring_home(&s->bodies[b->parent].X, w->sum.F);
    double *curvature = s->W;
    lb_get_node_curvature(b->at, &b->X_p, m, work->flex[p->flex_index].eta, F, curvature);
    for (int q = 0; q < m; ++q) {
        const lb_vec6 y = lb_inertia_mul(&w->sum.I, c[q].S);
        const lb_vec6 z = lb_resist(&w->sum, c[q].dd, c[q].d.w);
        const lb_vec6 u = lb_resist(&w->sum, c[q].t, c[q].S.w);
        for (int r = 0; r < m; ++r) {
            const ptrdiff_t at = (first + r) * n + first + q;
            s->dq[at] += lb_vec6_dot(c[r].S, z) + curvature[r * m + q];
            s->dv[at] += lb_vec6_dot(c[r].S, u);
            s->M[at] += lb_vec6_dot(c[r].S, y);
        }
        add_rows(s, &w->sum, &c[q], still, first + q);
    }
}

// What is outboard of k moves with the modes of its parent, by t and by the parent's own hinge node.
static void fill_parent_modes(const lb_model *model, lb_derivative_work *s, int k)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    for (int r = 0; r < p->mode_count; ++r) {
        const lb_column c = lb_get_branch_column(s, b->parent, k, r);
        fill(s, &c, p->speed + r, b->speed, b->speed_end);
    }
}

static inline void add_resistance(lb_resistance *to, const lb_resistance *r)
{
    to->I = lb_inertia_add(&to->I, &r->I);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            to->T.m[i][j] += r->T.m[i][j];
        }
    }
    to->f = lb_vec3_add(to->f, r->f);
    to->F = lb_vec6_add(to->F, r->F);
    for (int i = 0; r->U && i < 9; ++i) {
        to->U->m[i / 3][i % 3] += r->U->m[i / 3][i % 3];
    }
}

static void collect_subtrees(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        const lb_derivative_body *w = &s->bodies[k];
        const lb_column *c = s->columns + w->hinge;
        const ptrdiff_t first = b->speed + b->mode_count;
        if (w->own >= 0) {
            add_own_modes(model, work, s, k);
        }
        for (int i = 0; i < b->nv; ++i) {
            put_rows(s, &w->sum, &c[i], first + i);
        }
        for (int i = 0; i < b->nv; ++i) {
            fill(s, &c[i], first + i, b->speed, b->speed_end);
        }
        if (b->nv > 1) {
            fill_hinge(s, b, w);
        }
        if (b->parent < 0) {
            continue;
        }
        if (w->still) {
            lb_cross_inwards(model, s, k);
        }
        if (w->at >= 0) {
            give_to_modes(model, work, s, k);
        }
        if (model->bodies[b->parent].mode_count) {
            fill_parent_modes(model, s, k);
        }
        add_resistance(&s->bodies[b->parent].sum, &w->sum);
    }
}

void lb_sweep_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    place_bodies(model, work, s);
    collect_subtrees(model, work, s);
}
