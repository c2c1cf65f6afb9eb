// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by divide and conquer: the same accelerations as the articulated recursion, in
// a number of steps that grows with the logarithm of the number of bodies. Neighbouring bodies are
// taken together into assemblies, those into larger ones, up to the whole system, and back. What
// happens on one level happens independently: many cores can share it (divide_and_conquer_openmp.h).
// On one core it is slower than lb_compute_forward_dynamics.
//
//     lb_division *division = lb_create_division(model, NULL);
//     lb_compute_forward_dynamics_divided(model, work, division, q, v, tau, a);
//
// Every answer is checked against the equations of motion of every body before it is given. One
// that is not good enough is dropped, and that of the articulated recursion comes in its place with
// the status LB_NEWS_FALLBACK: right, but in O(N).
#ifndef LB_DIVIDE_AND_CONQUER_H
#define LB_DIVIDE_AND_CONQUER_H

#include "limber/dynamics.h"

/// The tree of assemblies of a model, computed once, and memory for them: one for each workspace
/// that is used at the same time.
typedef struct lb_division lb_division;

/// Start from lb_default_division_options().
typedef struct lb_division_options {
    /// Bodies that are taken together one after the other, as the articulated recursion does it,
    /// before assemblies are joined two by two. 1 for none. More is cheaper and keeps more digits;
    /// fewer give more to share. 0, the default: 8, and fewer for models of less than 64 bodies.
    int run_length;
    int thread_count; ///< at most so many pieces of a stage at the same time
    double tolerance; ///< largest `shift` and `gap` (lb_division_report) of an answer that is given
} lb_division_options;

LB_API lb_division_options lb_default_division_options(void);

/// Computes the schedule and takes memory from the model's allocator; nothing allocates from then
/// on. The model must outlive it.
///
/// @param options  NULL for the default
/// @return NULL if memory is out
LB_API lb_division *lb_create_division(const lb_model *model, const lb_division_options *options);
LB_API void lb_destroy_division(lb_division *division);

/// Levels of the tree of assemblies: what must happen one after the other, with everything on a
/// level at the same time.
LB_API int lb_get_division_level_count(const lb_division *division);

/// The longest row of eliminations and joins that wait for each other; with runs of one body, the
/// number of levels.
LB_API int lb_get_division_depth(const lb_division *division);

/// Forward dynamics: a with M a + c = tau. Leaves positions, velocities and accelerations, but no
/// articulated inertias. Theory: (DCA-1)..(DCA-8).
///
/// @param tau  generalized forces; NULL for zero
/// @return as lb_compute_forward_dynamics, or LB_NEWS_FALLBACK
LB_API lb_status lb_compute_forward_dynamics_divided(const lb_model *model, lb_work *work,
                                                     lb_division *division, const double *q,
                                                     const double *v, const double *tau, double *a);

/// Forward dynamics with some hinges driven by motion.
///
/// @param driven  one flag per body (listed order): non-zero if its hinge is driven
/// @param tau     in: forces at modes and free hinges; out: at driven hinges, what they need
/// @param a       in: accelerations of driven hinges; out: all the others
LB_API lb_status lb_compute_hybrid_dynamics_divided(const lb_model *model, lb_work *work,
                                                    lb_division *division, const double *q,
                                                    const double *v, const unsigned char *driven,
                                                    double *tau, double *a);

/// Forward dynamics with loops, the tree by divide and conquer, multipliers as
/// lb_compute_constrained_dynamics finds them (loops.h, whose arguments these are): their admittance
/// takes one sweep of O(N).
LB_API lb_status lb_compute_constrained_dynamics_divided(
    const lb_model *model, lb_work *work, lb_division *division, const double *q, const double *v,
    const unsigned char *driven, const double *tau, double *a, double *drive, double *forces);

// ---- how good the last answer was --------------------------------------------------------------

typedef struct lb_division_report {
    /// Largest change of an acceleration that would put the residual of an equation of motion right,
    /// relative to the largest acceleration.
    double shift;
    /// Largest disagreement of two assemblies about the acceleration of the handle between them,
    /// relative to the largest acceleration of a body.
    double gap;
    int broken;   ///< assemblies in which a pivot was lost
    int fallback; ///< the articulated recursion gave the answer
} lb_division_report;

LB_API void lb_get_division_report(const lb_division *division, lb_division_report *report);

// ---- stage by stage, for those who bring threads of their own ----------------------------------
//
//     lb_begin_division(model, work, division, q, v, NULL, tau, NULL, a);
//     for (int stage = 0; stage < lb_get_division_stage_count(division); ++stage) {
//         // on thread i of n, then wait for the others
//         lb_run_division_stage(model, work, division, stage, i, n);
//     }
//     status = lb_end_division(model, work, division);
//
// The answer is the same to the last bit for any number of pieces.

/// Starts an evaluation. The arrays stay in use until lb_end_division.
///
/// @param driven  NULL for none
/// @param drive   out: forces of driven hinges; NULL where none is driven
LB_API void lb_begin_division(const lb_model *model, lb_work *work, lb_division *division,
                              const double *q, const double *v, const unsigned char *driven,
                              const double *tau, double *drive, double *a);
LB_API int lb_get_division_stage_count(const lb_division *division);

/// Piece `piece` of `piece_count`, at most the thread_count of the options, of a stage.
LB_API void lb_run_division_stage(const lb_model *model, lb_work *work, lb_division *division,
                                  int stage, int piece, int piece_count);

/// Judges the answer, and puts that of the articulated recursion in its place if it must.
LB_API lb_status lb_end_division(const lb_model *model, lb_work *work, lb_division *division);

#endif // LB_DIVIDE_AND_CONQUER_H
