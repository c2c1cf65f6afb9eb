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

// a n^2 + b n + c of multiplications and of additions.
typedef struct polynomial {
    double products[3], sums[3];
} polynomial;

static double evaluate(const double c[3], int n)
{
    return (c[0] * n + c[1]) * n + c[2];
}

static void expect_polynomial(const polynomial *p, const char *what, int n, lb_count count)
{
    const double products = evaluate(p->products, n), sums = evaluate(p->sums, n);
    expect((double)count.multiplications == products, what, n, (double)count.multiplications,
           products);
    expect((double)count.additions == sums, what, n, (double)count.additions, sums);
}

// Inverse dynamics, part by part: the polynomials of docs/theory/cost.md, and by how much the whole
// exceeds section 8.
static void check_inverse(void)
{
    static const struct {
        lb_count_part part;
        const char *name;
        polynomial cost;
    } parts[] = {
        {LB_COUNT_POSITION, "inverse: positions", {{0, 0, 81}, {0, 0, 57}}},
        {LB_COUNT_VELOCITY, "inverse: velocities, a_m", {{0, 12, 30 + 153}, {0, 12, 30 + 156}}},
        {LB_COUNT_ACCELERATION, "inverse: accelerations", {{0, 12, 30}, {0, 12, 30}}},
        {LB_COUNT_DEFORMATION, "inverse: b_m, stiffness, damping", {{2, 13, 27}, {2, 8, 15}}},
        {LB_COUNT_SWEEPS, "inverse: forces", {{1, 24, 54}, {1, 24, 53}}},
    };
    // damping, positions, and what a_m and b_m cost more than what section 8 leaves for them
    static const polynomial excess = {{1, 7, 81 + 88}, {1, 6, 57 + 141}};
    for (int n = 1; n <= 40; ++n) {
        const lb_algorithm_count ours =
            lb_get_inverse_count(n, LB_MODES_FREE_FREE, LB_FIDELITY_RUTHLESS);
        const lb_cost theirs = lb_section8_inverse(n);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
            expect_polynomial(&parts[i].cost, parts[i].name, n, ours.part[parts[i].part]);
        }
        const lb_count more = {ours.total.multiplications - (long)theirs.multiplications,
                               ours.total.additions - (long)theirs.additions, 0, 0};
        expect_polynomial(&excess, "inverse: excess over section 8", n, more);
        // consistent bodies: forces and accelerations are the same, the rest is at their deformation
        const lb_algorithm_count consistent =
            lb_get_inverse_count(n, LB_MODES_FREE_FREE, LB_FIDELITY_CONSISTENT);
        for (size_t i = 2; i < sizeof parts / sizeof *parts; i += 2) {
            expect_polynomial(&parts[i].cost, parts[i].name, n, consistent.part[parts[i].part]);
        }
        static const polynomial all = {{18, 131, 800}, {18, 131, 669}};
        expect_polynomial(&all, "inverse, consistent", n, consistent.total);
    }
    printf("inverse: (45), part by part, as in docs/theory/cost.md for 1 to 40 modes\n");
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
    check_inverse();
    check_linear(LB_FIDELITY_CONSISTENT);
    check_linear(LB_FIDELITY_RUTHLESS);
    check_ratio(5, 3);
    check_ratio(10, 7);
    return failures > 0;
}
