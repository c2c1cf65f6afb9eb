// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
//     counts            checks our counts against section 8
//     counts --tables   the tables of docs/theory/cost.md
//     counts --figure   docs/theory/figures/cost.svg
#include <stdio.h>
#include <string.h>

#include "report.h"

static int failures;

static void expect(int condition, const char *what, int modes, double ours, double bound)
{
    if (!condition) {
        printf("FAILED at %d modes: %s: %.0f against %.0f\n", modes, what, ours, bound);
        ++failures;
    }
}

// Sweeps at or below section 8, up to `last` modes; says where that ends.
static void check_sweeps(const char *name, lb_modes modes, lb_fidelity fidelity, int last)
{
    int n = 1;
    for (; n <= 40; ++n) {
        const lb_cost ours = lb_get_sweep_cost(n, modes, fidelity),
                      bound = lb_section8_articulated(n);
        const int fewer_products = ours.multiplications <= bound.multiplications;
        const int fewer_sums = ours.additions <= bound.additions;
        if (n > last && !(fewer_products && fewer_sums)) {
            break;
        }
        if (n <= last) {
            expect(fewer_products, name, n, ours.multiplications, bound.multiplications);
            expect(fewer_sums, name, n, ours.additions, bound.additions);
        }
    }
    printf("%s: (63) and (64) at or below section 8 for 1 to %d modes%s\n", name, n - 1,
           n > 40 ? " (no more were tried)" : "");
}

// Inverse dynamics at or below section 8, in what that counts.
static void check_inverse(const char *name, lb_modes modes, lb_fidelity fidelity)
{
    for (int n = 1; n <= 40; ++n) {
        const lb_cost ours = lb_get_inverse_cost(n, modes, fidelity),
                      bound = lb_section8_inverse(n);
        expect(ours.multiplications <= bound.multiplications, name, n, ours.multiplications,
               bound.multiplications);
        expect(ours.additions <= bound.additions, name, n, ours.additions, bound.additions);
    }
    printf("%s: (45) at or below section 8 for 1 to 40 modes\n", name);
}

// Twenty bodies cost what ten cost, and ten bodies in the middle.
static void check_linear(lb_fidelity fidelity)
{
    lb_chain chain = {LB_TEN, 5, LB_MODES_FREE_FREE, fidelity, 0};
    const long middle = lb_measure_middle(&chain).articulated.total.multiplications;
    const long ten = lb_measure_chain(&chain).articulated.total.multiplications;
    chain.body_count = 2 * LB_TEN;
    const long twenty = lb_measure_chain(&chain).articulated.total.multiplications;
    expect(twenty == ten + LB_TEN * middle, "cost linear in bodies", chain.mode_count,
           (double)twenty, (double)(ten + LB_TEN * middle));
}

// Articulated, with all that is executed, against the composite bodies of section 8.
static void check_ratio(int modes, double least)
{
    const double ours = lb_cost_sum(lb_get_ten_cost(modes, LB_FIDELITY_RUTHLESS).articulated_all);
    const double theirs = lb_cost_sum(lb_section8_composite(modes, LB_TEN));
    printf("%d modes: articulated %.1f times below the composite bodies of section 8\n", modes,
           theirs / ours);
    expect(theirs > least * ours, "articulated against composite", modes, ours, theirs / least);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--tables") == 0) {
        lb_print_tables();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--figure") == 0) {
        lb_print_figure();
        return 0;
    }
    if (argc != 1) {
        fprintf(stderr, "usage: counts [--tables | --figure]\n");
        return 2;
    }
    check_sweeps("consistent, free-free", LB_MODES_FREE_FREE, LB_FIDELITY_CONSISTENT, 20);
    check_sweeps("consistent, cantilever", LB_MODES_CANTILEVER, LB_FIDELITY_CONSISTENT, 20);
    check_sweeps("ruthless, free-free", LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS, 20);
    check_sweeps("ruthless, cantilever", LB_MODES_CANTILEVER, LB_FIDELITY_RUTHLESS, 20);
    check_inverse("inverse, consistent, free-free", LB_MODES_FREE_FREE, LB_FIDELITY_CONSISTENT);
    check_inverse("inverse, ruthless, free-free", LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS);
    check_inverse("inverse, ruthless, cantilever", LB_MODES_CANTILEVER, LB_FIDELITY_RUTHLESS);
    check_linear(LB_FIDELITY_CONSISTENT);
    check_linear(LB_FIDELITY_RUTHLESS);
    check_ratio(5, 3);
    check_ratio(10, 7);
    return failures > 0;
}
