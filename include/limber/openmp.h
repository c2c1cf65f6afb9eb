// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Several cores (library limber-sim). The core has no threads. Here a team is made of the threads of OpenMP, which
// computes batches (lb_batch_options in batch.h) and one state by divide and conquer (lb_work_options in work.h).
// Results have the same bits for any number of threads.
//
//     lb_batch_options options = lb_default_batch_options();
//     options.team = lb_make_openmp_team(0);
//     lb_batch *batch = lb_create_batch(model, &options);
//
// Without OpenMP in the build the team has one thread. Programs that use it need no -fopenmp themselves.
//
// No function here allocates, except for what OpenMP itself needs when it starts its threads.
#ifndef LB_OPENMP_H
#define LB_OPENMP_H

#include "limber/batch.h"

/// Threads of OpenMP as a team.
///
/// @param thread_count  0 for as many as OpenMP uses by default: usually the number of cores, or what the environment
///                      variable OMP_NUM_THREADS says. 1 without OpenMP
LB_API lb_team lb_make_openmp_team(int thread_count);

#endif // LB_OPENMP_H
