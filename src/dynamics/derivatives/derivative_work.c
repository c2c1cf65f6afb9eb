// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The workspace of the derivatives.
#include <stdint.h>
#include <string.h>

#include "derivative_parts.h"
#include "derivatives.h"
#include "limber/loops.h"
#include "model/modal/mode_update.h"

// Columns of all hinges, and of modes at moving nodes. The indices are written with the memory.
static size_t number_columns(const lb_model *model, lb_derivative_body *bodies)
{
    int count = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        lb_derivative_body nowhere;
        lb_derivative_body *w = bodies ? &bodies[k] : &nowhere;
        w->hinge = count;
        count += b->nv;
        w->at = b->at ? count : -1;
        count += b->at ? model->bodies[b->parent].mode_count : 0;
        w->own = b->moving ? count : -1;
        count += b->moving ? b->mode_count : 0;
    }
    return (size_t)count;
}

// Which columns stand, and which subtrees have a hinge with such columns.
static void mark_still_columns(const lb_model *model, lb_derivative_work *s, lb_mat3 *U)
{
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_derivative_body *w = &s->bodies[k];
        const int at = b->at && lb_is_ruthless(model->bodies[b->parent].flex);
        const int own = b->moving && lb_is_ruthless(b->flex);
        w->still = (at ? LB_STILL_AT : 0) | (own ? LB_STILL_OWN : 0);
        if (w->still) {
            w->sum.U = &U[k];
        }
        if (w->sum.U && b->parent >= 0) {
            s->bodies[b->parent].sum.U = &U[b->parent];
        }
    }
}

// Whether two speeds, i <= j, lie on one path.
static int is_outboard(const int *ends, int i, int j)
{
    return j < ends[i];
}

// The rows that have entries in each block of eight columns.
static void list_rows(const lb_model *model, const int *ends, int *starts, int *lists)
{
    const int n = model->v_count, block = 2 * LB_LANES;
    int used = 0;
    for (int first = 0; first < n; first += block) {
        starts[first / block] = used;
        for (int row = 0; row < n; ++row) {
            int related = 0;
            for (int j = first; j < first + block && j < n; ++j) {
                related |= row <= j ? is_outboard(ends, row, j) : is_outboard(ends, j, row);
            }
            lists[used] = row;
            used += related;
        }
    }
    starts[(n + block - 1) / block] = used;
}

// Whether the recursion is the shorter way to (DER-7). A column takes a number of products at every
// body; by matrices it takes those of one with W, and W takes a fifth of all, measured on chains. Both
// are done for da/dq, da/dv and da/dtau, or W.
static int choose_columns(const lb_model *model, const lb_derivative_work *s)
{
    const int block_count = (model->v_count + LB_WIDTH - 1) / LB_WIDTH;
    double recursion = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int n = b->mode_count, p = b->at ? model->bodies[b->parent].mode_count : 0;
        recursion += 48.0 + (b->simple ? 14.0 : (24.0 + b->nv) * b->nv);
        recursion += (12.0 + n + (b->moving ? 12.0 : 0.0)) * n + 12.0 * p;
        if (b->update) {
            const double c = b->update->child_count;
            recursion += 12.0 * c * n + 36.0 * c * c;
        }
    }
    const double matrices = 2.4 * LB_WIDTH * (double)s->list_starts[block_count];
    return 3.0 * recursion < matrices;
}

static size_t layout(const lb_model *model, unsigned char *base, lb_derivative_work *s)
{
    const size_t n = (size_t)model->v_count, stride = (n + 3) & ~(size_t)3;
    // rows are read and written in lanes that may start at their last entry
    const size_t square = stride * stride + 2 * LB_LANES;
    size_t used = 0;
    (void)lb_place_piece(base, &used, 1, sizeof *s);
    s->stride = (int)stride;
    s->inward = lb_place_piece(base, &used, n, sizeof *s->inward);
    s->skip = lb_place_piece(base, &used, n, sizeof *s->skip);
    s->way = lb_place_piece(base, &used, n, sizeof *s->way);
    // at most all rows in every block
    const size_t blocks = (n + 2 * LB_LANES - 1) / (2 * LB_LANES);
    s->list_starts = lb_place_piece(base, &used, blocks + 1, sizeof *s->list_starts);
    s->lists = lb_place_piece(base, &used, blocks * n + 1, sizeof *s->lists);
    size_t modes = 0, points = 0, children = 0;
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const size_t need = b->flex ? lb_get_point_derivative_scratch(b->flex) : 0;
        points = need > points ? need : points;
        modes = (size_t)b->mode_count > modes ? (size_t)b->mode_count : modes;
        const size_t updated = b->update ? (size_t)b->update->child_count : 0;
        children = updated > children ? updated : children;
    }
    s->bodies = lb_place_piece(base, &used, (size_t)model->body_count, sizeof *s->bodies);
    const size_t columns = number_columns(model, base ? s->bodies : NULL);
    s->columns = lb_place_piece(base, &used, columns, sizeof *s->columns);
    const size_t ruthless = lb_has_ruthless_modes(model) ? 1 : 0;
    const size_t crossings = ruthless * (size_t)model->body_count;
    s->dropped = lb_place_piece(base, &used, crossings, sizeof *s->dropped);
    s->behind = lb_place_piece(base, &used, 3 * n * ruthless, sizeof *s->behind);
    lb_mat3 *U = lb_place_piece(base, &used, crossings, sizeof *U);
    if (base && ruthless) {
        mark_still_columns(model, s, U);
    }
    s->y = lb_place_piece(base, &used, 6 * stride + LB_LANES, sizeof *s->y);
    s->w = lb_place_piece(base, &used, 3 * stride + LB_LANES, sizeof *s->w);
    s->z = lb_place_piece(base, &used, 6 * stride + LB_LANES, sizeof *s->z);
    s->u = lb_place_piece(base, &used, 6 * stride + LB_LANES, sizeof *s->u);
    s->path = lb_place_piece(base, &used, 3 * n, sizeof *s->path);
    s->mode_max = (int)modes;
    s->own = lb_place_piece(base, &used, 2 * modes, sizeof *s->own);
    s->local = lb_place_piece(base, &used, 2 * modes, sizeof *s->local);
    s->local_g = lb_place_piece(base, &used, modes, sizeof *s->local_g);
    s->points = lb_place_piece(base, &used, points, sizeof *s->points);
    const size_t bodies = (size_t)model->body_count;
    s->field_loads = lb_place_piece(base, &used, bodies, sizeof *s->field_loads);
    s->system_rows = lb_place_piece(base, &used, LB_SYSTEM_ROWS * n, sizeof *s->system_rows);
    s->system_bodies = lb_place_piece(base, &used, bodies, sizeof *s->system_bodies);
    s->field_modes = lb_place_piece(base, &used, modes, sizeof *s->field_modes);
    s->M = lb_place_piece(base, &used, square, sizeof *s->M);
    s->product = lb_place_piece(base, &used, square, sizeof *s->product);
    const size_t wide_rows = n + 6 * (size_t)model->body_count + modes + 12 * children;
    s->wide = lb_place_piece(base, &used, LB_WIDTH * wide_rows, sizeof *s->wide);
    s->diagonal = lb_place_piece(base, &used, n, sizeof *s->diagonal);
    s->W = lb_place_piece(base, &used, square, sizeof *s->W);
    s->dq = lb_place_piece(base, &used, square, sizeof *s->dq);
    s->dv = lb_place_piece(base, &used, square, sizeof *s->dv);
    s->q = lb_place_piece(base, &used, (size_t)model->q_count, sizeof *s->q);
    s->v = lb_place_piece(base, &used, n, sizeof *s->v);
    s->a = lb_place_piece(base, &used, n, sizeof *s->a);
    s->step = lb_place_piece(base, &used, n, sizeof *s->step);
    s->tau = lb_place_piece(base, &used, n, sizeof *s->tau);
    const size_t six = 6 * (size_t)lb_get_loop_capacity(model);
    s->loop_entries = (int)six;
    s->loop_forces = lb_place_piece(base, &used, six, sizeof *s->loop_forces);
    s->loop_rates = lb_place_piece(base, &used, six, sizeof *s->loop_rates);
    s->order = lb_place_piece(base, &used, n, sizeof *s->order);
    const size_t wide = (six + 3) & ~(size_t)3, rows = six ? six * stride + 2 * LB_LANES : 0;
    s->loop_stride = (int)wide;
    s->loop_J = lb_place_piece(base, &used, rows, sizeof *s->loop_J);
    s->loop_dq = lb_place_piece(base, &used, rows, sizeof *s->loop_dq);
    s->loop_dv = lb_place_piece(base, &used, rows, sizeof *s->loop_dv);
    s->loop_turn = lb_place_piece(base, &used, rows, sizeof *s->loop_turn);
    s->loop_Y = lb_place_piece(base, &used, wide * stride, sizeof *s->loop_Y);
    s->loop_list = lb_place_piece(base, &used, six > n ? six : n, sizeof *s->loop_list);
    return used;
}

size_t lb_get_derivative_work_size(const lb_model *model)
{
    lb_derivative_work counter = {0};
    return layout(model, NULL, &counter) + LB_ALIGNMENT;
}

lb_status lb_init_derivative_work(const lb_model *model, void *memory, size_t size,
                                  lb_derivative_work **out)
{
    *out = NULL;
    const size_t need = lb_get_derivative_work_size(model);
    if (!memory || size < need) {
        return LB_E_MEMORY;
    }
    const size_t skip = (size_t)(-(uintptr_t)memory & (LB_ALIGNMENT - 1));
    unsigned char *base = (unsigned char *)memory + skip;
    lb_derivative_work *s = (lb_derivative_work *)(void *)base;
    // what no path connects is zero and stays so
    memset(base, 0, need - LB_ALIGNMENT);
    (void)layout(model, base, s);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        const int own = b->mode_count + b->nv;
        // the last speed of the parent, or of the next ancestor that has any
        int last = -1;
        for (int p = b->parent; p >= 0 && last < 0; p = model->bodies[p].parent) {
            const int count = model->bodies[p].mode_count + model->bodies[p].nv;
            last = count ? model->bodies[p].speed + count - 1 : -1;
        }
        for (int i = 0; i < own; ++i) {
            s->inward[b->speed + i] = i ? b->speed + i - 1 : last;
        }
    }
    // ends of subtrees by speed, in scratch that is not in use yet
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = 0; i < b->mode_count + b->nv; ++i) {
            s->skip[b->speed + i] = b->speed_end;
        }
    }
    list_rows(model, s->skip, s->list_starts, s->lists);
    s->by_columns = choose_columns(model, s);
    s->ordered = 1;
    for (int i = 0; i < model->v_count; ++i) {
        s->ordered &= model->speeds[i] == i;
        s->order[model->speeds[i]] = i;
    }
    *out = s;
    return LB_OK;
}

lb_derivative_work *lb_create_derivative_work(const lb_model *model)
{
    const lb_allocator allocator = model->arena.allocator;
    const size_t size = lb_get_derivative_work_size(model);
    void *memory = allocator.allocate(allocator.user, size);
    lb_derivative_work *s = NULL;
    if (memory && lb_init_derivative_work(model, memory, size, &s) == LB_OK) {
        s->memory = memory;
        s->allocator = allocator;
    } else if (memory) {
        allocator.release(allocator.user, memory);
    }
    return s;
}

void lb_destroy_derivative_work(lb_derivative_work *s)
{
    if (s && s->memory) {
        const lb_allocator allocator = s->allocator;
        allocator.release(allocator.user, s->memory);
    }
}
