// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A figure for a paper: frames of one unit each above a common axis, as SVG, PDF or PNG by cairo.
#include "view/figure.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "output.h"

enum { FRAME_MAX = 16 };

#define POINTS_PER_MM (72.0 / 25.4)
#define FONT 8.0    // points, as captions have
#define GAP 10.0    // between frames
#define LEGEND 12.0 // height of the line of names above a frame

// Okabe and Ito's colours, which the colour-blind tell apart; dashes help where there is no colour.
static const double colours[][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                    {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91}, {0.90, 0.62, 0.00},
                                    {0.00, 0.00, 0.00}};
enum { COLOUR_COUNT = sizeof colours / sizeof *colours };

typedef struct frame {
    int curves[64];
    int count;
    lb_cli_ticks y;
    double left, top, width, height; // points
} frame;

static void set_pen(cairo_t *c, const lb_cli_figure *fig, int curve)
{
    static const double dashes[][2] = {{0, 0}, {4, 2}, {1.5, 1.5}, {6, 1.5}};
    const int pen = fig->pens ? fig->pens[curve] : curve;
    const double *colour = colours[pen % COLOUR_COUNT], *dash = dashes[pen % 4];
    cairo_set_source_rgb(c, colour[0], colour[1], colour[2]);
    cairo_set_line_width(c, 1.0);
    cairo_set_dash(c, dash, dash[0] > 0.0 ? 2 : 0, 0.0);
}

static double measure(cairo_t *c, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(c, text, &e);
    return e.x_advance;
}

// Text at a point; `align` is 0 to start there, 0.5 to stand around it, 1 to end there.
static void put_text(cairo_t *c, double x, double y, double align, const char *text)
{
    cairo_move_to(c, x - align * measure(c, text), y);
    cairo_show_text(c, text);
}

// ---- one frame -----------------------------------------------------------------------------------

// Lines of ticks with a text are darker than those between.
static void set_grid_pen(cairo_t *c, bool labelled)
{
    const double grey = labelled ? 0.85 : 0.93;
    cairo_set_source_rgb(c, grey, grey, grey);
    cairo_set_line_width(c, 0.4);
}

static void draw_axes(cairo_t *c, const frame *f, const lb_cli_ticks *x, const char *unit,
                      const char *x_name)
{
    char text[64];
    cairo_set_dash(c, NULL, 0, 0.0);
    for (int i = 0; i < x->count; ++i) {
        const double at = lb_cli_get_tick(x, i, text);
        const double px = f->left + f->width * (at - x->low) / (x->high - x->low);
        if (isnan(px)) {
            continue;
        }
        set_grid_pen(c, text[0]);
        cairo_move_to(c, px, f->top);
        cairo_line_to(c, px, f->top + f->height);
        cairo_stroke(c);
        if (x_name) {
            cairo_set_source_rgb(c, 0, 0, 0);
            put_text(c, px, f->top + f->height + FONT + 3.0, 0.5, text);
        }
    }
    for (int i = 0; i < f->y.count; ++i) {
        const double at = lb_cli_get_tick(&f->y, i, text);
        const double py = f->top + f->height * (1.0 - (at - f->y.low) / (f->y.high - f->y.low));
        // of many powers of ten only those with a text
        if (isnan(py) || (f->y.step > 1.0 && f->y.log && !text[0])) {
            continue;
        }
        set_grid_pen(c, text[0]);
        cairo_move_to(c, f->left, py);
        cairo_line_to(c, f->left + f->width, py);
        cairo_stroke(c);
        cairo_set_source_rgb(c, 0, 0, 0);
        put_text(c, f->left - 4.0, py + 0.35 * FONT, 1.0, text);
    }
    cairo_set_source_rgb(c, 0, 0, 0);
    cairo_set_line_width(c, 0.6);
    cairo_rectangle(c, f->left, f->top, f->width, f->height);
    cairo_stroke(c);
    if (x_name) {
        put_text(c, f->left + 0.5 * f->width, f->top + f->height + 2.0 * FONT + 6.0, 0.5, x_name);
    }
    put_text(c, f->left - 4.0, f->top - 7.0, 1.0, unit);
}

// "[m]" above a vertical axis, or its name.
static const char *name_axis(const lb_cli_figure *fig, const frame *f, char text[64])
{
    const char *unit = fig->units[f->curves[0]];
    snprintf(text, 64, unit[0] && !fig->names_axes ? "[%s]" : "%s", unit);
    return text;
}

static double place_x(const frame *f, const lb_cli_ticks *x, const lb_cli_figure *fig, int curve,
                      long i)
{
    return f->left + f->width * (lb_cli_get_x(fig, curve, i) - x->low) / (x->high - x->low);
}

static double place_y(const frame *f, const lb_cli_figure *fig, int curve, long i)
{
    return f->top +
           f->height * (1.0 - (lb_cli_get_y(fig, curve, i) - f->y.low) / (f->y.high - f->y.low));
}

static void draw_dots(cairo_t *c, const frame *f, const lb_cli_ticks *x, const lb_cli_figure *fig,
                      int curve)
{
    const long count = lb_cli_get_point_count(fig, curve);
    // a few are black marks upon curves; many, in their own colour, are small enough to be told apart
    const bool is_cloud = count > 100;
    if (!is_cloud) {
        cairo_set_source_rgb(c, 0, 0, 0);
    }
    for (long i = 0; i < count; ++i) {
        const double px = place_x(f, x, fig, curve, i), py = place_y(f, fig, curve, i);
        if (isfinite(px) && isfinite(py)) {
            cairo_arc(c, px, py, is_cloud ? 1.0 : 2.0, 0.0, 6.283185307179586);
            cairo_fill(c);
        }
    }
}

// A path of what can be seen: of many points in one column of the paper, the first, the extremes
// and the last are enough.
static void draw_curve(cairo_t *c, const frame *f, const lb_cli_ticks *x, const lb_cli_figure *fig,
                       int curve)
{
    bool open = false;
    double column = -1e300, least = 0.0, most = 0.0, last = 0.0;
    for (long i = 0; i < lb_cli_get_point_count(fig, curve); ++i) {
        const double px = place_x(f, x, fig, curve, i), py = place_y(f, fig, curve, i);
        if (!isfinite(px) || !isfinite(py)) {
            open = false;
            continue;
        }
        if (!open) {
            cairo_move_to(c, px, py);
            open = true;
        } else if (fabs(px - column) < 0.05) {
            least = fmin(least, py);
            most = fmax(most, py);
            last = py;
            continue;
        } else {
            if (most > least) {
                cairo_line_to(c, column, least);
                cairo_line_to(c, column, most);
                cairo_line_to(c, column, last);
            }
            cairo_line_to(c, px, py);
        }
        column = px;
        least = most = last = py;
    }
    if (open && most > least) {
        cairo_line_to(c, column, least);
        cairo_line_to(c, column, most);
    }
    cairo_stroke(c);
}

// Names with a piece of their line, in rows above the frame; returns how many rows it takes.
static int draw_legend(cairo_t *c, const frame *f, const lb_cli_figure *fig, bool draw)
{
    double x = f->left;
    int row = 0;
    for (int i = 0; i < f->count; ++i) {
        const char *name = fig->names[f->curves[i]];
        if (!name[0]) {
            continue;
        }
        const double width = 18.0 + measure(c, name) + 12.0;
        if (x > f->left && x + width - 12.0 > f->left + f->width) {
            x = f->left;
            ++row;
        }
        if (draw) {
            const double y = f->top - 7.0 - LEGEND * row;
            set_pen(c, fig, f->curves[i]);
            cairo_move_to(c, x, y - 2.5);
            cairo_line_to(c, x + 14.0, y - 2.5);
            cairo_stroke(c);
            cairo_set_source_rgb(c, 0, 0, 0);
            put_text(c, x + 18.0, y, 0.0, name);
        }
        x += width;
    }
    return row + 1;
}

// ---- the whole -----------------------------------------------------------------------------------

// Curves of one unit go into one frame, in the order in which units come up.
static int make_frames(const lb_cli_figure *fig, frame *frames)
{
    int count = 0;
    for (int i = 0; i < fig->curve_count; ++i) {
        int at = 0;
        while (at < count && strcmp(fig->units[frames[at].curves[0]], fig->units[i]) != 0) {
            ++at;
        }
        if (at == FRAME_MAX || (at < count && frames[at].count == 64)) {
            continue;
        }
        if (at == count) {
            frames[count++] = (frame){.count = 0};
        }
        frames[at].curves[frames[at].count++] = i;
    }
    return count;
}

static void draw_all(cairo_t *c, const lb_cli_figure *fig, frame *frames, int count, double width,
                     double height)
{
    double x_low = 0.0, x_high = 0.0;
    (void)lb_cli_find_x_range(fig, &x_low, &x_high);
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, FONT);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);

    // room for the widest label or unit of any frame, so that frames stand above each other
    double left = 0.0;
    for (int i = 0; i < count; ++i) {
        double low = 0.0, high = 0.0;
        bool any = false;
        for (int k = 0; k < frames[i].count; ++k) {
            double a, b;
            if (lb_cli_find_y_range(fig, frames[i].curves[k], &a, &b)) {
                low = any ? fmin(low, a) : a;
                high = any ? fmax(high, b) : b;
                any = true;
            }
        }
        const bool log = fig->y_log && fig->y_log[frames[i].curves[0]];
        frames[i].y =
            log ? lb_cli_make_log_ticks(low, high, true) : lb_cli_make_ticks(low, high, 7, true);
        for (int k = 0; k < frames[i].y.count; ++k) {
            char text[32];
            (void)lb_cli_get_tick(&frames[i].y, k, text);
            left = fmax(left, measure(c, text));
        }
        char label[64];
        left = fmax(left, measure(c, name_axis(fig, &frames[i], label)));
    }
    left += 10.0;
    const double title = fig->title ? 1.8 * FONT : 0.0, bottom = 2.0 * FONT + 12.0;
    const lb_cli_ticks x = fig->x_log ? lb_cli_make_log_ticks(x_low, x_high, false)
                                      : lb_cli_make_ticks(x_low, x_high, 9, false);
    // and for the half of the last label that may stand out on the right
    double right = 10.0;
    for (int k = 0; k < x.count; ++k) {
        char text[32];
        const double at = (lb_cli_get_tick(&x, k, text) - x.low) / (x.high - x.low);
        if (at <= 1.0) {
            right = fmax(right, 0.5 * measure(c, text) - (1.0 - at) * (width - left - right) + 2.0);
        }
    }
    double heads = 0.0;
    for (int i = 0; i < count; ++i) {
        frames[i].left = left;
        frames[i].width = width - left - right;
        heads += LEGEND * draw_legend(c, &frames[i], fig, false) + 6.0;
    }
    const double each = (height - title - bottom - heads - GAP * (count - 1)) / count;
    double top = title;
    for (int i = 0; i < count; ++i) {
        frame *f = &frames[i];
        top += LEGEND * draw_legend(c, f, fig, false) + 6.0;
        f->top = top;
        f->height = each;
        char label[64];
        draw_axes(c, f, &x, name_axis(fig, f, label), i == count - 1 ? fig->x_name : NULL);
        cairo_save(c);
        cairo_rectangle(c, f->left, f->top, f->width, f->height);
        cairo_clip(c);
        for (int k = 0; k < f->count; ++k) {
            const int curve = f->curves[k];
            set_pen(c, fig, curve);
            (fig->dots && fig->dots[curve] ? draw_dots : draw_curve)(c, f, &x, fig, curve);
        }
        cairo_restore(c);
        draw_legend(c, f, fig, true);
        top += each + GAP;
    }
    if (fig->title) {
        cairo_set_source_rgb(c, 0, 0, 0);
        cairo_set_font_size(c, 1.15 * FONT);
        put_text(c, 0.5 * width, 1.4 * FONT, 0.5, fig->title);
    }
}

// Failures are found when the file is closed: cairo need not know of them.
static cairo_status_t put_bytes(void *stream, const unsigned char *bytes, unsigned count)
{
    fwrite(bytes, 1, count, stream);
    return CAIRO_STATUS_SUCCESS;
}

bool lb_cli_write_png(cairo_surface_t *surface, const char *path, bool says)
{
    lb_cli_output output;
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    const cairo_status_t status =
        cairo_surface_write_to_png_stream(surface, put_bytes, output.stream);
    if (status != CAIRO_STATUS_SUCCESS) {
        // writes do not fail here, so that libpng has nothing to complain of but memory
        lb_cli_complain("cannot write %s: %s", path,
                        status == CAIRO_STATUS_PNG_ERROR ? "out of memory"
                                                         : cairo_status_to_string(status));
    }
    output.is_told = !says;
    return lb_cli_close_output(&output, status == CAIRO_STATUS_SUCCESS);
}

bool lb_cli_draw_figure(const lb_cli_figure *fig, const char *path, double dpi)
{
    frame frames[FRAME_MAX];
    const int count = make_frames(fig, frames);
    const double width = (fig->width > 0.0 ? fig->width : 120.0) * POINTS_PER_MM;
    const double height =
        (fig->height > 0.0 ? fig->height : 20.0 + (count > 1 ? 45.0 : 55.0) * count) *
        POINTS_PER_MM;
    const char *dot = strrchr(path, '.');
    const bool png = dot && strcmp(dot, ".png") == 0;
    const double scale = dpi / 72.0;
    lb_cli_output output = {.stream = NULL};
    if (!png && !lb_cli_open_output(path, &output)) {
        return false;
    }
    // fontconfig crashes, hangs or finds another font without memory
    lb_cli_need_memory(LB_CLI_FONTS_NEED);
    FILE *out = output.stream;
    cairo_surface_t *surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * scale),
                                         (int)ceil(height * scale))
        : dot && strcmp(dot, ".pdf") == 0
            ? cairo_pdf_surface_create_for_stream(put_bytes, out, width, height)
            : cairo_svg_surface_create_for_stream(put_bytes, out, width, height);
    cairo_t *c = cairo_create(surface);
    if (png) {
        cairo_scale(c, scale, scale);
    } else {
        cairo_surface_set_fallback_resolution(surface, dpi, dpi);
    }
    draw_all(c, fig, frames, count, width, height);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    bool good = status == CAIRO_STATUS_SUCCESS;
    if (png && good) {
        good = lb_cli_write_png(surface, path, true);
    }
    cairo_surface_finish(surface);
    status = status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(surface) : status;
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS) {
        lb_cli_complain("cannot write %s: %s", path, cairo_status_to_string(status));
        good = false;
    }
    return png ? good : lb_cli_close_output(&output, good);
}
