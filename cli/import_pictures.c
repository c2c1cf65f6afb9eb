// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Pictures of an imported structure, as SVG inside a page: mode shapes, effective masses over frequency, MAC.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "console.h"
#include "import_page.h"

// Okabe and Ito's colours, which the colour-blind tell apart
const char *const lb_cli_direction_colours[6] = {"#0072b2", "#d55e00", "#009e73",
                                                 "#56b4e9", "#e69f00", "#cc79a7"};

// ---- mode shapes -------------------------------------------------------------------------------

enum {
    NODES_DRAWN = 1500, // at most, about
    NODES_JOINED = 500, // up to so many, lines join neighbours
    LINES_EACH = 8      // a node, on average and at most
};
#define WIDTH 320.0
#define HEIGHT 220.0
#define MARGIN 14.0
#define SWING 0.12 // largest displacement, in sizes of the body

// From small to large displacements.
static const char *const ramp[] = {"#2c3e8f", "#5b2a9d", "#8b1fa0", "#b5308a",
                                   "#d64f6c", "#ec6f4e", "#f59331", "#f9b31f"};
enum { RAMP = sizeof ramp / sizeof *ramp };

// Isometric: x to the right and down, y to the right and up, z up.
static void project(const double p[3], double screen[2])
{
    screen[0] = (p[0] + p[1]) * 0.70710678118654752;
    screen[1] = (p[0] - p[1] - 2.0 * p[2]) * 0.40824829046386302;
}

static void place(const lb_cli_cloud *c, const double p[3], double screen[2])
{
    project(p, screen);
    screen[0] = c->left + c->scale * screen[0];
    screen[1] = c->top + c->scale * screen[1];
}

static double get_displacement(const lb_flex_options *flex, int mode, int node)
{
    const double *u = flex->nodes[node].shape + 6 * mode + 3;
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

bool lb_cli_has_shapes(const lb_flex_options *flex)
{
    for (int i = 0; i < flex->node_count; ++i) {
        for (int r = 0; r < flex->mode_count && r < LB_CLI_MODES_DRAWN; ++r) {
            if (get_displacement(flex, r, i) > 0.0) {
                return true;
            }
        }
    }
    return false;
}

static double get_square(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Whether no other node is inside the ball whose diameter is the line from one node to another: Gabriel's
// neighbours. On a mesh of boxes they are the edges of the boxes, whatever the sides.
static bool are_neighbours(const lb_flex_options *flex, int i, int j)
{
    const double *a = flex->nodes[i].position, *b = flex->nodes[j].position;
    const double square = get_square(a, b);
    for (int k = 0; k < flex->node_count; ++k) {
        const double from = get_square(a, flex->nodes[k].position),
                     to = get_square(b, flex->nodes[k].position);
        // a node at the same place as an end does not separate them
        if (from + to <= (1 + 1e-6) * square && from > 1e-12 * square && to > 1e-12 * square) {
            return false;
        }
    }
    return square > 0.0;
}

static void join_neighbours(lb_cli_cloud *c)
{
    const int count = c->flex->node_count;
    if (count > NODES_JOINED) {
        return;
    }
    c->lines = lb_cli_calloc((size_t)count * LINES_EACH + 1, sizeof *c->lines);
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count && c->line_count < LINES_EACH * count; ++j) {
            if (are_neighbours(c->flex, i, j)) {
                c->lines[c->line_count][0] = i;
                c->lines[c->line_count++][1] = j;
            }
        }
    }
}

void lb_cli_free_cloud(lb_cli_cloud *c)
{
    free(c->nodes);
    free(c->lines);
}

void lb_cli_make_cloud(const lb_flex_options *flex, lb_cli_cloud *c)
{
    const int count = flex->node_count;
    *c = (lb_cli_cloud){.flex = flex, .nodes = lb_cli_calloc((size_t)count + 1, sizeof *c->nodes)};
    // multiples of the golden section thin evenly, without the pattern that every tenth node of a mesh would have
    const double most = count > NODES_DRAWN ? (double)NODES_DRAWN / count : 1.0;
    double low[3] = {0}, high[3] = {0}, from[2] = {0}, to[2] = {0};
    for (int i = 0; i < count; ++i) {
        const double *p = flex->nodes[i].position;
        double screen[2];
        project(p, screen);
        for (int k = 0; k < 3; ++k) {
            low[k] = i ? fmin(low[k], p[k]) : p[k];
            high[k] = i ? fmax(high[k], p[k]) : p[k];
        }
        for (int k = 0; k < 2; ++k) {
            from[k] = i ? fmin(from[k], screen[k]) : screen[k];
            to[k] = i ? fmax(to[k], screen[k]) : screen[k];
        }
        if ((uint32_t)i * 2654435769u <= most * UINT32_MAX) {
            c->nodes[c->count++] = i;
        }
    }
    const double size =
        sqrt((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]) +
             (high[2] - low[2]) * (high[2] - low[2]));
    c->amplitude = size > 0.0 ? SWING * size : 1.0;
    c->scale = fmin((WIDTH - 2 * MARGIN) / (to[0] - from[0] + 2 * c->amplitude),
                    (HEIGHT - 2 * MARGIN) / (to[1] - from[1] + 2 * c->amplitude));
    c->left = 0.5 * (WIDTH - c->scale * (from[0] + to[0]));
    c->top = 0.5 * (HEIGHT - c->scale * (from[1] + to[1]));
    c->dot = fmin(7.0, fmax(2.2, 60.0 / sqrt(c->count + 1.0)));
    join_neighbours(c);
}

// Dots are strokes without length: the shortest that SVG has for them.
static void put_dot(FILE *out, const double at[2])
{
    fprintf(out, "M%.1f %.1fh0", at[0], at[1]);
}

static void draw_axes(FILE *out)
{
    static const char names[] = "xyz";
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        double tip[2];
        project(axis, tip);
        fprintf(out,
                "<path d=\"M26 196l%.1f %.1f\" class=\"axis\"/><text x=\"%.1f\" y=\"%.1f\" "
                "class=\"axis\">%c</text>",
                18 * tip[0], 18 * tip[1], 26 + 26 * tip[0], 199 + 26 * tip[1], names[k]);
    }
}

// Where a node is drawn when its displacement in a mode is enlarged by a factor.
static void place_node(const lb_cli_cloud *c, int mode, int node, double factor, double at[2])
{
    const lb_flex_node *n = &c->flex->nodes[node];
    double p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = n->position[k] + factor * n->shape[6 * mode + 3 + k];
    }
    place(c, p, at);
}

static void draw_lines(FILE *out, const lb_cli_cloud *c, int mode, double factor, const char *class)
{
    if (c->line_count == 0) {
        return;
    }
    fprintf(out, "<path class=\"%s\" d=\"", class);
    for (int i = 0; i < c->line_count; ++i) {
        double from[2], to[2];
        place_node(c, mode, c->lines[i][0], factor, from);
        place_node(c, mode, c->lines[i][1], factor, to);
        fprintf(out, "M%.1f %.1fL%.1f %.1f", from[0], from[1], to[0], to[1]);
    }
    fputs("\"/>", out);
}

// The same for all modes: each picture but the first refers to it.
static void draw_rest(FILE *out, const lb_cli_cloud *c)
{
    fputs("<g id=\"rest\">", out);
    draw_axes(out);
    draw_lines(out, c, 0, 0.0, "still");
    if (c->line_count == 0) {
        fprintf(out, "<path class=\"dots\" stroke=\"#c9ced6\" stroke-width=\"%.1f\" d=\"",
                0.8 * c->dot);
        for (int i = 0; i < c->count; ++i) {
            double at[2];
            place_node(c, 0, c->nodes[i], 0.0, at);
            put_dot(out, at);
        }
        fputs("\"/>", out);
    }
    fputs("</g>", out);
}

void lb_cli_draw_mode(FILE *out, const lb_cli_cloud *c, int mode)
{
    double largest = 0.0;
    for (int i = 0; i < c->flex->node_count; ++i) {
        largest = fmax(largest, get_displacement(c->flex, mode, i));
    }
    const double factor = largest > 0.0 ? c->amplitude / largest : 0.0;
    fprintf(out, "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"shape of mode %d\">", WIDTH,
            HEIGHT, mode + 1);
    if (mode == 0) {
        draw_rest(out, c);
    } else {
        fputs("<use href=\"#rest\"/>", out);
    }
    draw_lines(out, c, mode, factor, "moved");
    for (int shade = 0; shade < RAMP; ++shade) {
        bool any = false;
        for (int i = 0; i < c->count; ++i) {
            const double u = get_displacement(c->flex, mode, c->nodes[i]);
            const int own = largest > 0.0 ? (int)(RAMP * u / largest) : 0;
            if ((own < RAMP ? own : RAMP - 1) != shade) {
                continue;
            }
            if (!any) {
                fprintf(out, "<path class=\"dots\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"",
                        ramp[shade], c->dot);
            }
            any = true;
            double at[2];
            place_node(c, mode, c->nodes[i], factor, at);
            put_dot(out, at);
        }
        fputs(any ? "\"/>" : "", out);
    }
    fputs("</svg>", out);
}

// ---- frequencies -------------------------------------------------------------------------------

#define LEFT 44.0
#define RIGHT 706.0
#define TOP 12.0
#define BOTTOM 210.0

// A logarithmic axis.
typedef struct axis {
    double low, high; // Hz
} axis;

static double place_frequency(const axis *a, double frequency)
{
    return LEFT + (RIGHT - LEFT) * log(frequency / a->low) / log(a->high / a->low);
}

static void draw_frequency_axis(FILE *out, const axis *a, double bottom)
{
    static const double steps[] = {1, 2, 5};
    const double decades = log10(a->high / a->low);
    for (int power = (int)floor(log10(a->low)); power <= (int)ceil(log10(a->high)); ++power) {
        for (int i = 0; i < 3; ++i) {
            const double f = steps[i] * pow(10.0, power);
            if (f < a->low || f > a->high || (decades > 4 && i > 0)) {
                continue;
            }
            const double x = place_frequency(a, f);
            fprintf(out,
                    "<path class=\"grid\" d=\"M%.1f %gV%g\"/><text x=\"%.1f\" y=\"%g\" "
                    "text-anchor=\"middle\">%g</text>",
                    x, TOP, bottom, x, bottom + 16, f);
        }
    }
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">Hz</text>", RIGHT, bottom + 32);
}

static void draw_sums(FILE *out, const axis *a, int count, const double *frequencies,
                      const double (*effective)[6])
{
    for (int percent = 0; percent <= 100; percent += 25) {
        const double y = BOTTOM - (BOTTOM - TOP) * percent / 100.0;
        fprintf(out,
                "<path class=\"grid\" d=\"M%g %.1fH%g\"/><text x=\"%g\" y=\"%.1f\" "
                "text-anchor=\"end\">%d %%</text>",
                LEFT, y, RIGHT, LEFT - 6, y + 4, percent);
    }
    for (int k = 5; k >= 0; --k) {
        double sum = 0.0;
        fprintf(out, "<path class=\"sum%s\" stroke=\"%s\" d=\"M%g %g", k < 3 ? "" : " turn",
                lb_cli_direction_colours[k], LEFT, BOTTOM);
        for (int r = 0; r < count; ++r) {
            sum += isfinite(effective[r][k]) ? effective[r][k] : 0.0;
            if (frequencies[r] >= a->low) {
                fprintf(out, "H%.1fV%.1f", place_frequency(a, frequencies[r]),
                        BOTTOM - (BOTTOM - TOP) * fmin(sum, 1.02));
            }
        }
        fprintf(out, "H%g\"/>", RIGHT);
    }
}

void lb_cli_draw_spectrum(FILE *out, int count, const double *frequencies,
                          const double (*effective)[6])
{
    axis a = {INFINITY, 0.0};
    for (int r = 0; r < count; ++r) {
        if (frequencies[r] > 0.0 && isfinite(frequencies[r])) {
            a.low = fmin(a.low, frequencies[r]);
            a.high = fmax(a.high, frequencies[r]);
        }
    }
    // nothing to draw, or numbers that no structure has
    if (!(a.high > 0.0 && a.low > 1e-9 * a.high && isfinite(2.0 * a.high))) {
        return;
    }
    a.low /= 1.5;
    a.high *= 1.5;
    const double bottom = effective ? BOTTOM : 60.0;
    fprintf(out, "<svg class=\"wide\" viewBox=\"0 0 720 %g\" role=\"img\" aria-label=\"%s\">",
            bottom + 40, effective ? "sums of effective masses over frequency" : "frequencies");
    draw_frequency_axis(out, &a, bottom);
    if (effective) {
        draw_sums(out, &a, count, frequencies, effective);
    }
    fputs("<path class=\"mark\" d=\"", out);
    for (int r = 0; r < count; ++r) {
        if (frequencies[r] >= a.low) {
            fprintf(out, "M%.1f %gv%g", place_frequency(&a, frequencies[r]), bottom,
                    effective ? -8.0 : TOP - bottom);
        }
    }
    fprintf(out, "\"/><path class=\"frame\" d=\"M%g %gH%g\"/></svg>", LEFT, bottom, RIGHT);
}

// ---- MAC ---------------------------------------------------------------------------------------

void lb_cli_draw_mac(FILE *out, int rows, int columns, const double *mac)
{
    enum { SIDE = 26, MOST = 24, EDGE = 34 };
    const int shown[2] = {rows < MOST ? rows : MOST, columns < MOST ? columns : MOST};
    const int width = EDGE + SIDE * shown[1] + 2, height = EDGE + SIDE * shown[0] + 2;
    fprintf(out,
            "<svg class=\"mac\" style=\"max-width:%dpx\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"MAC\">",
            width, width, height);
    for (int s = 0; s < shown[1]; ++s) {
        fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>",
                EDGE + SIDE * s + SIDE / 2, EDGE - 8, s + 1);
    }
    for (int r = 0; r < shown[0]; ++r) {
        const int y = EDGE + SIDE * r;
        fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>", EDGE - 8, y + 17,
                r + 1);
        for (int s = 0; s < shown[1]; ++s) {
            // white to dark blue
            const double v = fmin(1.0, fmax(0.0, mac[r * columns + s]));
            const int x = EDGE + SIDE * s;
            fprintf(
                out,
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%.0f,%.0f,%.0f)\"/>",
                x, y, SIDE - 1, SIDE - 1, 246 - 238 * v, 248 - 180 * v, 250 - 110 * v);
            if (v >= 0.095) {
                fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\"%s>%.0f</text>",
                        x + SIDE / 2, y + 17, v > 0.5 ? " fill=\"#fff\"" : "", 100 * v);
            }
        }
    }
    fputs("</svg>", out);
}
