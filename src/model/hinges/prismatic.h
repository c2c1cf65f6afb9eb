// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_HINGE_PRISMATIC_H
#define LB_HINGE_PRISMATIC_H

#include "hinge.h"

static inline lb_pose lb_prismatic_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b;
    lb_pose r = *X;
    lb_hinge_shift_z(&r, q[0]);
    return r;
}

static inline lb_vec6 lb_prismatic_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q;
    return lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_make(0, 0, v[0]));
}

static inline void lb_prismatic_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b, (void)q;
    H[0] = (lb_vec6){{0, 0, 0}, LB_EZ};
}

LB_HINGE_CONSTANT(prismatic)
LB_HINGE_LINEAR(prismatic, 1)

#endif // LB_HINGE_PRISMATIC_H
