// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals: numbers read off a moving model, by name (library limber-sim). One grammar everywhere:
//
//     t                                  time, s
//     link.angle  link.rate              a hinge's coordinate and speed; also link.q.0, link.v.2
//     panel.eta.0  panel.eta_rate.0      modal coordinate and rate
//     panel/n1.velocity.x                motion of a node, world axes; of the body's frame: panel.velocity.x
//     distance(panel/n1, ground/mount)   between two nodes; and distance_rate(...)
//     loop/pin.force.x                   what a loop exerts on its b, in the axes of its node a
//     system.com.z  system.kinetic       the whole system
//     thrust                             a named signal: an entry of `signals` in the model file
//
// Names that are not made of letters, digits and underscores stand in single quotes:
// 'left-arm'/tip.position.x. The guide has the whole list: docs/guide/signals.md.
//
// Compiling a signal resolves all names; evaluating it allocates nothing.
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

/// The named signals of a model file.
typedef struct lb_signals lb_signals;

/// A compiled signal. Its fields are for the library.
typedef struct lb_signal {
    int kind, index; ///< what, and which entry of it
    int body, node;  ///< where
    int other_body, other_node;
    lb_signal_stage stage;
    const lb_signals *named;
} lb_signal;

/// What is wrong with the text of a signal or expression.
typedef struct lb_signal_error {
    int column;        ///< from 1
    char message[240]; ///< names the column
} lb_signal_error;

/// Where signals are read: a state at one instant, and what has been made of it.
typedef struct lb_instant {
    const lb_model *model;
    lb_work *work; ///< after lb_compute_kinematics or a dynamics call
    double t;
    const double *q, *v;
    const double *a; ///< NULL if accelerations are not known
} lb_instant;

/// Compiles one signal (not an expression: those are given a name in `signals`).
///
/// @param named   signals that it may name; NULL for none. Must outlive the signal.
/// @param error   out: what is wrong; may be NULL
/// @param signal  out
/// @return LB_OK or LB_E_SYNTAX
LB_API lb_status lb_compile_signal(const lb_model *model, const lb_signals *named, const char *text,
                                   lb_signal_error *error, lb_signal *signal);

/// The value of a signal.
///
/// @return LB_OK, LB_E_STAGE if the instant is not worked out far enough, or LB_E_NUMBER if a named
///         signal is not finite
LB_API lb_status lb_evaluate_signal(const lb_signal *signal, const lb_instant *instant,
                                    double *value);

/// Reads `signals` of a document: a mapping from names to expressions, of which each may use those
/// above it.
///
/// @param model    of the same document; must outlive the signals
/// @param signals  out: to be freed by lb_destroy_signals; empty if the key is absent; NULL on
///                 failure
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_signals(const lb_document *document, const lb_model *model,
                                 const lb_report *report, lb_signals **signals);
LB_API void lb_destroy_signals(lb_signals *signals);

LB_API int lb_get_signal_count(const lb_signals *signals);
LB_API const char *lb_get_signal_name(const lb_signals *signals, int index);

#endif // LB_SIGNALS_H
