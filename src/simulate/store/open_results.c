// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a file of results: its tables, events and kept files are found, and what it says of itself is checked.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "results_file.h"

enum {
    KEPT_NAME_MAX = 256,
    EVENT_MAX = 1000000 // a hundred times what a run records
};

static void close_table(lb_results_table *t)
{
    free(t->columns);
    free(t->note);
    *t = (lb_results_table){.column_count = 0};
}

// Rows of a file that was cut off end where the bytes of `time` or `q` do; false for another table that
// does not have them all.
static bool limit_rows(lb_results *results, const lb_results_table *t)
{
    const uint64_t size = results->access->reader.size, at = t->data.at;
    const uint64_t row = (uint64_t)t->column_count * sizeof(double);
    const int64_t rows = at < size ? (int64_t)((size - at) / row) : 0;
    if (rows >= results->counters[LB_COUNTER_ROWS]) {
        return true;
    }
    if (rows > 0 && (strcmp(t->name, "time") == 0 || strcmp(t->name, "q") == 0)) {
        results->counters[LB_COUNTER_ROWS] = rows;
        return true;
    }
    return false;
}

// Whether the table has a row for each time, and a name for each column.
static lb_status check_shape(const lb_results *results, const lb_results_table *t)
{
    const lb_hdf5_array *a = &t->data;
    const int64_t rows = results->counters[LB_COUNTER_ROWS];
    if (a->kind != LB_HDF5_DOUBLE || a->rank != 2) {
        return lb_fail_results(results, LB_E_SYNTAX,
                               "table %s: expected numbers of 8 bytes in two dimensions", t->name);
    }
    if (t->column_count == 0 || a->dims[1] != (uint64_t)t->column_count ||
        (strcmp(t->name, "time") == 0 && t->column_count != 1)) {
        return lb_fail_results(results, LB_E_SYNTAX, "table %s: %llu columns, %d names of columns",
                               t->name, (unsigned long long)a->dims[1], t->column_count);
    }
    if (a->dims[0] < (uint64_t)rows) {
        return lb_fail_results(results, LB_E_SYNTAX,
                               "table %s: room for %llu rows, %lld are counted", t->name,
                               (unsigned long long)a->dims[0], (long long)rows);
    }
    return LB_OK;
}

// Names of columns, numbers, note and checksums of a table.
static lb_status open_table(const lb_results *results, uint64_t columns, const char *name,
                            lb_results_table *t)
{
    lb_hdf5_reader *reader = &results->access->reader;
    lb_hdf5_array note;
    uint64_t header = 0;
    snprintf(t->name, sizeof t->name, "%s", name);
    lb_status status = lb_read_results_names(results, columns, name, &t->columns, &t->column_count);
    status = status < 0 ? status : lb_find_results_dataset(results, name, &t->data);
    status = status < 0 ? status : check_shape(results, t);
    status = status < 0 ? status
                        : lb_find_results_checksums(results, name, t->data.dims[0], &t->checksums);
    status = status < 0 ? status
                        : lb_pass_results(results,
                                          lb_find_hdf5_object(reader, reader->root, name, &header));
    status = status < 0
                 ? status
                 : lb_pass_results(results, lb_find_hdf5_attribute(reader, header, "note", &note));
    return status >= 0 && note.found ? lb_read_array_text(results, &note, "note", &t->note)
                                     : status;
}

// Tables in the order in which they are written: this is the order of the known names.
//
// Of a damaged file, tables that cannot be read are left out.
static lb_status open_tables(lb_results *results)
{
    static const char *const known[] = {"time",    "q",     "v",         "a",
                                        "energy",  "work",  "momentum",  "nodes",
                                        "signals", "loops", "reactions", "control"};
    lb_hdf5_reader *reader = &results->access->reader;
    uint64_t columns = 0;
    lb_status status =
        lb_pass_results(results, lb_find_hdf5_object(reader, reader->root, "columns", &columns));
    if (status >= 0 && columns == 0) {
        return lb_fail_results(results, LB_E_SYNTAX, "group columns is missing");
    }
    for (size_t i = 0; status >= 0 && i < sizeof known / sizeof known[0]; ++i) {
        uint64_t present = 0;
        status = lb_pass_results(results, lb_find_hdf5_object(reader, columns, known[i], &present));
        if (status < 0 || present == 0) {
            continue;
        }
        lb_results_table *t = &results->tables[results->table_count++];
        status = open_table(results, columns, known[i], t);
        const bool is_lost = (status == LB_E_FILE || status == LB_E_SYNTAX) ||
                             (status >= 0 && results->is_cut && !limit_rows(results, t));
        if (results->is_rescue && is_lost) {
            snprintf(results->damage, sizeof results->damage, "table %s is lost", known[i]);
            close_table(&results->tables[--results->table_count]);
            status = LB_OK;
        }
    }
    if (status >= 0 &&
        (results->table_count == 0 || strcmp(results->tables[0].name, "time") != 0)) {
        return lb_fail_results(results, LB_E_SYNTAX, "table time is missing");
    }
    return status;
}

// Rows count as long as time goes on. In a file that was not cut off, it does so to the end.
static lb_status check_times(lb_results *results)
{
    const long rows = (long)results->counters[LB_COUNTER_ROWS];
    double times[LB_RESULTS_BLOCK_ROWS], before = -INFINITY;
    if (results->is_cut && rows == 0) {
        return lb_fail_results(results, LB_E_SYNTAX, "no row is left of it");
    }
    for (long first = 0; first < rows; first += LB_RESULTS_BLOCK_ROWS) {
        const long many =
            rows - first < LB_RESULTS_BLOCK_ROWS ? rows - first : LB_RESULTS_BLOCK_ROWS;
        const lb_status status =
            lb_read_results_rows(results, &results->tables[0], first, many, times);
        if (status < 0) {
            return status;
        }
        for (long i = 0; i < many; ++i) {
            const bool good = isfinite(times[i]) && times[i] >= before;
            if (results->is_cut && !(good && times[i] > before)) {
                results->counters[LB_COUNTER_ROWS] = first + i;
                return first + i > 0
                           ? LB_OK
                           : lb_fail_results(results, LB_E_SYNTAX, "no row is left of it");
            }
            if (!isfinite(times[i])) {
                return lb_fail_results(results, LB_E_SYNTAX,
                                       "table time: row %ld is no finite number", first + i);
            }
            if (!good) {
                return lb_fail_results(results, LB_E_SYNTAX,
                                       "table time: row %ld has %g s, the row before it %g s",
                                       first + i, times[i], before);
            }
            before = times[i];
        }
        if (many == LB_RESULTS_BLOCK_ROWS && times[0] == times[many - 1]) {
            return lb_fail_results(results, LB_E_SYNTAX,
                                   "table time: it stands still from row %ld to %ld", first,
                                   first + many - 1);
        }
    }
    return LB_OK;
}

static lb_status open_events(lb_results *results)
{
    lb_hdf5_reader *reader = &results->access->reader;
    const int64_t count = results->counters[LB_COUNTER_EVENTS];
    uint64_t present = 0;
    lb_status status = lb_pass_results(
        results, lb_find_hdf5_object(reader, reader->root, "event_names", &present));
    if (status >= 0 && present) {
        status = lb_read_results_names(results, reader->root, "event_names", &results->event_names,
                                       &results->event_name_count);
    }
    if (status < 0 || count == 0) {
        return status;
    }
    lb_hdf5_array *a = &results->events;
    status = lb_find_results_dataset(results, "events", a);
    if (status >= 0 && (a->kind != LB_HDF5_DOUBLE || a->rank != 2 || a->dims[1] != 2)) {
        return lb_fail_results(results, LB_E_SYNTAX,
                               "events: expected two numbers of 8 bytes each");
    }
    if (status >= 0 && (a->dims[0] < (uint64_t)count || count > EVENT_MAX)) {
        return lb_fail_results(results, LB_E_SYNTAX,
                               "events: %lld are counted, there is room for %llu", (long long)count,
                               (unsigned long long)a->dims[0]);
    }
    if (status >= 0 && results->is_cut && !lb_is_inside_file(reader, a)) {
        results->counters[LB_COUNTER_EVENTS] = 0;
        return LB_OK;
    }
    status = status < 0 ? status
                        : lb_find_results_checksums(results, "events", a->dims[0],
                                                    &results->event_checksums);
    double before = -INFINITY;
    for (int i = 0; status >= 0 && i < count; ++i) {
        double t = 0.0;
        const char *name;
        status = lb_read_event(results, i, &t, &name);
        if (status >= 0 && t < before) {
            status = lb_fail_results(results, LB_E_SYNTAX,
                                     "event %d: %g s is before the event before it", i, t);
        }
        before = t;
    }
    return status;
}

// Files that are kept. What is wrong with one of them leaves it and those behind it out of a damaged file.
static lb_status open_files(lb_results *results)
{
    lb_hdf5_reader *reader = &results->access->reader;
    uint64_t group = 0;
    lb_status status =
        lb_pass_results(results, lb_find_hdf5_object(reader, reader->root, "files", &group));
    while (status >= 0 && group && results->file_count < LB_KEPT_FILE_MAX) {
        lb_hdf5_array *a = &results->files[results->file_count], name;
        char **text = &results->file_names[results->file_count], number[16];
        uint64_t header = 0;
        snprintf(number, sizeof number, "%d", results->file_count);
        status = lb_pass_results(results, lb_find_hdf5_object(reader, group, number, &header));
        if (status < 0 || !header) {
            break;
        }
        status = lb_pass_results(results, lb_find_hdf5_dataset(reader, group, number, a));
        if (status >= 0 && (a->kind != LB_HDF5_INTEGER || a->item_size != 1 || a->rank != 1)) {
            status = lb_fail_results(results, LB_E_SYNTAX, "files/%s: expected bytes", number);
        }
        if (status >= 0 && !lb_is_inside_file(reader, a)) {
            status = lb_fail_results(results, LB_E_FILE, "files/%s is behind the end of the file",
                                     number);
        }
        status =
            status < 0
                ? status
                : lb_pass_results(results, lb_find_hdf5_attribute(reader, header, "name", &name));
        if (status >= 0 && (!name.found || name.bytes > KEPT_NAME_MAX)) {
            status = lb_fail_results(results, LB_E_SYNTAX,
                                     "files/%s: expected a name of at most %d bytes", number,
                                     KEPT_NAME_MAX - 1);
        }
        status = status < 0 ? status : lb_read_array_text(results, &name, "name", text);
        results->file_count += status >= 0;
    }
    return results->is_rescue && (status == LB_E_FILE || status == LB_E_SYNTAX) ? LB_OK : status;
}

static lb_status read_counters(lb_results *results)
{
    int64_t *counters = results->counters;
    const lb_status status =
        lb_read_results_array(results, "counters", LB_HDF5_INTEGER, LB_COUNTER_COUNT, counters);
    if (status >= 0 &&
        (counters[LB_COUNTER_ROWS] < 0 || counters[LB_COUNTER_EVENTS] < 0 ||
         counters[LB_COUNTER_ROWS] > LONG_MAX / 16 || counters[LB_COUNTER_COMPLETE] < 0 ||
         counters[LB_COUNTER_COMPLETE] > INT_MAX)) {
        return lb_fail_results(
            results, LB_E_SYNTAX, "counters: %lld rows, %lld events, ending %lld",
            (long long)counters[LB_COUNTER_ROWS], (long long)counters[LB_COUNTER_EVENTS],
            (long long)counters[LB_COUNTER_COMPLETE]);
    }
    return status;
}

// Whether this is a file of results that this version reads.
static lb_status check_format(lb_results *results)
{
    lb_hdf5_reader *reader = &results->access->reader;
    char *format = NULL;
    lb_hdf5_array a;
    int64_t layout = 0;
    int32_t narrow = 0;
    const lb_status status = lb_read_results_attribute(results, reader->root, "format", &format);
    const bool ours = status >= 0 && strcmp(format, "limber-results") == 0;
    free(format);
    if (status == LB_E_FILE || status == LB_E_MEMORY || status == LB_E_UNSUPPORTED) {
        return status;
    }
    if (!ours) {
        return lb_fail_results(results, LB_E_SYNTAX, "an HDF5 file, but not of results of limber");
    }
    if (lb_find_hdf5_attribute(reader, reader->root, "layout", &a) < 0 || !a.found ||
        a.kind != LB_HDF5_INTEGER || a.bytes != a.item_size ||
        (a.bytes != sizeof narrow && a.bytes != sizeof layout)) {
        return lb_fail_results(results, LB_E_SYNTAX, "attribute layout: expected one integer");
    }
    void *number = a.bytes == sizeof narrow ? (void *)&narrow : &layout;
    if (lb_read_hdf5_bytes(reader, a.at, a.bytes, number) < 0) {
        return lb_pass_results(results, LB_E_FILE);
    }
    lb_turn_hdf5_items(&a, 1, number);
    layout = a.bytes == sizeof narrow ? narrow : layout;
    return layout == LB_RESULTS_LAYOUT
               ? LB_OK
               : lb_fail_results(results, LB_E_UNSUPPORTED,
                                 "layout %lld; this version reads layout %d", (long long)layout,
                                 LB_RESULTS_LAYOUT);
}

static lb_status read_header(lb_results *results)
{
    const uint64_t root = results->access->reader.root;
    lb_status status = check_format(results);
    if (status < 0) {
        return status;
    }
    results->is_ours = true;
    status = lb_read_results_text(results, "model", &results->model);
    status = status < 0 ? status : lb_read_results_text(results, "options", &results->options);
    status = status < 0 ? status
                        : lb_read_results_attribute(results, root, "model_sha256", &results->hash);
    status = status < 0 ? status
                        : lb_read_results_attribute(results, root, "version", &results->version);
    status = status < 0 ? status : open_files(results);
    status = status < 0 ? status : read_counters(results);
    status = status < 0 ? status : open_events(results);
    status = status < 0 ? status : open_tables(results);
    return status < 0 ? status : check_times(results);
}

// Tells a report in one sentence, which names the file.
static void emit(const lb_report *report, const char *message)
{
    if (report && report->emit) {
        const lb_diagnostic diagnostic = {
            .size = sizeof diagnostic, .path = "", .message = message};
        report->emit(report->user, &diagnostic);
    }
}

void lb_close_results(lb_results *results)
{
    if (!results) {
        return;
    }
    for (int i = 0; i < results->table_count; ++i) {
        close_table(&results->tables[i]);
    }
    if (results->access) {
        lb_close_hdf5_reader(&results->access->reader);
    }
    free(results->access);
    free(results->model);
    free(results->options);
    free(results->hash);
    free(results->version);
    free(results->event_names);
    free(results->column_names);
    for (int i = 0; i < results->file_count; ++i) {
        free(results->file_names[i]);
    }
    free(results);
}

// What programs are told: lb_get_results_info.
static lb_status fill_info(lb_results *r)
{
    size_t count = 1;
    for (int i = 0; i < r->table_count; ++i) {
        count += (size_t)r->tables[i].column_count;
    }
    const char **names = r->column_names = calloc(count, sizeof *names);
    if (!names) {
        return lb_fail_results(r, LB_E_MEMORY, "out of memory");
    }
    for (int i = 0; i < r->table_count; ++i) {
        const lb_results_table *t = &r->tables[i];
        r->table_infos[i] = (lb_table_info){.name = t->name,
                                            .note = t->note ? t->note : "",
                                            .column_count = t->column_count,
                                            .columns = names};
        for (int j = 0; j < t->column_count; ++j) {
            *names++ = t->columns + (size_t)j * LB_COLUMN_SIZE;
        }
    }
    r->info = (lb_results_info){.size = sizeof r->info,
                                .row_count = (long)r->counters[LB_COUNTER_ROWS],
                                .ending = (int)r->counters[LB_COUNTER_COMPLETE],
                                .model = r->model,
                                .hash = r->hash,
                                .options = r->options,
                                .version = r->version,
                                .damage = r->damage,
                                .table_count = r->table_count,
                                .tables = r->table_infos,
                                .event_count = (int)r->counters[LB_COUNTER_EVENTS],
                                .file_count = r->file_count,
                                .files = (const char *const *)r->file_names};
    return LB_OK;
}

static lb_status open_file(const char *path, bool is_rescue, char message[LB_RESULTS_MESSAGE_SIZE],
                           lb_results **out)
{
    *out = NULL;
    lb_results *results = calloc(1, sizeof *results);
    lb_results_access *a = calloc(1, sizeof *a);
    if (!results || !a) {
        free(results);
        free(a);
        snprintf(message, LB_RESULTS_MESSAGE_SIZE, "out of memory");
        return LB_E_MEMORY;
    }
    results->access = a;
    results->is_rescue = is_rescue;
    // of a long path, its end
    const size_t length = strlen(path), most = sizeof a->path - 4;
    snprintf(a->path, sizeof a->path, "%s%s", length > most ? "..." : "",
             length > most ? path + length - most : path);
    lb_hdf5_reader *reader = &a->reader;
    lb_status status = lb_open_hdf5_reader(path, reader);
    results->is_cut = status >= 0 && reader->end > reader->size;
    if (status < 0) {
        snprintf(a->message, sizeof a->message, "cannot read %s: %s", a->path, reader->message);
    } else if (results->is_cut && !is_rescue) {
        status = lb_fail_results(results, LB_E_FILE, "it was cut off at %llu of %llu bytes",
                                 (unsigned long long)reader->size, (unsigned long long)reader->end);
    } else {
        status = read_header(results);
        status = status < 0 ? status : fill_info(results);
    }
    if (status < 0) {
        memcpy(message, a->message, sizeof a->message);
        lb_close_results(results);
        return status;
    }
    // what was lost of a damaged file is told by lb_results_info
    a->message[0] = 0;
    *out = results;
    return status;
}

lb_status lb_open_result_file(const char *path, char message[LB_RESULTS_MESSAGE_SIZE],
                              lb_results **out)
{
    char part[4096];
    struct stat about;
    if (stat(path, &about) != 0 && errno == ENOENT &&
        snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part) {
        path = stat(part, &about) == 0 ? part : path;
    }
    return open_file(path, false, message, out);
}

lb_status lb_open_results(const char *path, const lb_report *report, lb_results **results)
{
    char message[LB_RESULTS_MESSAGE_SIZE];
    const lb_status status = lb_open_result_file(path, message, results);
    if (status < 0) {
        emit(report, message);
    }
    return status;
}

// ---- damaged files -------------------------------------------------------------------------------

lb_status lb_open_damaged_results(const char *path, const lb_report *report, lb_results **out)
{
    char message[LB_RESULTS_MESSAGE_SIZE];
    const lb_status status = open_file(path, true, message, out);
    if (status < 0) {
        emit(report, message);
        return status;
    }
    lb_results *results = *out;
    const lb_hdf5_reader *reader = &results->access->reader;
    const bool lost = results->damage[0] != 0;
    if (results->is_cut) {
        snprintf(results->damage, sizeof results->damage, "it was cut off at %.0f of %.0f bytes%s",
                 (double)reader->size, (double)reader->end,
                 lost ? ", and some tables are lost" : "");
    } else if (!lost) {
        snprintf(results->damage, sizeof results->damage, "parts of it are unreadable");
    }
    return LB_OK;
}
