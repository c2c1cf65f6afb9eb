// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Histograms and scatters of a sweep.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "sweep.h"

#ifdef LB_WITH_VIEW
#include "../src/command.h"
#include "view/figure.h"

// Points of a curve that is drawn: samples, or the outline of a histogram.
typedef struct drawing {
    double *x, *y;
    long count;
} drawing;

static int draw(const lb_cli_sweep *s, const char *x_name, const char *y_name, const drawing *d,
                bool dots)
{
    const char *path = lb_cli_get_option(s->arguments, "output");
    const char *names[] = {""}, *units[] = {y_name};
    double *const curves[] = {d->y};
    double low = 0.0, high = 0.0;
    (void)lb_cli_find_range(d->x, d->count, &low, &high);
    const double margin = dots ? 0.03 * (high - low) : 0.0;
    const lb_cli_figure figure = {.title = lb_cli_get_option(s->arguments, "title"),
                                  .x_name = x_name,
                                  .count = d->count,
                                  .x = d->x,
                                  .curve_count = 1,
                                  .names = names,
                                  .units = units,
                                  .y = curves,
                                  .x_low = low - margin,
                                  .x_high = high + margin,
                                  .names_axes = true,
                                  .dots = dots ? &dots : NULL};
    return lb_cli_draw_figure(&figure, path, 300.0) ? LB_CLI_DONE : LB_CLI_FAILED;
}

// The outline of bars of equal width, as many as the square root of the number of samples, at most 100.
static int draw_histogram(const lb_cli_sweep *s, const char *name, const double *values, long count)
{
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < count; ++i) {
        low = isfinite(values[i]) ? fmin(low, values[i]) : low;
        high = isfinite(values[i]) ? fmax(high, values[i]) : high;
    }
    if (!(low < high)) {
        lb_cli_complain("sweep: all values of '%s' are equal, or none is finite", name);
        return LB_CLI_FAILED;
    }
    const int bars = (int)fmin(fmax(ceil(sqrt((double)count)), 5.0), 100.0);
    double *memory = lb_cli_calloc(5 * (size_t)bars + 4, sizeof *memory);
    double *heights = memory + 4 * bars + 4;
    const drawing d = {memory, memory + 2 * bars + 2, 2L * bars + 2};
    for (long i = 0; i < count; ++i) {
        if (isfinite(values[i])) {
            const int bar = (int)((values[i] - low) / (high - low) * bars);
            heights[bar < bars ? bar : bars - 1] += 1.0;
        }
    }
    for (int i = 0; i <= bars; ++i) {
        d.x[2 * i] = d.x[2 * i + 1] = low + (high - low) * i / bars;
        d.y[2 * i] = i > 0 ? heights[i - 1] : 0.0;
        d.y[2 * i + 1] = i < bars ? heights[i] : 0.0;
    }
    const int result = draw(s, name, "samples", &d, false);
    free(memory);
    return result;
}

// Samples that are done: an output, and a parameter or another output.
static int draw_table(const lb_cli_sweep *s, const lb_sweep_table *table, int output,
                      const char *against)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    const int inputs = plan->variation_count, outputs = plan->output_count;
    int parameter = LB_NOT_FOUND, other = LB_NOT_FOUND;
    for (int i = 0; against && i < inputs; ++i) {
        parameter = strcmp(plan->variations[i], against) == 0 ? i : parameter;
    }
    if (against && parameter < 0) {
        other = lb_cli_find_sweep_output(s, against);
        if (other < 0) {
            return LB_CLI_USAGE;
        }
    }
    const size_t most = (size_t)table->done_count + 1;
    double *memory = lb_cli_malloc((2 * most + (size_t)inputs) * sizeof *memory);
    drawing d = {memory, memory + most, 0};
    double *values = memory + 2 * most;
    for (int64_t k = 0; k < table->sample_count; ++k) {
        if (table->states[k] == LB_SAMPLE_DONE) {
            lb_compute_sample(s->sweep, k, values);
            d.x[d.count] = parameter >= 0 ? values[parameter]
                           : other >= 0   ? table->outputs[k * outputs + other]
                                          : 0.0;
            d.y[d.count++] = table->outputs[k * outputs + output];
        }
    }
    const char *name = plan->outputs[output];
    const int result =
        against ? draw(s, against, name, &d, true) : draw_histogram(s, name, d.y, d.count);
    free(memory);
    return result;
}

int lb_cli_draw_sweep(const lb_cli_sweep *s)
{
    const char *path = lb_cli_get_option(s->arguments, "output");
    const char *of = lb_cli_get_option(s->arguments, "of");
    if (!path || !lb_cli_is_figure(path)) {
        lb_cli_complain("sweep: figure needs -o FILE with the ending .svg, .pdf or .png");
        return LB_CLI_USAGE;
    }
    const int output = of ? lb_cli_find_sweep_output(s, of) : 0;
    if (output < 0) {
        return LB_CLI_USAGE;
    }
    lb_sweep_table *table = lb_cli_read_sweep_table(s);
    if (!table) {
        return LB_CLI_FAILED;
    }
    const int result = draw_table(s, table, output, lb_cli_get_option(s->arguments, "against"));
    lb_destroy_sweep_table(table);
    return result;
}
#else
int lb_cli_draw_sweep(const lb_cli_sweep *s)
{
    (void)s;
    lb_cli_complain("sweep: this program was built without figures");
    return LB_CLI_USAGE;
}
#endif
