// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of force elements.
#ifndef LB_FORCES_INSIDE_H
#define LB_FORCES_INSIDE_H

#include "base/differences.h"
#include "base/names.h"
#include "limber/forces.h"
#include "limber/spatial.h"
#include "simulate/signals/functions.h"
#include "simulate/signals/signals.h"
#include "simulate/signals/slopes.h"

/// A node of a body.
typedef struct lb_node_place {
    int body, node;
} lb_node_place;

typedef struct lb_force {
    const char *name;
    lb_force_type type;
    bool at_nodes; ///< spring, damper: between nodes, not at a hinge
    bool enabled;
    bool conservative;

    // at a hinge
    int body; ///< whose hinge
    int v, q; ///< entries of v and q; q is -1 where the speed is no rate of a coordinate
    double stiffness, damping;
    double rest;                    ///< value, or length, without force
    double coulomb, viscous, speed; ///< friction
    double breakaway;               ///< friction: what holds the hinge at rest
    bool sticks;                    ///< friction: it holds the hinge at rest, see STK-1
    bool is_decided;                ///< of that: whoever runs it says what it does
    double dry;                     ///< then: its force but for the viscous part
    double lower, upper, width;     ///< stops
    double low, high;               ///< limits of a motor
    double max_speed, max_power;    ///< likewise; infinite for none

    // an actuator: what it does to commands, and where it was when the last one came
    double gain, dead_zone, rate_limit, lag;
    double target, t_command, ramp, output;

    // functions: the value of a motor, three of a force, one a speed of a motion
    lb_function *functions;
    int function_count;
    int order;        ///< motion: 0 position, 1 speed, 2 acceleration is given
    bool reads_state; ///< a function depends on more than time
    bool samples;     ///< a function reads signals that are differenced

    // at nodes
    int bodies[2], nodes[2];
    lb_axes axes;

    lb_oblate_gravity gravity;

    // the caller's own
    lb_force_callbacks own;
    int place_count;
    const lb_node_place *places;

    // left by lb_compute_forces
    double power, energy;
} lb_force;

/// Memory of the elements that are the caller's own, enough for the largest of them.
typedef struct lb_own_work {
    int place_capacity;
    size_t slope_capacity;
    lb_node_motion *motions; ///< of its nodes
    double *loads;           ///< 6 per node
    double *tau;             ///< v_count
    lb_node_force *held;     ///< its loads, while they are differentiated
    double *slopes;          ///< what differentiating takes: see forces_own.c
} lb_own_work;

struct lb_forces {
    lb_arena arena;
    const lb_model *model;
    lb_faults faults;
    lb_signals *signals;
    bool complete; ///< nothing can be added any more
    int count, capacity;
    lb_force *forces;
    lb_names names;
    int *driver; ///< by body: one more than the index of the motion at its hinge
    int load_count, load_capacity;
    lb_node_force *loads; ///< at nodes, of all elements
    int field_count, field_capacity;
    lb_oblate_gravity *fields; ///< of all elements
    lb_applied_loads applied;  ///< both, as the last lb_compute_forces left them
    double *scratch;           ///< of derivatives: 36 v_count and more
    double *gradients;         ///< likewise, 6 v_count: slopes of functions
    lb_slope_work slopes;      ///< likewise: what functions and their signals take
    double *scales;            ///< v_count: sizes of coordinates, for differences
    int *list;                 ///< likewise, v_count
    int chosen_capacity, line_capacity;
    unsigned char *chosen; ///< likewise, one flag per force: differenced
    lb_line_slope *line;   ///< likewise, one per speed and one per force
    lb_own_work own;
    char message[256];
};

/// Loads at nodes that an element takes room for.
static inline int lb_get_load_count(const lb_force *force)
{
    switch (force->type) {
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE:
        return 1;
    case LB_FORCE_CALLBACK:
        return force->place_count;
    default:
        return force->at_nodes ? 2 : 0;
    }
}

/// Whether an element acts at nodes, through loads.
static inline bool lb_acts_at_nodes(const lb_force *force)
{
    return lb_get_load_count(force) > 0;
}

/// Who hears of faults of elements and signals from now on; NULL for nobody.
void lb_set_force_report(lb_forces *forces, const lb_report *report);

// ---- sizes of coordinates ----------------------------------------------------------------------

/// How much of each coordinate is much: a radian, the largest distance of a node, or of a hinge, from the frame
/// of its body, and of a mode what bends a body as far as that.                           (FRC-15)
///
/// @param scales  out: v_count
void lb_find_scales(const lb_model *model, double *scales);

// ---- the caller's own --------------------------------------------------------------------------

/// Takes over callbacks and nodes, and memory for them. Complains at "where.key".
///
/// @return LB_OK (also after faults), LB_E_VERSION or LB_E_MEMORY
lb_status lb_make_own_force(lb_forces *forces, const lb_force_options *options, const char *where,
                            lb_force *force);

/// What it does at an instant: its loads in its axes, one per node; tau is added to. Sets the energy,
/// and the power of its tau alone.
///
/// @return LB_OK, LB_E_STAGE, LB_E_NUMBER or LB_E_CALLBACK
lb_status lb_compute_own_force(lb_forces *forces, lb_force *force, const lb_instant *instant,
                               lb_node_force *loads, double *tau);

/// Adds the derivatives that it gives, by the chain rule, to what lb_compute_force_derivatives fills.
///
/// @param power_dq, power_dv  its own rows, or NULL
/// @return as lb_compute_own_force
lb_status lb_differentiate_own_force(lb_forces *forces, lb_force *force, const lb_instant *instant,
                                     lb_derivative_work *scratch, double *dtau_dq, double *dtau_dv,
                                     double *power_dq, double *power_dv);

/// The axes of a load at a node, as lb_apply_node_forces takes them, and how they turn with q. Needs what
/// lb_compute_node_derivatives needs.
///
/// @param R     out: from these axes to the world's
/// @param turn  out: 6 x v_count: the first three are a vector in world axes per column
/// @return as lb_compute_node_derivatives
lb_status lb_differentiate_axes(const lb_instant *instant, lb_derivative_work *scratch, int body,
                                int node, lb_axes axes, lb_mat3 *R, double *turn);

// ---- evaluation --------------------------------------------------------------------------------

/// Generalized force of an element at its hinge; sets power and energy.
///
/// @return LB_OK, or what evaluating its function failed with
lb_status lb_compute_hinge_force(lb_force *force, const lb_instant *instant, double *tau);

/// Force of a friction element at a speed of its hinge. Theory: (FRC-5), (STK-1).
double lb_get_friction(const lb_force *force, double v);

/// Forces of an element at its nodes, in `loads`, lb_get_load_count of them; sets the energy. Not of the
/// caller's own.
lb_status lb_compute_node_loads(lb_force *force, const lb_instant *instant, lb_node_force *loads);

/// Whether everything that was added is right. Clears the message.
///
/// @return LB_OK, or LB_E_MODEL with a message
lb_status lb_check_forces(lb_forces *forces);

/// Whether a time, a state and forces (NULL for none) are finite.
///
/// @return LB_OK, or LB_E_NUMBER with a message
lb_status lb_check_force_state(lb_forces *forces, const lb_model *model, double t, const double *q,
                               const double *v, const double *tau);

/// Sets the message where an element could not be computed; returns `status`.
lb_status lb_say_force(lb_forces *forces, const lb_force *force, lb_status status, double t);

/// lb_compute_forces of the chosen elements alone, powers and energies of the others left; no motion.
///
/// @param chosen  one flag per force; NULL for all, motion included
lb_status lb_compute_chosen_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v,
                                   const unsigned char *chosen, double *tau, unsigned char *driven,
                                   double *a);

/// Marks the entries of the caller's v whose coordinate, or speed, lb_set_driven_state overwrites.
void lb_mark_driven_state(const lb_forces *forces, unsigned char *given_q, unsigned char *given_v);

// ---- adding ------------------------------------------------------------------------------------

/// A hinge, or one of its speeds.
typedef struct lb_hinge_place {
    int body;
    int v, q; ///< entries of v and q; q is -1 where the speed is no rate of a coordinate
} lb_hinge_place;

/// "link" or "link.2": a body, and which speed of its hinge; -1 if that is not said.
///
/// @return false if there is no such body
bool lb_find_hinge(const lb_model *model, const char *text, int *body, int *index);

/// Finds a hinge by "link", or "link.2" for one of its speeds; complains at "where.key" if there is none.
///
/// @param whole             all speeds of the hinge together
/// @param needs_coordinate  it must have one for that speed
/// @return whether there is one
bool lb_resolve_hinge(const lb_model *model, const char *text, bool whole, bool needs_coordinate,
                      lb_faults *faults, const char *where, const char *key, lb_hinge_place *place);

/// Complains at "where.axes" of a value that names no axes.
void lb_check_axes(lb_axes axes, lb_faults *faults, const char *where);

/// Nothing can be added from now on, and what evaluation needs is set up.
///
/// @return LB_OK; LB_E_MODEL if something that was added was wrong; LB_E_MEMORY
lb_status lb_complete_forces(lb_forces *forces);

/// Uses up the index of an element that is wrong in a way that cannot be put into options, so that others
/// are counted as in the file and its name is known.
lb_status lb_reserve_force(lb_forces *forces, const char *name);

/// Where a step should end so that it does not miss a narrow feature of a function: see lb_find_function_feature.
double lb_find_force_feature(const lb_forces *forces, double t, double horizon);

/// A motion whose expression has a jump or kink at t that it must not have; NULL if there is none.
const lb_force *lb_find_rough_motion(const lb_forces *forces, double t);

/// Whether functions of the caller have a part in the forces.
bool lb_reads_callbacks(const lb_forces *forces);

/// Whether a function of time jumps right behind t: see lb_passes_break.
bool lb_pass_breaks(const lb_forces *forces, double t);

/// A new command to an actuator at time t; not before the last.
void lb_command_actuator(lb_force *force, double t, double command);
/// The same, unless what is asked for stays as it is; returns whether it changes.
bool lb_change_command(lb_force *force, double t, double command);
/// What it delivers at t, which is not before its last command.
double lb_get_actuator_output(const lb_force *force, double t);
/// When its output has a kink after t; infinity if it has none.
double lb_find_actuator_break(const lb_force *force, double t);
/// Whether the derivatives of an element are differences.
bool lb_is_differenced(const lb_force *force);

#endif // LB_FORCES_INSIDE_H
