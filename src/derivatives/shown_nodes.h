// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Places of nodes and their motion, where the one is not what the other leads to; and the axes of loads.
#ifndef LB_SHOWN_NODES_H
#define LB_SHOWN_NODES_H

#include "limber/derivatives.h"
#include "limber/spatial.h"

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

/// The axes that hold a load at a node (lb_apply_node_forces), and how they turn with q. Needs what
/// lb_compute_node_derivatives needs.
///
/// @param R     out: from these axes to the world's
/// @param turn  out: 3 x v_count: a vector in world axes per column
/// @return LB_OK, or LB_E_STAGE
lb_status lb_differentiate_axes(const lb_model *model, lb_work *work, lb_derivative_work *scratch,
                                int body, int node, lb_axes axes, lb_mat3 *R, double *turn);

#endif // LB_SHOWN_NODES_H
