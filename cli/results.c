// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber results FILE: lists, prints and compares recorded runs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "limber/results.h"
#include "limber/simulate.h"
#include "results_out.h"
#include "view/recording.h"

// ---- printing ------------------------------------------------------------------------------------

void lb_cli_print_audit(FILE *out, const lb_audit *audit, bool with_loops)
{
    const lb_audit a = *audit;
    const double scale = a.energy_scale > 0.0 ? a.energy_scale : 1.0;
    fprintf(out, "time              %.9g s in %.3g s, %.3g s of them on the processor\n", a.time,
            a.wall_time, a.processor_time);
    fprintf(out, "speed             %.3g times real time by the clock, %.3g by the processor\n",
            a.wall_time > 0.0 ? a.time / a.wall_time : 0.0,
            a.processor_time > 0.0 ? a.time / a.processor_time : 0.0);
    fprintf(out, "energy            %.12g J to %.12g J\n", a.energy_start, a.energy_end);
    fprintf(out, "work              forces %.9g J, drives %.9g J, damping %.9g J, locking %.9g J\n",
            a.work_forces, a.work_drives, a.work_damping, a.work_locking);
    fprintf(out, "energy balance    off by %.2e J, %.1e of the largest energy met", a.energy_error,
            fabs(a.energy_error) / scale);
    if (a.motion_energy > 0.0) {
        fprintf(out, ", %.1e of the motion's own", fabs(a.energy_error) / a.motion_energy);
    }
    fprintf(out, "\n");
    if (with_loops) {
        fprintf(out, "loops             off by up to %.2e (m, rad), %.2e (m/s, rad/s)\n",
                a.closure_error, a.closure_speed_error);
        fprintf(out, "work of loops     given motion %.9g J, closing %.9g J, projection %.2e J\n",
                a.work_loops, a.work_closing, a.work_projection);
    }
    fprintf(out, "momentum          changed by %.3e N s, %.3e N m s about the centre of mass\n",
            a.linear_change, a.angular_change);
    fprintf(out, "verdict           %s\n", lb_get_verdict_text(lb_judge_audit(audit)));
    fprintf(out, "steps             %.0f, %.0f rejected, %.0f evaluations", a.steps, a.rejections,
            a.evaluations);
    if (a.jacobians > 0) {
        fprintf(out, ", %.0f Jacobians", a.jacobians);
    }
    fprintf(out, "\n");
    fprintf(out, "events            %.0f\n", a.events);
    fprintf(out, "rows              %.0f\n", a.rows);
}

void lb_cli_put_audit(lb_cli_json *json, const lb_audit *a)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"time", a->time},
                   {"wall_time", a->wall_time},
                   {"processor_time", a->processor_time},
                   {"energy_start", a->energy_start},
                   {"energy_end", a->energy_end},
                   {"work_forces", a->work_forces},
                   {"work_drives", a->work_drives},
                   {"work_damping", a->work_damping},
                   {"work_locking", a->work_locking},
                   {"work_loops", a->work_loops},
                   {"work_closing", a->work_closing},
                   {"work_projection", a->work_projection},
                   {"energy_scale", a->energy_scale},
                   {"motion_energy", a->motion_energy},
                   {"energy_error", a->energy_error},
                   {"energy_bound", a->energy_bound},
                   {"linear_change", a->linear_change},
                   {"linear_bound", a->linear_bound},
                   {"angular_change", a->angular_change},
                   {"angular_bound", a->angular_bound},
                   {"work_error", a->work_error},
                   {"deformation", a->deformation},
                   {"growth", a->growth},
                   {"closure_error", a->closure_error},
                   {"closure_speed_error", a->closure_speed_error},
                   {"quaternion_error", a->quaternion_error},
                   {"steps", a->steps},
                   {"rejections", a->rejections},
                   {"evaluations", a->evaluations},
                   {"jacobians", a->jacobians},
                   {"fallbacks", a->fallbacks},
                   {"events", a->events},
                   {"rows", a->rows}};
    lb_cli_json_open(json, "audit", '{');
    lb_cli_json_string(json, "verdict", lb_get_verdict_text(lb_judge_audit(a)));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (isfinite(numbers[i].value)) {
            lb_cli_json_number(json, numbers[i].name, numbers[i].value);
        }
    }
    lb_cli_json_close(json, '}');
}

// Says why the file could not be read to its end.
static void complain_of(const lb_results *results)
{
    const char *message = lb_get_results_message(results);
    lb_cli_complain("%s",
                    message[0] ? message : "results: out of memory, or no room for the output");
}

bool lb_cli_print_columns(FILE *out, const lb_results *results, const lb_cli_column *columns,
                          int count)
{
    const lb_results_info *info = lb_get_results_info(results);
    const int table_count = info->table_count;
    double **rows = lb_cli_calloc((size_t)table_count, sizeof *rows);
    bool good = true;
    for (int i = 0; i < table_count; ++i) {
        rows[i] = lb_cli_calloc((size_t)info->tables[i].column_count, sizeof **rows);
    }
    // table 0 is time
    fputs("t", out);
    for (int i = 0; i < (columns ? count : table_count); ++i) {
        const int table = columns ? columns[i].table : i;
        const int first = columns ? columns[i].column : 0;
        const int last = columns ? first : info->tables[table].column_count - 1;
        for (int j = first; table > 0 && j <= last; ++j) {
            fputc(',', out);
            lb_cli_put_field(out, info->tables[table].columns[j], false);
        }
    }
    fputc('\n', out);
    for (long row = 0; good && row < info->row_count; ++row) {
        for (int i = 0; good && i < table_count; ++i) {
            good = lb_read_table(results, i, row, 1, rows[i]) >= 0;
        }
        if (!good) {
            break;
        }
        fprintf(out, "%.17g", rows[0][0]);
        for (int i = 0; good && i < (columns ? count : table_count); ++i) {
            const int table = columns ? columns[i].table : i;
            const int first = columns ? columns[i].column : 0;
            const int last = columns ? first : info->tables[table].column_count - 1;
            for (int j = first; table > 0 && j <= last; ++j) {
                fprintf(out, ",%.17g", rows[table][j]);
            }
        }
        fputc('\n', out);
    }
    for (int i = 0; i < table_count; ++i) {
        free(rows[i]);
    }
    free(rows);
    if (!good) {
        lb_cli_complain("the result file cannot be read to its end");
    }
    return good;
}

// What the model was run with: "parameters (of the model)", a line each.
static void list_parameters(const lb_results *results)
{
    const char *text = lb_get_results_info(results)->model;
    lb_document *document = NULL;
    // most models have none: they are not read for it
    if (strstr(text, "parameters")) {
        (void)lb_cli_check_memory(lb_load_document_text(text, strlen(text), "the recorded model",
                                                        LB_FORMAT_AUTO, NULL, NULL, &document));
    }
    const int count = document ? lb_get_parameter_count(document) : 0;
    for (int i = 0; i < count; ++i) {
        lb_parameter p = {.size = sizeof p};
        (void)lb_get_parameter(document, i, &p);
        fputs(i ? "  " : "parameters (of the model)\n  ", stdout);
        lb_cli_put_text(stdout, p.name);
        printf(" = %.15g%s", p.value, p.unit[0] ? " " : "");
        lb_cli_put_text(stdout, p.unit);
        fputc('\n', stdout);
    }
    lb_destroy_document(document);
}

static void list_files(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    for (int i = 0; i < info->file_count; ++i) {
        fputs(i ? "  " : "files (that the model names)\n  ", stdout);
        lb_cli_put_text(stdout, info->files[i]);
        fputc('\n', stdout);
    }
}

static const char *get_ending(const lb_results *results)
{
    static const char *const endings[] = {"not complete", "complete", "stopped by an event",
                                          "ended on request"};
    const int ending = lb_get_results_info(results)->ending;
    return ending >= 0 && ending < 4 ? endings[ending] : "?";
}

static int list_json(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_string(&json, "version", info->version);
    lb_cli_json_string(&json, "model", info->hash);
    lb_cli_json_integer(&json, "rows", info->row_count);
    lb_cli_json_string(&json, "ending", get_ending(results));
    lb_cli_json_open(&json, "files", '[');
    for (int i = 0; i < info->file_count; ++i) {
        lb_cli_json_string(&json, NULL, info->files[i]);
    }
    lb_cli_json_close(&json, ']');
    lb_cli_json_open(&json, "tables", '{');
    for (int i = 0; i < info->table_count; ++i) {
        lb_cli_json_open(&json, info->tables[i].name, '[');
        for (int j = 0; j < info->tables[i].column_count; ++j) {
            lb_cli_json_string(&json, NULL, info->tables[i].columns[j]);
        }
        lb_cli_json_close(&json, ']');
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_open(&json, "events", '[');
    for (int i = 0; i < info->event_count; ++i) {
        double t;
        const char *name;
        if (lb_read_event(results, i, &t, &name) >= 0) {
            lb_cli_json_open(&json, NULL, '{');
            lb_cli_json_number(&json, "t", t);
            lb_cli_json_string(&json, "name", name);
            lb_cli_json_close(&json, '}');
        }
    }
    lb_cli_json_close(&json, ']');
    lb_audit audit = {.size = sizeof audit};
    if (info->ending > 0 && lb_read_audit(results, &audit) >= 0) {
        lb_cli_put_audit(&json, &audit);
    }
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
    return LB_CLI_DONE;
}

static int list(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    const int ending = info->ending;
    char head[160];
    snprintf(head, sizeof head, "limber %.40s, model %.16s..., %ld rows, %s", info->version,
             info->hash, info->row_count, get_ending(results));
    lb_cli_put_text(stdout, head);
    fputc('\n', stdout);
    list_parameters(results);
    list_files(results);
    for (int i = 0; i < info->table_count; ++i) {
        lb_cli_put_text(stdout, info->tables[i].name);
        fputs(" (", stdout);
        lb_cli_put_text(stdout, info->tables[i].note);
        fputs(")\n", stdout);
        for (int j = 0; j < info->tables[i].column_count; ++j) {
            fputs("  ", stdout);
            lb_cli_put_text(stdout, info->tables[i].columns[j]);
            fputc('\n', stdout);
        }
    }
    for (int i = 0; i < info->event_count; ++i) {
        double t;
        const char *name;
        if (lb_read_event(results, i, &t, &name) >= 0) {
            printf("event at %.12g s: ", t);
            lb_cli_put_text(stdout, name);
            fputc('\n', stdout);
        }
    }
    lb_audit audit = {.size = sizeof audit};
    const lb_status audited = ending > 0 ? lb_read_audit(results, &audit) : LB_E_SYNTAX;
    // without one, there is nothing to print
    if (audited < 0 && audited != LB_E_SYNTAX) {
        complain_of(results);
        return LB_CLI_FAILED;
    }
    if (audited >= 0) {
        bool with_loops = false;
        for (int i = 0; i < info->table_count; ++i) {
            with_loops = with_loops || strcmp(info->tables[i].name, "loops") == 0;
        }
        lb_cli_print_audit(stdout, &audit, with_loops);
    }
    return LB_CLI_DONE;
}

// What is to be printed: signals of --print as often as it is given, and the operands behind the file.
static const char *get_printed(const lb_cli_arguments *arguments, int number)
{
    int given = 0;
    while (lb_cli_get_repeated(arguments, "print", given)) {
        ++given;
    }
    if (number < given) {
        return lb_cli_get_repeated(arguments, "print", number);
    }
    number += 1 - given;
    return number < arguments->count ? arguments->operands[number] : NULL;
}

// Recorded columns, and signals that are computed from the recorded states.
static int print_signals(const lb_cli_arguments *arguments, int count)
{
    lb_cli_recording r;
    if (!lb_cli_open_recording(arguments->operands[0], NULL, NULL, &r)) {
        return LB_CLI_FAILED;
    }
    double *values = lb_cli_allocate(count, (int)r.row_count + 1, "signals");
    int status = LB_CLI_DONE;
    for (int i = 0; i < count && status == LB_CLI_DONE; ++i) {
        status = lb_cli_read_signal(&r, get_printed(arguments, i), values + i * r.row_count);
    }
    if (status == LB_CLI_DONE) {
        fputs("t", stdout);
        for (int i = 0; i < count; ++i) {
            fputc(',', stdout);
            lb_cli_put_field(stdout, get_printed(arguments, i), false);
        }
        fputc('\n', stdout);
    }
    for (long row = 0; row < r.row_count && status == LB_CLI_DONE; ++row) {
        printf("%.17g", r.times[row]);
        for (int i = 0; i < count; ++i) {
            printf(",%.17g", values[i * r.row_count + row]);
        }
        putchar('\n');
    }
    free(values);
    lb_cli_close_recording(&r);
    return status;
}

static int print(const lb_cli_arguments *arguments, const lb_results *results)
{
    int count = 0;
    bool recorded = true;
    while (get_printed(arguments, count)) {
        ++count;
    }
    lb_cli_column *columns = lb_cli_calloc((size_t)count, sizeof *columns);
    for (int i = 0; i < count; ++i) {
        columns[i].column = lb_find_column(results, get_printed(arguments, i), &columns[i].table);
        recorded = recorded && columns[i].column >= 0;
    }
    int status = LB_CLI_DONE;
    if (!recorded) {
        status = print_signals(arguments, count);
    } else if (!lb_cli_print_columns(stdout, results, columns, count)) {
        complain_of(results);
        status = LB_CLI_FAILED;
    }
    free(columns);
    return status;
}

// ---- comparing -----------------------------------------------------------------------------------

// A whole table; NULL, after saying why, if memory is out or the file fails.
static double *read_whole(const lb_results *results, int table)
{
    const lb_results_info *info = lb_get_results_info(results);
    const long rows = info->row_count;
    const size_t count = (size_t)rows * (size_t)info->tables[table].column_count;
    double *values = lb_cli_calloc(count, sizeof *values);
    if (lb_read_table(results, table, 0, rows, values) < 0) {
        complain_of(results);
        free(values);
        values = NULL;
    }
    return values;
}

typedef struct comparison {
    long pair_count;
    long *pairs; // row of a, row of b in turn
    double tolerance;
    int compared, differing;
    double worst;
} comparison;

// Largest difference of two columns against tolerance x (1 + largest value).
static void compare_column(comparison *c, const double *a, int a_width, const double *b,
                           int b_width, const char *name)
{
    double largest = 0.0, gap = 0.0;
    long worst = 0;
    for (long i = 0; i < c->pair_count; ++i) {
        const double x = a[c->pairs[2 * i] * a_width], y = b[c->pairs[2 * i + 1] * b_width];
        largest = fmax(largest, fabs(x));
        // a NaN is a difference
        if (!(fabs(x - y) <= gap)) {
            gap = isfinite(x - y) ? fabs(x - y) : INFINITY;
            worst = i;
        }
    }
    ++c->compared;
    const double relative = gap / (1.0 + largest);
    c->worst = fmax(c->worst, relative);
    if (!(relative <= c->tolerance)) {
        ++c->differing;
        const int width = lb_cli_count_columns(name);
        lb_cli_put_text(stdout, name);
        printf("%*s differs by %.3e at row %ld, largest value %.3e\n", width < 40 ? 40 - width : 0,
               "", gap, c->pairs[2 * worst], largest);
    }
}

static bool compare_tables(comparison *c, const lb_results *a, const lb_results *b)
{
    const lb_results_info *a_info = lb_get_results_info(a);
    const lb_results_info *b_info = lb_get_results_info(b);
    for (int i = 1; i < a_info->table_count; ++i) {
        double *mine = read_whole(a, i);
        if (!mine) {
            return false;
        }
        for (int k = 1; k < b_info->table_count; ++k) {
            if (strcmp(a_info->tables[i].name, b_info->tables[k].name) != 0) {
                continue;
            }
            double *other = read_whole(b, k);
            if (!other) {
                free(mine);
                return false;
            }
            const int a_width = a_info->tables[i].column_count,
                      b_width = b_info->tables[k].column_count;
            for (int x = 0; x < a_width; ++x) {
                for (int y = 0; y < b_width; ++y) {
                    if (strcmp(a_info->tables[i].columns[x], b_info->tables[k].columns[y]) == 0) {
                        compare_column(c, mine + x, a_width, other + y, b_width,
                                       a_info->tables[i].columns[x]);
                    }
                }
            }
            free(other);
        }
        free(mine);
    }
    return true;
}

static int compare(const lb_results *a, const lb_results *b, double tolerance)
{
    comparison c = {.tolerance = tolerance};
    const long a_rows = lb_get_results_info(a)->row_count,
               b_rows = lb_get_results_info(b)->row_count;
    double *a_time = read_whole(a, 0), *b_time = read_whole(b, 0);
    c.pairs = lb_cli_calloc((size_t)a_rows * 2 + 1, sizeof *c.pairs);
    bool good = a_time && b_time;
    // rows of equal time, up to round-off
    for (long i = 0, j = 0; good && i < a_rows && j < b_rows;) {
        const double gap = a_time[i] - b_time[j], tiny = 1e-12 * (1.0 + fabs(a_time[i]));
        if (fabs(gap) <= tiny) {
            c.pairs[2 * c.pair_count] = i;
            c.pairs[2 * c.pair_count++ + 1] = j;
        }
        i += gap <= tiny;
        j += gap >= -tiny;
    }
    good = good && compare_tables(&c, a, b);
    if (good) {
        printf("%d columns, %ld common times of %ld and %ld: %d differ by more than %.1e; worst "
               "%.3e\n",
               c.compared, c.pair_count, a_rows, b_rows, c.differing, tolerance, c.worst);
    }
    free(a_time);
    free(b_time);
    free(c.pairs);
    return good && c.differing == 0 && c.pair_count > 0 && c.compared > 0 ? LB_CLI_DONE
                                                                          : LB_CLI_FAILED;
}

// ---- the command ---------------------------------------------------------------------------------

int lb_cli_run_results(const lb_cli_arguments *arguments)
{
    const lb_report report = lb_cli_make_complaint();
    lb_results *results = NULL, *other = NULL;
    const char *against = lb_cli_get_option(arguments, "compare");
    double tolerance;
    if (!lb_cli_get_number(arguments, "tolerance", 0, 1e300, 1e-9, &tolerance)) {
        return LB_CLI_USAGE;
    }
    if (arguments->count > 1 && !lb_cli_get_option(arguments, "print")) {
        lb_cli_complain("results: unexpected '%s'; signals go with --print",
                        arguments->operands[1]);
        return LB_CLI_USAGE;
    }
    int status = LB_CLI_FAILED;
    if (lb_open_results(arguments->operands[0], &report, &results) < 0 ||
        (against && lb_open_results(against, &report, &other) < 0)) {
        status = LB_CLI_FAILED;
    } else if (against) {
        status = compare(results, other, tolerance);
    } else if (lb_cli_get_option(arguments, "print")) {
        status = print(arguments, results);
    } else if (lb_cli_get_option(arguments, "csv")) {
        status = lb_cli_print_columns(stdout, results, NULL, 0) ? LB_CLI_DONE : LB_CLI_FAILED;
        if (status != LB_CLI_DONE) {
            complain_of(results);
        }
    } else {
        status = lb_cli_get_option(arguments, "json") ? list_json(results) : list(results);
    }
    lb_close_results(results);
    lb_close_results(other);
    return status;
}
