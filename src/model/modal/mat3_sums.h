// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of 3 x 3 matrices, for modal integrals.
#ifndef LB_MAT3_SUMS_H
#define LB_MAT3_SUMS_H

#include "limber/spatial.h"

static inline lb_mat3 lb_mat3_from_sym3(lb_sym3 a)
{
    lb_mat3 r = {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
    return r;
}

/// a~
static inline lb_mat3 lb_mat3_skew(lb_vec3 a)
{
    lb_mat3 r = {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
    return r;
}

/// A += s B
static inline void lb_mat3_add_scaled(lb_mat3 *A, double s, const lb_mat3 *B)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            A->m[i][j] += s * B->m[i][j];
        }
    }
}

/// A += s B'
static inline void lb_mat3_add_transposed(lb_mat3 *A, double s, const lb_mat3 *B)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            A->m[i][j] += s * B->m[j][i];
        }
    }
}

/// A += s a~b~ = s (b a' - (a.b) I)
static inline void lb_mat3_add_skews(lb_mat3 *A, double s, lb_vec3 a, lb_vec3 b)
{
    double x[3], y[3];
    const double dot = s * lb_vec3_dot(a, b);
    lb_vec3_to(a, x);
    lb_vec3_to(b, y);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            A->m[i][j] += s * y[i] * x[j];
        }
        A->m[i][i] -= dot;
    }
}

#endif // LB_MAT3_SUMS_H
