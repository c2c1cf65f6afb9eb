// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements of a model (library limber-sim): springs, dampers, friction, stops, motors and driven
// motion at hinges; forces, torques, springs and dampers at nodes; gravity of a point mass; and forces
// of your own. docs/guide/forces.md describes them.
//
// A simulation has a set of forces, lb_get_simulation_forces. The set of a model file can also be used by itself:
//
//     lb_forces *forces;
//     lb_load_forces(document, model, &report, &forces);
//     lb_force_options spring = lb_default_force_options();
//     spring.name = "spring";
//     spring.type = LB_FORCE_SPRING;
//     spring.hinge = "link";
//     spring.stiffness = 40.0;
//     lb_add_force(forces, &spring, NULL);
//
//     lb_compute_kinematics(model, work, q, v, NULL);
//     lb_compute_forces(forces, model, work, t, q, v, tau, driven, a);
//     lb_compute_forward_dynamics(model, work, q, v, tau, a); // after lb_set_hinge_driven for each driven hinge
//     lb_destroy_forces(forces);
//
// tau and driven must be zero before lb_compute_forces, which adds to them. Evaluation allocates
// nothing. A set of forces belongs to one thread.
#ifndef LB_FORCES_H
#define LB_FORCES_H

#include <math.h>

#include "limber/derivatives.h"
#include "limber/functions.h"
#include "limber/signals.h"

/// What an element does.
typedef enum lb_force_type {
    LB_FORCE_SPRING,        ///< at a hinge, or between two nodes
    LB_FORCE_DAMPER,        ///< likewise
    LB_FORCE_FRICTION,      ///< at a hinge
    LB_FORCE_STOP,          ///< at a hinge: a stiff limit of its coordinate
    LB_FORCE_MOTOR,         ///< at a hinge: a function of time and signals, with limits
    LB_FORCE_MOTION,        ///< at a hinge: prescribes position, speed or acceleration
    LB_FORCE_ACTUATOR,      ///< at a hinge: obeys a controller
    LB_FORCE_FORCE,         ///< at a node
    LB_FORCE_TORQUE,        ///< at a node
    LB_FORCE_GRAVITY_POINT, ///< gravity of a point mass or an oblate planet on all bodies
    LB_FORCE_CALLBACK,      ///< your own: see lb_force_callbacks
    LB_FORCE_TYPE_COUNT
} lb_force_type;

/// What the function of a driven motion prescribes.
typedef enum lb_motion_order {
    LB_MOTION_POSITION,
    LB_MOTION_SPEED,
    LB_MOTION_ACCELERATION
} lb_motion_order;

// ---- forces of your own --------------------------------------------------------------------------

/// What a force of your own sees. Arrays are valid during the call only.
typedef struct lb_force_sample {
    size_t size;                 ///< of this struct, set by the library
    const lb_instant *instant;   ///< t, q, v, worked out to velocities: signals may be read
    int node_count;              ///< nodes of the element's options
    const lb_node_motion *nodes; ///< their poses and velocities in world axes
} lb_force_sample;

/// What a force of your own answers. Everything is zero when the callback is called.
typedef struct lb_force_answer {
    size_t size; ///< of this struct, set by the library
    /// Per node: moment and force on it, N m and N, in the `axes` of the element's options.
    double (*loads)[6];
    double *tau;   ///< generalized forces in the order of v
    double energy; ///< energy that the element holds, J, for the audit
} lb_force_answer;

/// Derivatives of that answer. Everything is zero when the callback is called. With m nodes, rows and
/// columns of the first two are those of the nodes one after the other, angular first. Loads are in the
/// `axes` of the element's options; that these axes turn is not for you to differentiate.
typedef struct lb_force_slopes {
    size_t size;           ///< of this struct, set by the library
    double *loads_by_pose; ///< 6 m x 6 m: by turns (rad) and shifts (m) of the nodes, world axes
    double *loads_by_velocity; ///< 6 m x 6 m: by angular and linear velocities of the nodes
    double *tau_by_q;          ///< v_count x v_count, along the directions of v: see derivatives.h
    double *tau_by_v;          ///< v_count x v_count
} lb_force_slopes;

/// The functions of a force of your own. Power is found by the library: loads times velocities of
/// their nodes, and tau times v.
typedef struct lb_force_callbacks {
    size_t size; ///< of this struct
    /// The force at a state: a function of the sample alone, which may be asked for again.
    /// @return 0, or anything else to fail
    int (*compute)(void *user, const lb_force_sample *sample, lb_force_answer *answer);
    /// Its derivatives; NULL: scaled differences are taken, and a note in the report says so.
    /// @return 0, or anything else to fail
    int (*differentiate)(void *user, const lb_force_sample *sample, lb_force_slopes *slopes);
    void *user;        ///< handed to both
    bool conservative; ///< its power is exactly the loss of its energy
} lb_force_callbacks;

/// No functions; not conservative.
static inline lb_force_callbacks lb_default_force_callbacks(void)
{
    lb_force_callbacks callbacks = LB_ZEROES;
    callbacks.size = sizeof callbacks;
    return callbacks;
}

// ---- elements ------------------------------------------------------------------------------------

/// A force element. Each type reads the fields that name it; what it does not read is ignored. Strings
/// and arrays are read by lb_add_force and not kept. Start from lb_default_force_options().
typedef struct lb_force_options {
    size_t size;      ///< of this struct
    const char *name; ///< unique
    lb_force_type type;
    bool enabled; ///< at the start; true by default

    const char *hinge; ///< a body, whose hinge is meant: "link", or "base.2" for one of its speeds
    lb_node_name between[2]; ///< spring, damper: two nodes in place of a hinge
    lb_node_name at;         ///< force, torque
    lb_axes axes;            ///< force, torque, callback: whose axes values and loads are in

    double stiffness; ///< spring, stop: N/m or N m/rad
    double damping;   ///< damper, stop: N s/m or N m s/rad
    double rest;      ///< spring: coordinate, or length between nodes, without force

    double coulomb; ///< friction: N or N m
    double viscous; ///< friction: N s/m or N m s/rad
    double speed; ///< friction: speed over which it changes its sign; 0, the default, if it sticks
                  ///< (at hinges with several speeds in models with loops: stands for 1e-3)

    double lower, upper; ///< stop: range without force; infinite by default
    double width;        ///< stop: depth over which damping sets in; 1e-3 by default

    double low, high;  ///< motor, actuator: limits, zero between them; infinite by default
    double max_speed;  ///< motor: limits fall to zero at this speed; infinite by default
    double max_power;  ///< motor: W; infinite by default
    double gain;       ///< actuator: N or N m for a command of 1; not zero; 1 by default
    double dead_zone;  ///< actuator: commands up to it do nothing
    double rate_limit; ///< actuator: N/s or N m/s; infinite by default
    double lag;        ///< actuator: time constant, s

    /// Functions of time: one of a motor, three of a force or torque, one per speed of a motion.
    const lb_function_options *values;
    int value_count;
    lb_motion_order order; ///< motion: what the values prescribe

    double mu;          ///< gravity of a point: gravitational parameter, m^3/s^2
    double position[3]; ///< gravity of a point: where it is, world axes
    bool gradient;      ///< gravity of a point: with its gradient over each body; true by default

    const lb_force_callbacks *callbacks; ///< callback: its functions
    const lb_node_name *nodes;           ///< callback: nodes that it sees and loads
    int node_count;

    double
        breakaway; ///< friction that sticks: what holds the hinge at rest, N or N m, not less than
                   ///< coulomb; 0, the default, for coulomb

    double j2;      ///< gravity of a point: second zonal harmonic; 0, the default, if it is round
    double radius;  ///< with j2: to which that refers, at the equator, m
    double axis[3]; ///< with j2: of the planet, world axes, of any length; z by default
} lb_force_options;

/// An enabled element without limits; name, type and numbers are still to be given.
static inline lb_force_options lb_default_force_options(void)
{
    lb_force_options options = LB_ZEROES;
    options.size = sizeof options;
    options.enabled = true;
    options.lower = -INFINITY;
    options.upper = INFINITY;
    options.width = 1e-3;
    options.low = -INFINITY;
    options.high = INFINITY;
    options.max_speed = INFINITY;
    options.max_power = INFINITY;
    options.gain = 1.0;
    options.rate_limit = INFINITY;
    options.gradient = true;
    options.axis[2] = 1.0;
    return options;
}

/// A set of force elements and the named signals that they read.
typedef struct lb_forces lb_forces;

/// Adds an element. Allocates. Not to the forces of a simulation that has been used (started, trimmed,
/// linearised).
///
/// @param force  out: its index, in the order of adding, also after LB_E_MODEL; may be NULL
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported; the set then refuses to be
///         evaluated), LB_E_ARGUMENT if it is too late, LB_E_VERSION or LB_E_MEMORY
LB_API lb_status lb_add_force(lb_forces *forces, const lb_force_options *options, int *force);

/// The signals and forces under `signals` and `forces` of a document.
///
/// @param model   of the same document; must outlive the forces
/// @param report  receives errors, also those of elements and signals that are added later; NULL to
///                drop them; copied
/// @param forces  out: to be freed by lb_destroy_forces; empty if the keys are absent; NULL on
///                failure
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_forces(const lb_document *document, const lb_model *model,
                                const lb_report *report, lb_forces **forces);

/// Frees a set of forces. NULL is fine. Not for those of a simulation, which frees its own.
LB_API void lb_destroy_forces(lb_forces *forces);

/// The named signals of the set, to read them and to add others. They live as long as the forces.
LB_API lb_signals *lb_get_force_signals(const lb_forces *forces);

/// Number of elements.
LB_API int lb_get_force_count(const lb_forces *forces);

/// An element as it is now. Frozen: its size never changes.
typedef struct lb_force_info {
    const char *name;
    lb_force_type type;
    bool is_enabled;      ///< it acts
    bool is_conservative; ///< its power is exactly the loss of its energy
    /// lb_compute_force_derivatives takes differences: it is your own and gives no derivatives, or reads a signal that
    /// is your own.
    bool is_differenced;
    /// Power that it delivered to the system at the last lb_compute_forces, W; zero if disabled. Zero for a motion: only
    /// the dynamics tell.
    double power;
    /// Energy that it held then, J: springs, stops, point gravity, and elements of your own that say so.
    double energy;
} lb_force_info;

/// What is known of an element.
///
/// @param force  from 0 to lb_get_force_count() - 1
LB_API lb_force_info lb_get_force_info(const lb_forces *forces, int force);

/// Name of a type as in a model file: "spring" and so on.
LB_API const char *lb_get_force_type_name(lb_force_type type);

/// Index of the element of that name, or LB_NOT_FOUND.
LB_API int lb_find_force(const lb_forces *forces, const char *name);

/// Switches an element on or off. In a running simulation, let an event do it: its integrator must know.
LB_API void lb_set_force_enabled(lb_forces *forces, int force, bool enabled);

// ---- evaluation ----------------------------------------------------------------------------------

/// Generalized forces of all enabled elements at a state. Allocates nothing.
///
/// Needs lb_compute_kinematics(model, work, q, v, NULL) or any later stage for the same state, and
/// leaves positions and velocities as they are. Theory: (FRC-1)..(FRC-9).
///
/// @param tau     in and out: forces are added. At a driven hinge it then holds what other elements
///                do there; the drive supplies what lb_get_drive_forces says, less that
/// @param driven  in and out, one flag per body: set for hinges that are driven by motion
/// @param a       out: accelerations of driven hinges; other entries are left alone
/// @return LB_OK, LB_E_STAGE, LB_E_MODEL if something that was added is wrong, LB_E_NUMBER if t, an
///         entry of q, v or tau, or a force is not finite, or LB_E_CALLBACK: lb_get_force_message
LB_API lb_status lb_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v, double *tau,
                                   unsigned char *driven, double *a);

/// What the last lb_compute_forces applied to nodes and bodies: for lb_compute_reaction and for signals that
/// are reactions (lb_instant.applied). Valid until the next call that computes forces.
LB_API const lb_applied_loads *lb_get_applied_loads(const lb_forces *forces);

/// Forces that one element exerts at nodes, enabled or not, for drawing them: one of a force or
/// torque, two of a spring or damper between nodes, none of any other.
///
/// @param instant  worked out to velocities
/// @param loads    out: in the axes that they name
/// @param count    out: how many there are
/// @return LB_OK, LB_E_STAGE, LB_E_NUMBER, LB_E_MODEL as lb_compute_forces, or LB_E_VERSION
LB_API lb_status lb_compute_force_loads(lb_forces *forces, int force, const lb_instant *instant,
                                        lb_node_force loads[2], int *count);

/// Derivatives of what lb_compute_forces adds to tau, along the directions of v (derivatives.h), and of
/// the powers of the elements.
///
/// Needs a function of limber/derivatives.h, called last with this workspace and scratch at the same
/// q and v; its own accelerations do not matter. Leaves positions and velocities in `work`, and powers
/// and energies of the forces. Analytic where is_differenced of lb_force_info is false, also of expressions and
/// the signals that they read. Functions of your own that give no derivatives are differenced to the sixth
/// order, by kinematics alone. The step starts in proportion to the model and shrinks until two agree: they
/// are asked for 12 times per coordinate and speed at least, 42 times at most. Kinks (stops, limits of motors, abs, min, if) have the slope of the side they
/// are on; a slope that is infinite (sqrt at zero) is taken as zero. A spring of length zero is linear where
/// its nodes meet; a damper between nodes does nothing there. Motion gives nothing: use
/// lb_compute_forward_derivatives. Allocates nothing. Theory: (FRC-12)..(FRC-15).
///
/// @param dtau_dq, dtau_dv    out: v_count x v_count each
/// @param power_dq, power_dv  out: a row of v_count for each force; both may be NULL
/// @return as lb_compute_forces
LB_API lb_status lb_compute_force_derivatives(lb_forces *forces, const lb_model *model,
                                              lb_work *work, lb_derivative_work *scratch, double t,
                                              const double *q, const double *v, double *dtau_dq,
                                              double *dtau_dv, double *power_dq, double *power_dv);

/// Which element failed in the last evaluation, and when. "" if none did.
LB_API const char *lb_get_force_message(const lb_forces *forces);

#endif // LB_FORCES_H
