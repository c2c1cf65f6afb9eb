// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of batches, which call the copy of the model's instruction set.
#include "limber/batch.h"

#include <stdint.h>

#include "batch_work.h"
#include "model/kernel_table.h"

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

lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *tau,
                                            double *a)
{
    return model->kernels->batch->forward_dynamics(model, work, count, q, v, tau, a);
}

lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *a,
                                            double *tau)
{
    return model->kernels->batch->inverse_dynamics(model, work, count, q, v, a, tau);
}

lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                       const double *q, double *M)
{
    return model->kernels->batch->mass_matrix(model, work, count, q, M);
}
