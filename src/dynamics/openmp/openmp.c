// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The only file that is compiled with OpenMP. Without it, a team is the calling thread.
#include "limber/openmp.h"

#ifdef _OPENMP
#include <omp.h>

static void run(int thread_count, lb_team_part part, void *data)
{
#pragma omp parallel num_threads(thread_count)
    // the team may be smaller than asked for
    part(data, omp_get_thread_num(), omp_get_num_threads());
}

static void wait(void){
#pragma omp barrier
}

lb_team lb_make_openmp_team(int thread_count)
{
    return (lb_team){thread_count > 0 ? thread_count : omp_get_max_threads(), run, wait};
}
#else
static void run(int thread_count, lb_team_part part, void *data)
{
    (void)thread_count;
    part(data, 0, 1);
}

static void wait(void)
{
}

lb_team lb_make_openmp_team(int thread_count)
{
    (void)thread_count;
    return (lb_team){1, run, wait};
}
#endif
