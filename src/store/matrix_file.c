// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "matrix_file.h"

#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "hdf5_guard.h"

struct lb_matrix_file {
    mat_t *mat; // or
    hid_t file;
    lb_arena arena;
    bool good;
};

// ---- matrices ----------------------------------------------------------------------------------

// `values` row by row; MATLAB wants them column by column.
static void put_mat_matrix(lb_matrix_file *s, const char *name, int rows, int columns,
                           const double *values)
{
    size_t size[2] = {(size_t)rows, (size_t)columns};
    double *turned = lb_take_numbers(&s->arena, size[0] * size[1] + 1);
    if (!turned) {
        s->good = false;
        return;
    }
    for (size_t i = 0; i < size[0]; ++i) {
        for (size_t j = 0; j < size[1]; ++j) {
            turned[j * size[0] + i] = values[i * size[1] + j];
        }
    }
    matvar_t *variable = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, turned, 0);
    s->good = s->good && variable && Mat_VarWrite(s->mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
}

static void put_hdf5(lb_matrix_file *s, const char *name, hid_t type, int rank, const hsize_t *size,
                     const void *values)
{
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set =
        space < 0 ? -1
                  : H5Dcreate2(s->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    s->good =
        s->good && set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
}

void lb_put_matrix(lb_matrix_file *s, const char *name, int rows, int columns, const double *values)
{
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    if (s->mat) {
        put_mat_matrix(s, name, rows, columns, values);
    } else if (s->good) {
        const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
        put_hdf5(s, name, H5T_NATIVE_DOUBLE, 2, size, values);
    }
    lb_leave_hdf5(&guard);
}

// ---- names -------------------------------------------------------------------------------------

// A cell array of texts, a column.
static void put_mat_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    size_t size[2] = {(size_t)count, 1};
    matvar_t **cells = lb_arena_take(&s->arena, (size_t)count + 1, sizeof *cells);
    for (int i = 0; cells && i < count; ++i) {
        size_t length[2] = {1, strlen(names[i])};
        // the library copies the text
        cells[i] =
            Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, length, (void *)(size_t)names[i], 0);
        s->good = s->good && cells[i];
    }
    matvar_t *variable =
        cells ? Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, size, cells, 0) : NULL;
    s->good = s->good && variable && Mat_VarWrite(s->mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
}

// Texts of a fixed length.
static void put_hdf5_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    char(*texts)[LB_COLUMN_SIZE] = lb_arena_take(&s->arena, (size_t)count + 1, sizeof *texts);
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hsize_t size = (hsize_t)count;
    s->good = s->good && texts && type >= 0 && H5Tset_size(type, LB_COLUMN_SIZE) >= 0;
    if (s->good) {
        for (int i = 0; i < count; ++i) {
            snprintf(texts[i], LB_COLUMN_SIZE, "%s", names[i]);
        }
        put_hdf5(s, name, type, 1, &size, texts);
    }
    if (type >= 0) {
        H5Tclose(type);
    }
}

void lb_put_names(lb_matrix_file *s, const char *name, int count, const char *const *names)
{
    if (s->good) {
        lb_hdf5_guard guard;
        lb_enter_hdf5(&guard);
        (s->mat ? put_mat_names : put_hdf5_names)(s, name, count, names);
        lb_leave_hdf5(&guard);
    }
}

// ---- the file ----------------------------------------------------------------------------------

lb_matrix_file *lb_create_matrix_file(const char *path, bool is_matlab)
{
    lb_matrix_file *s = malloc(sizeof *s);
    if (!s) {
        return NULL;
    }
    *s = (lb_matrix_file){.file = -1, .arena = lb_make_arena(NULL)};
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    if (is_matlab) {
        s->mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    } else {
        s->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    }
    lb_leave_hdf5(&guard);
    s->good = s->mat || s->file >= 0;
    return s;
}

lb_status lb_close_matrix_file(lb_matrix_file *s)
{
    bool good = s->good;
    lb_hdf5_guard guard;
    lb_enter_hdf5(&guard);
    if (s->mat) {
        good = Mat_Close(s->mat) == 0 && good;
    }
    if (s->file >= 0) {
        good = H5Fclose(s->file) >= 0 && good;
    }
    lb_leave_hdf5(&guard);
    lb_arena_free(&s->arena);
    free(s);
    return good ? LB_OK : LB_E_FILE;
}
