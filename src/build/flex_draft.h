// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body as described, in the caller's frame, and its way to constant data.
#ifndef LB_FLEX_DRAFT_H
#define LB_FLEX_DRAFT_H

#include "draft.h"
#include "modal/flex.h"

/// A node of a flexible body as described.
typedef struct lb_flex_node_draft {
    const char *name;
    lb_pose X;
    double mass;
    lb_vec3 offset;
    lb_sym3 inertia;       ///< about the node's centre of mass
    const lb_vec6 *shape;  ///< by mode
    const lb_vec3 *second; ///< packed r <= s, or NULL
} lb_flex_node_draft;

struct lb_flex_draft {
    int mode_count;
    int node_count;  ///< points included
    int named_count; ///< without the points, which come last
    lb_fidelity fidelity;
    const double *K, *C; ///< n x n; C may be NULL
    const lb_flex_node_draft *nodes;
    const lb_flex_integrals *integrals; ///< copied, or NULL
    size_t hash;                        ///< of all the above: equal bodies share one draft
    struct lb_flex_draft *next;
};

/// Position of (r, s), r <= s, in a packed upper triangle.
static inline int lb_packed(int n, int r, int s)
{
    return r * n - r * (r - 1) / 2 + s - r;
}

/// Checks and copies the flexible part of a body; equal ones share a copy. NULL after a report or
/// when memory is out (*status says which).
const lb_flex_draft *lb_draft_flex(lb_builder *builder, const char *where,
                                   const lb_flex_options *options, lb_status *status);

/// Entries of an array of lb_flex_integrals, in the order M_ff, E, B0, B, S, S2.
enum { LB_INTEGRAL_ARRAYS = 6 };
void lb_get_integral_arrays(const lb_flex_integrals *integrals, int mode_count,
                            const double *arrays[LB_INTEGRAL_ARRAYS],
                            int sizes[LB_INTEGRAL_ARRAYS]);

/// Inertia of the undeformed body about its frame.
lb_inertia lb_get_draft_inertia(const lb_flex_draft *draft);

/// Whether a node (1-based behind `origin`) moves with the modes.
int lb_draft_node_moves(const lb_flex_draft *draft, int node);

/// The constant data of a draft in a frame of the body in which the caller's frame has pose X.
const lb_flex *lb_build_flex(const lb_flex_draft *draft, const lb_pose *X, lb_arena *arena,
                             lb_arena *scratch);

/// Replaces sums over nodes by a few points: fields[a][j], a < field_count rows of node_count
/// values, become rows of *rank values with the same products sum_j f_a f_b, in place (a row stays
/// at its address). Leaves the nodes as they are where that is not fewer.            (FLX-4)
lb_status lb_compress_points(int field_count, int node_count, double *fields, int *rank,
                             lb_arena *scratch);

#endif // LB_FLEX_DRAFT_H
