// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the motion of a node.
#include <string.h>

#include "derivative_paths.h"

static void add(double *matrix, ptrdiff_t n, int j, lb_vec6 x)
{
    if (matrix) {
        lb_put_row(matrix, n, j, lb_vec6_add(lb_get_row(matrix, n, j), x));
    }
}

void lb_differentiate_node(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                           int body, int node, const lb_node_derivatives *out)
{
    const ptrdiff_t n = model->v_count;
    double *const outputs[4] = {out->pose_dq, out->velocity_dq, out->acceleration_dq,
                                out->acceleration_dv};
    for (int i = 0; i < 4; ++i) {
        if (outputs[i]) {
            memset(outputs[i], 0, 6 * (size_t)n * sizeof(double));
        }
    }
    if (body == LB_GROUND) {
        return;
    }
    // a mode may move the node in several ways, which add up
    const lb_path path = lb_find_path(model, work, s, model->infos[body].sweep,
                                      lb_get_node(model, body, node), -1, s->path, s->own);
    for (int e = 0; e < path.count; ++e) {
        const int j = path.entries[e].v;
        const lb_node_change c = lb_change_node(&path, path.entries[e].column);
        add(out->pose_dq, n, j, c.pose);
        add(out->velocity_dq, n, j, c.velocity);
        add(out->acceleration_dq, n, j, c.acceleration);
        add(out->acceleration_dv, n, j, c.acceleration_dv);
    }
}
