// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// q is a quaternion R_+O and the position of O in O+; v the angular, then the linear velocity of O,
// both in O. Constant speeds w, u lead along a screw: with the left Jacobian J_l of SO(3),
//
//     R exp(w~),   p + R J_l(w) u                                                         (HNG-4)
#ifndef LB_HINGE_FREE_H
#define LB_HINGE_FREE_H

#include "spherical.h"

static inline lb_pose lb_free_place(const lb_body *b, const lb_pose *X, const double *q)
{
    lb_pose r = lb_spherical_place(b, X, q);
    r.p = lb_vec3_add(r.p, lb_mat3_mul_vec(&X->R, lb_vec3_from(q + 4)));
    return r;
}

static inline lb_vec6 lb_free_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q;
    return lb_vec6_make(lb_vec3_from(v), lb_vec3_from(v + 3));
}

static inline void lb_free_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    lb_spherical_columns(b, q, H);
    for (int i = 0; i < 3; ++i) {
        H[3 + i] = lb_vec6_make(lb_vec3_make(0, 0, 0), H[i].w);
    }
}

LB_HINGE_CONSTANT(free)

static inline void lb_free_q_dot(const lb_body *b, const double *q, const double *v, double *out)
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(q));
    lb_spherical_q_dot(b, q, v, out);
    lb_vec3_to(lb_mat3_mul_vec(&R, lb_vec3_from(v + 3)), out + 4);
}

static inline void lb_free_move(const lb_body *b, const double *q, const double *d, double *out)
{
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(q)), J = lb_left_jacobian(lb_vec3_from(d));
    const lb_vec3 step = lb_mat3_mul_vec(&R, lb_mat3_mul_vec(&J, lb_vec3_from(d + 3)));
    lb_vec3_to(lb_vec3_add(lb_vec3_from(q + 4), step), out + 4);
    lb_spherical_move(b, q, d, out);
}

static inline void lb_free_gap(const lb_body *b, const double *q0, const double *q1, double *out)
{
    lb_spherical_gap(b, q0, q1, out);
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(q0));
    const lb_mat3 J = lb_left_jacobian_inverse(lb_vec3_from(out));
    const lb_vec3 step = lb_vec3_sub(lb_vec3_from(q1 + 4), lb_vec3_from(q0 + 4));
    lb_vec3_to(lb_mat3_mul_vec(&J, lb_mat3_tmul_vec(&R, step)), out + 3);
}

#endif // LB_HINGE_FREE_H
