// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "row_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "scratch.h"
#include "setup.h"

// A column that moves less than this part of the largest of its table is judged as if it moved so much.
static const double least_part = 1e-2;
static const double round_off = 1e-12;

// ---- the second run ------------------------------------------------------------------------------

static bool halve(lb_simulation *simulation)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(simulation, &o);
    o.relative_tolerance = fmax(0.5 * o.relative_tolerance, 1e-15);
    double *const others[] = {&o.step,
                              &o.absolute_tolerance,
                              &o.absolute_modes,
                              &o.absolute_angles,
                              &o.absolute_lengths,
                              &o.absolute_mode_rates,
                              &o.absolute_rates,
                              &o.absolute_velocities};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        *others[i] *= 0.5;
    }
    if (lb_set_run_options(simulation, &o) < 0) {
        lb_cli_complain("run: %s", lb_cli_get_message(simulation));
        return false;
    }
    return true;
}

static int stop_if_interrupted(void *user, double t, double duration)
{
    (void)user, (void)t, (void)duration;
    return lb_cli_is_interrupted();
}

static bool run_again(lb_simulation *simulation, const char *path)
{
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.quick = true;
    request.progress = stop_if_interrupted;
    lb_audit audit = {.size = sizeof audit};
    const lb_status status =
        halve(simulation) ? lb_run_simulation(simulation, &request, &audit) : LB_E_ARGUMENT;
    if (status < 0) {
        lb_cli_complain("run: the run with half the tolerance: %s", lb_cli_get_message(simulation));
    }
    return status >= 0 && status != LB_NEWS_INTERRUPTED;
}

// ---- comparing -----------------------------------------------------------------------------------

// A table of both files, row by row.
typedef struct reading {
    const lb_results *results[2];
    int table[2], width;
    long rows;
    double *row[2];
} reading;

static bool read_row(const reading *r, long row)
{
    return lb_read_table(r->results[0], r->table[0], row, 1, r->row[0]) >= 0 &&
           lb_read_table(r->results[1], r->table[1], row, 1, r->row[1]) >= 0;
}

static int find_table(const lb_results *results, const char *name)
{
    const lb_results_info *info = lb_get_results_info(results);
    for (int i = 0; i < info->table_count; ++i) {
        if (strcmp(info->tables[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// How far each column of a table moves from its first value; `scales` has room for these as well.
static bool measure_columns(const reading *r, double *scales)
{
    double largest = 0.0, *first = scales + r->width;
    for (long i = 0; i < r->rows; ++i) {
        if (!read_row(r, i)) {
            return false;
        }
        for (int k = 0; k < r->width; ++k) {
            first[k] = i == 0 ? r->row[0][k] : first[k];
            scales[k] = fmax(scales[k], fabs(r->row[0][k] - first[k]));
            largest = fmax(largest, scales[k]);
        }
    }
    for (int k = 0; k < r->width; ++k) {
        scales[k] = fmax(scales[k], least_part * largest);
    }
    return true;
}

static bool compare_table(const reading *r, const double *times, lb_cli_row_check *check)
{
    double *scales = lb_cli_calloc(2 * (size_t)r->width, sizeof *scales);
    bool good = measure_columns(r, scales);
    for (long i = 0; good && i < r->rows; ++i) {
        good = read_row(r, i);
        for (int k = 0; good && k < r->width; ++k) {
            const double gap = fabs(r->row[0][k] - r->row[1][k]) - round_off * fabs(r->row[0][k]);
            const double change = gap > 0.0 ? gap / scales[k] : 0.0;
            if (!(change <= check->change)) {
                check->change = change;
                check->time = times[i];
                snprintf(check->column, sizeof check->column, "%s",
                         lb_get_results_info(r->results[0])->tables[r->table[0]].columns[k]);
            }
        }
    }
    free(scales);
    return good;
}

// Rows that both have, at equal times: an event may end one a little earlier.
static long count_common(const double *a, long a_count, const double *b, long b_count)
{
    long count = 0;
    while (count < a_count && count < b_count &&
           fabs(a[count] - b[count]) <= round_off * (1.0 + fabs(a[count]))) {
        ++count;
    }
    return count;
}

static double *read_times(const lb_results *results)
{
    const long count = lb_get_results_info(results)->row_count;
    double *times = lb_cli_calloc((size_t)count + 1, sizeof *times);
    if (lb_read_table(results, 0, 0, count, times) < 0) {
        free(times);
        times = NULL;
    }
    return times;
}

static bool compare(const lb_results *a, const lb_results *b, lb_cli_row_check *check)
{
    const lb_results_info *a_info = lb_get_results_info(a);
    static const char *const tables[] = {"q", "v", "energy", "work"};
    double *times[2] = {read_times(a), read_times(b)};
    bool good = times[0] && times[1];
    const long rows = good ? count_common(times[0], a_info->row_count, times[1],
                                          lb_get_results_info(b)->row_count)
                           : 0;
    check->rows = (double)rows;
    for (int i = 0; good && i < 4; ++i) {
        reading r = {.results = {a, b},
                     .table = {find_table(a, tables[i]), find_table(b, tables[i])},
                     .rows = rows};
        if (r.table[0] < 0 || r.table[1] < 0) {
            continue;
        }
        r.width = a_info->tables[r.table[0]].column_count;
        r.row[0] = lb_cli_calloc((size_t)r.width, sizeof(double));
        r.row[1] = lb_cli_calloc((size_t)r.width, sizeof(double));
        good = compare_table(&r, times[0], check);
        free(r.row[0]);
        free(r.row[1]);
    }
    free(times[0]);
    free(times[1]);
    return good;
}

bool lb_cli_check_rows(lb_simulation *other, const char *path, const lb_audit *audit,
                       lb_cli_row_check *check)
{
    lb_run_options o = {.size = sizeof o};
    char folder[LB_CLI_SCRATCH_SIZE], file[LB_CLI_SCRATCH_SIZE + 16];
    *check = (lb_cli_row_check){.change = 0.0};
    lb_get_run_options(other, &o);
    // (TOL-2), of the motion in place of the energy
    check->bound = lb_is_fixed_step(o.integrator)
                       ? 1e-2
                       : fmin(o.relative_tolerance * (1000.0 + 10.0 * audit->steps), 1e-2);
    if (!lb_cli_make_scratch(folder)) {
        return false;
    }
    snprintf(file, sizeof file, "%s/half.h5", folder);
    lb_cli_note_scratch(folder, "half.h5");
    lb_cli_note_scratch(folder, "half.h5.part");
    lb_results *results[2] = {NULL, NULL};
    const lb_report report = lb_cli_make_complaint();
    const bool good = run_again(other, file) && lb_open_results(path, &report, &results[0]) >= 0 &&
                      lb_open_results(file, &report, &results[1]) >= 0 &&
                      compare(results[0], results[1], check);
    lb_close_results(results[0]);
    lb_close_results(results[1]);
    lb_cli_remove_scratch(folder);
    return good;
}
