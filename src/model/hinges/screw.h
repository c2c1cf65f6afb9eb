// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_HINGE_SCREW_H
#define LB_HINGE_SCREW_H

#include "hinge.h"

static inline lb_pose lb_screw_place(const lb_body *b, const lb_pose *X, const double *q)
{
    lb_pose r = lb_hinge_turn_z(X, q[0]);
    lb_hinge_shift_z(&r, b->pitch * q[0]);
    return r;
}

static inline lb_vec6 lb_screw_speed(const lb_body *b, const double *q, const double *v)
{
    (void)q;
    return lb_vec6_make(lb_vec3_make(0, 0, v[0]), lb_vec3_make(0, 0, b->pitch * v[0]));
}

static inline void lb_screw_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)q;
    H[0] = (lb_vec6){LB_EZ, {0, 0, b->pitch}};
}

LB_HINGE_CONSTANT(screw)
LB_HINGE_LINEAR(screw, 1)

#endif // LB_HINGE_SCREW_H
