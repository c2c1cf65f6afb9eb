// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frozen_loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_work.h"
#include "limber/assemble.h"
#include "limber/dynamics.h"
#include "limber/work.h"
#include "model/layout.h"

bool lb_has_closed_loops(const lb_model *model)
{
    bool found = false;
    for (int l = 0; l < model->loop_count; ++l) {
        found = found || !model->loops[l].inactive;
    }
    return found;
}

const char *lb_find_refused_loop(const lb_model *model, int *loop)
{
    for (int l = 0; l < model->loop_count; ++l) {
        *loop = l;
        if (model->loops[l].driven && !model->loops[l].inactive) {
            return "loops that follow a motion are frozen in simulations only";
        }
    }
    return NULL;
}

// ---- sample state ------------------------------------------------------------------------------

// Pivots that are smaller are of a place near a singular one.
static const double small_pivot = 1e-6;

// One try: q and v onto the loops. LB_E_SINGULAR where the place is of no use.
static lb_status try_place(const lb_model *model, lb_work *work, const lb_given_motion *given,
                           double *scratch, double *q, double *v)
{
    int loop;
    lb_assembly_options options = lb_default_assembly_options();
    options.held = given ? given->speeds : NULL;
    lb_status status = lb_assemble_loops(model, work, &options, q, v, scratch, NULL);
    status =
        status < LB_OK ? status : lb_factor_loops(model, work, q, given ? given->bodies : NULL);
    if (status >= LB_OK && lb_get_loop_pivot(model, work, &loop) < small_pivot) {
        status = LB_E_SINGULAR;
    }
    return status;
}

// Loops move as they do in another workspace.
static lb_status copy_motions(const lb_model *model, const lb_work *from, lb_work *work)
{
    lb_status status = LB_OK;
    for (int l = 0; status >= LB_OK && l < model->pattern->count; ++l) {
        const lb_loop_slot *slot = &from->loops->slots[l];
        status = slot->moves ? lb_set_loop_motion(model, work, l, &slot->motion) : LB_OK;
    }
    return status;
}

lb_status lb_close_sample(const lb_model *model, const double *start, const lb_given_motion *given,
                          lb_sample *sample)
{
    static const double reaches[] = {0.3, 0.2, 0.1, 0.03, 0.01, 0.0};
    const size_t n = (size_t)model->v_count, m = (size_t)model->q_count;
    const size_t slots = (size_t)model->pattern->count;
    double *memory = calloc(2 * m + 2 * n + lb_get_assembly_scratch_count(model), sizeof *memory);
    lb_work *work = sample->closed = lb_create_work(model);
    sample->loop_scales = calloc(slots, sizeof *sample->loop_scales);
    if (!memory || !work || !sample->loop_scales) {
        free(memory);
        return LB_E_MEMORY;
    }
    double *from = memory, *q = from + m, *way = q + m, *v = way + n, *scratch = v + n;
    if (start) {
        memcpy(from, start, m * sizeof *start);
    } else {
        lb_get_neutral_configuration(model, from);
    }
    // ends of a rod that coincide are found where it is assembled
    (void)lb_take_initial_offsets(model, work, from, NULL);
    lb_status status = given ? copy_motions(model, given->work, work) : LB_OK;
    status = status < LB_OK ? status : LB_E_SINGULAR;
    for (size_t i = 0; status < LB_OK && i < sizeof reaches / sizeof *reaches; ++i) {
        for (size_t j = 0; j < n; ++j) {
            const bool stays = given && given->speeds[j];
            way[j] = stays ? 0.0 : reaches[i] * sample->values[LB_ARRAY_A][j];
            v[j] = stays ? given->v[j] : sample->values[LB_ARRAY_V][j];
        }
        lb_integrate_configuration(model, from, way, q);
        status = try_place(model, work, given, scratch, q, v);
    }
    if (status >= LB_OK) {
        memcpy(sample->values[LB_ARRAY_Q], q, m * sizeof *q);
        memcpy(sample->values[LB_ARRAY_V], v, n * sizeof *v);
        for (size_t l = 0; l < slots; ++l) {
            sample->loop_scales[l] = work->loops->slots[l].scale;
        }
        status = LB_OK;
    }
    free(memory);
    return status;
}

void lb_clear_closed_sample(lb_sample *sample)
{
    lb_destroy_work(sample->closed);
    free(sample->loop_scales);
}

bool lb_has_same_rank(const lb_sample *sample, const lb_work *work)
{
    return work->loops->rank == sample->closed->loops->rank;
}

// ---- what is recorded --------------------------------------------------------------------------

lb_loop_pattern *lb_make_plain_pattern(const lb_model *model, void **memory)
{
    const lb_loop_pattern *old = model->pattern;
    const size_t count = (size_t)old->count, blocks = count * (count - 1) / 2;
    const size_t bodies = (size_t)model->body_count;
    int *next = calloc(1, sizeof(lb_loop_pattern) +
                              (2 * (count + 1) + 3 * blocks + count + 1 + bodies) * sizeof *next);
    *memory = next;
    if (!next) {
        return NULL;
    }
    lb_loop_pattern *out = (lb_loop_pattern *)(void *)next;
    *out = *old;
    next += sizeof *out / sizeof *next;
    int *column = next, *across = column + count + 1, *row = across + count + 1;
    int *entry = row + blocks, *at = entry + blocks, *group = at + blocks,
        *branch = group + count + 1;
    // every loop has a block with every loop behind it; those that have nothing in common stay empty
    int b = 0;
    for (int j = 0; j < old->count; ++j) {
        column[j] = b;
        across[j + 1] = across[j] + j;
        group[j] = -1;
        for (int i = j + 1; i < old->count; ++i) {
            row[b++] = i;
        }
    }
    column[old->count] = b;
    group[old->count] = -1;
    for (int i = 0; i < old->count; ++i) {
        for (int j = 0; j < i; ++j) {
            entry[across[i] + j] = column[j] + i - j - 1;
            at[across[i] + j] = j;
        }
    }
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *body = &model->bodies[k];
        const int before = body->parent < 0 ? -1 : branch[body->parent];
        branch[k] = before >= 0 ? before : body->nv + body->mode_count > 0 ? k : -1;
    }
    out->block_count = b;
    out->column = column;
    out->across = across;
    out->row = row;
    out->entry = entry;
    out->at = at;
    out->group = group;
    out->branch = branch;
    out->hub_count = out->widest = out->rows = 0;
    out->edge_count = out->hub_size = 0;
    out->null_count = 36 * count * count;
    return out;
}

void lb_start_plain_loops(const lb_model *model, const lb_work *own, lb_work *work)
{
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_loop_slot *to = &work->loops->slots[l];
        const lb_loop_slot *from = &own->loops->slots[l];
        to->loop.offset = from->loop.offset;
        to->loop.length = from->loop.length;
        for (int i = 0; i < 36; ++i) {
            to->loop.W[i / 6][i % 6] = lb_snap(from->loop.W[i / 6][i % 6]);
        }
        for (int i = 0; i < 18; ++i) {
            double *x = &to->at[i / 9].R.m[i % 9 / 3][i % 3];
            *x = lb_snap(*x);
        }
        for (int i = 0; i < 9; ++i) {
            double *x = &to->loop.offset.R.m[i / 3][i % 3];
            *x = lb_snap(*x);
        }
    }
}

// ---- the engine --------------------------------------------------------------------------------

// Errors at a closed state are round-off: what is next is the state itself.
lb_status lb_run_closed_engine(const lb_model *model, const lb_sample *sample,
                               const lb_frozen_function *f)
{
    double *const *x = sample->values;
    if (f->kind == LB_TRACE_CLOSE_POSITIONS) {
        memcpy(f->result, x[LB_ARRAY_Q], (size_t)model->q_count * sizeof(double));
        return LB_OK;
    }
    if (f->kind == LB_TRACE_CLOSE_SPEEDS) {
        memcpy(f->result, x[LB_ARRAY_V], (size_t)model->v_count * sizeof(double));
        return LB_OK;
    }
    if (f->with_rates) {
        lb_compute_configuration_rate(model, x[LB_ARRAY_Q], x[LB_ARRAY_V],
                                      f->result + model->v_count);
    }
    return lb_closed_forward(model, sample->closed, x[LB_ARRAY_Q], x[LB_ARRAY_V], NULL,
                             x[LB_ARRAY_TAU], f->result, NULL, NULL);
}
