// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics with loops around any dynamics of the tree alone.
#ifndef LB_CLOSED_CHAIN_H
#define LB_CLOSED_CHAIN_H

#include "model/layout.h"

/// The tree alone, step A of (CLO-3): leaves its motion, and the inertias that responses to forces
/// at loops need, with the hinges of work->held held.
///
/// @param driven  as lb_compute_hybrid_dynamics; NULL for none
/// @param tau     generalized forces; NULL for zero, where none is driven
/// @param drive   out: what driven hinges need; the same array as tau; NULL where none is driven
typedef lb_status lb_tree_dynamics(void *user, const lb_model *model, lb_work *work,
                                   const double *q, const double *v, const unsigned char *driven,
                                   const double *tau, double *drive, double *a);

/// lb_compute_constrained_dynamics with step A by `tree`.
lb_status lb_compute_closed_dynamics(const lb_model *model, lb_work *work, lb_tree_dynamics *tree,
                                     void *user, const double *q, const double *v,
                                     const unsigned char *driven, const double *tau, double *a,
                                     double *drive, double *forces);

#endif // LB_CLOSED_CHAIN_H
