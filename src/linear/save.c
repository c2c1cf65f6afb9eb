// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Linear models as files of MATLAB and of HDF5. Both hold the same variables.
#include <hdf5.h>
#include <matio.h>
#include <stdio.h>
#include <string.h>

#include "linear.h"

// A file being written, of either kind.
typedef struct sink {
    mat_t *mat;
    hid_t file;
    lb_store *store;
    bool good;
} sink;

// ---- matrices ----------------------------------------------------------------------------------

// `values` row by row; MATLAB wants them column by column.
static void put_mat_matrix(sink *s, const char *name, int rows, int columns, const double *values)
{
    size_t size[2] = {(size_t)rows, (size_t)columns};
    double *turned = lb_take_numbers(s->store, size[0] * size[1] + 1);
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

static void put_hdf5(sink *s, const char *name, hid_t type, int rank, const hsize_t *size,
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

static void put_matrix(sink *s, const char *name, int rows, int columns, const double *values)
{
    if (s->mat) {
        put_mat_matrix(s, name, rows, columns, values);
    } else {
        const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
        put_hdf5(s, name, H5T_NATIVE_DOUBLE, 2, size, values);
    }
}

// ---- names -------------------------------------------------------------------------------------

// A cell array of texts, a column.
static void put_mat_names(sink *s, const char *name, int count, const char *const *names)
{
    size_t size[2] = {(size_t)count, 1};
    matvar_t **cells = lb_store_take(s->store, (size_t)count + 1, sizeof *cells);
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
static void put_hdf5_names(sink *s, const char *name, int count, const char *const *names)
{
    char(*texts)[LB_COLUMN_SIZE] = lb_store_take(s->store, (size_t)count + 1, sizeof *texts);
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

static void put_names(sink *s, const char *name, int count, const char *const *names)
{
    (s->mat ? put_mat_names : put_hdf5_names)(s, name, count, names);
}

// ---- all ---------------------------------------------------------------------------------------

// Rows of frequencies: real and imaginary parts apart, outputs x inputs each, row by row.
static void put_response(sink *s, const lb_linear *l, int count, const double *frequencies,
                         const double *response)
{
    const size_t width = (size_t)l->output_count * (size_t)l->input_count;
    double *part = lb_take_numbers(s->store, (size_t)count * width + 1);
    if (!part) {
        s->good = false;
        return;
    }
    put_matrix(s, "frequency_hz", count, 1, frequencies);
    for (int which = 0; which < 2; ++which) {
        for (size_t i = 0; i < (size_t)count * width; ++i) {
            part[i] = response[2 * i + (size_t)which];
        }
        put_matrix(s, which ? "response_imaginary" : "response_real", count, (int)width, part);
    }
}

static void put_all(sink *s, const lb_linear *l, int q_count, int v_count)
{
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    put_matrix(s, "A", n, n, l->A);
    put_matrix(s, "B", n, m, l->B);
    put_matrix(s, "C", p, n, l->C);
    put_matrix(s, "D", p, m, l->D);
    put_names(s, "states", n, l->states);
    put_names(s, "inputs", m, l->inputs);
    put_names(s, "outputs", p, l->outputs);
    put_matrix(s, "eigenvalues", n, 2, l->eigenvalues);
    put_matrix(s, "participation", n, n, l->participation);
    put_matrix(s, "output_values", p, 1, l->output_values);
    put_matrix(s, "t", 1, 1, &l->t);
    put_matrix(s, "q", q_count, 1, l->q);
    put_matrix(s, "v", v_count, 1, l->v);
    put_matrix(s, "a", v_count, 1, l->a);
}

lb_status lb_save_linear(const lb_linear *linear, int count, const double *frequencies,
                         const double *response, const char *path, lb_linear_format format,
                         char message[256])
{
    lb_store store = lb_make_store();
    sink s = {.file = -1, .store = &store, .good = true};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (format == LB_LINEAR_MAT) {
        s.mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    } else {
        s.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    }
    s.good = s.mat || s.file >= 0;
    if (s.good) {
        put_all(&s, linear, linear->q_count, linear->v_count);
        if (frequencies) {
            put_response(&s, linear, count, frequencies, response);
        }
    }
    if (s.mat) {
        s.good = Mat_Close(s.mat) == 0 && s.good;
    }
    if (s.file >= 0) {
        s.good = H5Fclose(s.file) >= 0 && s.good;
    }
    lb_store_free(&store);
    if (!s.good) {
        snprintf(message, 256, "cannot write %s", path);
    }
    return s.good ? LB_OK : LB_E_FILE;
}
