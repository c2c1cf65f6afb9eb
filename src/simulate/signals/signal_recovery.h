// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals that are read off the deformation of a body.
#ifndef LB_SIGNAL_RECOVERY_H
#define LB_SIGNAL_RECOVERY_H

#include "slopes.h"

/// A component, or the norm, of the elastic displacement of a node, in body axes.         (RCV-3)
double lb_get_elastic_displacement(const lb_signal *signal, const lb_instant *instant);

/// A quantity by mode displacement.                                                       (RCV-1)
double lb_get_recovered(const lb_signal *signal, const lb_instant *instant);

/// Slopes of both: as lb_add_signal_slopes.
lb_status lb_add_displacement_slopes(const lb_signal *signal, const lb_instant *instant,
                                     lb_slope_work *work, double weight, const lb_slopes *slopes);
void lb_add_recovery_slopes(const lb_signal *signal, const lb_instant *instant, double weight,
                            const lb_slopes *slopes);

#endif // LB_SIGNAL_RECOVERY_H
