// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads as tables, CSV and JSON.
#include <math.h>

#include "console.h"
#include "json_out.h"
#include "loads.h"

static const char *const number_names[LB_CLI_LOAD_COUNT] = {"max", "min", "mean", "rms"};

static const char *get_separator(const lb_cli_loads *loads, int signal)
{
    return loads->units[signal][0] ? ", " : "";
}

// Width of the column of names, units included.
static int find_width(const lb_cli_loads *loads)
{
    int width = 8;
    for (int i = 0; i < loads->signals.count; ++i) {
        const int own = lb_cli_count_columns(loads->signals.names[i]) +
                        lb_cli_count_columns(loads->units[i]) + 2;
        width = own > width ? own : width;
    }
    return width < 60 ? width : 60;
}

// "arm.force.x, N" and blanks up to a width.
static void put_signal(FILE *out, const lb_cli_loads *loads, int signal, int width)
{
    const char *name = loads->signals.names[signal], *unit = loads->units[signal];
    lb_cli_put_text(out, name);
    fprintf(out, "%s%s", get_separator(loads, signal), unit);
    width -= lb_cli_count_columns(name) + lb_cli_count_columns(unit) + (unit[0] ? 2 : 0);
    fprintf(out, "%*s", width > 0 ? width : 0, "");
}

// Width of the column of a companion.
static int get_column(const char *name)
{
    const int columns = lb_cli_count_columns(name);
    return columns > 12 ? columns : 12;
}

static bool has_factors(const lb_cli_loads *loads)
{
    for (int i = 0; i < loads->signals.count + loads->companions.count; ++i) {
        if (loads->factors[i] != 1.0) {
            return true;
        }
    }
    return false;
}

// A companion; of a budget zero if it is round-off of its largest part.
static double get_companion(const lb_cli_loads *loads, const lb_cli_load *load, int n, int k)
{
    const int count = loads->companions.count;
    const double *all = load->companions + (ptrdiff_t)n * count;
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(all[i]));
    }
    return loads->kind == LB_CLI_BUDGET && fabs(all[k]) <= 1e-12 * largest ? 0.0 : all[k];
}

// ---- for people --------------------------------------------------------------------------------

static void print_extremes(FILE *out, const lb_cli_loads *loads)
{
    const int width = find_width(loads);
    const bool factors = has_factors(loads), many = loads->run_count > 1;
    fprintf(out, "%-*s  %4s  %14s  %12s", width, "signal", "", "value", "at s");
    if (factors) {
        fprintf(out, "  %8s", "factor");
    }
    for (int k = 0; k < loads->companions.count; ++k) {
        const char *name = loads->companions.names[k];
        fprintf(out, "  %*s", get_column(name) - lb_cli_count_columns(name), "");
        lb_cli_put_text(out, name);
    }
    fputs(many ? "  run\n" : "\n", out);
    for (int i = 0; i < loads->signals.count; ++i) {
        for (int n = 0; n < LB_CLI_LOAD_COUNT; ++n) {
            const int best = lb_cli_find_envelope(loads, i, n);
            const lb_cli_load *load = &loads->runs[best].loads[i];
            if (n == LB_CLI_MEAN) {
                continue;
            }
            if (n == 0) {
                put_signal(out, loads, i, width);
            } else {
                fprintf(out, "%*s", width, "");
            }
            fprintf(out, "  %4s  %14.7g  ", number_names[n], load->numbers[n]);
            if (n < 2) {
                fprintf(out, "%12.6g", load->times[n]);
            } else {
                fprintf(out, "%12s", "");
            }
            if (factors) {
                fprintf(out, "  %8.4g", loads->factors[i]);
            }
            for (int k = 0; k < loads->companions.count; ++k) {
                const int column = get_column(loads->companions.names[k]);
                if (lb_cli_has_companions(loads, n)) {
                    fprintf(out, "  %*.6g", column, get_companion(loads, load, n, k));
                } else {
                    fprintf(out, "  %*s", column, "");
                }
            }
            if (many) {
                fputs("  ", out);
                lb_cli_put_text(out, loads->runs[best].path);
            }
            fputc('\n', out);
        }
    }
}

static double get_worst(const lb_cli_load *load, long k)
{
    return fmax(load->spectrum[k], -load->negative[k]);
}

// One table per run, one column per signal.
static void print_densities(FILE *out, const lb_cli_loads *loads)
{
    for (int r = 0; r < loads->run_count; ++r) {
        const lb_cli_load_run *run = &loads->runs[r];
        const double line = 1.0 / ((double)run->segment * run->step);
        fputs("# ", out);
        lb_cli_put_text(out, run->path);
        fprintf(out,
                ": power spectral densities, one-sided, per Hz\n"
                "# Hann's window, %ld segments of %.6g s that overlap by half, lines %.6g Hz "
                "apart, mean removed\n",
                (run->row_count - run->segment) / (run->segment / 2) + 1,
                (double)run->segment * run->step, line);
        fprintf(out, "# columns: frequency, Hz");
        for (int i = 0; i < loads->signals.count; ++i) {
            double sum = 0.0;
            for (long k = 0; k < run->frequency_count; ++k) {
                sum += line * run->loads[i].spectrum[k];
            }
            fputs("\n#   ", out);
            put_signal(out, loads, i, 0);
            fprintf(out, ": RMS of all lines %.7g", sqrt(sum));
        }
        fputc('\n', out);
        for (long k = 0; k < run->frequency_count; ++k) {
            fprintf(out, "%14.7g", run->frequencies[k]);
            for (int i = 0; i < loads->signals.count; ++i) {
                fprintf(out, "  %14.7g", run->loads[i].spectrum[k]);
            }
            fputc('\n', out);
        }
    }
}

// One table for all runs: the worst, and which run it is of.
static void print_shocks(FILE *out, const lb_cli_loads *loads)
{
    fprintf(out,
            "# shock response spectra: largest absolute acceleration of either sign, Q = %g\n"
            "# columns: frequency, Hz",
            loads->q);
    for (int i = 0; i < loads->signals.count; ++i) {
        fputs("\n#   ", out);
        put_signal(out, loads, i, 0);
        fputs(loads->run_count > 1 ? ", and the number of the run that sets it" : "", out);
    }
    for (int r = 0; r < loads->run_count && loads->run_count > 1; ++r) {
        fprintf(out, "\n# run %d: ", r + 1);
        lb_cli_put_text(out, loads->runs[r].path);
    }
    fputc('\n', out);
    for (long k = 0; k < loads->runs[0].frequency_count; ++k) {
        fprintf(out, "%14.7g", loads->runs[0].frequencies[k]);
        for (int i = 0; i < loads->signals.count; ++i) {
            int best = 0;
            for (int r = 1; r < loads->run_count; ++r) {
                best = get_worst(&loads->runs[r].loads[i], k) >
                               get_worst(&loads->runs[best].loads[i], k)
                           ? r
                           : best;
            }
            fprintf(out, "  %14.7g", get_worst(&loads->runs[best].loads[i], k));
            if (loads->run_count > 1) {
                fprintf(out, "  %3d", best + 1);
            }
        }
        fputc('\n', out);
    }
}

void lb_cli_print_loads(FILE *out, const lb_cli_loads *loads)
{
    (loads->kind == LB_CLI_PSD   ? print_densities
     : loads->kind == LB_CLI_SRS ? print_shocks
                                 : print_extremes)(out, loads);
}

// ---- CSV ---------------------------------------------------------------------------------------

static void put_head(FILE *out, const lb_cli_loads *loads, int run, int signal)
{
    lb_cli_put_field(out, loads->runs[run].path, false);
    fputc(',', out);
    lb_cli_put_field(out, loads->signals.names[signal], false);
    fprintf(out, ",%s,%.17g,", loads->units[signal], loads->factors[signal]);
}

static void print_spectra_csv(FILE *out, const lb_cli_loads *loads)
{
    const bool shock = loads->kind == LB_CLI_SRS;
    fprintf(out, "run,signal,unit,factor,frequency_hz,%s\n",
            shock ? "largest,smallest" : "density");
    for (int r = 0; r < loads->run_count; ++r) {
        const lb_cli_load_run *run = &loads->runs[r];
        for (int i = 0; i < loads->signals.count; ++i) {
            for (long k = 0; k < run->frequency_count; ++k) {
                put_head(out, loads, r, i);
                fprintf(out, "%.17g,%.17g", run->frequencies[k], run->loads[i].spectrum[k]);
                fprintf(out, shock ? ",%.17g\n" : "\n", run->loads[i].negative[k]);
            }
        }
    }
}

void lb_cli_print_loads_csv(FILE *out, const lb_cli_loads *loads)
{
    if (loads->kind == LB_CLI_PSD || loads->kind == LB_CLI_SRS) {
        print_spectra_csv(out, loads);
        return;
    }
    fputs("run,signal,unit,factor,quantity,value,t,envelope", out);
    for (int k = 0; k < loads->companions.count; ++k) {
        fputc(',', out);
        lb_cli_put_field(out, loads->companions.names[k], false);
    }
    fputc('\n', out);
    for (int r = 0; r < loads->run_count; ++r) {
        for (int i = 0; i < loads->signals.count; ++i) {
            const lb_cli_load *load = &loads->runs[r].loads[i];
            for (int n = 0; n < LB_CLI_LOAD_COUNT; ++n) {
                put_head(out, loads, r, i);
                fprintf(out, "%s,%.17g,", number_names[n], load->numbers[n]);
                if (n < 2) {
                    fprintf(out, "%.17g", load->times[n]);
                }
                fprintf(out, ",%d", lb_cli_find_envelope(loads, i, n) == r);
                for (int k = 0; k < loads->companions.count; ++k) {
                    fputc(',', out);
                    if (lb_cli_has_companions(loads, n)) {
                        fprintf(out, "%.17g", load->companions[n * loads->companions.count + k]);
                    }
                }
                fputc('\n', out);
            }
        }
    }
}

// ---- JSON --------------------------------------------------------------------------------------

static void put_number(lb_cli_json *json, const char *key, double value)
{
    lb_cli_json_number(json, key, value);
}

static void put_string(lb_cli_json *json, const char *key, const char *text)
{
    lb_cli_json_string(json, key, text);
}

// One of the numbers of a signal: {value, t, run, companions}
static void put_extreme(lb_cli_json *json, const lb_cli_loads *loads, int run, int signal, int n)
{
    const lb_cli_load *load = &loads->runs[run].loads[signal];
    lb_cli_json_open(json, number_names[n], '{');
    put_number(json, "value", load->numbers[n]);
    put_string(json, "run", loads->runs[run].path);
    if (n < 2) {
        put_number(json, "t", load->times[n]);
    }
    if (lb_cli_has_companions(loads, n)) {
        lb_cli_json_open(json, loads->kind == LB_CLI_BUDGET ? "parts" : "companions", '{');
        for (int k = 0; k < loads->companions.count; ++k) {
            put_number(json, loads->companions.names[k],
                       load->companions[n * loads->companions.count + k]);
        }
        lb_cli_json_close(json, '}');
    }
    lb_cli_json_close(json, '}');
}

static void put_list(lb_cli_json *json, const char *key, const double *values, long count)
{
    lb_cli_json_vector(json, key, values, (int)count);
}

static void put_spectrum(lb_cli_json *json, const lb_cli_loads *loads, int run, int signal)
{
    const lb_cli_load_run *r = &loads->runs[run];
    put_list(json, "frequency_hz", r->frequencies, r->frequency_count);
    if (loads->kind == LB_CLI_SRS) {
        put_number(json, "q", loads->q);
        put_list(json, "largest", r->loads[signal].spectrum, r->frequency_count);
        put_list(json, "smallest", r->loads[signal].negative, r->frequency_count);
    } else {
        put_string(json, "window", "hann");
        put_number(json, "segment_s", (double)r->segment * r->step);
        put_list(json, "density", r->loads[signal].spectrum, r->frequency_count);
    }
}

void lb_cli_print_loads_json(FILE *out, const lb_cli_loads *loads)
{
    lb_cli_json json = lb_cli_json_start(out);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_open(&json, "signals", '[');
    for (int i = 0; i < loads->signals.count; ++i) {
        lb_cli_json_open(&json, NULL, '{');
        put_string(&json, "signal", loads->signals.names[i]);
        put_string(&json, "unit", loads->units[i]);
        put_number(&json, "factor", loads->factors[i]);
        lb_cli_json_open(&json, "envelope", '{');
        for (int n = 0; n < LB_CLI_LOAD_COUNT; ++n) {
            put_extreme(&json, loads, lb_cli_find_envelope(loads, i, n), i, n);
        }
        lb_cli_json_close(&json, '}');
        lb_cli_json_open(&json, "runs", '[');
        for (int r = 0; r < loads->run_count; ++r) {
            lb_cli_json_open(&json, NULL, '{');
            put_string(&json, "run", loads->runs[r].path);
            for (int n = 0; n < LB_CLI_LOAD_COUNT; ++n) {
                put_extreme(&json, loads, r, i, n);
            }
            if (loads->kind == LB_CLI_PSD || loads->kind == LB_CLI_SRS) {
                put_spectrum(&json, loads, r, i);
            }
            lb_cli_json_close(&json, '}');
        }
        lb_cli_json_close(&json, ']');
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, ']');
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}
