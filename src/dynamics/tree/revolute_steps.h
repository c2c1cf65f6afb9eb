// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Straight-line steps of a revolute hinge between places that do not move: H* = (z, 0). The same
// equations as in steps.h and articulated_body.c with the zeros of H* left out; oracles and cross
// tests run on both.
#ifndef LB_REVOLUTE_STEPS_H
#define LB_REVOLUTE_STEPS_H

#include <string.h>

#include "base/hot.h"
#include "eliminate.h"
#include "model/layout.h"

// (KIN-1): X_pk = X_p+ Rz(q). The axis and the origin of k never move in p: lb_init_work wrote them.
LB_STEP void lb_revolute_step_position(const lb_body *b, lb_body_work *w, double s, double c)
{
#ifndef LB_COUNTING // two columns side by side
    typedef double pair __attribute__((vector_size(16)));
    const pair turn = {s, -s};
    for (int i = 0; i < 3; ++i) {
        pair m;
        memcpy(&m, b->X_p.R.m[i], sizeof m);
        const pair r = c * m + turn * __builtin_shufflevector(m, m, 1, 0);
        memcpy(w->X.R.m[i], &r, sizeof r);
    }
#else
    for (int i = 0; i < 3; ++i) {
        const double *m = b->X_p.R.m[i];
        w->X.R.m[i][0] = c * m[0] + s * m[1];
        w->X.R.m[i][1] = c * m[1] - s * m[0];
    }
#endif
}

// (KIN-2), (KIN-3): dV = (z v, 0);  a = (w' x z v, w' x (w' x l))
LB_STEP void lb_revolute_step_velocity(lb_body_work *w, lb_vec3 w_parent, double v)
{
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, w_parent);
    w->V.w = lb_vec3_make(w_p.x, w_p.y, w_p.z + v);
    w->a.w = lb_vec3_make(w_p.y * v, -w_p.x * v, 0);
    w->a.v = lb_mat3_tmul_vec(&w->X.R, lb_vec3_cross(w_parent, lb_vec3_cross(w_parent, w->X.p)));
}

// (KIN-2) and (KIN-4) at once, without keeping a: what inverse dynamics needs
LB_STEP void lb_revolute_step_motion(lb_body_work *w, const lb_body_work *p, double v,
                                     double beta_dot)
{
    const lb_vec3 l = w->X.p, w_parent = p->V.w;
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, w_parent);
    const lb_vec3 alpha = lb_mat3_tmul_vec(&w->X.R, p->alpha.w);
    lb_vec3 linear = lb_vec3_add(p->alpha.v, lb_vec3_cross(p->alpha.w, l));
    linear = lb_vec3_add(linear, lb_vec3_cross(w_parent, lb_vec3_cross(w_parent, l)));
    w->V.w = lb_vec3_make(w_p.x, w_p.y, w_p.z + v);
    w->alpha.w = lb_vec3_make(alpha.x + w_p.y * v, alpha.y - w_p.x * v, alpha.z + beta_dot);
    w->alpha.v = lb_mat3_tmul_vec(&w->X.R, linear);
}

// P_p += phi(p,k) P+ phi*(p,k) for a P+ whose third row and column are zero, as a revolute hinge
// leaves it: J+ has a 2 x 2 block, H+ two rows.
//
// @param J   xx, xy, yy of J+
// @param h0  first row of H+, h1 its second
LB_STEP void lb_revolute_give_inertia(lb_sym6 *P, const lb_pose *X, const double J[3], lb_vec3 h0,
                                      lb_vec3 h1, const lb_sym3 *M_plus)
{
    const lb_mat3 *R = &X->R;
    const lb_vec3 p = X->p;
    const lb_vec3 r0 = {R->m[0][0], R->m[1][0], R->m[2][0]};
    const lb_vec3 r1 = {R->m[0][1], R->m[1][1], R->m[2][1]};

    // turn: J = s0 r0' + s1 r1', H = r0 (R h0)' + r1 (R h1)'
    const lb_vec3 s0 = lb_vec3_axpy(lb_vec3_scale(J[0], r0), J[1], r1);
    const lb_vec3 s1 = lb_vec3_axpy(lb_vec3_scale(J[1], r0), J[2], r1);
    const lb_vec3 g0 = lb_mat3_mul_vec(R, h0), g1 = lb_mat3_mul_vec(R, h1);
    const lb_vec3 H0 = lb_vec3_axpy(lb_vec3_scale(r0.x, g0), r1.x, g1);
    const lb_vec3 H1 = lb_vec3_axpy(lb_vec3_scale(r0.y, g0), r1.y, g1);
    const lb_vec3 H2 = lb_vec3_axpy(lb_vec3_scale(r0.z, g0), r1.z, g1);
    const lb_sym3 M = lb_sym3_rotate(R, *M_plus);

    // shift: K = H + p~M, then J + p~H' - K p~
    const lb_vec3 K0 = lb_vec3_make(H0.x + p.y * M.xz - p.z * M.xy, H0.y + p.y * M.yz - p.z * M.yy,
                                    H0.z + p.y * M.zz - p.z * M.yz);
    const lb_vec3 K1 = lb_vec3_make(H1.x + p.z * M.xx - p.x * M.xz, H1.y + p.z * M.xy - p.x * M.yz,
                                    H1.z + p.z * M.xz - p.x * M.zz);
    const lb_vec3 K2 = lb_vec3_make(H2.x + p.x * M.xy - p.y * M.xx, H2.y + p.x * M.yy - p.y * M.xy,
                                    H2.z + p.x * M.yz - p.y * M.xz);
    // terms in one p together
    P->J.xx += s0.x * r0.x + s1.x * r1.x + p.y * (H0.z + K0.z) - p.z * (H0.y + K0.y);
    P->J.yy += s0.y * r0.y + s1.y * r1.y + p.z * (H1.x + K1.x) - p.x * (H1.z + K1.z);
    P->J.zz += s0.z * r0.z + s1.z * r1.z + p.x * (H2.y + K2.y) - p.y * (H2.x + K2.x);
    P->J.xy += s0.x * r0.y + s1.x * r1.y + p.z * (K0.x - H1.y) + p.y * H1.z - p.x * K0.z;
    P->J.xz += s0.x * r0.z + s1.x * r1.z + p.y * (H2.z - K0.x) + p.x * K0.y - p.z * H2.y;
    P->J.yz += s0.y * r0.z + s1.y * r1.z + p.x * (K1.y - H2.z) + p.z * H2.x - p.y * K1.x;
    const lb_vec3 K[3] = {K0, K1, K2};
    for (int i = 0; i < 3; ++i) {
        P->H.m[i][0] += K[i].x;
        P->H.m[i][1] += K[i].y;
        P->H.m[i][2] += K[i].z;
    }
    P->M = lb_sym3_add(P->M, M);
}

// (ABA-1), inertia part: D = J_zz, G = P z / D. Returns 1/D, or zero where D is lost in round-off.
LB_STEP double lb_revolute_eliminate(const lb_body *b, const lb_sym6 *P, lb_vec6 *G)
{
    const double D = P->J.zz;
    if (!(fabs(D) > 1e-14 * fabs(P->J.xx + P->J.yy + P->J.zz)) && !lb_holds_by_itself(b, P)) {
        return 0.0;
    }
    const double d = 1.0 / D;
    G->w = lb_vec3_make(d * P->J.xz, d * P->J.yz, 1.0);
    G->v = lb_vec3_make(d * P->H.m[2][0], d * P->H.m[2][1], d * P->H.m[2][2]);
    return d;
}

// P a for an a that does not turn about z
LB_STEP lb_vec6 lb_revolute_bias_force(const lb_sym6 *P, const lb_vec6 *a)
{
    const double x = a->w.x, y = a->w.y;
    const lb_vec3 n = lb_mat3_mul_vec(&P->H, a->v), f = lb_sym3_mul_vec(P->M, a->v);
    return lb_vec6_make(lb_vec3_make(n.x + P->J.xx * x + P->J.xy * y,
                                     n.y + P->J.xy * x + P->J.yy * y,
                                     n.z + P->J.xz * x + P->J.yz * y),
                        lb_vec3_make(f.x + P->H.m[0][0] * x + P->H.m[1][0] * y,
                                     f.y + P->H.m[0][1] * x + P->H.m[1][1] * y,
                                     f.z + P->H.m[0][2] * x + P->H.m[1][2] * y));
}

// P+ = P - G (P z)*, handed to the parent
LB_STEP void lb_revolute_hand_over(const lb_sym6 *P, const lb_vec6 *G, const lb_pose *X,
                                   lb_sym6 *P_p)
{
    const double x = P->J.xz, y = P->J.yz;
    const lb_vec3 u = lb_vec3_from(P->H.m[2]);
    const double J[3] = {P->J.xx - G->w.x * x, P->J.xy - G->w.x * y, P->J.yy - G->w.y * y};
    const lb_vec3 h0 = lb_vec3_axpy(lb_vec3_from(P->H.m[0]), -G->w.x, u);
    const lb_vec3 h1 = lb_vec3_axpy(lb_vec3_from(P->H.m[1]), -G->w.y, u);
    const lb_sym3 M = {P->M.xx - G->v.x * u.x, P->M.yy - G->v.y * u.y, P->M.zz - G->v.z * u.z,
                       P->M.xy - G->v.x * u.y, P->M.xz - G->v.x * u.z, P->M.yz - G->v.y * u.z};
    lb_revolute_give_inertia(P_p, X, J, h0, h1, &M);
}

#endif // LB_REVOLUTE_STEPS_H
