// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches, and divide and conquer, on several cores (library limber-sim). The core has no threads;
// these functions run on the threads of OpenMP. Results have the same bits for any number of threads.
//
//     int thread_count = lb_get_openmp_thread_count();
//     if (thread_count > 8) {
//         thread_count = 8;
//     }
//     lb_batch_work *works[8];
//     for (int i = 0; i < thread_count; ++i) {
//         works[i] = lb_create_batch_work(model);
//     }
//     lb_compute_forward_dynamics_batch_openmp(model, thread_count, works, count, q, v, tau, a);
//
// Without OpenMP in the build, they do the same work on one thread, and lb_get_openmp_thread_count returns 1. Programs that use it need no -fopenmp themselves.
//
// No function here allocates, except for what OpenMP itself needs when it starts its threads.
#ifndef LB_OPENMP_H
#define LB_OPENMP_H

#include "limber/batch.h"
#include "limber/divide_and_conquer.h"

/// The number of threads that OpenMP uses by default: usually the number of cores, or
/// what the environment variable OMP_NUM_THREADS says. 1 if the library was built without OpenMP.
LB_API int lb_get_openmp_thread_count(void);

// ---- batches -----------------------------------------------------------------------------------
//
// States and results are laid out as in limber/batch.h. The batch is cut into `thread_count` pieces, and
// piece i is computed with works[i]. A piece should last much longer than it takes to wake a thread:
// a thousand states of a robot arm, or more.

/// The first state of piece i of a batch that is cut into pieces of nearly equal size. Use it to find a
/// state in the whole batch after lb_get_batch_trouble(works[i], ...), which counts from the start of
/// the piece. Pieces start at multiples of eight states, because up to eight are computed side by side.
///
/// @param count        states in the batch
/// @param piece_count  pieces, at least 1
/// @param i            piece, from 0; piece_count gives `count`
LB_API int lb_get_batch_start(int count, int piece_count, int i);

/// Forward dynamics of `count` states on several threads, as lb_compute_forward_dynamics_batch.
///
/// @param thread_count  number of threads, and of pieces
/// @param works         one workspace per thread, all of this model
/// @param q             count x q_count
/// @param v             count x v_count
/// @param tau           count x v_count; NULL for zero
/// @param a             out: count x v_count; NaN for a state that fails
/// @return LB_OK; LB_E_ARGUMENT if thread_count is below 1; LB_E_SINGULAR if any state fails; otherwise
///         LB_NEWS_INDEFINITE if any state has an indefinite inertia. Call lb_get_batch_trouble with each of
///         the workspaces to find out where
LB_API lb_status lb_compute_forward_dynamics_batch_openmp(const lb_model *model, int thread_count,
                                                          lb_batch_work *const *works, int count,
                                                          const double *q, const double *v,
                                                          const double *tau, double *a);

/// Inverse dynamics of `count` states on several threads, as lb_compute_inverse_dynamics_batch.
///
/// @param thread_count  number of threads, and of pieces
/// @param works         one workspace per thread, all of this model
/// @param q             count x q_count
/// @param v             count x v_count
/// @param a             count x v_count; NULL for zero
/// @param tau           out: count x v_count
/// @return LB_OK, or LB_E_ARGUMENT if thread_count is below 1
LB_API lb_status lb_compute_inverse_dynamics_batch_openmp(const lb_model *model, int thread_count,
                                                          lb_batch_work *const *works, int count,
                                                          const double *q, const double *v,
                                                          const double *a, double *tau);

/// Mass matrices of `count` configurations on several threads, as lb_compute_mass_matrix_batch.
///
/// @param thread_count  number of threads, and of pieces
/// @param works         one workspace per thread, all of this model
/// @param q             count x q_count
/// @param M             out: count x v_count x v_count
/// @return LB_OK, or LB_E_ARGUMENT if thread_count is below 1
LB_API lb_status lb_compute_mass_matrix_batch_openmp(const lb_model *model, int thread_count,
                                                     lb_batch_work *const *works, int count,
                                                     const double *q, double *M);

// ---- divide and conquer ------------------------------------------------------------------------

/// Forward dynamics of one state by divide and conquer on several threads, some hinges driven by motion
/// if you like. The theory is that of lb_compute_forward_dynamics_divided; the arguments behind
/// thread_count are those of lb_begin_division.
///
/// @param thread_count  at most the thread_count that the division was made for
/// @param driven        one flag per body (listed order), 1 if its hinge is driven; NULL for none
/// @param tau           generalized forces at free hinges and modes; NULL for zero
/// @param drive         out: generalized forces of driven hinges; NULL if none is driven
/// @param a             in: accelerations of driven hinges; out: all others
/// @return as lb_compute_forward_dynamics_divided, or LB_E_ARGUMENT if thread_count is below 1
LB_API lb_status lb_compute_forward_dynamics_divided_openmp(
    const lb_model *model, lb_work *work, lb_division *division, int thread_count, const double *q,
    const double *v, const unsigned char *driven, const double *tau, double *drive, double *a);

#endif // LB_OPENMP_H
