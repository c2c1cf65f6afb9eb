// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded tables and computed signals in a page.
#include "console.h"
#include "view/page_writer.h"

#include <math.h>
#include <stdlib.h>

// Every row_stride-th row of a table, column after column.
static double *read_table(const lb_cli_writer *w, int table)
{
    const lb_cli_recording *r = w->page->recording;
    const int width = lb_get_results_info(r->results)->tables[table].column_count;
    double *values = lb_cli_malloc(((size_t)width * (size_t)w->row_count + 1) * sizeof *values);
    double *row = lb_cli_malloc(((size_t)width + 1) * sizeof *row * 64);
    bool good = values && row;
    for (long i = 0; good && i < w->row_count;) {
        const long first = i * w->row_stride;
        const long count = w->row_stride == 1 ? (w->row_count - i < 64 ? w->row_count - i : 64) : 1;
        good = lb_read_table(r->results, table, first, count, row) >= 0;
        for (long k = 0; good && k < count; ++k, ++i) {
            for (int j = 0; j < width; ++j) {
                values[(size_t)j * (size_t)w->row_count + (size_t)i] = row[k * width + j];
            }
        }
    }
    free(row);
    if (!good) {
        free(values);
        values = NULL;
    }
    return values;
}

// Floats of a column less its base, which is returned. The base is the first value if the others hardly differ from it:
// a float alone would lose how a nearly constant signal varies. It is 0 for all others.
static double take_column(float *out, const double *x, long count)
{
    double base = count > 0 && isfinite(x[0]) ? x[0] : 0.0;
    for (long i = 0; i < count; ++i) {
        base = fabs(x[i] - base) > 1e-3 * fabs(base) ? 0.0 : base;
    }
    for (long i = 0; i < count; ++i) {
        out[i] = (float)(x[i] - base);
    }
    return base;
}

// Several columns in a block: a column is found by its block and its place there.
static bool write_columns(lb_cli_writer *w, json_t *columns, const double *values, int width)
{
    const long rows = w->row_count;
    const int most = rows > 0 && rows < LB_CLI_BLOCK_SIZE ? (int)(LB_CLI_BLOCK_SIZE / rows) : 1;
    float *block =
        lb_cli_malloc(((size_t)(most < width ? most : width) * (size_t)rows + 1) * sizeof *block);
    for (int j = 0; block && j < width; j += most) {
        const int part = width - j < most ? width - j : most;
        for (int k = 0; k < part; ++k) {
            json_t *column = json_array_get(columns, (size_t)(j + k));
            const double base =
                take_column(block + k * rows, values + (size_t)(j + k) * (size_t)rows, rows);
            json_object_set_new(column, "block", json_integer(w->block_count));
            json_object_set_new(column, "at", json_integer(k * rows));
            if (base != 0.0) {
                json_object_set_new(column, "base",
                                    json_sprintf("%.17g", base)); // all of its digits
            }
        }
        lb_cli_write_block(w, block, (size_t)part * (size_t)rows * sizeof *block);
    }
    free(block);
    return block != NULL;
}

static json_t *make_column(const lb_cli_recording *r, int table, const char *name)
{
    return json_pack("{s:o,s:o}", "name", lb_cli_make_text(name), "unit",
                     lb_cli_make_text(lb_cli_get_column_unit(r, table, name)));
}

json_t *lb_cli_write_tables(lb_cli_writer *w)
{
    const lb_cli_recording *r = w->page->recording;
    const lb_results_info *info = lb_get_results_info(r->results);
    json_t *tables = json_array();
    for (int i = 1; i < info->table_count; ++i) {
        const int width = info->tables[i].column_count;
        json_t *columns = json_array();
        for (int j = 0; j < width; ++j) {
            json_array_append_new(columns, make_column(r, i, info->tables[i].columns[j]));
        }
        double *values = read_table(w, i);
        if (values && write_columns(w, columns, values, width)) {
            json_array_append_new(tables, json_pack("{s:o,s:o,s:o}", "name",
                                                    lb_cli_make_text(info->tables[i].name), "note",
                                                    lb_cli_make_text(info->tables[i].note),
                                                    "columns", columns));
        } else {
            const char *said = lb_get_results_message(r->results),
                       *why = said[0] ? said : "out of memory";
            lb_cli_complain("table %s is left out: %s", info->tables[i].name, why);
            lb_cli_add_notice(w, "The table %s cannot be read: %s.", info->tables[i].name, why);
            json_decref(columns);
        }
        free(values);
    }
    return tables;
}

bool lb_cli_write_signals(lb_cli_writer *w, json_t *tables, json_t *asked)
{
    const lb_cli_recording *r = w->page->recording;
    json_t *columns = json_array();
    double *values = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *values);
    bool good = values != NULL;
    for (int i = 0; good && i < w->page->signal_count; ++i) {
        const char *name = w->page->signals[i];
        int table;
        json_array_append_new(asked, lb_cli_make_text(name));
        char why[256];
        if (lb_find_column(r->results, name, &table) >= 0 ||
            (w->is_second && !lb_cli_has_signal(r, name, why))) {
            continue;
        }
        good = lb_cli_read_signal(r, name, values) == LB_CLI_DONE;
        if (good) {
            json_t *own = json_pack("[o]", make_column(r, -1, name));
            for (long k = 0; k < w->row_count; ++k) {
                values[k] = values[k * w->row_stride];
            }
            good = write_columns(w, own, values, 1);
            json_array_extend(columns, own);
            json_decref(own);
        }
    }
    if (json_array_size(columns) > 0) {
        json_array_append_new(tables,
                              json_pack("{s:s,s:s,s:o}", "name", "asked", "note",
                                        "computed from the recorded states", "columns", columns));
    } else {
        json_decref(columns);
    }
    free(values);
    return good;
}
