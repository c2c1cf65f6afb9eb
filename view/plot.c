// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber plot RESULT SIGNAL...: recorded signals as a figure, or as text on the terminal.
#define _POSIX_C_SOURCE 200809L
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "console.h"
#include "output.h"
#include "view/figure.h"
#include "view/recording.h"

enum { CURVE_MAX = 64 };

typedef struct curves {
    const char *names[CURVE_MAX];
    const char *units[CURVE_MAX];
    double *y[CURVE_MAX];
    int count;
} curves;

// An exit status, after saying what is wrong.
static int read_curve(const lb_cli_recording *r, const char *name, curves *c)
{
    if (c->count == CURVE_MAX) {
        lb_cli_complain("plot: more than %d signals", CURVE_MAX);
        return LB_CLI_USAGE;
    }
    double *y = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *y);
    if (!y) {
        lb_cli_run_out();
        return LB_CLI_FAILED;
    }
    c->y[c->count] = y;
    c->names[c->count] = name;
    c->units[c->count++] = lb_cli_get_unit(r, name);
    return lb_cli_read_signal(r, name, y);
}

static bool has_curve(const curves *c, const char *name)
{
    for (int i = 0; i < c->count; ++i) {
        if (strcmp(c->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// All columns that a pattern such as "arm.*" fits, or the one signal of that name. An exit status.
static int read_curves(const lb_cli_recording *r, const char *name, curves *c)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    bool any = false;
    for (int i = 0; strpbrk(name, "*?[") && i < info->table_count; ++i) {
        for (int j = 0; j < info->tables[i].column_count; ++j) {
            const char *column = info->tables[i].columns[j];
            if (i == 0 || fnmatch(name, column, 0) != 0) {
                continue;
            }
            any = true;
            // a column may be in two tables
            const int status = has_curve(c, column) ? LB_CLI_DONE : read_curve(r, column, c);
            if (status != LB_CLI_DONE) {
                return status;
            }
        }
    }
    return any ? LB_CLI_DONE : read_curve(r, name, c);
}

static void list_columns(const lb_cli_recording *r)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    printf("columns of %ld rows, to be plotted by name or by a pattern such as '*.angle':\n",
           r->row_count);
    for (int i = 1; i < info->table_count; ++i) {
        for (int j = 0; j < info->tables[i].column_count; ++j) {
            fputs("  ", stdout);
            lb_cli_put_text(stdout, info->tables[i].columns[j]);
            fputc('\n', stdout);
        }
    }
}

// The first coordinates or, of a model that has none, the first columns.
static int read_first(const lb_cli_recording *r, curves *c)
{
    const lb_results_info *info = lb_get_results_info(r->results);
    enum { MOST = 6 };
    const int table = r->q_table >= 0 ? r->q_table : 1;
    const int count = table < info->table_count ? info->tables[table].column_count : 0;
    for (int i = 0; i < count && i < MOST; ++i) {
        const int status = read_curve(r, info->tables[table].columns[i], c);
        if (status != LB_CLI_DONE) {
            return status;
        }
    }
    return LB_CLI_DONE;
}

// Width of the terminal, or of a page of text.
static int get_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) {
        return size.ws_col < 160 ? size.ws_col : 160;
    }
    return 80;
}

// One text plot for each unit.
static void print_by_unit(const lb_cli_figure *figure)
{
    bool done[CURVE_MAX] = {false};
    for (int i = 0; i < figure->curve_count; ++i) {
        const char *names[CURVE_MAX], *units[CURVE_MAX];
        double *y[CURVE_MAX];
        lb_cli_figure part = *figure;
        part.curve_count = 0;
        part.names = names;
        part.units = units;
        part.y = y;
        for (int k = i; k < figure->curve_count; ++k) {
            if (!done[k] && strcmp(figure->units[k], figure->units[i]) == 0) {
                names[part.curve_count] = figure->names[k];
                units[part.curve_count] = figure->units[k];
                y[part.curve_count++] = figure->y[k];
                done[k] = true;
            }
        }
        if (part.curve_count > 0) {
            lb_cli_print_figure(stdout, &part, get_columns(), 18);
        }
    }
}

// The curves with their ranges, and the file.
static void print_json(const lb_cli_figure *figure)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_put_written(&json);
    lb_cli_json_integer(&json, "rows", figure->count);
    lb_cli_json_open(&json, "signals", '[');
    for (int i = 0; i < figure->curve_count; ++i) {
        double low = 0.0, high = 0.0;
        lb_cli_find_range(figure->y[i], figure->count, &low, &high);
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_json_string(&json, "name", figure->names[i]);
        lb_cli_json_string(&json, "unit", figure->units[i]);
        lb_cli_json_number(&json, "low", low);
        lb_cli_json_number(&json, "high", high);
        lb_cli_json_close(&json, '}');
    }
    lb_cli_json_close(&json, ']');
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

static int plot(const lb_cli_arguments *arguments, const lb_cli_recording *r, curves *c)
{
    double width, height, dpi, from, to;
    if (!lb_cli_get_number(arguments, "width", 20, 2000, 0.0, &width) ||
        !lb_cli_get_number(arguments, "height", 20, 2000, 0.0, &height) ||
        !lb_cli_get_number(arguments, "dpi", 20, 2400, 300.0, &dpi) ||
        !lb_cli_get_number(arguments, "from", -1e300, 1e300, NAN, &from) ||
        !lb_cli_get_number(arguments, "to", -1e300, 1e300, NAN, &to)) {
        return LB_CLI_USAGE;
    }
    const char *output = lb_cli_get_option(arguments, "output");
    if (output && !lb_cli_ends_in(output, ".svg") && !lb_cli_ends_in(output, ".pdf") &&
        !lb_cli_ends_in(output, ".png")) {
        lb_cli_complain(
            "plot: --output: '%s' given, expected a name that ends in .svg, .pdf or .png", output);
        return LB_CLI_USAGE;
    }
    if (r->row_count == 0) {
        lb_cli_complain("%s: no rows are recorded yet", arguments->operands[0]);
        return LB_CLI_FAILED;
    }
    for (int i = 1; i < arguments->count; ++i) {
        const int status = read_curves(r, arguments->operands[i], c);
        if (status != LB_CLI_DONE) {
            return status;
        }
    }
    if (arguments->count == 1) {
        if (!output && lb_cli_is_talking()) {
            list_columns(r);
        }
        const int status = read_first(r, c);
        if (status != LB_CLI_DONE) {
            return status;
        }
    }
    // the axis: time, or the signal of --x
    const char *over = lb_cli_get_option(arguments, "x");
    char x_name[LB_CLI_SIGNAL_SIZE + 16] = "t [s]";
    const double *x = r->times;
    if (over) {
        const int status = read_curve(r, over, c);
        if (status != LB_CLI_DONE) {
            return status;
        }
        const char *unit = c->units[--c->count];
        x = c->y[c->count];
        snprintf(x_name, sizeof x_name, "%s%s%s%s", over, unit[0] ? " [" : "", unit,
                 unit[0] ? "]" : "");
    }
    lb_cli_figure figure = {.title = lb_cli_get_option(arguments, "title"),
                            .x_name = x_name,
                            .count = r->row_count,
                            .x = x,
                            .curve_count = c->count,
                            .names = c->names,
                            .units = c->units,
                            .y = c->y,
                            .width = width,
                            .height = height};
    lb_cli_find_range(x, r->row_count, &figure.x_low, &figure.x_high);
    figure.x_low = isnan(from) ? figure.x_low : from;
    figure.x_high = isnan(to) ? figure.x_high : to;
    if (!(figure.x_low <= figure.x_high)) {
        lb_cli_complain("plot: there is nothing between --from and --to");
        return LB_CLI_USAGE;
    }
    const bool json = lb_cli_get_option(arguments, "json") != NULL;
    if (output && !lb_cli_draw_figure(&figure, output, dpi)) {
        return LB_CLI_FAILED;
    }
    if (json) {
        print_json(&figure);
    }
    if (output || json) {
        return LB_CLI_DONE;
    }
    print_by_unit(&figure);
    return ferror(stdout) ? LB_CLI_FAILED : LB_CLI_DONE;
}

int lb_cli_run_plot(const lb_cli_arguments *arguments)
{
    lb_cli_recording recording;
    if (lb_cli_get_option(arguments, "json")) {
        lb_cli_collect_written();
    }
    if (!lb_cli_open_asked_recording(arguments, &recording)) {
        return LB_CLI_FAILED;
    }
    curves c = {.count = 0};
    const int result = plot(arguments, &recording, &c);
    for (int i = 0; i < CURVE_MAX; ++i) {
        free(c.y[i]);
    }
    if (lb_get_results_info(recording.results)->ending == 0) {
        lb_cli_complain("%s is not complete: %ld rows", arguments->operands[0],
                        recording.row_count);
    }
    lb_cli_close_recording(&recording);
    return result;
}
