// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A figure with characters, for a quick look on a terminal.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "view/figure.h"

enum { LABEL = 10 }; // columns left of the axis

typedef struct grid {
    int columns, rows;
    unsigned char *cells; // 0 empty, else curve + 1
} grid;

// The mark of a curve, in its colour.
static void put_mark(FILE *out, int curve)
{
    static const struct {
        lb_cli_colour colour;
        const char *plain, *fine;
    } pens[] = {{LB_CLI_CYAN, "*", "•"},
                {LB_CLI_YELLOW, "o", "∘"},
                {LB_CLI_RED, "+", "+"},
                {LB_CLI_BOLD, "x", "x"},
                {LB_CLI_DIM, "#", "#"}};
    const int i = curve % (int)(sizeof pens / sizeof *pens);
    fprintf(out, "%s%s%s", lb_cli_get_colour(out, pens[i].colour),
            lb_cli_has_utf8() ? pens[i].fine : pens[i].plain, lb_cli_get_colour(out, LB_CLI_PLAIN));
}

static void mark_curve(const lb_cli_figure *f, int curve, const lb_cli_ticks *x,
                       const lb_cli_ticks *y, grid *g)
{
    // a line from point to point, so that steep parts leave no holes
    int last_row = -1, last_column = -1;
    for (long i = 0; i < f->count; ++i) {
        const double u = (f->x[i] - x->low) / (x->high - x->low),
                     v = (f->y[curve][i] - y->low) / (y->high - y->low);
        if (!isfinite(v) || !(u >= -1e-9 && u <= 1.0 + 1e-9)) {
            last_row = -1;
            continue;
        }
        const int column = (int)lround(u * (g->columns - 1)),
                  row = (int)lround((1.0 - v) * (g->rows - 1));
        if (last_row < 0) {
            last_row = row;
            last_column = column;
        }
        const int steps = (int)fmax(abs(row - last_row), abs(column - last_column));
        for (int s = 0; s <= steps; ++s) {
            const double w = steps ? (double)s / steps : 1.0;
            const int r = (int)lround(last_row + w * (row - last_row)),
                      c = (int)lround(last_column + w * (column - last_column));
            if (r >= 0 && r < g->rows && c >= 0 && c < g->columns) {
                g->cells[r * g->columns + c] = (unsigned char)(curve + 1);
            }
        }
        last_row = row;
        last_column = column;
    }
}

static void print_grid(FILE *out, const grid *g, const lb_cli_ticks *x, const lb_cli_ticks *y)
{
    const bool utf8 = lb_cli_has_utf8();
    const int zero = y->low < 0.0 && y->high > 0.0
                         ? (int)lround((1.0 - (0.0 - y->low) / (y->high - y->low)) * (g->rows - 1))
                         : -1;
    for (int r = 0; r < g->rows; ++r) {
        // the tick whose row this is, if there is one
        char label[32] = "";
        bool has_tick = false;
        for (int i = 0; i < y->count; ++i) {
            const double v = (y->first + i * y->step - y->low) / (y->high - y->low);
            if ((int)lround((1.0 - v) * (g->rows - 1)) == r) {
                lb_cli_format_tick(y, i, label);
                has_tick = true;
            }
        }
        fprintf(out, "%*s %s", LABEL, label, has_tick ? (utf8 ? "┤" : "+") : (utf8 ? "│" : "|"));
        int last = g->columns - 1;
        while (r != zero && last >= 0 && g->cells[r * g->columns + last] == 0) {
            --last;
        }
        for (int c = 0; c <= last; ++c) {
            const int which = g->cells[r * g->columns + c] - 1;
            if (which >= 0) {
                put_mark(out, which);
            } else {
                fputs(r != zero ? " " : utf8 ? "─" : "-", out);
            }
        }
        fputc('\n', out);
    }
    // the axis below, its first and last value
    char low[32], high[32];
    snprintf(low, sizeof low, "%.6g", x->low);
    snprintf(high, sizeof high, "%.6g", x->high);
    fprintf(out, "%*s %s", LABEL, "", utf8 ? "└" : "+");
    for (int c = 0; c < g->columns; ++c) {
        fputs(utf8 ? "─" : "-", out);
    }
    fprintf(out, "\n%*s %s%*s\n", LABEL + 1, "", low, (int)(g->columns - (int)strlen(low) - 1),
            high);
}

void lb_cli_print_figure(FILE *out, const lb_cli_figure *f, int columns, int rows)
{
    double x_low = f->x_low, x_high = f->x_high, low = 0.0, high = 0.0;
    if (x_low == x_high && !lb_cli_find_range(f->x, f->count, &x_low, &x_high)) {
        fprintf(out, "nothing to plot\n");
        return;
    }
    bool any = false;
    for (int i = 0; i < f->curve_count; ++i) {
        double a, b;
        if (lb_cli_find_range(f->y[i], f->count, &a, &b)) {
            low = any ? fmin(low, a) : a;
            high = any ? fmax(high, b) : b;
            any = true;
        }
    }
    const lb_cli_ticks x = lb_cli_make_ticks(x_low, x_high, 5, false),
                       y = lb_cli_make_ticks(low, high, rows / 3, true);
    grid g = {columns - LABEL - 2, rows, NULL};
    g.columns = g.columns < 20 ? 20 : g.columns;
    g.cells = lb_cli_calloc((size_t)(g.columns * g.rows), 1);
    if (!g.cells) {
        return;
    }
    fprintf(out, "%*s ", LABEL, "");
    for (int i = 0; i < f->curve_count; ++i) {
        fputs("  ", out);
        put_mark(out, i);
        fputc(' ', out);
        lb_cli_put_text(out, f->names[i]);
        if (f->units[i][0]) {
            fprintf(out, ", %s", f->units[i]);
        }
        mark_curve(f, i, &x, &y, &g);
    }
    fprintf(out, "   (over ");
    lb_cli_put_text(out, f->x_name);
    fprintf(out, ")\n");
    print_grid(out, &g, &x, &y);
    free(g.cells);
}
