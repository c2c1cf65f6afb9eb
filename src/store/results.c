// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a file of results. What the file says of itself is checked before it is used: kinds and shapes,
// that everything lies inside the file, counts, times, and the checksum of each row that is read.
#define _POSIX_C_SOURCE 200809L
#include "limber/results.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hdf5/hdf5_reader.h"
#include "record_file.h"

enum {
    TABLE_MAX = 32,
    NAME_SIZE = 32,
    BLOCK_ROWS = 1024,
    BLOCK_NAMES = 256,
    KEPT_NAME_MAX = 256,
    EVENT_MAX = 1000000,         // a hundred times what a run records
    TEXT_MAX = 512 * 1024 * 1024 // as long as models may be
};

typedef struct table {
    char name[NAME_SIZE];
    char *note;
    lb_hdf5_array data, checksums;
    int column_count;
    char *columns; // LB_COLUMN_SIZE each
} table;

// What changes while the file is being read.
typedef struct access_state {
    lb_hdf5_reader reader;
    char path[120]; // or its end
    char message[LB_RESULTS_MESSAGE_SIZE];
} access_state;

struct lb_results {
    access_state *access;
    char *model, *options, *hash, *version;
    int64_t counters[LB_COUNTER_COUNT];
    int table_count;
    table tables[TABLE_MAX];
    lb_hdf5_array events, event_checksums;
    int event_name_count;
    char *event_names;
    int file_count;
    lb_hdf5_array files[LB_KEPT_FILE_MAX]; // those that are kept
    char *file_names[LB_KEPT_FILE_MAX];
    bool is_ours;     // it is a file of results, whatever else is wrong
    bool is_rescue;   // show what is left
    bool is_cut;      // bytes at the end are missing
    char damage[256]; // what was lost; "" if nothing
};

// ---- messages ------------------------------------------------------------------------------------

static lb_status fail(const lb_results *results, lb_status status, const char *format, ...)
{
    access_state *a = results->access;
    char what[sizeof a->reader.trouble];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const bool is_damage = status == LB_E_SYNTAX && results->is_ours;
    snprintf(a->message, sizeof a->message, "%s: %s%s", a->path, what,
             is_damage ? "; the file is damaged: take it from a copy, or run again" : "");
    return status;
}

// Hands on what the reader says.
static lb_status pass(const lb_results *results, lb_status status)
{
    return status < 0 ? fail(results, status, "%s", results->access->reader.trouble) : status;
}

const char *lb_get_results_message(const lb_results *results)
{
    return results->access->message;
}

// ---- pieces --------------------------------------------------------------------------------------

// Whether what is left of the file has all of it.
static bool is_inside(const lb_hdf5_reader *reader, const lb_hdf5_array *a)
{
    return a->at <= reader->size && a->bytes <= reader->size - a->at;
}

// Reads a text up to its end, to be freed.
static lb_status read_text(const lb_results *results, const lb_hdf5_array *a, const char *name,
                           char **text)
{
    lb_hdf5_reader *reader = &results->access->reader;
    if (a->kind != LB_HDF5_TEXT || a->bytes != a->item_size || a->bytes > TEXT_MAX) {
        return fail(results, LB_E_SYNTAX, "%s: expected one text of at most 512 MiB", name);
    }
    // piece by piece, because the text may end long before its room does
    size_t used = 0, room = 1024;
    char *buffer = NULL;
    lb_status status = LB_OK;
    for (bool ended = false; status >= 0 && !ended; room *= 2) {
        const size_t most = room < a->bytes ? room : (size_t)a->bytes;
        char *larger = realloc(buffer, most + 1);
        if (!larger) {
            free(buffer);
            return fail(results, LB_E_MEMORY, "out of memory");
        }
        buffer = larger;
        status =
            pass(results, lb_read_hdf5_bytes(reader, a->at + used, most - used, buffer + used));
        ended = status < 0 || memchr(buffer + used, 0, most - used) || most == a->bytes;
        buffer[most] = 0;
        used = most;
    }
    if (status < 0) {
        free(buffer);
        return status;
    }
    *text = buffer;
    return LB_OK;
}

static lb_status read_text_attribute(const lb_results *results, uint64_t header, const char *name,
                                     char **text)
{
    lb_hdf5_array a;
    const lb_status status =
        pass(results, lb_find_hdf5_attribute(&results->access->reader, header, name, &a));
    return status < 0 ? status
           : a.found  ? read_text(results, &a, name, text)
                      : fail(results, LB_E_SYNTAX, "attribute %s is missing", name);
}

// A dataset of the root group; LB_E_SYNTAX if there is none.
static lb_status find_dataset(const lb_results *results, const char *name, lb_hdf5_array *a)
{
    lb_hdf5_reader *reader = &results->access->reader;
    const lb_status status = pass(results, lb_find_hdf5_dataset(reader, reader->root, name, a));
    return status < 0 || a->found ? status
                                  : fail(results, LB_E_SYNTAX, "dataset %s is missing", name);
}

static lb_status read_text_dataset(const lb_results *results, const char *name, char **text)
{
    lb_hdf5_array a;
    const lb_status status = find_dataset(results, name, &a);
    return status < 0 ? status : read_text(results, &a, name, text);
}

static bool has_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i]) {
            return true;
        }
    }
    return false;
}

// A list of names, LB_COLUMN_SIZE each, to be freed.
static lb_status read_names(const lb_results *results, uint64_t group, const char *name,
                            char **names, int *count)
{
    lb_hdf5_reader *reader = &results->access->reader;
    lb_hdf5_array a;
    lb_status status = pass(results, lb_find_hdf5_dataset(reader, group, name, &a));
    if (status < 0) {
        return status;
    }
    if (!a.found || a.kind != LB_HDF5_TEXT || a.rank != 1 || a.item_size != LB_COLUMN_SIZE ||
        a.dims[0] >= INT_MAX / LB_COLUMN_SIZE) {
        return fail(results, LB_E_SYNTAX, "names of %s: expected texts of %d bytes", name,
                    LB_COLUMN_SIZE);
    }
    if (!is_inside(reader, &a)) {
        return fail(results, LB_E_FILE, "names of %s: they are behind the end of the file", name);
    }
    const size_t total = (size_t)a.dims[0];
    char *list = calloc(total + 1, LB_COLUMN_SIZE);
    if (!list) {
        return fail(results, LB_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; status >= 0 && i < total; i += BLOCK_NAMES) {
        const size_t many = total - i < BLOCK_NAMES ? total - i : BLOCK_NAMES;
        const size_t at = i * LB_COLUMN_SIZE, size = many * LB_COLUMN_SIZE;
        status = pass(results, lb_read_hdf5_bytes(reader, a.at + at, size, list + at));
        // a hole in the file
        if (status >= 0 && many == BLOCK_NAMES && !has_text(list + at, size)) {
            status = fail(results, LB_E_SYNTAX, "names of %s: they are empty", name);
        }
    }
    // closed, whoever wrote it
    for (size_t i = 0; status >= 0 && i < total; ++i) {
        list[(i + 1) * LB_COLUMN_SIZE - 1] = 0;
    }
    if (status < 0) {
        free(list);
        return status;
    }
    *names = list;
    *count = (int)total;
    return LB_OK;
}

// All of a dataset of `count` numbers.
static lb_status read_array(const lb_results *results, const char *name, lb_hdf5_kind kind,
                            uint64_t count, void *values)
{
    enum { NUMBER_SIZE = 8 };
    lb_hdf5_array a;
    lb_status status = find_dataset(results, name, &a);
    if (status >= 0 &&
        (a.kind != kind || a.item_size != NUMBER_SIZE || a.bytes / NUMBER_SIZE != count)) {
        status = fail(results, LB_E_SYNTAX, "%s: expected %llu numbers of %d bytes", name,
                      (unsigned long long)count, NUMBER_SIZE);
    }
    status = status < 0 ? status
                        : pass(results,
                               lb_read_hdf5_bytes(&results->access->reader, a.at, a.bytes, values));
    if (status >= 0) {
        lb_turn_hdf5_items(&a, count, values);
    }
    return status;
}

// Compares rows, as they are in the file, with their checksums, if it has any.
static lb_status check_rows(const lb_results *results, const lb_hdf5_array *checksums,
                            const char *name, long first, long count, size_t row_size,
                            const void *rows)
{
    uint32_t sums[BLOCK_ROWS];
    for (long row = 0; checksums->found && row < count; row += BLOCK_ROWS) {
        const long many = count - row < BLOCK_ROWS ? count - row : BLOCK_ROWS;
        const uint64_t at = checksums->at + (uint64_t)(first + row) * sizeof *sums;
        if (lb_read_hdf5_bytes(&results->access->reader, at, (uint64_t)many * sizeof *sums, sums) <
            0) {
            return pass(results, LB_E_FILE);
        }
        lb_turn_hdf5_items(checksums, (uint64_t)many, sums);
        for (long i = 0; i < many; ++i) {
            const char *one = (const char *)rows + (size_t)(row + i) * row_size;
            if (lb_compute_row_checksum(first + row + i, one, row_size) != sums[i]) {
                return fail(results, LB_E_SYNTAX, "row %ld of %s does not match its checksum",
                            first + row + i, name);
            }
        }
    }
    return LB_OK;
}

static lb_status read_rows(const lb_results *results, const table *t, long first, long count,
                           double *values)
{
    const size_t columns = (size_t)t->column_count, row_size = columns * sizeof *values;
    lb_status status = pass(results, lb_read_hdf5_bytes(&results->access->reader,
                                                        t->data.at + (uint64_t)first * row_size,
                                                        (uint64_t)count * row_size, values));
    status = status < 0
                 ? status
                 : check_rows(results, &t->checksums, t->name, first, count, row_size, values);
    if (status >= 0) {
        lb_turn_hdf5_items(&t->data, (uint64_t)count * columns, values);
    }
    return status;
}

// Looks for the checksums of an array; a file of an older version has none.
static lb_status find_checksums(const lb_results *results, const char *name, uint64_t rows,
                                lb_hdf5_array *a)
{
    lb_hdf5_reader *reader = &results->access->reader;
    uint64_t group = 0;
    lb_status status =
        pass(results, lb_find_hdf5_object(reader, reader->root, "checksums", &group));
    if (status < 0 || group == 0) {
        return status;
    }
    status = pass(results, lb_find_hdf5_dataset(reader, group, name, a));
    if (status < 0 || !a->found) {
        return status;
    }
    if (a->kind != LB_HDF5_INTEGER || a->item_size != sizeof(uint32_t) || a->rank != 1 ||
        a->dims[0] != rows) {
        return fail(results, LB_E_SYNTAX, "checksums of %s: expected one of 4 bytes per row", name);
    }
    // there may be none in what is left of the file
    a->found = is_inside(reader, a);
    return LB_OK;
}

// ---- opening -------------------------------------------------------------------------------------

static void close_table(table *t)
{
    free(t->columns);
    free(t->note);
    *t = (table){.column_count = 0};
}

// Rows of a file that was cut off end where the bytes of `time` or `q` do; false for another table that
// does not have them all.
static bool limit_rows(lb_results *results, const table *t)
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
static lb_status check_shape(const lb_results *results, const table *t)
{
    const lb_hdf5_array *a = &t->data;
    const int64_t rows = results->counters[LB_COUNTER_ROWS];
    if (a->kind != LB_HDF5_DOUBLE || a->rank != 2) {
        return fail(results, LB_E_SYNTAX, "table %s: expected numbers of 8 bytes in two dimensions",
                    t->name);
    }
    if (t->column_count == 0 || a->dims[1] != (uint64_t)t->column_count ||
        (strcmp(t->name, "time") == 0 && t->column_count != 1)) {
        return fail(results, LB_E_SYNTAX, "table %s: %llu columns, %d names of columns", t->name,
                    (unsigned long long)a->dims[1], t->column_count);
    }
    if (a->dims[0] < (uint64_t)rows) {
        return fail(results, LB_E_SYNTAX, "table %s: room for %llu rows, %lld are counted", t->name,
                    (unsigned long long)a->dims[0], (long long)rows);
    }
    return LB_OK;
}

// Names of columns, numbers, note and checksums of a table.
static lb_status open_table(const lb_results *results, uint64_t columns, const char *name, table *t)
{
    lb_hdf5_reader *reader = &results->access->reader;
    lb_hdf5_array note;
    uint64_t header = 0;
    snprintf(t->name, sizeof t->name, "%s", name);
    lb_status status = read_names(results, columns, name, &t->columns, &t->column_count);
    status = status < 0 ? status : find_dataset(results, name, &t->data);
    status = status < 0 ? status : check_shape(results, t);
    status = status < 0 ? status : find_checksums(results, name, t->data.dims[0], &t->checksums);
    status = status < 0 ? status
                        : pass(results, lb_find_hdf5_object(reader, reader->root, name, &header));
    status =
        status < 0 ? status : pass(results, lb_find_hdf5_attribute(reader, header, "note", &note));
    return status >= 0 && note.found ? read_text(results, &note, "note", &t->note) : status;
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
        pass(results, lb_find_hdf5_object(reader, reader->root, "columns", &columns));
    if (status >= 0 && columns == 0) {
        return fail(results, LB_E_SYNTAX, "group columns is missing");
    }
    for (size_t i = 0; status >= 0 && i < sizeof known / sizeof known[0]; ++i) {
        uint64_t present = 0;
        status = pass(results, lb_find_hdf5_object(reader, columns, known[i], &present));
        if (status < 0 || present == 0) {
            continue;
        }
        table *t = &results->tables[results->table_count++];
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
        return fail(results, LB_E_SYNTAX, "table time is missing");
    }
    return status;
}

// Rows count as long as time goes on. In a file that was not cut off, it does so to the end.
static lb_status check_times(lb_results *results)
{
    const long rows = (long)results->counters[LB_COUNTER_ROWS];
    double times[BLOCK_ROWS], before = -INFINITY;
    if (results->is_cut && rows == 0) {
        return fail(results, LB_E_SYNTAX, "no row is left of it");
    }
    for (long first = 0; first < rows; first += BLOCK_ROWS) {
        const long many = rows - first < BLOCK_ROWS ? rows - first : BLOCK_ROWS;
        const lb_status status = read_rows(results, &results->tables[0], first, many, times);
        if (status < 0) {
            return status;
        }
        for (long i = 0; i < many; ++i) {
            const bool good = isfinite(times[i]) && times[i] >= before;
            if (results->is_cut && !(good && times[i] > before)) {
                results->counters[LB_COUNTER_ROWS] = first + i;
                return first + i > 0 ? LB_OK : fail(results, LB_E_SYNTAX, "no row is left of it");
            }
            if (!isfinite(times[i])) {
                return fail(results, LB_E_SYNTAX, "table time: row %ld is no finite number",
                            first + i);
            }
            if (!good) {
                return fail(results, LB_E_SYNTAX,
                            "table time: row %ld has %g s, the row before it %g s", first + i,
                            times[i], before);
            }
            before = times[i];
        }
        if (many == BLOCK_ROWS && times[0] == times[many - 1]) {
            return fail(results, LB_E_SYNTAX, "table time: it stands still from row %ld to %ld",
                        first, first + many - 1);
        }
    }
    return LB_OK;
}

static lb_status open_events(lb_results *results)
{
    lb_hdf5_reader *reader = &results->access->reader;
    const int64_t count = results->counters[LB_COUNTER_EVENTS];
    uint64_t present = 0;
    lb_status status =
        pass(results, lb_find_hdf5_object(reader, reader->root, "event_names", &present));
    if (status >= 0 && present) {
        status = read_names(results, reader->root, "event_names", &results->event_names,
                            &results->event_name_count);
    }
    if (status < 0 || count == 0) {
        return status;
    }
    lb_hdf5_array *a = &results->events;
    status = find_dataset(results, "events", a);
    if (status >= 0 && (a->kind != LB_HDF5_DOUBLE || a->rank != 2 || a->dims[1] != 2)) {
        return fail(results, LB_E_SYNTAX, "events: expected two numbers of 8 bytes each");
    }
    if (status >= 0 && (a->dims[0] < (uint64_t)count || count > EVENT_MAX)) {
        return fail(results, LB_E_SYNTAX, "events: %lld are counted, there is room for %llu",
                    (long long)count, (unsigned long long)a->dims[0]);
    }
    if (status >= 0 && results->is_cut && !is_inside(reader, a)) {
        results->counters[LB_COUNTER_EVENTS] = 0;
        return LB_OK;
    }
    status = status < 0 ? status
                        : find_checksums(results, "events", a->dims[0], &results->event_checksums);
    double before = -INFINITY;
    for (int i = 0; status >= 0 && i < count; ++i) {
        double t = 0.0;
        const char *name;
        status = lb_read_event(results, i, &t, &name);
        if (status >= 0 && t < before) {
            status =
                fail(results, LB_E_SYNTAX, "event %d: %g s is before the event before it", i, t);
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
    lb_status status = pass(results, lb_find_hdf5_object(reader, reader->root, "files", &group));
    while (status >= 0 && group && results->file_count < LB_KEPT_FILE_MAX) {
        lb_hdf5_array *a = &results->files[results->file_count], name;
        char **text = &results->file_names[results->file_count], number[16];
        uint64_t header = 0;
        snprintf(number, sizeof number, "%d", results->file_count);
        status = pass(results, lb_find_hdf5_object(reader, group, number, &header));
        if (status < 0 || !header) {
            break;
        }
        status = pass(results, lb_find_hdf5_dataset(reader, group, number, a));
        if (status >= 0 && (a->kind != LB_HDF5_INTEGER || a->item_size != 1 || a->rank != 1)) {
            status = fail(results, LB_E_SYNTAX, "files/%s: expected bytes", number);
        }
        if (status >= 0 && !is_inside(reader, a)) {
            status = fail(results, LB_E_FILE, "files/%s is behind the end of the file", number);
        }
        status = status < 0 ? status
                            : pass(results, lb_find_hdf5_attribute(reader, header, "name", &name));
        if (status >= 0 && (!name.found || name.bytes > KEPT_NAME_MAX)) {
            status = fail(results, LB_E_SYNTAX, "files/%s: expected a name of at most %d bytes",
                          number, KEPT_NAME_MAX - 1);
        }
        status = status < 0 ? status : read_text(results, &name, "name", text);
        results->file_count += status >= 0;
    }
    return results->is_rescue && (status == LB_E_FILE || status == LB_E_SYNTAX) ? LB_OK : status;
}

static lb_status read_counters(lb_results *results)
{
    int64_t *counters = results->counters;
    const lb_status status =
        read_array(results, "counters", LB_HDF5_INTEGER, LB_COUNTER_COUNT, counters);
    if (status >= 0 &&
        (counters[LB_COUNTER_ROWS] < 0 || counters[LB_COUNTER_EVENTS] < 0 ||
         counters[LB_COUNTER_ROWS] > LONG_MAX / 16 || counters[LB_COUNTER_COMPLETE] < 0 ||
         counters[LB_COUNTER_COMPLETE] > INT_MAX)) {
        return fail(results, LB_E_SYNTAX, "counters: %lld rows, %lld events, ending %lld",
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
    const lb_status status = read_text_attribute(results, reader->root, "format", &format);
    const bool ours = status >= 0 && strcmp(format, "limber-results") == 0;
    free(format);
    if (status == LB_E_FILE || status == LB_E_MEMORY || status == LB_E_UNSUPPORTED) {
        return status;
    }
    if (!ours) {
        return fail(results, LB_E_SYNTAX, "an HDF5 file, but not of results of limber");
    }
    if (lb_find_hdf5_attribute(reader, reader->root, "layout", &a) < 0 || !a.found ||
        a.kind != LB_HDF5_INTEGER || a.bytes != a.item_size ||
        (a.bytes != sizeof narrow && a.bytes != sizeof layout)) {
        return fail(results, LB_E_SYNTAX, "attribute layout: expected one integer");
    }
    void *number = a.bytes == sizeof narrow ? (void *)&narrow : &layout;
    if (lb_read_hdf5_bytes(reader, a.at, a.bytes, number) < 0) {
        return pass(results, LB_E_FILE);
    }
    lb_turn_hdf5_items(&a, 1, number);
    layout = a.bytes == sizeof narrow ? narrow : layout;
    return layout == LB_RESULTS_LAYOUT
               ? LB_OK
               : fail(results, LB_E_UNSUPPORTED, "layout %lld; this version reads layout %d",
                      (long long)layout, LB_RESULTS_LAYOUT);
}

static lb_status read_header(lb_results *results)
{
    const uint64_t root = results->access->reader.root;
    lb_status status = check_format(results);
    if (status < 0) {
        return status;
    }
    results->is_ours = true;
    status = read_text_dataset(results, "model", &results->model);
    status = status < 0 ? status : read_text_dataset(results, "options", &results->options);
    status =
        status < 0 ? status : read_text_attribute(results, root, "model_sha256", &results->hash);
    status = status < 0 ? status : read_text_attribute(results, root, "version", &results->version);
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
    for (int i = 0; i < results->file_count; ++i) {
        free(results->file_names[i]);
    }
    free(results);
}

static lb_status open_file(const char *path, bool is_rescue, char message[LB_RESULTS_MESSAGE_SIZE],
                           lb_results **out)
{
    *out = NULL;
    lb_results *results = calloc(1, sizeof *results);
    access_state *a = calloc(1, sizeof *a);
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
        snprintf(a->message, sizeof a->message, "cannot read %s: %s", a->path, reader->trouble);
    } else if (results->is_cut && !is_rescue) {
        status = fail(results, LB_E_FILE, "it was cut off at %llu of %llu bytes",
                      (unsigned long long)reader->size, (unsigned long long)reader->end);
    } else {
        status = read_header(results);
    }
    if (status < 0) {
        memcpy(message, a->message, sizeof a->message);
        lb_close_results(results);
        return status;
    }
    // what was lost of a damaged file is told by lb_get_results_damage
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

const char *lb_get_results_damage(const lb_results *results)
{
    return results->damage;
}

// ---- reading -------------------------------------------------------------------------------------
long lb_get_results_row_count(const lb_results *results)
{
    return (long)results->counters[LB_COUNTER_ROWS];
}

int lb_get_results_ending(const lb_results *results)
{
    return (int)results->counters[LB_COUNTER_COMPLETE];
}

const char *lb_get_results_model(const lb_results *results)
{
    return results->model;
}

const char *lb_get_results_hash(const lb_results *results)
{
    return results->hash;
}

int lb_get_results_file_count(const lb_results *results)
{
    return results->file_count;
}

const char *lb_get_results_file_name(const lb_results *results, int index)
{
    return results->file_names[index];
}

lb_status lb_read_results_file(const lb_results *results, int index, void **data, size_t *size)
{
    *data = NULL;
    *size = 0;
    if (index < 0 || index >= results->file_count) {
        return fail(results, LB_E_ARGUMENT, "no file of number %d is kept", index);
    }
    const lb_hdf5_array *a = &results->files[index];
    char *bytes = malloc((size_t)a->bytes + 1);
    if (!bytes) {
        return fail(results, LB_E_MEMORY, "out of memory");
    }
    const lb_status status =
        pass(results, lb_read_hdf5_bytes(&results->access->reader, a->at, a->bytes, bytes));
    if (status < 0) {
        free(bytes);
        return status;
    }
    *data = bytes;
    *size = (size_t)a->bytes;
    return LB_OK;
}

const char *lb_get_results_options(const lb_results *results)
{
    return results->options;
}

const char *lb_get_results_version(const lb_results *results)
{
    return results->version;
}

int lb_get_table_count(const lb_results *results)
{
    return results->table_count;
}

const char *lb_get_table_name(const lb_results *results, int i)
{
    return results->tables[i].name;
}

const char *lb_get_table_note(const lb_results *results, int i)
{
    return results->tables[i].note ? results->tables[i].note : "";
}

int lb_get_column_count(const lb_results *results, int i)
{
    return results->tables[i].column_count;
}

const char *lb_get_column_name(const lb_results *results, int i, int column)
{
    return results->tables[i].columns + (size_t)column * LB_COLUMN_SIZE;
}

int lb_find_column(const lb_results *results, const char *name, int *found)
{
    for (int i = 0; i < results->table_count; ++i) {
        const size_t length = strlen(results->tables[i].name);
        const bool asked =
            strncmp(name, results->tables[i].name, length) == 0 && name[length] == ':';
        const char *wanted = asked ? name + length + 1 : name;
        for (int j = 0; j < results->tables[i].column_count; ++j) {
            if (strcmp(lb_get_column_name(results, i, j), wanted) == 0) {
                *found = i;
                return j;
            }
        }
    }
    return LB_NOT_FOUND;
}

lb_status lb_read_table(const lb_results *results, int i, long first, long count, double *values)
{
    const long rows = lb_get_results_row_count(results);
    if (i < 0 || i >= results->table_count || first < 0 || count < 0 || first > rows ||
        count > rows - first) {
        return fail(results, LB_E_ARGUMENT, "no such rows");
    }
    return read_rows(results, &results->tables[i], first, count, values);
}

int lb_get_event_count(const lb_results *results)
{
    return (int)results->counters[LB_COUNTER_EVENTS];
}

lb_status lb_read_event(const lb_results *results, int index, double *t, const char **name)
{
    double values[2] = {0.0, 0.0};
    if (index < 0 || index >= lb_get_event_count(results)) {
        return fail(results, LB_E_ARGUMENT, "no such event");
    }
    lb_status status =
        pass(results, lb_read_hdf5_bytes(&results->access->reader,
                                         results->events.at + (uint64_t)index * sizeof values,
                                         sizeof values, values));
    status = status < 0 ? status
                        : check_rows(results, &results->event_checksums, "events", index, 1,
                                     sizeof values, values);
    lb_turn_hdf5_items(&results->events, 2, values);
    if (status >= 0 &&
        !(isfinite(values[0]) && values[1] >= 0.0 && values[1] < results->event_name_count)) {
        return fail(results, LB_E_SYNTAX, "event %d: time %g s, name %g of %d", index, values[0],
                    values[1], results->event_name_count);
    }
    if (status >= 0) {
        *t = values[0];
        *name = results->event_names + (size_t)values[1] * LB_COLUMN_SIZE;
    }
    return status;
}

// Entries by their names: a file may have fewer or more than this version knows.
static lb_status read_audit_entries(const lb_results *results, lb_audit *audit)
{
    int count = 0;
    char *names = NULL;
    lb_status status =
        read_names(results, results->access->reader.root, "audit_names", &names, &count);
    double *values = status >= 0 ? calloc((size_t)count + 1, sizeof *values) : NULL;
    status = status < 0 ? status
             : !values  ? fail(results, LB_E_MEMORY, "out of memory")
                        : read_array(results, "audit", LB_HDF5_DOUBLE, (uint64_t)count, values);
    for (int i = 0; status >= 0 && i < count; ++i) {
        for (int entry = 0; entry < LB_AUDIT_ENTRIES; ++entry) {
            if (strcmp(names + (size_t)i * LB_COLUMN_SIZE, lb_get_audit_name(entry)) == 0) {
                *lb_get_audit_entry(audit, entry) = values[i];
            }
        }
    }
    free(values);
    free(names);
    return status;
}

lb_status lb_read_audit(const lb_results *results, lb_audit *audit)
{
    lb_audit own;
    lb_clear_audit(&own);
    lb_status status = lb_check_audit_size(audit);
    if (status >= 0) {
        status = read_audit_entries(results, &own);
    }
    return status < 0 ? status : lb_give_audit(&own, audit);
}

lb_status lb_read_restart(const lb_results *results, int count, double *memory)
{
    const size_t slot = 1 + (size_t)count;
    double *slots = malloc(2 * slot * sizeof *slots);
    lb_hdf5_array checksums = {.found = false};
    lb_status status = slots ? read_array(results, "restart", LB_HDF5_DOUBLE, 2 * slot, slots)
                             : fail(results, LB_E_MEMORY, "out of memory");
    status = status < 0 ? status : find_checksums(results, "restart", 2, &checksums);
    if (status == LB_OK) {
        const double rows = (double)results->counters[LB_COUNTER_ROWS];
        const int which = slots[0] == rows ? 0 : slots[slot] == rows ? 1 : -1;
        const double *found = slots + (which == 1 ? slot : 0);
        // of the machine that wrote it: a run is resumed where it was made
        status = which < 0 ? fail(results, LB_E_SYNTAX, "restart: it is not of the last row")
                           : check_rows(results, &checksums, "restart", which, 1,
                                        slot * sizeof *slots, found);
        if (status == LB_OK) {
            memcpy(memory, found + 1, (size_t)count * sizeof *memory);
        }
    }
    free(slots);
    return status;
}
