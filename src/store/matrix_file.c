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

#include "base/arena.h"
#include "base/faults.h"
#include "hdf5_guard.h"
#include "hdf5_image.h"
#include "limber/output.h"
#include "record_file.h"

struct lb_matrix_file {
    bool is_matlab;
    lb_hdf5_image image; // bytes of either kind
    size_t room;         // of a MATLAB file, for its bytes
    hid_t file;
    char name[32];
    lb_arena arena;
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
    lb_hdf5_image *image = &s->image;
    if (image->size + size > s->room) {
        const size_t room = 2 * (image->size + size);
        unsigned char *larger = realloc(image->bytes, room);
        if (!larger) {
            fail(s, LB_E_MEMORY);
            return NULL;
        }
        image->bytes = larger;
        s->room = room;
    }
    void *bytes = image->bytes + image->size;
    memset(bytes, 0, size);
    image->size += size;
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
    const size_t at = s->image.size;
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
    const size_t size = s->image.size - at - 8;
    if (size > INT32_MAX) {
        fail(s, LB_E_UNSUPPORTED);
    } else if (s->status >= 0) {
        const uint32_t stored = (uint32_t)size;
        memcpy(s->image.bytes + at + 4, &stored, sizeof stored);
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

// ---- HDF5 --------------------------------------------------------------------------------------

static void put_hdf5(lb_matrix_file *s, const char *name, hid_t type, int rank, const hsize_t *size,
                     const void *values)
{
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set =
        space < 0 ? -1
                  : H5Dcreate2(s->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        fail(s, LB_E_MEMORY);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
}

// Texts of a fixed length.
static void put_hdf5_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    char(*texts)[LB_COLUMN_SIZE] = lb_arena_take(&s->arena, (size_t)count + 1, sizeof *texts);
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hsize_t size = (hsize_t)count;
    if (!texts || type < 0 || H5Tset_size(type, LB_COLUMN_SIZE) < 0) {
        fail(s, LB_E_MEMORY);
    } else {
        for (int i = 0; i < count; ++i) {
            snprintf(texts[i], LB_COLUMN_SIZE, "%s", names[i]);
        }
        put_hdf5(s, name, type, 1, &size, texts);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
}

// ---- either ------------------------------------------------------------------------------------

void lb_put_matrix(lb_matrix_file *s, const char *name, int rows, int columns, const double *values)
{
    if (s->status >= 0 && s->is_matlab) {
        put_mat_matrix(s, name, rows, columns, values);
    } else if (s->status >= 0) {
        const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
        if (!lb_has_memory(LB_HDF5_NEEDS + (size_t)rows * (size_t)columns * sizeof *values)) {
            fail(s, LB_E_MEMORY);
            return;
        }
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        put_hdf5(s, name, H5T_NATIVE_DOUBLE, 2, size, values);
        lb_leave_hdf5(&guard);
    }
}

void lb_put_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    if (s->status >= 0 && s->is_matlab) {
        put_mat_names(s, name, count, names);
    } else if (s->status >= 0) {
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        put_hdf5_names(s, name, count, names);
        lb_leave_hdf5(&guard);
    }
}

lb_matrix_file *lb_create_matrix_file(bool is_matlab)
{
    lb_matrix_file *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->is_matlab = is_matlab;
    s->file = -1;
    s->arena = lb_make_arena(NULL);
    if (is_matlab) {
        put_mat_head(s);
        return s;
    }
    if (!lb_has_memory(LB_HDF5_NEEDS)) {
        fail(s, LB_E_MEMORY);
        return s;
    }
    // other threads may have one open
    snprintf(s->name, sizeof s->name, "/limber/%p", (void *)s);
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    s->file = lb_create_hdf5_image(&s->image, s->name, 2048);
    lb_leave_hdf5(&guard);
    if (s->file < 0) {
        fail(s, LB_E_MEMORY);
    }
    return s;
}

static lb_status write_image(const lb_matrix_file *s, const char *path, const lb_report *report)
{
    lb_output *output;
    const lb_status status = lb_open_output(path, report, &output);
    if (status < 0) {
        return status;
    }
    if (lb_write_at(lb_get_output_descriptor(output), s->image.bytes, s->image.size, 0) < 0) {
        lb_drop_output(output, errno, report);
        return LB_E_FILE;
    }
    return lb_finish_output(output, true, report);
}

lb_status lb_close_matrix_file(lb_matrix_file *s, const char *path, const lb_report *report)
{
    if (s->file >= 0) {
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        if (!lb_close_hdf5_image(s->file, &s->image) || (int64_t)s->image.size < s->image.end) {
            fail(s, LB_E_MEMORY);
        }
        lb_leave_hdf5(&guard);
    }
    lb_status status = s->status;
    if (status < 0 && path) {
        lb_faults faults = {.report = report ? *report : (lb_report){NULL, NULL}};
        lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "cannot write %s: %s", path,
                    status == LB_E_MEMORY ? "out of memory"
                                          : "it is too large for a MATLAB file; HDF5 has room");
    } else if (path) {
        status = write_image(s, path, report);
    }
    free(s->image.bytes);
    lb_arena_free(&s->arena);
    free(s);
    return status;
}
