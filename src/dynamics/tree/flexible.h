// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What flexible bodies add to the steps of the sweeps. Rigid bodies never come here.
#ifndef LB_FLEXIBLE_H
#define LB_FLEXIBLE_H

#include "base/hot.h"
#include "model/modal/flex.h"

/// d = lambda x: the rotation vector of a node at modal coordinates x, or its rate at their rates.
static inline lb_vec3 lb_get_node_turn(const lb_node *node, int n, const double *x)
{
    lb_vec3 d = {0, 0, 0};
    for (int r = 0; r < n; ++r) {
        d = lb_vec3_axpy(d, x[r], node->shape[r].w);
    }
    return d;
}

/// Place of a node that moves with the modes, and its influence vectors there, in the axes of the
/// body: X, and Pi_r = (J_l(lambda eta) lambda_r, gamma_r + sum_s gamma2_rs eta_s).        (FLX-7)
/// Pi may be NULL.
LB_HOT lb_pose lb_place_flex_node(const lb_node *node, int n, const double *eta, lb_vec6 *Pi);

/// Motion of a node against the frame of its body: rate = Pi etad, and bias = (dPi/dt) etad.
/// (FLX-8)
typedef struct lb_node_rates {
    lb_vec6 rate, bias;
} lb_node_rates;
LB_HOT lb_node_rates lb_get_node_rates(const lb_node *node, int n, const double *eta,
                                       const double *eta_dot);

/// (KIN-1), (KIN-2), (KIN-3) for a hinge with a moving node on either side.
LB_HOT void lb_step_joint_position(const lb_model *model, lb_work *work, int k, const double *q);
LB_HOT void lb_step_joint_velocity(const lb_model *model, lb_work *work, int k, lb_vec6 V_p,
                                   const double *q, const double *v);

/// V(k) = Phi*(p,k) V_m(p) + H* beta - Pi^d_F etad: whatever a(k) leaves out. The linear part is
/// right if that of the parent, V_p, is.
LB_HOT lb_vec6 lb_get_velocity(const lb_model *model, const lb_work *work, int k, lb_vec6 V_p);

/// A motion of the parent (its frame's, and its modes') at the frame of k.
LB_HOT lb_vec6 lb_carry_joint_motion(const lb_model *model, const lb_work *work, int k,
                                     lb_vec6 alpha_p, const double *eta_ddot_p);

/// A force at the frame of k, handed to the parent's modes: z_f += Pi^t_F* f.
/// @param f_p  the force already carried to the frame of the parent
LB_HOT void lb_give_modes_force(const lb_model *model, const lb_work *work, int k, lb_vec6 f_p,
                                double *z_f);

/// An inertia at the frame of the parent of k, added to the parent: all three blocks.      (FLX-9)
LB_HOT void lb_add_joint_inertia(const lb_model *model, lb_work *work, int k, const lb_sym6 *Gamma);

/// An inertia at the frame of k, handed to the parent.
LB_HOT void lb_give_joint_inertia(const lb_model *model, lb_work *work, int k,
                                  const lb_sym6 *P_plus);

/// A symmetric 6 x 6 written out, row by row.
LB_HOT void lb_write_block(const lb_sym6 *P, double out[36]);

/// Takes the modes out of P: D_f factored, G_f, and P_R in place of P.                     (ABA-5)
///
/// @param bad  out: the mode, after a status that is not LB_OK
LB_HOT lb_status lb_take_out_modes(const lb_body *b, lb_sym6 *P, lb_flex_work *f, int *bad);

/// The same for any body, by an update where it has one; remembers where there was trouble.
LB_HOT lb_status lb_eliminate_modes(const lb_body *b, lb_sym6 *P, lb_work *work);

/// The same for a body with `update`: P holds P_0 and what rigidly attached children added. (RTH-1)
LB_HOT lb_status lb_apply_mode_update(const lb_body *b, lb_sym6 *P, lb_work *work);

/// z += g x and, half way to D_f^-1 x, x := d^-1 L^-1 x; after an update, x := D_f^-1 x.   (ABA-6)
LB_HOT void lb_pass_modes(const lb_body *b, lb_work *work, double *x, lb_vec6 *z);

/// The other half: x := L'^-1 x; nothing after an update. G_f* alpha goes the same way as x, so
/// that x - G_f* alpha becomes D_f^-1 x - g* alpha.                                        (ABA-7)
LB_HOT void lb_finish_modes(const lb_body *b, const lb_work *work, double *x);

#endif // LB_FLEXIBLE_H
