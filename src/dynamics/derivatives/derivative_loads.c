// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How the generalized forces of loads at nodes change as the load's arms move.
#include <limits.h>

#include "derivative_paths.h"
#include "dynamics/tree/node_motion.h"

// One load, and the columns between it and the base.
typedef struct load {
    lb_axes axes;
    lb_vec6 F; // in the common frame
    lb_vec3 moment, force;
    lb_path path;
} load;

// Whether a column turns the axes that hold a load: not the world's, nor those of a body if it moves the
// node against the body.
static int turns_axes(lb_axes axes, const lb_path_entry *j)
{
    return axes != LB_AXES_WORLD && !j->still && (axes == LB_AXES_NODE || j->joint > 0);
}

// Those axes, in the world's.
static lb_mat3 find_axes(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                         int k, const lb_node *node, lb_axes axes)
{
    if (axes == LB_AXES_WORLD || k < 0) {
        return axes == LB_AXES_NODE ? node->X.R : lb_mat3_identity();
    }
    const lb_mat3 *R = &s->bodies[k].X.R;
    const lb_pose X = lb_get_node_place(model, work, k, node);
    const lb_pose *frame = &model->infos[model->bodies[k].listed].nodes[0].X;
    return lb_mat3_mul(R, axes == LB_AXES_NODE ? &X.R : &frame->R);
}

// Change of a load with one column, seen from where it acts: components that are held in axes which
// the column does not turn are seen to turn back.
static lb_vec6 turn_back(const load *l, const lb_path_entry *j)
{
    if (turns_axes(l->axes, j)) {
        return lb_vec6_zero();
    }
    const lb_vec3 force = lb_vec3_cross(l->force, j->S.w);
    const lb_vec3 moment = lb_vec3_cross(l->moment, j->S.w);
    return lb_vec6_make(lb_vec3_add(moment, lb_vec3_cross(l->path.x, force)), force);
}

// A load at a node                                                                     (DER-10)
//
//     tau_i = S_i . F;   D_j F: the load turned back where the column turns away from its axes
//     dtau_i/dq_j = S_i . D_j F                  i outboard of j, or in the same joint, there with
//                                                F . D_j S_i as well
//     dtau_i/dq_j = S_i . (D_j F + S_j x* F)     i inboard of j
static void add_load(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                     const load *l, double *dtau_dq)
{
    const ptrdiff_t n = model->v_count;
    const lb_path *path = &l->path;
    for (int j = 0; j < path->count; ++j) {
        const lb_path_entry *c = &path->entries[j];
        if (c->still) {
            continue;
        }
        const lb_vec6 seen = turn_back(l, c);
        const lb_vec6 whole = lb_vec6_add(seen, lb_cross_force(c->S, l->F));
        for (int i = 0; i < path->count; ++i) {
            const lb_path_entry *row = &path->entries[i];
            dtau_dq[row->v * n + c->v] +=
                lb_vec6_dot(row->S, row->joint <= c->joint ? seen : whole);
        }
    }
    const lb_view out = {dtau_dq, n, NULL};
    lb_add_bends(model, work, s, path, INT_MAX, l->F, &out);
}

lb_status lb_apply_node_force_derivatives(const lb_model *model, lb_work *work,
                                          lb_derivative_work *s, int count,
                                          const lb_node_force *forces, double *dtau_dq)
{
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    for (int i = 0; i < count; ++i) {
        const lb_node *node = lb_get_node(model, forces[i].body, forces[i].node);
        if (!node || (unsigned)forces[i].axes > LB_AXES_NODE) {
            return LB_E_ARGUMENT;
        }
    }
    const lb_status status = lb_check_node_forces(work, count, forces);
    for (int i = 0; i < count && status == LB_OK; ++i) {
        const lb_node *node = lb_get_node(model, forces[i].body, forces[i].node);
        if (forces[i].body == LB_GROUND) {
            continue;
        }
        const int k = model->infos[forces[i].body].sweep;
        load l = {.axes = forces[i].axes,
                  .path = lb_find_path(model, work, s, k, node, -1, 0, s->path, s->own)};
        const lb_mat3 R = find_axes(model, work, s, k, node, l.axes);
        l.moment = lb_mat3_mul_vec(&R, lb_vec3_from(forces[i].force));
        l.force = lb_mat3_mul_vec(&R, lb_vec3_from(forces[i].force + 3));
        l.F = lb_vec6_make(lb_vec3_add(l.moment, lb_vec3_cross(l.path.x, l.force)), l.force);
        add_load(model, work, s, &l, dtau_dq);
    }
    return status;
}
