// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions that jump or have kinks where the state passes something: each such switch is held on its side until
// the integrator has found the place, and then decided anew.                                       (JMP-2)
#ifndef LB_SIDES_H
#define LB_SIDES_H

#include <stdbool.h>

#include "limber/simulate.h"
#include "simulate/signals/switches.h"

/// A switch of state in a force or in the signal of an event.
typedef struct lb_watched {
    const lb_expression *expression;
    lb_switch *place;
    const char *name; ///< of the force or event that it was found in first
    int side;         ///< decided last
    bool is_used;     ///< by a force that is enabled, or by an event
    bool chatters;    ///< it went to and fro without end: it is left to the integrator
    int quick;        ///< changes one right after the other
    double last_step; ///< steps when it changed last
} lb_watched;

/// Finds the switches and takes memory for them.
lb_status lb_take_sides(lb_simulation *sim);

/// Decides all sides at the present time and state.
lb_status lb_decide_sides(lb_simulation *sim);

/// Holds the sides that were decided, or lets them go: then operands say.
void lb_hold_sides(lb_simulation *sim, bool on);

/// What their levels need.
lb_signal_stage lb_get_side_stage(const lb_simulation *sim);

/// Levels of these switches at an instant: they fall through zero.
lb_status lb_compute_side_levels(lb_simulation *sim, const lb_instant *instant, double *levels);

/// Counts the switches in `found` of the flow; those that go to and fro without end are given up.
///
/// @return whether there are any
bool lb_count_sides(lb_simulation *sim);

/// Adds to the message of a run that fails which expressions go to and fro, if any do; returns `status`.
lb_status lb_explain_sides(lb_simulation *sim, lb_status status);

#endif // LB_SIDES_H
