// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the momentum, the energies and the centre of mass of the whole system.
#include "base/sized.h"
#include "derivatives.h"
#include "dynamics/tree/node_motion.h"
#include "model/modal/flex.h"

// What is summed up, with the columns where it goes.
typedef struct sums {
    lb_derivative_work *s;
    ptrdiff_t n;
    lb_vec3 origin;                    // the point about which moments are taken, in the world
    double *moment_dq;                 // 3 rows: of the first moment of mass
    double *momentum_dq, *momentum_dv; // 6 rows: about that point
    double *kinetic_dq, *kinetic_dv;
} sums;

static void add_row(double *rows, ptrdiff_t n, int j, lb_vec6 x)
{
    lb_put_row(rows, n, j, lb_vec6_add(lb_get_row(rows, n, j), x));
}

static void add_row3(double *rows, ptrdiff_t n, int j, lb_vec3 x)
{
    lb_put_row3(rows, n, j, lb_vec3_add(lb_get_row3(rows, n, j), x));
}

// A momentum, or a change of it, from the origin of a tree to the point of the sums.
static lb_vec6 carry(lb_vec3 offset, lb_vec6 h)
{
    return lb_vec6_make(lb_vec3_add(h.w, lb_vec3_cross(offset, h.v)), h.v);
}

// One column, which moves the subtree of a body                                        (DER-19)
//
//     by q:  dm = I S,  dh = S x* h + I d,  dT = h . d,   d = d' + (0, v_0 x S_w)
//     by v:             dh = I S,           dT = h . S
//
// d' is that of the common frame, which moves with v_0. Columns that stand have no part by q.
static void add_column(const sums *to, const lb_system_body *b, const lb_inertia *I,
                       const lb_column *c, int still, int j)
{
    const lb_vec6 IS = lb_inertia_mul(I, c->S);
    add_row(to->momentum_dv, to->n, j, carry(b->offset, IS));
    to->kinetic_dv[j] += lb_vec6_dot(b->h, c->S);
    if (still) {
        return;
    }
    const lb_vec6 d = lb_vec6_make(c->d.w, lb_vec3_add(c->d.v, lb_vec3_cross(b->v_0, c->S.w)));
    const lb_vec6 dh = lb_vec6_add(lb_cross_force(c->S, b->h), lb_inertia_mul(I, d));
    add_row3(to->moment_dq, to->n, j, IS.v);
    add_row(to->momentum_dq, to->n, j, carry(b->offset, dh));
    to->kinetic_dq[j] += lb_vec6_dot(b->h, d);
}

// ---- modes of one body -----------------------------------------------------------------------------

// Mode r changes the inertia of its body, whose motion V and etad are held; axes of the body (DER-19)
//
//     dh_w = S_r w + h_r x v + B_r etad,   dh_v = -h_r x w,   dT = w . (1/2 S_r w + h_r x v + B_r etad)
static lb_vec6 change_polynomials(const lb_flex *flex, const lb_flex_work *f, lb_vec6 V, int r,
                                  double *dT)
{
    const int n = flex->mode_count;
    const lb_vec3 h = flex->h1[r], Sw = lb_sym3_mul_vec(f->S[r], V.w);
    lb_vec3 rest = lb_vec3_cross(h, V.v);
    for (int s = 0; !flex->constant && s < n; ++s) {
        rest = lb_vec3_axpy(rest, f->eta_dot[s], flex->B[r * n + s]);
    }
    *dT += lb_vec3_dot(V.w, lb_vec3_axpy(rest, 0.5, Sw));
    return lb_vec6_make(lb_vec3_add(rest, Sw), lb_vec3_cross(V.w, h));
}

// Mass points: y = u v + w x c + C etad, and dy = w x C_r + Gamma2_r etad               (DER-19)
//
//     dh_w = sum C_r x y + c x dy,   dh_v = sum u dy,   dT = sum y . dy
typedef struct points {
    int N;
    lb_lane *c, *C, *D, *y, *dy; // D_r = Gamma2_r etad
} points;

static points find_points(const lb_flex *flex, const lb_flex_work *f, lb_vec6 V, double *scratch)
{
    const int n = flex->mode_count, N = flex->block_count;
    const lb_lane *u = flex->points;
    lb_lane *c = (lb_lane *)(void *)scratch, *y = c + 3 * N, *dy = y + 3 * N, *C = dy + 3 * N;
    const points p = {N, c, C, C + 3 * n * N, y, dy};
    lb_deform_points(flex, f->eta, p.c, p.C);
    for (int i = 0; i < 3 * n * N; ++i) {
        p.D[i] = (lb_lane){0};
    }
    lb_add_second_order(flex, f->eta_dot, p.D);
    for (int i = 0; i < N; ++i) {
        y[i] = V.v.x * u[i] + V.w.y * c[2 * N + i] - V.w.z * c[N + i];
        y[N + i] = V.v.y * u[i] + V.w.z * c[i] - V.w.x * c[2 * N + i];
        y[2 * N + i] = V.v.z * u[i] + V.w.x * c[N + i] - V.w.y * c[i];
    }
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < 3 * N; ++i) {
            y[i] += f->eta_dot[r] * C[3 * r * N + i];
        }
    }
    return p;
}

static lb_vec3 cross_lanes(int N, const lb_lane *a, const lb_lane *b)
{
    const double x =
        lb_multiply_lanes(N, a + N, b + 2 * N) - lb_multiply_lanes(N, a + 2 * N, b + N);
    const double y = lb_multiply_lanes(N, a + 2 * N, b) - lb_multiply_lanes(N, a, b + 2 * N);
    return lb_vec3_make(x, y, lb_multiply_lanes(N, a, b + N) - lb_multiply_lanes(N, a + N, b));
}

static lb_vec6 change_points(const lb_flex *flex, const points *p, lb_vec3 w, int r, double *dT)
{
    const int N = p->N;
    const lb_lane *u = flex->points, *C = p->C + 3 * r * N, *D = p->D + 3 * r * N;
    lb_lane *dy = p->dy;
    for (int i = 0; i < N; ++i) {
        dy[i] = D[i] + w.y * C[2 * N + i] - w.z * C[N + i];
        dy[N + i] = D[N + i] + w.z * C[i] - w.x * C[2 * N + i];
        dy[2 * N + i] = D[2 * N + i] + w.x * C[N + i] - w.y * C[i];
    }
    *dT += lb_multiply_lanes(3 * N, p->y, dy);
    return lb_vec6_make(lb_vec3_add(cross_lanes(N, C, p->y), cross_lanes(N, p->c, dy)),
                        lb_vec3_make(lb_multiply_lanes(N, u, dy), lb_multiply_lanes(N, u, dy + N),
                                     lb_multiply_lanes(N, u, dy + 2 * N)));
}

static void add_modes(const lb_model *model, const lb_work *work, const sums *to, int k)
{
    const lb_body *b = &model->bodies[k];
    const lb_flex *flex = b->flex;
    const lb_flex_work *f = &work->flex[b->flex_index];
    const lb_pose *X = &to->s->bodies[k].X;
    const lb_vec3 offset = to->s->system_bodies[k].offset;
    const lb_vec6 V = work->bodies[k].V;
    const int n = b->mode_count;
    points p = {0};
    if (!lb_is_ruthless(flex) && flex->block_count) {
        p = find_points(flex, f, V, to->s->points);
    }
    for (int r = 0; r < n; ++r) {
        const int j = b->v + r;
        add_row(to->momentum_dv, to->n, j, carry(offset, lb_pose_carry_force(X, f->M_rf[r])));
        to->kinetic_dv[j] += lb_vec6_dot(f->M_rf[r], V);
        for (int s = 0; s < n; ++s) {
            to->kinetic_dv[j] += f->M_ff[r * n + s] * f->eta_dot[s];
        }
        if (lb_is_ruthless(flex)) { // its inertia never changes
            continue;
        }
        double dT = 0.0;
        lb_vec6 dh = change_polynomials(flex, f, V, r, &dT);
        lb_vec3 dm = flex->h1[r];
        if (p.N) {
            const lb_lane *u = flex->points, *C = p.C + 3 * r * p.N;
            dh = lb_vec6_add(dh, change_points(flex, &p, V.w, r, &dT));
            dm = lb_vec3_add(dm, lb_vec3_make(lb_multiply_lanes(p.N, u, C),
                                              lb_multiply_lanes(p.N, u, C + p.N),
                                              lb_multiply_lanes(p.N, u, C + 2 * p.N)));
        }
        add_row3(to->moment_dq, to->n, j, lb_mat3_mul_vec(&X->R, dm));
        add_row(to->momentum_dq, to->n, j, carry(offset, lb_pose_carry_force(X, dh)));
        to->kinetic_dq[j] += dT;
    }
}

// ---- all of them -----------------------------------------------------------------------------------

static void add_columns(const lb_model *model, const sums *to, int k)
{
    const lb_derivative_work *s = to->s;
    const lb_body *b = &model->bodies[k];
    const lb_derivative_body *w = &s->bodies[k];
    const lb_system_body *of = &s->system_bodies[k];
    for (int r = 0; w->own >= 0 && r < b->mode_count; ++r) {
        add_column(to, of, &w->sum.I, &s->columns[w->own + r], w->still & LB_STILL_OWN, b->v + r);
    }
    for (int i = 0; i < b->nv; ++i) {
        add_column(to, of, &w->sum.I, &s->columns[w->hinge + i], 0, b->hinge_v + i);
    }
    for (int r = 0; w->at >= 0 && r < model->bodies[b->parent].mode_count; ++r) {
        add_column(to, of, &w->sum.I, &s->columns[w->at + r], w->still & LB_STILL_AT,
                   model->bodies[b->parent].v + r);
    }
}

// Where the common frame of each tree is and how it moves, and the momentum of each body about its origin.
static void place_bodies(const lb_model *model, const lb_work *work, const sums *to)
{
    for (int k = 0; k < model->body_count; ++k) {
        const int parent = model->bodies[k].parent;
        const lb_derivative_body *w = &to->s->bodies[k];
        const lb_flex_work *f = lb_get_flex(model, work, k);
        lb_system_body *b = &to->s->system_bodies[k];
        const lb_vec6 V = work->bodies[k].V;
        if (parent < 0) {
            b->v_0 = lb_vec3_sub(lb_mat3_mul_vec(&w->X.R, V.v), w->V.v);
            b->offset = lb_vec3_sub(work->X_0[k].p, to->origin);
        } else {
            b->v_0 = to->s->system_bodies[parent].v_0;
            b->offset = to->s->system_bodies[parent].offset;
        }
        lb_vec6 h = lb_inertia_mul(lb_get_inertia(model, work, k), V);
        for (int r = 0; r < model->bodies[k].mode_count; ++r) {
            h = lb_vec6_axpy(h, f->eta_dot[r], f->M_rf[r]);
        }
        b->h = lb_pose_carry_force(&w->X, h);
    }
}

// U = -g . m + 1/2 eta' K eta
static void add_potential(const lb_model *model, const lb_work *work, const double *moment_dq,
                          double *dU)
{
    const ptrdiff_t n = model->v_count;
    for (int j = 0; j < n; ++j) {
        dU[j] = -lb_vec3_dot(model->gravity, lb_get_row3(moment_dq, n, j));
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const lb_flex_work *f = lb_get_flex(model, work, k);
        for (int r = 0, m = b->mode_count; r < m; ++r) {
            for (int s = 0; s < m; ++s) {
                const double *K = b->flex->K;
                dU[b->v + r] += 0.5 * (K[r * m + s] + K[s * m + r]) * f->eta[s];
            }
        }
    }
}

// The angular momentum about the centre of mass, which moves                            (DER-19)
//
//     L = h_w - c x h_v,   dL = dh_w - dc x h_v - c x dh_v,   dc = dm / (sum of masses)
static void refer_to_center(const sums *to, double mass, lb_vec3 c, lb_vec3 h, double *com_dq)
{
    for (int j = 0; j < to->n; ++j) {
        const lb_vec3 dc =
            lb_vec3_scale(mass > 0 ? 1.0 / mass : 0.0, lb_get_row3(to->moment_dq, to->n, j));
        lb_vec6 dq = lb_get_row(to->momentum_dq, to->n, j);
        lb_vec6 dv = lb_get_row(to->momentum_dv, to->n, j);
        dq.w = lb_vec3_sub(dq.w, lb_vec3_add(lb_vec3_cross(dc, h), lb_vec3_cross(c, dq.v)));
        dv.w = lb_vec3_sub(dv.w, lb_vec3_cross(c, dv.v));
        lb_put_row(to->momentum_dq, to->n, j, dq);
        lb_put_row(to->momentum_dv, to->n, j, dv);
        lb_put_row3(com_dq, to->n, j, dc);
    }
}

static void hand_over(const double *rows, size_t count, double *to)
{
    if (to) {
        memcpy(to, rows, count * sizeof *to);
    }
}

lb_status lb_compute_system_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                        const lb_system_derivatives *given)
{
    lb_system_derivatives out = {.size = sizeof out};
    const size_t n = (size_t)model->v_count;
    if (lb_take_sized(&out, sizeof out, LB_SIZE_THROUGH(lb_system_derivatives, com_dq), given) !=
        LB_OK) {
        return LB_E_VERSION;
    }
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    lb_update_motion(model, work);
    lb_update_inertia(model, work);
    double *rows = s->system_rows;
    memset(rows, 0, LB_SYSTEM_ROWS * n * sizeof *rows);
    const sums to = {.s = s,
                     .n = (ptrdiff_t)n,
                     .origin = model->body_count > 0 ? work->X_0[0].p : lb_vec3_make(0, 0, 0),
                     .moment_dq = rows,
                     .momentum_dq = rows + 3 * n,
                     .momentum_dv = rows + 9 * n,
                     .kinetic_dq = rows + 15 * n,
                     .kinetic_dv = rows + 16 * n};
    double *potential_dq = rows + 17 * n;
    place_bodies(model, work, &to);
    double mass = 0.0;
    lb_vec3 c = {0, 0, 0}, h = {0, 0, 0};
    for (int k = model->body_count - 1; k >= 0; --k) {
        const int parent = model->bodies[k].parent;
        const lb_system_body *b = &s->system_bodies[k];
        add_columns(model, &to, k);
        if (model->bodies[k].mode_count) {
            add_modes(model, work, &to, k);
        }
        if (parent >= 0) {
            lb_system_body *p = &s->system_bodies[parent];
            p->h = lb_vec6_add(p->h, b->h);
            continue;
        }
        const lb_inertia *I = &s->bodies[k].sum.I;
        mass += I->m;
        c = lb_vec3_add(c, lb_vec3_axpy(I->h, I->m, b->offset));
        h = lb_vec3_add(h, b->h.v);
    }
    add_potential(model, work, to.moment_dq, potential_dq);
    // the derivatives of moments become those of the centre of mass in place
    refer_to_center(&to, mass, lb_vec3_scale(mass > 0 ? 1.0 / mass : 0.0, c), h, rows);
    hand_over(rows, 3 * n, out.com_dq);
    hand_over(to.momentum_dq, 3 * n, out.angular_dq);
    hand_over(to.momentum_dq + 3 * n, 3 * n, out.linear_dq);
    hand_over(to.momentum_dv, 3 * n, out.angular_dv);
    hand_over(to.momentum_dv + 3 * n, 3 * n, out.linear_dv);
    hand_over(to.kinetic_dq, n, out.kinetic_dq);
    hand_over(to.kinetic_dv, n, out.kinetic_dv);
    hand_over(potential_dq, n, out.potential_dq);
    return LB_OK;
}
