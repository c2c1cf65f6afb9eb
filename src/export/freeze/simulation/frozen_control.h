// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers of a frozen simulation: which can be frozen, and where they are in the memory of the caller.
#ifndef LB_FROZEN_CONTROL_H
#define LB_FROZEN_CONTROL_H

#include "control/laws/laws.h"
#include "frozen_simulation.h"

/// Says which controller cannot be frozen, by name.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_check_controllers(const lb_simulation *sim, const lb_report *report);

/// Gives all controllers their places in memory, behind the actuators.
///
/// @return false without memory
bool lb_list_controllers(frozen_simulation *frozen);

/// A channel of "CONTROLLER.ACTUATOR", whose desired motion becomes an input.
///
/// @return LB_OK; LB_E_ARGUMENT if there is no such channel, or if its law follows no motion of it; LB_E_MEMORY
lb_status lb_add_reference(frozen_simulation *frozen, const char *name, size_t length);

/// The law of a controller that knows the dynamics; NULL for others.
const lb_torque_law *lb_get_planned_law(const lb_controller *controller);

/// Whether sensors of a rate need accelerations.
bool lb_needs_accelerations(const lb_simulation *sim, double rate);

/// Whether any sensor needs inertias of single bodies: see lb_needs_inertias.
bool lb_sensors_need_inertias(const lb_simulation *sim);

/// Frees what lb_list_controllers took.
void lb_clear_controllers(frozen_simulation *frozen);

#endif // LB_FROZEN_CONTROL_H
