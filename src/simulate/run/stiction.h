// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction that sticks: hinges at rest that it holds, and hinges that slip.
#ifndef LB_STICTION_H
#define LB_STICTION_H

#include <stdbool.h>
#include <stddef.h>

#include "limber/simulate.h"
#include "simulate/signals/signals.h"

typedef enum lb_stick_state {
    LB_STICK_NONE,  ///< nothing to decide: no friction at present, or the hinge is driven or locked
    LB_STICK_HOLDS, ///< at rest: the hinge is locked
    LB_STICK_SLIPS,
    LB_STICK_PINNED ///< at rest beside others that hold the same loops: friction does what it did
} lb_stick_state;

/// A hinge, or one speed of it, with friction that sticks; several elements there act together.
typedef struct lb_stick {
    int body;
    int v;            ///< entry of v
    bool is_whole;    ///< it is the only speed of its hinge
    const char *name; ///< of the first of its elements
    double limit;     ///< what friction holds, of the elements that are enabled
    double sliding;   ///< what it does while it slips, likewise
    lb_stick_state state;
    int slip;          ///< +1 or -1: the way it slips; 0 otherwise
    double pinned;     ///< what friction does where it is pinned
    double peak;       ///< largest speed since it was at rest
    bool at_rest;      ///< while it is decided: its speed is zero
    bool was_sticking; ///< when it was last announced
    lb_stick_state kept_state;
    int kept_slip; ///< while another state is looked at
    double kept_pinned, kept_peak;
} lb_stick;

/// Room for deciding hinges in loops; n of them.
typedef struct lb_stick_room {
    double *G;       ///< n x n: F_i da_i/df_j F_j, F the friction                          (STK-3)
    double *S;       ///< n x n: factors
    double *a, *u;   ///< n: F_i times the acceleration without friction; friction as a part of F
    double *inertia; ///< n: of the motion of one hinge alone
    double *row;     ///< n
    double scale;    ///< largest acceleration that friction gives one of them alone
    int *list, *pivot;
    signed char *bound; ///< n: 0 inside, +1 or -1 at its bound, +2 or -2 slipping
} lb_stick_room;

/// Finds the hinges with such friction and takes memory for them.
lb_status lb_take_sticks(lb_simulation *sim);

/// Decides which hinges stick, and which way the others slip, at the present time and state. Speeds of
/// hinges at rest become exactly zero. Theory: (STK-2).
///
/// @param with_found  events of friction in `found` of the flow have happened
lb_status lb_decide_sticks(lb_simulation *sim, bool with_found);

// ---- stiction.c, for stiction_loops.c -----------------------------------------------------------

void lb_set_stick(lb_simulation *sim, lb_stick *stick, lb_stick_state state, int slip,
                  double pinned);

/// Evaluates the system with the states as they are set.
lb_status lb_evaluate_sticks(lb_simulation *sim, double t, const double *y);

/// The hinge whose friction is exceeded most, of those that are held and at rest; -1 if there is none.
///
/// @param hold  out: what holds it
int lb_find_weakest(const lb_simulation *sim, const int *found, double *hold);

// ---- stiction_loops.c --------------------------------------------------------------------------

lb_status lb_take_stick_room(lb_simulation *sim);

/// Decides the hinges at rest of a system with loops. Theory: (STK-3).
lb_status lb_decide_closed(lb_simulation *sim, double t, const double *y, const int *found);

// ---- everyone ----------------------------------------------------------------------------------

/// Lets go all hinges that friction holds, until it is decided again.
void lb_release_sticks(lb_simulation *sim);

/// What the levels of events of friction need.
lb_signal_stage lb_get_stick_stage(const lb_simulation *sim);

/// Levels of these events after an evaluation of that stage: they fall through zero.
void lb_compute_stick_levels(lb_simulation *sim, double *levels);

/// Those that stick when a run starts are no events.
void lb_start_sticks(lb_simulation *sim);

/// Names and records the hinges that have begun to stick or to slip.
///
/// @param at_event  events in `found` of the flow have happened
void lb_announce_sticks(lb_simulation *sim, bool at_event);

/// What friction does at a state. Arrays are the caller's, zero at first.
typedef struct lb_sticks_found {
    unsigned char *hinges; ///< a flag per body: friction holds it
    unsigned char
        *speeds; ///< a flag per entry of v: it holds this one of several speeds of a hinge
    int hinge_count, speed_count;
    bool lets_go; ///< a hinge at rest does not stick
    double *a;    ///< v_count: accelerations
} lb_sticks_found;

/// Which hinges friction would hold at a state, which need not be the present one.
///
/// @param held  a flag per body: hinges that are held by something else
lb_status lb_find_sticks(lb_simulation *sim, double t, const double *q, const double *v,
                         const unsigned char *held, lb_sticks_found *found);

#endif // LB_STICTION_H
