// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of a graph with equal limbs: nodes of one group that need not wait for others form a loop.
#ifndef LB_PHASES_H
#define LB_PHASES_H

#include "freeze/graph.h"

/// Brings the nodes into phases.
///
/// @return false if there is no memory
bool lb_sort_phases(lb_graph *graph);

/// Operations that the outputs need, those of limbs side by side once; -1 if there is no memory.
long lb_count_statements(const lb_graph *graph);

#endif // LB_PHASES_H
