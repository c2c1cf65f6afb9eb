// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer across the cores of a machine by OpenMP. All inline: the core library knows no
// threads, and this function uses those of whoever includes this header and compiles with -fopenmp.
// Without it, it does the same work, to the same bits, on one core.
//
//     lb_division_options options = lb_default_division_options();
//     options.thread_count = 8;
//     lb_division *division = lb_create_division(model, &options);
//     lb_compute_forward_dynamics_divided_openmp(model, work, division, 8, q, v, NULL, tau, NULL, a);
#ifndef LB_DIVIDE_AND_CONQUER_OPENMP_H
#define LB_DIVIDE_AND_CONQUER_OPENMP_H

#include "limber/divide_and_conquer.h"

#ifdef _OPENMP
#include <omp.h>
#define LB_OPENMP_TEAM _Pragma("omp parallel num_threads(thread_count)")
#define LB_OPENMP_WAIT _Pragma("omp barrier")
#define LB_OPENMP_THREAD omp_get_thread_num()
#define LB_OPENMP_THREADS omp_get_num_threads()
#else
#define LB_OPENMP_TEAM
#define LB_OPENMP_WAIT
#define LB_OPENMP_THREAD 0
#define LB_OPENMP_THREADS 1
#endif

/// Forward dynamics, of hinges driven by motion too, by so many threads; the arguments are those of
/// lb_begin_division.
///
/// @param thread_count  at most that of the division's options
/// @return as lb_compute_forward_dynamics_divided
static inline lb_status lb_compute_forward_dynamics_divided_openmp(
    const lb_model *model, lb_work *work, lb_division *division, int thread_count, const double *q,
    const double *v, const unsigned char *driven, const double *tau, double *drive, double *a)
{
    const int stages = lb_get_division_stage_count(division);
    (void)thread_count;
    lb_begin_division(model, work, division, q, v, driven, tau, drive, a);
    LB_OPENMP_TEAM
    {
        // the team may be smaller than asked for
        const int piece = LB_OPENMP_THREAD, piece_count = LB_OPENMP_THREADS;
        for (int stage = 0; stage < stages; ++stage) {
            lb_run_division_stage(model, work, division, stage, piece, piece_count);
            LB_OPENMP_WAIT
        }
    }
    return lb_end_division(model, work, division);
}

#undef LB_OPENMP_TEAM
#undef LB_OPENMP_WAIT
#undef LB_OPENMP_THREAD
#undef LB_OPENMP_THREADS

#endif // LB_DIVIDE_AND_CONQUER_OPENMP_H
