// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that is compiled with OpenMP. Without it, one thread does the work of all.
#include "limber/openmp.h"

#ifdef _OPENMP
#include <omp.h>
#define LB_OPENMP_TEAM _Pragma("omp parallel num_threads(thread_count)")
#define LB_OPENMP_WAIT _Pragma("omp barrier")
#else
#define LB_OPENMP_TEAM
#define LB_OPENMP_WAIT
static int omp_get_max_threads(void)
{
    return 1;
}
static int omp_get_num_threads(void)
{
    return 1;
}
static int omp_get_thread_num(void)
{
    return 0;
}
#endif

int lb_get_openmp_thread_count(void)
{
    return omp_get_max_threads();
}

// ---- batches -----------------------------------------------------------------------------------

// Arrays of a whole batch: `in` is tau or a, `out` what is computed.
typedef struct batch {
    const lb_model *model;
    const double *q, *v, *in;
    double *out;
} batch;

// Computes `count` states from `first` on.
typedef lb_status compute_piece(const batch *b, lb_batch_work *work, ptrdiff_t first, int count);

int lb_get_batch_start(int count, int piece_count, int i)
{
    const long long eights = (count + 7LL) / 8;
    const long long start = 8 * (eights * i / piece_count);
    return start < count ? (int)start : count;
}

static lb_status compute_pieces(const batch *b, compute_piece *compute, int thread_count,
                                lb_batch_work *const *works, int count)
{
    if (thread_count < 1) {
        return LB_E_ARGUMENT;
    }
    int lowest = LB_OK, highest = LB_OK;
#ifdef _OPENMP
// clang-format off
#pragma omp parallel for num_threads(thread_count) schedule(static, 1) \
    reduction(min : lowest) reduction(max : highest)
// clang-format on
#endif
    for (int i = 0; i < thread_count; ++i) {
        const int first = lb_get_batch_start(count, thread_count, i);
        const int size = lb_get_batch_start(count, thread_count, i + 1) - first;
        const lb_status status = compute(b, works[i], first, size);
        lowest = status < lowest ? status : lowest;
        highest = status > highest ? status : highest;
    }
    // failure before news, news before success
    return (lb_status)(lowest < LB_OK ? lowest : highest);
}

static lb_status compute_forward(const batch *b, lb_batch_work *work, ptrdiff_t first, int count)
{
    const ptrdiff_t q = first * lb_get_q_count(b->model), v = first * lb_get_v_count(b->model);
    return lb_compute_forward_dynamics_batch(b->model, work, count, b->q + q, b->v + v,
                                             b->in ? b->in + v : NULL, b->out + v);
}

lb_status lb_compute_forward_dynamics_batch_openmp(const lb_model *model, int thread_count,
                                                   lb_batch_work *const *works, int count,
                                                   const double *q, const double *v,
                                                   const double *tau, double *a)
{
    const batch b = {model, q, v, tau, a};
    return compute_pieces(&b, compute_forward, thread_count, works, count);
}

static lb_status compute_inverse(const batch *b, lb_batch_work *work, ptrdiff_t first, int count)
{
    const ptrdiff_t q = first * lb_get_q_count(b->model), v = first * lb_get_v_count(b->model);
    return lb_compute_inverse_dynamics_batch(b->model, work, count, b->q + q, b->v + v,
                                             b->in ? b->in + v : NULL, b->out + v);
}

lb_status lb_compute_inverse_dynamics_batch_openmp(const lb_model *model, int thread_count,
                                                   lb_batch_work *const *works, int count,
                                                   const double *q, const double *v,
                                                   const double *a, double *tau)
{
    const batch b = {model, q, v, a, tau};
    return compute_pieces(&b, compute_inverse, thread_count, works, count);
}

static lb_status compute_mass(const batch *b, lb_batch_work *work, ptrdiff_t first, int count)
{
    const ptrdiff_t nq = lb_get_q_count(b->model), nv = lb_get_v_count(b->model);
    return lb_compute_mass_matrix_batch(b->model, work, count, b->q + first * nq,
                                        b->out + first * nv * nv);
}

lb_status lb_compute_mass_matrix_batch_openmp(const lb_model *model, int thread_count,
                                              lb_batch_work *const *works, int count,
                                              const double *q, double *M)
{
    const batch b = {.model = model, .q = q, .out = M};
    return compute_pieces(&b, compute_mass, thread_count, works, count);
}

// ---- divide and conquer ------------------------------------------------------------------------

lb_status lb_compute_forward_dynamics_divided_openmp(const lb_model *model, lb_work *work,
                                                     lb_division *division, int thread_count,
                                                     const double *q, const double *v,
                                                     const unsigned char *driven, const double *tau,
                                                     double *drive, double *a)
{
    if (thread_count < 1) {
        return LB_E_ARGUMENT;
    }
    const int stages = lb_get_division_stage_count(division);
    lb_begin_division(model, work, division, q, v, driven, tau, drive, a);
    LB_OPENMP_TEAM
    {
        // the team may be smaller than asked for
        const int piece = omp_get_thread_num(), piece_count = omp_get_num_threads();
        for (int stage = 0; stage < stages; ++stage) {
            lb_run_division_stage(model, work, division, stage, piece, piece_count);
            LB_OPENMP_WAIT
        }
    }
    return lb_end_division(model, work, division);
}
