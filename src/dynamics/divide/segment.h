// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Two-handle equations of an assembly.
#ifndef LB_SEGMENT_H
#define LB_SEGMENT_H

#include "model/layout.h"

/// What an assembly does between its two handles: the one towards the base, at its first body, and
/// the open one, at the frame of the body behind its last.                                (DCA-1)
///
///     F = P A - E f + z            A  acceleration at the inner handle
///     A' = E* A + U f + u          f  force on the assembly at the open one
///
/// F is the force that the inner handle needs and A' the acceleration of the open one. P and U are
/// positive semidefinite. An assembly that ends in a tip has the first line only, without f.
typedef struct lb_segment {
    lb_sym6 P;
    lb_vec6 z;
    lb_vec6 E[6]; ///< columns: by component of f
    lb_sym6 U;
    lb_vec6 u;
    lb_sym6 S; ///< of a join: (DCA-6)

    lb_mat3 turn; ///< angular velocities: w of the last body = turn* w + spin            (DCA-2)
    lb_vec3 spin; ///<
    lb_vec3 w;    ///< that of the body inboard of the first, in its axes
    lb_vec6 A;    ///< what disassembly finds: A, or what the parent carries over if `hinged`
    lb_vec6 B;    ///< acceleration of the open handle, as the neighbour was told
    lb_vec6 f;    ///< at the open handle
    lb_vec6 F;    ///< across the hinge of the first body

    // the check, by runs
    lb_vec6 off;      ///< what F lacks of the forces of the bodies
    double shift;     ///< largest change of an acceleration that would put a residual right
    double largest;   ///< largest acceleration of a coordinate
    double gap[2];    ///< between the open handle and what the neighbour was told: angular, linear
    double motion[2]; ///< largest acceleration of a body
    double length;    ///< largest distance between the frames of a body and its parent
    int broken;       ///< a pivot was lost
} lb_segment;

/// A*x for a matrix of six columns.
static inline lb_vec6 lb_columns_tmul(const lb_vec6 A[6], lb_vec6 x)
{
    return lb_vec6_make(
        lb_vec3_make(lb_vec6_dot(A[0], x), lb_vec6_dot(A[1], x), lb_vec6_dot(A[2], x)),
        lb_vec3_make(lb_vec6_dot(A[3], x), lb_vec6_dot(A[4], x), lb_vec6_dot(A[5], x)));
}

/// A x
static inline lb_vec6 lb_columns_mul(const lb_vec6 A[6], lb_vec6 x)
{
    lb_vec6 sum = {lb_vec3_scale(x.w.x, A[0].w), lb_vec3_scale(x.w.x, A[0].v)};
    sum = lb_vec6_axpy(sum, x.w.y, A[1]);
    sum = lb_vec6_axpy(sum, x.w.z, A[2]);
    sum = lb_vec6_axpy(sum, x.v.x, A[3]);
    sum = lb_vec6_axpy(sum, x.v.y, A[4]);
    return lb_vec6_axpy(sum, x.v.z, A[5]);
}

static inline lb_vec6 lb_vec6_scale(double s, lb_vec6 a)
{
    return lb_vec6_make(lb_vec3_scale(s, a.w), lb_vec3_scale(s, a.v));
}

/// A -= x y*, column by column.
static inline void lb_columns_subtract(lb_vec6 A[6], lb_vec6 x, lb_vec6 y)
{
    A[0] = lb_vec6_axpy(A[0], -y.w.x, x);
    A[1] = lb_vec6_axpy(A[1], -y.w.y, x);
    A[2] = lb_vec6_axpy(A[2], -y.w.z, x);
    A[3] = lb_vec6_axpy(A[3], -y.v.x, x);
    A[4] = lb_vec6_axpy(A[4], -y.v.y, x);
    A[5] = lb_vec6_axpy(A[5], -y.v.z, x);
}

#endif // LB_SEGMENT_H
