// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by divide and conquer, for one state of a very long chain or large tree on many
// cores. It gives the same accelerations as the articulated recursion (lb_compute_forward_dynamics), but
// the number of steps that wait for each other grows only with the logarithm of the number of bodies:
// neighbouring bodies are joined into assemblies, and these into larger ones, up to the whole system, and
// back. Everything on one level is independent, so that many cores can share it (limber/openmp.h). On one
// core it is slower than the recursion.
//
//     lb_division *division;
//     lb_create_division(model, NULL, &division);
//     lb_compute_forward_dynamics_divided(model, work, division, q, v, tau, a);
//     lb_destroy_division(division);
//
// Every result is checked against the equations of motion of every body. If it is not accurate enough,
// the articulated recursion computes it instead, in O(N), and the status is LB_NEWS_FALLBACK.
//
// q, v, tau and a are as in dynamics.h. Only lb_create_division allocates. Theory:
// docs/theory/divide_and_conquer.md.
#ifndef LB_DIVIDE_AND_CONQUER_H
#define LB_DIVIDE_AND_CONQUER_H

#include <stdbool.h>

#include "limber/dynamics.h"

/// The tree of assemblies of a model, and memory for them. Each workspace that is in use at the same time
/// needs its own. Opaque.
typedef struct lb_division lb_division;

/// How to divide a model. Start from lb_default_division_options().
typedef struct lb_division_options {
    size_t size; ///< of this struct, set by lb_default_division_options
    /// Bodies that are eliminated one after the other, as the articulated recursion does, before
    /// assemblies are joined in pairs; 1 for none. Longer runs are cheaper and more accurate, shorter runs
    /// leave more work to share. 0, the default, means 8, or less for models of fewer than 64 bodies.
    int run_length;
    int thread_count; ///< most pieces of a stage that run at the same time; 1 by default
    /// Largest `shift` and `gap` (see lb_division_report) of a result that is accepted; 1e-10 by default.
    double tolerance;
} lb_division_options;

/// Sets the defaults in `size` bytes of options; for other languages. C and C++ use
/// lb_default_division_options.
LB_API void lb_init_division_options(lb_division_options *options, size_t size);

/// The defaults: run length by the size of the model, one thread, tolerance 1e-10.
static inline lb_division_options lb_default_division_options(void)
{
    lb_division_options options;
    lb_init_division_options(&options, sizeof options);
    return options;
}

/// Divides a model: computes the tree of assemblies and allocates, from the model's allocator, all that
/// evaluations need. The model must outlive the division. Time and memory grow linearly with the number
/// of bodies.
///
/// @param options   NULL for the defaults
/// @param division  out: to be freed by lb_destroy_division; NULL on failure
/// @return LB_OK, LB_E_MEMORY, LB_E_NUMBER if the tolerance is NaN, or LB_E_VERSION if the options come from a
///         newer version
LB_API lb_status lb_create_division(const lb_model *model, const lb_division_options *options,
                                    lb_division **division);

/// Frees a division. NULL is fine.
LB_API void lb_destroy_division(lb_division *division);

/// Forward dynamics: a, where M a + c = tau. Leaves positions, velocities and accelerations in `work`,
/// but no articulated inertias: call lb_compute_articulated_inertia if you need them.
/// Theory: (DCA-1)..(DCA-8).
///
/// @param tau  generalized forces; NULL for zero
/// @param a    out: accelerations
/// @return as lb_compute_forward_dynamics, or LB_NEWS_FALLBACK
LB_API lb_status lb_compute_forward_dynamics_divided(const lb_model *model, lb_work *work,
                                                     lb_division *division, const double *q,
                                                     const double *v, const double *tau, double *a);

/// Forward dynamics with some hinges driven by motion, as lb_compute_hybrid_dynamics. Leaves the same in
/// `work` as lb_compute_forward_dynamics_divided.
///
/// @param driven  one flag per body (listed order): non-zero if its hinge is driven
/// @param tau     in: forces at modes and free hinges; out: at driven hinges, the forces that they need
/// @param a       in: accelerations of driven hinges; out: all others
/// @return as lb_compute_hybrid_dynamics, or LB_NEWS_FALLBACK
LB_API lb_status lb_compute_hybrid_dynamics_divided(const lb_model *model, lb_work *work,
                                                    lb_division *division, const double *q,
                                                    const double *v, const unsigned char *driven,
                                                    double *tau, double *a);

/// Forward dynamics of a model with loops: the tree by divide and conquer, then the loops as
/// lb_compute_constrained_dynamics closes them. The admittance of the loops takes one more sweep of O(N).
///
/// @param driven, tau, a, drive, forces  as for lb_compute_constrained_dynamics (loops.h)
/// @return as lb_compute_constrained_dynamics, or LB_NEWS_FALLBACK
LB_API lb_status lb_compute_constrained_dynamics_divided(
    const lb_model *model, lb_work *work, lb_division *division, const double *q, const double *v,
    const unsigned char *driven, const double *tau, double *a, double *drive, double *forces);

// ---- how accurate the last result was ----------------------------------------------------------

/// What the check of the last evaluation found. The caller sets `size`.
typedef struct lb_division_report {
    size_t size; ///< of this struct
    /// Largest change of an acceleration that would cancel the residual of an equation of motion,
    /// relative to the largest acceleration.
    double shift;
    /// Largest difference between the accelerations that two assemblies find for the handle between them,
    /// relative to the largest acceleration of a body.
    double gap;
    int broken_count; ///< assemblies in which a pivot was lost
    bool fallback;    ///< the articulated recursion computed the result
} lb_division_report;

/// What the check found in the last evaluation, before any fallback. (DCA-8)
///
/// @param report  in: its size; out: the rest
/// @return LB_OK, or LB_E_VERSION if the report comes from a newer version
LB_API lb_status lb_get_division_report(const lb_division *division, lb_division_report *report);

// ---- stage by stage, with threads of your own --------------------------------------------------
//
//     lb_begin_division(model, work, division, q, v, NULL, tau, NULL, a);
//     for (int stage = 0; stage < lb_get_division_stage_count(division); ++stage) {
//         // on thread i of n, then wait for the others
//         lb_run_division_stage(model, work, division, stage, i, n);
//     }
//     lb_status status = lb_end_division(model, work, division);
//
// The result has the same bits for any number of pieces.

/// Starts an evaluation. The arrays stay in use until lb_end_division, which returns LB_E_NUMBER if one of their
/// numbers is not finite; the stages then do nothing.
///
/// @param driven  one flag per body (listed order), as for lb_compute_hybrid_dynamics_divided; NULL for none
/// @param tau     forces at modes and free hinges; NULL for zero
/// @param drive   out: forces of driven hinges; NULL if none is driven
/// @param a       in: accelerations of driven hinges; out: all others
LB_API void lb_begin_division(const lb_model *model, lb_work *work, lb_division *division,
                              const double *q, const double *v, const unsigned char *driven,
                              const double *tau, double *drive, double *a);

/// The number of stages of every evaluation. It grows with the logarithm of the number of bodies.
LB_API int lb_get_division_stage_count(const lb_division *division);

/// Runs one piece of a stage. Pieces of a stage may run at the same time; a stage may start when all pieces
/// of the one before have ended.
///
/// @param stage        from 0, in order
/// @param piece        from 0 to piece_count - 1
/// @param piece_count  at most the thread_count that the division was made for
LB_API void lb_run_division_stage(const lb_model *model, lb_work *work, lb_division *division,
                                  int stage, int piece, int piece_count);

/// Ends an evaluation: checks the result, and replaces it by that of the articulated recursion if it is not
/// accurate enough. Call it on one thread, after the last stage.
///
/// @return as lb_compute_forward_dynamics, or LB_NEWS_FALLBACK
LB_API lb_status lb_end_division(const lb_model *model, lb_work *work, lb_division *division);

#endif // LB_DIVIDE_AND_CONQUER_H
