// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse matrices of a structure from the entries of its files: sorted, checked, in SI units.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "reduction.h"

// ---- columns -----------------------------------------------------------------------------------

// An entry of a matrix whose other half follows stands for two.
static bool is_doubled(const lb_fe_entries *entries, const lb_fe_entry *e)
{
    return entries->part == LB_FE_HALF && e->row != e->column;
}

// Starts of the buckets 0 to n of `counts`, which are counts on entry and places to fill on return.
static void sum_up(int n, int *starts, int *counts)
{
    starts[0] = 0;
    for (int i = 0; i < n; ++i) {
        starts[i + 1] = starts[i] + counts[i];
        counts[i] = starts[i];
    }
}

#define TAKE(arena, pointer, count)                                                                \
    (((pointer) = lb_arena_take(arena, (size_t)(count), sizeof *(pointer))) != NULL)

// Sorts by counting: into rows, then row by row into columns, so that each column has its rows in order. The matrix
// is in `arena`.
static lb_status sort_with(lb_import *import, const lb_fe_entries *entries, int n, lb_arena *arena,
                           lb_arena *scratch, lb_fe_matrix *A)
{
    int *row_start, *fill, *columns;
    double *values;
    size_t count = 0;
    if (!TAKE(scratch, row_start, n + 1) || !TAKE(scratch, fill, n + 1) ||
        !TAKE(arena, A->start, n + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t k = 0; k < entries->count; ++k) {
        const lb_fe_entry *e = &entries->all[k];
        const bool both = is_doubled(entries, e);
        ++fill[e->row];
        fill[e->column] += both;
        count += 1 + both;
    }
    if (count > INT32_MAX) {
        lb_import_fail(import, entries->file, 0,
                       "%zu entries, expected at most 2147483647 with both triangles", count);
        return LB_E_UNSUPPORTED;
    }
    if (!TAKE(scratch, columns, count) || !TAKE(scratch, values, count) ||
        !TAKE(arena, A->row, count) || !TAKE(arena, A->value, count)) {
        return LB_E_MEMORY;
    }
    sum_up(n, row_start, fill);
    for (size_t k = 0; k < entries->count; ++k) {
        const lb_fe_entry *e = &entries->all[k];
        columns[fill[e->row]] = e->column;
        values[fill[e->row]++] = e->value;
        if (is_doubled(entries, e)) {
            columns[fill[e->column]] = e->row;
            values[fill[e->column]++] = e->value;
        }
    }
    memset(fill, 0, (size_t)n * sizeof *fill);
    for (size_t k = 0; k < count; ++k) {
        ++fill[columns[k]];
    }
    sum_up(n, A->start, fill);
    for (int i = 0; i < n; ++i) {
        for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
            A->row[fill[columns[k]]] = i;
            A->value[fill[columns[k]]++] = values[k];
        }
    }
    A->n = n;
    return LB_OK;
}

static lb_status sort_entries(lb_import *import, const lb_fe_entries *entries, int n,
                              lb_arena *arena, lb_fe_matrix *A)
{
    // what only the sorting needs, as much as the matrix itself, goes at once
    lb_arena scratch = lb_make_arena(&import->arena.allocator);
    const lb_status status = sort_with(import, entries, n, arena, &scratch, A);
    lb_arena_free(&scratch);
    return status;
}

// ---- checks ------------------------------------------------------------------------------------

static void describe(const lb_structure *structure, int row, char text[48])
{
    const lb_fe_row *r = &structure->rows[row];
    if (r->node == LB_FE_MODAL) {
        snprintf(text, 48, "modal coordinate %d", r->direction + 1);
    } else {
        snprintf(text, 48, "node %ld direction %d", structure->nodes[r->node].id, r->direction + 1);
    }
}

static lb_status check_repeats(lb_import *import, const lb_structure *structure,
                               const lb_fe_entries *entries, const lb_fe_matrix *A)
{
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j] + 1; k < A->start[j + 1]; ++k) {
            if (A->row[k] == A->row[k - 1]) {
                char row[48], column[48];
                describe(structure, A->row[k], row);
                describe(structure, j, column);
                return lb_import_fail(import, entries->file, 0,
                                      "the entry of %s and %s stands twice: %s", row, column,
                                      entries->part == LB_FE_HALF
                                          ? "expected one triangle of a symmetric matrix"
                                          : "expected each entry once");
            }
        }
    }
    return LB_OK;
}

static double find_entry(const lb_fe_matrix *A, int i, int j)
{
    int low = A->start[j], high = A->start[j + 1] - 1;
    while (low <= high) {
        const int middle = low + (high - low) / 2;
        if (A->row[middle] == i) {
            return A->value[middle];
        }
        if (A->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return 0.0;
}

// Of a matrix of which both triangles were read: the symmetric part. Ten digits of the largest entry are
// what the tersest of the formats keep.
static lb_status check_symmetry(lb_import *import, const lb_structure *structure,
                                const lb_fe_entries *entries, const lb_fe_matrix *A)
{
    double largest = 0.0, worst = 0.0;
    int at[2] = {0, 0};
    for (int k = 0; k < A->start[A->n]; ++k) {
        largest = fmax(largest, fabs(A->value[k]));
    }
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            const double difference = fabs(A->value[k] - find_entry(A, j, A->row[k]));
            if (difference > worst) {
                worst = difference;
                at[0] = A->row[k];
                at[1] = j;
            }
        }
    }
    if (worst > 1e-9 * largest) {
        char row[48], column[48];
        describe(structure, at[0], row);
        describe(structure, at[1], column);
        return lb_import_fail(import, entries->file, 0,
                              "not symmetric: %s and %s have %.6g, and the other way round %.6g; "
                              "export the stiffness and mass of a linear, undamped step",
                              row, column, find_entry(A, at[0], at[1]),
                              find_entry(A, at[1], at[0]));
    }
    return LB_OK;
}

// ---- one pattern -------------------------------------------------------------------------------

// Goes through the places where either matrix has an entry: counts them, and fills K and M if they are given.
static int merge(const lb_fe_matrix *A, const lb_fe_matrix *B, lb_fe_matrix *K, lb_fe_matrix *M)
{
    const int n = A->n;
    int count = 0;
    for (int j = 0; j < n; ++j) {
        int a = A->start[j], b = B->start[j];
        while (a < A->start[j + 1] || b < B->start[j + 1]) {
            const int row_a = a < A->start[j + 1] ? A->row[a] : n;
            const int row_b = b < B->start[j + 1] ? B->row[b] : n;
            const int row = row_a < row_b ? row_a : row_b;
            if (K) {
                K->row[count] = row;
                K->value[count] = row_a == row ? A->value[a] : 0.0;
                M->value[count] = row_b == row ? B->value[b] : 0.0;
            }
            a += row_a == row;
            b += row_b == row;
            ++count;
        }
        if (K) {
            K->start[j + 1] = count;
        }
    }
    return count;
}

// Both matrices over all places where either has an entry, as solvers want them.
static lb_status unite(lb_import *import, const lb_fe_matrix *A, const lb_fe_matrix *B,
                       lb_fe_matrix *K, lb_fe_matrix *M)
{
    const int n = A->n, count = merge(A, B, NULL, NULL);
    K->n = M->n = n;
    if (!LB_IMPORT_TAKE(import, K->start, n + 1) || !LB_IMPORT_TAKE(import, K->row, count) ||
        !LB_IMPORT_TAKE(import, K->value, count) || !LB_IMPORT_TAKE(import, M->value, count)) {
        return LB_E_MEMORY;
    }
    merge(A, B, K, M);
    M->start = K->start;
    M->row = K->row;
    return LB_OK;
}

// Translations have the unit of length, rotations and modal coordinates none:  A_ij s_i s_j * unit.
static void scale(const lb_structure *structure, double length, double unit, lb_fe_matrix *A)
{
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
            const lb_fe_row *r = &structure->rows[A->row[k]], *c = &structure->rows[j];
            const bool turns[2] = {r->node == LB_FE_MODAL || r->direction > 2,
                                   c->node == LB_FE_MODAL || c->direction > 2};
            A->value[k] *= unit * (turns[0] ? length : 1.0) * (turns[1] ? length : 1.0);
        }
    }
}

// Sorted by columns, checked, in the units of the files.
static lb_status assemble(lb_import *import, const lb_structure *structure,
                          const lb_fe_entries *entries, lb_arena *arena, lb_fe_matrix *A)
{
    lb_status status = sort_entries(import, entries, structure->row_count, arena, A);
    if (status == LB_OK) {
        status = check_repeats(import, structure, entries, A);
    }
    if (status == LB_OK && entries->part == LB_FE_BOTH) {
        status = check_symmetry(import, structure, entries, A);
    }
    return status;
}

lb_status lb_assemble_structure(lb_import *import, lb_structure *structure,
                                const lb_import_units *units, lb_fe_matrix *K, lb_fe_matrix *M)
{
    const double per_time = 1.0 / (units->time * units->time);
    lb_arena scratch = lb_make_arena(&import->arena.allocator);
    lb_fe_matrix own[2];
    lb_status status = assemble(import, structure, &structure->K, &scratch, &own[0]);
    status = status ? status : assemble(import, structure, &structure->M, &scratch, &own[1]);
    status = status ? status : unite(import, &own[0], &own[1], K, M);
    lb_arena_free(&scratch);
    if (status == LB_OK) {
        scale(structure, units->length, units->mass * per_time, K);
        scale(structure, units->length, units->mass, M);
        for (int i = 0; i < structure->node_count; ++i) {
            for (int c = 0; c < 3; ++c) {
                structure->nodes[i].x[c] *= units->length;
            }
        }
    }
    return status;
}

lb_status lb_assemble_damping(lb_import *import, const lb_structure *structure,
                              const lb_import_units *units, lb_fe_matrix *C)
{
    const lb_status status = assemble(import, structure, &structure->C, &import->arena, C);
    if (status == LB_OK) {
        scale(structure, units->length, units->mass / units->time, C);
    }
    return status;
}

lb_status lb_assemble_geometric(lb_import *import, const lb_structure *structure,
                                const lb_fe_entries *entries, const lb_import_units *units,
                                lb_fe_matrix *G)
{
    const lb_status status = assemble(import, structure, entries, &import->arena, G);
    if (status == LB_OK) {
        scale(structure, units->length, units->mass / (units->time * units->time), G);
    }
    return status;
}
