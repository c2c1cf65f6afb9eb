// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber response MODEL: answers of the linear model over the frequency, and loops that are cut.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "feedback_out.h"
#include "json_out.h"
#include "limber/spectra.h"
#include "output.h"
#include "point.h"
#include "profile.h"
#ifdef LB_WITH_VIEW
#include "view/figure.h"
#endif

#define TWO_PI 6.283185307179586

// TRANSFER: y / u; the others as their options say.
typedef enum kind { TRANSFER, RANDOM, SINE, SINGULAR, LOOP } kind;

typedef enum form { TEXT, CSV, JSON, FIGURE } form;

// A column of the table: a quantity over the frequency.
typedef struct curve {
    char name[400];
    const char *quantity;
    double *values;
} curve;

typedef struct work {
    kind kind;
    form form;
    bool nyquist;
    const char *output, *loop;
    lb_cli_point point;
    lb_cli_names names[2]; // of inputs and outputs
    lb_cli_profiles profiles;
    lb_linear *linear;
    lb_margins *margins;
    int feedback; // whose margins they are
    int count;
    double *frequencies, *response;
    int curve_count;
    curve *curves;
    double *mean_squares, *crossings; // of random responses, one per output
} work;

// ---- the command line --------------------------------------------------------------------------

static bool choose(const lb_cli_arguments *arguments, work *w)
{
    static const char *const kinds[] = {"psd", "sine", "singular", "loop"};
    int given = 0;
    for (int i = 0; i < 4; ++i) {
        if (lb_cli_get_option(arguments, kinds[i])) {
            w->kind = (kind)(RANDOM + i);
            ++given;
        }
    }
    w->output = lb_cli_get_option(arguments, "output");
    w->loop = lb_cli_get_option(arguments, "loop");
    w->nyquist = lb_cli_get_option(arguments, "nyquist") != NULL;
    const bool csv = lb_cli_get_option(arguments, "csv"),
               json = lb_cli_get_option(arguments, "json");
    const char *path = w->output ? w->output : "";
    const bool figure = lb_cli_ends_in(path, ".svg") || lb_cli_ends_in(path, ".pdf") ||
                        lb_cli_ends_in(path, ".png");
    w->form = csv || (!json && lb_cli_ends_in(path, ".csv"))    ? CSV
              : json || (!csv && lb_cli_ends_in(path, ".json")) ? JSON
              : figure                                          ? FIGURE
                                                                : TEXT;
    if (!lb_cli_check_ending(arguments, "output", w->output, ".csv .json .svg .pdf .png .txt")) {
        return false;
    }
    const char *wrong =
        given > 1     ? "--psd, --sine, --singular and --loop exclude each other"
        : csv && json ? "--csv or --json, not both"
        : w->nyquist && (w->form != FIGURE || (w->kind != TRANSFER && w->kind != LOOP))
            ? "--nyquist is for figures of transfer functions and loops: -o FILE.svg"
        : (w->kind == RANDOM || w->kind == SINE) && lb_cli_get_option(arguments, "input")
            ? "--psd and --sine name their inputs themselves"
        : w->kind != LOOP && !lb_cli_get_option(arguments, "signal") ? "--signal is missing"
        : (w->kind == TRANSFER || w->kind == SINGULAR) && !lb_cli_get_option(arguments, "input")
            ? "--input is missing, or --psd, --sine or --loop"
#ifndef LB_WITH_VIEW
        : w->form == FIGURE ? "this limber was built without figures"
#endif
                            : NULL;
    if (wrong) {
        lb_cli_complain("response: %s", wrong);
    }
    return !wrong;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Frequencies of --range, or from the first to the last of the given levels; and between them those of the
// modes and half a bandwidth beside, so that no peak is missed.
static int choose_frequencies(const lb_cli_arguments *arguments, work *w)
{
    const int more = w->linear ? 3 * w->linear->state_count : 0;
    double *grid = NULL;
    int count = 200;
    if (lb_cli_get_option(arguments, "range")) {
        if (!lb_cli_read_range(arguments, "range", true, &grid, &count)) {
            return LB_CLI_USAGE;
        }
    } else {
        double low = INFINITY, high = 0.0;
        for (int i = 0, first = 0; i < w->profiles.count; first += w->profiles.point_counts[i++]) {
            const int points = w->profiles.point_counts[i];
            if (points > 1) {
                low = fmin(low, w->profiles.frequencies[first]);
                high = fmax(high, w->profiles.frequencies[first + points - 1]);
            }
        }
        if (!(low < high)) {
            lb_cli_complain("response: --range FROM:TO:COUNT is missing");
            return LB_CLI_USAGE;
        }
        grid = lb_cli_allocate(1, count, "frequencies");
        for (int i = 0; grid && i < count; ++i) {
            grid[i] = low * pow(high / low, (double)i / (count - 1));
        }
    }
    w->frequencies = grid ? lb_cli_allocate(1, count + more, "frequencies") : NULL;
    if (!w->frequencies) {
        free(grid);
        return LB_CLI_FAILED;
    }
    memcpy(w->frequencies, grid, (size_t)count * sizeof *grid);
    w->count = count;
    const double low = fmin(grid[0], grid[count - 1]), high = fmax(grid[0], grid[count - 1]);
    for (int i = 0; i < more / 3; ++i) {
        const double *value = w->linear->eigenvalues + 2 * i;
        const double f = value[1] > 0.0 ? hypot(value[0], value[1]) / TWO_PI : 0.0;
        for (int side = -1; side <= 1; ++side) {
            const double at = f + side * fabs(value[0]) / TWO_PI;
            if (at > low && at < high && (side == 0 || value[0] != 0.0)) {
                w->frequencies[w->count++] = at;
            }
        }
    }
    free(grid);
    qsort(w->frequencies, (size_t)w->count, sizeof *w->frequencies, compare);
    int kept = 1;
    for (int i = 1; i < w->count; ++i) {
        if (w->frequencies[i] > w->frequencies[kept - 1] * (1.0 + 1e-12)) {
            w->frequencies[kept++] = w->frequencies[i];
        }
    }
    w->count = kept;
    return LB_CLI_DONE;
}

// ---- responses ---------------------------------------------------------------------------------

// Leaves out frequencies of modes without damping, where the response is infinite.
static void drop_poles(work *w, int width)
{
    int kept = 0;
    for (int k = 0; k < w->count; ++k) {
        if (isfinite(w->response[2 * k * width])) {
            memmove(w->response + 2 * kept * width, w->response + 2 * k * width,
                    2 * (size_t)width * sizeof *w->response);
            w->frequencies[kept++] = w->frequencies[k];
        }
    }
    if (kept < w->count) {
        lb_cli_complain("warning: modes without damping: the response is infinite at %d "
                        "frequenc%s, which are left out",
                        w->count - kept, w->count - kept == 1 ? "y" : "ies");
    }
    w->count = kept;
}

static int compute(work *w)
{
    const int width = w->kind == LOOP ? 1 : w->linear->input_count * w->linear->output_count;
    w->response = lb_cli_allocate(w->count, 2 * width, "response");
    if (!w->response) {
        return LB_CLI_FAILED;
    }
    if (w->kind == LOOP) {
        const lb_status status =
            lb_compute_loop_response(w->point.setup.simulation, &w->point.options, w->loop,
                                     w->count, w->frequencies, w->response);
        if (status < 0) {
            return lb_cli_explain_point(&w->point, status);
        }
    } else {
        const lb_status status =
            lb_compute_response(w->linear, w->count, w->frequencies, w->response);
        if (status < 0 && status != LB_E_SINGULAR) {
            lb_cli_complain("%s", lb_get_status_text(status));
            return LB_CLI_FAILED;
        }
    }
    drop_poles(w, width);
    if (w->count == 0) {
        lb_cli_complain("response: no frequency is left");
        return LB_CLI_FAILED;
    }
    return LB_CLI_DONE;
}

static int compute_random(work *w)
{
    const lb_linear *l = w->linear;
    w->mean_squares = lb_cli_allocate(2, l->output_count, "outputs");
    if (!w->mean_squares) {
        return LB_CLI_FAILED;
    }
    w->crossings = w->mean_squares + l->output_count;
    const lb_status status =
        lb_compute_random_response(l, w->profiles.point_counts, w->profiles.frequencies,
                                   w->profiles.levels, w->mean_squares, w->crossings);
    if (status == LB_E_SINGULAR) {
        lb_cli_complain("response: a mode in the range of an input has no damping: its response is "
                        "infinite; give it damping, or hold it with --lock");
    } else if (status == LB_E_UNSUPPORTED) {
        lb_cli_complain("response: a mode grows by itself: there is no steady response; "
                        "'limber linearize' lists the eigenvalues");
    } else if (status < 0) {
        lb_cli_complain("response: %s", lb_get_status_text(status));
    }
    return status < 0 ? LB_CLI_FAILED : LB_CLI_DONE;
}

// ---- curves ------------------------------------------------------------------------------------

static double get_level(const work *w, int input, double frequency)
{
    int first = 0;
    for (int i = 0; i < input; ++i) {
        first += w->profiles.point_counts[i];
    }
    return lb_get_density(w->profiles.point_counts[input], w->profiles.frequencies + first,
                          w->profiles.levels + first, frequency);
}

static curve *add_curve(work *w, const char *quantity)
{
    curve *c = &w->curves[w->curve_count++];
    c->quantity = quantity;
    c->values = lb_cli_allocate(1, w->count, "curve");
    return c->values ? c : NULL;
}

// Magnitude and phase of a complex number at each frequency.
static bool add_pair(work *w, const char *magnitude, const char *name, const double *complex_values,
                     int stride)
{
    for (int part = 0; part < 2; ++part) {
        curve *c = add_curve(w, part ? "phase_deg" : magnitude);
        if (!c) {
            return false;
        }
        snprintf(c->name, sizeof c->name, "%.390s", name);
        for (int k = 0; k < w->count; ++k) {
            const double *g = complex_values + 2 * (size_t)stride * (size_t)k;
            c->values[k] = part ? atan2(g[1], g[0]) * 360.0 / TWO_PI : hypot(g[0], g[1]);
        }
    }
    return true;
}

static bool add_transfers(work *w)
{
    const lb_linear *l = w->linear;
    const int width = l->input_count * l->output_count;
    for (int i = 0; i < width; ++i) {
        char name[400];
        snprintf(name, sizeof name, "%.190s / %.190s", l->outputs[i / l->input_count],
                 l->inputs[i % l->input_count]);
        if (!add_pair(w, "magnitude", name, w->response + 2 * i, width)) {
            return false;
        }
    }
    return true;
}

// Inputs in phase with each other, each with its amplitude.
static bool add_sines(work *w)
{
    const lb_linear *l = w->linear;
    const int m = l->input_count, p = l->output_count;
    double *sum = lb_cli_allocate(w->count, 2, "sine");
    bool good = sum != NULL;
    for (int i = 0; i < p && good; ++i) {
        memset(sum, 0, 2 * (size_t)w->count * sizeof *sum);
        for (int k = 0; k < w->count; ++k) {
            for (int j = 0; j < m; ++j) {
                const double *g = w->response + 2 * ((k * p + i) * m + j);
                const double level = get_level(w, j, w->frequencies[k]);
                sum[2 * k] += level * g[0];
                sum[2 * k + 1] += level * g[1];
            }
        }
        good = add_pair(w, "amplitude", l->outputs[i], sum, 1);
    }
    free(sum);
    return good;
}

static bool add_densities(work *w)
{
    const lb_linear *l = w->linear;
    const int m = l->input_count, p = l->output_count;
    for (int i = 0; i < p; ++i) {
        curve *c = add_curve(w, "density");
        if (!c) {
            return false;
        }
        snprintf(c->name, sizeof c->name, "%.390s", l->outputs[i]);
        for (int k = 0; k < w->count; ++k) {
            for (int j = 0; j < m; ++j) {
                const double *g = w->response + 2 * ((k * p + i) * m + j);
                c->values[k] += (g[0] * g[0] + g[1] * g[1]) * get_level(w, j, w->frequencies[k]);
            }
        }
    }
    return true;
}

static bool add_singular(work *w)
{
    const lb_linear *l = w->linear;
    const int less = l->input_count < l->output_count ? l->input_count : l->output_count;
    double *values = lb_cli_allocate(w->count, less, "singular values");
    const lb_status status = values ? lb_compute_singular_values(l->output_count, l->input_count,
                                                                 w->count, w->response, values)
                                    : LB_E_MEMORY;
    bool good = status >= 0;
    if (values && !good) {
        lb_cli_complain("response: singular values: %s", lb_get_status_text(status));
    }
    for (int i = 0; i < less && good; ++i) {
        curve *c = add_curve(w, "singular");
        good = c != NULL;
        for (int k = 0; good && k < w->count; ++k) {
            c->values[k] = values[k * less + i];
        }
        if (good) {
            snprintf(c->name, sizeof c->name, "value %d", i + 1);
        }
    }
    free(values);
    return good;
}

static bool make_curves(work *w)
{
    const int width = w->linear ? w->linear->input_count * w->linear->output_count : 1;
    w->curves = lb_cli_calloc(2 * (size_t)width, sizeof *w->curves);
    if (!w->curves) {
        return false;
    }
    switch (w->kind) {
    case TRANSFER:
        return add_transfers(w);
    case RANDOM:
        return add_densities(w);
    case SINE:
        return add_sines(w);
    case SINGULAR:
        return add_singular(w);
    default:
        return add_pair(w, "magnitude", w->loop, w->response, 1);
    }
}

// ---- output ------------------------------------------------------------------------------------

// Margins of the loop that is asked for, as if it were alone.
static lb_margins get_own_margins(const work *w)
{
    const lb_margins *m = w->margins;
    const int i = w->feedback;
    lb_margins own = *m;
    own.feedback_count = 1;
    own.feedbacks = m->feedbacks + i;
    own.closed = m->closed + i;
    own.feedback_notes = m->feedback_notes + i;
    own.gain_up = m->gain_up + i;
    own.gain_up_frequency = m->gain_up_frequency + i;
    own.gain_down = m->gain_down + i;
    own.gain_down_frequency = m->gain_down_frequency + i;
    own.phase = m->phase + i;
    own.phase_frequency = m->phase_frequency + i;
    own.delay = m->delay + i;
    own.delay_frequency = m->delay_frequency + i;
    return own;
}

static void print_number(FILE *out, double value)
{
    if (!isfinite(value)) {
        fprintf(out, "  %14s", isinf(value) ? "infinite" : "-");
    } else {
        fprintf(out, "  %14.7g", value);
    }
}

static int find_peak(const work *w, const curve *c)
{
    int best = 0;
    for (int k = 1; k < w->count; ++k) {
        best = c->values[k] > c->values[best] ? k : best;
    }
    return best;
}

// For people: what is largest, and where.
static void print_text(FILE *out, const work *w)
{
    if (w->kind == LOOP) {
        const lb_margins own = get_own_margins(w);
        lb_cli_print_margins(out, &own);
        return;
    }
    if (w->kind == RANDOM) {
        fprintf(out, "  %14s  %14s  %14s  %14s  %14s  %s\n", "RMS", "3 RMS", "crossings, Hz",
                "peak density", "at Hz", "signal");
    } else {
        fprintf(out, "%14s  %14s  %s\n", "largest", "at Hz",
                w->kind == TRANSFER ? "magnitude of"
                : w->kind == SINE   ? "amplitude of"
                                    : "singular");
    }
    for (int i = 0; i < w->curve_count; ++i) {
        const curve *c = &w->curves[i];
        if (strcmp(c->quantity, "phase_deg") == 0) {
            continue;
        }
        const int peak = find_peak(w, c);
        if (w->kind == RANDOM) {
            const double rms = sqrt(w->mean_squares[i]);
            print_number(out, rms);
            print_number(out, 3.0 * rms);
            print_number(out, w->crossings[i]);
            fputs("  ", out);
        }
        fprintf(out, "%14.7g  %14.7g  ", c->values[peak], w->frequencies[peak]);
        lb_cli_put_text(out, c->name);
        fputc('\n', out);
    }
}

static void print_csv(FILE *out, const work *w)
{
    fputs("frequency_hz", out);
    for (int i = 0; i < w->curve_count; ++i) {
        char head[450];
        snprintf(head, sizeof head, "%s %s", w->curves[i].quantity, w->curves[i].name);
        fputc(',', out);
        lb_cli_put_field(out, head, true);
    }
    fputc('\n', out);
    for (int k = 0; k < w->count; ++k) {
        fprintf(out, "%.17g", w->frequencies[k]);
        for (int i = 0; i < w->curve_count; ++i) {
            fprintf(out, ",%.17g", w->curves[i].values[k]);
        }
        fputc('\n', out);
    }
}

// A number that is not finite is left out.
static void put_number(lb_cli_json *json, const char *key, double value)
{
    if (isfinite(value)) {
        lb_cli_json_key(json, key);
        lb_cli_json_number(json, value);
    }
}

static void print_json(FILE *out, const work *w)
{
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, '{');
    lb_cli_json_key(&json, "frequency_hz");
    lb_cli_json_vector(&json, w->frequencies, w->count);
    lb_cli_json_key(&json, "curves");
    lb_cli_json_open(&json, '[');
    for (int i = 0; i < w->curve_count; ++i) {
        const curve *c = &w->curves[i];
        lb_cli_json_open(&json, '{');
        lb_cli_json_key(&json, "name");
        lb_cli_json_string(&json, c->name);
        lb_cli_json_key(&json, "quantity");
        lb_cli_json_string(&json, c->quantity);
        if (w->kind == RANDOM) {
            put_number(&json, "rms", sqrt(w->mean_squares[i]));
            put_number(&json, "crossings_hz", w->crossings[i]);
        }
        lb_cli_json_key(&json, "values");
        lb_cli_json_vector(&json, c->values, w->count);
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, ']');
    if (w->kind == LOOP) {
        const lb_margins own = get_own_margins(w);
        lb_cli_put_margins(&json, &own);
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

#ifdef LB_WITH_VIEW
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
static void mark_margins(const work *w, drawing *d, double x[2][2], double y[2][2])
{
    const lb_margins own = get_own_margins(w);
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

static int draw(const lb_cli_arguments *arguments, work *w)
{
    const int step = w->kind == TRANSFER || w->kind == SINE || w->kind == LOOP ? 2 : 1;
    drawing d = {.count = 0};
    double marks[2][2][2], critical[2] = {-1.0, 0.0};
    if (w->curve_count > CURVE_MAX) {
        lb_cli_complain("response: a figure has at most %d curves, and these are %d", CURVE_MAX,
                        w->curve_count);
        return LB_CLI_USAGE;
    }
    double *parts = lb_cli_allocate(w->curve_count, w->count, "figure");
    if (!parts) {
        return LB_CLI_FAILED;
    }
    for (int i = 0; i < w->curve_count; i += step) {
        const curve *c = &w->curves[i];
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
        add_line(&d, c->name, w->kind == RANDOM ? "1/Hz" : "", w->count, w->frequencies, c->values,
                 true, false);
        if (phase) {
            unwrap(phase, w->count);
            add_line(&d, "", "deg", w->count, w->frequencies, phase, false, false);
        }
    }
    if (w->kind == LOOP && w->nyquist) {
        add_line(&d, "", "", 1, critical, critical + 1, false, true);
    } else if (w->kind == LOOP) {
        mark_margins(w, &d, marks[0], marks[1]);
    }
    const lb_cli_figure figure = {.title = lb_cli_get_option(arguments, "title"),
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

static int write(const lb_cli_arguments *arguments, work *w)
{
#ifdef LB_WITH_VIEW
    if (w->form == FIGURE) {
        return draw(arguments, w);
    }
#endif
    (void)arguments;
    lb_cli_output output;
    if (!lb_cli_open_output(w->output, &output)) {
        return LB_CLI_FAILED;
    }
    (w->form == CSV ? print_csv : w->form == JSON ? print_json : print_text)(output.stream, w);
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

// ---- the command -------------------------------------------------------------------------------

static int find_margins(work *w)
{
    const lb_status status =
        lb_compute_margins(w->point.setup.simulation, &w->point.options, &w->margins);
    if (status < 0) {
        return lb_cli_explain_point(&w->point, status);
    }
    for (int i = 0; i < w->margins->feedback_count; ++i) {
        if (strcmp(w->margins->feedbacks[i], w->loop) == 0) {
            w->feedback = i;
        }
    }
    return LB_CLI_DONE;
}

static int linearize(const lb_cli_arguments *arguments, work *w)
{
    lb_linear_options *o = &w->point.options;
    const bool levels = w->kind == RANDOM || w->kind == SINE;
    if (levels) {
        const int result =
            lb_cli_read_profiles(arguments, w->kind == SINE ? "sine" : "psd", &w->profiles);
        if (result != LB_CLI_DONE) {
            return result;
        }
    }
    if (!lb_cli_read_names(arguments, "input", &w->names[0]) ||
        !lb_cli_read_names(arguments, "signal", &w->names[1])) {
        return LB_CLI_USAGE;
    }
    o->inputs = levels ? (const char *const *)w->profiles.inputs : w->names[0].names;
    o->input_count = levels ? w->profiles.count : w->names[0].count;
    o->outputs = w->names[1].names;
    o->output_count = w->names[1].count;
    const lb_status status = lb_linearize(w->point.setup.simulation, o, &w->linear);
    if (status < 0) {
        return lb_cli_explain_point(&w->point, status);
    }
    lb_cli_note_friction(&w->point);
    return LB_CLI_DONE;
}

static int run(const lb_cli_arguments *arguments, work *w)
{
    if (!choose(arguments, w)) {
        return LB_CLI_USAGE;
    }
    int result = lb_cli_open_point(arguments, &w->point);
    if (result == LB_CLI_DONE && w->point.options.spin >= 0 && !w->point.spin_has_speed) {
        lb_cli_complain("response: --spin: expected HINGE=SPEED");
        result = LB_CLI_USAGE;
    }
    if (result == LB_CLI_DONE && w->kind != LOOP) {
        result = linearize(arguments, w);
    }
    result = result ? result : choose_frequencies(arguments, w);
    result = result ? result : compute(w);
    if (result == LB_CLI_DONE && w->kind == LOOP) {
        result = find_margins(w);
    } else if (result == LB_CLI_DONE && w->kind == RANDOM) {
        result = compute_random(w);
    }
    if (result == LB_CLI_DONE && !make_curves(w)) {
        result = LB_CLI_FAILED;
    }
    return result ? result : write(arguments, w);
}

int lb_cli_run_response(const lb_cli_arguments *arguments)
{
    work w = {.kind = TRANSFER};
    const int result = run(arguments, &w);
    if (lb_cli_lacks_memory()) {
        lb_cli_complain_of_memory();
    }
    lb_destroy_linear(w.linear);
    lb_destroy_margins(w.margins);
    lb_cli_close_point(&w.point);
    lb_cli_free_profiles(&w.profiles);
    for (int i = 0; i < 2; ++i) {
        lb_cli_free_names(&w.names[i]);
    }
    for (int i = 0; i < w.curve_count; ++i) {
        free(w.curves[i].values);
    }
    free(w.curves);
    free(w.frequencies);
    free(w.response);
    free(w.mean_squares);
    return result;
}
