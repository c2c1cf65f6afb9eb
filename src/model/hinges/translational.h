// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_HINGE_TRANSLATIONAL_H
#define LB_HINGE_TRANSLATIONAL_H

#include "hinge.h"

static inline lb_pose lb_translational_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b;
    lb_pose r = *X;
    r.p = lb_vec3_add(r.p, lb_mat3_mul_vec(&X->R, lb_vec3_from(q)));
    return r;
}

static inline lb_vec6 lb_translational_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q;
    return lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_from(v));
}

static inline void lb_translational_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b, (void)q;
    H[0] = (lb_vec6){{0, 0, 0}, {1, 0, 0}};
    H[1] = (lb_vec6){{0, 0, 0}, {0, 1, 0}};
    H[2] = (lb_vec6){{0, 0, 0}, {0, 0, 1}};
}

LB_HINGE_CONSTANT(translational)
LB_HINGE_LINEAR(translational, 3)

#endif // LB_HINGE_TRANSLATIONAL_H
