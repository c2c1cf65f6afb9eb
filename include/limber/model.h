// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading a finished model, and working with its configurations.
//
// A body is identified by its index in the order of adding. The caller owns the state: q, with
// lb_get_q_count entries, and v, with lb_get_v_count. Both list the bodies in the order of adding.
// The entries of a body are its modal coordinates (in v, their rates), then the coordinates
// (speeds) of its hinge. Generalized forces and accelerations are in the order of v. Nothing here
// allocates. Indices are not checked. Texts live as long as the model.
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "limber/build.h"

// ---- the model ---------------------------------------------------------------------------------

/// Name of the model; "" if it has none.
LB_API const char *lb_get_model_name(const lb_model *model);

/// Number of bodies, without the ground.
LB_API int lb_get_body_count(const lb_model *model);

/// Number of entries of q.
LB_API int lb_get_q_count(const lb_model *model);

/// Number of entries of v: the degrees of freedom of the tree.
LB_API int lb_get_v_count(const lb_model *model);

/// The machine instructions in use; never LB_INSTRUCTIONS_BEST.
LB_API lb_instruction_set lb_get_instruction_set(const lb_model *model);

/// Uniform gravity in world axes, m/s^2.
LB_API void lb_get_gravity(const lb_model *model, double gravity[3]);

// ---- bodies and hinges -------------------------------------------------------------------------

/// Finds a body by name.
///
/// @return its index; LB_GROUND for "ground"; LB_NOT_FOUND
LB_API int lb_find_body(const lb_model *model, const char *name);

/// Name of a body; "ground" for LB_GROUND.
LB_API const char *lb_get_body_name(const lb_model *model, int body);

/// The hinge between a body and its parent. Frozen: its size never changes.
typedef struct lb_hinge_info {
    lb_hinge_type type;
    int parent;      ///< index of the parent, or LB_GROUND
    int parent_node; ///< node of the parent that carries the hinge
    int node;        ///< node of the body that carries the hinge
    int q_count;     ///< coordinates; quaternions have four
    int v_count;     ///< speeds
} lb_hinge_info;

/// What is known of the hinge of a body. Not for LB_GROUND.
LB_API lb_hinge_info lb_get_hinge(const lb_model *model, int body);

/// Name of a hinge type as in a model file, such as "revolute".
LB_API const char *lb_get_hinge_type_name(lb_hinge_type type);

/// First entry of a body in q: its modal coordinates start here, those of its hinge mode_count
/// later.
LB_API int lb_get_q_offset(const lb_model *model, int body);

/// First entry of a body in v: its modal rates start here, the speeds of its hinge mode_count
/// later.
LB_API int lb_get_v_offset(const lb_model *model, int body);

/// Mass properties of a body without deformation.
///
/// @param mass     out: kg
/// @param com      out: centre of mass in the body frame, m
/// @param inertia  out: xx yy zz xy xz yz about the centre of mass, body axes, kg m^2
LB_API void lb_get_mass_properties(const lb_model *model, int body, double *mass, double com[3],
                                   double inertia[6]);

// ---- nodes -------------------------------------------------------------------------------------

/// Number of nodes of a body or of LB_GROUND. Node 0 is always `origin`.
LB_API int lb_get_node_count(const lb_model *model, int body);

/// Name of a node of a body or of LB_GROUND.
LB_API const char *lb_get_node_name(const lb_model *model, int body, int node);

/// Finds a node of a body, or of LB_GROUND, by name. Time grows linearly with the number of nodes.
///
/// @return its index, or LB_NOT_FOUND
LB_API int lb_find_node(const lb_model *model, int body, const char *name);

// ---- flexible bodies ---------------------------------------------------------------------------

/// Number of modes of a body; 0 if it is rigid.
LB_API int lb_get_mode_count(const lb_model *model, int body);

/// Number of quantities that can be read off the deformation of a body: lb_flex_recovery.
LB_API int lb_get_recovery_count(const lb_model *model, int body);

/// Name of such a quantity.
LB_API const char *lb_get_recovery_name(const lb_model *model, int body, int row);

/// How the inertia of a flexible body is computed. Of a rigid body, LB_FIDELITY_CONSISTENT.
LB_API lb_fidelity lb_get_fidelity(const lb_model *model, int body);

/// Natural frequencies of an undeformed flexible body whose frame is clamped: K x = omega^2 M_ff x.
/// Time grows with the cube of the number of modes. Theory: (FLX-12).
///
/// @param scratch  2 mode_count x mode_count
/// @param omega    out: mode_count, ascending, rad/s
/// @return LB_OK, or LB_E_SINGULAR if a combination of modes has no mass
LB_API lb_status lb_compute_body_frequencies(const lb_model *model, int body, double *scratch,
                                             double *omega);

// ---- loops -------------------------------------------------------------------------------------

/// Number of closure constraints that were added to the model, without spare ones.
LB_API int lb_get_loop_count(const lb_model *model);

/// Name of a loop.
LB_API const char *lb_get_loop_name(const lb_model *model, int loop);

/// Finds a loop of the model by name. Time grows linearly with the number of loops.
///
/// @return its index, or LB_NOT_FOUND
LB_API int lb_find_loop(const lb_model *model, const char *name);

/// A loop as the model was built. Frozen: its size never changes.
typedef struct lb_loop_info {
    lb_loop_type type; ///< see lb_get_loop_ends for its present type in a workspace
    int body[2];       ///< at its ends a and b; of a coupler, those of its first two terms
    int node[2];       ///< of these bodies; 0 for a coupler
    int row_count;     ///< constrained directions
    int term_count;    ///< of a coupler; 0 for other types
    bool as_assembled; ///< it closes where it is at the start: see lb_take_initial_offsets
    /// It follows a prescribed motion. The motion that its type leaves free is then constrained too; for
    /// point types only the sliding.
    bool driven;
} lb_loop_info;

/// What is known of a loop.
LB_API lb_loop_info lb_get_loop_info(const lb_model *model, int loop);

/// Name of a loop type as in a model file, such as "point-line".
LB_API const char *lb_get_loop_type_name(lb_loop_type type);

// ---- configurations ----------------------------------------------------------------------------

/// The neutral configuration: every coordinate is zero and every quaternion the identity.
///
/// @param q  out: q_count
LB_API void lb_get_neutral_configuration(const lb_model *model, double *q);

/// Checks that a configuration is finite and normalises its quaternions.
///
/// @param tolerance  how far the length of a quaternion may be from 1
/// @param q          in and out
/// @param index      out: the first entry of q that is wrong; may be NULL
/// @return LB_OK, or LB_E_ARGUMENT if an entry is not finite or a quaternion is out of tolerance
LB_API lb_status lb_normalize_configuration(const lb_model *model, double tolerance, double *q,
                                            int *index);

/// dq/dt of a state, for integrators that treat q as a plain vector. Numbers that are not finite give such
/// numbers.
///
/// @param q_dot  out: q_count
LB_API void lb_compute_configuration_rate(const lb_model *model, const double *q, const double *v,
                                          double *q_dot);

/// Moves along the manifold of configurations: q_out = q (+) dv is where the constant speeds dv
/// lead in unit time. Quaternions keep unit length. Numbers that are not finite give such numbers.
///
/// @param q_out  out: q_count; may be q
LB_API void lb_integrate_configuration(const lb_model *model, const double *q, const double *dv,
                                       double *q_out);

/// The inverse of lb_integrate_configuration: the dv for which q0 (+) dv = q1. Rotations take the
/// short way, at most pi. Numbers that are not finite give such numbers.
///
/// @param dv  out: v_count
LB_API void lb_difference_configuration(const lb_model *model, const double *q0, const double *q1,
                                        double *dv);

#endif // LB_MODEL_H
