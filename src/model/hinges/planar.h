// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Shift by (x, y, 0) in O+, then turn about z: in O the first two columns are x and y of O+, which
// turn backwards there.
#ifndef LB_HINGE_PLANAR_H
#define LB_HINGE_PLANAR_H

#include "hinge.h"

static inline lb_pose lb_planar_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b;
    lb_pose r = lb_hinge_turn_z(X, q[2]);
    r.p = lb_vec3_add(r.p, lb_mat3_mul_vec(&X->R, lb_vec3_make(q[0], q[1], 0)));
    return r;
}

static inline lb_vec6 lb_planar_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b;
    const double s = sin(q[2]), c = cos(q[2]);
    return lb_vec6_make(lb_vec3_make(0, 0, v[2]),
                        lb_vec3_make(c * v[0] + s * v[1], c * v[1] - s * v[0], 0));
}

static inline void lb_planar_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b;
    const double s = sin(q[2]), c = cos(q[2]);
    H[0] = (lb_vec6){{0, 0, 0}, {c, -s, 0}};
    H[1] = (lb_vec6){{0, 0, 0}, {s, c, 0}};
    H[2] = (lb_vec6){LB_EZ, {0, 0, 0}};
}

static inline lb_vec6 lb_planar_rate(const lb_body *b, const double *q, const double *v)
{
    const lb_vec6 dV = lb_planar_speed(b, q, v);
    return lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_make(v[2] * dV.v.y, -v[2] * dV.v.x, 0));
}

LB_HINGE_LINEAR(planar, 3)

#endif // LB_HINGE_PLANAR_H
