// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "flexible.h"

#include <string.h>

#include "eliminate.h"
#include "model/hinges/hinges.h"

// ---- nodes -------------------------------------------------------------------------------------

// sum_s gamma2_rs eta_s added to out[r] (stride of an lb_vec6: its linear part)
static void add_second_order(const lb_node *node, int n, const double *eta, lb_vec6 *out)
{
    const lb_vec3 *g = node->second;
    for (int r = 0; r < n; ++r) {
        out[r].v = lb_vec3_axpy(out[r].v, eta[r], *g++);
        for (int s = r + 1; s < n; ++s, ++g) {
            out[r].v = lb_vec3_axpy(out[r].v, eta[s], *g);
            out[s].v = lb_vec3_axpy(out[s].v, eta[r], *g);
        }
    }
}

// sum_rs gamma2_rs x_r x_s
static lb_vec3 second_order_form(const lb_node *node, int n, const double *x)
{
    lb_vec3 sum = {0, 0, 0};
    const lb_vec3 *g = node->second;
    for (int r = 0; r < n; ++r) {
        sum = lb_vec3_axpy(sum, x[r] * x[r], *g++);
        for (int s = r + 1; s < n; ++s) {
            sum = lb_vec3_axpy(sum, 2.0 * x[r] * x[s], *g++);
        }
    }
    return sum;
}

// Place of a node                                                                       (FLX-7)
//
//     l = l0 + gamma eta + 1/2 gamma2 eta eta,   R = exp(lambda eta) R0
//     Pi_r = (J_l(lambda eta) lambda_r,  gamma_r + gamma2_r eta)
lb_pose lb_place_flex_node(const lb_node *node, int n, const double *eta, lb_vec6 *Pi)
{
    if (!node->shape && !node->second) {
        for (int r = 0; Pi && r < n; ++r) {
            Pi[r] = lb_vec6_zero();
        }
        return node->X;
    }
    const lb_vec3 d = lb_get_node_turn(node, n, eta);
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    const lb_mat3 turn = lb_turn_matrix(d, t.a, t.b), J = lb_turn_matrix(d, t.b, t.c);
    lb_pose X = {lb_mat3_mul(&turn, &node->X.R), node->X.p};
    for (int r = 0; r < n; ++r) {
        X.p = lb_vec3_axpy(X.p, eta[r], node->shape[r].v);
    }
    for (int r = 0; Pi && r < n; ++r) {
        LB_LANE(r, n);
        Pi[r] = lb_vec6_make(lb_mat3_mul_vec(&J, node->shape[r].w), node->shape[r].v);
    }
    LB_LANE(0, 0);
    if (node->second) {
        X.p = lb_vec3_axpy(X.p, 0.5, second_order_form(node, n, eta));
        if (Pi) {
            add_second_order(node, n, eta, Pi);
        }
    }
    return X;
}

// Rates of a node                                                                       (FLX-8)
//
//     (J_l d_dot, gamma etad + (gamma2 eta) etad)  and, with J_l = I + b d~ + c d~d~,
//     (b_dot d x d_dot + c_dot d x (d x d_dot) + c d_dot x (d x d_dot),  gamma2 etad etad)
lb_node_rates lb_get_node_rates(const lb_node *node, int n, const double *eta,
                                const double *eta_dot)
{
    lb_node_rates out = {lb_vec6_zero(), lb_vec6_zero()};
    if (!node->shape && !node->second) {
        return out;
    }
    const lb_vec3 d = lb_get_node_turn(node, n, eta), d_dot = lb_get_node_turn(node, n, eta_dot);
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    const double t2_dot = 2.0 * lb_vec3_dot(d, d_dot);
    const lb_vec3 x = lb_vec3_cross(d, d_dot), xx = lb_vec3_cross(d, x);
    out.rate.w = lb_vec3_axpy(lb_vec3_axpy(d_dot, t.b, x), t.c, xx);
    out.bias.w = lb_vec3_scale(t.b_prime * t2_dot, x);
    out.bias.w = lb_vec3_axpy(out.bias.w, t.c_prime * t2_dot, xx);
    out.bias.w = lb_vec3_axpy(out.bias.w, t.c, lb_vec3_cross(d_dot, x));
    for (int r = 0; r < n; ++r) {
        out.rate.v = lb_vec3_axpy(out.rate.v, eta_dot[r], node->shape[r].v);
    }
    if (node->second) {
        // the bilinear form by polarisation of its rows
        const lb_vec3 *g = node->second;
        for (int r = 0; r < n; ++r) {
            out.rate.v = lb_vec3_axpy(out.rate.v, eta[r] * eta_dot[r], *g++);
            for (int s = r + 1; s < n; ++s) {
                const double both = eta[r] * eta_dot[s] + eta[s] * eta_dot[r];
                out.rate.v = lb_vec3_axpy(out.rate.v, both, *g++);
            }
        }
        out.bias.v = second_order_form(node, n, eta_dot);
    }
    return out;
}

// ---- hinges at moving nodes --------------------------------------------------------------------

void lb_step_joint_position(const lb_model *model, lb_work *work, int k, const double *q)
{
    const lb_body *b = &model->bodies[k];
    lb_joint_work *j = &work->joints[b->joint_index];
    lb_body_work *w = &work->bodies[k];
    lb_vec6 *H = work->H + b->dof;

    // O+ on the parent: exp(lambda eta) turns the node and with it the turned frame
    j->X_t = b->X_p;
    if (b->at && !lb_is_ruthless(model->bodies[b->parent].flex)) {
        const lb_body *p = &model->bodies[b->parent];
        lb_node node = *b->at;
        node.X = b->X_p;
        j->X_t = lb_place_flex_node(&node, p->mode_count, work->flex[p->flex_index].eta, j->Pi);
        for (int r = 0; r < p->mode_count; ++r) {
            LB_LANE(r, p->mode_count);
            j->Pi[r] = lb_refer_to_frame(j->X_t.p, j->Pi[r]);
        }
        LB_LANE(0, 0);
    }
    j->X_O = lb_hinge_place(b, &j->X_t, q + b->hinge_q);
    w->X = j->X_O;
    lb_hinge_columns(b, q + b->hinge_q, H);
    if (b->moving) {
        lb_flex_work *f = &work->flex[b->flex_index];
        j->X_d = b->moving->X;
        if (f->Pi_d_own) {
            lb_node node = *b->moving->node;
            node.X = b->moving->X;
            j->X_d = lb_place_flex_node(&node, b->mode_count, f->eta, f->Pi_d_own);
            for (int r = 0; r < b->mode_count; ++r) {
                LB_LANE(r, b->mode_count);
                f->Pi_d_own[r] = lb_refer_to_frame(j->X_d.p, f->Pi_d_own[r]);
            }
            LB_LANE(0, 0);
        }
        const lb_pose back = lb_pose_inverse(&j->X_d);
        w->X = lb_pose_mul(&j->X_O, &back);
        // H_F* = phi*(O,k) H*
        for (int i = 0; i < b->nv; ++i) {
            H[i] = lb_pose_carry_motion(&back, H[i]);
        }
    }
}

lb_vec6 lb_get_velocity(const lb_model *model, const lb_work *work, int k, lb_vec6 V_p)
{
    const lb_body *b = &model->bodies[k];
    const int parent = model->bodies[b->parent].flex_index;
    lb_vec6 V = b->at ? lb_carry_joint_motion(model, work, k, V_p, work->flex[parent].eta_dot)
                      : lb_pose_carry_motion(&work->bodies[k].X, V_p);
    for (int i = 0; i < b->nv; ++i) {
        V = lb_vec6_axpy(V, work->beta[b->dof + i], work->H[b->dof + i]);
    }
    for (int r = 0; b->moving && r < b->mode_count; ++r) {
        const lb_flex_work *f = &work->flex[b->flex_index];
        V = lb_vec6_axpy(V, -f->eta_dot[r], f->Pi_d[r]);
    }
    return V;
}

// Velocity and its bias across moving nodes                                       (KIN-2), (KIN-3)
//
//     O+ on p    w+ = w + dw_t,  v+ = v + w x l_t + dv_t
//     O          carried over the hinge, as between rigid bodies
//     F_k        w_k = w_O - dw_d,  v_k = v_O - w_k x l_d - dv_d
//
// and the inertial derivative of each line at zero second derivatives of the coordinates. A ruthless
// side adds no modal rate to the derivatives; its rates are in the velocity nevertheless.
void lb_step_joint_velocity(const lb_model *model, lb_work *work, int k, lb_vec6 V_p,
                            const double *q, const double *v)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    const lb_joint_work *j = &work->joints[b->joint_index];
    lb_body_work *w = &work->bodies[k];

    // O+, axes of p
    lb_node_rates t = {lb_vec6_zero(), lb_vec6_zero()};
    if (b->at && !lb_is_ruthless(p->flex)) {
        const lb_flex_work *f = &work->flex[p->flex_index];
        t = lb_get_node_rates(b->at, p->mode_count, f->eta, f->eta_dot);
    }
    const lb_vec3 u = lb_vec3_cross(V_p.w, j->X_t.p);
    const lb_vec3 w_t = lb_vec3_add(V_p.w, t.rate.w);
    const lb_vec3 v_t = lb_vec3_add(lb_vec3_add(V_p.v, u), t.rate.v);
    const lb_vec3 aw_t = lb_vec3_add(lb_vec3_cross(V_p.w, t.rate.w), t.bias.w);
    const lb_vec3 av_t =
        lb_vec3_add(lb_vec3_cross(V_p.w, lb_vec3_axpy(u, 2.0, t.rate.v)), t.bias.v);

    // O, axes of O
    const lb_mat3 *R = &j->X_O.R;
    const lb_vec3 s = lb_vec3_sub(j->X_O.p, j->X_t.p), ws = lb_vec3_cross(w_t, s);
    const lb_vec6 dV = lb_hinge_speed(b, q + b->hinge_q, v + b->hinge_v);
    const lb_vec6 rate = lb_hinge_rate(b, q + b->hinge_q, v + b->hinge_v);
    const lb_vec3 w_plus = lb_mat3_tmul_vec(R, w_t);
    lb_vec6 V = {lb_vec3_add(w_plus, dV.w),
                 lb_vec3_add(lb_mat3_tmul_vec(R, lb_vec3_add(v_t, ws)), dV.v)};
    const lb_vec3 carried =
        lb_vec3_add(av_t, lb_vec3_add(lb_vec3_cross(aw_t, s), lb_vec3_cross(w_t, ws)));
    lb_vec6 a = {lb_vec3_add(lb_mat3_tmul_vec(R, aw_t), lb_vec3_cross(w_plus, dV.w)),
                 lb_vec3_add(lb_mat3_tmul_vec(R, carried),
                             lb_vec3_cross(lb_vec3_axpy(dV.w, 2.0, w_plus), dV.v))};
    a = lb_vec6_add(a, rate);

    // F_k, axes of F_k
    if (b->moving) {
        const lb_flex_work *f = &work->flex[b->flex_index];
        lb_node_rates d = {lb_vec6_zero(), lb_vec6_zero()};
        if (f->Pi_d_own) {
            d = lb_get_node_rates(b->moving->node, b->mode_count, f->eta, f->eta_dot);
        }
        const lb_mat3 *R_d = &j->X_d.R;
        const lb_vec3 l = j->X_d.p;
        V.w = lb_vec3_sub(lb_mat3_mul_vec(R_d, V.w), d.rate.w);
        const lb_vec3 wl = lb_vec3_cross(V.w, l);
        V.v = lb_vec3_sub(lb_vec3_sub(lb_mat3_mul_vec(R_d, V.v), wl), d.rate.v);
        a.w = lb_vec3_sub(lb_mat3_mul_vec(R_d, a.w),
                          lb_vec3_add(lb_vec3_cross(V.w, d.rate.w), d.bias.w));
        const lb_vec3 own =
            lb_vec3_add(lb_vec3_cross(a.w, l), lb_vec3_cross(V.w, lb_vec3_axpy(wl, 2.0, d.rate.v)));
        a.v = lb_vec3_sub(lb_mat3_mul_vec(R_d, a.v), lb_vec3_add(own, d.bias.v));
    }
    w->V = V;
    w->a = a;
    const int ruthless_parent = b->at && lb_is_ruthless(p->flex);
    if (ruthless_parent || (b->moving && b->moving->Pi)) {
        w->V = lb_get_velocity(model, work, k, V_p);
    }
    if (ruthless_parent && !b->moving) {
        // the formula speaks of the caller's body frame, and w is not the rate of the body: carried
        // from there to ours by the actual rate
        const lb_vec3 r = lb_vec3_neg(model->infos[b->listed].nodes[0].X.p);
        const lb_vec3 actual = lb_vec3_cross(w->V.w, lb_vec3_cross(w->V.w, r));
        const lb_vec3 seen = lb_vec3_cross(V.w, lb_vec3_cross(V.w, r));
        w->a.v = lb_vec3_add(w->a.v, lb_vec3_sub(actual, seen));
    }
}

lb_vec6 lb_carry_joint_motion(const lb_model *model, const lb_work *work, int k, lb_vec6 alpha_p,
                              const double *eta_ddot_p)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 *Pi = work->joints[b->joint_index].Pi;
    for (int r = 0; r < model->bodies[b->parent].mode_count; ++r) {
        alpha_p = lb_vec6_axpy(alpha_p, eta_ddot_p[r], Pi[r]);
    }
    return lb_pose_carry_motion(&work->bodies[k].X, alpha_p);
}

void lb_give_modes_force(const lb_model *model, const lb_work *work, int k, lb_vec6 f_p,
                         double *z_f)
{
    const lb_body *b = &model->bodies[k];
    const lb_vec6 *Pi = work->joints[b->joint_index].Pi;
    const int n = model->bodies[b->parent].mode_count;
    for (int r = 0; r < n; ++r) {
        LB_LANE(r, n);
        z_f[r] += lb_vec6_dot(Pi[r], f_p);
    }
    LB_LANE(0, 0);
}

void lb_write_block(const lb_sym6 *P, double out[36])
{
    const double block[36] = {
        P->J.xx,      P->J.xy,      P->J.xz,      P->H.m[0][0], P->H.m[0][1], P->H.m[0][2],
        P->J.xy,      P->J.yy,      P->J.yz,      P->H.m[1][0], P->H.m[1][1], P->H.m[1][2],
        P->J.xz,      P->J.yz,      P->J.zz,      P->H.m[2][0], P->H.m[2][1], P->H.m[2][2],
        P->H.m[0][0], P->H.m[1][0], P->H.m[2][0], P->M.xx,      P->M.xy,      P->M.xz,
        P->H.m[0][1], P->H.m[1][1], P->H.m[2][1], P->M.xy,      P->M.yy,      P->M.yz,
        P->H.m[0][2], P->H.m[1][2], P->H.m[2][2], P->M.xz,      P->M.yz,      P->M.zz,
    };
    memcpy(out, block, sizeof block);
}

// Inertia handed to a flexible parent                                                   (FLX-9)
//
//     Gamma = phi(p,k) P+ phi*(p,k),   Pi = Pi^t_F, referred to the frame of p
//     P_ff += Pi* Gamma Pi,   P_rf += Gamma Pi,   P_rr += Gamma
void lb_add_joint_inertia(const lb_model *model, lb_work *work, int k, const lb_sym6 *Gamma)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    const lb_vec6 *Pi = work->joints[b->joint_index].Pi;
    lb_flex_work *f = &work->flex[p->flex_index];
    const int n = p->mode_count;
    for (int r = 0; r < n; ++r) {
        LB_LANE(r, n);
        const lb_vec6 F = lb_sym6_mul(Gamma, Pi[r]);
        f->P_rf[r] = lb_vec6_add(f->P_rf[r], F);
        LB_LANE(0, 0);
        for (int s = 0; s <= r; ++s) {
            f->P_ff[r * n + s] += lb_vec6_dot(Pi[s], F);
        }
    }
    lb_sym6_add(&work->bodies[b->parent].P, Gamma);
}

void lb_give_joint_inertia(const lb_model *model, lb_work *work, int k, const lb_sym6 *P_plus)
{
    const lb_body *b = &model->bodies[k], *p = &model->bodies[b->parent];
    const lb_sym6 Gamma = lb_sym6_carry(&work->bodies[k].X, P_plus);
    if (p->update) {
        lb_write_block(&Gamma, work->flex[p->flex_index].Gamma + 36 * b->update_slot);
        return;
    }
    lb_add_joint_inertia(model, work, k, &Gamma);
}

// ---- elimination of the modes ------------------------------------------------------------------

// Modes of one body                                                                     (ABA-5)
//
//     H_f* = [I; -Pi^d_F],   mu = [P_rf, P_rr] H_f* = P_rf - P_rr Pi
//     D_f = H_f P H_f* = P_ff - P_fr Pi - Pi* mu
//     D_f = L d L*,   g = mu D_f^-1 = G_f L^-1,   P_R = P_rr - G_f d G_f*;   G_f is kept, not g
//
// Source: Jain and Rodriguez 1992, (63), corrected.
lb_status lb_take_out_modes(const lb_body *b, lb_sym6 *P, lb_flex_work *f, int *bad)
{
    const int n = b->mode_count;
    // 1e-14: below it a pivot is round-off of the entry that it came from, before what the moving
    // hinge takes away
    for (int r = 0; r < n; ++r) {
        f->nu_f[r] = 1e-14 * fabs(f->P_ff[r * n + r]);
    }
    if (b->moving) {
        for (int r = 0; r < n; ++r) {
            const lb_vec6 P_rf = f->P_rf[r];
            LB_LANE(r, n);
            f->P_rf[r] = lb_vec6_sub(P_rf, lb_sym6_mul(P, f->Pi_d[r]));
            LB_LANE(0, 0);
            for (int s = 0; s <= r; ++s) {
                f->P_ff[r * n + s] -=
                    lb_vec6_dot(P_rf, f->Pi_d[s]) + lb_vec6_dot(f->Pi_d[r], f->P_rf[s]);
            }
        }
    }
    return lb_eliminate(n, f->P_ff, f->nu_f, f->P_rf, P, bad);
}

lb_status lb_eliminate_modes(const lb_body *b, lb_sym6 *P, lb_work *work)
{
    if (b->update) {
        return lb_apply_mode_update(b, P, work);
    }
    int bad;
    const lb_status status = lb_take_out_modes(b, P, &work->flex[b->flex_index], &bad);
    if (status != LB_OK) {
        lb_set_bad_inertia(work, b, bad);
    }
    return status;
}
