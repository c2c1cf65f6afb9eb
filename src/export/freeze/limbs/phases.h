// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of a graph with equal limbs: nodes of one group that need not wait for others form a loop.
#ifndef LB_PHASES_H
#define LB_PHASES_H

#include "export/freeze/graph.h"

/// Brings the nodes into phases.
///
/// @param behind  how many phases earlier than the last one before it in the graph a node may be: with few, what is
///                used together stays together
/// @return false if there is no memory
bool lb_sort_phases(lb_graph *graph, int behind);

/// Operations that the outputs need, those of limbs side by side once; -1 if there is no memory.
long lb_count_statements(const lb_graph *graph);

#endif // LB_PHASES_H
