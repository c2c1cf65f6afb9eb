// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the field of a point mass or an oblate body: of the loads on each body, of the forces on its modes, and of what
// becomes of both along the tree.
#include <limits.h>

#include "base/dense.h"
#include "derivative_parts.h"
#include "derivative_paths.h"
#include "dynamics/tree/point_field.h"
#include "dynamics/tree/steps.h"
#include "model/modal/flex.h"

// ---- one body ------------------------------------------------------------------------------------

// A body in the field, in its axes.
typedef struct attracted {
    lb_field_here at;
    lb_vec6 load; // about the centre of mass
    double m;
    bool gradient;
    lb_vec3 u;    // J e
    double trace; // of J
} attracted;

// How a body moves or deforms, as the field sees it: the shift of its centre of mass, and of the inertia about
// it dJ e and the trace of dJ.
typedef struct change {
    lb_vec3 r, Je;
    double trace;
} change;

static double get_trace(lb_sym3 S)
{
    return S.xx + S.yy + S.zz;
}

// Change of the direction to the centre of mass, which is of unit length.
static lb_vec3 change_direction(const attracted *a, lb_vec3 dr)
{
    const lb_vec3 e = a->at.e;
    return lb_vec3_scale(1.0 / a->at.d, lb_vec3_axpy(dr, -lb_vec3_dot(e, dr), e));
}

// What an oblate body changes of it, over -3 mu m j / (2 d^4), by the same with the fixed inertia k k'  (FRC-16)
//
//     dA - 4 A (e.dr) / d,   A = (1 - 5 s^2) e + 2 s k,   s = e.k
static lb_vec3 change_oblate(const attracted *a, lb_vec3 dr)
{
    const lb_vec3 e = a->at.e, k = a->at.k, de = change_direction(a, dr);
    const double s = lb_vec3_dot(e, k), ds = lb_vec3_dot(de, k), by_e = 1.0 - 5.0 * s * s;
    const lb_vec3 A = lb_vec3_axpy(lb_vec3_scale(by_e, e), 2.0 * s, k);
    lb_vec3 dA = lb_vec3_axpy(lb_vec3_scale(-10.0 * s * ds, e), by_e, de);
    dA = lb_vec3_axpy(dA, 2.0 * ds, k);
    return lb_vec3_axpy(dA, -4.0 * lb_vec3_dot(e, dr) / a->at.d, A);
}

// Change of the load about the centre of mass                                          (DER-18)
//
//     dF = -mu m / d^3 (dr - 3 e (e.dr)) - 3 mu / (2 d^4) (dA - 4 A (e.dr) / d)
//     dT = 3 mu / d^3 (de x u + e x du - 3 (e x u) (e.dr) / d)
//     A = (tr J - 5 e.u) e + 2 u,   u = J e,   du = J de + dJ e
static lb_vec6 change_load(const attracted *a, const change *c)
{
    const lb_vec3 e = a->at.e, u = a->u;
    const double d = a->at.d, mu_d3 = a->at.mu_d / (d * d), along = lb_vec3_dot(e, c->r);
    lb_vec3 dF = lb_vec3_scale(-mu_d3 * a->m, lb_vec3_axpy(c->r, -3.0 * along, e));
    if (a->at.j != 0.0) {
        dF = lb_vec3_axpy(dF, -1.5 * mu_d3 * a->m * a->at.j / d, change_oblate(a, c->r));
    }
    if (!a->gradient) {
        return lb_vec6_make(lb_vec3_make(0, 0, 0), dF);
    }
    const lb_vec3 de = change_direction(a, c->r);
    const lb_vec3 du = lb_vec3_add(lb_sym3_mul_vec(a->at.J, de), c->Je);
    const double eu = lb_vec3_dot(e, u), deu = lb_vec3_dot(de, u) + lb_vec3_dot(e, du);
    const double by_e = a->trace - 5.0 * eu;
    const lb_vec3 A = lb_vec3_axpy(lb_vec3_scale(by_e, e), 2.0, u);
    lb_vec3 dA = lb_vec3_axpy(lb_vec3_scale(c->trace - 5.0 * deu, e), by_e, de);
    dA = lb_vec3_axpy(lb_vec3_axpy(dA, 2.0, du), -4.0 * along / d, A);
    lb_vec3 dT = lb_vec3_add(lb_vec3_cross(de, u), lb_vec3_cross(e, du));
    dT = lb_vec3_axpy(dT, -3.0 * along / d, lb_vec3_cross(e, u));
    return lb_vec6_make(lb_vec3_scale(3.0 * mu_d3, dT), lb_vec3_axpy(dF, -1.5 * mu_d3 / d, dA));
}

// A change of the load, about the frame of the body.
static lb_vec6 refer_load(const attracted *a, lb_vec3 dr, lb_vec6 dload)
{
    const lb_vec3 arm = lb_vec3_add(lb_vec3_cross(dr, a->load.v), lb_vec3_cross(a->at.c, dload.v));
    return lb_vec6_make(lb_vec3_add(dload.w, arm), dload.v);
}

// The body moves with S as one:  dr = S_v + S_w x c,   dJ e = S_w x J e - J (S_w x e)
static change move_rigidly(const attracted *a, lb_vec6 S)
{
    const lb_vec3 turned = lb_vec3_cross(S.w, a->at.e);
    return (change){lb_vec3_add(S.v, lb_vec3_cross(S.w, a->at.c)),
                    lb_vec3_sub(lb_vec3_cross(S.w, a->u), lb_sym3_mul_vec(a->at.J, turned)), 0.0};
}

// A mode deforms it:  dr = h_r / m,   dJ = S_r - 2 (c.h_r) I + c h_r' + h_r c'
static change deform(const attracted *a, const lb_field_mode *mode)
{
    const lb_vec3 e = a->at.e, c = a->at.c, h = mode->h;
    const double ch = lb_vec3_dot(c, h);
    lb_vec3 Je = lb_vec3_axpy(lb_sym3_mul_vec(mode->S, e), -2.0 * ch, e);
    Je = lb_vec3_axpy(lb_vec3_axpy(Je, lb_vec3_dot(h, e), c), lb_vec3_dot(c, e), h);
    return (change){lb_vec3_scale(1.0 / a->m, h), Je, get_trace(mode->S) - 4.0 * ch};
}

// A motion in the common frame, at the frame of the body and in its axes.
static lb_vec6 bring_motion(const lb_pose *X, lb_vec6 S)
{
    const lb_vec3 v = lb_vec3_add(S.v, lb_vec3_cross(S.w, X->p));
    return lb_vec6_make(lb_mat3_tmul_vec(&X->R, S.w), lb_mat3_tmul_vec(&X->R, v));
}

// ---- its modes -----------------------------------------------------------------------------------

// sum over the mass points of 2 (c.C) I - c C' - C c'
static lb_sym3 sum_points(int N, const lb_lane *c, const lb_lane *C)
{
    const double xx = 2.0 * lb_multiply_lanes(N, c, C);
    const double yy = 2.0 * lb_multiply_lanes(N, c + N, C + N);
    const double zz = 2.0 * lb_multiply_lanes(N, c + 2 * N, C + 2 * N);
    return (lb_sym3){yy + zz,
                     xx + zz,
                     xx + yy,
                     -lb_multiply_lanes(N, c, C + N) - lb_multiply_lanes(N, c + N, C),
                     -lb_multiply_lanes(N, c, C + 2 * N) - lb_multiply_lanes(N, c + 2 * N, C),
                     -lb_multiply_lanes(N, c + N, C + 2 * N) -
                         lb_multiply_lanes(N, c + 2 * N, C + N)};
}

// tr S - 3 e.S e
static double stretch(lb_sym3 S, lb_vec3 e)
{
    return get_trace(S) - 3.0 * lb_vec3_dot(e, lb_sym3_mul_vec(S, e));
}

// What the field sees of each mode, at the present deformation                         (DER-18)
//
//     B_r = tr S_r - 3 e.S_r e + 2 c.E_r - 6 (e.c)(e.E_r),   dB_r/de = -6 (S_r e + c (e.E_r) + E_r (e.c))
static void find_modes(const lb_flex *flex, const lb_flex_work *f, const attracted *a,
                       lb_derivative_work *s)
{
    const int n = flex->mode_count;
    const bool ruthless = lb_is_ruthless(flex);
    const int N = ruthless ? 0 : flex->block_count;
    const lb_vec3 e = a->at.e, c = a->at.c;
    const double ec = lb_vec3_dot(e, c);
    lb_lane *x = (lb_lane *)(void *)s->points, *C = x + 3 * N;
    if (N) {
        lb_deform_points(flex, f->eta, x, C);
    }
    for (int r = 0; r < n; ++r) {
        lb_field_mode *mode = &s->field_modes[r];
        mode->E = f->M_rf[r].v;
        mode->S = ruthless ? flex->S[r] : f->S[r];
        // h = h1 + that of the points, E = E + that of the points
        mode->h = ruthless ? lb_vec3_make(0, 0, 0)
                           : lb_vec3_add(flex->h1[r], lb_vec3_sub(mode->E, flex->E[r]));
        if (N) {
            mode->S = lb_sym3_add(mode->S, sum_points(N, x, C + 3 * r * N));
        }
        const double eE = lb_vec3_dot(e, mode->E);
        mode->stretch = stretch(mode->S, e) + 2.0 * lb_vec3_dot(c, mode->E) - 6.0 * ec * eE;
        lb_vec3 by_e = lb_vec3_axpy(lb_sym3_mul_vec(mode->S, e), eE, c);
        by_e = lb_vec3_axpy(by_e, ec, mode->E);
        mode->by_e = lb_vec3_scale(-6.0, by_e);
    }
}

// Change of the force on mode r, less what the mode's own integrals change              (DER-18)
//
//     dtau_r = E_r . dF / m + mu / (2 d^3) (dB_r/de . de - 3 B_r (e.dr) / d)
//
// dF and de as seen in the axes of the body
static double change_modal(const attracted *a, const lb_field_mode *mode, lb_vec3 dr, lb_vec3 de,
                           lb_vec3 dF)
{
    const double d = a->at.d, half = a->gradient ? 0.5 * a->at.mu_d / (d * d) : 0.0;
    return lb_vec3_dot(mode->E, dF) / a->m +
           half *
               (lb_vec3_dot(mode->by_e, de) - 3.0 * mode->stretch * lb_vec3_dot(a->at.e, dr) / d);
}

// What modes s do to the integrals of modes r                                          (DER-18)
//
//     dtau_r = dE_r . F / m + mu / (2 d^3) (tr S_rs - 3 e.S_rs e + 2 (dc.E_r + c.dE_r)
//                                           - 6 ((e.dc)(e.E_r) + (e.c)(e.dE_r)))
//
// S_rs of the polynomials and of the mass points, dE_r = sum u Gamma2_rs of the latter
static void add_integrals(const lb_flex *flex, const attracted *a, const lb_derivative_work *s,
                          int first, const lb_view *out)
{
    const int n = flex->mode_count, N = flex->block_count;
    const lb_vec3 e = a->at.e, c = a->at.c;
    const double ec = lb_vec3_dot(e, c);
    const double half = a->gradient ? 0.5 * a->at.mu_d / (a->at.d * a->at.d) : 0.0;
    lb_lane *x = (lb_lane *)(void *)s->points, *C = x + 3 * N, *along = C + 3 * n * N;
    for (int r = 0; r < n; ++r) {
        for (int i = 0; i < N; ++i) {
            const lb_lane *C_r = C + 3 * r * N;
            along[r * N + i] = e.x * C_r[i] + e.y * C_r[N + i] + e.z * C_r[2 * N + i];
        }
    }
    for (int r = 0; a->gradient && r < n; ++r) {
        const lb_vec3 E = s->field_modes[r].E;
        for (int q = 0; q < n; ++q) {
            const lb_vec3 dc = lb_vec3_scale(1.0 / a->m, s->field_modes[q].h);
            double B = 2.0 * lb_vec3_dot(dc, E) - 6.0 * lb_vec3_dot(e, dc) * lb_vec3_dot(e, E);
            B += flex->constant ? 0.0 : stretch(flex->S2[q * n + r], e);
            if (N) {
                B += 6.0 * lb_multiply_lanes(N, along + r * N, along + q * N) -
                     2.0 * lb_multiply_lanes(3 * N, C + 3 * r * N, C + 3 * q * N);
            }
            *lb_get_entry(out, first + r, first + q) += half * B;
        }
    }
    // of second-order displacements: dE_r . (F / m + half (2 c - 6 (e.c) e)), and the points' own
    lb_vec3 per_E = lb_vec3_scale(1.0 / a->m, a->load.v);
    per_E = lb_vec3_axpy(per_E, half, lb_vec3_axpy(lb_vec3_scale(2.0, c), -6.0 * ec, e));
    const double per_axis[3] = {per_E.x, per_E.y, per_E.z}, e_axis[3] = {e.x, e.y, e.z};
    for (int i = 0; i < N; ++i) {
        along[i] = e.x * x[i] + e.y * x[N + i] + e.z * x[2 * N + i];
    }
    for (int i = 0; i < flex->second_count && N; ++i) {
        const lb_second_row *g = &flex->second[i];
        const lb_lane *row = flex->points + g->row * N;
        const double moved = per_axis[g->axis] * lb_multiply_lanes(N, flex->points, row) +
                             half * (6.0 * e_axis[g->axis] * lb_multiply_lanes(N, along, row) -
                                     2.0 * lb_multiply_lanes(N, x + g->axis * N, row));
        *lb_get_entry(out, first + g->r, first + g->s) += moved;
        if (g->r != g->s) {
            *lb_get_entry(out, first + g->s, first + g->r) += moved;
        }
    }
}

// ---- along the tree ------------------------------------------------------------------------------

// The modes of body k: how the forces on them change with the motion of the frame and with the modes, and the
// load on the frame with the modes.
static void add_modes(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                      const lb_path *path, const attracted *a, const lb_view *out)
{
    const lb_body *b = &model->bodies[path->k];
    const lb_flex_work *f = &work->flex[b->flex_index];
    const lb_pose *X = &s->bodies[path->k].X;
    const int n = b->mode_count;
    find_modes(b->flex, f, a, s);
    for (int j = 0; j < path->count; ++j) {
        if (path->entries[j].still) {
            continue;
        }
        const lb_vec6 S = bring_motion(X, path->entries[j].S);
        const change c = move_rigidly(a, S);
        const lb_vec3 dF = lb_vec3_sub(change_load(a, &c).v, lb_vec3_cross(S.w, a->load.v));
        const lb_vec3 de = lb_vec3_sub(change_direction(a, c.r), lb_vec3_cross(S.w, a->at.e));
        for (int r = 0; r < n; ++r) {
            *lb_get_entry(out, b->v + r, path->entries[j].v) +=
                change_modal(a, &s->field_modes[r], c.r, de, dF);
        }
    }
    if (lb_is_ruthless(b->flex)) { // what it shows to the field stays as it is
        return;
    }
    for (int q = 0; q < n; ++q) {
        const change c = deform(a, &s->field_modes[q]);
        const lb_vec6 dload = change_load(a, &c);
        const lb_vec3 de = change_direction(a, c.r);
        for (int r = 0; r < n; ++r) {
            *lb_get_entry(out, b->v + r, b->v + q) +=
                change_modal(a, &s->field_modes[r], c.r, de, dload.v);
        }
        const lb_vec6 dY = lb_pose_carry_force(X, refer_load(a, c.r, dload));
        for (int i = 0; i < path->count; ++i) {
            *lb_get_entry(out, path->entries[i].v, b->v + q) += lb_vec6_dot(path->entries[i].S, dY);
        }
    }
    add_integrals(b->flex, a, s, b->v, out);
}

// A body by itself: the load on it, and its change with each motion of the frame.
static void add_body(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                     const lb_path *path, const attracted *a, const lb_view *out)
{
    const lb_pose *X = &s->bodies[path->k].X;
    lb_field_load *sum = &s->field_loads[path->k];
    const lb_vec6 load = {lb_vec3_add(a->load.w, lb_vec3_cross(a->at.c, a->load.v)), a->load.v};
    sum->Y = lb_vec6_add(sum->Y, lb_pose_carry_force(X, load));
    for (int i = 0; i < 6; ++i) {
        const lb_vec6 unit = {{i == 0, i == 1, i == 2}, {i == 3, i == 4, i == 5}};
        const change c = move_rigidly(a, bring_motion(X, unit));
        const lb_vec6 dY = refer_load(a, c.r, change_load(a, &c));
        sum->G[i] = lb_vec6_add(sum->G[i], lb_pose_carry_force(X, dY));
    }
    if (model->bodies[path->k].mode_count) {
        add_modes(model, work, s, path, a, out);
    }
}

static lb_vec6 change_subtree(const lb_field_load *sum, lb_vec6 S)
{
    const double motion[6] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
    lb_vec6 dY = lb_vec6_zero();
    for (int i = 0; i < 6; ++i) {
        dY = lb_vec6_axpy(dY, motion[i], sum->G[i]);
    }
    return dY;
}

// Columns that move the subtree of k and no less, and those inboard of them              (DER-18)
//
//     dtau_i/dq_j = S_i . (G S_j - S_j x* Y)   i outboard of j, or in the same joint, there with
//                                              Y . D_j S_i as well
//     dtau_i/dq_j = S_i . G S_j                i inboard of j
static void add_subtree(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                        const lb_path *path, const lb_view *out)
{
    enum { JOINTS = 3 }; // own hinge node, hinge, O+
    const lb_field_load *sum = &s->field_loads[path->k];
    const lb_path_entry *entries = path->entries;
    int count = 0;
    while (count < path->count && entries[count].joint <= JOINTS) {
        ++count;
    }
    for (int j = 0; j < path->count; ++j) {
        if (entries[j].still) {
            continue;
        }
        const lb_vec6 dY = change_subtree(sum, entries[j].S);
        const lb_vec6 seen = lb_vec6_sub(dY, lb_cross_force(entries[j].S, sum->Y));
        for (int i = 0; i < count; ++i) {
            if (entries[i].joint <= entries[j].joint) {
                *lb_get_entry(out, entries[i].v, entries[j].v) += lb_vec6_dot(entries[i].S, seen);
            }
        }
        for (int i = 0; j < count && i < path->count; ++i) {
            if (entries[i].joint > entries[j].joint) {
                *lb_get_entry(out, entries[i].v, entries[j].v) += lb_vec6_dot(entries[i].S, dY);
            }
        }
    }
    lb_add_bends(model, work, s, path, JOINTS, sum->Y, out);
}

lb_status lb_apply_oblate_gravity_derivatives(const lb_model *model, lb_work *work,
                                              lb_derivative_work *s, const lb_oblate_gravity *field,
                                              double *dtau_dq, double *power_dq, double *power_dv)
{
    const ptrdiff_t n = model->v_count;
    double power, energy;
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    memset(s->tau, 0, (size_t)n * sizeof *s->tau);
    const lb_status status = lb_apply_oblate_gravity(model, work, field, s->tau, &power, &energy);
    if (status < 0) {
        return status;
    }
    const lb_view out = {s->product, n, NULL};
    memset(s->product, 0, (size_t)(n * n) * sizeof *s->product);
    memset(s->field_loads, 0, (size_t)model->body_count * sizeof *s->field_loads);
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_path path = lb_find_frame_path(model, s, k);
        const lb_inertia *M = lb_get_inertia(model, work, k);
        if (M->m > 0) {
            attracted a = {.at = lb_find_field(field, &work->X_0[k], M),
                           .m = M->m,
                           .gradient = field->point.gradient};
            lb_attract(&a.at, a.m, a.gradient, &a.load);
            a.u = lb_sym3_mul_vec(a.at.J, a.at.e);
            a.trace = get_trace(a.at.J);
            add_body(model, work, s, &path, &a, &out);
        }
        add_subtree(model, work, s, &path, &out);
        const int parent = model->bodies[k].parent;
        if (parent >= 0) {
            lb_field_load *to = &s->field_loads[parent];
            to->Y = lb_vec6_add(to->Y, s->field_loads[k].Y);
            for (int i = 0; i < 6; ++i) {
                to->G[i] = lb_vec6_add(to->G[i], s->field_loads[k].G[i]);
            }
        }
    }
    lb_add_scaled(n * n, 1.0, s->product, dtau_dq);
    if (power_dq) { // P = tau . v
        lb_add_transposed_image(n, n, 1.0, s->product, s->v, power_dq);
        lb_add_scaled(n, 1.0, s->tau, power_dv);
    }
    return LB_OK;
}
