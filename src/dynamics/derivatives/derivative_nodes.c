// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the motion of a node.
#include <string.h>

#include "derivative_paths.h"
#include "dynamics/tree/node_motion.h"

static void write(double *matrix, ptrdiff_t n, int j, lb_vec6 x)
{
    if (matrix) {
        lb_put_row(matrix, n, j, x);
    }
}

static void write_column(const lb_path *path, const lb_column *column, int still, ptrdiff_t n,
                         int j, const lb_node_derivatives *out)
{
    const lb_node_change c = lb_change_node(path, column, still);
    write(out->pose_dq, n, j, c.pose);
    write(out->velocity_dq, n, j, c.velocity);
    write(out->acceleration_dq, n, j, c.acceleration);
    write(out->acceleration_dv, n, j, c.acceleration_dv);
}

// The place that is shown: columns that stand do not move it, but for the modes of the node's own body.
static void write_places(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                         const lb_path *path, double *out)
{
    const ptrdiff_t n = model->v_count;
    const lb_derivative_body *w = &s->bodies[path->k];
    const lb_flex_work *f = lb_get_flex(model, work, path->k);
    const lb_pose shown =
        f ? lb_place_flex_node(path->node, model->bodies[path->k].mode_count, f->eta, work->Pi)
          : path->node->X;
    const lb_vec3 x = lb_vec3_add(w->X.p, lb_mat3_mul_vec(&w->X.R, shown.p));
    for (int i = 0; i < path->count; ++i) {
        const lb_path_entry *entry = &path->entries[i];
        lb_vec6 turn = lb_get_row(out, n, entry->v), S = entry->S;
        if (entry->still && entry->joint == 0) {
            const lb_vec6 Pi = work->Pi[i];
            S = lb_vec6_make(lb_mat3_mul_vec(&w->X.R, Pi.w), lb_mat3_mul_vec(&w->X.R, Pi.v));
            turn = lb_vec6_add(turn, S);
        } else if (!entry->still) {
            turn = lb_vec6_add(turn, lb_vec6_make(S.w, lb_vec3_add(S.v, lb_vec3_cross(S.w, x))));
        }
        lb_put_row(out, n, entry->v, turn);
    }
}

void lb_differentiate_node(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                           int body, int node, const lb_node_derivatives *out)
{
    const ptrdiff_t n = model->v_count;
    double *const outputs[5] = {out->pose_dq, out->velocity_dq, out->acceleration_dq,
                                out->acceleration_dv, out->place_dq};
    for (int i = 0; i < 5; ++i) {
        if (outputs[i]) {
            memset(outputs[i], 0, 6 * (size_t)n * sizeof(double));
        }
    }
    if (body == LB_GROUND) {
        return;
    }
    const lb_path path = lb_find_path(model, work, s, model->infos[body].sweep,
                                      lb_get_node(model, body, node), -1, 1, s->path, s->own);
    if (out->place_dq) {
        write_places(model, work, s, &path, out->place_dq);
    }
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
            write_column(&path, &c, entry[i].still, n, entry[i].v, out);
        }
        end += own ? m : 0;
    }
}
