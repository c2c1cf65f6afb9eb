// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Curves over a common axis, drawn on paper or on a terminal.
#ifndef LB_CLI_FIGURE_H
#define LB_CLI_FIGURE_H

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

/// Bytes that must be there before cairo and fontconfig are called. A generous guess, not measured.
enum { LB_CLI_FONTS_NEED = 16 << 20 };

/// What is drawn. Values that are not finite leave a gap.
typedef struct lb_cli_figure {
    const char *title;        ///< NULL for none
    const char *x_name;       ///< with its unit
    long count;               ///< points of each curve
    const double *x;          ///< ascending where it is time
    int curve_count;          ///
    const char *const *names; ///< one a curve
    const char *const *units; ///< one a curve; curves of one unit share a frame
    double *const *y;         ///< one array a curve
    double width, height;     ///< of the whole, mm; 0 for 120 by 80 a frame
    double x_low, x_high;     ///< what is shown; all if equal
} lb_cli_figure;

/// Axis from `low` to `high` with round numbers: where the ticks are.
typedef struct lb_cli_ticks {
    double low, high; ///< of the axis
    double first, step;
    int count;
    int digits; ///< behind the decimal point
} lb_cli_ticks;

/// @param at_most  ticks
/// @param widen    let the axis end at ticks
lb_cli_ticks lb_cli_make_ticks(double low, double high, int at_most, bool widen);

/// "0.25", with as many digits as the step needs; powers of ten where numbers are large or small.
void lb_cli_format_tick(const lb_cli_ticks *ticks, int i, char text[32]);

/// Writes a picture to a file; false, after saying why, on failure.
bool lb_cli_write_png(cairo_surface_t *surface, const char *path);

/// Smallest and largest finite value; false if there is none.
bool lb_cli_find_range(const double *values, long count, double *low, double *high);

/// Draws to a file: .svg, .pdf or .png by the end of its name.
///
/// @param dpi  of a PNG
/// @return false after saying why
bool lb_cli_draw_figure(const lb_cli_figure *figure, const char *path, double dpi);

/// Draws with characters.
void lb_cli_print_figure(FILE *out, const lb_cli_figure *figure, int columns, int rows);

#endif // LB_CLI_FIGURE_H
