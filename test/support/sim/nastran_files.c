// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "nastran_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

void lb_start_test_import(lb_test_import *test)
{
    *test = (lb_test_import){.heard = {.count = 0}};
    test->import.arena = lb_make_arena(NULL);
    test->import.report = lb_listen(&test->heard);
    test->import.files = test->files;
}

void lb_end_test_import(lb_test_import *test)
{
    for (int i = 0; i < test->import.file_count; ++i) {
        free(test->owned[i]);
    }
    lb_arena_free(&test->import.arena);
}

void lb_add_test_text(lb_test_import *test, const char *path, const char *text, size_t length)
{
    const int i = test->import.file_count++;
    char *copy = malloc(length + 1);
    assert_true(copy && i < 8);
    memcpy(copy, text, length);
    copy[length] = 0;
    test->owned[i] = copy;
    test->files[i] = (lb_import_file){.path = path, .text = copy, .length = length};
}

bool lb_add_test_file(lb_test_import *test, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t got = 1; got > 0; length += got) {
        if (length == room) {
            text = realloc(text, room *= 2);
        }
        assert_non_null(text);
        got = fread(text + length, 1, room - length, file);
    }
    fclose(file);
    lb_add_test_text(test, path, text, length);
    free(text);
    return true;
}

double *lb_expand_op4(const lb_nastran_matrix *matrix, size_t *count)
{
    const size_t parts = matrix->is_complex ? 2 : 1;
    *count = (size_t)matrix->rows * (size_t)matrix->columns * parts;
    double *dense = calloc(*count + 1, sizeof *dense);
    assert_non_null(dense);
    for (size_t i = 0; i < matrix->run_count; ++i) {
        const lb_op4_run *run = &matrix->runs[i];
        const size_t at = (size_t)run->column * (size_t)matrix->rows + (size_t)run->row;
        memcpy(dense + at * parts, matrix->values + run->first,
               (size_t)run->count * parts * sizeof *dense);
    }
    return dense;
}

double lb_compare_op4(const lb_nastran_matrix *a, const lb_nastran_matrix *b)
{
    if (a->rows != b->rows || a->columns != b->columns || a->is_complex != b->is_complex ||
        a->form != b->form || strcmp(a->name, b->name) != 0) {
        return HUGE_VAL;
    }
    size_t count;
    double *x = lb_expand_op4(a, &count), *y = lb_expand_op4(b, &count);
    double worst = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double gap = x[i] == y[i] ? 0.0 : fabs(x[i] - y[i]) / fabs(y[i]);
        worst = gap > worst ? gap : worst;
    }
    free(x);
    free(y);
    return worst;
}

double *lb_expand_entries(const lb_structure *structure, const lb_fe_entries *entries)
{
    const size_t n = (size_t)structure->row_count;
    double *A = calloc(n * n + 1, sizeof *A);
    assert_non_null(A);
    for (size_t i = 0; i < entries->count; ++i) {
        const lb_fe_entry *entry = &entries->all[i];
        assert_in_range(entry->row, 0, n - 1);
        assert_in_range(entry->column, 0, n - 1);
        const size_t row = (size_t)entry->row, column = (size_t)entry->column;
        A[row * n + column] += entry->value;
        if (entries->part == LB_FE_HALF && row != column) {
            A[column * n + row] += entry->value;
        }
    }
    return A;
}

// One of six rigid motions, row by row: u = e, or u = e x p and a rotation e.
static void fill_rigid_motion(const lb_structure *structure, int motion, double *R)
{
    double e[3] = {0};
    e[motion % 3] = 1.0;
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        R[i] = 0.0;
        if (row->node == LB_FE_MODAL) {
            continue;
        }
        const lb_fe_grid *node = &structure->nodes[row->node];
        const double *p = node->x;
        const double turn[3] = {e[1] * p[2] - e[2] * p[1], e[2] * p[0] - e[0] * p[2],
                                e[0] * p[1] - e[1] * p[0]};
        const double none[3] = {0};
        const double *u =
            motion < 3 ? (row->direction < 3 ? e : none) : (row->direction < 3 ? turn : e);
        for (int k = 0; k < 3; ++k) {
            R[i] += node->axes[k][row->direction % 3] * u[k];
        }
    }
}

double lb_get_rigid_residual(const lb_structure *structure, double *largest_stiffness)
{
    const size_t n = (size_t)structure->row_count;
    double *K = lb_expand_entries(structure, &structure->K), *R = calloc(n + 1, sizeof *R);
    assert_non_null(R);
    double worst = 0.0;
    *largest_stiffness = 0.0;
    for (size_t i = 0; i < n * n; ++i) {
        *largest_stiffness = fmax(*largest_stiffness, fabs(K[i]));
    }
    for (int motion = 0; motion < 6; ++motion) {
        fill_rigid_motion(structure, motion, R);
        for (size_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (size_t k = 0; k < n; ++k) {
                sum += K[i * n + k] * R[k];
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    free(K);
    free(R);
    return worst;
}

void lb_get_three_masses(const lb_structure *structure, double mass[3])
{
    const size_t n = (size_t)structure->row_count;
    double *M = lb_expand_entries(structure, &structure->M), *R = calloc(n + 1, sizeof *R);
    assert_non_null(R);
    for (int motion = 0; motion < 3; ++motion) {
        fill_rigid_motion(structure, motion, R);
        mass[motion] = 0.0;
        for (size_t i = 0; i < n * n; ++i) {
            mass[motion] += R[i / n] * M[i] * R[i % n];
        }
    }
    free(M);
    free(R);
}
