// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which a graph is written: for processors with few registers.
#ifndef LB_GRAPH_ORDER_H
#define LB_GRAPH_ORDER_H

#include "export/freeze/graph.h"

/// Puts the nodes of a graph into the order that keeps the fewest values for later at one time, of two: as recorded, and
/// depth first from the outputs. What is computed stays the same, to
/// the bit. Nodes that nothing needs are dropped.
///
/// @param live  out: values that are kept at one time
/// @return false if there is no memory; the graph is as it was then
bool lb_order_graph(lb_graph *graph, int *live);

/// Operands of a node; of a square, one.
int lb_count_different_operands(const lb_graph_node *node);

#endif // LB_GRAPH_ORDER_H
