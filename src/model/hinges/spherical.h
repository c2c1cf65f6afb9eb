// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// q is a unit quaternion R_+O; v the angular velocity in O: q_dot = 1/2 q (0, w).
#ifndef LB_HINGE_SPHERICAL_H
#define LB_HINGE_SPHERICAL_H

#include "base/rotation.h"
#include "hinge.h"

static inline lb_pose lb_spherical_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b;
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(q));
    lb_pose r = {lb_mat3_mul(&X->R, &R), X->p};
    return r;
}

static inline lb_vec6 lb_spherical_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q;
    return lb_vec6_make(lb_vec3_from(v), lb_vec3_make(0, 0, 0));
}

static inline void lb_spherical_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b, (void)q;
    H[0] = (lb_vec6){{1, 0, 0}, {0, 0, 0}};
    H[1] = (lb_vec6){{0, 1, 0}, {0, 0, 0}};
    H[2] = (lb_vec6){{0, 0, 1}, {0, 0, 0}};
}

LB_HINGE_CONSTANT(spherical)

static inline void lb_spherical_q_dot(const lb_body *b, const double *q, const double *v,
                                      double *out)
{
    (void)b;
    const lb_quat w = {0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
    lb_quat_to(lb_quat_mul(lb_quat_from(q), w), out);
}

static inline void lb_spherical_move(const lb_body *b, const double *q, const double *d,
                                     double *out)
{
    (void)b;
    const lb_quat turned = lb_quat_mul(lb_quat_from(q), lb_quat_exp(lb_vec3_from(d)));
    lb_quat_to(lb_quat_normalize(turned), out);
}

static inline void lb_spherical_gap(const lb_body *b, const double *q0, const double *q1,
                                    double *out)
{
    (void)b;
    const lb_quat between = lb_quat_mul(lb_quat_conjugate(lb_quat_from(q0)), lb_quat_from(q1));
    lb_vec3_to(lb_quat_log(between), out);
}

#endif // LB_HINGE_SPHERICAL_H
