// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the motion of a node.
#include <string.h>

#include "derivative_paths.h"

static void write(double *matrix, ptrdiff_t n, int j, lb_vec6 x)
{
    if (matrix) {
        lb_put_row(matrix, n, j, x);
    }
}

static void write_column(const lb_path *path, const lb_column *column, ptrdiff_t n, int j,
                         const lb_node_derivatives *out)
{
    const lb_node_change c = lb_change_node(path, column);
    write(out->pose_dq, n, j, c.pose);
    write(out->velocity_dq, n, j, c.velocity);
    write(out->acceleration_dq, n, j, c.acceleration);
    write(out->acceleration_dv, n, j, c.acceleration_dv);
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
    const lb_path path = lb_find_path(model, work, s, model->infos[body].sweep,
                                      lb_get_node(model, body, node), -1, 1, s->path, s->own);
    for (int first = 0, end; first < path.count; first = end) {
        const lb_path_entry *entry = path.entries + first;
        for (end = first + 1; end < path.count && path.entries[end].joint == entry->joint; ++end) {
        }
        // modes of a body move the node at one of its nodes and at its own hinge node, one after the other
        const int m = end - first;
        const lb_path_entry *own = end < path.count && entry[m].v == entry->v ? entry + m : NULL;
        for (int i = 0; i < m; ++i) {
            const lb_column c =
                own ? lb_add_columns(entry[i].column, own[i].column) : *entry[i].column;
            write_column(&path, &c, n, entry[i].v, out);
        }
        end += own ? m : 0;
    }
}
