// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Inside of force elements.
#ifndef LB_FORCES_INSIDE_H
#define LB_FORCES_INSIDE_H

#include "limber/forces.h"
#include "signals/functions.h"

/// X(NAME, "type in a file", conservative)
#define LB_FORCE_LIST(X)                                                                           \
    X(HINGE_SPRING, "spring", 1)                                                                   \
    X(HINGE_DAMPER, "damper", 0)                                                                   \
    X(FRICTION, "friction", 0)                                                                     \
    X(STOP, "stop", 0)                                                                             \
    X(MOTOR, "motor", 0)                                                                           \
    X(MOTION, "motion", 0)                                                                         \
    X(ACTUATOR, "actuator", 0)                                                                     \
    X(FORCE, "force", 0)                                                                           \
    X(TORQUE, "torque", 0)                                                                         \
    X(NODE_SPRING, "spring", 1)                                                                    \
    X(NODE_DAMPER, "damper", 0)                                                                    \
    X(POINT_GRAVITY, "gravity-point", 1)

typedef enum lb_force_kind {
#define LB_FORCE_ENUM(NAME, text, conservative) LB_FORCE_##NAME,
    LB_FORCE_LIST(LB_FORCE_ENUM)
#undef LB_FORCE_ENUM
        LB_FORCE_KIND_COUNT
} lb_force_kind;

typedef struct lb_force {
    const char *name;
    lb_force_kind kind;
    bool enabled;
    bool conservative;

    // at a hinge
    int body; ///< whose hinge
    int v, q; ///< entries of v and q; q is -1 where the speed is no rate of a coordinate
    double stiffness, damping;
    double rest;                    ///< value, or length, without force
    double coulomb, viscous, speed; ///< friction
    double lower, upper, width;     ///< stops
    double low, high;               ///< limits of a motor
    double max_speed, max_power;    ///< likewise; infinite for none

    // an actuator: what it does to commands, and where it was when the last one came
    double gain, dead_zone, rate_limit, lag;
    double target, t_command, ramp, output;

    // functions: the value of a motor, three of a force, one a speed of a motion
    lb_function *functions;
    int function_count;
    int order; ///< motion: 0 position, 1 speed, 2 acceleration is given

    // at nodes
    int bodies[2], nodes[2];
    lb_axes axes;

    lb_point_gravity gravity;

    // left by lb_compute_forces
    double power, energy;
} lb_force;

struct lb_forces {
    lb_arena arena;
    lb_signals *signals;
    int count;
    lb_force *forces;
    lb_node_force *loads;  ///< room for two a force
    double *scratch;       ///< of derivatives: 24 v_count and more
    int *list;             ///< likewise, v_count
    unsigned char *chosen; ///< likewise, a flag a force: differenced
    char message[256];
};

/// Generalized force of an element at its hinge; sets power and energy.
///
/// @return LB_OK, or what evaluating its function failed with
lb_status lb_compute_hinge_force(lb_force *force, const lb_instant *instant, double *tau);

/// Forces of an element at its nodes, in `loads`; sets the energy.
///
/// @param count  out: how many there are, at most two
lb_status lb_compute_node_loads(lb_force *force, const lb_instant *instant, lb_node_force *loads,
                                int *count);

/// lb_compute_forces of the chosen elements alone, powers and energies of the others left; no motion.
///
/// @param chosen  a flag a force; NULL for all, motion included
lb_status lb_compute_chosen_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v,
                                   const unsigned char *chosen, double *tau, unsigned char *driven,
                                   double *a);

/// Marks the entries of the caller's v whose coordinate, or speed, lb_set_driven_state overwrites.
void lb_mark_driven_state(const lb_forces *forces, unsigned char *given_q, unsigned char *given_v);

/// "link" or "link.2": a body, and which speed of its hinge; -1 if that is not said.
///
/// @return false if there is no such body
bool lb_find_hinge(const lb_model *model, const char *text, int *body, int *index);

/// A new command to an actuator at time t; not before the last.
void lb_command_actuator(lb_force *force, double t, double command);
/// What it delivers at t, which is not before its last command.
double lb_get_actuator_output(const lb_force *force, double t);
/// When its output has a kink after t; infinity if it has none.
double lb_find_actuator_break(const lb_force *force, double t);

/// The hinge that an entry names: "link", or "link.2" for one of its speeds. Sets body, v and q.
///
/// @param whole             all speeds of the hinge together
/// @param needs_coordinate  it must have one for that speed
bool lb_read_hinge(const lb_function_loader *loader, const lb_place *place, const char *key,
                   bool whole, bool needs_coordinate, lb_force *force);
/// A node: "panel/n1", or {body: panel, node: n1}.
bool lb_read_node(const lb_function_loader *loader, const lb_place *place, int *body, int *node);

/// Reads one element of `forces`. Errors are reported.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_load_force(const lb_function_loader *loader, const lb_place *place, lb_force *force);

#endif // LB_FORCES_INSIDE_H
