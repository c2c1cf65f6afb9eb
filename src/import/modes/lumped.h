// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Modal integrals of lumped masses.
#ifndef LB_LUMPED_H
#define LB_LUMPED_H

#include "import/modal_body.h"
#include "limber/spatial.h"

/// The sums of (FLX-3), as lb_flex_integrals has them.
typedef struct lb_lumped_sums {
    double mass, h0[3], S0[6];
    double *M_ff, *E, *B0, *B, *S, *S2;
} lb_lumped_sums;

/// All zero. False if memory is out.
bool lb_take_lumped_sums(lb_import *import, size_t mode_count, lb_lumped_sums *sums);

/// Adds a point.
///
/// @param lump    m, m, m and the inertias about x, y, z
/// @param phi     its translation in each mode
/// @param lambda  its rotation
void lb_add_lump(lb_lumped_sums *sums, int mode_count, const double lump[6], lb_vec3 x,
                 const lb_vec3 *phi, const lb_vec3 *lambda);

/// Adds a times the symmetric part of A to xx yy zz xy xz yz.
void lb_add_symmetric_part(double *J, double a, const lb_mat3 *A);

#endif // LB_LUMPED_H
