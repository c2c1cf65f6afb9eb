// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The axes that hold the components of a load.
#include <string.h>

#include "forces.h"
#include "limber/derivatives.h"
#include "limber/spatial.h"
#include "model/layout.h"

lb_status lb_differentiate_axes(const lb_instant *at, lb_derivative_work *scratch, int body,
                                int node, lb_axes axes, lb_mat3 *R, double *turn)
{
    if (axes == LB_AXES_WORLD) {
        memset(turn, 0, 6 * (size_t)lb_get_v_count(at->model) * sizeof *turn);
        *R = lb_mat3_identity();
        return LB_OK;
    }
    // the frame of a body does not follow its modes, and nor do loads at nodes of a ruthless one
    const bool stands =
        body != LB_GROUND && lb_get_fidelity(at->model, body) == LB_FIDELITY_RUTHLESS;
    const int seen = axes == LB_AXES_BODY || stands ? 0 : node;
    const lb_node_derivatives out = {.size = sizeof out, .place_dq = turn};
    lb_node_motion motion;
    const lb_status status = lb_compute_node_motion(at->model, at->work, body, seen, &motion);
    if (status != LB_OK) {
        return status;
    }
    *R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
    if (axes == LB_AXES_NODE && stands) {
        const lb_node *nodes = at->model->infos[body].nodes;
        const lb_mat3 back = lb_mat3_transpose(&nodes[0].X.R);
        const lb_mat3 between = lb_mat3_mul(&back, &nodes[node].X.R);
        *R = lb_mat3_mul(R, &between);
    }
    return lb_compute_node_derivatives(at->model, at->work, scratch, body, seen, &out);
}
