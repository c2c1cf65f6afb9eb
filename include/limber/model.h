// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a finished model, and its configuration space.
//
// Bodies are known by the index in which they were added (listed). The state is the caller's:
// q[lb_get_q_count] and v[lb_get_v_count] hold, for each body in the listed order, its modal
// coordinates (rates), then its hinge's configuration (speeds). Generalized forces and
// accelerations follow the order of v. Nothing here allocates.
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "limber/build.h"

LB_API const char *lb_get_model_name(const lb_model *model);
LB_API int lb_get_body_count(const lb_model *model);
LB_API int lb_get_q_count(const lb_model *model);
LB_API int lb_get_v_count(const lb_model *model);
/// The one in use, never LB_INSTRUCTIONS_BEST.
LB_API lb_instruction_set lb_get_instruction_set(const lb_model *model);
/// Gravity in world axes.
LB_API void lb_get_gravity(const lb_model *model, double gravity[3]);

/// Index of the body of that name, LB_GROUND for "ground", or -2 if there is none.
LB_API int lb_find_body(const lb_model *model, const char *name);
/// "ground" for LB_GROUND.
LB_API const char *lb_get_body_name(const lb_model *model, int body);
/// Index of the parent, or LB_GROUND.
LB_API int lb_get_parent(const lb_model *model, int body);
/// Node of the parent (of this body) that carries this body's hinge.
LB_API int lb_get_parent_node(const lb_model *model, int body);
LB_API int lb_get_hinge_node(const lb_model *model, int body);
LB_API lb_hinge_type lb_get_hinge_type(const lb_model *model, int body);
LB_API int lb_get_mode_count(const lb_model *model, int body);
LB_API lb_fidelity lb_get_fidelity(const lb_model *model, int body);
/// Modal stiffness and damping, mode_count x mode_count row by row; NULL to skip either.
LB_API void lb_get_modal_matrices(const lb_model *model, int body, double *stiffness,
                                  double *damping);
/// Natural frequencies of a flexible body's modes with its frame held, undeformed, ascending, rad/s:
/// K x = omega^2 M_ff x. Theory: (FLX-12).
///
/// @param scratch  2 mode_count x mode_count
/// @param omega    out: mode_count
/// @return LB_OK, or LB_E_SINGULAR if a combination of modes has no mass
LB_API lb_status lb_compute_body_frequencies(const lb_model *model, int body, double *scratch,
                                             double *omega);
/// Inertia of a flexible body's modes, undeformed: M_ff, and its coupling with the motion of the
/// frame, a row a mode: what unit modal acceleration takes of moment (about the frame) and force.
///
/// @param M_ff  out: mode_count x mode_count
/// @param M_fr  out: mode_count x 6, angular first
LB_API void lb_get_modal_inertia(const lb_model *model, int body, double *M_ff, double *M_fr);
/// What a constant angular velocity of a body's frame, about an axis through its origin, adds to the
/// modal stiffness of the undeformed body: centrifugal stiffening and softening. Theory: (FLX-13).
///
/// @param omega  rad/s, body axes
/// @param G      out: mode_count x mode_count, symmetric; zero for fidelities other than consistent
LB_API void lb_compute_spin_stiffness(const lb_model *model, int body, const double omega[3],
                                      double *G);
/// Mass, centre of mass and inertia (xx yy zz xy xz yz) about it, undeformed, body axes.
LB_API void lb_get_mass_properties(const lb_model *model, int body, double *mass, double com[3],
                                   double inertia[6]);

/// First entry of the body in q and in v: its modes start here, its hinge mode_count later.
LB_API int lb_get_q_offset(const lb_model *model, int body);
LB_API int lb_get_v_offset(const lb_model *model, int body);
LB_API int lb_get_hinge_q_count(const lb_model *model, int body);
LB_API int lb_get_hinge_v_count(const lb_model *model, int body);

/// Nodes of a body (or LB_GROUND), from 0; node 0 is always `origin`.
LB_API int lb_get_node_count(const lb_model *model, int body);
LB_API const char *lb_get_node_name(const lb_model *model, int body, int node);
/// Index of the node of that name, or -1.
LB_API int lb_find_node(const lb_model *model, int body, const char *name);

/// "revolute" and so on.
LB_API const char *lb_get_hinge_type_name(lb_hinge_type type);
/// Entries of q and of v that a hinge of this type has.
LB_API int lb_get_hinge_type_q_count(lb_hinge_type type);
LB_API int lb_get_hinge_type_v_count(lb_hinge_type type);

/// Closure constraints, in the order of adding.
LB_API int lb_get_loop_count(const lb_model *model);
LB_API const char *lb_get_loop_name(const lb_model *model, int loop);
LB_API lb_loop_type lb_get_loop_type(const lb_model *model, int loop);
/// Body and node of an end: side 0 is a, 1 is b. Of a coupler the bodies of its first terms.
LB_API void lb_get_loop_end(const lb_model *model, int loop, int side, int *body, int *node);
/// Constrained rows of one loop; of all loops for -1.
LB_API int lb_get_loop_row_count(const lb_model *model, int loop);
/// "weld", "point-line" and so on.
LB_API const char *lb_get_loop_type_name(lb_loop_type type);
/// Terms of a coupler: its bodies, entries of their hinges, factors.
LB_API int lb_get_coupler_term_count(const lb_model *model, int loop);
LB_API void lb_get_coupler_term(const lb_model *model, int loop, int term, int *body,
                                int *coordinate, double *factor);
/// Whether a loop of this type has an axis.
LB_API int lb_has_loop_axis(lb_loop_type type);

/// The configuration with every coordinate zero and every quaternion the identity.
LB_API void lb_get_neutral_configuration(const lb_model *model, double *q);

/// Checks numbers and quaternions; those within `tolerance` of unit length are normalised.
///
/// @param index  out: first entry of q that is not acceptable; may be NULL
/// @return LB_OK or LB_E_ARGUMENT
LB_API lb_status lb_normalize_configuration(const lb_model *model, double tolerance, double *q,
                                            int *index);

/// dq/dt of a state, for integrators that treat q as a plain vector.
LB_API void lb_compute_configuration_rate(const lb_model *model, const double *q, const double *v,
                                          double *q_dot);

/// Moves along the manifold: q_out = q (+) dv, the configuration reached by the constant speeds dv
/// in unit time. Quaternions stay unit. q_out may be q.
LB_API void lb_integrate_configuration(const lb_model *model, const double *q, const double *dv,
                                       double *q_out);

/// The inverse of lb_integrate_configuration: dv such that q0 (+) dv = q1, turns at most pi.
LB_API void lb_difference_configuration(const lb_model *model, const double *q0, const double *q1,
                                        double *dv);

#endif // LB_MODEL_H
