// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from a node to the base, for derivatives of what happens at the node; and what loops make of them.
#ifndef LB_DERIVATIVE_PATHS_H
#define LB_DERIVATIVE_PATHS_H

#include "derivatives.h"
#include "dynamics/loops/loop_work.h"

/// A node, its motion in the common frame of its tree, and the columns that move it.
typedef struct lb_path {
    int k; ///< sweep index; -1 for the ground, which has no columns
    const lb_node *node;
    lb_path_entry *entries;
    int count;
    lb_vec3 x;    ///< place
    lb_vec6 V, A; ///< velocity and spatial acceleration
    lb_vec3 v;    ///< linear velocity at x
    /// Whether a hinge on the way has a ruthless side; the sum of N(sigma) of those that have. (DER-16)
    int swirls;
    lb_mat3 swirl_w, swirl_v;
} lb_path;

/// That sum times x.
static inline lb_vec6 lb_apply_swirl(const lb_path *path, lb_vec3 x)
{
    return lb_vec6_make(lb_mat3_mul_vec(&path->swirl_w, x), lb_mat3_mul_vec(&path->swirl_v, x));
}

/// Finds it, after lb_sweep_derivatives.
///
/// @param stop     an ancestor's sweep index: columns between it and the node only, its modes at the
///                 node or at O+ of the next body being the last; -1 for all
/// @param moving   0 to leave out motion: S is all that the node's own columns have then
/// @param entries  memory, two a speed
/// @param own      memory, one a mode of the node's body
lb_path lb_find_path(const lb_model *model, const lb_work *work, const lb_derivative_work *s, int k,
                     const lb_node *node, int stop, int moving, lb_path_entry *entries,
                     lb_column *own);

/// The same of the frame of body k, in s->path: its columns alone. Their joints count from 1, since none
/// belongs to a node: the own hinge node of k, its hinge, O+, and so on inwards.
lb_path lb_find_frame_path(const lb_model *model, const lb_derivative_work *s, int k);

/// What a column does to the motion of the node, world axes; but for the last per unit of coordinate.
typedef struct lb_node_change {
    lb_vec6 pose; ///< turn and shift: per unit of speed, of the velocity
    lb_vec6 velocity, acceleration;
    lb_vec6 acceleration_dv; ///< per unit of speed
} lb_node_change;

/// One column                                                                            (DER-8)
///
///     by q:  dx = S_v + S_w x x,   dV = d + S x V,   dA = dd + d x V + S x A
///     by v:  dx = 0,               dV = S,           dA = t + S x V
///     velocity      w, v_x = V_v + w x x:           dw,  dV_v + dw x x + w x dx
///     acceleration  A_w, A_v + A_w x x + w x v_x:   dA_w, dA_v + dA_w x x + A_w x dx + dw x v_x
///                                                   + w x dv_x
///
/// With `still`, that of a mode which moves nothing: by q nothing changes.
static inline lb_node_change lb_change_node(const lb_path *path, const lb_column *c, int still)
{
    lb_node_change out;
    const lb_vec3 w = path->V.w, x = path->x;
    const lb_vec3 dx = lb_vec3_add(c->S.v, lb_vec3_cross(c->S.w, x));
    out.pose = lb_vec6_make(c->S.w, dx);

    const lb_vec6 dV = lb_vec6_add(c->d, lb_cross_motion(c->S, path->V));
    const lb_vec3 dv = lb_vec3_add(lb_vec3_add(dV.v, lb_vec3_cross(dV.w, x)), lb_vec3_cross(w, dx));
    out.velocity = lb_vec6_make(dV.w, dv);

    lb_vec6 dA = lb_vec6_add(c->dd, lb_cross_motion(c->d, path->V));
    dA = lb_vec6_add(dA, lb_cross_motion(c->S, path->A));
    lb_vec3 da =
        lb_vec3_add(lb_vec3_add(dA.v, lb_vec3_cross(dA.w, x)), lb_vec3_cross(path->A.w, dx));
    da = lb_vec3_add(da, lb_vec3_add(lb_vec3_cross(dV.w, path->v), lb_vec3_cross(w, dv)));
    out.acceleration = lb_vec6_make(dA.w, da);

    dA = lb_vec6_add(c->t, lb_cross_motion(c->S, path->V));
    da = lb_vec3_add(dA.v, lb_vec3_cross(dA.w, x));
    da = lb_vec3_add(da, lb_vec3_add(lb_vec3_cross(c->S.w, path->v), lb_vec3_cross(w, dx)));
    out.acceleration_dv = lb_vec6_make(dA.w, da);
    if (still) {
        out.velocity = out.acceleration = lb_vec6_zero();
    }
    return out;
}

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
///
/// @param last_joint  the innermost joint that is treated; INT_MAX for all
void lb_add_bends(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                  const lb_path *path, int last_joint, lb_vec6 F, const lb_view *out);

// ---- loops -------------------------------------------------------------------------------------

/// What is wanted, added to what is there; NULL for nothing. Rows are six for each slot, along its rows
/// or, with `six`, as six entries in the axes of a.
typedef struct lb_row_derivatives {
    ptrdiff_t stride; ///< entries from row to row
    const int *order; ///< by entry of the caller's v: its column; NULL for the same
    int six;
    double *J;
    double *velocity;        ///< of J v less prescribed rates, by q
    double *acceleration;    ///< of J a + bias, by q
    double *acceleration_dv; ///< likewise, by v
    const double *forces;    ///< six for each slot, in the axes of a
    double *force;           ///< of J' f, by q; over speeds
    double
        *turning; ///< of the six components of forces along rods, in the axes of a: how they turn
} lb_row_derivatives;

/// Fills them, after lb_sweep_derivatives.                                       (DER-12)..(DER-14)
void lb_differentiate_rows(const lb_model *model, lb_work *work, lb_derivative_work *s,
                           const lb_row_derivatives *out);

#endif // LB_DERIVATIVE_PATHS_H
