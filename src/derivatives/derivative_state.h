// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The state at which derivatives were computed, for rooms that move the workspace away from it.
#ifndef LB_DERIVATIVE_STATE_H
#define LB_DERIVATIVE_STATE_H

#include "limber/derivatives.h"

/// Whether derivatives were computed, and with the workspace as it is.
bool lb_are_derivatives_at_state(const lb_derivative_work *scratch, const lb_work *work);

/// Puts the workspace back to the state of the derivatives, after kinematics elsewhere: to positions,
/// velocities and accelerations. lb_compute_node_derivatives and its like can be called again.
///
/// @return as lb_compute_kinematics
lb_status lb_return_to_state(const lb_model *model, lb_work *work, lb_derivative_work *scratch);

#endif // LB_DERIVATIVE_STATE_H
