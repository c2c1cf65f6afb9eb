// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from a node to the base, for derivatives of what happens at the node.
#ifndef LB_DERIVATIVE_PATHS_H
#define LB_DERIVATIVE_PATHS_H

#include "derivatives.h"

/// A node, its motion in the common frame of its tree, and the columns that move it.
typedef struct lb_path {
    int k; ///< sweep index; -1 for the ground, which has no columns
    const lb_node *node;
    lb_path_entry *entries;
    int count;
    lb_vec3 x;    ///< place
    lb_vec6 V, A; ///< velocity and spatial acceleration
    lb_vec3 v;    ///< linear velocity at x
} lb_path;

/// Finds it, after lb_sweep_derivatives.
///
/// @param stop     an ancestor's sweep index: columns between it and the node only, its modes at the
///                 node or at O+ of the next body being the last; -1 for all
/// @param entries  memory, two a speed
/// @param own      memory, one a mode of the node's body
lb_path lb_find_path(const lb_model *model, const lb_work *work, const lb_derivative_work *s, int k,
                     const lb_node *node, int stop, lb_path_entry *entries, lb_column *own);

/// What a column does to the motion of the node, world axes; but for the last per unit of coordinate.
typedef struct lb_node_change {
    lb_vec6 pose; ///< turn and shift: per unit of speed, of the velocity
    lb_vec6 velocity, acceleration;
    lb_vec6 acceleration_dv; ///< per unit of speed
} lb_node_change;

lb_node_change lb_change_node(const lb_path *path, const lb_column *c);

/// A matrix over speeds in some order.
typedef struct lb_view {
    double *entries;
    ptrdiff_t stride;
    const int *order; ///< by entry of the caller's v: row or column; NULL for the same
} lb_view;

static inline int lb_get_place(const int *order, int v)
{
    return order ? order[v] : v;
}

static inline double *lb_get_entry(const lb_view *m, int row, int column)
{
    return m->entries + lb_get_place(m->order, row) * m->stride + lb_get_place(m->order, column);
}

/// Adds, for a force F that acts at the node, in the common frame, how the columns of one hinge or of
/// the modes at one node change with the coordinates of the others. Overwrites s->W.
void lb_add_bends(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                  const lb_path *path, lb_vec6 F, const lb_view *out);

#endif // LB_DERIVATIVE_PATHS_H
