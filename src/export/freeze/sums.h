// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of many terms, in the order in which the terms become known.
//
// The engine adds in the order of its sweeps: a + (b + c) waits for b + c, even where a is what arrives last. A
// processor does several operations at a time if they do not wait for each other, and the longest chain of waiting is
// what short functions take. Here nested sums become one, whose terms are added as they come: the late ones last.
// Their constants are added beforehand.
#ifndef LB_SUMS_H
#define LB_SUMS_H

#include "graph.h"

/// Makes a graph with the same outputs, its sums in that order.
///
/// @param graph  of plain nodes or of limbs by phases; it may have been sorted
/// @param out    the caller clears it
/// @return false if there is no memory
bool lb_sort_sums(const lb_graph *graph, lb_graph *out);

/// Makes a graph with the same outputs, as it is, without nodes that they do not need.
bool lb_copy_used(const lb_graph *graph, lb_graph *out);

#endif // LB_SUMS_H
