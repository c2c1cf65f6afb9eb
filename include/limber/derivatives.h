// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the dynamics and of the motion of nodes, for control, optimisation, implicit
// integration and linear models.
//
//     lb_derivative_work *scratch = lb_create_derivative_work(model);
//     lb_compute_forward_derivatives(model, work, scratch, q, v, tau, a, da_dq, da_dv, da_dtau);
//
// Matrices are v_count x v_count, row by row: entry [i v_count + j] is the derivative of output i
// by direction j, both in the order of v (see model.h). Any output may be NULL.
//
// A derivative by q is along the manifold of configurations: direction j is that of the speed j, so
// that column j of df/dq is the derivative of
//
//     f(lb_integrate_configuration(q, s e_j))   by s at s = 0, v, a and tau being held.
//
// For modes and for hinges whose speeds are the rates of their coordinates (all but spherical and
// free) this is the plain partial derivative by the coordinate. For a spherical hinge it is a turn
// about axis j of the body's own hinge frame O, for a free hinge a turn about or a shift along an
// axis of O; v, a and tau at such a hinge have components in O, and it is these that are held.
//
// Rigid bodies and flexible bodies of fidelity `consistent`: analytic, one sweep outwards and one
// inwards, and a fill of the entries of bodies that lie on one path to the base. Models with a body
// of fidelity `ruthless` or `appendix-c`: by differences of the sixth order of the inverse dynamics,
// right to about 1e-9 of the largest entry, and v_count times slower. Loops of the model are
// seen by lb_compute_constrained_derivatives only.
//
// Nothing allocates but lb_create_derivative_work. Outputs do not alias inputs.
#ifndef LB_DERIVATIVES_H
#define LB_DERIVATIVES_H

#include "limber/dynamics.h"

/// Scratch of the functions below, beside an lb_work. One per thread; who needs no derivatives needs
/// none. Its size grows with the square of v_count.
typedef struct lb_derivative_work lb_derivative_work;

/// Bytes that lb_init_derivative_work needs, alignment included: any address will do.
LB_API size_t lb_get_derivative_work_size(const lb_model *model);

/// Makes a workspace in the caller's memory, which it then owns nothing of: drop it when done.
///
/// @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_API lb_status lb_init_derivative_work(const lb_model *model, void *memory, size_t size,
                                         lb_derivative_work **scratch);

/// The same with memory of the model's allocator; NULL if it is out. Free by
/// lb_destroy_derivative_work.
LB_API lb_derivative_work *lb_create_derivative_work(const lb_model *model);
LB_API void lb_destroy_derivative_work(const lb_model *model, lb_derivative_work *scratch);

/// Whether the derivatives of this model are analytic: no body is `ruthless` or `appendix-c`.
LB_API int lb_has_analytic_derivatives(const lb_model *model);

/// Inverse dynamics tau(q, v, a) = M a + c and its derivatives. Gravity, modal stiffness and modal
/// damping are in them.
///
/// Leaves positions, velocities and accelerations in `work`. Theory: (DER-1)..(DER-6).
///
/// @param a        generalized accelerations; NULL for zero
/// @param tau      out: v_count
/// @param dtau_dq  out
/// @param dtau_dv  out
/// @param dtau_da  out: the mass matrix
/// @return LB_OK
LB_API lb_status lb_compute_inverse_derivatives(const lb_model *model, lb_work *work,
                                                lb_derivative_work *scratch, const double *q,
                                                const double *v, const double *a, double *tau,
                                                double *dtau_dq, double *dtau_dv, double *dtau_da);

/// Forward dynamics a(q, v, tau) = M^-1 (tau - c) and its derivatives.
///
/// Leaves what lb_compute_forward_dynamics leaves, articulated inertias included. Theory: (DER-7).
///
/// @param tau      generalized forces, held; NULL for zero
/// @param a        out: v_count
/// @param da_dq    out: -M^-1 dtau/dq at the accelerations a
/// @param da_dv    out: -M^-1 dtau/dv
/// @param da_dtau  out: M^-1, symmetric
/// @return LB_OK, LB_E_SINGULAR or LB_NEWS_INDEFINITE (see lb_get_trouble)
LB_API lb_status lb_compute_forward_derivatives(const lb_model *model, lb_work *work,
                                                lb_derivative_work *scratch, const double *q,
                                                const double *v, const double *tau, double *a,
                                                double *da_dq, double *da_dv, double *da_dtau);

/// The same with some hinges driven by motion (lb_compute_hybrid_dynamics): their accelerations are
/// given and held. In the outputs the rows of driven speeds are zero, and so are their columns in
/// da_dtau; columns of driven coordinates in da_dq and da_dv are not, since these move the rest.
///
/// @param driven   one flag per body (listed order): non-zero if its hinge is driven
/// @param tau      in: forces at modes and free hinges; out: at driven hinges, what they need
/// @param a        in: accelerations of driven hinges; out: all the others
LB_API lb_status lb_compute_hybrid_derivatives(const lb_model *model, lb_work *work,
                                               lb_derivative_work *scratch, const double *q,
                                               const double *v, const unsigned char *driven,
                                               double *tau, double *a, double *da_dq, double *da_dv,
                                               double *da_dtau);

/// Derivatives of forward dynamics with loops. What is NULL is not computed. Those of a and of the drives
/// are v_count x v_count, those of the loop forces 6 per slot x v_count.
typedef struct lb_constrained_derivatives {
    double *a_dq;   ///< rows of driven and locked hinges are zero
    double *a_dv;   ///< likewise
    double *a_dtau; ///< symmetric; columns of driven and locked hinges are zero as well
    double *forces_dq, *forces_dv, *forces_dtau; ///< components in the axes of node a, as they are
    double *drive_dq, *drive_dv, *drive_dtau;    ///< rows of other hinges and of modes are zero
} lb_constrained_derivatives;

/// Forward dynamics with loops (lb_compute_constrained_dynamics of loops.h) and its derivatives, by
/// differentiating
///
///     M a + c = tau + J' lambda,   J a + g = 0
///
/// The loops that hold, locked hinges and prescribed motion are those of the workspace; the motion's
/// acceleration is held. Rows that repeat others count as the dynamics count them. The state may be
/// off the loops, as it may in the dynamics; it must not be one where constraints contradict each
/// other (lb_get_loop_conflict), or where their rank changes: the accelerations jump there.
///
/// Where rows are redundant, the dynamics give the forces of least norm, and these are differentiated,
/// the turning of what is redundant included. (Not of more than 96 directions that several loops of one
/// coupled group share: there the dynamics do not give the least ones either, and the derivatives of
/// forces are right up to forces that do nothing.)
///
/// Analytic where lb_has_analytic_derivatives. One constrained evaluation, the derivatives of the inverse
/// dynamics, and products of dense matrices. Leaves what lb_compute_constrained_dynamics leaves.
/// Theory: (DER-11), (DER-15).
///
/// @param driven   one flag per body (listed order): non-zero if its hinge is driven; NULL for none
/// @param tau      generalized forces, held; NULL for zero; not read at driven and locked hinges
/// @param a        in: accelerations of driven hinges, held; out: all the others
/// @param drive    out: as lb_compute_constrained_dynamics; may be NULL
/// @param forces   out: as lb_compute_constrained_dynamics; may be NULL
/// @return as lb_compute_constrained_dynamics
LB_API lb_status lb_compute_constrained_derivatives(const lb_model *model, lb_work *work,
                                                    lb_derivative_work *scratch, const double *q,
                                                    const double *v, const unsigned char *driven,
                                                    const double *tau, double *a, double *drive,
                                                    double *forces,
                                                    const lb_constrained_derivatives *out);

/// Derivatives of the motion of a node, each 6 x v_count, angular first, in world axes. What is NULL
/// is not computed.
typedef struct lb_node_derivatives {
    double *pose_dq;         ///< turn of the node (vector, world axes) and shift: the Jacobian, and
                             ///< the derivative of velocity by v and of acceleration by a as well
    double *velocity_dq;     ///< of lb_node_motion.velocity
    double *acceleration_dq; ///< of lb_node_motion.acceleration, v and a held
    double *acceleration_dv; ///< likewise, by v
} lb_node_derivatives;

/// Motion of a node differentiated.
///
/// Needs one of the functions above, called last with this workspace and scratch: state and
/// accelerations are its own. Theory: (DER-8).
///
/// @param body  a body, or LB_GROUND (all zero)
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for a node that does not exist
LB_API lb_status lb_compute_node_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *scratch, int body, int node,
                                             const lb_node_derivatives *out);

/// How the generalized forces of lb_apply_node_forces change with q while the components of the
/// forces, in the axes that each names, stay: added to dtau_dq. What the components do as functions
/// of the state is the caller's to add, by the Jacobian.
///
/// Needs one of the functions above, called last with this workspace and scratch. `power` is not
/// touched. Theory: (DER-10).
///
/// @param dtau_dq  in and out: v_count x v_count
/// @return LB_OK; LB_E_STAGE; LB_E_ARGUMENT for a node that does not exist; LB_E_UNSUPPORTED for
///         models without analytic derivatives
LB_API lb_status lb_apply_node_force_derivatives(const lb_model *model, lb_work *work,
                                                 lb_derivative_work *scratch, int count,
                                                 const lb_node_force *forces, double *dtau_dq);

/// Derivatives of what the loops that hold say (loops.h), along the manifold as everywhere here. What
/// is NULL is not computed.
///
/// Rows are six for each slot, as lb_compute_loop_errors has them: in the axes of node a, zero along
/// motion that is free and in slots that do not hold. Those of a slot are W' times the rows of
/// lb_form_loop_jacobian, W being its orthonormal directions, so that W times the six rows leads back.
/// A rod has its one row times its direction e, which turns: derivatives by q are those of all three
/// entries, and e times them is that of the row.
typedef struct lb_loop_derivatives {
    double *velocity_dv; ///< 6 per slot x v_count: J
    double *velocity_dq; ///< 6 per slot x v_count: of J v less the prescribed rates, v held
                         ///< (lb_compute_loop_errors' velocity)
    double
        *acceleration_dq; ///< 6 per slot x v_count: of J a + bias (lb_compute_loop_bias), v and a
                          ///< held; a are those of the last function
    double *acceleration_dv; ///< 6 per slot x v_count: likewise, by v
    double *force_dq; ///< v_count x v_count: of J' f (lb_apply_loop_forces), the six components
                      ///< of f in each slot held
} lb_loop_derivatives;

/// What the loops say, differentiated.
///
/// Needs one of the functions above, called last with this workspace and scratch: state and
/// accelerations are its own, whether they obey the loops or not. Loops that hold and their prescribed
/// motion are those of the workspace.
///
/// Analytic, in time proportional to the ways between the ends of each loop, for force_dq to their
/// squares; `work` stays as it is. Models without analytic derivatives: by differences of the sixth
/// order with steps of 2e-3 along q (rad, m, units of modes), exact along v, which leave positions,
/// velocities and accelerations in `work`. Theory: (DER-12)..(DER-14).
///
/// @param forces  6 per slot: f; NULL if force_dq is
/// @return LB_OK, LB_E_STAGE, or LB_E_ARGUMENT for force_dq without forces
LB_API lb_status lb_compute_loop_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *scratch, const double *forces,
                                             const lb_loop_derivatives *out);

#endif // LB_DERIVATIVES_H
