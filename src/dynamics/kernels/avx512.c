// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches for AVX-512 (F, DQ, VL) and FMA: eight states side by side. Large mass matrices gain nothing from
// that, because the time goes into stores, so they use the four lanes of AVX2.
#define LB_KERNEL_COPY
#define LB_STATES 8
#include "batch.inc"
#include "kernels.h"

// A workspace of eight lanes, then one of four.
static size_t get_work_size(const lb_model *model)
{
    size_t used = lb_run_batch_work_size(model);
    (void)lb_place_piece(NULL, &used, lb_avx2_batch.work_size(model), 1);
    return used;
}

static lb_status init_work(const lb_model *model, void *memory, lb_batch_work **out)
{
    size_t used = lb_run_batch_work_size(model);
    void *rest = lb_place_piece(memory, &used, lb_avx2_batch.work_size(model), 1);
    const lb_status status = lb_run_init_batch_work(model, memory, out);
    return status < LB_OK ? status : lb_avx2_batch.init_work(model, rest, &(*out)->narrow);
}

static lb_status compute_mass_matrices(const lb_model *model, lb_batch_work *work, int count,
                                       const double *q, double *M)
{
    return work->M ? lb_run_mass_matrix_batch(model, work, count, q, M)
                   : lb_avx2_batch.mass_matrix(model, work->narrow, count, q, M);
}

const lb_batch_kernels lb_avx512_batch = {
    .lane_count = LB_STATES,
    .work_size = get_work_size,
    .init_work = init_work,
    .forward_dynamics = lb_run_forward_dynamics_batch,
    .inverse_dynamics = lb_run_inverse_dynamics_batch,
    .mass_matrix = compute_mass_matrices,
};
