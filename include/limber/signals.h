// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals: numbers read off a moving model, by name (library limber-sim). One grammar everywhere:
//
// | signal                             | what it is                                             |
// | t                                  | time, s                                                |
// | link.angle, link.rate              | a hinge's coordinate and speed; also link.q.0, link.v.2 |
// | panel.eta.0, panel.eta_rate.0      | modal coordinate and rate                              |
// | panel/n1.velocity.x                | motion of a node, world axes                           |
// | panel/n1.displacement.x            | its elastic displacement, body axes                    |
// | panel.recovery.NAME                | a stress, a force of an element: lb_flex_recovery      |
// | distance(panel/n1, ground/mount)   | between two nodes; and distance_rate(...)              |
// | loop/pin.force.x                   | what a loop exerts on its b, in the axes of its node a |
// | section(panel/mid).force.x         | what a flexible body carries in a cut                  |
// | reaction(panel).moment.x           | what a hinge exerts on its body, axes and point by choice |
// | system.com.z, system.kinetic       | the whole system                                       |
// | thrust                             | a named signal: an expression, or your own function    |
//
// Names that are not made of letters, digits and underscores are written in single quotes:
// 'left-arm'/tip.position.x. docs/guide/signals.md has the whole list.
//
//     lb_signal *height;
//     lb_compile_signal(model, NULL, "tool/tip.position.z", &report, &height);
//     lb_compute_kinematics(model, work, q, v, NULL);
//     lb_instant instant = {.size = sizeof instant, .model = model, .work = work, .q = q, .v = v};
//     double z;
//     lb_evaluate_signal(height, &instant, &z);
//     lb_destroy_signal(height);
//
// Compiling a signal resolves all names. Evaluating it allocates nothing.
#ifndef LB_SIGNALS_H
#define LB_SIGNALS_H

#include "limber/document.h"
#include "limber/dynamics.h"

/// How far a state must have been worked out before a signal can be read.
typedef enum lb_signal_stage {
    LB_SIGNAL_TIME,        ///< t alone
    LB_SIGNAL_STATE,       ///< q and v, and what lb_compute_kinematics leaves
    LB_SIGNAL_ACCELERATION ///< accelerations: a dynamics call, and a
} lb_signal_stage;

/// Loads of one instant that the library has computed.
typedef struct lb_load_memory lb_load_memory;

/// A state at one instant and what has been computed of it: where signals are read.
typedef struct lb_instant {
    size_t size; ///< of this struct
    const lb_model *model;
    lb_work *work;                   ///< after lb_compute_kinematics or a dynamics call
    double t;                        ///< s
    const double *q, *v;             ///< the state
    const double *a;                 ///< NULL if accelerations are not known
    const lb_applied_loads *applied; ///< what acts from outside, for reactions; NULL for nothing
    lb_load_memory *loads;           ///< of the library: NULL
} lb_instant;

/// A node by name. Frozen: a node has a body and a name.
typedef struct lb_node_name {
    const char
        *body; ///< "ground" for the ground. Without a node also "panel/n1", or NULL for no node
    const char *node; ///< NULL for what `body` says, or its origin
} lb_node_name;

// ---- one signal ----------------------------------------------------------------------------------

/// A compiled signal.
typedef struct lb_signal lb_signal;

/// The named signals of a model.
typedef struct lb_signals lb_signals;

/// Compiles the text of a signal. An expression is not one: give it a name by lb_add_signal.
///
/// Allocates.
///
/// @param named   signals that it may name; NULL for none. Must outlive the signal
/// @param report  receives what is wrong: line 1, its column in the text, a sentence. NULL to drop it
/// @param signal  out: to be freed by lb_destroy_signal; NULL on failure
/// @return LB_OK, LB_E_SYNTAX or LB_E_MEMORY
LB_API lb_status lb_compile_signal(const lb_model *model, const lb_signals *named, const char *text,
                                   const lb_report *report, lb_signal **signal);

/// Frees a signal. NULL is fine.
LB_API void lb_destroy_signal(lb_signal *signal);

/// How far an instant must be worked out for this signal.
LB_API lb_signal_stage lb_get_signal_stage(const lb_signal *signal);

/// The value of a signal. Allocates nothing.
///
/// @return LB_OK; LB_E_STAGE if the instant is not worked out far enough; LB_E_NUMBER if what it
///         reads of t, q, v and a, or a named signal, is not finite; LB_E_CALLBACK if a function of yours failed; LB_E_VERSION if the size of
///         the instant is not one
LB_API lb_status lb_evaluate_signal(const lb_signal *signal, const lb_instant *instant,
                                    double *value);

// ---- named signals -------------------------------------------------------------------------------

/// A signal of your own: a function of the instant alone, so that it can be evaluated again.
///
/// @param instant  worked out as far as the `stage` of the signal's options says
/// @param value    out
/// @return 0, or anything else if there is no value: the run then fails
typedef int (*lb_signal_callback)(void *user, const lb_instant *instant, double *value);

/// A named signal. Start from lb_default_signal_options().
typedef struct lb_signal_options {
    size_t size;                 ///< of this struct
    const char *name;            ///< letters, digits and underscores; no body has it
    const char *expression;      ///< of t and signals, those named before it included
    lb_signal_callback callback; ///< in place of the expression
    void *user;                  ///< handed to the callback
    lb_signal_stage stage;       ///< what the callback reads; LB_SIGNAL_STATE by default
} lb_signal_options;

/// No name, no expression, no callback; the callback reads q, v and kinematics.
static inline lb_signal_options lb_default_signal_options(void)
{
    lb_signal_options options = LB_ZEROES;
    options.size = sizeof options;
    options.stage = LB_SIGNAL_STATE;
    return options;
}

/// Adds a named signal. Those added later may use it.
///
/// @param index  out: its index, also after LB_E_MODEL; may be NULL
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported), LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_add_signal(lb_signals *signals, const lb_signal_options *options, int *index);

/// Number of named signals.
LB_API int lb_get_signal_count(const lb_signals *signals);

#endif // LB_SIGNALS_H
