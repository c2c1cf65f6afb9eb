// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library executes, in operations, on serial chains of equal flexible bodies.
#ifndef LB_MEASURE_H
#define LB_MEASURE_H

#include <limber/build.h>

#include "counts.h"

typedef enum lb_modes {
    LB_MODES_FREE_FREE, ///< both nodes of a body that carry hinges deform
    LB_MODES_CANTILEVER ///< only the one that carries the next body
} lb_modes;

/// A serial chain of equal bodies on revolute hinges.
typedef struct lb_chain {
    int body_count, mode_count;
    lb_modes modes;
    lb_fidelity fidelity;
    int second_order; ///< nodes with second-order displacement, offsets and inertia of their own
} lb_chain;

/// One algorithm by parts, and in all.
typedef struct lb_algorithm_count {
    lb_count part[LB_COUNT_PART_COUNT];
    lb_count total;
} lb_algorithm_count;

/// The algorithms on one chain.
typedef struct lb_chain_count {
    lb_algorithm_count articulated_inertia; ///< (63)
    lb_algorithm_count articulated;         ///< forward dynamics: (63) and (64)
    lb_algorithm_count mass_matrix;         ///< (50)
    lb_algorithm_count inverse;             ///< (45); the bias of the composite-body route as well
    lb_algorithm_count composite;           ///< forward dynamics: mass matrix, bias, factors, solve
} lb_chain_count;

/// Runs each algorithm once. Ends the program if their answers disagree.
lb_chain_count lb_measure_chain(const lb_chain *chain);

/// The cost of a body in the middle: what a chain with one body more costs more.
lb_chain_count lb_measure_middle(const lb_chain *chain);

/// a + sign b
lb_count lb_count_add(lb_count a, lb_count b, long sign);

#endif // LB_MEASURE_H
