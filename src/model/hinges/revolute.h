// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_HINGE_REVOLUTE_H
#define LB_HINGE_REVOLUTE_H

#include "hinge.h"

static inline lb_pose lb_revolute_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b;
    return lb_hinge_turn_z(X, q[0]);
}

static inline lb_vec6 lb_revolute_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q;
    return lb_vec6_make(lb_vec3_make(0, 0, v[0]), lb_vec3_make(0, 0, 0));
}

static inline void lb_revolute_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b, (void)q;
    H[0] = (lb_vec6){LB_EZ, {0, 0, 0}};
}

LB_HINGE_CONSTANT(revolute)
LB_HINGE_LINEAR(revolute, 1)

#endif // LB_HINGE_REVOLUTE_H
