// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots for the manual: a frame with grid lines, curves and marks, as SVG.
#ifndef LB_TEST_SVG_H
#define LB_TEST_SVG_H

#include <stdio.h>

/// A plot of the given size and margins, in pixels, over a range of x and y.
typedef struct lb_svg {
    FILE *file;
    int width, height, left, right, top, bottom;
    double x_low, x_high, y_low, y_high;
} lb_svg;

/// Place of a value, in pixels.
double lb_get_svg_x(const lb_svg *svg, double x);
double lb_get_svg_y(const lb_svg *svg, double y);

/// `style` has the CSS of the classes that the caller names.
void lb_begin_svg(const lb_svg *svg, const char *title, const char *style);
void lb_end_svg(const lb_svg *svg);

/// A grid line with its label, which may have markup.
void lb_print_svg_x_line(const lb_svg *svg, double x, const char *label);
void lb_print_svg_y_line(const lb_svg *svg, double y, const char *label);
void lb_print_svg_names(const lb_svg *svg, const char *x_name, const char *y_name);

void lb_print_svg_curve(const lb_svg *svg, const char *class, const double *x, const double *y,
                        int count);

#endif // LB_TEST_SVG_H
