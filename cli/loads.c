// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber loads RUN...: extremes, their envelope over runs, and spectra of recorded signals.
#include "loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "output.h"
#include "point.h"
#include "progress.h"
#include "view/recording.h"

// What is asked for on the command line.
typedef struct request {
    lb_cli_form form;
    const char *output;
    const char *hinge; // of --budget
    double from, to;   // s
} request;

// ---- the command line --------------------------------------------------------------------------

static bool read_request(const lb_cli_arguments *arguments, request *r, lb_cli_loads *loads)
{
    r->output = lb_cli_get_option(arguments, "output");
    if (!lb_cli_choose_form(arguments, &r->form)) {
        return false;
    }
    if (lb_cli_get_option(arguments, "psd") && lb_cli_get_option(arguments, "srs")) {
        lb_cli_complain("loads: --psd or --srs, not both");
        return false;
    }
    r->hinge = lb_cli_get_option(arguments, "budget");
    loads->kind = r->hinge                              ? LB_CLI_BUDGET
                  : lb_cli_get_option(arguments, "psd") ? LB_CLI_PSD
                  : lb_cli_get_option(arguments, "srs") ? LB_CLI_SRS
                                                        : LB_CLI_EXTREMES;
    if (loads->kind != LB_CLI_EXTREMES && !r->hinge && lb_cli_get_option(arguments, "with")) {
        lb_cli_complain("loads: --with goes with extremes, not with spectra");
        return false;
    }
    static const char *const others[] = {"signal", "with", "psd", "srs"};
    for (size_t i = 0; r->hinge && i < sizeof others / sizeof *others; ++i) {
        if (lb_cli_get_option(arguments, others[i])) {
            lb_cli_complain("loads: --budget or --%s, not both", others[i]);
            return false;
        }
    }
    if (r->hinge && r->form == LB_CLI_FIGURE) {
        lb_cli_complain("loads: a budget is a table: .csv, .json or .txt");
        return false;
    }
    if (r->hinge) {
        lb_cli_name_budget(r->hinge, loads);
    }
    return lb_cli_get_number(arguments, "from", -1e300, 1e300, -INFINITY, &r->from) &&
           lb_cli_get_number(arguments, "to", -1e300, 1e300, INFINITY, &r->to) &&
           lb_cli_get_number(arguments, "segment", 1e-12, 1e12, 0.0, &loads->segment) &&
           lb_cli_get_number(arguments, "q", 0.500001, 1e6, 10.0, &loads->q) &&
           (loads->kind != LB_CLI_SRS ||
            lb_cli_read_range(arguments, "srs", true, &loads->frequencies,
                              &loads->frequency_count)) &&
           (r->hinge || (lb_cli_read_names(arguments, "signal", &loads->signals) &&
                         lb_cli_read_names(arguments, "with", &loads->companions)));
}

// Loads that a file has: columns of reactions, of forces of loops and of signals.
static bool is_load(const char *table, const char *column)
{
    return strcmp(table, "reactions") == 0 || strcmp(table, "signals") == 0 ||
           (strcmp(table, "loops") == 0 &&
            (strstr(column, ".force.") || strstr(column, ".moment.")));
}

// Without --signal: all loads that the run has recorded. False after saying why.
static bool list_loads(const lb_cli_recording *r, const char *path, lb_cli_names *names)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    size_t length = 1;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        char *at = names->text;
        for (int i = 0; i < info->table_count; ++i) {
            const char *table = info->tables[i].name;
            for (int j = 0; j < info->tables[i].column_count; ++j) {
                const char *column = info->tables[i].columns[j];
                const size_t size = strlen(column) + 1;
                if (!is_load(table, column)) {
                    continue;
                }
                if (pass == 0) {
                    length += size;
                    ++count;
                } else {
                    names->names[names->count++] = memcpy(at, column, size);
                    at += size;
                }
            }
        }
        if (pass == 0) {
            lb_cli_free_names(names);
            names->text = lb_cli_malloc(length);
            names->names = lb_cli_calloc((size_t)count + 1, sizeof *names->names);
            names->count = 0;
        }
    }
    if (count == 0) {
        lb_cli_complain("%s: neither reactions nor signals are recorded; name some with --signal",
                        path);
    }
    return count > 0;
}

// Whether a signal is one that a factor is meant for: its name, or a star at the end for all that start so.
static bool is_meant(const char *pattern, size_t length, const char *name)
{
    if (length > 0 && pattern[length - 1] == '*') {
        return strncmp(pattern, name, length - 1) == 0;
    }
    return strlen(name) == length && strncmp(pattern, name, length) == 0;
}

// --factor X for all, --factor SIGNAL=X for some; the last one that fits counts.
static bool read_factors(const lb_cli_arguments *arguments, lb_cli_loads *loads)
{
    const int count = loads->signals.count, all = count + loads->companions.count;
    loads->factors = lb_cli_calloc((size_t)all + 1, sizeof *loads->factors);
    for (int i = 0; i < all; ++i) {
        loads->factors[i] = 1.0;
    }
    const char *text;
    for (int number = 0; (text = lb_cli_get_repeated(arguments, "factor", number)); ++number) {
        const char *equals = strrchr(text, '=');
        char *end;
        const double factor = strtod(equals ? equals + 1 : text, &end);
        bool used = !equals;
        if (*end || end == (equals ? equals + 1 : text) || !(factor > 0.0) || !isfinite(factor)) {
            lb_cli_complain("loads: --factor: '%s' given, expected a number above zero, or "
                            "SIGNAL=NUMBER",
                            text);
            return false;
        }
        for (int i = 0; i < all; ++i) {
            const char *name =
                i < count ? loads->signals.names[i] : loads->companions.names[i - count];
            if (!equals || is_meant(text, (size_t)(equals - text), name)) {
                loads->factors[i] = factor;
                used = true;
            }
        }
        if (!used) {
            lb_cli_complain("loads: --factor: no signal '%.*s' among those that are asked for",
                            (int)(equals - text), text);
            return false;
        }
    }
    return true;
}

// ---- extremes ----------------------------------------------------------------------------------

// Extremes, and mean and RMS over time by the trapezoidal rule.
static bool find_extremes(const double *t, const double *y, long count, const char *name,
                          const char *path, lb_cli_load *load, long at[2])
{
    double sum = 0.0, square = 0.0;
    at[0] = at[1] = 0;
    for (long i = 0; i < count; ++i) {
        if (!isfinite(y[i])) {
            lb_cli_complain("%s: '%s' is not a finite number at %.9g s", path, name, t[i]);
            return false;
        }
        at[0] = y[i] > y[at[0]] ? i : at[0];
        at[1] = y[i] < y[at[1]] ? i : at[1];
        if (i > 0) {
            sum += 0.5 * (t[i] - t[i - 1]) * (y[i] + y[i - 1]);
            square += 0.5 * (t[i] - t[i - 1]) * (y[i] * y[i] + y[i - 1] * y[i - 1]);
        }
    }
    const double span = t[count - 1] - t[0];
    load->numbers[LB_CLI_LARGEST] = y[at[0]];
    load->numbers[LB_CLI_SMALLEST] = y[at[1]];
    load->numbers[LB_CLI_MEAN] = span > 0.0 ? sum / span : y[0];
    load->numbers[LB_CLI_RMS] = span > 0.0 ? sqrt(square / span) : fabs(y[0]);
    load->times[0] = t[at[0]];
    load->times[1] = t[at[1]];
    return true;
}

int lb_cli_find_envelope(const lb_cli_loads *loads, int signal, int number)
{
    int best = 0;
    for (int i = 1; i < loads->run_count; ++i) {
        const double a = loads->runs[i].loads[signal].numbers[number],
                     b = loads->runs[best].loads[signal].numbers[number];
        const bool beyond = number == LB_CLI_SMALLEST ? a < b
                            : number == LB_CLI_MEAN   ? fabs(a) > fabs(b)
                                                      : a > b;
        best = beyond ? i : best;
    }
    return best;
}

// ---- one run -----------------------------------------------------------------------------------

// Rows between --from and --to.
static bool choose_rows(const request *r, const lb_cli_recording *recording, lb_cli_load_run *run,
                        long *first)
{
    long last = recording->row_count - 1;
    *first = 0;
    while (*first <= last && recording->times[*first] < r->from) {
        ++*first;
    }
    while (last >= *first && recording->times[last] > r->to) {
        --last;
    }
    run->row_count = last - *first + 1;
    if (run->row_count <= 0) {
        lb_cli_complain("%s: no rows%s", run->path,
                        recording->row_count ? " between --from and --to" : " are recorded yet");
        return false;
    }
    run->times = lb_cli_malloc((size_t)run->row_count * sizeof *run->times);
    memcpy(run->times, recording->times + *first, (size_t)run->row_count * sizeof *run->times);
    return true;
}

// Signals of a recording, times their factors: count x rows, from row `first` on.
static bool read_signals(const lb_cli_recording *recording, const lb_cli_names *names,
                         const double *factors, long first, long rows, double *values)
{
    double *whole = lb_cli_calloc((size_t)recording->row_count + 1, sizeof *whole);
    bool good = true;
    for (int i = 0; good && i < names->count; ++i) {
        good = lb_cli_read_signal(recording, names->names[i], whole) == LB_CLI_DONE;
        for (long row = 0; good && row < rows; ++row) {
            values[i * rows + row] = factors[i] * whole[first + row];
        }
    }
    free(whole);
    return good;
}

// A reaction and its parts, each with its own extremes: of the parts, their values at those of the reaction, and
// their own mean and RMS.
static bool read_budget(const request *r, const lb_cli_loads *loads,
                        const lb_cli_recording *recording, long first, lb_cli_load_run *run)
{
    const int count = loads->signals.count, others = loads->companions.count;
    const long rows = run->row_count;
    double *values =
        lb_cli_calloc((size_t)count * (size_t)(1 + others), (size_t)rows * sizeof *values);
    bool good =
        lb_cli_read_budget(recording, run->path, r->hinge, loads->factors, first, rows, values);
    for (int i = 0; good && i < count; ++i) {
        lb_cli_load *load = &run->loads[i], part;
        const double *y = values + (ptrdiff_t)(1 + others) * i * rows;
        const char *name = loads->signals.names[i];
        long at[2], own[2];
        load->companions =
            lb_cli_calloc((size_t)LB_CLI_LOAD_COUNT * (size_t)others, sizeof *load->companions);
        good = find_extremes(run->times, y, rows, name, run->path, load, at);
        for (int k = 0; good && k < others; ++k) {
            const double *x = y + (k + 1) * rows;
            good = find_extremes(run->times, x, rows, name, run->path, &part, own);
            for (int n = 0; n < LB_CLI_LOAD_COUNT; ++n) {
                load->companions[n * others + k] = n < 2 ? x[at[n]] : part.numbers[n];
            }
        }
    }
    free(values);
    return good;
}

static bool read_loads(const request *r, const lb_cli_loads *loads,
                       const lb_cli_recording *recording, long first, lb_cli_load_run *run)
{
    const int count = loads->signals.count, others = loads->companions.count;
    const long rows = run->row_count;
    double *values = lb_cli_calloc((size_t)(count + others), (size_t)rows * sizeof *values);
    double *more = values + (size_t)count * (size_t)rows;
    bool good =
        read_signals(recording, &loads->signals, loads->factors, first, rows, values) &&
        read_signals(recording, &loads->companions, loads->factors + count, first, rows, more) &&
        (loads->kind == LB_CLI_EXTREMES || lb_cli_prepare_spectra(loads, run));
    for (int i = 0; good && i < count; ++i) {
        lb_cli_load *load = &run->loads[i];
        const double *y = values + (size_t)i * (size_t)rows;
        const char *name = loads->signals.names[i];
        long at[2];
        good = find_extremes(run->times, y, run->row_count, name, run->path, load, at);
        load->companions = lb_cli_calloc(2 * (size_t)others + 1, sizeof *load->companions);
        for (int k = 0; good && k < 2 * others; ++k) {
            load->companions[k] = more[k % others * rows + at[k / others]];
        }
        if (good && loads->kind != LB_CLI_EXTREMES) {
            good = lb_cli_compute_spectrum(loads, run, y, name, load);
        } else if (good && r->form == LB_CLI_FIGURE) {
            load->history = lb_cli_malloc((size_t)rows * sizeof *load->history);
            memcpy(load->history, y, (size_t)rows * sizeof *load->history);
        }
    }
    free(values);
    return good;
}

// Opens a run, settles what is asked for with the first of them, and reads it.
static int read_run(const lb_cli_arguments *arguments, const request *r, lb_cli_loads *loads, int i)
{
    lb_cli_recording recording;
    lb_cli_load_run *run = &loads->runs[i];
    lb_cli_show_progress("runs", (double)i / arguments->count);
    run->path = arguments->operands[i];
    if (!lb_cli_open_recording(run->path, lb_cli_get_option(arguments, "model"),
                               lb_cli_get_option(arguments, "allow-files"), &recording)) {
        return LB_CLI_FAILED;
    }
    bool good = true;
    if (i == 0) {
        good = (r->hinge || lb_cli_get_option(arguments, "signal") ||
                list_loads(&recording, run->path, &loads->signals));
        // --with all: the loads themselves
        if (good && loads->companions.count == 1 &&
            strcmp(loads->companions.names[0], "all") == 0) {
            lb_cli_free_names(&loads->companions);
            loads->companions = loads->signals;
            loads->companions.text = NULL;
            loads->companions.names =
                lb_cli_calloc((size_t)loads->signals.count + 1, sizeof *loads->companions.names);
            for (int k = 0; k < loads->signals.count; ++k) {
                loads->companions.names[k] = loads->signals.names[k];
            }
        }
        good = good && read_factors(arguments, loads);
        loads->units =
            good ? lb_cli_calloc((size_t)loads->signals.count + 1, sizeof *loads->units) : NULL;
        for (int k = 0; good && k < loads->signals.count; ++k) {
            loads->units[k] = lb_cli_get_unit(&recording, loads->signals.names[k]);
        }
    }
    long first = 0;
    run->loads = good ? lb_cli_calloc((size_t)loads->signals.count, sizeof *run->loads) : NULL;
    good = good && choose_rows(r, &recording, run, &first) &&
           (r->hinge ? read_budget : read_loads)(r, loads, &recording, first, run);
    if (good && lb_get_results_info(recording.results)->ending == 0) {
        lb_cli_complain("%s is not complete: %ld rows", run->path, recording.row_count);
    }
    lb_cli_close_recording(&recording);
    return good ? LB_CLI_DONE : LB_CLI_USAGE;
}

// ---- the command -------------------------------------------------------------------------------

static int write(const lb_cli_arguments *arguments, const request *r, const lb_cli_loads *loads)
{
#ifdef LB_WITH_VIEW
    if (r->form == LB_CLI_FIGURE) {
        return lb_cli_draw_loads(r->output, lb_cli_get_option(arguments, "title"), loads);
    }
#endif
    (void)arguments;
    lb_cli_output output;
    if (!lb_cli_open_output(r->output, &output)) {
        return LB_CLI_FAILED;
    }
    (r->form == LB_CLI_CSV    ? lb_cli_print_loads_csv
     : r->form == LB_CLI_JSON ? lb_cli_print_loads_json
                              : lb_cli_print_loads)(output.stream, loads);
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

int lb_cli_run_loads(const lb_cli_arguments *arguments)
{
    request r = {.form = LB_CLI_TEXT};
    lb_cli_loads loads = {.run_count = arguments->count};
    int result = read_request(arguments, &r, &loads) ? LB_CLI_DONE : LB_CLI_USAGE;
    loads.runs = lb_cli_calloc((size_t)loads.run_count, sizeof *loads.runs);
    for (int i = 0; i < loads.run_count && result == LB_CLI_DONE; ++i) {
        result = read_run(arguments, &r, &loads, i);
    }
    lb_cli_clear_progress();
    result = result == LB_CLI_DONE ? write(arguments, &r, &loads) : result;
    for (int i = 0; i < loads.run_count; ++i) {
        lb_cli_load_run *run = &loads.runs[i];
        for (int k = 0; run->loads && k < loads.signals.count; ++k) {
            free(run->loads[k].companions);
            free(run->loads[k].history);
            free(run->loads[k].spectrum);
            free(run->loads[k].negative);
        }
        free(run->loads);
        free(run->times);
        free(run->frequencies);
    }
    free(loads.runs);
    free(loads.units);
    free(loads.factors);
    free(loads.frequencies);
    lb_cli_free_names(&loads.signals);
    lb_cli_free_names(&loads.companions);
    return result;
}
