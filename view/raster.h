// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Triangles and lines on an image, the nearer hiding the farther.
#ifndef LB_CLI_RASTER_H
#define LB_CLI_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "limber/spatial.h"

/// An image under construction, drawn at twice its size in both directions and then averaged.
typedef struct lb_cli_raster {
    int width, height; ///< of the finished image
    float *depth;      ///< of the doubled image: 1 / distance
    float *colour;     ///< of the doubled image: red green blue
    // the camera
    lb_vec3 eye, right, up, ahead; ///< axes of unit length
    double focus;                  ///< pixels of the doubled image at unit distance
} lb_cli_raster;

typedef struct lb_cli_paint {
    float r, g, b;
} lb_cli_paint;

/// @return false if there is no memory
bool lb_cli_create_raster(int width, int height, lb_cli_raster *raster);
void lb_cli_destroy_raster(lb_cli_raster *raster);

/// Looks from `eye` to `target`; the height of the image spans 40 degrees.
void lb_cli_aim_raster(lb_cli_raster *raster, lb_vec3 eye, lb_vec3 target, lb_vec3 up);
void lb_cli_clear_raster(lb_cli_raster *raster, lb_cli_paint background);

/// A triangle, lit by its side to the light, whichever side that is.
///
/// @param paints  of its corners
void lb_cli_fill_triangle(lb_cli_raster *raster, const lb_vec3 corners[3],
                          const lb_cli_paint paints[3]);
/// A line, `width` pixels of the finished image wide.
void lb_cli_draw_line(lb_cli_raster *raster, lb_vec3 a, lb_vec3 b, double width,
                      lb_cli_paint paint);

/// The finished image as cairo's RGB24: 0x00rrggbb, `stride` bytes a row.
void lb_cli_finish_raster(const lb_cli_raster *raster, unsigned char *pixels, int stride);

#endif // LB_CLI_RASTER_H
