// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored                                                                     \
    "-Wpsabi" // lanes are in a header below, and no function here takes any
#endif
#include <string.h>

#include "attachment.h"
#include "dynamics/batch/batch_work.h"

// lb_deferred.sweep
enum { SWEEP_FORWARD, SWEEP_INVERSE, SWEEP_MASS };

static const lb_attachment *get_attachment(const lb_model *model)
{
    return (const lb_attachment *)(const void *)model->kernels;
}

// ---- one state ----------------------------------------------------------------------------------

// Keeps what a sweep is given. Without x it is zero.
static void keep_state(const lb_model *model, lb_deferred *d, const double *q, const double *v,
                       const double *x)
{
    const size_t n = (size_t)model->v_count * sizeof *v;
    memcpy(d->q, q, (size_t)model->q_count * sizeof *q);
    memcpy(d->v, v, n);
    if (x) {
        memcpy(d->x, x, n);
    } else {
        memset(d->x, 0, n);
    }
}

// A new state, of which nothing is there but places that may be kept.
static void defer(lb_deferred *d, int sweep, unsigned has)
{
    lb_start_state(d->work, has);
    d->state = d->work->state;
    d->sweep = sweep;
}

// Runs the sweep, after which the workspace is as if it had run at once.
static void catch_up(lb_deferred *d)
{
    const lb_kernels *own = get_attachment(d->model)->own;
    lb_work *work = d->work;
    const unsigned long state = d->state;
    const int is_placed = work->is_placed;
    d->state = LB_NOTHING_DEFERRED;
    // places that are there belong to this state
    work->is_placed = (work->has & LB_HAS_POSITION) != 0;
    if (d->sweep == SWEEP_FORWARD) {
        (void)own->forward_dynamics(d->model, work, d->q, d->v, d->x, d->out);
    } else if (d->sweep == SWEEP_INVERSE) {
        (void)own->inverse_dynamics(d->model, work, d->q, d->v, d->x, d->out);
    } else {
        // a mass matrix leaves positions only
        (void)own->kinematics(d->model, work, d->q, NULL, NULL);
        work->has = LB_HAS_POSITION;
    }
    work->is_placed = is_placed;
    work->state = state;
}

static lb_status forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *tau, double *a)
{
    const lb_attachment *at = get_attachment(model);
    lb_deferred *d = work->deferred;
    if (d) {
        keep_state(model, d, q, v, tau);
        if (at->library.forward(d->q, d->v, d->x, a) == 0) {
            defer(d, SWEEP_FORWARD, lb_keep_places(work));
            return LB_OK;
        }
    }
    return at->own->forward_dynamics(model, work, q, v, tau, a);
}

static lb_status inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *a, double *tau)
{
    const lb_attachment *at = get_attachment(model);
    lb_deferred *d = work->deferred;
    if (d) {
        keep_state(model, d, q, v, a);
        if (at->library.inverse(d->q, d->v, d->x, tau) == 0) {
            defer(d, SWEEP_INVERSE, 0);
            return LB_OK;
        }
    }
    return at->own->inverse_dynamics(model, work, q, v, a, tau);
}

static lb_status bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                      double *c)
{
    return inverse_dynamics(model, work, q, v, NULL, c);
}

static lb_status mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const lb_attachment *at = get_attachment(model);
    lb_deferred *d = work->deferred;
    if (d && at->library.mass(q, M) == 0) {
        memcpy(d->q, q, (size_t)model->q_count * sizeof *q);
        defer(d, SWEEP_MASS, 0);
        return LB_OK;
    }
    return at->own->mass_matrix(model, work, q, M);
}

// ---- batches ------------------------------------------------------------------------------------

// One state by the engine's own batch; keeps the first of the worst that happens.
static lb_status take_own_road(const lb_model *model, lb_batch_work *work, int state,
                               const double *q, const double *v, const double *tau, double *a,
                               lb_status before)
{
    const int body = work->single->bad_inertia_body, offset = work->single->bad_inertia_offset,
              troubled = work->bad_inertia_state;
    const lb_status status =
        get_attachment(model)->own->batch->forward_dynamics(model, work, 1, q, v, tau, a);
    if (lb_get_worse(before, status) == status && status != before) {
        work->bad_inertia_state = state;
        return status;
    }
    work->bad_inertia_state = troubled;
    work->single->bad_inertia_body = body;
    work->single->bad_inertia_offset = offset;
    return before;
}

static int get_rows(int count, int done)
{
    return count - done < LB_FROZEN_ROWS ? count - done : LB_FROZEN_ROWS;
}

// A state whose status is not zero goes to the engine, alone.
static lb_status forward_batch(const lb_model *model, lb_batch_work *work, int count,
                               const double *q, const double *v, const double *tau, double *a)
{
    const lb_frozen_library *library = &get_attachment(model)->library;
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    lb_status status = LB_OK;
    for (int i = 0; i < count; i += LB_FROZEN_ROWS) {
        const int rows = get_rows(count, i);
        int own[LB_FROZEN_ROWS];
        library->forward_rows(rows, q + i * nq, v + i * nv, tau ? tau + i * nv : NULL, a + i * nv,
                              own);
        for (int j = i; j < i + rows; ++j) {
            if (own[j - i] != 0) {
                status = take_own_road(model, work, j, q + j * nq, v + j * nv,
                                       tau ? tau + j * nv : NULL, a + j * nv, status);
            }
        }
    }
    return status;
}

static lb_status inverse_batch(const lb_model *model, lb_batch_work *work, int count,
                               const double *q, const double *v, const double *a, double *tau)
{
    const lb_attachment *at = get_attachment(model);
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    lb_status status = LB_OK;
    for (int i = 0; i < count; i += LB_FROZEN_ROWS) {
        const int rows = get_rows(count, i);
        int own[LB_FROZEN_ROWS];
        at->library.inverse_rows(rows, q + i * nq, v + i * nv, a ? a + i * nv : NULL, tau + i * nv,
                                 own);
        for (int j = i; j < i + rows; ++j) {
            if (own[j - i] != 0) {
                status = lb_get_worse(
                    status, at->own->batch->inverse_dynamics(model, work, 1, q + j * nq, v + j * nv,
                                                             a ? a + j * nv : NULL, tau + j * nv));
            }
        }
    }
    return status;
}

static lb_status mass_batch(const lb_model *model, lb_batch_work *work, int count, const double *q,
                            double *M)
{
    const lb_attachment *at = get_attachment(model);
    const ptrdiff_t nq = model->q_count, size = (ptrdiff_t)model->v_count * model->v_count;
    lb_status status = LB_OK;
    for (int i = 0; i < count; i += LB_FROZEN_ROWS) {
        const int rows = get_rows(count, i);
        int own[LB_FROZEN_ROWS];
        at->library.mass_rows(rows, q + i * nq, M + i * size, own);
        for (int j = i; j < i + rows; ++j) {
            if (own[j - i] != 0) {
                status = lb_get_worse(
                    status, at->own->batch->mass_matrix(model, work, 1, q + j * nq, M + j * size));
            }
        }
    }
    return status;
}

// ---- the tables ---------------------------------------------------------------------------------

void lb_attach_kernels(lb_model *model, lb_attachment *at)
{
    at->own = model->kernels;
    at->batch = *at->own->batch;
    at->batch.forward_dynamics = forward_batch;
    at->batch.inverse_dynamics = inverse_batch;
    at->batch.mass_matrix = mass_batch;
    at->kernels = *at->own;
    at->kernels.batch = &at->batch;
    at->kernels.forward_dynamics = forward_dynamics;
    at->kernels.inverse_dynamics = inverse_dynamics;
    at->kernels.bias = bias;
    at->kernels.mass_matrix = mass_matrix;
    at->kernels.catch_up = catch_up;
    model->kernels = &at->kernels;
}
