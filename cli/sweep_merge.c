// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of all samples, as CSV or HDF5.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#include "../src/command.h"
#include "output.h"
#include "sweep.h"

// Files of rows are inputs: no table or figure replaces them.
static void note_rows(const char *folder)
{
    DIR *entries = opendir(folder);
    for (const struct dirent *e; entries && (e = readdir(entries));) {
        char path[LB_CLI_ROWS_SIZE + sizeof e->d_name];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (lb_cli_ends_in(path, ".rows")) {
            lb_cli_note_input(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

lb_sweep_table *lb_cli_read_sweep_table(const lb_cli_sweep *s)
{
    lb_sweep_table *table = NULL;
    const lb_report report = lb_cli_make_report(NULL);
    note_rows(s->folder);
    const lb_status status =
        lb_cli_check_memory(lb_read_sweep_table(s->sweep, s->folder, &report, &table));
    if (status < 0) {
        return NULL;
    }
    const int64_t open = table->sample_count - table->done_count - table->failed_count;
    if (open > 0) {
        lb_cli_complain(
            "%lld of %lld samples are not done: limber sweep resume %s goes on%s", (long long)open,
            (long long)table->sample_count, s->plan,
            lb_cli_get_option(s->arguments, "partial") ? "" : "; --partial takes what is there");
        if (!lb_cli_get_option(s->arguments, "partial")) {
            lb_destroy_sweep_table(table);
            return NULL;
        }
    }
    return table;
}

static bool print_csv(FILE *out, const lb_sweep *sweep, const lb_sweep_table *table)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    const int inputs = plan->variation_count, outputs = plan->output_count;
    double *values = lb_cli_calloc((size_t)inputs + 1, sizeof *values);
    fputs("index", out);
    for (int i = 0; i < inputs + outputs; ++i) {
        fputc(',', out);
        lb_cli_put_field(out, i < inputs ? plan->variations[i] : plan->outputs[i - inputs], false);
    }
    fputs(",failure\n", out);
    for (int64_t k = 0; k < table->sample_count; ++k) {
        if (table->states[k] == LB_SAMPLE_OPEN) {
            continue;
        }
        lb_compute_sample(sweep, k, values);
        fprintf(out, "%lld", (long long)k);
        for (int i = 0; i < inputs; ++i) {
            fprintf(out, ",%.17g", values[i]);
        }
        for (int i = 0; i < outputs; ++i) {
            if (table->states[k] == LB_SAMPLE_DONE && !isnan(table->outputs[k * outputs + i])) {
                fprintf(out, ",%.17g", table->outputs[k * outputs + i]);
            } else {
                fputc(',', out);
            }
        }
        fputc(',', out);
        if (table->messages[k]) {
            lb_cli_put_field(out, table->messages[k], true);
        }
        fputc('\n', out);
    }
    free(values);
    return true;
}

int lb_cli_merge_sweep(const lb_cli_sweep *s)
{
    const char *path = lb_cli_get_option(s->arguments, "output");
    if (!lb_cli_check_ending(s->arguments, "output", path, ".csv .h5 .hdf5")) {
        return LB_CLI_USAGE;
    }
    lb_sweep_table *table = lb_cli_read_sweep_table(s);
    if (!table) {
        return LB_CLI_FAILED;
    }
    bool good = false;
    if (path && (lb_cli_ends_in(path, ".h5") || lb_cli_ends_in(path, ".hdf5"))) {
        const lb_report report = lb_cli_make_complaint();
        lb_status status = LB_E_FILE;
        if (lb_cli_check_output(path)) {
            status = lb_save_sweep_table(s->sweep, table, path, &report);
        }
        good = lb_cli_check_memory(status) >= 0;
        if (good) {
            lb_cli_say_written(path);
        }
    } else {
        lb_cli_output output;
        good = lb_cli_open_output(path, &output) &&
               lb_cli_close_output(&output, print_csv(output.stream, s->sweep, table));
    }
    lb_destroy_sweep_table(table);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}
