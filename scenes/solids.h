// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Solids of 20-node bricks as matrices that CalculiX would write: structures of any size for tests and trials, made
// without another program. Steel; units: mm, N, t, s.
#ifndef LB_SOLIDS_H
#define LB_SOLIDS_H

#include <stdbool.h>

typedef enum lb_solid_shape {
    LB_SOLID_BRICK, ///< along x, from x = 0
    LB_SOLID_BRACKET, ///< an L of two legs, in the plane x y; the first cells of y are both thickness and corner
    LB_SOLID_RING, ///< about z
} lb_solid_shape;

typedef struct lb_solid_options {
    lb_solid_shape shape;
    int cells[3];   ///< elements along x, y, z; of a ring, around, outward and along z
    double size[3]; ///< mm; of a ring, the mean radius, the width and the height
    int thickness;  ///< of a bracket: elements across a leg
    bool clamped;   ///< at x = 0, a ring thus at two places; what is held has no rows
    bool reduced;   ///< integrated at 8 points (C3D20R) instead of 27 (C3D20)
} lb_solid_options;

/// Writes FOLDER/NAME.sti, .mas, .dof and .inp. The last is a whole input file of CalculiX, which asks for frequencies.
///
/// @param rows  out: of the matrices
/// @param last  out: number of the last node
/// @return false if that fails
bool lb_write_solid(const lb_solid_options *options, const char *folder, const char *name,
                    int *rows, int *last);

#endif // LB_SOLIDS_H
