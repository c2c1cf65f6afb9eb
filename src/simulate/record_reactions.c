// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Reactions of a run. Those of the core balance the motion of everything outboard; what acts there on
// nodes and bodies from outside takes its share:
//
//     f(k) = f_motion(k) - sum over loads outboard of k, each carried to O of k
#include "forces/forces.h"
#include "limber/spatial.h"
#include "record_tables.h"

// Loads that the last lb_compute_forces left.
static int count_loads(const lb_forces *forces)
{
    int count = 0;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        count += force->enabled ? lb_get_load_count(force) : 0;
    }
    return count;
}

// Moment (about the node) and force of a load in world axes, and where it acts.
static lb_status get_world_load(lb_system *s, const lb_node_force *load, lb_vec6 *force,
                                lb_vec3 *at)
{
    lb_node_motion node, frame;
    lb_status status = lb_compute_node_motion(s->model, s->work, load->body, load->node, &node);
    status = status < 0 ? status : lb_compute_node_motion(s->model, s->work, load->body, 0, &frame);
    if (status < 0) {
        return status;
    }
    const double *rotation = load->axes == LB_AXES_BODY ? frame.rotation : node.rotation;
    const lb_mat3 R =
        load->axes == LB_AXES_WORLD ? lb_mat3_identity() : lb_quat_to_mat3(lb_quat_from(rotation));
    *force = lb_vec6_make(lb_mat3_mul_vec(&R, lb_vec3_from(load->force)),
                          lb_mat3_mul_vec(&R, lb_vec3_from(load->force + 3)));
    *at = lb_vec3_from(node.position);
    return LB_OK;
}

lb_status lb_compute_all_reactions(lb_system *s, double *reactions)
{
    lb_status status = lb_compute_reactions(s->model, s->work, reactions);
    for (int i = 0; status >= 0 && i < s->forces->count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        if (force->enabled && force->type == LB_FORCE_GRAVITY_POINT) {
            status = lb_subtract_point_gravity(s->model, s->work, &force->gravity, reactions);
        }
    }
    const int count = count_loads(s->forces);
    for (int i = 0; status >= 0 && i < count; ++i) {
        const lb_node_force *load = &s->forces->loads[i];
        lb_vec6 force = lb_vec6_zero();
        lb_vec3 at = {0, 0, 0};
        status = get_world_load(s, load, &force, &at);
        // every hinge between the load and the ground
        for (int k = load->body; status >= 0 && k >= 0; k = lb_get_parent(s->model, k)) {
            lb_node_motion O;
            status =
                lb_compute_node_motion(s->model, s->work, k, lb_get_hinge_node(s->model, k), &O);
            const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(O.rotation));
            const lb_vec3 arm = lb_vec3_sub(at, lb_vec3_from(O.position));
            const lb_vec3 moment = lb_vec3_add(force.w, lb_vec3_cross(arm, force.v));
            double share[6];
            lb_vec3_to(lb_mat3_tmul_vec(&R, moment), share);
            lb_vec3_to(lb_mat3_tmul_vec(&R, force.v), share + 3);
            for (int j = 0; j < 6; ++j) {
                reactions[6 * k + j] -= share[j];
            }
        }
    }
    return status;
}
