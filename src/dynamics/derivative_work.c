// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The workspace of the derivatives.
#include <stdint.h>
#include <string.h>

#include "derivatives.h"

static size_t layout(const lb_model *model, unsigned char *base, lb_derivative_work *s)
{
    const size_t n = (size_t)model->v_count, stride = (n + 3) & ~(size_t)3;
    const size_t square = stride * stride;
    size_t used = 0;
    (void)lb_place_piece(base, &used, 1, sizeof *s);
    s->stride = (int)stride;
    s->inward = lb_place_piece(base, &used, n, sizeof *s->inward);
    s->skip = lb_place_piece(base, &used, n, sizeof *s->skip);
    s->M = lb_place_piece(base, &used, square, sizeof *s->M);
    s->W = lb_place_piece(base, &used, square, sizeof *s->W);
    s->dq = lb_place_piece(base, &used, square, sizeof *s->dq);
    s->dv = lb_place_piece(base, &used, square, sizeof *s->dv);
    s->q = lb_place_piece(base, &used, (size_t)model->q_count, sizeof *s->q);
    s->v = lb_place_piece(base, &used, n, sizeof *s->v);
    s->a = lb_place_piece(base, &used, n, sizeof *s->a);
    s->moved_q = lb_place_piece(base, &used, (size_t)model->q_count, sizeof *s->moved_q);
    s->moved_v = lb_place_piece(base, &used, n, sizeof *s->moved_v);
    s->step = lb_place_piece(base, &used, n, sizeof *s->step);
    s->tau = lb_place_piece(base, &used, n, sizeof *s->tau);
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
    *out = s;
    return LB_OK;
}

lb_derivative_work *lb_create_derivative_work(const lb_model *model)
{
    const size_t size = lb_get_derivative_work_size(model);
    unsigned char *memory = model->arena.allocator.allocate(model->arena.allocator.user, size);
    lb_derivative_work *s = NULL;
    if (memory && lb_init_derivative_work(model, memory, size, &s) == LB_OK) {
        s->memory = memory;
    }
    return s;
}

void lb_destroy_derivative_work(const lb_model *model, lb_derivative_work *s)
{
    if (s && s->memory) {
        model->arena.allocator.release(model->arena.allocator.user, s->memory);
    }
}
