// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equal limbs of a tree, and how they go side by side.
#ifndef LB_LIMBS_H
#define LB_LIMBS_H

#include "export/freeze/graph.h"
#include "limber/base.h"
#include "pack.h"

// Equal limbs of a tree: subtrees of one body whose hinges are alike, such as the legs of a walking machine.
// Their numbers may differ. What is computed for one of them is computed for all in the same steps. The same holds for
// the modes of a flexible body, and for its columns of the mass matrix: these are groups too, one for each number of them.
//
// Bodies of a chain depend on each other and cannot go side by side, but some of what is computed for them can: their own
// forces, and their columns of the mass matrix. Four of them at a time are a pack, a group for these alone, where there are
// no equal limbs.

/// Limbs of a group, and entries of a body, that are taken together at most; and entries at least.
enum { LB_LIMBS_MOST = 8, LB_LANES_MOST = 24, LB_LANES_LEAST = 3, LB_PACK_MOST = 4 };

typedef struct lb_model lb_model;

/// Where a body is.
typedef struct lb_limb_seat {
    int group; ///< of equal limbs, from 1 on; 0 for a body on no limb
    int limb;  ///< within the group, from 0 on
    int seat;  ///< of the body on its limb, the same on all limbs of the group
} lb_limb_seat;

/// The equal limbs of a model. A caller zeroes it first.
typedef struct lb_limbs {
    lb_limb_seat *seats; ///< by listed index
    lb_limb_pack *packs; ///< by listed index
    int *widths;         ///< by group: limbs; widths[0] is 1
    int group_count;     ///< with the group 0; those of limbs first, then packs, then lanes
    int first_pack;      ///< the first group that is not of limbs
    int body_count;
    int lanes[LB_LANES_MOST + 1]; ///< by width: the group of as many entries of a body; 0 for none
} lb_limbs;

/// Finds the limbs that are equal.
///
/// @return LB_OK or LB_E_MEMORY
lb_status lb_find_limbs(const lb_model *model, lb_limbs *limbs);

/// The listed body with a seat on a limb.
int lb_get_seated(const lb_limbs *limbs, int group, int limb, int seat);

/// The listed body of a pack.
int lb_get_packed(const lb_limbs *limbs, int group, int lane);

/// Frees what it holds.
void lb_clear_limbs(lb_limbs *limbs);

// ---- frames ------------------------------------------------------------------------------------
//
// Origins along hinge axes. The frame of a body on a revolute hinge may sit anywhere on the axis; where it has no
// offset along the axis from its parent, fewer numbers are left.

typedef struct lb_body lb_body;

/// Moves the origins of rigid bodies on simple hinges along their axes, to the places nearest to their parents'
/// origins. Generalized forces and accelerations stay; nodes are not moved along, and are of no use afterwards.
void lb_slide_origins(lb_body *bodies, int count);

// ---- rolling -----------------------------------------------------------------------------------
//
// Equal limbs side by side. The engine takes the same steps for each of them, with other numbers. The steps that
// were recorded are taken once more, those of equal limbs together: a node then stands for one number of each
// limb. Code for such nodes is a loop over the limbs, which compilers take to vector registers. It is as much
// shorter as there are limbs, which matters more than anything else where the code of a function is larger than
// what a processor keeps of decoded instructions.

/// Makes a graph with equal limbs side by side, ordered by phases.
///
/// @param graph   with its steps
/// @param rolled  out: the same function; the caller clears it
/// @param better  out: whether it is shorter
/// @return LB_OK or LB_E_MEMORY
lb_status lb_roll_graph(const lb_graph *graph, const lb_limbs *limbs, lb_graph *rolled,
                        bool *better);

/// An angle of the state, or one with an offset: sines of these come first in a function.
bool lb_is_angle(const lb_graph *graph, int node);

// ---- phases ------------------------------------------------------------------------------------

/// Brings the nodes into phases.
///
/// @param behind  how many phases earlier than the last one before it in the graph a node may be: with few, what is
///                used together stays together
/// @return false if there is no memory
bool lb_sort_phases(lb_graph *graph, int behind);

/// Operations that the outputs need, those of limbs side by side once; -1 if there is no memory.
long lb_count_statements(const lb_graph *graph);

#endif // LB_LIMBS_H
