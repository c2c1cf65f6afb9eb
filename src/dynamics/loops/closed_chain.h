// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics with loops around any dynamics of the tree alone.
#ifndef LB_CLOSED_CHAIN_H
#define LB_CLOSED_CHAIN_H

#include "base/internal.h"
#include "model/layout.h"

/// Whether nothing holds but the tree: no loop is active and no hinge locked or driven, or lb_use_tree leaves
/// them out.
LB_INTERNAL bool lb_is_tree(const lb_model *model, const lb_work *work);

/// The tree alone, step A of (CLO-3): leaves its motion, and the inertias that responses to forces
/// at loops need, with the hinges of work->held held.
///
/// @param driven  as lb_tree_hybrid; NULL for none
/// @param tau     generalized forces; NULL for zero, where none is driven
/// @param drive   out: what driven hinges need; the same array as tau; NULL where none is driven
typedef lb_status lb_tree_dynamics(void *user, const lb_model *model, lb_work *work,
                                   const double *q, const double *v, const unsigned char *driven,
                                   const double *tau, double *drive, double *a);

/// lb_closed_forward with step A by `tree`.
lb_status lb_compute_closed_dynamics(const lb_model *model, lb_work *work, lb_tree_dynamics *tree,
                                     void *user, const double *q, const double *v,
                                     const unsigned char *driven, const double *tau, double *a,
                                     double *drive, double *forces);

/// Forward dynamics with the active loops, locked hinges, and hinges that the caller drives; those that the
/// workspace drives are not looked at. Leaves positions, velocities and the accelerations of the constrained
/// motion. Theory: (CLO-1)..(CLO-8).
///
/// @param driven  one flag per body, in the order of adding: non-zero if its hinge is driven; NULL for none
/// @param tau     generalized forces; NULL for zero; not read at driven and locked hinges
/// @param a       in: accelerations of driven hinges; out: all others
/// @param drive   out: v_count, generalized forces that driven and locked hinges need, zero elsewhere; may be
///                NULL
/// @param forces  out: 6 per slot, moment and force on b at its node, in the axes of node a; may be NULL
/// @return LB_OK, LB_E_SINGULAR, LB_E_NUMBER or LB_NEWS_INDEFINITE
LB_INTERNAL lb_status lb_closed_forward(const lb_model *model, lb_work *work, const double *q,
                                        const double *v, const unsigned char *driven,
                                        const double *tau, double *a, double *drive,
                                        double *forces);

#endif // LB_CLOSED_CHAIN_H
