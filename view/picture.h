// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A frame of the moving scene on a raster.
#ifndef LB_CLI_PICTURE_H
#define LB_CLI_PICTURE_H

#include "view/motion.h"
#include "view/raster.h"

/// What a motion reaches, and from where it is looked at.
typedef struct lb_cli_extent {
    lb_vec3 middle, size; ///< of a box in the axes of the world, m
    lb_vec3 up;           ///< opposite to gravity; z without gravity
    lb_vec3 way;          ///< from the middle to the camera, of length 1
    double floor;         ///< height along `up` of a floor below everything
    bool has_floor;       ///< with gravity
} lb_cli_extent;

typedef struct lb_cli_look {
    bool dark;
    bool traces;    ///< paths of the scene's traced nodes up to the frame
    double largest; ///< displacement that has the last colour; 0 to colour by body
    lb_cli_extent extent;
} lb_cli_look;

/// Finds what nodes and shapes reach in some of the frames.
void lb_cli_find_extent(const lb_cli_scene *scene, const lb_cli_motion *motion,
                        lb_cli_extent *extent);

/// Aims the raster as the scene's camera says, or so that all of the motion is seen.
void lb_cli_aim_at_scene(const lb_cli_scene *scene, const lb_cli_extent *extent,
                         lb_cli_raster *raster);

/// Colour of displacements and values, the viewer's: 0 for the smallest, 1 for the largest.
lb_cli_paint lb_cli_get_heat(double level);

/// Largest displacement of a node in the motion.
double lb_cli_find_largest_bend(const lb_cli_scene *scene, const lb_cli_motion *motion);

void lb_cli_draw_frame(const lb_cli_scene *scene, const lb_cli_motion *motion, long frame,
                       const lb_cli_look *look, lb_cli_raster *raster);

#endif // LB_CLI_PICTURE_H
