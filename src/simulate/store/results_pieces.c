// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Pieces of a file of results: texts, names, numbers and rows.
#include "results_file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_NAMES = 256,
    TEXT_MAX = 512 * 1024 * 1024 // as long as models may be
};

lb_status lb_fail_results(const lb_results *results, lb_status status, const char *format, ...)
{
    lb_results_access *a = results->access;
    char what[sizeof a->reader.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const bool is_damage = status == LB_E_SYNTAX && results->is_ours;
    snprintf(a->message, sizeof a->message, "%s: %s%s", a->path, what,
             is_damage ? "; the file is damaged: take it from a copy, or run again" : "");
    return status;
}

lb_status lb_pass_results(const lb_results *results, lb_status status)
{
    return status < 0 ? lb_fail_results(results, status, "%s", results->access->reader.message)
                      : status;
}

bool lb_is_inside_file(const lb_hdf5_reader *reader, const lb_hdf5_array *a)
{
    return a->at <= reader->size && a->bytes <= reader->size - a->at;
}

lb_status lb_read_array_text(const lb_results *results, const lb_hdf5_array *a, const char *name,
                             char **text)
{
    lb_hdf5_reader *reader = &results->access->reader;
    if (a->kind != LB_HDF5_TEXT || a->bytes != a->item_size || a->bytes > TEXT_MAX) {
        return lb_fail_results(results, LB_E_SYNTAX, "%s: expected one text of at most 512 MiB",
                               name);
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
            return lb_fail_results(results, LB_E_MEMORY, "out of memory");
        }
        buffer = larger;
        status = lb_pass_results(
            results, lb_read_hdf5_bytes(reader, a->at + used, most - used, buffer + used));
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

lb_status lb_read_results_attribute(const lb_results *results, uint64_t header, const char *name,
                                    char **text)
{
    lb_hdf5_array a;
    const lb_status status = lb_pass_results(
        results, lb_find_hdf5_attribute(&results->access->reader, header, name, &a));
    return status < 0 ? status
           : a.found  ? lb_read_array_text(results, &a, name, text)
                      : lb_fail_results(results, LB_E_SYNTAX, "attribute %s is missing", name);
}

lb_status lb_find_results_dataset(const lb_results *results, const char *name, lb_hdf5_array *a)
{
    lb_hdf5_reader *reader = &results->access->reader;
    const lb_status status =
        lb_pass_results(results, lb_find_hdf5_dataset(reader, reader->root, name, a));
    return status < 0 || a->found
               ? status
               : lb_fail_results(results, LB_E_SYNTAX, "dataset %s is missing", name);
}

lb_status lb_read_results_text(const lb_results *results, const char *name, char **text)
{
    lb_hdf5_array a;
    const lb_status status = lb_find_results_dataset(results, name, &a);
    return status < 0 ? status : lb_read_array_text(results, &a, name, text);
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

lb_status lb_read_results_names(const lb_results *results, uint64_t group, const char *name,
                                char **names, int *count)
{
    lb_hdf5_reader *reader = &results->access->reader;
    lb_hdf5_array a;
    lb_status status = lb_pass_results(results, lb_find_hdf5_dataset(reader, group, name, &a));
    if (status < 0) {
        return status;
    }
    if (!a.found || a.kind != LB_HDF5_TEXT || a.rank != 1 || a.item_size != LB_COLUMN_SIZE ||
        a.dims[0] >= INT_MAX / LB_COLUMN_SIZE) {
        return lb_fail_results(results, LB_E_SYNTAX, "names of %s: expected texts of %d bytes",
                               name, LB_COLUMN_SIZE);
    }
    if (!lb_is_inside_file(reader, &a)) {
        return lb_fail_results(results, LB_E_FILE,
                               "names of %s: they are behind the end of the file", name);
    }
    const size_t total = (size_t)a.dims[0];
    char *list = calloc(total + 1, LB_COLUMN_SIZE);
    if (!list) {
        return lb_fail_results(results, LB_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; status >= 0 && i < total; i += BLOCK_NAMES) {
        const size_t many = total - i < BLOCK_NAMES ? total - i : BLOCK_NAMES;
        const size_t at = i * LB_COLUMN_SIZE, size = many * LB_COLUMN_SIZE;
        status = lb_pass_results(results, lb_read_hdf5_bytes(reader, a.at + at, size, list + at));
        // a hole in the file
        if (status >= 0 && many == BLOCK_NAMES && !has_text(list + at, size)) {
            status = lb_fail_results(results, LB_E_SYNTAX, "names of %s: they are empty", name);
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

lb_status lb_read_results_array(const lb_results *results, const char *name, lb_hdf5_kind kind,
                                uint64_t count, void *values)
{
    enum { NUMBER_SIZE = 8 };
    lb_hdf5_array a;
    lb_status status = lb_find_results_dataset(results, name, &a);
    if (status >= 0 &&
        (a.kind != kind || a.item_size != NUMBER_SIZE || a.bytes / NUMBER_SIZE != count)) {
        status = lb_fail_results(results, LB_E_SYNTAX, "%s: expected %llu numbers of %d bytes",
                                 name, (unsigned long long)count, NUMBER_SIZE);
    }
    status = status < 0 ? status
                        : lb_pass_results(results, lb_read_hdf5_bytes(&results->access->reader,
                                                                      a.at, a.bytes, values));
    if (status >= 0) {
        lb_turn_hdf5_items(&a, count, values);
    }
    return status;
}

lb_status lb_check_results_rows(const lb_results *results, const lb_hdf5_array *checksums,
                                const char *name, long first, long count, size_t row_size,
                                const void *rows)
{
    uint32_t sums[LB_RESULTS_BLOCK_ROWS];
    for (long row = 0; checksums->found && row < count; row += LB_RESULTS_BLOCK_ROWS) {
        const long many = count - row < LB_RESULTS_BLOCK_ROWS ? count - row : LB_RESULTS_BLOCK_ROWS;
        const uint64_t at = checksums->at + (uint64_t)(first + row) * sizeof *sums;
        if (lb_read_hdf5_bytes(&results->access->reader, at, (uint64_t)many * sizeof *sums, sums) <
            0) {
            return lb_pass_results(results, LB_E_FILE);
        }
        lb_turn_hdf5_items(checksums, (uint64_t)many, sums);
        for (long i = 0; i < many; ++i) {
            const char *one = (const char *)rows + (size_t)(row + i) * row_size;
            if (lb_compute_row_checksum(first + row + i, one, row_size) != sums[i]) {
                return lb_fail_results(results, LB_E_SYNTAX,
                                       "row %ld of %s does not match its checksum", first + row + i,
                                       name);
            }
        }
    }
    return LB_OK;
}

lb_status lb_read_results_rows(const lb_results *results, const lb_results_table *t, long first,
                               long count, double *values)
{
    const size_t columns = (size_t)t->column_count, row_size = columns * sizeof *values;
    lb_status status =
        lb_pass_results(results, lb_read_hdf5_bytes(&results->access->reader,
                                                    t->data.at + (uint64_t)first * row_size,
                                                    (uint64_t)count * row_size, values));
    status = status < 0 ? status
                        : lb_check_results_rows(results, &t->checksums, t->name, first, count,
                                                row_size, values);
    if (status >= 0) {
        lb_turn_hdf5_items(&t->data, (uint64_t)count * columns, values);
    }
    return status;
}

lb_status lb_find_results_checksums(const lb_results *results, const char *name, uint64_t rows,
                                    lb_hdf5_array *a)
{
    lb_hdf5_reader *reader = &results->access->reader;
    uint64_t group = 0;
    lb_status status =
        lb_pass_results(results, lb_find_hdf5_object(reader, reader->root, "checksums", &group));
    if (status < 0 || group == 0) {
        return status;
    }
    status = lb_pass_results(results, lb_find_hdf5_dataset(reader, group, name, a));
    if (status < 0 || !a->found) {
        return status;
    }
    if (a->kind != LB_HDF5_INTEGER || a->item_size != sizeof(uint32_t) || a->rank != 1 ||
        a->dims[0] != rows) {
        return lb_fail_results(results, LB_E_SYNTAX,
                               "checksums of %s: expected one of 4 bytes per row", name);
    }
    // there may be none in what is left of the file
    a->found = lb_is_inside_file(reader, a);
    return LB_OK;
}
