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
    const char *const *names; ///< one a curve; "" is not in the legend
    const char *const *units; ///< one a curve; curves of one unit share a frame
    double *const *y;         ///< one array a curve
    double width, height;     ///< of the whole, mm; 0 for 120 by 80 a frame
    double x_low, x_high;     ///< what is shown; all if equal
    const double *const *xs;  ///< one array a curve, in place of x; NULL if all share x
    const long *counts;       ///< with xs: points of each curve
    bool x_log;               ///< logarithmic axis
    const bool *y_log;        ///< a flag a curve: its frame has a logarithmic axis; NULL for none
    const int *pens;          ///< a colour and dash a curve; NULL for one after another
    const bool *dots;         ///< a flag a curve: drawn as dots, without a line; NULL for none
    bool names_axes;          ///< units are names of the vertical axes: without brackets
} lb_cli_figure;

/// Axis from `low` to `high` with round numbers: where the ticks are.
typedef struct lb_cli_ticks {
    double low, high; ///< of the axis
    double first, step;
    int count;
    int digits; ///< behind the decimal point
    bool
        log; ///< `low`, `high` and `first` are exponents of ten; ticks are at 1, 2, ... 9 times a power
} lb_cli_ticks;

/// @param at_most  ticks
/// @param widen    let the axis end at ticks
lb_cli_ticks lb_cli_make_ticks(double low, double high, int at_most, bool widen);

/// The same for a logarithmic axis.
///
/// @param low, high  exponents of ten
lb_cli_ticks lb_cli_make_log_ticks(double low, double high, bool widen);

/// Where a tick is on its axis, an exponent of ten on a logarithmic one, and its text.
///
/// @param text  out: "" if it has none
double lb_cli_get_tick(const lb_cli_ticks *ticks, int i, char text[32]);

/// "0.25", with as many digits as the step needs; powers of ten where numbers are large or small.
void lb_cli_format_tick(const lb_cli_ticks *ticks, int i, char text[32]);

/// Writes a picture to a file; false, after saying why, on failure.
bool lb_cli_write_png(cairo_surface_t *surface, const char *path, bool says);

/// Smallest and largest finite value; false if there is none.
bool lb_cli_find_range(const double *values, long count, double *low, double *high);

/// Points of a curve.
long lb_cli_get_point_count(const lb_cli_figure *figure, int curve);

/// A point of a curve on its axes: exponents of ten where they are logarithmic, NaN if there is none.
double lb_cli_get_x(const lb_cli_figure *figure, int curve, long point);
double lb_cli_get_y(const lb_cli_figure *figure, int curve, long point);

/// What the horizontal axis shows, and smallest and largest value of a curve, on their axes.
///
/// @return false if there is no point
bool lb_cli_find_x_range(const lb_cli_figure *figure, double *low, double *high);
bool lb_cli_find_y_range(const lb_cli_figure *figure, int curve, double *low, double *high);

/// Whether the name of a file is that of a figure: .svg, .pdf or .png.
bool lb_cli_is_figure(const char *path);

/// Draws to a file: .svg, .pdf or .png by the end of its name.
///
/// @param dpi  of a PNG
/// @return false after saying why
bool lb_cli_draw_figure(const lb_cli_figure *figure, const char *path, double dpi);

/// Draws with characters.
void lb_cli_print_figure(FILE *out, const lb_cli_figure *figure, int columns, int rows);

#endif // LB_CLI_FIGURE_H
