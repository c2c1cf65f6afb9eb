// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with the Jacobian of loops, locks and drives of hinges, and parts of reactions: other libraries of Limber use
// them, programs do not.
#ifndef LB_LOOP_PRODUCTS_H
#define LB_LOOP_PRODUCTS_H

#include "base/internal.h"
#include "limber/loops.h"

/// Whether the hinge of a body is locked in a workspace.
LB_INTERNAL bool lb_is_hinge_locked(const lb_model *model, const lb_work *work, int body);

/// Whether the hinge of a body is driven in a workspace.
LB_INTERNAL bool lb_is_hinge_driven(const lb_work *work, int body);

/// Whether the axes of an active revolute, cylindrical or planar loop point in opposite directions.
/// False for other loops and without positions.
LB_INTERNAL bool lb_is_loop_flipped(const lb_model *model, lb_work *work, int loop);

/// Rate of the velocity error at zero generalized acceleration: g less the prescribed acceleration.
/// The accelerations satisfy the loops if J a + bias = 0. Needs velocities.
///
/// @param bias  out: 6 per slot, rad/s^2 and m/s^2
/// @return LB_OK or LB_E_STAGE
LB_INTERNAL lb_status lb_compute_loop_bias(const lb_model *model, lb_work *work, double *bias);

/// J x: relative velocity of the closed nodes for any speeds x. O(N). Needs positions.
///
/// @param y  out: 6 per slot
/// @return LB_OK, LB_E_STAGE or LB_E_NUMBER
LB_INTERNAL lb_status lb_apply_loop_jacobian(const lb_model *model, lb_work *work, const double *x,
                                             double *y);

/// Adds J' f to tau: generalized forces of forces at the loops. O(N). Needs positions.
///
/// @param forces  6 per slot
/// @param tau     in and out: v_count
/// @return LB_OK, LB_E_STAGE or LB_E_NUMBER
LB_INTERNAL lb_status lb_apply_loop_forces(const lb_model *model, lb_work *work,
                                           const double *forces, double *tau);

/// Whether forces in a cut at a node of a flexible body can be asked for (lb_flex_options.cuts).
LB_INTERNAL bool lb_has_cut(const lb_model *model, int body, int node);

/// Force of a loop on its b, from six components in the axes of its node a, written otherwise. Needs
/// velocities. Theory: (RNE-3).
///
/// @param force  moment at node b and force, as lb_get_loop_force gives them
/// @param frame  its own axes are those of node a, its own place is that of node b; NULL for these
/// @param out    moment, force: N m, N; may be `force`
/// @return LB_OK; LB_E_STAGE; LB_E_NUMBER; LB_E_ARGUMENT for a node that does not exist, or a slot that is not active
LB_INTERNAL lb_status lb_refer_loop_force(const lb_model *model, lb_work *work, int loop,
                                          const double force[6], const lb_load_frame *frame,
                                          double out[6]);

/// The part of lb_compute_recovery that loads from outside and forces of loops have at the nodes, apart from the motion
/// that they cause. It is linear in them. O(N). Needs velocities. Theory: (RCV-4).
///
/// @param loop_forces  6 per slot, as lb_get_loop_force gives them; NULL for none
/// @param share        out
/// @return as lb_compute_recovery
LB_INTERNAL lb_status lb_compute_recovery_share(const lb_model *model, lb_work *work,
                                                const lb_applied_loads *applied,
                                                const double *loop_forces, int body, int row,
                                                double *share);

#endif // LB_LOOP_PRODUCTS_H
