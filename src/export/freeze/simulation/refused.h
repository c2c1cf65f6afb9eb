// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What of a simulation cannot be frozen.
#ifndef LB_REFUSED_H
#define LB_REFUSED_H

#include "simulate/run/simulation.h"

/// Whether a signal, or something that it is made of, cannot be frozen.
bool lb_is_signal_refused(const lb_signal *signal);

/// Whether a signal follows from the inertia of single bodies.
bool lb_is_signal_of_system(const lb_signal *signal);

/// Says which force cannot be frozen, by name.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_check_forces_freeze(const struct lb_forces *forces, const lb_report *report);

/// The same of outputs.
lb_status lb_check_outputs(const lb_simulation *sim, const lb_report *report);

/// The same of events.
lb_status lb_check_events(const lb_simulation *sim, const lb_report *report);

/// Whether a force depends on the inertia of single bodies.
bool lb_do_forces_need_inertias(const struct lb_forces *forces);

/// Whether something depends on the inertia of single bodies: point masses that attract, and signals of the system.
bool lb_needs_inertias(const lb_simulation *sim);

#endif // LB_REFUSED_H
