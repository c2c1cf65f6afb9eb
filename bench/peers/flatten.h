// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From a model of Limber's to the plain tree that peers are given, and Limber's own answers on the
// model as it was loaded: the reference that every peer, Limber included, must meet.
#ifndef LB_BENCH_FLATTEN_H
#define LB_BENCH_FLATTEN_H

#include <limber/limber.h>

#include "peer.h"

/// The tree of a rigid model at a random state, a body's subtree behind it. Ends the program, with a
/// message, if the model has more than revolute and prismatic hinges and a free root.
lb_tree *lb_flatten_model(const lb_model *model, unsigned seed);

/// What a call must answer at the state of the tree, v_count numbers in the order of the tree.
///
/// @return zero if the model is too large for the call
int lb_compute_reference(const lb_model *model, const lb_tree *tree, lb_call call, double *answer);

#endif // LB_BENCH_FLATTEN_H
