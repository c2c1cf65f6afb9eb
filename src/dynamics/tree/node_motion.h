// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion of a node against the ground, in the axes of its body: what read-outs share.
#ifndef LB_NODE_MOTION_H
#define LB_NODE_MOTION_H

#include "steps.h"

/// Pose of a node in the frame of body k (-1: the ground), deformation included.
lb_pose lb_get_node_place(const lb_model *model, const lb_work *work, int k, const lb_node *node);

/// Rates of a node against the frame of its body; zero on rigid ones.
lb_node_rates lb_get_own_rates(const lb_model *model, const lb_work *work, int k,
                               const lb_node *node);

/// Velocity of a node at l.                                                              (KIN-6)
lb_vec6 lb_get_node_velocity(const lb_body_work *w, lb_vec3 l, const lb_node_rates *own);

/// Acceleration of a node at l less that carried from its frame and its modes.           (KIN-6)
lb_vec6 lb_get_node_bias(lb_vec3 w, lb_vec3 l, const lb_node_rates *own);

/// Generalized forces of loads in lb_work.y, which is used up: tau += J* of all of them. (FRC-2)
void lb_sweep_loads(const lb_model *model, lb_work *work, double *tau);

/// Whether the forces are finite: LB_OK or LB_E_NUMBER.
lb_status lb_check_node_forces(lb_work *work, int count, const lb_node_force *forces);

/// A part of the tree: body k, or of it the nodes beyond a cut, and what is outboard of that.
typedef struct lb_tree_part {
    int k;
    const unsigned char *beyond; ///< by node of body k; NULL for all of them
} lb_tree_part;

/// Whether a node of body k belongs to a part. What is outboard is not asked for.
static inline bool lb_has_node(const lb_tree_part *part, int k, int node)
{
    return k != part->k || !part->beyond || part->beyond[node];
}

/// Forces at nodes on each body, about its frame and in its axes, in lb_work.y. Needs velocities. (FRC-1)
///
/// @param part  NULL for the whole tree
/// @return as lb_apply_node_forces
lb_status lb_collect_node_forces(const lb_model *model, lb_work *work, const lb_tree_part *part,
                                 int count, const lb_node_force *forces);

/// The loads of a point mass on each body, about its frame and in its axes, in lb_work.y. Needs
/// velocities. (FRC-9)
lb_status lb_collect_gravity(const lb_model *model, lb_work *work, const lb_oblate_gravity *field);

/// A frame with nodes in place of what is a force's own.
///
/// @param given  NULL for all its own
/// @return whether there are such nodes
static inline bool lb_settle_frame(const lb_model *model, const lb_load_frame *given,
                                   lb_load_frame own, lb_load_frame *frame)
{
    *frame = own;
    if (given && given->axes_body != LB_NOT_FOUND) {
        frame->axes_body = given->axes_body;
        frame->axes_node = given->axes_node;
    }
    if (given && given->about_body != LB_NOT_FOUND) {
        frame->about_body = given->about_body;
        frame->about_node = given->about_node;
    }
    return lb_get_node(model, frame->axes_body, frame->axes_node) &&
           lb_get_node(model, frame->about_body, frame->about_node);
}

/// The frame of the hinge of a body, its own node O, where nothing else is given.
static inline bool lb_settle_hinge_frame(const lb_model *model, const lb_load_frame *given,
                                         int body, lb_load_frame *frame)
{
    if (body < 0 || body >= model->body_count) {
        return false;
    }
    const int node = model->infos[body].hinge_node;
    return lb_settle_frame(model, given, (lb_load_frame){body, node, body, node}, frame);
}

#endif // LB_NODE_MOTION_H
