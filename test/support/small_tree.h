// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Small models whose functions are quick to compile.
#ifndef LB_SMALL_TREE_H
#define LB_SMALL_TREE_H

#include <scenes.h>

/// A random tree. All its bodies have modes, or none.
///
/// @param hinges  LB_HINGE_BIT of every type that may occur
lb_model *lb_make_small_tree(unsigned hinges, int body_count, int mode_count, lb_fidelity fidelity);

/// A state near the neutral configuration: modal coordinates and other lengths up to 0.02, angles up to `size`.
///
/// @param number  of the state: each has other numbers
/// @param q       out
/// @param v       out
/// @param x       out: forces or accelerations
void lb_make_small_state(const lb_model *model, int number, double size, double *q, double *v,
                         double *x);

#endif // LB_SMALL_TREE_H
