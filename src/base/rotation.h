// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Finite rotations: exponential, and the left Jacobian J_l of SO(3), for which
// d/dt exp(d~) = (J_l(d) d_dot)~ exp(d~). Near zero the coefficients come from their series.
#ifndef LB_ROTATION_H
#define LB_ROTATION_H

#include "limber/spatial.h"

static inline lb_quat lb_quat_conjugate(lb_quat q)
{
    lb_quat r = {q.w, -q.x, -q.y, -q.z};
    return r;
}

/// Coefficients of the rotation vector d, t = |d|: all even and smooth in t.              (ROT-1)
typedef struct lb_turn {
    double a;                ///< sin t / t
    double b;                ///< (1 - cos t) / t^2
    double c;                ///< (t - sin t) / t^3
    double b_prime, c_prime; ///< derivatives by t^2
} lb_turn;

static inline lb_turn lb_turn_of(double t2)
{
    lb_turn r;
    if (t2 < 1.0) {
        // alternating series in t^2, 1 / (2k+1)! and so on; what is left out is below 1e-17
        enum { TERMS = 10 };
        static const double one_over[2 * TERMS + 2] = {1.0 / 1.0,
                                                       1.0 / 2.0,
                                                       1.0 / 6.0,
                                                       1.0 / 24.0,
                                                       1.0 / 120.0,
                                                       1.0 / 720.0,
                                                       1.0 / 5040.0,
                                                       1.0 / 40320.0,
                                                       1.0 / 362880.0,
                                                       1.0 / 3628800.0,
                                                       1.0 / 39916800.0,
                                                       1.0 / 479001600.0,
                                                       1.0 / 6227020800.0,
                                                       1.0 / 87178291200.0,
                                                       1.0 / 1307674368000.0,
                                                       1.0 / 20922789888000.0,
                                                       1.0 / 355687428096000.0,
                                                       1.0 / 6402373705728000.0,
                                                       1.0 / 121645100408832000.0,
                                                       1.0 / 2432902008176640000.0,
                                                       1.0 / 51090942171709440000.0,
                                                       1.0 / 1124000727777607680000.0};
        r = (lb_turn){0, 0, 0, 0, 0};
        for (int k = TERMS - 1; k >= 0; --k) {
            // Horner, a polynomial and its derivative at once: p' = p + x p', p = c + x p
            r.b_prime = -(r.b + t2 * r.b_prime);
            r.c_prime = -(r.c + t2 * r.c_prime);
            r.a = one_over[2 * k] - t2 * r.a;
            r.b = one_over[2 * k + 1] - t2 * r.b;
            r.c = one_over[2 * k + 2] - t2 * r.c;
        }
    } else {
        const double t = sqrt(t2), s = sin(t), half = sin(0.5 * t);
        r.a = s / t;
        r.b = 2.0 * half * half / t2;
        r.c = (t - s) / (t * t2);
        r.b_prime = (r.a - 2.0 * r.b) / (2.0 * t2);
        r.c_prime = (r.b - 3.0 * r.c) / (2.0 * t2);
    }
    return r;
}

/// I + x d~ + y d~d~
static inline lb_mat3 lb_turn_matrix(lb_vec3 d, double x, double y)
{
    const double t2 = lb_vec3_dot(d, d);
    lb_mat3 r = {{{1 + y * (d.x * d.x - t2), y * d.x * d.y - x * d.z, y * d.x * d.z + x * d.y},
                  {y * d.x * d.y + x * d.z, 1 + y * (d.y * d.y - t2), y * d.y * d.z - x * d.x},
                  {y * d.x * d.z - x * d.y, y * d.y * d.z + x * d.x, 1 + y * (d.z * d.z - t2)}}};
    return r;
}

/// exp(d~) = I + a d~ + b d~d~
static inline lb_mat3 lb_rotation_exp(lb_vec3 d)
{
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    return lb_turn_matrix(d, t.a, t.b);
}

/// J_l(d) = I + b d~ + c d~d~
static inline lb_mat3 lb_left_jacobian(lb_vec3 d)
{
    const lb_turn t = lb_turn_of(lb_vec3_dot(d, d));
    return lb_turn_matrix(d, t.b, t.c);
}

/// J_l(d)^-1 = I - 1/2 d~ + e d~d~, e = (1 - a / (2 b)) / t^2; |d| below 2 pi.
static inline lb_mat3 lb_left_jacobian_inverse(lb_vec3 d)
{
    const double t2 = lb_vec3_dot(d, d);
    const lb_turn t = lb_turn_of(t2);
    // near zero 1 - a / (2 b) loses digits: its series is t^2 (1/12 + t^2/720 + t^4/30240 + ...)
    const double e = t2 < 1e-3 ? (1.0 / 12.0) + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0))
                               : (1.0 - t.a / (2.0 * t.b)) / t2;
    return lb_turn_matrix(d, -0.5, e);
}

static inline lb_quat lb_quat_exp(lb_vec3 d)
{
    const double t2 = 0.25 * lb_vec3_dot(d, d);
    const double s = 0.5 * lb_turn_of(t2).a;
    lb_quat r = {cos(sqrt(t2)), s * d.x, s * d.y, s * d.z};
    return r;
}

#endif // LB_ROTATION_H
