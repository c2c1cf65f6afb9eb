// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Workspaces of batches, and the public functions, which call the copy of the model's instruction
// set.
#include "limber/batch.h"

#include <stdint.h>

#include "batch_kernels.h"
#include "batch_work.h"
#include "model/hinges/hinges.h"

#ifdef LB_HAVE_AVX2
extern const lb_batch_kernels lb_batch_kernels_table_avx2;
#endif

static size_t layout(const lb_model *model, unsigned char *base, lb_batch_work *work)
{
    const int lanes = lb_has_lanes(model);
    const size_t n = lanes ? (size_t)model->body_count : 0;
    const size_t h = lanes ? (size_t)model->hinge_count : 0;
    size_t used = 0;
    (void)lb_place_piece(base, &used, 1, sizeof *work);
    // one record ahead of the first: the ground
    work->bodies = lb_place_piece(base, &used, n + 1, sizeof *work->bodies);
    work->links = lb_place_piece(base, &used, n, sizeof *work->links);
    work->H = lb_place_piece(base, &used, h, sizeof *work->H);
    work->G = lb_place_piece(base, &used, h, sizeof *work->G);
    const size_t factors = lanes ? (size_t)model->factor_count : 0;
    work->D = lb_place_piece(base, &used, factors, sizeof *work->D);
    work->nu = lb_place_piece(base, &used, h, sizeof *work->nu);
    const size_t angles = lanes ? (size_t)model->angle_count : 0;
    work->sines = lb_place_piece(base, &used, angles, sizeof *work->sines);
    work->cosines = lb_place_piece(base, &used, angles, sizeof *work->cosines);
    work->last_children = lb_place_piece(base, &used, n, sizeof *work->last_children);
    work->memory = lb_place_piece(base, &used, lb_get_work_size(model), 1);
    if (base) {
        work->bodies += 1;
    }
    return used;
}

size_t lb_get_batch_work_size(const lb_model *model)
{
    lb_batch_work counter;
    return layout(model, NULL, &counter) + LB_ALIGNMENT;
}

lb_status lb_init_batch_work(const lb_model *model, void *memory, size_t size, lb_batch_work **out)
{
    *out = NULL;
    if (!memory || size < lb_get_batch_work_size(model)) {
        return LB_E_MEMORY;
    }
    const size_t skip = (size_t)(-(uintptr_t)memory & (LB_ALIGNMENT - 1));
    unsigned char *base = (unsigned char *)memory + skip;
    lb_batch_work *work = (lb_batch_work *)(void *)base;
    (void)layout(model, base, work);
    lb_status status = lb_init_work(model, work->memory, lb_get_work_size(model), &work->single);
    if (status != LB_OK) {
        return status;
    }
    work->memory = NULL;
    work->trouble_state = -1;
    work->serial = 1;

    // the ground stands still, and accelerates upwards in place of gravity
    lb_lane_body *ground = &work->bodies[-1];
    ground->w = lb_lane_vec3_spread(lb_vec3_make(0, 0, 0));
    ground->alpha =
        lb_lane_vec6_spread(lb_vec6_make(lb_vec3_make(0, 0, 0), lb_vec3_neg(model->gravity)));

    if (lb_has_lanes(model)) {
        // columns that never change are written here, the others at every position
        for (int i = 0; i < model->hinge_count; ++i) {
            work->H[i] = lb_lane_vec6_spread(work->single->H[i]);
        }
        for (int k = 0; k < model->body_count; ++k) {
            work->serial &= model->bodies[k].parent == k - 1;
            work->last_children[k] = -1;
            if (model->bodies[k].parent >= 0) {
                work->last_children[model->bodies[k].parent] = k;
            }
        }
        lb_make_links(model, work->links);
        for (int k = 0; k < model->body_count; ++k) {
            work->bodies[k].S = work->links[k].own; // at the ground a sum may be kept in part
        }
    }
    *out = work;
    return LB_OK;
}

lb_batch_work *lb_create_batch_work(const lb_model *model)
{
    const size_t size = lb_get_batch_work_size(model);
    unsigned char *memory = model->arena.allocator.allocate(model->arena.allocator.user, size);
    lb_batch_work *work = NULL;
    if (memory && lb_init_batch_work(model, memory, size, &work) == LB_OK) {
        work->memory = memory;
    }
    return work;
}

void lb_destroy_batch_work(const lb_model *model, lb_batch_work *work)
{
    if (work && work->memory) {
        model->arena.allocator.release(model->arena.allocator.user, work->memory);
    }
}

void lb_get_batch_trouble(const lb_batch_work *work, int *state, int *body, int *offset)
{
    *state = work->trouble_state;
    lb_get_trouble(work->single, body, offset);
}

// The copy of the model's instruction set.
static const lb_batch_kernels *get_kernels(const lb_model *model)
{
#ifdef LB_HAVE_AVX2
    if (lb_get_instruction_set(model) == LB_INSTRUCTIONS_AVX2) {
        return &lb_batch_kernels_table_avx2;
    }
#endif
    (void)model;
    return &lb_batch_kernels_table;
}

lb_status lb_compute_forward_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *tau,
                                            double *a)
{
    return get_kernels(model)->forward_dynamics(model, work, count, q, v, tau, a);
}

lb_status lb_compute_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                            const double *q, const double *v, const double *a,
                                            double *tau)
{
    return get_kernels(model)->inverse_dynamics(model, work, count, q, v, a, tau);
}

lb_status lb_compute_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                       const double *q, double *M)
{
    return get_kernels(model)->mass_matrix(model, work, count, q, M);
}
