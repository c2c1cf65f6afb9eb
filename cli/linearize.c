// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber linearize MODEL: state-space models.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "feedback_out.h"
#include "info_parameters.h"
#include "json_out.h"
#include "output.h"
#include "point.h"
#include "progress.h"

#define TWO_PI 6.283185307179586

typedef enum form { SUMMARY, TABLE, CSV, JSON, MAT, HDF5 } form;

typedef struct work {
    lb_cli_point point;
    lb_cli_names names[2]; // of inputs and outputs
    lb_linear *linear;
    lb_margins *margins; // NULL unless they are asked for
    int count;           // of frequencies
    double *frequencies, *response;
} work;

// ---- the command line --------------------------------------------------------------------------

// What to write, by --format, the name of the file, --bode and --csv.
static bool choose_form(const lb_cli_arguments *arguments, form *chosen)
{
    static const char *const names[] = {"json", "mat", "hdf5"};
    const char *name = lb_cli_get_option(arguments, "format");
    name = !name && lb_cli_get_option(arguments, "json") ? "json" : name;
    const char *path = lb_cli_get_option(arguments, "output");
    const bool bode = lb_cli_get_option(arguments, "bode") != NULL;
    const bool csv = lb_cli_get_option(arguments, "csv") != NULL;
    *chosen = !bode ? SUMMARY : csv ? CSV : TABLE;
    if (lb_cli_get_option(arguments, "margins") && bode && !name &&
        !(path && lb_cli_ends_in(path, ".json"))) {
        lb_cli_complain("linearize: --margins goes with the summary or with JSON, not with --bode");
        return false;
    }
    if (csv && !bode) {
        lb_cli_complain("linearize: --csv is for the table of --bode");
        return false;
    }
    if (name) {
        for (int i = 0; i < 3; ++i) {
            if (strcmp(name, names[i]) == 0) {
                *chosen = (form)(JSON + i);
            }
        }
        if (*chosen < JSON) {
            lb_cli_complain("linearize: --format: '%s' given, expected json, mat or hdf5", name);
            return false;
        }
    } else if (path && lb_cli_ends_in(path, ".csv")) {
        if (!bode) {
            lb_cli_complain("linearize: --output: '%s' given, but only the table of --bode is CSV",
                            path);
            return false;
        }
        *chosen = CSV;
    } else if (path && !csv) {
        *chosen = lb_cli_ends_in(path, ".json")                                  ? JSON
                  : lb_cli_ends_in(path, ".mat")                                 ? MAT
                  : lb_cli_ends_in(path, ".h5") || lb_cli_ends_in(path, ".hdf5") ? HDF5
                                                                                 : *chosen;
    }
    if (*chosen >= MAT && !path) {
        lb_cli_complain("linearize: --format %s needs -o FILE", name);
        return false;
    }
    return true;
}

// ---- for people --------------------------------------------------------------------------------

static lb_cli_feedbacks get_feedbacks(const work *w)
{
    const lb_linear *l = w->linear;
    return (lb_cli_feedbacks){.control = l->control,
                              .period = l->period,
                              .pade_order = w->point.options.pade_order,
                              .count = l->feedback_count,
                              .names = l->feedbacks,
                              .notes = l->feedback_notes,
                              .closed = l->closed};
}

static void print_eigenvalues(FILE *out, const lb_linear *l)
{
    fprintf(out, "%14s  %14s  %14s  %10s  ", "real, rad/s", "imaginary", "frequency, Hz",
            "damping");
    fprintf(out, l->multipliers ? "%10s  %s\n" : "%s%s\n", l->multipliers ? "|z|" : "",
            "takes part");
    for (int i = 0; i < l->state_count; ++i) {
        const double *value = l->eigenvalues + 2 * i, size = hypot(value[0], value[1]);
        if (value[1] < 0.0) {
            continue;
        }
        fprintf(out, "%14.7g  %14.7g  %14.7g  %10.4g  ", value[0] + 0.0, value[1], size / TWO_PI,
                isinf(size)  ? 1.0
                : size > 0.0 ? -value[0] / size + 0.0
                             : 0.0);
        if (l->multipliers) {
            fprintf(out, "%10.6f  ", hypot(l->multipliers[2 * i], l->multipliers[2 * i + 1]));
        }
        const double *share = l->participation + (size_t)i * (size_t)l->state_count;
        int best = 0;
        for (int k = 1; k < l->state_count; ++k) {
            best = share[k] > share[best] + 1e-6 ? k : best;
        }
        if (share[best] > 0.0) {
            lb_cli_put_text(out, l->states[best]);
            fprintf(out, " %.0f%%\n", 100.0 * share[best]);
        } else {
            fprintf(out, "-\n");
        }
    }
}

static void print_summary(FILE *out, const work *w)
{
    const lb_linear *l = w->linear;
    const lb_cli_feedbacks feedbacks = get_feedbacks(w);
    fprintf(out, "%d states, %d input%s, %d output%s\n", l->state_count, l->input_count,
            l->input_count == 1 ? "" : "s", l->output_count, l->output_count == 1 ? "" : "s");
    lb_cli_print_feedbacks(out, &feedbacks);
    lb_cli_print_period(out, l->is_periodic ? l->period : 0.0);
    if (l->averaged[0]) {
        fprintf(out, "mean over the turns of ");
        lb_cli_put_text(out, l->averaged);
        fputc('\n', out);
    }
    print_eigenvalues(out, l);
    lb_cli_print_growth(out, l->growth);
    bool grows = false;
    for (int i = 0; i < l->state_count; ++i) {
        grows = grows || l->eigenvalues[2 * i] > 0.0;
    }
    if (grows && l->stable) {
        fputs(
            "stable as it samples: a pole of the approximation grows; --discrete has the poles of "
            "the loop\n",
            out);
    }
    if (w->margins) {
        fputc('\n', out);
        lb_cli_print_margins(out, w->margins);
    }
}

static double get_magnitude(const double *g)
{
    return hypot(g[0], g[1]);
}

static double get_phase(const double *g)
{
    return atan2(g[1], g[0]) * 360.0 / TWO_PI;
}

// One or two characters that set it off, then "magnitude y / u", of CSV in quotes.
static void put_quotient(FILE *out, const char *what, const char *y, const char *u, bool csv)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%.450s / %.450s", what + 1, y, u);
    fputc(what[0], out);
    if (csv) {
        lb_cli_put_field(out, text, true);
    } else {
        lb_cli_put_text(out, text);
    }
}

// A row a frequency: magnitude and phase of each output by each input.
static void print_response(FILE *out, const work *w, bool csv)
{
    const lb_linear *l = w->linear;
    const int width = l->output_count * l->input_count;
    fprintf(out, csv ? "frequency_hz" : "# columns: frequency, Hz");
    for (int i = 0; i < width; ++i) {
        const char *y = l->outputs[i / l->input_count], *u = l->inputs[i % l->input_count];
        put_quotient(out, csv ? ",magnitude " : "\n#   magnitude and phase in degrees of ", y, u,
                     csv);
        if (csv) {
            put_quotient(out, ",phase_deg ", y, u, csv);
        }
    }
    fputc('\n', out);
    for (int k = 0; k < w->count; ++k) {
        fprintf(out, csv ? "%.17g" : "%14.7g", w->frequencies[k]);
        for (int i = 0; i < width; ++i) {
            const double *g = w->response + 2 * ((size_t)k * (size_t)width + (size_t)i);
            if (isfinite(g[0])) {
                fprintf(out, csv ? ",%.17g,%.17g" : "  %14.7g  %9.4f", get_magnitude(g),
                        get_phase(g));
            } else {
                fprintf(out, csv ? "%s" : "  %14s  %9s", csv ? ",," : "infinite", "-");
            }
        }
        fputc('\n', out);
    }
}

// ---- JSON --------------------------------------------------------------------------------------

static void put_names(lb_cli_json *json, const char *key, int count, const char *const *names)
{
    lb_cli_json_open(json, key, '[');
    for (int i = 0; i < count; ++i) {
        lb_cli_json_string(json, NULL, names[i]);
    }
    lb_cli_json_close(json, ']');
}

static void put_matrix(lb_cli_json *json, const char *key, const double *values, int rows,
                       int columns)
{
    lb_cli_json_matrix(json, key, values, rows, columns);
}

static void put_vector(lb_cli_json *json, const char *key, const double *values, int count)
{
    lb_cli_json_vector(json, key, values, count);
}

static void put_eigenvalues(lb_cli_json *json, const lb_linear *l)
{
    lb_cli_json_open(json, "eigenvalues", '[');
    for (int i = 0; i < l->state_count; ++i) {
        const double *value = l->eigenvalues + 2 * i, size = hypot(value[0], value[1]);
        lb_cli_json_open(json, NULL, '{');
        // z = 0 has none of these
        if (isfinite(size)) {
            put_vector(json, "value", value, 2);
            lb_cli_json_number(json, "frequency_hz", size / TWO_PI);
            lb_cli_json_number(json, "damping_ratio", size > 0.0 ? -value[0] / size + 0.0 : 0.0);
        }
        if (l->multipliers) {
            put_vector(json, "multiplier", l->multipliers + 2 * i, 2);
        }
        put_vector(json, "participation", l->participation + (size_t)i * (size_t)l->state_count,
                   l->state_count);
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
}

// Infinite points of an undamped response are left out: JSON has no number for them.
static void put_response(lb_cli_json *json, const work *w)
{
    const lb_linear *l = w->linear;
    const size_t width = (size_t)l->output_count * (size_t)l->input_count;
    double *list = lb_cli_malloc(((size_t)w->count + 1) * sizeof *list);
    lb_cli_json_open(json, "bode", '[');
    for (size_t i = 0; list && i < width; ++i) {
        static const char *const keys[] = {"frequency_hz", "magnitude", "phase_deg"};
        lb_cli_json_open(json, NULL, '{');
        lb_cli_json_string(json, "output", l->outputs[i / (size_t)l->input_count]);
        lb_cli_json_string(json, "input", l->inputs[i % (size_t)l->input_count]);
        for (int part = 0; part < 3; ++part) {
            int count = 0;
            for (int k = 0; k < w->count; ++k) {
                const double *g = w->response + 2 * ((size_t)k * width + i);
                if (isfinite(g[0])) {
                    list[count++] = part == 0   ? w->frequencies[k]
                                    : part == 1 ? get_magnitude(g)
                                                : get_phase(g);
                }
            }
            put_vector(json, keys[part], list, count);
        }
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, ']');
    free(list);
}

static void print_json(FILE *out, const work *w)
{
    const lb_linear *l = w->linear;
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "model", lb_get_model_name(w->point.setup.model));
    lb_cli_json_number(&json, "t", l->t);
    put_vector(&json, "q", l->q, l->q_count);
    put_vector(&json, "v", l->v, l->v_count);
    put_vector(&json, "a", l->a, l->v_count);
    put_names(&json, "states", n, l->states);
    put_names(&json, "inputs", m, l->inputs);
    put_names(&json, "outputs", p, l->outputs);
    put_vector(&json, "output_values", l->output_values, p);
    put_matrix(&json, "A", l->A, n, n);
    put_matrix(&json, "B", l->B, n, m);
    put_matrix(&json, "C", l->C, p, n);
    put_matrix(&json, "D", l->D, p, m);
    put_eigenvalues(&json, l);
    lb_cli_put_growth(&json, l->stable, l->growth);
    lb_cli_put_changes(&json, l->changes);
    const lb_cli_feedbacks feedbacks = get_feedbacks(w);
    lb_cli_put_feedbacks(&json, &feedbacks);
    if (w->margins) {
        lb_cli_put_margins(&json, w->margins);
    }
    if (w->response) {
        put_response(&json, w);
    }
    lb_cli_write_values(&json, w->point.setup.document);
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

// ---- the command -------------------------------------------------------------------------------

static int compute_response(const lb_cli_arguments *arguments, work *w)
{
    const lb_linear *l = w->linear;
    if (!lb_cli_get_option(arguments, "bode")) {
        return LB_CLI_DONE;
    }
    if (l->input_count == 0 || l->output_count == 0) {
        lb_cli_complain("linearize: --bode needs --input and --signal");
        return LB_CLI_USAGE;
    }
    if (!lb_cli_read_range(arguments, "bode", true, &w->frequencies, &w->count)) {
        return LB_CLI_USAGE;
    }
    w->response = lb_cli_allocate(w->count, 2 * l->input_count * l->output_count, "bode");
    const lb_status status = lb_compute_response(l, w->count, w->frequencies, w->response);
    if (status == LB_E_SINGULAR) {
        lb_cli_complain(
            "warning: a frequency is that of an undamped mode: the response is infinite");
    } else if (status < 0) {
        lb_cli_complain("%s", lb_get_status_text(status));
        return LB_CLI_FAILED;
    }
    return LB_CLI_DONE;
}

static int write(const work *w, form chosen, const char *path)
{
    if (chosen >= MAT) {
        if (!lb_cli_check_output(path)) {
            return LB_CLI_FAILED;
        }
        const lb_report report = lb_cli_make_complaint();
        const lb_status status =
            lb_save_linear(w->linear, w->count, w->frequencies, w->response, path,
                           chosen == MAT ? LB_LINEAR_MAT : LB_LINEAR_HDF5, &report);
        if (status >= 0) {
            lb_cli_say_written(path);
        }
        return status < 0 ? LB_CLI_FAILED : LB_CLI_DONE;
    }
    lb_cli_output output;
    if (!lb_cli_open_output(path, &output)) {
        return LB_CLI_FAILED;
    }
    switch (chosen) {
    case SUMMARY:
        print_summary(output.stream, w);
        break;
    case JSON:
        print_json(output.stream, w);
        break;
    default: {
        // beside the table, which other programs read
        const lb_cli_feedbacks feedbacks = get_feedbacks(w);
        lb_cli_print_feedbacks(stderr, &feedbacks);
        print_response(output.stream, w, chosen == CSV);
        break;
    }
    }
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

static int run(const lb_cli_arguments *arguments, work *w)
{
    lb_linear_options *o = &w->point.options;
    form chosen;
    if (!choose_form(arguments, &chosen)) {
        return LB_CLI_USAGE;
    }
    int result = lb_cli_open_point(arguments, &w->point);
    if (result != LB_CLI_DONE) {
        return result;
    }
    if (!lb_cli_read_names(arguments, "input", &w->names[0]) ||
        !lb_cli_read_names(arguments, "signal", &w->names[1])) {
        return LB_CLI_USAGE;
    }
    if (o->spin >= 0 && !w->point.spin_has_speed) {
        lb_cli_complain("linearize: --spin: expected HINGE=SPEED");
        return LB_CLI_USAGE;
    }
    if (o->period != 0.0 &&
        (lb_cli_get_option(arguments, "bode") || lb_cli_get_option(arguments, "margins"))) {
        lb_cli_complain("linearize: --bode and --margins are of a point: leave --period out");
        return LB_CLI_USAGE;
    }
    const char *path = lb_cli_get_option(arguments, "output");
    if (path && !lb_cli_check_output(path)) {
        return LB_CLI_FAILED;
    }
    if (!lb_cli_get_option(arguments, "format") &&
        !lb_cli_check_ending(arguments, "output", path, ".mat .h5 .hdf5 .json .csv .txt")) {
        lb_cli_complain("linearize: --output is the file; outputs of the model go with --signal");
        return LB_CLI_USAGE;
    }
    o->inputs = w->names[0].names;
    o->input_count = w->names[0].count;
    o->outputs = w->names[1].names;
    o->output_count = w->names[1].count;
    lb_cli_show_waiting("linear model");
    const lb_status status = lb_linearize(w->point.setup.simulation, o, &w->linear);
    lb_cli_clear_progress();
    if (status < 0) {
        return lb_cli_explain_point(&w->point, status);
    }
    lb_cli_warn_of_change(w->linear->changes);
    lb_cli_note_move(w->linear->moved_name, w->linear->moved);
    if (lb_cli_get_option(arguments, "margins")) {
        const lb_status found = lb_compute_margins(w->point.setup.simulation, o, &w->margins);
        if (found < 0) {
            return lb_cli_explain_point(&w->point, found);
        }
    }
    lb_cli_note_friction(&w->point);
    result = compute_response(arguments, w);
    return result != LB_CLI_DONE ? result
                                 : write(w, chosen, lb_cli_get_option(arguments, "output"));
}

int lb_cli_run_linearize(const lb_cli_arguments *arguments)
{
    work w = {0};
    const int result = run(arguments, &w);
    lb_destroy_linear(w.linear);
    lb_destroy_margins(w.margins);
    lb_cli_close_point(&w.point);
    for (int i = 0; i < 2; ++i) {
        lb_cli_free_names(&w.names[i]);
    }
    free(w.frequencies);
    free(w.response);
    return result;
}
