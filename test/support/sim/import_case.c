// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "import_case.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void hear(void *user, const lb_diagnostic *diagnostic)
{
    lb_import_case *c = user;
    const size_t used = strlen(c->heard);
    snprintf(c->heard + used, sizeof c->heard - used, "%s: %s:%d: %s\n",
             diagnostic->severity == LB_SEVERITY_ERROR ? "error" : "warning",
             diagnostic->file ? diagnostic->file : "", diagnostic->line, diagnostic->message);
}

void lb_begin_case(lb_import_case *c)
{
    memset(c, 0, sizeof *c);
    c->import.arena = lb_make_arena(NULL);
    c->import.report = (lb_report){hear, c};
    c->import.files = c->files;
}

void lb_end_case(lb_import_case *c)
{
    lb_free_structure(&c->structure);
    lb_arena_free(&c->import.arena);
    for (int i = 0; i < LB_CASE_FILES; ++i) {
        free(c->owned[i]);
    }
}

void lb_add_case_text(lb_import_case *c, const char *name, const char *text)
{
    assert_true(c->import.file_count < LB_CASE_FILES);
    c->files[c->import.file_count++] =
        (lb_import_file){.path = name, .text = text, .length = strlen(text)};
}

bool lb_add_case_file(lb_import_case *c, const char *folder, const char *name)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    c->owned[c->import.file_count] = text;
    lb_add_case_text(c, lb_arena_text(&c->import.arena, name), text);
    c->files[c->import.file_count - 1].length = (size_t)length;
    return true;
}

lb_status lb_read_case(lb_import_case *c, lb_structure_reader *reader)
{
    return reader(&c->import, &c->structure);
}

double *lb_make_dense(const lb_structure *structure, const lb_fe_entries *entries)
{
    const size_t n = (size_t)structure->row_count;
    double *A = lb_make_numbers(n * n);
    for (size_t k = 0; k < entries->count; ++k) {
        const size_t i = (size_t)entries->all[k].row, j = (size_t)entries->all[k].column;
        assert_true(i < n && j < n);
        assert_true(A[i * n + j] == 0.0);
        A[i * n + j] = entries->all[k].value;
        if (entries->part == LB_FE_HALF && i != j) {
            assert_true(A[j * n + i] == 0.0);
            A[j * n + i] = entries->all[k].value;
        }
    }
    const double largest = lb_get_largest((int)(n * n), A);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            // files have 14 digits or more
            assert_true(fabs(A[i * n + j] - A[j * n + i]) <= 1e-12 * largest);
        }
    }
    return A;
}

double *lb_make_rigid_motion(const lb_structure *structure, int direction)
{
    double *v = lb_make_numbers((size_t)structure->row_count);
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        const lb_fe_grid *node = &structure->nodes[row->node];
        double turn[3] = {0, 0, 0}, move[3] = {0, 0, 0};
        if (direction < 3) {
            move[direction] = 1;
        } else {
            turn[direction - 3] = 1;
            move[0] = turn[1] * node->x[2] - turn[2] * node->x[1];
            move[1] = turn[2] * node->x[0] - turn[0] * node->x[2];
            move[2] = turn[0] * node->x[1] - turn[1] * node->x[0];
        }
        const double *w = row->direction < 3 ? move : turn;
        const int d = row->direction % 3;
        v[i] = node->axes[0][d] * w[0] + node->axes[1][d] * w[1] + node->axes[2][d] * w[2];
    }
    return v;
}

double *lb_find_eigenvalues(const lb_structure *structure, double shift,
                            bool (*is_held)(const lb_structure *, int row))
{
    const int n = structure->row_count;
    double *K = lb_make_dense(structure, &structure->K);
    double *M = lb_make_dense(structure, &structure->M), *values = lb_make_numbers((size_t)n);
    // rows that stay, in place; M x = u (K + shift M) x, as M may be singular
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (is_held && is_held(structure, i)) {
            continue;
        }
        for (int j = 0, k = 0; j < n; ++j) {
            if (!is_held || !is_held(structure, j)) {
                const size_t from = (size_t)i * (size_t)n + (size_t)j;
                const size_t to = (size_t)count * (size_t)n + (size_t)k++;
                const double mass = M[from];
                K[to] = K[from] + shift * mass;
                M[to] = mass;
            }
        }
        ++count;
    }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'L', count, M, n, K, n, values), 0);
    // the largest u first
    for (int i = 0; i < count / 2; ++i) {
        const double value = values[i];
        values[i] = values[count - 1 - i];
        values[count - 1 - i] = value;
    }
    for (int i = 0; i < count; ++i) {
        values[i] = 1.0 / values[i] - shift;
    }
    free(K);
    free(M);
    return values;
}
