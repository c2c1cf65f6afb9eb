// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches: states are cut into pieces, one per thread, and each piece goes to the copy of the model's instruction set or,
// with loops, state by state to forward dynamics.
#include "limber/batch.h"

#include <math.h>
#include <stdint.h>

#include "base/sized.h"
#include "batch_work.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_work.h"
#include "model/kernel_table.h"
#include "model/numbers.h"

// A piece: what one thread computes.
typedef struct piece {
    lb_batch_work *work;
    int start, count; // states of the last call
    lb_status status;
} piece;

struct lb_batch {
    lb_team team;
    lb_machine machine;
    int piece_count; // that have a workspace
    int used_count;  // of the last call
    piece *pieces;
    lb_allocator allocator;
};

// Bytes of a workspace, any address.
static size_t get_piece_size(const lb_model *model)
{
    const size_t size = model->kernels->batch->work_size(model) + LB_ALIGNMENT;
    return (size + LB_ALIGNMENT - 1) & ~(size_t)(LB_ALIGNMENT - 1);
}

lb_batch *lb_create_batch(const lb_model *model, const lb_batch_options *options)
{
    lb_batch_options own = lb_default_batch_options();
    if (options && lb_take_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_batch_options, size),
                                 options) != LB_OK) {
        return NULL;
    }
    const size_t count = own.team.thread_count > 1 ? (size_t)own.team.thread_count : 1;
    const lb_machine *m = &own.machine;
    const bool is_whole = m->forward_dynamics && m->inverse_dynamics && m->mass_matrix;
    const bool is_there = m->forward_dynamics || m->inverse_dynamics || m->mass_matrix;
    if ((count > 1 && (!own.team.run || !own.team.wait)) || is_there != is_whole) {
        return NULL;
    }
    // the batch, its pieces, then their workspaces
    const size_t head = sizeof(lb_batch) + count * sizeof(piece), size = get_piece_size(model);
    const lb_allocator allocator = model->arena.allocator;
    unsigned char *memory = allocator.allocate(allocator.user, head + LB_ALIGNMENT + count * size);
    if (!memory) {
        return NULL;
    }
    lb_batch *batch = (lb_batch *)(void *)memory;
    *batch = (lb_batch){.team = own.team,
                        .machine = own.machine,
                        .piece_count = (int)count,
                        .pieces = (piece *)(void *)(memory + sizeof *batch),
                        .allocator = allocator};
    unsigned char *at = memory + head;
    at += (size_t)(-(uintptr_t)at & (LB_ALIGNMENT - 1));
    for (size_t i = 0; i < count; ++i) {
        batch->pieces[i] = (piece){.status = LB_OK};
        if (model->kernels->batch->init_work(model, at + i * size, &batch->pieces[i].work) !=
            LB_OK) {
            lb_destroy_batch(batch);
            return NULL;
        }
    }
    return batch;
}

void lb_destroy_batch(lb_batch *batch)
{
    if (batch) {
        // the record lies in the memory that is released
        const lb_allocator allocator = batch->allocator;
        allocator.release(allocator.user, batch);
    }
}

lb_status lb_set_batch_like(const lb_model *model, lb_batch *batch, const lb_work *work)
{
    if (batch->machine.forward_dynamics) {
        return LB_E_UNSUPPORTED;
    }
    for (int i = 0; i < batch->piece_count; ++i) {
        lb_copy_holds(model, work, batch->pieces[i].work->single);
    }
    return LB_OK;
}

// The first piece with a status, or the first of all.
static const piece *find_piece(const lb_batch *batch, lb_status status)
{
    for (int i = 0; i < batch->used_count; ++i) {
        if (batch->pieces[i].status == status) {
            return &batch->pieces[i];
        }
    }
    return &batch->pieces[0];
}

void lb_get_batch_bad_inertia(const lb_batch *batch, int *state, int *body, int *offset)
{
    lb_status worst = LB_NEWS_INDEFINITE;
    for (int i = 0; i < batch->used_count; ++i) {
        worst = batch->pieces[i].status == LB_E_SINGULAR ? LB_E_SINGULAR : worst;
    }
    const piece *p = find_piece(batch, worst);
    *state = p->work->bad_inertia_state < 0 ? -1 : p->start + p->work->bad_inertia_state;
    lb_get_bad_inertia(p->work->single, body, offset);
}

const char *lb_get_batch_bad_number(const lb_batch *batch, int *state, int *entry)
{
    const piece *p = find_piece(batch, LB_E_NUMBER);
    *state = p->work->bad_state < 0 ? -1 : p->start + p->work->bad_state;
    return lb_get_bad_number(p->work->single, entry);
}

// ---- one piece -----------------------------------------------------------------------------------

// What a batch computes.
typedef enum quantity { FORWARD, INVERSE, MASS } quantity;

// What a batch reads and writes: `in` is tau or a, or NULL; so may v be.
typedef struct request {
    const lb_model *model;
    lb_batch *batch;
    quantity quantity;
    int count;
    const double *q, *v, *in;
    const char *name; // of `in`
    double *out;
    ptrdiff_t out_count; // of one state
} request;

// States do not mix, so what is not finite spoils the answers of its own state alone. They become NaN, all of
// them.
static lb_status spoil_states(const request *r, lb_batch_work *work, lb_status status)
{
    const lb_model *model = r->model;
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    double sum = lb_add_up(r->count * nq, r->q);
    sum += r->v ? lb_add_up(r->count * nv, r->v) : 0.0;
    sum += r->in ? lb_add_up(r->count * nv, r->in) : 0.0;
    // from the last on, so that the first is remembered
    const bool finite = lb_is_finite(sum);
    for (ptrdiff_t i = nq > nv || !finite ? r->count - 1 : -1; i >= 0; --i) {
        if (finite && lb_find_bad_quaternion(model, r->q + i * nq) < 0) {
            continue;
        }
        const lb_status good =
            lb_check_state(model, work->single, r->q + i * nq, r->v ? r->v + i * nv : NULL, r->name,
                           r->in ? r->in + i * nv : NULL);
        for (ptrdiff_t j = 0; j < r->out_count && good < 0; ++j) {
            r->out[i * r->out_count + j] = NAN;
        }
        work->bad_state = good < 0 ? (int)i : work->bad_state;
        status = good < 0 ? good : status;
    }
    return status;
}

static lb_status compute_in_lanes(const request *r, lb_batch_work *work)
{
    const lb_batch_kernels *kernels = r->model->kernels->batch;
    switch (r->quantity) {
    case FORWARD:
        return kernels->forward_dynamics(r->model, work, r->count, r->q, r->v, r->in, r->out);
    case INVERSE:
        return kernels->inverse_dynamics(r->model, work, r->count, r->q, r->v, r->in, r->out);
    default:
        return kernels->mass_matrix(r->model, work, r->count, r->q, r->out);
    }
}

// How much worse than others: failures before news, numbers before all.
static int rank(lb_status status)
{
    return status == LB_E_NUMBER ? 3 : status < LB_OK ? 2 : status > LB_OK;
}

// Forward dynamics state by state. The first of the worst is remembered.
static lb_status compute_closed(const request *r, lb_batch_work *work)
{
    const ptrdiff_t nq = r->model->q_count, nv = r->model->v_count;
    lb_work *single = work->single;
    lb_status worst = LB_OK;
    int body = single->bad_inertia_body, offset = single->bad_inertia_offset,
        entry = single->bad_entry;
    const char *name = single->bad_name;
    for (ptrdiff_t i = 0; i < r->count; ++i) {
        double *a = r->out + i * nv;
        const lb_status status = lb_compute_forward_dynamics(
            r->model, single, r->q + i * nq, r->v + i * nv, r->in ? r->in + i * nv : NULL, a);
        for (ptrdiff_t j = 0; status < LB_OK && j < nv; ++j) {
            a[j] = NAN;
        }
        if (rank(status) > rank(worst)) {
            worst = status;
            if (status == LB_E_NUMBER) {
                work->bad_state = (int)i;
                name = lb_get_bad_number(single, &entry);
            } else {
                work->bad_inertia_state = (int)i;
                lb_get_bad_inertia(single, &body, &offset);
            }
        }
    }
    single->bad_inertia_body = body;
    single->bad_inertia_offset = offset;
    single->bad_name = name;
    single->bad_entry = entry;
    return worst;
}

static lb_status compute_piece(const request *whole, const piece *p)
{
    const ptrdiff_t nq = whole->model->q_count, nv = whole->model->v_count, first = p->start;
    request r = *whole;
    r.count = p->count;
    r.q += first * nq;
    r.v = r.v ? r.v + first * nv : NULL;
    r.in = r.in ? r.in + first * nv : NULL;
    r.out += first * r.out_count;
    if (lb_is_tree(r.model, p->work->single)) {
        return spoil_states(&r, p->work, compute_in_lanes(&r, p->work));
    }
    return r.quantity == FORWARD ? compute_closed(&r, p->work) : LB_E_LOOPS;
}

// ---- all pieces ----------------------------------------------------------------------------------

// States that are worth a thread: some tens of microseconds of them. A body takes some ten nanoseconds in lanes, and
// some hundred by itself; a loop as much as some ten bodies.
static int get_least_states(const lb_model *model, const lb_batch *batch)
{
    const bool in_lanes = lb_has_lanes(model) && lb_is_tree(model, batch->pieces[0].work->single);
    const int size = model->body_count + 1 + (in_lanes ? 0 : model->v_count);
    const int least = (in_lanes ? 4096 : 512) / size;
    return least < 8 ? 8 : least;
}

int lb_count_batch_threads(const lb_model *model, const lb_batch *batch, int count)
{
    const int most = count / get_least_states(model, batch);
    return most < 1 ? 1 : most < batch->piece_count ? most : batch->piece_count;
}

// The first state of piece i. Pieces start at multiples of eight states, because up to eight go side by side.
static int get_start(int count, int piece_count, int i)
{
    const long long eights = (count + 7LL) / 8;
    const long long start = 8 * (eights * i / piece_count);
    return start < count ? (int)start : count;
}

static void run_pieces(void *data, int thread, int thread_count)
{
    const request *r = data;
    for (int i = thread; i < r->batch->used_count; i += thread_count) {
        r->batch->pieces[i].status = compute_piece(r, &r->batch->pieces[i]);
    }
}

// All states on another machine. Of what failed there, the place is found here.
static lb_status compute_elsewhere(const request *r)
{
    const lb_machine *m = &r->batch->machine;
    const ptrdiff_t nq = r->model->q_count, nv = r->model->v_count;
    piece *p = &r->batch->pieces[0];
    int state = -1;
    r->batch->used_count = 1;
    p->start = 0;
    p->work->bad_state = p->work->bad_inertia_state = -1;
    p->status =
        r->quantity == FORWARD
            ? m->forward_dynamics(m->user, r->model, r->count, r->q, r->v, r->in, r->out, &state)
        : !lb_is_tree(r->model, p->work->single) ? LB_E_LOOPS
        : r->quantity == INVERSE
            ? m->inverse_dynamics(m->user, r->model, r->count, r->q, r->v, r->in, r->out, &state)
            : m->mass_matrix(m->user, r->model, r->count, r->q, r->out, &state);
    if (p->status == LB_E_NUMBER) {
        return spoil_states(r, p->work, LB_E_NUMBER);
    }
    if (r->quantity == FORWARD && state >= 0 && state < r->count) {
        double *a = r->out + state * nv;
        p->work->bad_inertia_state = state;
        (void)lb_compute_forward_dynamics(r->model, p->work->single, r->q + state * nq,
                                          r->v + state * nv, r->in ? r->in + state * nv : NULL, a);
        for (ptrdiff_t j = 0; p->status < LB_OK && j < nv; ++j) {
            a[j] = NAN;
        }
    }
    return p->status;
}

static lb_status compute(request *r)
{
    lb_batch *batch = r->batch;
    if (r->count < 0) {
        return LB_E_ARGUMENT;
    }
    if (batch->machine.forward_dynamics) {
        return compute_elsewhere(r);
    }
    batch->used_count = lb_count_batch_threads(r->model, batch, r->count);
    for (int i = 0; i < batch->used_count; ++i) {
        piece *p = &batch->pieces[i];
        p->start = get_start(r->count, batch->used_count, i);
        p->count = get_start(r->count, batch->used_count, i + 1) - p->start;
    }
    if (batch->used_count > 1) {
        batch->team.run(batch->used_count, run_pieces, r);
    } else {
        run_pieces(r, 0, 1);
    }
    lb_status worst = LB_OK;
    for (int i = 0; i < batch->used_count; ++i) {
        const lb_status status = batch->pieces[i].status;
        worst = rank(status) > rank(worst) ? status : worst;
    }
    return worst;
}

lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch *batch, int count,
                                            const double *q, const double *v, const double *tau,
                                            double *a)
{
    request r = {model, batch, FORWARD, count, q, v, tau, "tau", a, model->v_count};
    return compute(&r);
}

lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch *batch, int count,
                                            const double *q, const double *v, const double *a,
                                            double *tau)
{
    request r = {model, batch, INVERSE, count, q, v, a, "a", tau, model->v_count};
    return compute(&r);
}

lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch *batch, int count,
                                       const double *q, double *M)
{
    const ptrdiff_t n = model->v_count;
    request r = {.model = model,
                 .batch = batch,
                 .quantity = MASS,
                 .count = count,
                 .q = q,
                 .out = M,
                 .out_count = n * n};
    return compute(&r);
}
