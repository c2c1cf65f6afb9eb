// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of batches, which call the copy of the model's instruction set.
#include "limber/batch.h"

#include <math.h>
#include <stdint.h>

#include "batch_work.h"
#include "model/kernel_table.h"
#include "model/numbers.h"

size_t lb_get_batch_work_size(const lb_model *model)
{
    return model->kernels->batch->work_size(model) + LB_ALIGNMENT;
}

lb_status lb_init_batch_work(const lb_model *model, void *memory, size_t size, lb_batch_work **out)
{
    *out = NULL;
    if (!memory || size < lb_get_batch_work_size(model)) {
        return LB_E_MEMORY;
    }
    const size_t skip = (size_t)(-(uintptr_t)memory & (LB_ALIGNMENT - 1));
    return model->kernels->batch->init_work(model, (unsigned char *)memory + skip, out);
}

lb_batch_work *lb_create_batch_work(const lb_model *model)
{
    const size_t size = lb_get_batch_work_size(model);
    unsigned char *memory = model->arena.allocator.allocate(model->arena.allocator.user, size);
    lb_batch_work *work = NULL;
    if (memory && lb_init_batch_work(model, memory, size, &work) == LB_OK) {
        work->memory = memory;
        work->allocator = model->arena.allocator;
    }
    return work;
}

void lb_destroy_batch_work(lb_batch_work *work)
{
    if (work && work->memory) {
        // the record lies in it
        const lb_allocator allocator = work->allocator;
        allocator.release(allocator.user, work->memory);
    }
}

void lb_get_batch_trouble(const lb_batch_work *work, int *state, int *body, int *offset)
{
    *state = work->trouble_state;
    lb_get_trouble(work->single, body, offset);
}

const char *lb_get_batch_bad_number(const lb_batch_work *work, int *state, int *entry)
{
    *state = work->bad_state;
    return lb_get_bad_number(work->single, entry);
}

// What a batch reads and writes: `in` is tau or a, or NULL; so may v be.
typedef struct batch {
    int count;
    const double *q, *v, *in;
    const char *name; // of `in`
    double *out;
    ptrdiff_t out_count; // of one state
} batch;

// States do not mix, so what is not finite spoils the answers of its own state alone. They become NaN, all of
// them.
static lb_status spoil_states(const lb_model *model, lb_batch_work *work, const batch *b,
                              lb_status status)
{
    const ptrdiff_t nq = model->q_count, nv = model->v_count;
    double sum = lb_add_up(b->count * nq, b->q);
    sum += b->v ? lb_add_up(b->count * nv, b->v) : 0.0;
    sum += b->in ? lb_add_up(b->count * nv, b->in) : 0.0;
    // from the last on, so that the first is remembered
    for (ptrdiff_t i = b->count - 1; i >= 0 && !lb_is_finite(sum); --i) {
        const lb_status good =
            lb_check_state(model, work->single, b->q + i * nq, b->v ? b->v + i * nv : NULL, b->name,
                           b->in ? b->in + i * nv : NULL);
        for (ptrdiff_t j = 0; j < b->out_count && good < 0; ++j) {
            b->out[i * b->out_count + j] = NAN;
        }
        work->bad_state = good < 0 ? (int)i : work->bad_state;
        status = good < 0 ? good : status;
    }
    return status;
}

lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *tau,
                                            double *a)
{
    const batch b = {count, q, v, tau, "tau", a, model->v_count};
    return spoil_states(model, work, &b,
                        model->kernels->batch->forward_dynamics(model, work, count, q, v, tau, a));
}

lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *a,
                                            double *tau)
{
    const batch b = {count, q, v, a, "a", tau, model->v_count};
    return spoil_states(model, work, &b,
                        model->kernels->batch->inverse_dynamics(model, work, count, q, v, a, tau));
}

lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                       const double *q, double *M)
{
    const ptrdiff_t n = model->v_count;
    const batch b = {.count = count, .q = q, .out = M, .out_count = n * n};
    return spoil_states(model, work, &b,
                        model->kernels->batch->mass_matrix(model, work, count, q, M));
}
