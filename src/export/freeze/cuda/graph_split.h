// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph in parts, one behind the other: for kernels whose instructions have to fit into a cache.
#ifndef LB_GRAPH_SPLIT_H
#define LB_GRAPH_SPLIT_H

#include "export/freeze/graph.h"

/// Cuts a graph into parts of nearly equal length. What a part computes for later ones is an output to an array,
/// which these have as an input. Sines of inputs are computed again in every part.
///
/// @param array       the array between the parts, for those that write it
/// @param handed      the same, for those that read it
/// @param part_count  at least 1
/// @param parts       out: as many graphs, to be cleared by the caller, also on failure
/// @param slot_count  out: entries of the array
/// @return false if there is no memory
bool lb_split_graph(const lb_graph *graph, int array, int handed, int part_count, lb_graph *parts,
                    int *slot_count);

/// Nodes of a graph that are arithmetic.
int lb_count_arithmetic(const lb_graph *graph);

#endif // LB_GRAPH_SPLIT_H
