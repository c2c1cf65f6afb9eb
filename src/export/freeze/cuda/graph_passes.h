// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs in another order, and in parts.
#ifndef LB_GRAPH_PASSES_H
#define LB_GRAPH_PASSES_H

#include "export/freeze/graph.h"

// ---- order -------------------------------------------------------------------------------------

/// Puts the nodes of a graph into the order that keeps the fewest values for later at one time, of two: as recorded, and
/// depth first from the outputs. What is computed stays the same, to
/// the bit. Nodes that nothing needs are dropped.
///
/// @param live  out: values that are kept at one time
/// @return false if there is no memory; the graph is as it was then
bool lb_order_graph(lb_graph *graph, int *live);

/// Operands of a node; of a square, one.
int lb_count_different_operands(const lb_graph_node *node);

// ---- parts -------------------------------------------------------------------------------------

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

#endif // LB_GRAPH_PASSES_H
