// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber loads RUN...: extremes, their envelope over runs, and spectra of recorded signals.
#include "loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "limber/spectra.h"
#include "output.h"
#include "point.h"
#include "view/recording.h"
#ifdef LB_WITH_VIEW
#include "view/figure.h"
#endif

typedef enum form { TEXT, CSV, JSON, FIGURE } form;

// What is asked for on the command line.
typedef struct request {
    form form;
    const char *output;
    double from, to;     // s
    double segment;      // s; 0 for an eighth of the record
    double *frequencies; // of --srs
    int frequency_count;
} request;

// ---- the command line --------------------------------------------------------------------------

static bool read_request(const lb_cli_arguments *arguments, request *r, lb_cli_loads *loads)
{
    const char *path = lb_cli_get_option(arguments, "output");
    const bool csv = lb_cli_get_option(arguments, "csv"),
               json = lb_cli_get_option(arguments, "json");
    r->output = path;
    r->form = csv                             ? CSV
              : json                          ? JSON
              : !path                         ? TEXT
              : lb_cli_ends_in(path, ".csv")  ? CSV
              : lb_cli_ends_in(path, ".json") ? JSON
              : lb_cli_ends_in(path, ".svg")  ? FIGURE
              : lb_cli_ends_in(path, ".pdf")  ? FIGURE
              : lb_cli_ends_in(path, ".png")  ? FIGURE
                                              : TEXT;
    if (!lb_cli_check_ending(arguments, "output", path, ".csv .json .svg .pdf .png .txt")) {
        return false;
    }
    if (csv && json) {
        lb_cli_complain("loads: --csv or --json, not both");
        return false;
    }
    if (lb_cli_get_option(arguments, "psd") && lb_cli_get_option(arguments, "srs")) {
        lb_cli_complain("loads: --psd or --srs, not both");
        return false;
    }
    loads->kind = lb_cli_get_option(arguments, "psd")   ? LB_CLI_PSD
                  : lb_cli_get_option(arguments, "srs") ? LB_CLI_SRS
                                                        : LB_CLI_EXTREMES;
    if (loads->kind != LB_CLI_EXTREMES && lb_cli_get_option(arguments, "with")) {
        lb_cli_complain("loads: --with goes with extremes, not with spectra");
        return false;
    }
#ifndef LB_WITH_VIEW
    if (r->form == FIGURE) {
        lb_cli_complain("loads: this limber was built without figures");
        return false;
    }
#endif
    return lb_cli_get_number(arguments, "from", -1e300, 1e300, -INFINITY, &r->from) &&
           lb_cli_get_number(arguments, "to", -1e300, 1e300, INFINITY, &r->to) &&
           lb_cli_get_number(arguments, "segment", 1e-12, 1e12, 0.0, &r->segment) &&
           lb_cli_get_number(arguments, "q", 0.500001, 1e6, 10.0, &loads->q) &&
           (loads->kind != LB_CLI_SRS ||
            lb_cli_read_range(arguments, "srs", true, &r->frequencies, &r->frequency_count)) &&
           lb_cli_read_names(arguments, "signal", &loads->signals) &&
           lb_cli_read_names(arguments, "with", &loads->companions);
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
    size_t length = 1;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        char *at = names->text;
        for (int i = 0; i < lb_get_table_count(r->results); ++i) {
            const char *table = lb_get_table_name(r->results, i);
            for (int j = 0; j < lb_get_column_count(r->results, i); ++j) {
                const char *column = lb_get_column_name(r->results, i, j);
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
            if (!names->text || !names->names) {
                lb_cli_complain_of_memory();
                return false;
            }
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
    if (!loads->factors) {
        lb_cli_complain_of_memory();
        return false;
    }
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

// ---- spectra -----------------------------------------------------------------------------------

// Rows are to be equally far apart. The last one need not be: a run may end between two of them.
static bool check_rows(lb_cli_load_run *run)
{
    const double *t = run->times;
    if (run->row_count < 9) {
        lb_cli_complain("%s: %ld rows are too few for a spectrum", run->path, run->row_count);
        return false;
    }
    const double step = t[1] - t[0];
    for (long i = 1; i < run->row_count; ++i) {
        if (!(fabs(t[i] - t[i - 1] - step) <= 1e-6 * step + 1e-12 * fabs(t[i]))) {
            if (i == run->row_count - 1) {
                --run->row_count;
                break;
            }
            lb_cli_complain("%s: rows are %.6g s apart at %.9g s and %.6g s before: a spectrum "
                            "needs equal steps",
                            run->path, t[i] - t[i - 1], t[i], step);
            return false;
        }
    }
    run->step = (t[run->row_count - 1] - t[0]) / (double)(run->row_count - 1);
    return true;
}

// The largest number up to n that is a product of 2, 3 and 5.
static long find_smooth(long n)
{
    for (;; --n) {
        long rest = n;
        for (long p = 2; p <= 5; ++p) {
            while (rest % p == 0) {
                rest /= p;
            }
        }
        if (rest == 1) {
            return n;
        }
    }
}

// Frequencies of a run's spectra.
static bool prepare_spectra(const request *r, lb_cli_loads *loads, lb_cli_load_run *run)
{
    if (!check_rows(run)) {
        return false;
    }
    if (loads->kind == LB_CLI_SRS) {
        run->frequency_count = r->frequency_count;
    } else {
        const double rows =
            r->segment > 0.0 ? r->segment / run->step * (1.0 + 1e-9) : (double)run->row_count / 8.0;
        if (!(rows >= 8.0 || r->segment == 0.0) || !(rows <= (double)run->row_count)) {
            lb_cli_complain("%s: --segment: a segment is to have from 8 rows to all %ld, which "
                            "are %.6g s apart",
                            run->path, run->row_count, run->step);
            return false;
        }
        run->segment = find_smooth(rows < 8.0 ? 8 : (long)rows);
        run->frequency_count = run->segment / 2 + 1;
    }
    run->frequencies = lb_cli_calloc((size_t)run->frequency_count, sizeof *run->frequencies);
    for (long k = 0; run->frequencies && k < run->frequency_count; ++k) {
        run->frequencies[k] = loads->kind == LB_CLI_SRS
                                  ? r->frequencies[k]
                                  : (double)k / ((double)run->segment * run->step);
    }
    return run->frequencies != NULL;
}

static bool compute_spectrum(const lb_cli_loads *loads, const lb_cli_load_run *run, const double *y,
                             const char *name, lb_cli_load *load)
{
    const size_t count = (size_t)run->frequency_count;
    load->spectrum = lb_cli_calloc(count, sizeof *load->spectrum);
    load->negative = lb_cli_calloc(count, sizeof *load->negative);
    if (!load->spectrum || !load->negative) {
        return false;
    }
    const lb_status status =
        loads->kind == LB_CLI_PSD
            ? lb_compute_psd(run->step, run->row_count, y, run->segment, LB_WINDOW_HANN,
                             load->spectrum)
            : lb_compute_shock_spectrum(run->step, run->row_count, y, loads->q, (int)count,
                                        run->frequencies, load->spectrum, load->negative);
    if (status < 0) {
        lb_cli_complain("%s: spectrum of '%s': %s", run->path, name, lb_get_status_text(status));
    }
    return status >= 0;
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
    if (run->times) {
        memcpy(run->times, recording->times + *first, (size_t)run->row_count * sizeof *run->times);
    }
    return run->times != NULL;
}

// Signals of a recording, times their factors: count x rows, from row `first` on.
static bool read_signals(const lb_cli_recording *recording, const lb_cli_names *names,
                         const double *factors, long first, long rows, double *values)
{
    double *whole = lb_cli_calloc((size_t)recording->row_count + 1, sizeof *whole);
    bool good = whole != NULL;
    for (int i = 0; good && i < names->count; ++i) {
        good = lb_cli_read_signal(recording, names->names[i], whole) == LB_CLI_DONE;
        for (long row = 0; good && row < rows; ++row) {
            values[i * rows + row] = factors[i] * whole[first + row];
        }
    }
    free(whole);
    return good;
}

static bool read_loads(const request *r, lb_cli_loads *loads, const lb_cli_recording *recording,
                       lb_cli_load_run *run)
{
    const int count = loads->signals.count, others = loads->companions.count;
    long first = 0;
    run->loads = lb_cli_calloc((size_t)count, sizeof *run->loads);
    if (!run->loads || !choose_rows(r, recording, run, &first)) {
        return false;
    }
    const long rows = run->row_count;
    double *values = lb_cli_calloc((size_t)(count + others), (size_t)rows * sizeof *values);
    double *more = values ? values + (size_t)count * (size_t)rows : NULL;
    bool good =
        values && read_signals(recording, &loads->signals, loads->factors, first, rows, values) &&
        read_signals(recording, &loads->companions, loads->factors + count, first, rows, more) &&
        (loads->kind == LB_CLI_EXTREMES || prepare_spectra(r, loads, run));
    for (int i = 0; good && i < count; ++i) {
        lb_cli_load *load = &run->loads[i];
        const double *y = values + (size_t)i * (size_t)rows;
        const char *name = loads->signals.names[i];
        long at[2];
        good = find_extremes(run->times, y, run->row_count, name, run->path, load, at);
        load->companions = lb_cli_calloc(2 * (size_t)others + 1, sizeof *load->companions);
        good = good && load->companions;
        for (int k = 0; good && k < 2 * others; ++k) {
            load->companions[k] = more[k % others * rows + at[k / others]];
        }
        if (good && loads->kind != LB_CLI_EXTREMES) {
            good = compute_spectrum(loads, run, y, name, load);
        } else if (good && r->form == FIGURE) {
            load->history = lb_cli_malloc((size_t)rows * sizeof *load->history);
            good = load->history != NULL;
            if (good) {
                memcpy(load->history, y, (size_t)rows * sizeof *load->history);
            }
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
    run->path = arguments->operands[i];
    if (!lb_cli_open_recording(run->path, lb_cli_get_option(arguments, "model"),
                               lb_cli_get_option(arguments, "allow-files"), &recording)) {
        return LB_CLI_FAILED;
    }
    bool good = true;
    if (i == 0) {
        good = (lb_cli_get_option(arguments, "signal") ||
                list_loads(&recording, run->path, &loads->signals));
        // --with all: the loads themselves
        if (good && loads->companions.count == 1 &&
            strcmp(loads->companions.names[0], "all") == 0) {
            lb_cli_free_names(&loads->companions);
            loads->companions = loads->signals;
            loads->companions.text = NULL;
            loads->companions.names =
                lb_cli_calloc((size_t)loads->signals.count + 1, sizeof *loads->companions.names);
            for (int k = 0; loads->companions.names && k < loads->signals.count; ++k) {
                loads->companions.names[k] = loads->signals.names[k];
            }
            good = loads->companions.names != NULL;
        }
        good = good && read_factors(arguments, loads);
        loads->units =
            good ? lb_cli_calloc((size_t)loads->signals.count + 1, sizeof *loads->units) : NULL;
        good = good && loads->units;
        for (int k = 0; good && k < loads->signals.count; ++k) {
            loads->units[k] = lb_cli_get_unit(&recording, loads->signals.names[k]);
        }
    }
    good = good && read_loads(r, loads, &recording, run);
    if (good && lb_get_results_ending(recording.results) == 0) {
        lb_cli_complain("%s is not complete: %ld rows", run->path, recording.row_count);
    }
    lb_cli_close_recording(&recording);
    return good ? LB_CLI_DONE : lb_cli_lacks_memory() ? LB_CLI_FAILED : LB_CLI_USAGE;
}

// ---- figures -----------------------------------------------------------------------------------

#ifdef LB_WITH_VIEW
enum { CURVE_MAX = 64 };

static const char *get_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Histories with dots at the extremes of all runs, or spectra on logarithmic axes.
static int draw(const lb_cli_arguments *arguments, const request *r, const lb_cli_loads *loads)
{
    static const char *const x_names[] = {"t [s]", "f [Hz]", "f [Hz]"};
    const int signals = loads->signals.count, dots = loads->kind == LB_CLI_EXTREMES ? signals : 0;
    const int lines = loads->run_count * signals, count = lines + dots;
    char names[CURVE_MAX][LB_CLI_SIGNAL_SIZE], units[CURVE_MAX][32];
    const char *name_list[CURVE_MAX], *unit_list[CURVE_MAX];
    const double *xs[CURVE_MAX];
    double *ys[CURVE_MAX], points[CURVE_MAX][4];
    long counts[CURVE_MAX];
    bool logs[CURVE_MAX], dotted[CURVE_MAX];
    if (count > CURVE_MAX) {
        lb_cli_complain("loads: a figure has at most %d curves, and these are %d: name fewer "
                        "signals with --signal",
                        CURVE_MAX - dots, lines);
        return LB_CLI_USAGE;
    }
    for (int c = 0; c < count; ++c) {
        const int signal = c < lines ? c % signals : c - lines;
        const lb_cli_load_run *run = &loads->runs[c < lines ? c / signals : 0];
        const lb_cli_load *load = &run->loads[signal];
        const char *unit = loads->units[signal];
        snprintf(names[c], sizeof names[c], loads->run_count > 1 ? "%.90s (%.60s)" : "%.90s",
                 loads->signals.names[signal], get_file_name(run->path));
        snprintf(units[c], sizeof units[c],
                 loads->kind != LB_CLI_PSD ? "%.16s"
                 : unit[0]                 ? "(%.16s)²/Hz"
                                           : "1/Hz",
                 unit);
        name_list[c] = names[c];
        unit_list[c] = units[c];
        logs[c] = loads->kind != LB_CLI_EXTREMES;
        dotted[c] = c >= lines;
        xs[c] = logs[c] ? run->frequencies : run->times;
        ys[c] = logs[c] ? load->spectrum : load->history;
        counts[c] = logs[c] ? run->frequency_count : run->row_count;
        if (dotted[c]) {
            for (int k = 0; k < 2; ++k) {
                const lb_cli_load *set =
                    &loads->runs[lb_cli_find_envelope(loads, signal, k)].loads[signal];
                points[c][k] = set->times[k];
                points[c][2 + k] = set->numbers[k];
            }
            name_list[c] = "";
            xs[c] = points[c];
            ys[c] = points[c] + 2;
            counts[c] = 2;
        }
        // the worst of both signs
        for (long k = 0; loads->kind == LB_CLI_SRS && k < counts[c]; ++k) {
            ys[c][k] = fmax(ys[c][k], -load->negative[k]);
        }
    }
    const lb_cli_figure figure = {.title = lb_cli_get_option(arguments, "title"),
                                  .x_name = x_names[loads->kind],
                                  .curve_count = count,
                                  .names = name_list,
                                  .units = unit_list,
                                  .y = ys,
                                  .xs = xs,
                                  .counts = counts,
                                  .x_log = loads->kind != LB_CLI_EXTREMES,
                                  .y_log = logs,
                                  .dots = dotted};
    return lb_cli_draw_figure(&figure, r->output, 300.0) ? LB_CLI_DONE : LB_CLI_FAILED;
}
#endif

// ---- the command -------------------------------------------------------------------------------

static int write(const lb_cli_arguments *arguments, const request *r, const lb_cli_loads *loads)
{
#ifdef LB_WITH_VIEW
    if (r->form == FIGURE) {
        return draw(arguments, r, loads);
    }
#endif
    (void)arguments;
    lb_cli_output output;
    if (!lb_cli_open_output(r->output, &output)) {
        return LB_CLI_FAILED;
    }
    (r->form == CSV    ? lb_cli_print_loads_csv
     : r->form == JSON ? lb_cli_print_loads_json
                       : lb_cli_print_loads)(output.stream, loads);
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

int lb_cli_run_loads(const lb_cli_arguments *arguments)
{
    request r = {.form = TEXT};
    lb_cli_loads loads = {.run_count = arguments->count};
    int result = read_request(arguments, &r, &loads) ? LB_CLI_DONE : LB_CLI_USAGE;
    loads.runs = lb_cli_calloc((size_t)loads.run_count, sizeof *loads.runs);
    result = loads.runs ? result : LB_CLI_FAILED;
    for (int i = 0; i < loads.run_count && result == LB_CLI_DONE; ++i) {
        result = read_run(arguments, &r, &loads, i);
    }
    result = result == LB_CLI_DONE ? write(arguments, &r, &loads) : result;
    if (lb_cli_lacks_memory()) {
        lb_cli_complain_of_memory();
    }
    for (int i = 0; loads.runs && i < loads.run_count; ++i) {
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
    free(r.frequencies);
    lb_cli_free_names(&loads.signals);
    lb_cli_free_names(&loads.companions);
    return result;
}
