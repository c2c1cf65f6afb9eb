// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The field of a point mass, or of an oblate body, at one body.
#ifndef LB_POINT_FIELD_H
#define LB_POINT_FIELD_H

#include "limber/dynamics.h"
#include "limber/spatial.h"

/// Where the body is in the field, in the axes of the body.
typedef struct lb_field_here {
    lb_vec3 e;   ///< from the point mass to the centre of mass, of unit length
    double d;    ///< the distance between them
    double mu_d; ///< mu / d
    lb_vec3 c;   ///< centre of mass
    lb_sym3 J;   ///< inertia about it
    double j;    ///< J2 R^2 of the oblate body; 0 of a point mass
    lb_vec3 k;   ///< its axis
} lb_field_here;

/// @param X  frame of the body in the world
/// @param M  its inertia, with a mass that is not zero
static inline lb_field_here lb_find_field(const lb_oblate_gravity *oblate, const lb_pose *X,
                                          const lb_inertia *M)
{
    const lb_point_gravity *field = &oblate->point;
    lb_field_here at = {.c = lb_vec3_scale(1.0 / M->m, M->h)};
    const lb_vec3 from =
        lb_vec3_sub(lb_vec3_add(X->p, lb_mat3_mul_vec(&X->R, at.c)), lb_vec3_from(field->position));
    at.J = lb_sym3_add(M->J, lb_sym3_point(-M->m, at.c));
    const lb_vec3 turned = lb_mat3_tmul_vec(&X->R, from);
    at.d = lb_vec3_norm(turned);
    at.mu_d = field->mu / at.d;
    at.e = lb_vec3_scale(1.0 / at.d, turned);
    at.j = oblate->j2 * oblate->radius * oblate->radius;
    if (at.j != 0.0) {
        at.k = lb_mat3_tmul_vec(&X->R, lb_vec3_from(oblate->axis));
    }
    return at;
}

/// The field of a point mass on a body, about the body's centre of mass                  (FRC-9)
///
///     U = -mu m / d - mu / (2 d^3) (tr J - 3 e.Je)
///     F = -mu m e / d^2 - 3 mu / (2 d^4) ((tr J - 5 e.Je) e + 2 J e),   T = 3 mu / d^3  e x J e
///
/// computes  (T, F), returns U; the terms with J only where the gradient is wanted
static inline double lb_attract(const lb_field_here *at, double m, bool gradient, lb_vec6 *load)
{
    *load = lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_scale(-at->mu_d * m / at->d, at->e));
    double U = -at->mu_d * m;
    if (gradient) {
        const lb_vec3 e = at->e, Je = lb_sym3_mul_vec(at->J, e);
        const double eJe = lb_vec3_dot(e, Je), trace = at->J.xx + at->J.yy + at->J.zz;
        const double mu_d3 = at->mu_d / (at->d * at->d);
        const lb_vec3 along = lb_vec3_axpy(lb_vec3_scale(trace - 5.0 * eJe, e), 2.0, Je);
        load->w = lb_vec3_scale(3.0 * mu_d3, lb_vec3_cross(e, Je));
        load->v = lb_vec3_axpy(load->v, -1.5 * mu_d3 / at->d, along);
        U -= 0.5 * mu_d3 * (trace - 3.0 * eJe);
    }
    // An oblate body attracts a point of mass m as a point attracts a body of the inertia m j k k' at the same
    // distance                                                                          (FRC-16)
    if (at->j != 0.0) {
        const double mj = at->mu_d * m * at->j / (at->d * at->d), s = lb_vec3_dot(at->e, at->k);
        const lb_vec3 along = lb_vec3_axpy(lb_vec3_scale(1.0 - 5.0 * s * s, at->e), 2.0 * s, at->k);
        load->v = lb_vec3_axpy(load->v, -1.5 * mj / at->d, along);
        U -= 0.5 * mj * (1.0 - 3.0 * s * s);
    }
    return U;
}

#endif // LB_POINT_FIELD_H
