// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber response MODEL: answers of the linear model over the frequency, and loops that are cut.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "commands.h"
#include "console.h"
#include "feedback_out.h"
#include "limber/spectra.h"
#include "output.h"
#include "progress.h"
#include "response.h"

#define TWO_PI 6.283185307179586

// ---- the command line --------------------------------------------------------------------------

static bool choose(const lb_cli_arguments *arguments, lb_cli_response *w)
{
    static const char *const kinds[] = {"psd", "sine", "singular", "loop"};
    int given = 0;
    for (int i = 0; i < 4; ++i) {
        if (lb_cli_get_option(arguments, kinds[i])) {
            w->kind = (lb_cli_response_kind)(LB_CLI_RANDOM + i);
            ++given;
        }
    }
    w->output = lb_cli_get_option(arguments, "output");
    w->loop = lb_cli_get_option(arguments, "loop");
    w->nyquist = lb_cli_get_option(arguments, "nyquist") != NULL;
    if (!lb_cli_choose_form(arguments, &w->form)) {
        return false;
    }
    const char *wrong =
        given > 1 ? "--psd, --sine, --singular and --loop exclude each other"
        : w->nyquist &&
                (w->form != LB_CLI_FIGURE || (w->kind != LB_CLI_TRANSFER && w->kind != LB_CLI_LOOP))
            ? "--nyquist is for figures of transfer functions and loops: -o FILE.svg"
        : (w->kind == LB_CLI_RANDOM || w->kind == LB_CLI_SINE) &&
                lb_cli_get_option(arguments, "input")
            ? "--psd and --sine name their inputs themselves"
        : w->kind != LB_CLI_LOOP && !lb_cli_get_option(arguments, "signal") ? "--signal is missing"
        : (w->kind == LB_CLI_TRANSFER || w->kind == LB_CLI_SINGULAR) &&
                !lb_cli_get_option(arguments, "input")
            ? "--input is missing, or --psd, --sine or --loop"
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
static int place_frequencies(const lb_cli_arguments *arguments, lb_cli_response *w, int pole_count,
                             const double *poles)
{
    const int more = 3 * pole_count;
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
        for (int i = 0; i < count; ++i) {
            grid[i] = low * pow(high / low, (double)i / (count - 1));
        }
    }
    w->frequencies = lb_cli_allocate(1, count + more, "frequencies");
    memcpy(w->frequencies, grid, (size_t)count * sizeof *grid);
    w->count = count;
    const double low = fmin(grid[0], grid[count - 1]), high = fmax(grid[0], grid[count - 1]);
    for (int i = 0; i < more / 3; ++i) {
        const double *value = poles + 2 * i;
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

static int choose_frequencies(const lb_cli_arguments *arguments, lb_cli_response *w)
{
    // of a loop with controllers, the poles as it samples
    lb_modes *modes = NULL;
    if (w->linear && w->linear->sampled) {
        const lb_status status =
            lb_compute_modes(w->point.setup.simulation, &w->point.options, &modes);
        if (status < 0) {
            return lb_cli_explain_point(&w->point, status);
        }
    }
    const int result = place_frequencies(arguments, w,
                                         modes       ? modes->mode_count
                                         : w->linear ? w->linear->state_count
                                                     : 0,
                                         modes       ? modes->eigenvalues
                                         : w->linear ? w->linear->eigenvalues
                                                     : NULL);
    lb_destroy_modes(modes);
    return result;
}

// ---- responses ---------------------------------------------------------------------------------

// Leaves out frequencies of modes without damping, where the response is infinite.
static void drop_poles(lb_cli_response *w, int width)
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

// Says which pole grows; whether that leaves a steady response, which it does where no input moves it or no
// signal sees it.
static bool judge_growth(const lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    const bool levels = w->kind == LB_CLI_RANDOM || w->kind == LB_CLI_SINE;
    double growth[2];
    const lb_status status = lb_find_response_growth(l, growth);
    if (status < 0) {
        lb_cli_complain("response: %s", lb_get_status_text(status));
        return false;
    }
    const bool inside = growth[0] > 0.0;
    if (!inside && l->stable) {
        return true;
    }
    const double *pole = inside ? growth : l->growth;
    char at[64] = "";
    if (pole[1] > 0.0) {
        snprintf(at, sizeof at, ", at %.6g Hz", hypot(pole[0], pole[1]) / TWO_PI);
    }
    if (inside && l->stable) {
        lb_cli_complain("response: the loop is stable as it samples, but a pole of its continuous "
                        "model grows by %.6g 1/s%s: the rates are too low for that model",
                        pole[0], at);
    } else if (inside && levels) {
        lb_cli_complain("response: the system is not stable: a pole grows by %.6g 1/s%s, and there "
                        "is no steady response",
                        pole[0], at);
    } else {
        lb_cli_complain("warning: the system is not stable: a pole grows by %.6g 1/s%s%s", pole[0],
                        at,
                        inside ? "; what follows is no steady response, only outputs over inputs"
                               : ", which no input moves or no signal sees");
    }
    return !inside || !levels;
}

static int compute(lb_cli_response *w)
{
    const int width = w->kind == LB_CLI_LOOP ? 1 : w->linear->input_count * w->linear->output_count;
    w->response = lb_cli_allocate(w->count, 2 * width, "response");
    if (w->kind == LB_CLI_LOOP) {
        const lb_status status =
            lb_compute_loop_response(w->point.setup.simulation, &w->point.options, w->loop,
                                     w->count, w->frequencies, w->response);
        if (status < 0) {
            return lb_cli_explain_point(&w->point, status);
        }
    } else if (!judge_growth(w)) {
        return LB_CLI_FAILED;
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

static int compute_random(lb_cli_response *w)
{
    const lb_linear *l = w->linear;
    w->mean_squares = lb_cli_allocate(2, l->output_count, "outputs");
    w->crossings = w->mean_squares + l->output_count;
    const lb_status status =
        lb_compute_random_response(l, w->profiles.point_counts, w->profiles.frequencies,
                                   w->profiles.levels, w->mean_squares, w->crossings);
    if (status == LB_E_SINGULAR) {
        lb_cli_complain("response: a mode in the range of an input has no damping: its response is "
                        "infinite; give it damping, or hold it with --lock");
    } else if (status < 0) {
        lb_cli_complain("response: %s", lb_get_status_text(status));
    }
    return status < 0 ? LB_CLI_FAILED : LB_CLI_DONE;
}

// ---- output ------------------------------------------------------------------------------------

static int write(const lb_cli_arguments *arguments, lb_cli_response *w)
{
#ifdef LB_WITH_VIEW
    if (w->form == LB_CLI_FIGURE) {
        return lb_cli_draw_response(lb_cli_get_option(arguments, "title"), w);
    }
#endif
    (void)arguments;
    lb_cli_output output;
    if (!lb_cli_open_output(w->output, &output)) {
        return LB_CLI_FAILED;
    }
    (w->form == LB_CLI_CSV    ? lb_cli_print_response_csv
     : w->form == LB_CLI_JSON ? lb_cli_print_response_json
                              : lb_cli_print_response)(output.stream, w);
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

// ---- the command -------------------------------------------------------------------------------

static int find_margins(lb_cli_response *w)
{
    const lb_status status =
        lb_compute_margins(w->point.setup.simulation, &w->point.options, &w->margins);
    if (status < 0) {
        return lb_cli_explain_point(&w->point, status);
    }
    lb_cli_warn_of_change(w->margins->changes);
    for (int i = 0; i < w->margins->feedback_count; ++i) {
        if (strcmp(w->margins->feedbacks[i], w->loop) == 0) {
            w->feedback = i;
        }
    }
    return LB_CLI_DONE;
}

static int linearize(const lb_cli_arguments *arguments, lb_cli_response *w)
{
    lb_linear_options *o = &w->point.options;
    const bool levels = w->kind == LB_CLI_RANDOM || w->kind == LB_CLI_SINE;
    if (levels) {
        const int result =
            lb_cli_read_profiles(arguments, w->kind == LB_CLI_SINE ? "sine" : "psd", &w->profiles);
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
    lb_cli_show_waiting("linear model");
    const lb_status status = lb_linearize(w->point.setup.simulation, o, &w->linear);
    lb_cli_clear_progress();
    if (status < 0) {
        return lb_cli_explain_point(&w->point, status);
    }
    lb_cli_note_friction(&w->point);
    lb_cli_warn_of_change(w->linear->changes);
    return LB_CLI_DONE;
}

static int run(const lb_cli_arguments *arguments, lb_cli_response *w)
{
    if (!choose(arguments, w)) {
        return LB_CLI_USAGE;
    }
    int result = lb_cli_open_point(arguments, &w->point);
    if (result == LB_CLI_DONE && w->point.options.spin >= 0 && !w->point.spin_has_speed) {
        lb_cli_complain("response: --spin: expected HINGE=SPEED");
        result = LB_CLI_USAGE;
    }
    if (result == LB_CLI_DONE && w->kind != LB_CLI_LOOP) {
        result = linearize(arguments, w);
    }
    result = result ? result : choose_frequencies(arguments, w);
    result = result ? result : compute(w);
    if (result == LB_CLI_DONE && w->kind == LB_CLI_LOOP) {
        result = find_margins(w);
    } else if (result == LB_CLI_DONE && w->kind == LB_CLI_RANDOM) {
        result = compute_random(w);
    }
    if (result == LB_CLI_DONE && !lb_cli_make_curves(w)) {
        result = LB_CLI_FAILED;
    }
    return result ? result : write(arguments, w);
}

int lb_cli_run_response(const lb_cli_arguments *arguments)
{
    lb_cli_response w = {.kind = LB_CLI_TRANSFER};
    const int result = run(arguments, &w);
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
