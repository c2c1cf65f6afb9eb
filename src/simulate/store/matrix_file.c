// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Both kinds of files are made in memory, and then written in one piece.
#define _POSIX_C_SOURCE 200809L
#include "matrix_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"
#include "base/files/output.h"
#include "base/hdf5/hdf5_writer.h"
#include "record_file.h"

struct lb_matrix_file {
    bool is_matlab;
    lb_hdf5_writer writer;
    // of a MATLAB file
    unsigned char *bytes;
    size_t size, room;
    lb_status status;
};

static void fail(lb_matrix_file *s, lb_status status)
{
    s->status = s->status < 0 ? s->status : status;
}

// ---- MATLAB, version 5 -------------------------------------------------------------------------
//
// A head of 128 bytes, then elements: type and size as two integers, and the data, padded to eight bytes.
// An array is an element that holds others: its class, its size, its name, its content. Source: MathWorks,
// MAT-File Format, Level 5.

enum {
    MAT_INT8 = 1,
    MAT_INT32 = 5,
    MAT_UINT32 = 6,
    MAT_DOUBLE = 9,
    MAT_MATRIX = 14,
    MAT_UTF8 = 16
};
enum { CLASS_CELL = 1, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };

// Room for `size` more bytes, zero; NULL if there is none.
static void *take_bytes(lb_matrix_file *s, size_t size)
{
    if (s->size + size > s->room) {
        const size_t room = 2 * (s->size + size);
        unsigned char *larger = realloc(s->bytes, room);
        if (!larger) {
            fail(s, LB_E_MEMORY);
            return NULL;
        }
        s->bytes = larger;
        s->room = room;
    }
    void *bytes = s->bytes + s->size;
    memset(bytes, 0, size);
    s->size += size;
    return bytes;
}

// An element; its data are left to the caller. NULL on failure.
static void *start_element(lb_matrix_file *s, uint32_t type, size_t size)
{
    const uint32_t tag[] = {type, (uint32_t)size};
    unsigned char *bytes = take_bytes(s, sizeof tag + (size + 7) / 8 * 8);
    if (bytes) {
        memcpy(bytes, tag, sizeof tag);
    }
    return bytes ? bytes + sizeof tag : NULL;
}

static void put_element(lb_matrix_file *s, uint32_t type, size_t size, const void *data)
{
    void *bytes = start_element(s, type, size);
    if (bytes && size > 0) {
        memcpy(bytes, data, size);
    }
}

// An array up to its content; returns its place.
static size_t start_array(lb_matrix_file *s, uint32_t class, const char *name, int rows,
                          int columns)
{
    const size_t at = s->size;
    const uint32_t flags[] = {class, 0};
    const int32_t size[] = {rows, columns};
    start_element(s, MAT_MATRIX, 0);
    put_element(s, MAT_UINT32, sizeof flags, flags);
    put_element(s, MAT_INT32, sizeof size, size);
    put_element(s, MAT_INT8, strlen(name), name);
    return at;
}

// Its size is known now.
static void end_array(lb_matrix_file *s, size_t at)
{
    const size_t size = s->size - at - 8;
    if (size > INT32_MAX) {
        fail(s, LB_E_UNSUPPORTED);
    } else if (s->status >= 0) {
        const uint32_t stored = (uint32_t)size;
        memcpy(s->bytes + at + 4, &stored, sizeof stored);
    }
}

static void put_mat_head(lb_matrix_file *s)
{
    enum { TEXT = 124, VERSION = 0x0100, ORDER = 'M' << 8 | 'I' };
    const uint16_t end[] = {VERSION, ORDER};
    char *head = take_bytes(s, TEXT + sizeof end);
    if (head) {
        const int used =
            snprintf(head, TEXT, "MATLAB 5.0 MAT-file, written by limber %s", lb_get_version());
        memset(head + used, ' ', (size_t)(TEXT - used));
        memset(head + 116, 0, 8);
        memcpy(head + TEXT, end, sizeof end);
    }
}

// `values` row by row; MATLAB wants them column by column.
static void put_mat_matrix(lb_matrix_file *s, const char *name, int rows, int columns,
                           const double *values)
{
    const size_t m = (size_t)rows, n = (size_t)columns;
    if (n > 0 && m > INT32_MAX / sizeof *values / n) {
        fail(s, LB_E_UNSUPPORTED);
        return;
    }
    const size_t at = start_array(s, CLASS_DOUBLE, name, rows, columns);
    unsigned char *bytes = start_element(s, MAT_DOUBLE, m * n * sizeof *values);
    for (size_t i = 0; bytes && i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
            memcpy(bytes + (j * m + i) * sizeof *values, &values[i * n + j], sizeof *values);
        }
    }
    end_array(s, at);
}

static int count_characters(const char *text)
{
    int count = 0;
    for (; *text; ++text) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

// A cell array of texts, a column.
static void put_mat_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    const size_t at = start_array(s, CLASS_CELL, name, count, 1);
    for (int i = 0; i < count; ++i) {
        const size_t cell = start_array(s, CLASS_CHAR, "", 1, count_characters(names[i]));
        put_element(s, MAT_UTF8, strlen(names[i]), names[i]);
        end_array(s, cell);
    }
    end_array(s, at);
}

// ---- either ------------------------------------------------------------------------------------

void lb_put_matrix(lb_matrix_file *s, const char *name, int rows, int columns, const double *values)
{
    if (s->is_matlab && s->status >= 0) {
        put_mat_matrix(s, name, rows, columns, values);
    } else if (!s->is_matlab) {
        const lb_hdf5_shape shape = {
            .type = LB_HDF5_FLOAT64, .rank = 2, .dims = {(uint64_t)rows, (uint64_t)columns}};
        lb_put_hdf5_dataset(&s->writer, LB_HDF5_ROOT, name, &shape,
                            values ? (const void *)values : "");
    }
}

void lb_put_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    if (s->is_matlab && s->status >= 0) {
        put_mat_names(s, name, count, names);
    } else if (!s->is_matlab) {
        lb_put_hdf5_names(&s->writer, LB_HDF5_ROOT, name, LB_COLUMN_SIZE, count, names);
    }
}

lb_matrix_file *lb_create_matrix_file(bool is_matlab)
{
    lb_matrix_file *s = calloc(1, sizeof *s);
    if (s) {
        s->is_matlab = is_matlab;
        if (is_matlab) {
            put_mat_head(s);
        } else {
            lb_start_hdf5_writer(&s->writer);
        }
    }
    return s;
}

static lb_status write_bytes(const unsigned char *bytes, size_t size, const char *path,
                             const lb_report *report)
{
    lb_output *output;
    const lb_status status = lb_open_output(path, report, &output);
    if (status < 0) {
        return status;
    }
    if (lb_write_at(lb_get_output_descriptor(output), bytes, size, 0) < 0) {
        lb_drop_output(output, errno, report);
        return LB_E_FILE;
    }
    return lb_finish_output(output, true, report);
}

lb_status lb_close_matrix_file(lb_matrix_file *s, const char *path, const lb_report *report)
{
    lb_hdf5_writer *w = &s->writer;
    lb_status status = s->is_matlab ? s->status : lb_finish_hdf5_writer(w);
    if (status < 0 && path) {
        lb_faults faults = {.report = report ? *report : (lb_report){NULL, NULL}};
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "cannot write %s: %s", path,
                    status == LB_E_MEMORY ? "out of memory"
                                          : "it is too large for a MATLAB file; HDF5 has room");
    } else if (path) {
        status = write_bytes(s->is_matlab ? s->bytes : w->bytes, s->is_matlab ? s->size : w->size,
                             path, report);
    }
    free(s->bytes);
    if (!s->is_matlab) {
        lb_free_hdf5_writer(w);
    }
    free(s);
    return status;
}
