// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of signals.
#ifndef LB_SIGNALS_INSIDE_H
#define LB_SIGNALS_INSIDE_H

#include "base/faults.h"
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
    LB_SIGNAL_REACTION_MOMENT, ///< `body` has the hinge; `frame`
    LB_SIGNAL_REACTION_FORCE,
    LB_SIGNAL_SECTION_MOMENT, ///< `body` is cut at `node`
    LB_SIGNAL_SECTION_FORCE,
    // a node against another one: attitude.c
    LB_SIGNAL_ATTITUDE,
    LB_SIGNAL_TURN,
    LB_SIGNAL_EULER, ///< `axes`
    LB_SIGNAL_SIGHT,
    LB_SIGNAL_NAMED, ///< index into `named`
    // what the deformation of a body makes of it: signal_recovery.h
    LB_SIGNAL_DISPLACEMENT, ///< of a node
    LB_SIGNAL_RECOVERY,     ///< index is the row
    LB_SIGNAL_CORRECTED,
    LB_SIGNAL_MODAL_MOMENT, ///< in a cut, by mode displacement; as LB_SIGNAL_SECTION_MOMENT
    LB_SIGNAL_MODAL_FORCE
};

/// A compiled signal.
struct lb_signal {
    int kind, index; ///< what, and which entry of it
    int body, node;  ///< where
    int other_body, other_node;
    lb_load_frame frame; ///< of a reaction, a section or a force of a loop
    int axes[3];         ///< of three angles
    lb_signal_stage stage;
    const lb_signals *named;
};

/// A state at one instant.
static inline lb_instant lb_make_instant(const lb_model *model, lb_work *work, double t,
                                         const double *q, const double *v, const double *a)
{
    return (lb_instant){sizeof(lb_instant), model, work, t, q, v, a, NULL, NULL};
}

/// Whether a signal is a force or moment of a loop or hinge, or a recovered quantity that depends on such: it follows
/// from forces, not from the state alone.
bool lb_is_load_signal(const lb_signal *signal);

/// Whether a signal is a force in a cut by mode displacement, which follows from the state.
static inline bool lb_is_modal_signal(const lb_signal *signal)
{
    return signal->kind == LB_SIGNAL_MODAL_MOMENT || signal->kind == LB_SIGNAL_MODAL_FORCE;
}

/// Whether a signal of either kind, not a recovered quantity, is a moment; else it is a force.
static inline bool lb_is_moment_signal(const lb_signal *signal)
{
    return lb_is_modal_signal(signal) ? signal->kind == LB_SIGNAL_MODAL_MOMENT
                                      : (signal->kind - LB_SIGNAL_LOOP_MOMENT) % 2 == 0;
}

/// Whether two such signals are components of one load.
static inline bool lb_have_same_load(const lb_signal *a, const lb_signal *b)
{
    const lb_load_frame *f = &a->frame, *g = &b->frame;
    const int kind = a->kind - !lb_is_moment_signal(a), other = b->kind - !lb_is_moment_signal(b);
    return kind == other && a->body == b->body && a->node == b->node &&
           f->axes_body == g->axes_body && f->axes_node == g->axes_node &&
           f->about_body == g->about_body && f->about_node == g->about_node;
}

enum { LB_LOAD_MEMORY = 8 }; // loads that are kept

/// Loads that have been computed at one instant: each costs a sweep, which its components share. Zeros to begin with.
struct lb_load_memory {
    int count; ///< so far: those before the last LB_LOAD_MEMORY are forgotten
    struct {
        const lb_signal *signal; ///< a component; outlives this
        double load[6];
    } entries[LB_LOAD_MEMORY];
};

/// Compiles a signal in place; complains of what is wrong with it at "where.key".
///
/// @return whether all is well
bool lb_resolve_signal(const lb_model *model, const lb_signals *named, const char *text,
                       lb_faults *faults, const char *where, const char *key, lb_signal *signal);

/// Finds a node by name; complains at "where.key" if there is none.
///
/// @return whether there is one
bool lb_resolve_node(const lb_model *model, const lb_node_name *name, lb_faults *faults,
                     const char *where, const char *key, int *body, int *node);

/// The stage that a named signal needs.
lb_signal_stage lb_get_named_stage(const lb_signals *signals, int index);

/// Who hears of faults from now on; NULL for nobody.
void lb_set_signal_report(lb_signals *signals, const lb_report *report);

/// Errors in what was added.
int lb_count_signal_faults(const lb_signals *signals);

/// Whether one is a function of the caller.
bool lb_has_signal_callback(const lb_signals *signals);

/// Whether all that was added is right.
bool lb_are_signals_right(const lb_signals *signals);

/// Lets a name stand for a number in expressions that are added from now on: a parameter of a file.
lb_status lb_add_constant(lb_signals *signals, const char *name, double value);

/// Whether a name stands for a number.
///
/// @param signals  may be NULL
bool lb_find_constant(const lb_signals *signals, const char *name, double *value);

/// Uses up the index of a signal that is wrong in a way that cannot be put into options.
lb_status lb_reserve_signal(lb_signals *signals, const char *name);

// ---- a set of named signals ------------------------------------------------------------------------

/// An empty set of named signals. A set of forces has one already: lb_get_force_signals.
///
/// @param model      must outlive the signals
/// @param allocator  NULL for malloc and free; copied
/// @param report     receives what is wrong with signals that are added; NULL to drop it; copied
/// @param signals    out: to be freed by lb_destroy_signals; NULL if memory is out
/// @return LB_OK or LB_E_MEMORY
lb_status lb_create_signals(const lb_model *model, const lb_allocator *allocator,
                            const lb_report *report, lb_signals **signals);

/// Frees a set of signals. NULL is fine. Not for those of a set of forces, which frees its own.
void lb_destroy_signals(lb_signals *signals);

/// Name of a signal by its index.
const char *lb_get_signal_name(const lb_signals *signals, int index);

/// Index of the signal of that name, or LB_NOT_FOUND.
int lb_find_signal(const lb_signals *signals, const char *name);

#endif // LB_SIGNALS_INSIDE_H
