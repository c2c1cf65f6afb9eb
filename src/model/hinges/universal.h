// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// R_+O = Rz(q0) C Rz(q1), C the constant turn between the two axes. In O the second axis is z and
// the first is h = Rz(q1)' C' z, whose rate in O is h x z q1_dot.
#ifndef LB_HINGE_UNIVERSAL_H
#define LB_HINGE_UNIVERSAL_H

#include "hinge.h"

static inline lb_vec3 lb_universal_first_axis(const lb_body *b, const double *q)
{
    const double s = sin(q[1]), c = cos(q[1]);
    const double *z = b->between->m[2]; // C' z
    return lb_vec3_make(c * z[0] + s * z[1], c * z[1] - s * z[0], z[2]);
}

static inline lb_pose lb_universal_place(const lb_body *b, const lb_pose *X, const double *q)
{
    lb_pose r = lb_hinge_turn_z(X, q[0]);
    r.R = lb_mat3_mul(&r.R, b->between);
    return lb_hinge_turn_z(&r, q[1]);
}

static inline lb_vec6 lb_universal_speed(const lb_body *b, const double *q, const double *v)
{
    lb_vec3 w = lb_vec3_scale(v[0], lb_universal_first_axis(b, q));
    w.z += v[1];
    return lb_vec6_make(w, lb_vec3_make(0, 0, 0));
}

static inline void lb_universal_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    H[0] = lb_vec6_make(lb_universal_first_axis(b, q), lb_vec3_make(0, 0, 0));
    H[1] = (lb_vec6){LB_EZ, {0, 0, 0}};
}

static inline lb_vec6 lb_universal_rate(const lb_body *b, const double *q, const double *v)
{
    const lb_vec3 h = lb_universal_first_axis(b, q);
    const double s = v[0] * v[1];
    return lb_vec6_make(lb_vec3_make(s * h.y, -s * h.x, 0), lb_vec3_make(0, 0, 0));
}

LB_HINGE_LINEAR(universal, 2)

#endif // LB_HINGE_UNIVERSAL_H
