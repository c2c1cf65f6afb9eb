// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies of two modes as sums over point masses, and three of them in a row.
#ifndef LB_TEST_POINT_MASSES_H
#define LB_TEST_POINT_MASSES_H

#include "limber/build.h"

enum { LB_POINT_MODES = 2, LB_POINT_BODIES = 3, LB_POINT_SPEEDS = 3 * LB_POINT_MODES + 4 };

/// Modal integrals, with room for what they point to.
typedef struct lb_point_integrals {
    double M_ff[LB_POINT_MODES * LB_POINT_MODES], E[LB_POINT_MODES * 3], B0[LB_POINT_MODES * 3];
    double B[LB_POINT_MODES * LB_POINT_MODES * 3], S[LB_POINT_MODES * 6];
    double S2[LB_POINT_MODES * LB_POINT_MODES * 6];
    lb_flex_integrals all;
} lb_point_integrals;

/// Starts with nothing.
void lb_start_point_integrals(lb_point_integrals *I);

/// Adds a mass at c, by the definitions of the integrals (FLX-3).
///
/// @param shapes  by mode: rotation, translation
void lb_add_point_mass(lb_point_integrals *I, double m, const double c[3],
                       const double shapes[LB_POINT_MODES][6]);

/// Builds a model of three equal bodies in a row, hinged at node "a", which stands still, and at others, which move:
/// LB_POINT_SPEEDS speeds. Ends the test if that fails.
///
/// @param tip  node that carries the next body
lb_model *lb_build_row(const double gravity[3], const lb_flex_options *flex, const char *tip);

#endif // LB_TEST_POINT_MASSES_H
