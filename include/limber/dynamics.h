// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics of trees, M(q) a + c(q, v) = tau, and of trees with loops. The bias c includes gravity, modal
// stiffness and modal damping.
//
// Forward dynamics takes the active loops, locked hinges and driven hinges of the workspace into account. Functions
// that describe the tree alone return LB_E_LOOPS while any of these act: inverse dynamics, the bias, the mass
// matrix and its inverse, articulated inertias, solving and admittance. lb_use_tree (work.h) asks for the tree.
//
// The functions of the first part take a state and compute a result. They also leave intermediate
// quantities in the workspace: positions, velocities, accelerations, articulated inertias. The
// functions of the second part read these; each says what it needs, and returns LB_E_STAGE if it is
// missing.
//
// Numbers that a function reads must be finite, and quaternions of unit length to a hundredth. Otherwise it computes nothing and
// returns LB_E_NUMBER, and lb_get_bad_number (work.h) says which number it was. The check costs about as much as adding them up.
//
// Arrays are in the order of v (see model.h), matrices are dense and stored row by row, spatial
// vectors have their angular part first. Outputs must not overlap inputs unless a comment allows
// it. N is the number of bodies. Nothing here allocates.
#ifndef LB_DYNAMICS_H
#define LB_DYNAMICS_H

#include "limber/work.h"

// ---- from a state to a result ------------------------------------------------------------------

/// Forward dynamics: the accelerations of the system, with the active loops, locked hinges and driven hinges of
/// the workspace (loops.h). Without these, a with M a + c = tau. Leaves positions, velocities and accelerations;
/// without loops, locks and drives also articulated inertias. Theory: (ABA-1)..(ABA-3), (CLO-1)..(CLO-8).
///
/// The state must close the loops, or the answer is that of another system: lb_compute_loop_errors says how far it is off,
/// lb_assemble_loops closes it. Redundant constraints are no failure: lb_get_redundant_row_count counts them. What locked
/// and driven hinges need is in lb_get_drive_forces afterwards, the force of a loop in lb_get_loop_force.
///
/// Cost: O(N) for the tree, plus the loops. Loops that share no moving body cost their sum; coupled ones up to the
/// cube of their number, and linearly where many meet at one body.
///
/// @param tau  generalized forces; NULL for zero; not read at driven and locked hinges
/// @param a    in: accelerations of driven hinges; out: all others
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_bad_inertia), or LB_E_NUMBER
LB_API lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                             const double *v, const double *tau, double *a);

/// The generalized forces that act in all at locked and driven hinges, after lb_compute_forward_dynamics; zero elsewhere. A
/// brake or drive supplies this less the tau that acts there anyhow, such as that of lb_apply_node_forces.
///
/// @param drive  out: v_count
/// @return LB_OK, or LB_E_STAGE
LB_API lb_status lb_get_drive_forces(const lb_model *model, const lb_work *work, double *drive);

/// Inverse dynamics of the tree by the Newton-Euler recursion: tau = M a + c. O(N). Leaves positions,
/// velocities and accelerations. Theory: (RNE-1), (RNE-2).
///
/// @param a    generalized accelerations; NULL for zero, which gives c
/// @param tau  out: v_count
/// @return LB_OK, LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                             const double *v, const double *a, double *tau);

/// The bias c(q, v), which is inverse dynamics at zero acceleration. O(N). Leaves what
/// lb_compute_inverse_dynamics leaves.
///
/// @param c  out: v_count
/// @return LB_OK, LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, double *c);

/// Mass matrix of the tree by the composite-body algorithm. O(N depth), and filling in of v_count^2 entries.
/// Leaves positions. Theory: (CRB-1).
///
/// @param M  out: v_count x v_count, symmetric
/// @return LB_OK, LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q,
                                        double *M);

/// Articulated inertias of a configuration, as lb_solve_mass_matrix and lb_compute_admittance need
/// them. O(N). Leaves positions and articulated inertias.
///
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_bad_inertia), LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work,
                                                const double *q);

/// Inverse of the mass matrix, column by column. O(N v_count). Leaves positions and articulated
/// inertias.
///
/// @param M_inverse  out: v_count x v_count
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_bad_inertia), LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work,
                                                const double *q, double *M_inverse);

/// Positions, velocities and accelerations of all bodies, without any forces. O(N).
///
/// @param v  NULL for zero
/// @param a  NULL for zero
/// @return LB_OK or LB_E_NUMBER
LB_API lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                       const double *v, const double *a);

// ---- from the workspace ------------------------------------------------------------------------

/// Solves M x = b. O(N). Needs articulated inertias, from lb_compute_articulated_inertia or
/// lb_compute_forward_dynamics. Theory: (ABA-4).
///
/// @param x  out: v_count; may be b
/// @return LB_OK, LB_E_STAGE, LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b,
                                      double *x);

/// Motion of a node in world axes. Frozen: it is filled in at every evaluation.
typedef struct lb_node_motion {
    double position[3];     ///< m
    double rotation[4];     ///< quaternion w x y z that maps node axes to world axes, w >= 0
    double velocity[6];     ///< angular, linear: rad/s, m/s
    double acceleration[6]; ///< angular, linear: rad/s^2, m/s^2; gravity is not in it
} lb_node_motion;

/// Motion of a node. Needs lb_compute_kinematics or a dynamics call.
///
/// @param body  a body, or LB_GROUND
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_compute_node_motion(const lb_model *model, lb_work *work, int body, int node,
                                        lb_node_motion *motion);

/// Axes of the components of a spatial vector.
typedef enum lb_axes {
    LB_AXES_WORLD,
    LB_AXES_BODY, ///< of the body frame
    LB_AXES_NODE  ///< of the node, which turns with the deformation
} lb_axes;

/// Jacobian of a node: J v is the velocity of the node in the chosen axes. O(depth), and filling in
/// of zeros. Needs positions.
///
/// @param J  out: 6 x v_count, angular rows first
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_compute_jacobian(const lb_model *model, lb_work *work, int body, int node,
                                     lb_axes axes, double *J);

/// Acceleration of a node at zero generalized acceleration: dJ/dt v with the Jacobian in world
/// axes, then written in the chosen axes. Needs velocities.
///
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_compute_jacobian_rate(const lb_model *model, lb_work *work, int body, int node,
                                          lb_axes axes, double acceleration[6]);

/// Admittance of a node, J M^-1 J': its acceleration per unit of spatial force there. O(depth).
/// Needs articulated inertias. Theory: (ADM-1).
///
/// @param admittance  out: 6 x 6, in the chosen axes
/// @return LB_OK, LB_E_STAGE, LB_E_LOOPS, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_compute_admittance(const lb_model *model, lb_work *work, int body, int node,
                                       lb_axes axes, double admittance[36]);

/// A force at a node; lb_compute_reactions must be told of it too. Frozen: it is an element of an array that is filled in at every evaluation.
typedef struct lb_node_force {
    int body, node;  ///< body may be LB_GROUND, where a force has no effect
    lb_axes axes;    ///< of `force`
    double force[6]; ///< moment, force, at the node: N m, N
    double power;    ///< out: force times velocity of the node, W
} lb_node_force;

/// Adds to tau the generalized forces of forces at nodes, the sum of J' f. One sweep for all, O(N +
/// count). Needs velocities. Theory: (FRC-1), (FRC-2).
///
/// @param forces  in; out: `power` of each
/// @param tau     in and out: v_count
/// @return LB_OK, LB_E_STAGE, LB_E_NUMBER, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_apply_node_forces(const lb_model *model, lb_work *work, int count,
                                      lb_node_force *forces, double *tau);

/// Gravity of a point mass. Frozen: other fields will get functions of their own.
typedef struct lb_point_gravity {
    double mu;          ///< gravitational parameter, m^3/s^2
    double position[3]; ///< in the world, m
    bool gradient;      ///< whether the field varies over each body, to second order
} lb_point_gravity;

/// Gravity of a planet that spins and is wider at its equator. Its oblateness acts at the centre of mass of
/// each body. Frozen: other fields will get functions of their own.
typedef struct lb_oblate_gravity {
    lb_point_gravity point; ///< the planet as a point
    double j2;              ///< second zonal harmonic: 1.08263e-3 for the earth; 0 for a point mass
    double radius;          ///< to which it refers, at the equator, m
    double axis[3];         ///< of the planet, of unit length, in the world; not read if j2 is 0
} lb_oblate_gravity;

/// Adds to tau the generalized forces of such a field on all bodies. The uniform gravity of the
/// model stays. With `gradient`, each body also feels the gravity-gradient torque and the force
/// that belongs to it, and its modes feel how its inertia changes with them. O(N), whatever the
/// number of nodes of flexible bodies. Needs velocities. Theory: (FRC-9), (FRC-16).
///
/// @param tau     in and out: v_count
/// @param power   out: power of the field, W
/// @param energy  out: potential energy, zero at infinity, J
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER, also if a centre of mass is at the point (see lb_get_bad_inertia)
LB_API lb_status lb_apply_oblate_gravity(const lb_model *model, lb_work *work,
                                         const lb_oblate_gravity *field, double *tau, double *power,
                                         double *energy);

/// Kinetic and potential energy, J. Potential energy is that of gravity, zero at the world's
/// origin, and of deformation. O(N). Needs velocities.
///
/// @param kinetic    out; may be NULL
/// @param potential  out; may be NULL
/// @return LB_OK or LB_E_STAGE
LB_API lb_status lb_compute_energy(const lb_model *model, lb_work *work, double *kinetic,
                                   double *potential);

/// Momentum and centre of mass of the whole system, in world axes. Frozen: it is complete.
typedef struct lb_system_motion {
    double mass;             ///< kg
    double com[3];           ///< centre of mass, m
    double com_velocity[3];  ///< m/s
    double linear[3];        ///< linear momentum, N s
    double angular[3];       ///< angular momentum about the centre of mass, N m s
    double angular_world[3]; ///< angular momentum about the world's origin, N m s
} lb_system_motion;

/// Momentum and centre of mass of the whole system. If the system has no mass, its centre of mass
/// is the world's origin. O(N). Needs velocities.
///
/// @return LB_OK or LB_E_STAGE
LB_API lb_status lb_compute_system_motion(const lb_model *model, lb_work *work,
                                          lb_system_motion *motion);

/// What acts on bodies from outside, besides tau: forces at nodes and fields of planets. Sized: set
/// `size`, the rest may be zero. A set of forces has its own: lb_get_applied_loads.
typedef struct lb_applied_loads {
    size_t size;
    int force_count;
    const lb_node_force *forces; ///< as lb_apply_node_forces took them
    int field_count;
    const lb_oblate_gravity *fields; ///< as lb_apply_oblate_gravity took them
} lb_applied_loads;

/// Hinge reactions: the spatial force that the parent exerts on each body through its hinge, that
/// of the drive included. What acts from outside must be given again, in `applied`: the workspace does not know what
/// lb_apply_node_forces and the fields added to tau, and without it the reactions are those of other loads.
///
/// Each acts at O, the hinge frame of the body, and is in its axes: N m, N. The forces of loops are taken into account. O(N + forces). Needs the accelerations of a dynamics call;
/// lb_compute_kinematics is not enough. Theory: (RNE-2), (RNE-3), (FRC-9).
///
/// @param applied    what acts from outside; NULL for nothing
/// @param reactions  out: body_count x 6, in the order of adding
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER, also if a centre of mass is at the point of a field;
///         LB_E_ARGUMENT for a body or node that does not exist; LB_E_VERSION if `applied` is from a newer version
LB_API lb_status lb_compute_reactions(const lb_model *model, lb_work *work,
                                      const lb_applied_loads *applied, double *reactions);

/// How a force and its moment are written: in the axes of one node, about the place of another. The ground
/// has the axes of the world. With LB_NOT_FOUND in place of a body, the axes or the point are the force's
/// own: lb_default_load_frame. Frozen: axes and a point are all there is.
typedef struct lb_load_frame {
    int axes_body, axes_node;
    int about_body, about_node;
} lb_load_frame;

/// The axes and the point of the force itself: put a body and a node in their place.
static inline lb_load_frame lb_default_load_frame(void)
{
    const lb_load_frame frame = {LB_NOT_FOUND, 0, LB_NOT_FOUND, 0};
    return frame;
}

/// Reaction of one hinge: what the parent exerts on the body through it, its drive included, after
/// what loads, fields and loops supply outboard of it. O(N). Needs the accelerations of a dynamics call;
/// lb_compute_kinematics is not enough. Within a tree no digits are lost far from the world's origin.
/// Theory: (RNE-3).
///
/// @param applied   what acts from outside; NULL for nothing
/// @param frame     its own axes and place are those of O, the hinge frame of the body; NULL for these
/// @param reaction  out: moment, force: N m, N
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER, also if a centre of mass is at the point of a field;
///         LB_E_ARGUMENT for a body or node that does not exist; LB_E_VERSION if `applied` is from a newer version
LB_API lb_status lb_compute_reaction(const lb_model *model, lb_work *work,
                                     const lb_applied_loads *applied, int body,
                                     const lb_load_frame *frame, double reaction[6]);

/// Force in a cut through a flexible body: what its far side exerts on the near side, so that a force along the
/// normal is tension. It balances the motion of the mass on the far side, gravity, and what is attached there; it is
/// exact for the motion that the modes allow, however few they are. O(N + modes^2). Needs the accelerations of a
/// dynamics call. Theory: (SEC-1), (SEC-2).
///
/// @param applied  what acts from outside; NULL for nothing
/// @param node     at which the body is cut
/// @param frame    its own axes and place are those of the node; NULL for these
/// @param load     out: moment, force: N m, N
/// @return as lb_compute_reaction; LB_E_ARGUMENT if there is no cut at the node
LB_API lb_status lb_compute_cut_force(const lb_model *model, lb_work *work,
                                      const lb_applied_loads *applied, int body, int node,
                                      const lb_load_frame *frame, double load[6]);

/// Force in a cut by mode displacement: what the deformation of the body says of it, without what acts on the far
/// side. It misses what the modes cannot show, so that its difference from lb_compute_cut_force says whether they
/// suffice. O(N + modes^3). Needs velocities. Theory: (SEC-3).
///
/// @param node   at which the body is cut
/// @param frame  as in lb_compute_cut_force
/// @param load   out: moment, force: N m, N
/// @return LB_OK; LB_E_STAGE; LB_E_ARGUMENT if there is no cut at the node, or no node of the frame; LB_E_SINGULAR if a
///         mode has no mass
LB_API lb_status lb_compute_modal_cut_force(const lb_model *model, lb_work *work, int body,
                                            int node, const lb_load_frame *frame, double load[6]);

/// The part of the motion of a body, and of everything outboard, that loads from outside and forces of
/// loops supply; the hinge supplies the rest. Of a cut, what they add to lb_compute_cut_force. O(N). Needs
/// velocities. Theory: (RNE-3), (SEC-2).
///
/// @param applied      NULL for nothing
/// @param loop_forces  6 per slot, as lb_get_loop_force gives them; NULL for none
/// @param node         of a cut; LB_NOT_FOUND for the whole body
/// @param frame        as in lb_compute_reaction or lb_compute_cut_force
/// @param share        out: moment, force: N m, N
/// @return as lb_compute_cut_force
LB_API lb_status lb_compute_applied_share(const lb_model *model, lb_work *work,
                                          const lb_applied_loads *applied,
                                          const double *loop_forces, int body, int node,
                                          const lb_load_frame *frame, double share[6]);

/// A recovered quantity of a body (lb_flex_recovery) with its static correction, by mode acceleration: from the modal
/// coordinates, the motion of the body, and what hinges, loops and loads from outside exert at its nodes. O(N). Needs
/// a dynamics call, as lb_compute_reaction. Theory: (RCV-2).
///
/// @param applied  what acts from outside; NULL for nothing
/// @param value    out
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER; LB_E_VERSION; LB_E_ARGUMENT for a body, row or node that does not exist, or a
///         body whose correction is not known
LB_API lb_status lb_compute_recovery(const lb_model *model, lb_work *work,
                                     const lb_applied_loads *applied, int body, int row,
                                     double *value);

#endif // LB_DYNAMICS_H
