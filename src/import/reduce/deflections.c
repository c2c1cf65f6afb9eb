// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "basis.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"

// The rigid motions that are free, orthonormal in M by Gram and Schmidt.
static lb_status find_rigid_basis(lb_import *import, const lb_fe_matrix *M, const lb_reduction *r,
                                  lb_static *s)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;
    if (!LB_IMPORT_TAKE(import, s->R, 6 * s->n) || !LB_IMPORT_TAKE(import, s->MR, 6 * s->n)) {
        return LB_E_MEMORY;
    }
    for (int k = 0; k < 6; ++k) {
        double *x = s->R + s->rigid_count * n, *Mx = s->MR + s->rigid_count * n;
        if (!r->is_free[k]) {
            continue;
        }
        memcpy(x, r->R + k * n, s->n * sizeof *x);
        const double before = lb_compute_dot(n, x, r->MR + k * n);
        for (int turn = 0; turn < 2 * s->rigid_count; ++turn) {
            const ptrdiff_t j = turn % s->rigid_count;
            lb_add_scaled(n, -lb_compute_dot(n, x, s->MR + j * n), s->R + j * n, x);
        }
        lb_fe_multiply(M, x, Mx);
        const double square = lb_compute_dot(n, x, Mx);
        if (!(square > 1e-20 * before)) {
            return LB_E_SINGULAR; // no mass
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            x[i] /= sqrt(square);
            Mx[i] /= sqrt(square);
        }
        ++s->rigid_count;
    }
    return LB_OK;
}

// Rows that hold the rigid motions and nothing else: those in which they differ most, one after the other. Rotations
// count by the size of the structure.
//
// @param allowed  nodes whose rows may be taken; NULL: all
static lb_status support(lb_import *import, const lb_structure *structure, const bool *allowed,
                         lb_static *s)
{
    double(*left)[6], box[3];
    if (!LB_IMPORT_TAKE(import, left, s->n)) {
        return LB_E_MEMORY;
    }
    lb_find_box(structure, box);
    const double size = fmax(fmax(box[0], 0.0), fmax(box[1], box[2]));
    for (size_t i = 0; i < s->n; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        const bool turns = row->node == LB_FE_MODAL || row->direction > 2;
        if (allowed && (row->node == LB_FE_MODAL || !allowed[row->node])) {
            continue;
        }
        for (int k = 0; k < s->rigid_count; ++k) {
            left[i][k] = s->R[(size_t)k * s->n + i] * (turns && size > 0.0 ? size : 1.0);
        }
    }
    size_t chosen[6];
    if (!lb_choose_independent(s->n, left, s->rigid_count, chosen)) {
        return LB_E_SINGULAR;
    }
    for (int step = 0; step < s->rigid_count; ++step) {
        s->number[chosen[step]] = -1;
        s->supports[step] = (int)chosen[step];
    }
    return LB_OK;
}

static lb_status factor(lb_import *import, const lb_tied *tied, lb_static *s)
{
    lb_fe_matrix K, M;
    for (size_t i = 0; i < s->n; ++i) {
        s->number[i] = s->number[i] < 0 ? -1 : s->free_rows++;
    }
    lb_status status = lb_extract_matrix(import, &tied->K, s->number, s->free_rows, &K);
    status = status ? status : lb_extract_matrix(import, &tied->M, s->number, s->free_rows, &M);
    status = status ? status : lb_import_tell(import, "factors", 0.0);
    if (status == LB_OK && s->free_rows > 0) {
        s->factors = lb_fe_factor(&K, &M, 0.0, &status);
    }
    return status;
}

lb_status lb_prepare_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                            const bool *held, const bool *supports, lb_static *s)
{
    const lb_structure *structure = &tied->structure;
    bool is_held = false;
    *s = (lb_static){.K = &tied->K, .n = (size_t)tied->K.n};
    if (!LB_IMPORT_TAKE(import, s->number, s->n) ||
        !LB_IMPORT_TAKE(import, s->small, LB_STATIC_TOGETHER * s->n) ||
        !LB_IMPORT_TAKE(import, s->rest, 2 * s->n)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < s->n; ++i) {
        const int node = structure->rows[i].node;
        if (held && node != LB_FE_MODAL && held[node]) {
            s->number[i] = -1;
            is_held = true;
        }
    }
    lb_status status = LB_OK;
    if (!is_held && r->free_count > 0) {
        status = find_rigid_basis(import, &tied->M, r, s);
        status = status ? status : support(import, structure, supports, s);
    }
    return status ? status : factor(import, tied, s);
}

void lb_free_static(lb_static *s)
{
    lb_fe_free_factors(s->factors);
    s->factors = NULL;
}

lb_status lb_need_static(lb_import *import, const lb_tied *tied, const lb_reduction *r,
                         const bool *held, lb_static *s)
{
    if (s->factors) {
        return LB_OK;
    }
    const lb_status status = lb_prepare_static(import, tied, r, held, NULL, s);
    if (status != LB_OK) {
        lb_free_static(s);
    }
    return status == LB_E_MEMORY || status == LB_E_CALLBACK ? status : LB_OK;
}

// rest = f - K x with twice the digits: terms cancel to the last ones where x is smooth.
static void find_rest(const lb_fe_matrix *K, const double *f, const double *x, double *rest)
{
    double *low = rest + K->n;
    lb_fe_multiply_exactly(K, x, rest, low);
    for (int i = 0; i < K->n; ++i) {
        rest[i] = (f[i] - rest[i]) - low[i];
    }
}

// x - R R' M x: the rigid part goes out of a deflection; f - M R R' f: inertia balances a load.
static void remove_rigid(const lb_static *s, double *x, bool is_load)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;
    // twice, for the digits
    for (int k = 0; k < 2 * s->rigid_count; ++k) {
        const double *R = s->R + k % s->rigid_count * n, *MR = s->MR + k % s->rigid_count * n;
        lb_add_scaled(n, -lb_compute_dot(n, x, is_load ? R : MR), is_load ? MR : R, x);
    }
}

// Puts what is left of a load into a column of the equations.
//
// @param x  what has been found; NULL: nothing yet
static void put_rest(lb_static *s, const double *f, const double *x, double *column)
{
    if (x) {
        find_rest(s->K, f, x, s->rest);
    } else {
        memcpy(s->rest, f, s->n * sizeof *f);
    }
    remove_rigid(s, s->rest, true);
    for (size_t i = 0; i < s->n; ++i) {
        if (s->number[i] >= 0) {
            column[s->number[i]] = s->rest[i];
        }
    }
}

// Adds a column to a deflection. Returns whether the next one, smaller by as much again, would not matter.
static bool add_column(const lb_static *s, const double *column, double *x)
{
    for (size_t i = 0; i < s->n; ++i) {
        x[i] += s->number[i] >= 0 ? column[s->number[i]] : 0.0;
    }
    remove_rigid(s, x, false);
    return lb_find_largest(s->free_rows, column) <= 1e-10 * lb_find_largest((ptrdiff_t)s->n, x);
}

// What the solution leaves over is solved for again, until all digits are right. A stiffness that was read resists
// rigid motions a little: that is taken out of both sides each time, so that supports do not matter.
lb_status lb_solve_balanced(lb_static *s, int count, const double *f, double *x)
{
    const size_t n = s->n, rows = (size_t)s->free_rows;
    bool is_done[LB_STATIC_TOGETHER] = {false};
    memset(x, 0, (size_t)count * n * sizeof *x);
    for (int turn = 0; rows > 0 && turn < 4; ++turn) {
        int used = 0;
        for (int c = 0; c < count; ++c) {
            if (!is_done[c]) {
                put_rest(s, f + (size_t)c * n, turn > 0 ? x + (size_t)c * n : NULL,
                         s->small + (size_t)used++ * rows);
            }
        }
        const lb_status status = used > 0 ? lb_fe_solve(s->factors, s->small, used) : LB_OK;
        if (status != LB_OK || used == 0) {
            return status;
        }
        for (int c = count - 1; c >= 0; --c) {
            if (!is_done[c]) {
                is_done[c] = add_column(s, s->small + (size_t)--used * rows, x + (size_t)c * n);
            }
        }
    }
    return LB_OK;
}

void lb_balance_by_inertia(const lb_static *s, double *f)
{
    remove_rigid(s, f, true);
    // loads on what is held do no work
    for (size_t i = 0; s->rigid_count == 0 && i < s->n; ++i) {
        f[i] = s->number[i] >= 0 ? f[i] : 0.0;
    }
}

// K x = f - M R R' f,  R' M x = 0                                                              (IMP-6)
lb_status lb_solve_static(lb_static *s, double *f, double *x)
{
    lb_balance_by_inertia(s, f);
    return lb_solve_balanced(s, 1, f, x);
}
