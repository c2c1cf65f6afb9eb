// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// All hinge types behind one name each: lb_hinge_place and so on choose by the body's type.
#ifndef LB_HINGES_H
#define LB_HINGES_H

#include "base/hot.h"
#include "cylindrical.h"
#include "fixed.h"
#include "free.h"
#include "hinge_list.h"
#include "planar.h"
#include "prismatic.h"
#include "revolute.h"
#include "screw.h"
#include "spherical.h"
#include "translational.h"
#include "universal.h"

#define LB_DISPATCH(call)                                                                          \
    switch (b->hinge) {                                                                            \
        LB_HINGE_LIST(call)                                                                        \
    default:                                                                                       \
        break;                                                                                     \
    }

LB_STEP lb_pose lb_hinge_place(const lb_body *b, const lb_pose *X, const double *q)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        return lb_##name##_place(b, X, q);
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
    return *X;
}

static inline lb_vec6 lb_hinge_speed(const lb_body *b, const double *q, const double *v)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        return lb_##name##_speed(b, q, v);
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
    return lb_vec6_zero();
}

static inline lb_vec6 lb_hinge_rate(const lb_body *b, const double *q, const double *v)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        return lb_##name##_rate(b, q, v);
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
    return lb_vec6_zero();
}

static inline void lb_hinge_columns(const lb_body *b, const double *q, lb_vec6 *H)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        lb_##name##_columns(b, q, H);                                                              \
        break;
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
}

static inline void lb_hinge_q_dot(const lb_body *b, const double *q, const double *v, double *out)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        lb_##name##_q_dot(b, q, v, out);                                                           \
        break;
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
}

static inline void lb_hinge_move(const lb_body *b, const double *q, const double *d, double *out)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        lb_##name##_move(b, q, d, out);                                                            \
        break;
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
}

static inline void lb_hinge_gap(const lb_body *b, const double *q0, const double *q1, double *out)
{
#define LB_CASE(TYPE, name, nq, nv, constant)                                                      \
    case LB_HINGE_##TYPE:                                                                          \
        lb_##name##_gap(b, q0, q1, out);                                                           \
        break;
    LB_DISPATCH(LB_CASE)
#undef LB_CASE
}

#endif // LB_HINGES_H
