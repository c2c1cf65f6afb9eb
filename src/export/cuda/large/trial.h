// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A trial of a division that was just made: one state, on the device and by the recursion on the host. Kernels are compiled
// on the machine of the user, by a compiler that no test has seen, and the check of an answer believes the places and
// velocities of the same kernels.
#ifndef LB_TRIAL_H
#define LB_TRIAL_H

#include "base/text.h"
#include "model/layout.h"

/// A state near the neutral one in which everything moves and is pushed, in amounts that fit the size and mass of the model,
/// so that no term is lost beside another.
///
/// @param q       out
/// @param v, tau  out: v_count entries each
void lb_set_trial_state(const lb_model *model, double *q, double *v, double *tau);

/// Compares what the device found with what the host expects. Accepted is a difference of a hundred times the tolerance of
/// the check, and of 1e-8 in any case, relative to the largest acceleration.
///
/// @param why  out: words, if it is refused
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_judge_trial(int count, const double *found, const double *expected, double tolerance,
                         lb_text *why);

#endif // LB_TRIAL_H
