// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the dynamics and of the motion of nodes, for control, optimisation, implicit
// integration and linear models.
//
//     lb_derivative_work *scratch = lb_create_derivative_work(model);
//     lb_compute_forward_derivatives(model, work, scratch, q, v, tau, a, da_dq, da_dv, da_dtau);
//     lb_destroy_derivative_work(scratch);
//
// Matrices are v_count x v_count, row by row: entry [i v_count + j] is the derivative of output i
// in direction j, both in the order of v (see model.h). Any output may be NULL.
//
// A derivative by q is taken along the manifold of configurations. Direction j is that of speed j,
// so column j of df/dq is the derivative of
//
//     f(lb_integrate_configuration(q, s e_j))   by s at s = 0, with v, a and tau constant.
//
// For modes, and for hinges whose speeds are the rates of their coordinates (all but spherical and
// free), this is the ordinary partial derivative. For a spherical hinge it is a turn about axis j
// of the body's hinge frame O; for a free hinge a turn about or a shift along an axis of O. The
// components of v, a and tau at such a hinge refer to O, and these components are constant.
//
// Derivatives are analytic for rigid bodies and for flexible bodies of every fidelity: one sweep
// outwards, one inwards, and one pass over the pairs of bodies that lie on one path to the base.
// Forward derivatives take the active loops, locked hinges and driven hinges of the workspace into account; inverse
// derivatives are of the tree, and refused with LB_E_LOOPS while any of these act (lb_use_tree in work.h).
//
// Only lb_create_derivative_work allocates. Outputs must not overlap inputs.
#ifndef LB_DERIVATIVES_H
#define LB_DERIVATIVES_H

#include "limber/dynamics.h"

/// Scratch memory of the functions below, in addition to an lb_work. One per thread. Its size grows
/// with the square of v_count. Opaque.
typedef struct lb_derivative_work lb_derivative_work;

/// Makes the scratch memory with the model's allocator.
///
/// @return to be freed by lb_destroy_derivative_work; NULL if there is no memory
LB_API lb_derivative_work *lb_create_derivative_work(const lb_model *model);

/// Frees what lb_create_derivative_work made. NULL is allowed.
LB_API void lb_destroy_derivative_work(lb_derivative_work *scratch);

/// Inverse dynamics tau(q, v, a) = M a + c and its derivatives, with gravity, modal stiffness and
/// modal damping. O(N depth), and filling in of v_count^2 entries. Leaves positions, velocities and
/// accelerations in `work`. Theory: (DER-1)..(DER-6).
///
/// @param a        generalized accelerations; NULL for zero
/// @param tau      out: v_count
/// @param dtau_dq  out
/// @param dtau_dv  out
/// @param dtau_da  out: the mass matrix
/// @return LB_OK, LB_E_NUMBER or LB_E_LOOPS
LB_API lb_status lb_compute_inverse_derivatives(const lb_model *model, lb_work *work,
                                                lb_derivative_work *scratch, const double *q,
                                                const double *v, const double *a, double *tau,
                                                double *dtau_dq, double *dtau_dv, double *dtau_da);

/// Forward dynamics (lb_compute_forward_dynamics) and its derivatives. For a tree these are of
/// a(q, v, tau) = M^-1 (tau - c); with loops, locks or drives, see lb_compute_constrained_derivatives. Up to
/// O(v_count^3). Leaves what lb_compute_forward_dynamics leaves. Theory: (DER-7), (DER-11).
///
/// @param tau      generalized forces, constant; NULL for zero
/// @param a        in: accelerations of driven hinges, constant; out: all others; NULL for not wanted, and zero at
///                 driven hinges
/// @param da_dq    out: of a tree -M^-1 dtau/dq at the accelerations a
/// @param da_dv    out: of a tree -M^-1 dtau/dv
/// @param da_dtau  out: symmetric; of a tree M^-1
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_bad_inertia), or LB_E_NUMBER
LB_API lb_status lb_compute_forward_derivatives(const lb_model *model, lb_work *work,
                                                lb_derivative_work *scratch, const double *q,
                                                const double *v, const double *tau, double *a,
                                                double *da_dq, double *da_dv, double *da_dtau);

/// Where to put derivatives of the constrained dynamics; NULL for what is not wanted. Those of a
/// and of the drives are v_count x v_count, those of the loop forces 6 per slot x v_count. Sized:
/// set `size`.
typedef struct lb_constrained_derivatives {
    size_t size;
    double *a_dq;   ///< rows of driven and locked hinges are zero
    double *a_dv;   ///< likewise
    double *a_dtau; ///< symmetric; columns of driven and locked hinges are zero too
    double *forces_dq, *forces_dv, *forces_dtau; ///< of the components in the axes of node a
    double *drive_dq, *drive_dv, *drive_dtau;    ///< rows of modes and of other hinges are zero
} lb_constrained_derivatives;

/// Forward dynamics with the loops, locks and drives of the workspace, and the derivatives of accelerations, loop
/// forces and drives, from differentiating
///
///     M a + c = tau + J' lambda,   J a + g = 0
///
/// The acceleration of prescribed motion is constant. Rows of driven and locked speeds are zero. Columns of driven
/// speeds in da_dq and da_dv are not, since driven hinges move the rest. The state may be off the loops, as in the dynamics. The accelerations
/// jump where the rank of the constraints changes and where constraints contradict each other
/// (lb_get_loop_conflict): no derivatives exist there.
///
/// Redundant rows are treated as in the dynamics: the loop forces are those of least norm, and they
/// are differentiated as such, including the change of the redundant directions. There is one
/// exception: if more than 96 redundant directions are shared by several loops of one coupled
/// group, the dynamics do not find the least norm, and the derivatives of forces are correct except
/// for forces without effect.
///
/// Analytic. The cost is one constrained evaluation, the
/// derivatives of the inverse dynamics, and products of dense matrices. Leaves what
/// lb_compute_forward_dynamics leaves. Theory: (DER-11), (DER-15).
///
/// @param tau      generalized forces, constant; NULL for zero; not read at driven and locked
///                 hinges
/// @param a        in: accelerations of driven hinges, constant; out: all others
/// @param drive    out: as lb_get_drive_forces gives them; may be NULL
/// @param forces   out: 6 per slot, as lb_get_loop_force gives them; may be NULL
/// @return as lb_compute_forward_dynamics, or LB_E_VERSION if `out` is from a newer version
LB_API lb_status lb_compute_constrained_derivatives(const lb_model *model, lb_work *work,
                                                    lb_derivative_work *scratch, const double *q,
                                                    const double *v, const double *tau, double *a,
                                                    double *drive, double *forces,
                                                    const lb_constrained_derivatives *out);

/// Where to put derivatives of the motion of a node; NULL for what is not wanted. Each is 6 x
/// v_count, angular first, in world axes. Sized: set `size`.
typedef struct lb_node_derivatives {
    size_t size;
    double *pose_dq; ///< turn of the node (a vector in world axes) and shift. This is the Jacobian,
                     ///< and also the derivative of velocity by v and of acceleration by a; for
                     ///< trees with ruthless bodies see place_dq
    double *velocity_dq;     ///< of lb_node_motion.velocity
    double *acceleration_dq; ///< of lb_node_motion.acceleration, with v and a constant
    double *acceleration_dv; ///< of lb_node_motion.acceleration
    /// Turn and shift of the node as lb_node_motion shows it: pose_dq, but with ruthless bodies.
    /// Their modes give velocities to what hangs on them without displacing it, and their own nodes
    /// are shown deformed though they move as if they were not.
    double *place_dq;
} lb_node_derivatives;

/// Derivatives of the motion of a node. Needs one of the functions above as the last call with this
/// workspace and scratch; its state and accelerations are used. O(depth v_count). Theory: (DER-8).
///
/// @param body  a body, or LB_GROUND (all zero)
/// @return LB_OK; LB_E_STAGE; LB_E_ARGUMENT for a node that does not exist; LB_E_VERSION if `out`
///         is from a newer version
LB_API lb_status lb_compute_node_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *scratch, int body, int node,
                                             const lb_node_derivatives *out);

/// Where to put derivatives of a reaction; NULL for what is not wanted. Each is 6 x v_count, moment
/// first. Sized: set `size`.
typedef struct lb_reaction_derivatives {
    size_t size;
    double *dq, *dv; ///< with accelerations constant
    double *da;
} lb_reaction_derivatives;

/// Adds to dtau_dq the derivative by q of the generalized forces of lb_apply_node_forces, while the
/// components of the forces, each in its axes, are constant. If the components depend on the state,
/// add that part yourself with the Jacobian. Needs one of the functions above as the last call with
/// this workspace and scratch. `power` is not touched. Theory: (DER-10).
///
/// @param dtau_dq  in and out: v_count x v_count
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER for a force that is not finite (what is already in dtau_dq is not
///         looked at); LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_apply_node_force_derivatives(const lb_model *model, lb_work *work,
                                                 lb_derivative_work *scratch, int count,
                                                 const lb_node_force *forces, double *dtau_dq);

/// Adds the derivatives with respect to q of what lb_apply_oblate_gravity (dynamics.h) adds to tau, and those of its
/// power. Needs one of the functions above as the last call with this workspace and scratch. The time
/// grows with the number of speeds times the depth of the tree. Theory: (DER-18), (FRC-16).
///
/// @param dtau_dq             in and out: v_count x v_count
/// @param power_dq, power_dv  in and out: v_count each; both may be NULL
/// @return as lb_apply_oblate_gravity
LB_API lb_status lb_apply_oblate_gravity_derivatives(const lb_model *model, lb_work *work,
                                                     lb_derivative_work *scratch,
                                                     const lb_oblate_gravity *field,
                                                     double *dtau_dq, double *power_dq,
                                                     double *power_dv);

/// Where to put derivatives of quantities of the whole system; NULL for what is not wanted. In world
/// axes; what is not listed is zero. Sized: set `size`.
typedef struct lb_system_derivatives {
    size_t size;
    double *com_dq;                  ///< 3 x v_count: of the centre of mass
    double *linear_dq, *linear_dv;   ///< 3 x v_count: of the linear momentum
    double *angular_dq, *angular_dv; ///< 3 x v_count: of that about the centre of mass
    double *kinetic_dq, *kinetic_dv; ///< v_count: of the kinetic energy
    double *potential_dq;            ///< v_count: of the potential energy
} lb_system_derivatives;

/// Derivatives of what lb_compute_system_motion and lb_compute_energy (dynamics.h) give. Needs one of
/// the functions above as the last call with this workspace and scratch. O(v_count).
/// Theory: (DER-19).
///
/// @return LB_OK; LB_E_STAGE; LB_E_VERSION if `out` is from a newer version
LB_API lb_status lb_compute_system_derivatives(const lb_model *model, lb_work *work,
                                               lb_derivative_work *scratch,
                                               const lb_system_derivatives *out);

/// Where to put derivatives of the equations of the active loops (loops.h); NULL for what is not
/// wanted. Sized: set `size`.
///
/// There are six rows per slot, as in lb_compute_loop_errors: in the axes of node a, zero along
/// free motion and in slots that are not active. With W the orthonormal directions of a slot, its
/// six rows are W' times its rows of lb_form_loop_jacobian, and W times the six rows gives those
/// back. The one row of a rod appears times its direction e, which turns: derivatives by q are
/// those of all three entries, and e times them is the derivative of the row.
typedef struct lb_loop_derivatives {
    size_t size;
    double *velocity_dv;     ///< 6 per slot x v_count: J
    double *velocity_dq;     ///< 6 per slot x v_count: of the velocity error
                             ///< (lb_compute_loop_errors), with v constant
    double *acceleration_dq; ///< 6 per slot x v_count: of J a + g (loops.h) less the prescribed
        ///< acceleration, with v and a constant; a is that of the last function
    double *acceleration_dv; ///< 6 per slot x v_count: likewise, by v
    double *force_dq;        ///< v_count x v_count: of J' f (loops.h), with the six
                             ///< components of f in each slot constant
} lb_loop_derivatives;

/// Derivatives of the equations of the active loops. Needs one of the functions above as the last
/// call with this workspace and scratch; its state and accelerations are used, whether or not they
/// satisfy the loops. Active loops and prescribed motion are those of the workspace.
///
/// Analytic: time grows with the number of bodies between the ends of each loop, for force_dq with
/// its square; with ruthless bodies on the way, columns between both ends and the base are added.
/// `work` stays as it is. Theory: (DER-12)..(DER-14), (DER-16).
///
/// @param forces  6 per slot: f; may be NULL without force_dq
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER; LB_E_ARGUMENT for force_dq without forces; LB_E_VERSION if
///         `out` is from a newer version
LB_API lb_status lb_compute_loop_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *scratch, const double *forces,
                                             const lb_loop_derivatives *out);

#endif // LB_DERIVATIVES_H
