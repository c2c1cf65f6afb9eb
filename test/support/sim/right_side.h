// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The right-hand side of a simulation, by public functions of the engine.
#ifndef LB_TEST_RIGHT_SIDE_H
#define LB_TEST_RIGHT_SIDE_H

#include "course.h"

/// Accelerations of all forces of a simulation at one state, and the rates of q.
///
/// @param q, v   driven hinges are put in place
/// @param tau    forces of the simulation are added to it
/// @param a      out
/// @param q_dot  out
void lb_compute_right_side(const lb_course *course, lb_work *work, double t, double *q, double *v,
                           double *tau, double *a, double *q_dot);

#endif // LB_TEST_RIGHT_SIDE_H
