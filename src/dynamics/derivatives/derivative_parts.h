// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives that the library combines; programs use limber/derivatives.h.
#ifndef LB_DERIVATIVE_PARTS_H
#define LB_DERIVATIVE_PARTS_H

#include "base/internal.h"
#include "limber/derivatives.h"
#include "limber/model.h"

/// Bytes that lb_init_derivative_work needs. They include room for alignment, so any address will
/// do.
LB_INTERNAL size_t lb_get_derivative_work_size(const lb_model *model);

/// Makes the scratch memory in memory of the caller. It needs no destroying: free the memory when
/// done. Does not allocate.
///
/// @return LB_OK, or LB_E_MEMORY if `size` is too small
LB_INTERNAL lb_status lb_init_derivative_work(const lb_model *model, void *memory, size_t size,
                                              lb_derivative_work **scratch);

/// Derivatives of lb_compute_reaction without loads from outside and without loops: of what moves the
/// body and everything outboard. Analytic. Needs one of the functions above as the last call with this
/// workspace and scratch; its state and accelerations are used. O(depth v_count). Theory: (DER-20).
///
/// @param frame  as in lb_compute_reaction
/// @return LB_OK; LB_E_STAGE; LB_E_ARGUMENT for a body or node that does not exist; LB_E_VERSION if `out`
///         is from a newer version
LB_INTERNAL lb_status lb_compute_reaction_derivatives(const lb_model *model, lb_work *work,
                                                      lb_derivative_work *scratch, int body,
                                                      const lb_load_frame *frame,
                                                      const lb_reaction_derivatives *out);

/// Puts the workspace back to the state and the accelerations of the last derivatives, after kinematics at
/// other states. What the functions above need as the last call is then fulfilled again.
///
/// @return as lb_compute_kinematics; LB_E_STAGE if there were no derivatives
LB_INTERNAL lb_status lb_return_to_derivatives(const lb_model *model, lb_work *work,
                                               lb_derivative_work *scratch);

// ---- the tree alone, and hinges that the caller drives -----------------------------------------

/// As lb_compute_inverse_derivatives, without looking at loops.
LB_INTERNAL lb_status lb_tree_inverse_derivatives(const lb_model *model, lb_work *work,
                                                  lb_derivative_work *s, const double *q,
                                                  const double *v, const double *a, double *tau,
                                                  double *dtau_dq, double *dtau_dv,
                                                  double *dtau_da);

/// As lb_compute_forward_derivatives, without looking at loops.
LB_INTERNAL lb_status lb_tree_forward_derivatives(const lb_model *model, lb_work *work,
                                                  lb_derivative_work *s, const double *q,
                                                  const double *v, const double *tau, double *a,
                                                  double *da_dq, double *da_dv, double *da_dtau);

/// Hybrid dynamics (lb_tree_hybrid) and its derivatives. The accelerations of driven hinges are given and
/// constant. Theory: (DER-7).
LB_INTERNAL lb_status lb_tree_hybrid_derivatives(const lb_model *model, lb_work *work,
                                                 lb_derivative_work *s, const double *q,
                                                 const double *v, const unsigned char *driven,
                                                 double *tau, double *a, double *da_dq,
                                                 double *da_dv, double *da_dtau);

/// As lb_compute_constrained_derivatives, with hinges that the caller drives.
///
/// @param driven  one flag per body, in the order of adding; NULL for none
LB_INTERNAL lb_status lb_closed_derivatives(const lb_model *model, lb_work *work,
                                            lb_derivative_work *s, const double *q, const double *v,
                                            const unsigned char *driven, const double *tau,
                                            double *a, double *drive, double *forces,
                                            const lb_constrained_derivatives *given);

/// Whether a body with modes is ruthless. Its nodes are shown deformed, but move as those of the
/// undeformed body, and what hangs on them is not displaced by its modes at all: the Jacobian of a node is
/// then not the derivative of the place that lb_node_motion gives.
static inline bool lb_has_ruthless_modes(const lb_model *model)
{
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        if (lb_get_mode_count(model, k) > 0 && lb_get_fidelity(model, k) == LB_FIDELITY_RUTHLESS) {
            return true;
        }
    }
    return false;
}

#endif // LB_DERIVATIVE_PARTS_H
