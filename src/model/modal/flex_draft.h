// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible body as described, in the caller's frame.
#ifndef LB_FLEX_DRAFT_H
#define LB_FLEX_DRAFT_H

#include <string.h>

#include "flex.h"

/// Second-order displacements of a body, one for each point and pair of modes, at most: about a gigabyte
/// while the model is built.
enum { LB_SECOND_ORDER_MOST = 24000000 };

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

typedef struct lb_flex_draft {
    int mode_count;
    int node_count;  ///< points included
    int named_count; ///< without the points, which come last
    lb_fidelity fidelity;
    const double *K, *C; ///< n x n; C may be NULL
    const lb_flex_node_draft *nodes;
    const lb_flex_integrals *integrals; ///< copied, or NULL
    const lb_recovery *recovery;        ///< copied, or NULL
    int cut_count;
    const lb_flex_cut *cuts; ///< copied
    size_t hash;             ///< of most of the above: equal bodies share one draft
    struct lb_flex_draft *next;
} lb_flex_draft;

/// An array of lb_flex_integrals.
typedef struct lb_integral_array {
    const char *name;
    bool is_pair; ///< by pairs of modes; otherwise by modes
    int width;    ///< numbers for each
    const double **values;
} lb_integral_array;

enum { LB_INTEGRAL_ARRAYS = 8 };

static inline void lb_list_integrals(lb_flex_integrals *I,
                                     lb_integral_array list[LB_INTEGRAL_ARRAYS])
{
    const lb_integral_array all[LB_INTEGRAL_ARRAYS] = {
        {"M_ff", true, 1, &I->M_ff}, {"E", false, 3, &I->E}, {"B0", false, 3, &I->B0},
        {"B", true, 3, &I->B},       {"S", false, 6, &I->S}, {"S2", true, 6, &I->S2},
        {"G2", true, 3, &I->G2},     {"T2", true, 9, &I->T2}};
    memcpy(list, all, sizeof all);
}

/// Its numbers, for n modes.
static inline size_t lb_count_integrals(const lb_integral_array *array, int n)
{
    return (size_t)array->width * (size_t)n * (size_t)(array->is_pair ? n : 1);
}

/// Position of (r, s), r <= s, in a packed upper triangle.
static inline int lb_packed(int n, int r, int s)
{
    return r * n - r * (r - 1) / 2 + s - r;
}

/// Replaces sums over nodes by a few points: fields[a][j], a < field_count rows of node_count
/// values, become rows of *rank values with the same products sum_j f_a f_b, in place (a row stays
/// at its address). Leaves the nodes as they are where that is not fewer.            (FLX-4)
lb_status lb_compress_points(int field_count, int node_count, double *fields, int *rank,
                             lb_arena *scratch);

#endif // LB_FLEX_DRAFT_H
