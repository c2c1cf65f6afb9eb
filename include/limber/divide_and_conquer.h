// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by divide and conquer, for one state of a very long chain or large tree on many
// cores. It gives the same accelerations as the articulated recursion, but the number of steps that wait for each
// other grows only with the logarithm of the number of bodies: neighbouring bodies are joined into assemblies, and
// these into larger ones, up to the whole system, and back. Everything on one level is independent, so that many
// cores can share it. On one core it is slower than the recursion.
//
// It is an option of a workspace:
//
//     lb_work_options options = lb_default_work_options();
//     options.algorithm = LB_ALGORITHM_DIVIDE_AND_CONQUER;
//     options.team = lb_make_openmp_team(8); // limber/openmp.h
//     lb_work *work;
//     lb_create_work_with(model, &options, &work);
//     lb_compute_forward_dynamics(model, work, q, v, tau, a);
//     lb_destroy_work(work);
//
// Every result is checked against the equations of motion of every body. If it is not accurate enough,
// the articulated recursion computes it instead, in O(N), and the status is LB_NEWS_FALLBACK. Loops are closed
// afterwards, with one more sweep of O(N). No articulated inertias are left in the workspace: call
// lb_compute_articulated_inertia if you need them. The result has the same bits for any number of threads. Theory:
// docs/theory/divide_and_conquer.md, (DCA-1)..(DCA-8).
#ifndef LB_DIVIDE_AND_CONQUER_H
#define LB_DIVIDE_AND_CONQUER_H

#include <stdbool.h>

#include "limber/dynamics.h"

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

/// What the check found in the last evaluation by divide and conquer, before any fallback. Theory: (DCA-8).
///
/// @param report  in: its size; out: the rest
/// @return LB_OK; LB_E_STAGE if the workspace has another algorithm; LB_E_VERSION if the report comes from a newer
///         version
LB_API lb_status lb_get_division_report(const lb_work *work, lb_division_report *report);

#endif // LB_DIVIDE_AND_CONQUER_H
