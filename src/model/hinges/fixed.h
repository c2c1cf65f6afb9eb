// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_HINGE_FIXED_H
#define LB_HINGE_FIXED_H

#include "hinge.h"

static inline lb_pose lb_fixed_place(const lb_body *b, const lb_pose *X, const double *q)
{
    (void)b, (void)q;
    return *X;
}

static inline lb_vec6 lb_fixed_speed(const lb_body *b, const double *q, const double *v)
{
    (void)b, (void)q, (void)v;
    return lb_vec6_zero();
}

static inline void lb_fixed_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
    (void)b, (void)q, (void)H;
}

LB_HINGE_CONSTANT(fixed)

static inline void lb_fixed_q_dot(const lb_body *b, const double *q, const double *v, double *out)
{
    (void)b, (void)q, (void)v, (void)out;
}

static inline void lb_fixed_move(const lb_body *b, const double *q, const double *d, double *out)
{
    (void)b, (void)q, (void)d, (void)out;
}

static inline void lb_fixed_gap(const lb_body *b, const double *q0, const double *q1, double *out)
{
    (void)b, (void)q0, (void)q1, (void)out;
}

#endif // LB_HINGE_FIXED_H
