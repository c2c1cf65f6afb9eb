// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of signals.
#ifndef LB_SIGNALS_INSIDE_H
#define LB_SIGNALS_INSIDE_H

#include "limber/signals.h"

/// lb_signal.kind
enum {
    LB_SIGNAL_T,
    LB_SIGNAL_Q, ///< index into q
    LB_SIGNAL_V, ///< index into v
    LB_SIGNAL_A, ///< index into a
    // motion of a node; index is the component, -1 for the norm
    LB_SIGNAL_POSITION,
    LB_SIGNAL_ROTATION,
    LB_SIGNAL_VELOCITY,
    LB_SIGNAL_ANGULAR_VELOCITY,
    LB_SIGNAL_NODE_ACCELERATION,
    LB_SIGNAL_ANGULAR_ACCELERATION,
    LB_SIGNAL_DISTANCE,
    LB_SIGNAL_DISTANCE_RATE,
    // the system; index likewise
    LB_SIGNAL_MASS,
    LB_SIGNAL_COM,
    LB_SIGNAL_COM_VELOCITY,
    LB_SIGNAL_MOMENTUM,
    LB_SIGNAL_ANGULAR_MOMENTUM,
    LB_SIGNAL_KINETIC,
    LB_SIGNAL_POTENTIAL,
    LB_SIGNAL_LOOP_MOMENT, ///< `body` is the loop
    LB_SIGNAL_LOOP_FORCE,
    LB_SIGNAL_NAMED ///< index into `named`
};

/// The stage that a named signal needs.
lb_signal_stage lb_get_named_stage(const lb_signals *signals, int index);

#endif // LB_SIGNALS_INSIDE_H
