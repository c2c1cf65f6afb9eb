// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equal limbs side by side. The engine takes the same steps for each of them, with other numbers. The steps that
// were recorded are taken once more, those of equal limbs together: a node then stands for one number of each
// limb. Code for such nodes is a loop over the limbs, which compilers take to vector registers. It is as much
// shorter as there are limbs, which matters more than anything else where the code of a function is larger than
// what a processor keeps of decoded instructions.
#ifndef LB_ROLL_H
#define LB_ROLL_H

#include "export/freeze/graph.h"
#include "limbs.h"

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

#endif // LB_ROLL_H
