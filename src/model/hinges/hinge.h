// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What every hinge type provides, and helpers shared by several.
//
// O+ and O are the hinge frames after turning: the axis of a hinge that has one is z, in both
// (universal: the first axis is z of O+, the second z of O). With q, v the entries of the hinge:
//
//     place(b, X, q)       X_pO = X_p+ X_+O(q), X_p+ the pose of O+ in any frame p
//     speed(b, q, v)       H* beta: velocity of O relative to O+, in O                     (HNG-1)
//     columns(b, q, H)     the columns of H*, in O                                         (HNG-2)
//     rate(b, q, v)        (dH*/dt in O) beta                                              (HNG-3)
//     q_dot(b, q, v, out)  dq/dt
//     move(b, q, d, out)   q (+) d: where the constant speeds d lead in unit time
//     gap(b, q0, q1, out)  the d with q0 (+) d = q1
#ifndef LB_HINGE_H
#define LB_HINGE_H

#include "model/layout.h"

#define LB_EZ                                                                                      \
    {                                                                                              \
        0, 0, 1                                                                                    \
    }

/// A turn about z behind a pose: [x y z] -> [c x + s y, c y - s x, z].
static inline lb_pose lb_hinge_turn_z(const lb_pose *X, double angle)
{
    const double s = sin(angle), c = cos(angle);
    lb_pose r;
    for (int i = 0; i < 3; ++i) {
        const double *m = X->R.m[i];
        r.R.m[i][0] = c * m[0] + s * m[1];
        r.R.m[i][1] = c * m[1] - s * m[0];
        r.R.m[i][2] = m[2];
    }
    r.p = X->p;
    return r;
}

/// A shift along z behind a pose.
static inline void lb_hinge_shift_z(lb_pose *X, double distance)
{
    X->p.x += X->R.m[0][2] * distance;
    X->p.y += X->R.m[1][2] * distance;
    X->p.z += X->R.m[2][2] * distance;
}

/// For hinges whose coordinates form a vector space and whose speeds are their rates.
#define LB_HINGE_LINEAR(name, n)                                                                   \
    static inline void lb_##name##_q_dot(const lb_body *b, const double *q, const double *v,       \
                                         double *out)                                              \
    {                                                                                              \
        (void)b, (void)q;                                                                          \
        for (int i = 0; i < n; ++i) {                                                              \
            out[i] = v[i];                                                                         \
        }                                                                                          \
    }                                                                                              \
    static inline void lb_##name##_move(const lb_body *b, const double *q, const double *d,        \
                                        double *out)                                               \
    {                                                                                              \
        (void)b;                                                                                   \
        for (int i = 0; i < n; ++i) {                                                              \
            out[i] = q[i] + d[i];                                                                  \
        }                                                                                          \
    }                                                                                              \
    static inline void lb_##name##_gap(const lb_body *b, const double *q0, const double *q1,       \
                                       double *out)                                                \
    {                                                                                              \
        (void)b;                                                                                   \
        for (int i = 0; i < n; ++i) {                                                              \
            out[i] = q1[i] - q0[i];                                                                \
        }                                                                                          \
    }

/// For hinges whose H is constant in O.
#define LB_HINGE_CONSTANT(name)                                                                    \
    static inline lb_vec6 lb_##name##_rate(const lb_body *b, const double *q, const double *v)     \
    {                                                                                              \
        (void)b, (void)q, (void)v;                                                                 \
        return lb_vec6_zero();                                                                     \
    }

#endif // LB_HINGE_H
