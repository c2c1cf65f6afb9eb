// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Places of nodes and their motion: where the one is not what the other leads to.
#ifndef LB_SHOWN_NODES_H
#define LB_SHOWN_NODES_H

#include "limber/model.h"

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

#endif // LB_SHOWN_NODES_H
