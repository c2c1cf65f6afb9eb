// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Moving a state along its motion: a short way for finite differences, a long one for conservation.
#ifndef LB_TEST_MOTION_H
#define LB_TEST_MOTION_H

#include "check.h"

/// The state after h seconds of constant acceleration a, right to O(h^3).
void lb_move_state(const lb_model *model, const double *q, const double *v, const double *a,
                   double h, double *q_out, double *v_out);

/// Integrates free motion (no forces but gravity) by the classical Runge-Kutta method of order 4,
/// quaternions normalised after each step. q and v are moved on. Fails the test on a bad status.
void lb_integrate_motion(const lb_model *model, lb_work *work, double duration, int step_count,
                         double *q, double *v);

/// Integrates free motion from the trial's state, in 16 steps h and then ever more, until energy and,
/// with
/// `count` 7 in place of 1, linear and angular momentum are constant to round-off. On the way there
/// error / h^4 must stay bounded by what the three coarsest steps show: at order 3 it would double
/// with every halving.
void lb_expect_conserved(lb_trial *t, double duration, int count);

#endif // LB_TEST_MOTION_H
