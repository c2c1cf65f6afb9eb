// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements of a model (library limber-sim): `forces` of a model file, compiled. Springs,
// dampers, friction, stops, motors and driven motion at hinges; forces, torques, springs and dampers
// at nodes; gravity of a point mass. docs/guide/forces.md describes them.
//
//     lb_compute_kinematics(model, work, q, v, NULL);
//     ... tau and driven set to zero ...
//     lb_compute_forces(forces, model, work, t, q, v, tau, driven, a);
//     lb_compute_hybrid_dynamics(model, work, q, v, driven, tau, a);
//
// Evaluation allocates nothing. A set of forces belongs to one thread.
#ifndef LB_FORCES_H
#define LB_FORCES_H

#include "limber/derivatives.h"
#include "limber/signals.h"

typedef struct lb_forces lb_forces;

/// Reads `signals` and `forces` of a document.
///
/// @param model   of the same document; must outlive the forces
/// @param report  receives errors; NULL to drop them
/// @param forces  out: to be freed by lb_destroy_forces; empty if the keys are absent; NULL on
///                failure
/// @return LB_OK, LB_E_MODEL or LB_E_MEMORY
LB_API lb_status lb_load_forces(const lb_document *document, const lb_model *model,
                                const lb_report *report, lb_forces **forces);
LB_API void lb_destroy_forces(lb_forces *forces);

/// The named signals of the document: they live as long as the forces.
LB_API const lb_signals *lb_get_force_signals(const lb_forces *forces);

LB_API int lb_get_force_count(const lb_forces *forces);
LB_API const char *lb_get_force_name(const lb_forces *forces, int force);
/// "spring" and so on, as in the file.
LB_API const char *lb_get_force_type_name(const lb_forces *forces, int force);
/// Index of the force of that name, or -1.
LB_API int lb_find_force(const lb_forces *forces, const char *name);
LB_API int lb_is_force_enabled(const lb_forces *forces, int force);
LB_API void lb_set_force_enabled(lb_forces *forces, int force, int on);

/// Whether any hinge is driven by motion that is enabled.
LB_API int lb_has_motion(const lb_forces *forces);

/// Overwrites the entries of q and v that are given by the motion of driven hinges: a hinge driven
/// by position has both, one driven by speed has its speed, one driven by acceleration neither.
LB_API lb_status lb_set_driven_state(const lb_forces *forces, const lb_model *model, double t,
                                     double *q, double *v);

/// Generalized forces of all enabled elements at a state.
///
/// Needs lb_compute_kinematics(model, work, q, v, NULL) or any later stage for the same state, and
/// leaves positions and velocities as they are. Theory: (FRC-1)..(FRC-9).
///
/// @param tau     in and out: forces are added. At a driven hinge it then holds what other elements
///                do there; the drive supplies what lb_compute_hybrid_dynamics asks for, less that
/// @param driven  in and out, one flag a body: set for hinges that are driven by motion
/// @param a       out: accelerations of driven hinges; other entries are left alone
/// @return LB_OK, LB_E_STAGE, or LB_E_NUMBER if something is not finite: lb_get_force_message
LB_API lb_status lb_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v, double *tau,
                                   unsigned char *driven, double *a);

/// Forces that one element exerts at nodes, enabled or not, for drawing them: one of a force or
/// torque, two of a spring or damper between nodes, none of any other.
///
/// @param instant  worked out to velocities
/// @param loads   out: in the axes that they name
/// @param count   out: how many there are
LB_API lb_status lb_compute_force_loads(lb_forces *forces, int force, const lb_instant *instant,
                                        lb_node_force loads[2], int *count);

/// Derivatives of what lb_compute_forces adds to tau, along the directions of v (derivatives.h), and of
/// the powers of the elements.
///
/// Needs a function of limber/derivatives.h, called last with this workspace and scratch at the same
/// q and v; its own accelerations do not matter. Leaves positions and velocities in `work`, and powers
/// and energies of the forces. Analytic where an element is a function of time, of its own hinge or of
/// its nodes; elements whose functions read signals, gravity of a point mass, and elements at nodes of
/// models without analytic derivatives are differenced to the sixth order, by kinematics and these
/// elements alone. Kinks (stops, limits of motors) have the slope of the side they are on. Motion gives
/// nothing: use lb_compute_hybrid_derivatives. Allocates nothing.
///
/// @param dtau_dq, dtau_dv    out: v_count x v_count each
/// @param power_dq, power_dv  out: a row of v_count for each force; both may be NULL
/// @return LB_OK, LB_E_STAGE, or LB_E_NUMBER if something is not finite: lb_get_force_message
LB_API lb_status lb_compute_force_derivatives(lb_forces *forces, const lb_model *model,
                                              lb_work *work, lb_derivative_work *scratch, double t,
                                              const double *q, const double *v, double *dtau_dq,
                                              double *dtau_dv, double *power_dq, double *power_dv);

/// After LB_E_NUMBER: which force, what of it, and when. "" before.
LB_API const char *lb_get_force_message(const lb_forces *forces);

/// Power that a force delivered to the system at the last lb_compute_forces, W; zero if disabled.
/// Of a motion it is zero: only the dynamics tell.
LB_API double lb_get_force_power(const lb_forces *forces, int force);

/// Energy that a force held at the last lb_compute_forces, J: springs, stops, point gravity.
LB_API double lb_get_force_energy(const lb_forces *forces, int force);

/// Whether the power of a force is exactly the loss of its energy.
LB_API int lb_is_conservative(const lb_forces *forces, int force);

/// The first time after t at which a function of time of any enabled element has a kink or jump;
/// infinity if there is none. Expressions have none that are known.
LB_API double lb_find_next_break(const lb_forces *forces, double t);

#endif // LB_FORCES_H
