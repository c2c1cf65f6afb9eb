// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The counts beside section 8, for people.
#ifndef LB_COUNT_REPORT_H
#define LB_COUNT_REPORT_H

#include "measure.h"
#include "section8.h"

enum { LB_TEN = 10 };

/// Sweeps (63) and (64) of one body in the middle of a chain.
lb_cost lb_get_sweep_cost(int mode_count, lb_modes modes, lb_fidelity fidelity);

/// Inverse dynamics of one body in the middle of a chain, by parts.
lb_algorithm_count lb_get_inverse_count(int n, lb_modes modes, lb_fidelity fidelity);

/// Forward dynamics of ten bodies with free-free modes, all that is executed, and the part that
/// section 8 speaks of: without kinematics and without inertia and bias at the deformation.
typedef struct lb_ten_cost {
    lb_cost articulated, articulated_all, composite, composite_all;
} lb_ten_cost;
lb_ten_cost lb_get_ten_cost(int mode_count, lb_fidelity fidelity);

static inline double lb_cost_sum(lb_cost cost)
{
    return cost.multiplications + cost.additions;
}

/// The tables of docs/theory/cost.md, to standard output.
void lb_print_tables(void);

/// docs/theory/figures/cost.svg, to standard output.
void lb_print_figure(void);

#endif // LB_COUNT_REPORT_H
