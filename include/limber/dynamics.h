// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Dynamics of trees: M(q) a + c(q, v) = tau, with gravity, modal stiffness and modal damping in c.
//
// Functions of the first part start from q and v and give a whole answer. Functions of the second
// part read out what the last call of the first part left in the workspace; they say which.
// Arrays follow the order of v (see model.h); matrices are dense, row by row. Spatial vectors are
// angular first. Outputs do not alias inputs unless said. Nothing allocates.
#ifndef LB_DYNAMICS_H
#define LB_DYNAMICS_H

#include "limber/work.h"

// ---- from a state to an answer -----------------------------------------------------------------

/// Forward dynamics in O(N): a with M a + c = tau, by the articulated-body recursion.
///
/// Leaves positions, velocities, accelerations and articulated inertias. Theory: (ABA-1)..(ABA-3).
///
/// @param tau  generalized forces; NULL for zero
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_trouble)
LB_API lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                             const double *v, const double *tau, double *a);

/// Forward dynamics with some hinges driven by motion, in one O(N) pass.
///
/// @param driven  one flag per body (listed order): non-zero if its hinge is driven
/// @param tau     in: forces at modes and free hinges; out: at driven hinges, what they need
/// @param a       in: accelerations of driven hinges; out: all the others
LB_API lb_status lb_compute_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                            const double *v, const unsigned char *driven,
                                            double *tau, double *a);

/// Forward dynamics by the composite-body mass matrix and a factorisation that follows the tree.
///
/// Leaves positions, velocities and accelerations. Theory: (CRB-1), (CRB-2).
///
/// @param M  scratch, v_count x v_count; left holding the factors
LB_API lb_status lb_compute_forward_dynamics_composite(const lb_model *model, lb_work *work,
                                                       const double *q, const double *v,
                                                       const double *tau, double *M, double *a);

/// Inverse dynamics in O(N): tau = M a + c. Leaves positions, velocities, accelerations.
/// Theory: (RNE-1), (RNE-2).
///
/// @param a  generalized accelerations; NULL for zero, which gives c
LB_API lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                             const double *v, const double *a, double *tau);

/// The bias c(q, v): inverse dynamics at zero acceleration.
LB_API lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, double *c);

/// Mass matrix by composite bodies. Leaves positions. Theory: (CRB-1).
LB_API lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q,
                                        double *M);

/// Articulated inertias of a configuration: what lb_solve_mass_matrix and lb_compute_admittance
/// need. O(N). Leaves positions and articulated inertias.
LB_API lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work,
                                                const double *q);

/// Inverse of the mass matrix, column by column, each O(N). Leaves positions and articulated
/// inertias.
LB_API lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work,
                                                const double *q, double *M_inverse);

/// Positions, velocities and accelerations of everything, without forces.
///
/// @param v  NULL for zero
/// @param a  NULL for zero
LB_API lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                       const double *v, const double *a);

// ---- read-outs ---------------------------------------------------------------------------------

/// x = M^-1 b in O(N). Needs articulated inertias (lb_compute_articulated_inertia or
/// lb_compute_forward_dynamics). x may be b. Theory: (ABA-4).
LB_API lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b,
                                      double *x);

/// Motion of a node in world axes.
typedef struct lb_node_motion {
    double position[3];
    double rotation[4];     ///< quaternion w x y z that maps node axes to world axes, w >= 0
    double velocity[6];     ///< angular, linear
    double acceleration[6]; ///< true kinematic acceleration: no gravity in it
} lb_node_motion;

/// Motion of one node. Needs lb_compute_kinematics or a dynamics call.
///
/// @param body  a body, or LB_GROUND
LB_API lb_status lb_compute_node_motion(const lb_model *model, lb_work *work, int body, int node,
                                        lb_node_motion *motion);

/// Axes in which a spatial vector is written.
typedef enum lb_axes {
    LB_AXES_WORLD, ///< the world's
    LB_AXES_BODY,  ///< those of the body's frame
    LB_AXES_NODE   ///< those of the node, deformation included
} lb_axes;

/// Jacobian of a node: J v is its velocity, at the node, in the chosen axes. 6 x v_count.
/// Needs positions.
LB_API lb_status lb_compute_jacobian(const lb_model *model, lb_work *work, int body, int node,
                                     lb_axes axes, double *J);

/// dJ/dt v for the Jacobian in world axes, written in the chosen axes: the acceleration of the node
/// at zero generalized acceleration. Needs velocities.
LB_API lb_status lb_compute_jacobian_rate(const lb_model *model, lb_work *work, int body, int node,
                                          lb_axes axes, double acceleration[6]);

/// Admittance at a node, J M^-1 J': its acceleration per unit of spatial force there. 6 x 6, in the
/// chosen axes; O(depth). Needs articulated inertias. Theory: (ADM-1).
LB_API lb_status lb_compute_admittance(const lb_model *model, lb_work *work, int body, int node,
                                       lb_axes axes, double admittance[36]);

/// A force at a node.
typedef struct lb_node_force {
    int body, node;  ///< body may be LB_GROUND, where a force does nothing
    lb_axes axes;    ///< of `force`
    double force[6]; ///< moment, force, at the node
    double power;    ///< out: force . velocity of the node
} lb_node_force;

/// Generalized forces of forces at nodes, added to tau: sum of J' f, all in one sweep of O(N).
/// Needs velocities. Theory: (FRC-1), (FRC-2).
///
/// @param tau  in and out, in the order of v
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_apply_node_forces(const lb_model *model, lb_work *work, int count,
                                      lb_node_force *forces, double *tau);

/// The field of a point mass.
typedef struct lb_point_gravity {
    double mu;          ///< gravitational parameter, m^3/s^2
    double position[3]; ///< in the world
    int gradient;       ///< non-zero: the field varies over each body, to second order
} lb_point_gravity;

/// Generalized forces of such a field on all bodies, added to tau, beside the model's own gravity.
/// With the gradient, a body also feels its torque and the force that goes with it; modes feel the
/// force at the centre of mass but not the change of inertia with deformation. Needs velocities.
/// Theory: (FRC-9).
///
/// @param power   out: what the field delivers
/// @param energy  out: potential energy, zero at infinity
/// @return LB_OK, LB_E_STAGE, or LB_E_NUMBER if a centre of mass is at the point (lb_get_trouble)
LB_API lb_status lb_apply_point_gravity(const lb_model *model, lb_work *work,
                                        const lb_point_gravity *field, double *tau, double *power,
                                        double *energy);

/// Kinetic energy, and potential energy of gravity (from the world's origin) and of deformation.
/// Needs velocities. Either may be NULL.
LB_API lb_status lb_compute_energy(const lb_model *model, lb_work *work, double *kinetic,
                                   double *potential);

/// Momentum and centre of mass of the whole system, world axes.
typedef struct lb_system_motion {
    double mass;
    double com[3];           ///< centre of mass
    double com_velocity[3];  ///< its velocity
    double linear[3];        ///< linear momentum
    double angular[3];       ///< angular momentum about the centre of mass
    double angular_world[3]; ///< angular momentum about the world's origin
} lb_system_motion;

/// Needs velocities. Of a massless system the centre of mass is the world's origin.
LB_API lb_status lb_compute_system_motion(const lb_model *model, lb_work *work,
                                          lb_system_motion *motion);

/// Hinge reactions: for each body (listed order) the whole spatial force, drive included, that its
/// parent exerts on it through the hinge, at O and in the axes of O. body_count x 6. Needs the
/// accelerations of a dynamics call (not of lb_compute_kinematics); after that of loops.h, what the
/// loops exert is allowed for. Theory: (RNE-2).
LB_API lb_status lb_compute_reactions(const lb_model *model, lb_work *work, double *reactions);

#endif // LB_DYNAMICS_H
