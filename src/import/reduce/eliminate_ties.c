// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Ties as constraints: u = T z, and the matrices of the coordinates z that are left.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "ties.h"

bool lb_choose_independent(size_t count, double (*left)[6], int wanted, size_t chosen[6])
{
    for (int step = 0; step < wanted; ++step) {
        double largest = -1.0, unit[6];
        for (size_t i = 0; i < count; ++i) {
            const double square = lb_compute_dot(6, left[i], left[i]);
            if (square > largest) {
                largest = square;
                chosen[step] = i;
            }
        }
        if (!(largest > 0.0)) {
            return false;
        }
        for (int k = 0; k < 6; ++k) {
            unit[k] = left[chosen[step]][k] / sqrt(largest);
        }
        for (size_t i = 0; i < count; ++i) {
            lb_add_scaled(6, -lb_compute_dot(6, unit, left[i]), unit, left[i]);
        }
        memset(left[chosen[step]], 0, sizeof left[0]);
    }
    return true;
}

// ---- coordinates -------------------------------------------------------------------------------

// How one row follows the coordinates.
typedef struct follower {
    int count, capacity;
    int *index;
    double *value;
} follower;

static bool follow(lb_import *import, follower *f, int index, double value)
{
    if (value == 0.0) {
        return true;
    }
    int capacity = f->capacity;
    int *indices = lb_arena_grow(&import->arena, f->index, f->count, &capacity, sizeof *indices);
    double *values =
        lb_arena_grow(&import->arena, f->value, f->count, &f->capacity, sizeof *values);
    if (!indices || !values) {
        return false;
    }
    f->index = indices;
    f->value = values;
    f->index[f->count] = index;
    f->value[f->count++] = value;
    return true;
}

// The six rows of a set that are best expressed by its motion: by Gram and Schmidt, the largest first.
static lb_status choose_dependent(lb_import *import, const lb_fe_tie *tie, int chosen[6])
{
    double(*left)[6];
    if (!LB_IMPORT_TAKE(import, left, tie->row_count)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < tie->row_count; ++k) {
        for (int c = 0; c < 6; ++c) {
            left[k][c] = tie->weights[k][c] * (c < 3 ? 1.0 : tie->size);
        }
    }
    size_t rows[6] = {0};
    (void)lb_choose_independent((size_t)tie->row_count, left, 6, rows);
    for (int step = 0; step < 6; ++step) {
        chosen[step] = (int)rows[step];
    }
    return LB_OK;
}

void lb_solve_few(int n, double D[6][6], int count, double (*B)[6])
{
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int k = i + 1; k < n; ++k) {
            pivot = fabs(D[k][i]) > fabs(D[pivot][i]) ? k : pivot;
        }
        for (int c = 0; c < n + count; ++c) {
            double *a = c < n ? &D[i][c] : &B[c - n][i];
            double *b = c < n ? &D[pivot][c] : &B[c - n][pivot];
            const double swap = *a;
            *a = *b;
            *b = swap;
        }
        for (int k = 0; k < n; ++k) {
            const double factor = k == i ? 0.0 : D[k][i] / D[i][i];
            for (int c = 0; c < n; ++c) {
                D[k][c] -= factor * D[i][c];
            }
            for (int c = 0; c < count; ++c) {
                B[c][k] -= factor * B[c][i];
            }
        }
    }
    for (int c = 0; c < count; ++c) {
        for (int i = 0; i < n; ++i) {
            B[c][i] /= D[i][i];
        }
    }
}

// Six rows follow the motion p of the node and the other rows: with G = [D, H], u_D = D^-1 (p - H u_H).  (IMP-5)
static lb_status follow_average(lb_import *import, const lb_fe_tie *tie, const int *number,
                                int first, follower *followers)
{
    int chosen[6];
    double D[6][6];
    double(*B)[6];
    if (choose_dependent(import, tie, chosen) != LB_OK ||
        !LB_IMPORT_TAKE(import, B, tie->row_count + 6)) {
        return LB_E_MEMORY;
    }
    // columns: unit motions, then the weights of the rows; rotations are scaled as lengths
    for (int c = 0; c < 6; ++c) {
        const double scale = c < 3 ? 1.0 : tie->size;
        for (int k = 0; k < 6; ++k) {
            D[c][k] = tie->weights[chosen[k]][c] * scale;
        }
        B[c][c] = scale;
        for (int k = 0; k < tie->row_count; ++k) {
            B[6 + k][c] = -tie->weights[k][c] * scale;
        }
    }
    lb_solve_few(6, D, tie->row_count + 6, B);
    for (int k = 0; k < 6; ++k) {
        follower *f = &followers[tie->rows[chosen[k]]];
        for (int c = 0; c < tie->row_count + 6; ++c) {
            const int z = c < 6 ? first + c : number[tie->rows[c - 6]];
            if (z >= 0 && !follow(import, f, z, B[c][k])) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

static lb_status follow_rigid(lb_import *import, const lb_structure *structure, const int *rows,
                              const lb_fe_tie *tie, int first, follower *followers)
{
    for (int i = 0; i < 6 * tie->set_count; ++i) {
        const int row = rows[6 * tie->set[i / 6] + i % 6];
        double g[6];
        if (row < 0) {
            continue;
        }
        lb_get_follower(&structure->nodes[tie->set[i / 6]], i % 6, tie->x, 1.0, g);
        for (int k = 0; k < 6; ++k) {
            if (!follow(import, &followers[row], first + k, g[k])) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

// Degrees of freedom that an average may couple without a warning: a factor of so many takes seconds.
enum { COUPLED_MOST = 1500 };

// Marks the rows that a tie replaces by -2.
static lb_status drop_rows(lb_import *import, const lb_structure *structure, const int *rows,
                           const bool *clamped, const lb_fe_tie *tie, int *owner, int *number)
{
    for (int i = 0; i < tie->set_count; ++i) {
        const int node = tie->set[i];
        if (owner[node] || clamped[node]) {
            return lb_import_fail(import, NULL, 0, "node %ld belongs to %s and to %s",
                                  structure->nodes[node].id, tie->name,
                                  owner[node] ? "another tied set" : "the clamped nodes");
        }
        owner[node] = 1;
        for (int d = 0; d < 6 && tie->tie == LB_TIE_RIGID; ++d) {
            if (rows[6 * node + d] >= 0) {
                number[rows[6 * node + d]] = -2;
            }
        }
    }
    if (tie->tie == LB_TIE_AVERAGE && tie->row_count > COUPLED_MOST) {
        lb_import_warn(import, NULL, 0,
                       "%s: an average that is held or an interface couples all degrees of freedom "
                       "of its set, %d here: this takes long; tie fewer nodes, or tie them rigidly",
                       tie->name, tie->row_count);
    }
    if (tie->tie == LB_TIE_AVERAGE) {
        int chosen[6];
        if (choose_dependent(import, tie, chosen) != LB_OK) {
            return LB_E_MEMORY;
        }
        for (int k = 0; k < 6; ++k) {
            number[tie->rows[chosen[k]]] = -2;
        }
    }
    return LB_OK;
}

// ---- matrices ----------------------------------------------------------------------------------

// One column of T' A T for both matrices: values by row, and which rows there are.
typedef struct column {
    double *Ku, *Mu, *Kz, *Mz; // sums over rows u and coordinates z; zero where not marked
    int *marks_u, *marks_z;
    int *list_u, *list_z, count_u, count_z;
} column;

static bool take_column(lb_import *import, int n, int nz, column *c)
{
    return LB_IMPORT_TAKE(import, c->Ku, n) && LB_IMPORT_TAKE(import, c->Mu, n) &&
           LB_IMPORT_TAKE(import, c->Kz, nz) && LB_IMPORT_TAKE(import, c->Mz, nz) &&
           LB_IMPORT_TAKE(import, c->marks_u, n) && LB_IMPORT_TAKE(import, c->marks_z, nz) &&
           LB_IMPORT_TAKE(import, c->list_u, n) && LB_IMPORT_TAKE(import, c->list_z, nz);
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// @param T  its columns, as rows of a matrix
static void form_column(const lb_tied *tied, const lb_fe_matrix *K, const lb_fe_matrix *M,
                        const lb_fe_matrix *T, int b, column *c)
{
    c->count_u = c->count_z = 0;
    for (int t = T->start[b]; t < T->start[b + 1]; ++t) {
        const int j = T->row[t];
        for (int k = K->start[j]; k < K->start[j + 1]; ++k) {
            const int i = K->row[k];
            if (!c->marks_u[i]) {
                c->marks_u[i] = 1;
                c->list_u[c->count_u++] = i;
            }
            c->Ku[i] += K->value[k] * T->value[t];
            c->Mu[i] += M->value[k] * T->value[t];
        }
    }
    for (int l = 0; l < c->count_u; ++l) {
        const int i = c->list_u[l];
        for (int t = tied->start[i]; t < tied->start[i + 1]; ++t) {
            const int a = tied->index[t];
            if (!c->marks_z[a]) {
                c->marks_z[a] = 1;
                c->list_z[c->count_z++] = a;
            }
            c->Kz[a] += tied->value[t] * c->Ku[i];
            c->Mz[a] += tied->value[t] * c->Mu[i];
        }
        c->marks_u[i] = 0;
        c->Ku[i] = c->Mu[i] = 0.0;
    }
    qsort(c->list_z, (size_t)c->count_z, sizeof *c->list_z, compare_ints);
}

static void clear_column(column *c)
{
    for (int l = 0; l < c->count_z; ++l) {
        const int a = c->list_z[l];
        c->marks_z[a] = 0;
        c->Kz[a] = c->Mz[a] = 0.0;
    }
}

// The columns of T, from its rows.
static lb_status transpose(lb_import *import, const lb_tied *tied, int nz, lb_fe_matrix *T)
{
    const int count = tied->start[tied->n];
    T->n = nz;
    if (!LB_IMPORT_TAKE(import, T->start, nz + 2) || !LB_IMPORT_TAKE(import, T->row, count) ||
        !LB_IMPORT_TAKE(import, T->value, count)) {
        return LB_E_MEMORY;
    }
    for (int t = 0; t < count; ++t) {
        ++T->start[tied->index[t] + 2];
    }
    for (int a = 0; a < nz; ++a) {
        T->start[a + 2] += T->start[a + 1];
    }
    for (int i = 0; i < tied->n; ++i) {
        for (int t = tied->start[i]; t < tied->start[i + 1]; ++t) {
            const int at = T->start[tied->index[t] + 1]++;
            T->row[at] = i;
            T->value[at] = tied->value[t];
        }
    }
    return LB_OK;
}

// K and M of z: T' K T, T' M T, column by column, once to count and once to keep.
static lb_status form_matrices(lb_import *import, const lb_fe_matrix *K, const lb_fe_matrix *M,
                               int nz, lb_tied *tied)
{
    lb_fe_matrix T, *const Kz = &tied->K, *const Mz = &tied->M;
    column c = {.count_u = 0};
    if (transpose(import, tied, nz, &T) != LB_OK || !take_column(import, tied->n, nz, &c) ||
        !LB_IMPORT_TAKE(import, Kz->start, nz + 1)) {
        return LB_E_MEMORY;
    }
    Kz->n = Mz->n = nz;
    size_t count = 0;
    for (int b = 0; b < nz; ++b) {
        form_column(tied, K, M, &T, b, &c);
        count += (size_t)c.count_z;
        clear_column(&c);
        if (count > INT32_MAX) {
            lb_import_fail(
                import, NULL, 0,
                "the tied sets couple too many degrees of freedom: tie smaller sets by averages");
            return LB_E_UNSUPPORTED;
        }
        Kz->start[b + 1] = (int)count;
    }
    if (!LB_IMPORT_TAKE(import, Kz->row, count) || !LB_IMPORT_TAKE(import, Kz->value, count) ||
        !LB_IMPORT_TAKE(import, Mz->value, count)) {
        return LB_E_MEMORY;
    }
    Mz->start = Kz->start;
    Mz->row = Kz->row;
    for (int b = 0; b < nz; ++b) {
        form_column(tied, K, M, &T, b, &c);
        for (int l = 0; l < c.count_z; ++l) {
            const int at = Kz->start[b] + l, a = c.list_z[l];
            Kz->row[at] = a;
            Kz->value[at] = c.Kz[a];
            Mz->value[at] = c.Mz[a];
        }
        clear_column(&c);
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

// T from what each row follows.
static lb_status put_followers(lb_import *import, const follower *followers, const int *number,
                               lb_tied *tied)
{
    size_t count = 0;
    for (int i = 0; i < tied->n; ++i) {
        count += number[i] >= 0 ? 1 : (size_t)followers[i].count;
    }
    if (count > INT32_MAX || !LB_IMPORT_TAKE(import, tied->start, tied->n + 1) ||
        !LB_IMPORT_TAKE(import, tied->index, count) ||
        !LB_IMPORT_TAKE(import, tied->value, count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0, t = 0; i < tied->n; ++i) {
        if (number[i] >= 0) {
            tied->index[t] = number[i];
            tied->value[t++] = 1.0;
        } else if (followers[i].count > 0) {
            memcpy(tied->index + t, followers[i].index,
                   (size_t)followers[i].count * sizeof *tied->index);
            memcpy(tied->value + t, followers[i].value,
                   (size_t)followers[i].count * sizeof *tied->value);
            t += followers[i].count;
        }
        tied->start[i + 1] = t;
    }
    return LB_OK;
}

lb_status lb_apply_ties(lb_import *import, const lb_structure *structure, const int *rows,
                        const bool *clamped, const lb_fe_matrix *K, const lb_fe_matrix *M,
                        lb_tied *tied)
{
    int *number, *owner, applied = 0, nz = 0;
    follower *followers;
    for (int i = 0; i < tied->tie_count; ++i) {
        applied += tied->ties[i].is_coordinate;
    }
    tied->K = *K;
    tied->M = *M;
    if (applied == 0) {
        return LB_OK;
    }
    const int n = tied->n;
    if (!LB_IMPORT_TAKE(import, number, n) || !LB_IMPORT_TAKE(import, followers, n) ||
        !LB_IMPORT_TAKE(import, owner, structure->node_count)) {
        return LB_E_MEMORY;
    }
    lb_status status = LB_OK;
    for (int i = 0; status == LB_OK && i < tied->tie_count; ++i) {
        if (tied->ties[i].is_coordinate) {
            status = drop_rows(import, structure, rows, clamped, &tied->ties[i], owner, number);
        }
    }
    lb_fe_row *own;
    if (status != LB_OK || !LB_IMPORT_TAKE(import, own, n + 6 * applied)) {
        return status ? status : LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        if (number[i] != -2) {
            own[nz] = structure->rows[i];
            number[i] = nz++;
        }
    }
    for (int i = 0; status == LB_OK && i < tied->tie_count; ++i) {
        const lb_fe_tie *tie = &tied->ties[i];
        if (!tie->is_coordinate) {
            continue;
        }
        status = tie->tie == LB_TIE_RIGID
                     ? follow_rigid(import, structure, rows, tie, nz, followers)
                     : follow_average(import, tie, number, nz, followers);
        for (int k = 0; k < 6; ++k) {
            own[nz++] = (lb_fe_row){tie->node, k};
        }
    }
    tied->structure.rows = own;
    tied->structure.row_count = nz;
    status = status ? status : put_followers(import, followers, number, tied);
    return status ? status : form_matrices(import, K, M, nz, tied);
}
