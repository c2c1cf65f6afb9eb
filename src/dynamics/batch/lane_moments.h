// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Moments of the mass and forces of several states, carried by turns about one axis and shifts: of a
// pose in these steps each needs half the products of a whole rotation, and few registers.
#ifndef LB_LANE_MOMENTS_H
#define LB_LANE_MOMENTS_H

#include "lanes.h"

/// First and second moments of a composite body, h and Sigma of (CRB-3). Its mass is a constant.
typedef struct lb_lane_moments {
    lb_lane_vec3 h;
    lb_lane_sym3 S;
} lb_lane_moments;

/// A constant turn about z and shift along it.
typedef struct lb_screw {
    double c, s; ///< of the angle
    double l;
} lb_screw;

/// How a body meets its parent, in frames that are turned about their z and shifted along it so that
/// the pose behind a simple hinge is T(x, y, 0) Rx Rz(angle)                            (CRB-4)
typedef struct lb_lane_link {
    double x, y;         ///< shift
    double c, s;         ///< Rx
    double c0, s0;       ///< added to the angle of the hinge
    double m;            ///< mass of the whole subtree
    int aside;           ///< the parent's frame suits another child: a screw is left to be done
    lb_screw screw;      ///< that one
    lb_lane_moments own; ///< of the body by itself
} lb_lane_link;

// ---- vectors -----------------------------------------------------------------------------------

/// (x, y) of a vector turned about the third axis
#define LB_LANE_TURN(c, s, x, y)                                                                   \
    do {                                                                                           \
        const lb_states lb_x = (x);                                                                \
        (x) = (c)*lb_x - (s) * (y);                                                                \
        (y) = (s)*lb_x + (c) * (y);                                                                \
    } while (0)

/// phi of a simple hinge
LB_LANE_INLINE lb_lane_vec6 lb_lane_pass_force(const lb_lane_link *link, lb_states c, lb_states s,
                                               lb_lane_vec6 f)
{
    LB_LANE_TURN(c, s, f.v.x, f.v.y);
    LB_LANE_TURN(c, s, f.w.x, f.w.y);
    LB_LANE_TURN(link->c, link->s, f.v.y, f.v.z);
    LB_LANE_TURN(link->c, link->s, f.w.y, f.w.z);
    f.w.x += link->y * f.v.z;
    f.w.y -= link->x * f.v.z;
    f.w.z += link->x * f.v.y - link->y * f.v.x;
    return f;
}

LB_LANE_INLINE lb_lane_vec6 lb_lane_screw_force(const lb_screw *screw, lb_lane_vec6 f)
{
    LB_LANE_TURN(screw->c, screw->s, f.v.x, f.v.y);
    LB_LANE_TURN(screw->c, screw->s, f.w.x, f.w.y);
    f.w.x -= screw->l * f.v.y;
    f.w.y += screw->l * f.v.x;
    return f;
}

// ---- moments -----------------------------------------------------------------------------------

// Sigma turned about an axis: xx, yy, xy across it, xz, yz with it
//
//     w = s (xx - yy) + 2 c xy,   xx - s w,   yy + s w,   c w - xy
//
// Of xx and yy the sum is kept; their smaller one may lose digits, but no more than the sum.
#define LB_LANE_TURN_MOMENTS(c, s, xx, yy, xy, xz, yz)                                             \
    do {                                                                                           \
        const lb_states lb_w = (s) * ((xx) - (yy)) + (c) * ((xy) + (xy));                          \
        (xx) -= (s)*lb_w;                                                                          \
        (yy) += (s)*lb_w;                                                                          \
        (xy) = (c)*lb_w - (xy);                                                                    \
        LB_LANE_TURN(c, s, xz, yz);                                                                \
    } while (0)

/// T S T' of a simple hinge
LB_LANE_INLINE lb_lane_moments lb_lane_pass_moments(const lb_lane_link *link, lb_states c,
                                                    lb_states s, lb_lane_moments a)
{
    lb_lane_sym3 *S = &a.S;
    LB_LANE_TURN(c, s, a.h.x, a.h.y);
    LB_LANE_TURN_MOMENTS(c, s, S->xx, S->yy, S->xy, S->xz, S->yz);
    LB_LANE_TURN(link->c, link->s, a.h.y, a.h.z);
    LB_LANE_TURN_MOMENTS(link->c, link->s, S->yy, S->zz, S->yz, S->xy, S->xz);
    // Sigma + l h' + h l' + m l l'
    const lb_states x = a.h.x + link->m * link->x, y = a.h.y + link->m * link->y;
    S->xx += link->x * (a.h.x + x);
    S->yy += link->y * (a.h.y + y);
    S->xy += link->x * y + link->y * a.h.x;
    S->xz += link->x * a.h.z;
    S->yz += link->y * a.h.z;
    a.h.x = x;
    a.h.y = y;
    return a;
}

LB_LANE_INLINE lb_lane_moments lb_lane_screw_moments(const lb_screw *screw, double m,
                                                     lb_lane_moments a)
{
    lb_lane_sym3 *S = &a.S;
    LB_LANE_TURN(screw->c, screw->s, a.h.x, a.h.y);
    LB_LANE_TURN_MOMENTS(screw->c, screw->s, S->xx, S->yy, S->xy, S->xz, S->yz);
    const lb_states z = a.h.z + m * screw->l;
    S->zz += screw->l * (a.h.z + z);
    S->xz += screw->l * a.h.x;
    S->yz += screw->l * a.h.y;
    a.h.z = z;
    return a;
}

LB_LANE_INLINE lb_lane_moments lb_lane_moments_add(const lb_lane_moments *a,
                                                   const lb_lane_moments *b)
{
    return (lb_lane_moments){lb_lane_vec3_add(a->h, b->h),
                             {a->S.xx + b->S.xx, a->S.yy + b->S.yy, a->S.zz + b->S.zz,
                              a->S.xy + b->S.xy, a->S.xz + b->S.xz, a->S.yz + b->S.yz}};
}

/// J = tr(Sigma) I - Sigma
LB_LANE_INLINE lb_lane_inertia lb_lane_moments_to_inertia(double m, const lb_lane_moments *a)
{
    const lb_lane_sym3 *S = &a->S;
    return (lb_lane_inertia){lb_lane_spread(m),
                             a->h,
                             {S->yy + S->zz, S->xx + S->zz, S->xx + S->yy, -S->xy, -S->xz, -S->yz}};
}

/// Sigma = 1/2 tr(J) I - J
LB_LANE_INLINE lb_lane_moments lb_lane_moments_from_inertia(const lb_lane_inertia *M)
{
    const lb_lane_sym3 *J = &M->J;
    const lb_states d = J->yy - J->xx;
    return (lb_lane_moments){M->h,
                             {0.5 * (J->zz + d), 0.5 * (J->zz - d), 0.5 * (J->xx + J->yy - J->zz),
                              -J->xy, -J->xz, -J->yz}};
}

#endif // LB_LANE_MOMENTS_H
