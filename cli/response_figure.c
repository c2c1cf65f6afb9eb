// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Responses as figures.
#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "response.h"

#ifdef LB_WITH_VIEW
#include "view/figure.h"

#define TWO_PI 6.283185307179586

enum { CURVE_MAX = 60 };

// Phases without jumps.
static void unwrap(double *values, int count)
{
    for (int k = 1; k < count; ++k) {
        values[k] -= 360.0 * round((values[k] - values[k - 1]) / 360.0);
    }
}

typedef struct drawing {
    const char *names[CURVE_MAX + 4], *units[CURVE_MAX + 4];
    const double *xs[CURVE_MAX + 4];
    double *ys[CURVE_MAX + 4];
    long counts[CURVE_MAX + 4];
    bool logs[CURVE_MAX + 4], dots[CURVE_MAX + 4];
    int pens[CURVE_MAX + 4];
    int count;
} drawing;

static void add_line(drawing *d, const char *name, const char *unit, long count, const double *x,
                     double *y, bool log, bool dots)
{
    const int i = d->count++;
    d->names[i] = name;
    d->units[i] = unit;
    d->xs[i] = x;
    d->ys[i] = y;
    d->counts[i] = count;
    d->logs[i] = log;
    d->dots[i] = dots;
    // phases are drawn as their magnitudes are, which the legend names
    d->pens[i] = i > 0 && !name[0] ? d->pens[i - 1] : i > 0 ? d->pens[i - 1] + 1 : 0;
}

// Dots where the margins of a loop are: gain 1/factor at a phase of -180 degrees, phase at a gain of 1.
static void mark_margins(const lb_cli_response *w, drawing *d, double x[2][2], double y[2][2])
{
    const lb_margins own = lb_cli_get_own_margins(w);
    x[0][0] = own.gain_up_frequency[0];
    y[0][0] = 1.0 / own.gain_up[0];
    x[0][1] = own.gain_down_frequency[0];
    y[0][1] = 1.0 / own.gain_down[0];
    x[1][0] = own.phase_frequency[0];
    // on the branch that the curve has there
    double nearest = -180.0, gap = INFINITY;
    for (int k = 0; k < w->count; ++k) {
        if (fabs(w->frequencies[k] - x[1][0]) < gap) {
            gap = fabs(w->frequencies[k] - x[1][0]);
            nearest = w->curves[1].values[k];
        }
    }
    y[1][0] = nearest;
    add_line(d, "", "", 2, x[0], y[0], true, true);
    add_line(d, "", "deg", 1, x[1], y[1], false, true);
}

int lb_cli_draw_response(const char *title, lb_cli_response *w)
{
    const int step =
        w->kind == LB_CLI_TRANSFER || w->kind == LB_CLI_SINE || w->kind == LB_CLI_LOOP ? 2 : 1;
    drawing d = {.count = 0};
    double marks[2][2][2], critical[2] = {-1.0, 0.0};
    if (w->curve_count > CURVE_MAX) {
        lb_cli_complain("response: a figure has at most %d curves, and these are %d", CURVE_MAX,
                        w->curve_count);
        return LB_CLI_USAGE;
    }
    double *parts = lb_cli_allocate(w->curve_count, w->count, "figure");
    for (int i = 0; i < w->curve_count; i += step) {
        const lb_cli_curve *c = &w->curves[i];
        double *phase = step == 2 ? c[1].values : NULL;
        if (w->nyquist) {
            double *x = parts + (size_t)i * (size_t)w->count, *y = x + w->count;
            for (int k = 0; k < w->count; ++k) {
                x[k] = c->values[k] * cos(phase[k] * TWO_PI / 360.0);
                y[k] = c->values[k] * sin(phase[k] * TWO_PI / 360.0);
            }
            add_line(&d, c->name, "", w->count, x, y, false, false);
            continue;
        }
        add_line(&d, c->name, w->kind == LB_CLI_RANDOM ? "1/Hz" : "", w->count, w->frequencies,
                 c->values, true, false);
        if (phase) {
            unwrap(phase, w->count);
            add_line(&d, "", "deg", w->count, w->frequencies, phase, false, false);
        }
    }
    if (w->kind == LB_CLI_LOOP && w->nyquist) {
        add_line(&d, "", "", 1, critical, critical + 1, false, true);
    } else if (w->kind == LB_CLI_LOOP) {
        mark_margins(w, &d, marks[0], marks[1]);
    }
    const lb_cli_figure figure = {.title = title,
                                  .x_name = w->nyquist ? "real part (vertical: imaginary part)"
                                                       : "f [Hz]",
                                  .curve_count = d.count,
                                  .names = d.names,
                                  .units = d.units,
                                  .y = d.ys,
                                  .xs = d.xs,
                                  .counts = d.counts,
                                  .x_log = !w->nyquist,
                                  .y_log = d.logs,
                                  .pens = d.pens,
                                  .dots = d.dots};
    const bool good = lb_cli_draw_figure(&figure, w->output, 300.0);
    free(parts);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}
#endif
