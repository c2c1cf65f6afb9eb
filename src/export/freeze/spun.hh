// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forces of rigid bodies by products of angular velocities, in place of those of tree/steps.h: see turned.hh.
#ifndef LB_SPUN_HH
#define LB_SPUN_HH

// (KIN-5)
static lb_vec6 lb_get_gyroscopic_force(const lb_inertia *M, lb_vec3 w)
{
    const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    const lb_sym3 J = M->J;
    const lb_mat3 U = get_spin(w, lb_vec3_make(0, 0, 0));
    const lb_vec3 n = {(J.zz - J.yy) * yz + J.yz * (yy - zz) + J.xz * xy - J.xy * xz,
                       (J.xx - J.zz) * xz + J.xz * (zz - xx) + J.xy * yz - J.yz * xy,
                       (J.yy - J.xx) * xy + J.xy * (xx - yy) + J.yz * xz - J.xz * yz};
    return lb_vec6_make(n, lb_mat3_mul_vec(&U, M->h));
}

// What round-off leaves of a second moment that was handed to the parent
static double drop(double x, double scale)
{
    const bool known = !lb_is_node(x.term) && !lb_is_node(scale.term);
    return known && ::fabs(x.term.number) < 1e-15 * scale.term.number ? double(0) : x;
}

// Force of a rigid body by itself (RNE-2), by moments of its mass: with U as above and S the second moments,
//
//     f = m a + U h,   n = h x a + sum of (r x U r)
static void lb_start_force(const lb_model *model, lb_work *work, int k)
{
    const lb_body *b = &model->bodies[k];
    if (b->flex) {
        lb_start_force_plain(model, work, k);
        return;
    }
    LB_MARK(b, "RNE-2");
    if (packs && packs[b->listed].group) {
        lb_mark_pack(graph, packs[b->listed].lane, packs[b->listed].group, false);
    }
    lb_body_work *w = &work->bodies[k];
    const lb_inertia *M = &b->M;
    const lb_mat3 spin = get_spin(w->V.w, w->alpha.w);
    const double(*U)[3] = spin.m;
    const double half = 0.5, scale = fabs(M->J.xx) + fabs(M->J.yy) + fabs(M->J.zz);
    const double Sxx = drop(half * (M->J.yy + M->J.zz - M->J.xx), scale),
                 Syy = drop(half * (M->J.xx + M->J.zz - M->J.yy), scale),
                 Szz = drop(half * (M->J.xx + M->J.yy - M->J.zz), scale);
    const double Sxy = -M->J.xy, Sxz = -M->J.xz, Syz = -M->J.yz;
    const lb_vec3 o = w->V.w;
    const double xx = o.x * o.x, yy = o.y * o.y, zz = o.z * o.z;
    const lb_vec3 n = {Sxy * U[2][0] + Syy * U[2][1] - Sxz * U[1][0] - Szz * U[1][2] + Syz * (zz - yy),
                       Syz * U[0][1] + Szz * U[0][2] - Sxx * U[2][0] - Sxy * U[2][1] + Sxz * (xx - zz),
                       Sxx * U[1][0] + Sxz * U[1][2] - Syy * U[0][1] - Syz * U[0][2] + Sxy * (yy - xx)};
    w->z.w = lb_vec3_add(n, lb_vec3_cross(M->h, w->alpha.v));
    w->z.v = lb_vec3_axpy(lb_mat3_mul_vec(&spin, M->h), M->m, w->alpha.v);
    LB_LANE(0, 0);
}

#endif // LB_SPUN_HH
