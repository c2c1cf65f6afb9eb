// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: the schedule of a model, memory for its assemblies, and the sweeps.
#ifndef LB_DIVISION_H
#define LB_DIVISION_H

#include <math.h>

#include "base/hot.h"
#include "base/internal.h"
#include "limber/divide_and_conquer.h"
#include "schedule.h"
#include "segment.h"

/// The tree of assemblies of a model, and memory for them. Each workspace that is in use at the same time
/// needs its own.
typedef struct lb_division lb_division;

/// How to divide a model: see lb_work_options.
typedef struct lb_division_options {
    int run_length;
    int thread_count; ///< most pieces of a stage that run at the same time
    double tolerance;
} lb_division_options;

/// Run length by the size of the model, one thread, tolerance 1e-10.
static inline lb_division_options lb_default_division_options(void)
{
    return (lb_division_options){0, 1, 1e-10};
}

struct lb_division {
    lb_arena arena;
    lb_division_options options;
    lb_team team; ///< who runs the pieces; zero for the calling thread
    lb_schedule schedule;
    lb_segment *segments; ///< by node
    lb_vec6 *K;           ///< by entry of v: acceleration per unit of f at the open handle (DCA-4)
    double *scratch;      ///< of mass points, one piece a thread
    size_t scratch_size;  ///< doubles of a piece

    // the state at hand
    const double *q, *v, *tau;
    const unsigned char *driven; ///< by listed body, or NULL
    double *drive;               ///< out: forces of driven hinges
    double *a;
    lb_status refused; ///< LB_E_NUMBER if one of these numbers is not finite
    lb_division_report report;
};

/// Divides a model: computes the tree of assemblies and allocates, from the model's allocator, all that
/// evaluations need. The model must outlive the division. Time and memory grow linearly with the number
/// of bodies.
///
/// @param options   NULL for the defaults
/// @param division  out: to be freed by lb_destroy_division; NULL on failure
/// @return LB_OK, LB_E_MEMORY, or LB_E_NUMBER if the tolerance is NaN
LB_INTERNAL lb_status lb_create_division(const lb_model *model, const lb_division_options *options,
                                         lb_division **division);

/// Frees a division. NULL is fine.
LB_INTERNAL void lb_destroy_division(lb_division *division);

/// Forward dynamics of the tree: lb_tree_forward by another road. Leaves positions, velocities and accelerations
/// in `work`, but no articulated inertias.
///
/// @return as lb_tree_forward, or LB_NEWS_FALLBACK
LB_INTERNAL lb_status lb_divided_forward(const lb_model *model, lb_work *work,
                                         lb_division *division, const double *q, const double *v,
                                         const double *tau, double *a);

/// lb_tree_hybrid by another road.
LB_INTERNAL lb_status lb_divided_hybrid(const lb_model *model, lb_work *work, lb_division *division,
                                        const double *q, const double *v,
                                        const unsigned char *driven, double *tau, double *a);

/// Forward dynamics of a model with loops: the tree by divide and conquer, then the loops as lb_closed_forward closes
/// them. The admittance of the loops takes one more sweep of O(N).
LB_INTERNAL lb_status lb_divided_closed(const lb_model *model, lb_work *work, lb_division *division,
                                        const double *q, const double *v,
                                        const unsigned char *driven, const double *tau, double *a,
                                        double *drive, double *forces);

/// Some threads share the pieces of every stage.
///
/// @param team    at most the thread_count that the division was made for; NULL for the calling thread
/// @param driven  NULL for none
/// @param tau     NULL for zero
/// @param drive   out: forces of driven hinges; NULL if none is driven
/// @param a       in: accelerations of driven hinges; out: all others
LB_INTERNAL lb_status lb_divided_by_team(const lb_model *model, lb_work *work,
                                         lb_division *division, const lb_team *team,
                                         const double *q, const double *v,
                                         const unsigned char *driven, const double *tau,
                                         double *drive, double *a);

/// What the check found in the last evaluation.
LB_INTERNAL const lb_division_report *lb_see_division_report(const lb_division *division);

// Stage by stage:
//
//     lb_begin_division(model, work, division, q, v, NULL, tau, NULL, a);
//     for (int stage = 0; stage < lb_get_division_stage_count(division); ++stage) {
//         // on thread i of n, then wait for the others
//         lb_run_division_stage(model, work, division, stage, i, n);
//     }
//     lb_status status = lb_end_division(model, work, division);

/// Starts an evaluation. The arrays stay in use until lb_end_division, which returns LB_E_NUMBER if one of their
/// numbers is not finite; the stages then do nothing.
LB_INTERNAL void lb_begin_division(const lb_model *model, lb_work *work, lb_division *division,
                                   const double *q, const double *v, const unsigned char *driven,
                                   const double *tau, double *drive, double *a);

/// The number of stages of every evaluation. It grows with the logarithm of the number of bodies.
LB_INTERNAL int lb_get_division_stage_count(const lb_division *division);

/// Runs one piece of a stage. Pieces of a stage may run at the same time; a stage may start when all pieces
/// of the one before have ended.
LB_INTERNAL void lb_run_division_stage(const lb_model *model, lb_work *work, lb_division *division,
                                       int stage, int piece, int piece_count);

/// Ends an evaluation: checks the result, and replaces it by that of the articulated recursion if it is not
/// accurate enough.
LB_INTERNAL lb_status lb_end_division(const lb_model *model, lb_work *work, lb_division *division);

/// Levels of the tree of assemblies: one waits for the next, and everything on a level can be done at
/// the same time. For tests.
int lb_get_division_level_count(const lb_division *division);

/// The longest chain of eliminations and joins that wait for each other. With runs of one body, the
/// number of levels. For tests.
int lb_get_division_depth(const lb_division *division);

/// Second and third sweep of a node: assembly of its two-handle equations, and what they become
/// under the loads at its handles.
LB_HOT void lb_assemble(const lb_model *model, lb_work *work, lb_division *division, int n);
LB_HOT void lb_disassemble(const lb_model *model, lb_work *work, lb_division *division, int n);

/// Last sweep, of runs: see (DCA-8).
LB_HOT void lb_check_handles(const lb_model *model, lb_work *work, lb_division *division, int n);

/// One piece of one stage.
LB_HOT void lb_run_division_piece(const lb_model *model, lb_work *work, lb_division *division,
                                  int stage, int piece, int piece_count);

/// The larger of two; what is not a number is larger than any, so that the check never loses it.
static inline double lb_get_larger_or_nan(double a, double b)
{
    return b <= a || isnan(a) ? a : b;
}

static inline int lb_is_driven(const lb_division *division, const lb_body *b)
{
    return division->driven && division->driven[b->listed];
}

#endif // LB_DIVISION_H
