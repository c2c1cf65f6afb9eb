// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How a chain is laid out for its kernels.
#ifndef LB_CHAIN_LAYOUT_H
#define LB_CHAIN_LAYOUT_H

#include "chain_kernels.h"
#include "limber/model.h"

/// The arrays of a chain, in the order in which lb_count_chain counts them.
enum {
    LB_CHAIN_BODIES,
    LB_CHAIN_FRAMES,
    LB_CHAIN_HEADS,
    LB_CHAIN_TURNS,
    LB_CHAIN_MARKS,
    LB_CHAIN_NODES,
    LB_CHAIN_JOINS,
    LB_CHAIN_LETTERS,
    LB_CHAIN_VERDICTS,
    LB_CHAIN_ARRAYS
};

/// The first body, as listed, that keeps a model from being a chain of rigid links on revolute hinges, listed from
/// base to tip; LB_NOT_FOUND if it is one.
int lb_find_chain_obstacle(const lb_model *model);

/// Cuts a chain into runs, and where possible not behind a body that is much lighter than the next: what such a
/// body does by itself says little about it. Sets everything but the arrays.
///
/// @param length  bodies of a run, a power of two; 0 for what is fast
void lb_cut_chain(const lb_model *model, int length, lb_chain *chain);

/// Numbers of each array.
void lb_count_chain(const lb_chain *chain, size_t counts[LB_CHAIN_ARRAYS]);

/// Sets the pointers of the arrays, which lie one behind the other, each at a multiple of 16 numbers.
///
/// @param memory  NULL to count only
/// @return numbers in all
size_t lb_place_chain(lb_chain *chain, double *memory);

/// Fills what never changes: bodies, frames and heads, the first of the arrays. The axes of each body are turned about its hinge, so that the turn
/// from its parent is Rx(twist) Rz(angle): of nine constants two are left for dynamics to read.
///
/// @param numbers  out: as lb_place_chain lays them out
void lb_write_chain_bodies(const lb_model *model, const lb_chain *chain, double *numbers);

/// Numbers that lb_write_chain_bodies fills.
size_t lb_count_chain_constants(const lb_chain *chain);

#endif // LB_CHAIN_LAYOUT_H
