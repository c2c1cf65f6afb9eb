// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <stdio.h>

static lb_cost cost_of(lb_count count)
{
    return (lb_cost){(double)count.multiplications, (double)count.additions};
}

static lb_chain_count get_middle(int n, lb_modes modes, lb_fidelity fidelity, int second_order)
{
    const lb_chain chain = {3, n, modes, fidelity, second_order};
    return lb_measure_middle(&chain);
}

// Positions and velocities.
static lb_count get_kinematics(const lb_algorithm_count *count)
{
    return lb_count_add(count->part[LB_COUNT_POSITION], count->part[LB_COUNT_VELOCITY], 1);
}

lb_cost lb_get_sweep_cost(int n, lb_modes modes, lb_fidelity fidelity)
{
    return cost_of(get_middle(n, modes, fidelity, 0).articulated.part[LB_COUNT_SWEEPS]);
}

lb_algorithm_count lb_get_inverse_count(int n, lb_modes modes, lb_fidelity fidelity)
{
    return get_middle(n, modes, fidelity, 0).inverse;
}

lb_ten_cost lb_get_ten_cost(int n, lb_fidelity fidelity)
{
    const lb_chain chain = {LB_TEN, n, LB_MODES_FREE_FREE, fidelity, 0};
    const lb_chain_count count = lb_measure_chain(&chain);
    // the accelerations of the frames belong to the bias, but not after the solution
    const lb_count tail = count.composite.part[LB_COUNT_ACCELERATION];
    const lb_count bias = count.inverse.part[LB_COUNT_ACCELERATION];
    const lb_count own = count.composite.part[LB_COUNT_SWEEPS];
    return (lb_ten_cost){cost_of(count.articulated.part[LB_COUNT_SWEEPS]),
                         cost_of(count.articulated.total),
                         cost_of(lb_count_add(own, lb_count_add(tail, bias, -1), 1)),
                         cost_of(count.composite.total)};
}

static const int shown[] = {1, 2, 5, 7, 8, 10, 15, 20, 30};
enum { SHOWN = sizeof shown / sizeof *shown };

static void print_cost(lb_cost cost)
{
    printf(" %.0f | %.0f |", cost.multiplications, cost.additions);
}

static void print_count(lb_count count)
{
    printf(" %ld | %ld |", count.multiplications, count.additions);
}

static void print_sweeps(void)
{
    printf("### The sweeps (63) and (64), one body in the middle of a chain\n\n"
           "| modes | section 8: × | + | `ruthless`: × | + | `consistent`: × | + | "
           "`consistent`, cantilever: × | + |\n"
           "|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < SHOWN; ++i) {
        const int n = shown[i];
        printf("| %d |", n);
        print_cost(lb_section8_articulated(n));
        print_cost(lb_get_sweep_cost(n, LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS));
        print_cost(lb_get_sweep_cost(n, LB_MODES_FREE_FREE, LB_FIDELITY_CONSISTENT));
        print_cost(lb_get_sweep_cost(n, LB_MODES_CANTILEVER, LB_FIDELITY_CONSISTENT));
        printf("\n");
    }
}

static void print_rest(void)
{
    printf("\n### What comes before the sweeps, one body in the middle of a chain\n\n"
           "| modes | kinematics, `ruthless`: × | + | `consistent`: × | + | "
           "$M_m$ and $b_m$, `ruthless`: × | + | `consistent`: × | + | "
           "with second order: × | + |\n"
           "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < SHOWN; ++i) {
        const int n = shown[i];
        const lb_modes modes = LB_MODES_FREE_FREE;
        const lb_chain_count ruthless = get_middle(n, modes, LB_FIDELITY_RUTHLESS, 0);
        const lb_chain_count plain = get_middle(n, modes, LB_FIDELITY_CONSISTENT, 0);
        const lb_chain_count second = get_middle(n, modes, LB_FIDELITY_CONSISTENT, 1);
        printf("| %d |", n);
        print_count(get_kinematics(&ruthless.articulated));
        print_count(get_kinematics(&plain.articulated));
        print_count(ruthless.articulated.part[LB_COUNT_DEFORMATION]);
        print_count(plain.articulated.part[LB_COUNT_DEFORMATION]);
        print_count(second.articulated.part[LB_COUNT_DEFORMATION]);
        printf("\n");
    }
}

static void print_inverse(void)
{
    printf("\n### Inverse dynamics, one body in the middle of a chain\n\n"
           "| modes | section 8: × | + | `ruthless`: × | + | `consistent`: × | + |\n"
           "|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < SHOWN; ++i) {
        const int n = shown[i];
        printf("| %d |", n);
        print_cost(lb_section8_inverse(n));
        print_count(get_middle(n, LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS, 0).inverse.total);
        print_count(get_middle(n, LB_MODES_FREE_FREE, LB_FIDELITY_CONSISTENT, 0).inverse.total);
        printf("\n");
    }
}

static void print_inverse_parts(void)
{
    static const lb_count_part parts[] = {LB_COUNT_POSITION, LB_COUNT_VELOCITY,
                                          LB_COUNT_ACCELERATION, LB_COUNT_DEFORMATION,
                                          LB_COUNT_SWEEPS};
    printf("\n### Inverse dynamics by parts, one `ruthless` body in the middle of a chain\n\n"
           "| modes | positions: × | + | velocities, $a_m$: × | + | accelerations: × | + | "
           "$b_m$, stiffness, damping: × | + | forces: × | + |\n"
           "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < SHOWN; ++i) {
        const lb_algorithm_count count =
            lb_get_inverse_count(shown[i], LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS);
        printf("| %d |", shown[i]);
        for (size_t j = 0; j < sizeof parts / sizeof *parts; ++j) {
            print_count(count.part[parts[j]]);
        }
        printf("\n");
    }
}

static void print_ten(void)
{
    printf("\n### Forward dynamics of ten `ruthless` bodies, multiplications and additions "
           "together\n\n"
           "| modes | section 8, composite | section 8, articulated | composite | with all | "
           "articulated | with all | section 8, composite : articulated with all |\n"
           "|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < SHOWN; ++i) {
        const int n = shown[i];
        const double paper = lb_cost_sum(lb_section8_composite(n, LB_TEN));
        const lb_ten_cost ten = lb_get_ten_cost(n, LB_FIDELITY_RUTHLESS);
        printf("| %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f |\n", n, paper,
               LB_TEN * lb_cost_sum(lb_section8_articulated(n)), lb_cost_sum(ten.composite),
               lb_cost_sum(ten.composite_all), lb_cost_sum(ten.articulated),
               lb_cost_sum(ten.articulated_all), paper / lb_cost_sum(ten.articulated_all));
    }
}

void lb_print_tables(void)
{
    print_sweeps();
    print_rest();
    print_inverse();
    print_inverse_parts();
    print_ten();
}
