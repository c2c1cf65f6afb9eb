// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equal limbs of a tree: subtrees of one body whose hinges are alike, such as the legs of a walking machine.
// Their numbers may differ. What is computed for one of them is computed for all in the same steps. The same holds for
// the modes of a flexible body, and for its columns of the mass matrix: these are groups too, one for each number of them.
//
// Bodies of a chain depend on each other and cannot go side by side, but some of what is computed for them can: their own
// forces, and their columns of the mass matrix. Four of them at a time are a pack, a group for these alone, where there are
// no equal limbs.
#ifndef LB_LIMBS_H
#define LB_LIMBS_H

#include "limber/base.h"
#include "pack.h"

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

#endif // LB_LIMBS_H
