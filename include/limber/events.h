// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events of a simulation (library limber-sim): something crosses a value, and something happens.
//
//     lb_action_options release = lb_default_action_options();
//     release.type = LB_ACTION_RELEASE;
//     release.subject = "latch";
//     lb_event_options open = lb_default_event_options();
//     open.name = "open";
//     open.when = "panel.angle";
//     open.crosses = 1.5;
//     open.direction = LB_DIRECTION_RISING;
//     open.actions = &release;
//     open.action_count = 1;
//     lb_add_event(simulation, &open, NULL);
//
// docs/guide/simulation.md says what each action does.
#ifndef LB_EVENTS_H
#define LB_EVENTS_H

#include "limber/simulate.h"

/// What happens at an event.
typedef enum lb_action_type {
    LB_ACTION_STOP,    ///< the run ends
    LB_ACTION_ENABLE,  ///< a force acts from now on
    LB_ACTION_DISABLE, ///< a force does nothing from now on
    LB_ACTION_LOCK,    ///< the hinge of a body stops, by an impulse
    LB_ACTION_UNLOCK,
    LB_ACTION_CLOSE,   ///< a loop holds, its ends brought together where they are meant to meet
    LB_ACTION_GRASP,   ///< a loop holds where its ends are now
    LB_ACTION_RELEASE, ///< a loop lets go
    LB_ACTION_MAKE,    ///< a spare loop is set up and holds
    LB_ACTION_ALTER,   ///< a loop joins something else
    LB_ACTION_CALL,    ///< your own function is called
    LB_ACTION_TYPE_COUNT
} lb_action_type;

/// Which way a signal crosses.
typedef enum lb_direction {
    LB_DIRECTION_FALLING = -1,
    LB_DIRECTION_BOTH = 0,
    LB_DIRECTION_RISING = 1
} lb_direction;

/// What becomes of a loop that is made or altered. What is not given stays, of a loop that is altered.
/// Start from lb_default_loop_change_options().
typedef struct lb_loop_change_options {
    size_t size;                  ///< of this struct
    lb_node_name a, b;            ///< its ends; not given if `body` is NULL
    bool has_type;                ///< `type` is given
    lb_loop_type type;            ///< must be given for a loop that is made
    double axis[3];               ///< zero: not given
    double length;                ///< rod; zero: not given
    int term_count;               ///< coupler; zero: not given
    const lb_coupler_term *terms; ///< coupler
    bool has_offset;              ///< coupler: `offset` is given
    double offset;                ///< coupler
    bool grasp;                   ///< it closes where its ends are now
} lb_loop_change_options;

/// Nothing given.
static inline lb_loop_change_options lb_default_loop_change_options(void)
{
    lb_loop_change_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// Your own action, called at the event once all actions before it are done. It may read the simulation,
/// and must not change it. A run that is resumed does not call it again for events of its past.
///
/// @return 0 to continue; anything else ends the run as LB_ACTION_STOP does
typedef int (*lb_action_callback)(void *user, const lb_simulation *simulation, double t);

/// One action. Start from lb_default_action_options(). In an array, all elements have the size of the
/// first.
typedef struct lb_action_options {
    size_t size; ///< of this struct
    lb_action_type type;
    const char *subject;                  ///< name of the force, body or loop
    const lb_loop_change_options *change; ///< make, alter
    lb_action_callback callback;          ///< call
    void *user;                           ///< call: handed to the callback
} lb_action_options;

/// Ends the run.
static inline lb_action_options lb_default_action_options(void)
{
    lb_action_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// An event. Strings and arrays are read by lb_add_event and not kept. Start from
/// lb_default_event_options().
typedef struct lb_event_options {
    size_t size;      ///< of this struct
    const char *name; ///< unique
    const char *when; ///< a signal
    /// In place of the signal: your own function of the instant alone.
    lb_signal_callback level;
    void *user;             ///< handed to `level`
    lb_signal_stage stage;  ///< what `level` reads; LB_SIGNAL_STATE by default
    double crosses;         ///< the event is where the signal crosses this value; 0 by default
    lb_direction direction; ///< LB_DIRECTION_BOTH by default
    bool once;              ///< the first time only
    const lb_action_options *actions;
    int action_count; ///< 0: the event is noted, and nothing else happens
} lb_event_options;

/// Where a signal, still to be given, crosses zero in either direction, again and again.
static inline lb_event_options lb_default_event_options(void)
{
    lb_event_options options = LB_ZEROES;
    options.size = sizeof options;
    options.stage = LB_SIGNAL_STATE;
    return options;
}

/// Adds an event. Allocates.
///
/// @param event  out: its index in the order of adding, also after LB_E_MODEL; may be NULL
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported), LB_E_ARGUMENT if the simulation
///         has been used already, LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_add_event(lb_simulation *simulation, const lb_event_options *options,
                              int *event);

/// Name of an event by its index in the order of adding; NULL for an index that does not exist.
LB_API const char *lb_get_event_name(const lb_simulation *simulation, int event);

/// Says why an event has not happened so far, such as "its signal reaches 0.4, expected 0.5".
///
/// @param text  out: as much of it as `size` bytes hold
/// @return false if it has happened, or the simulation has not been started
LB_API bool lb_describe_absence(const lb_simulation *simulation, int event, char *text,
                                size_t size);

#endif // LB_EVENTS_H
