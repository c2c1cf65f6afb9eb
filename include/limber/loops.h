// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics of trees with closure constraints, at the level of accelerations.
//
// With J the relative motion of the closed nodes per unit speed, and g its rate at zero
// acceleration,
//
//     M a + c = tau + J' lambda,   J a + g = 0
//
// Constraints that repeat or contradict each other are normal: rows that carry nothing are dropped
// by an absolute scale and the multipliers are those of least norm. Nothing here stabilises: a state
// that has drifted off the constraints stays off.
#ifndef LB_LOOPS_H
#define LB_LOOPS_H

#include "limber/dynamics.h"

/// Doubles of scratch that the functions below need; zero for a model without loops.
LB_API size_t lb_get_loop_scratch_count(const lb_model *model);

/// Forward dynamics with loops: the tree's own (articulated), the admittance of all closures,
/// multipliers, correction. Leaves positions, velocities and the accelerations of the constrained
/// motion. Theory: (CLO-1)..(CLO-4).
///
/// @param tau      generalized forces; NULL for zero
/// @param scratch  lb_get_loop_scratch_count doubles
/// @param a        out: accelerations
/// @param forces   out: 6 per loop: (moment, force) exerted on b at b's node, in the axes of node a;
///                 a gets the opposite at the same point; may be NULL
/// @return as lb_compute_forward_dynamics, or LB_NEWS_REDUNDANT
LB_API lb_status lb_compute_constrained_dynamics(const lb_model *model, lb_work *work,
                                                 const double *q, const double *v,
                                                 const double *tau, double *scratch, double *a,
                                                 double *forces);

/// How far a state is from satisfying the loops. Needs positions, and velocities for the second.
///
/// @param position  out: 6 per loop, angular then linear, in the axes of node a, zero along free
///                  motion; may be NULL
/// @param velocity  out: likewise
LB_API lb_status lb_compute_loop_errors(const lb_model *model, lb_work *work, double *position,
                                        double *velocity);

#endif // LB_LOOPS_H
