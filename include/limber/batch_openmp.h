// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches across the cores of a machine by OpenMP. All inline: the core library knows no threads,
// and these functions use those of whoever includes this header and compiles with -fopenmp. Without
// it they do the same work, to the same bits, on one core.
//
//     lb_batch_work *works[8]; // one per thread, from lb_create_batch_work
//     lb_compute_forward_dynamics_openmp(model, 8, works, count, q, v, tau, a);
//
// States and answers lie as in limber/batch.h. After a status that is not LB_OK, ask each of the
// workspaces by lb_get_batch_trouble; states of works[i] count from lb_get_batch_start(.., i).
#ifndef LB_BATCH_OPENMP_H
#define LB_BATCH_OPENMP_H

#include "limber/batch.h"

#ifdef _OPENMP
#define LB_OPENMP_LOOP _Pragma("omp parallel for num_threads(thread_count) schedule(static, 1)")
#define LB_OPENMP_ONE_AT_A_TIME _Pragma("omp critical(lb_batch)")
#else
#define LB_OPENMP_LOOP
#define LB_OPENMP_ONE_AT_A_TIME
#endif

/// First state of piece i of a batch that is cut into equal pieces of whole eights, as many states as
/// go side by side at most; `count` for the piece behind the last.
static inline int lb_get_batch_start(int count, int piece_count, int i)
{
    const long long eights = (count + 7LL) / 8;
    const long long start = 8 * (eights * i / piece_count);
    return start < count ? (int)start : count;
}

/// Failure before news, news before success.
static inline lb_status lb_get_worse_status(lb_status a, lb_status b)
{
    return a < LB_OK ? a : b != LB_OK ? b : a;
}

static inline lb_status lb_compute_forward_dynamics_openmp(const lb_model *model, int thread_count,
                                                           lb_batch_work *const *works, int count,
                                                           const double *q, const double *v,
                                                           const double *tau, double *a)
{
    const ptrdiff_t nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    lb_status worst = LB_OK;
    LB_OPENMP_LOOP
    for (int i = 0; i < thread_count; ++i) {
        const ptrdiff_t s = lb_get_batch_start(count, thread_count, i);
        const int size = lb_get_batch_start(count, thread_count, i + 1) - (int)s;
        const lb_status status = lb_compute_forward_dynamics_batch(
            model, works[i], size, q + s * nq, v + s * nv, tau ? tau + s * nv : NULL, a + s * nv);
        LB_OPENMP_ONE_AT_A_TIME
        worst = lb_get_worse_status(worst, status);
    }
    return worst;
}

static inline lb_status lb_compute_inverse_dynamics_openmp(const lb_model *model, int thread_count,
                                                           lb_batch_work *const *works, int count,
                                                           const double *q, const double *v,
                                                           const double *a, double *tau)
{
    const ptrdiff_t nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    lb_status worst = LB_OK;
    LB_OPENMP_LOOP
    for (int i = 0; i < thread_count; ++i) {
        const ptrdiff_t s = lb_get_batch_start(count, thread_count, i);
        const int size = lb_get_batch_start(count, thread_count, i + 1) - (int)s;
        const lb_status status = lb_compute_inverse_dynamics_batch(
            model, works[i], size, q + s * nq, v + s * nv, a ? a + s * nv : NULL, tau + s * nv);
        LB_OPENMP_ONE_AT_A_TIME
        worst = lb_get_worse_status(worst, status);
    }
    return worst;
}

static inline lb_status lb_compute_mass_matrix_openmp(const lb_model *model, int thread_count,
                                                      lb_batch_work *const *works, int count,
                                                      const double *q, double *M)
{
    const ptrdiff_t nq = lb_get_q_count(model), nv = lb_get_v_count(model);
    lb_status worst = LB_OK;
    LB_OPENMP_LOOP
    for (int i = 0; i < thread_count; ++i) {
        const ptrdiff_t s = lb_get_batch_start(count, thread_count, i);
        const int size = lb_get_batch_start(count, thread_count, i + 1) - (int)s;
        const lb_status status =
            lb_compute_mass_matrix_batch(model, works[i], size, q + s * nq, M + s * nv * nv);
        LB_OPENMP_ONE_AT_A_TIME
        worst = lb_get_worse_status(worst, status);
    }
    return worst;
}

#undef LB_OPENMP_LOOP
#undef LB_OPENMP_ONE_AT_A_TIME

#endif // LB_BATCH_OPENMP_H
