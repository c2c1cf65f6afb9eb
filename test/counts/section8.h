// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Costs that Jain and Rodriguez 1992, section 8, state for their algorithms: a body in the middle of
// a serial chain, n modes, free-free, ruthlessly linearized, on a hinge of one degree of freedom.
#ifndef LB_SECTION8_H
#define LB_SECTION8_H

typedef struct lb_cost {
    double multiplications, additions;
} lb_cost;

static inline lb_cost lb_cost_add(lb_cost a, lb_cost b)
{
    return (lb_cost){a.multiplications + b.multiplications, a.additions + b.additions};
}

/// (63) with D_f inverted explicitly; the paper uses it up to 7 modes.
static inline lb_cost lb_section8_explicit(double n)
{
    return (lb_cost){((5.0 / 6 * n + 25.0 / 2) * n + 764.0 / 3) * n + 180,
                     ((5.0 / 6 * n + 21.0 / 2) * n + 548.0 / 3) * n + 164};
}

/// (63) with the inverse of D_f by the update (77).
static inline lb_cost lb_section8_indirect(double n)
{
    return (lb_cost){(12 * n + 255) * n + 572, (13 * n + 182) * n + 445};
}

/// (64): tip to base, and base to tip.
static inline lb_cost lb_section8_forces(double n)
{
    return (lb_cost){(n + 25 + 18) * n + 49 + 52, (n + 24 + 19) * n + 50 + 42};
}

/// (63) and (64).
static inline lb_cost lb_section8_articulated(int n)
{
    return lb_cost_add(n <= 7 ? lb_section8_explicit(n) : lb_section8_indirect(n),
                       lb_section8_forces(n));
}

/// (45), the inverse dynamics, at zero acceleration: item 3 of 8.1.
static inline lb_cost lb_section8_inverse(double n)
{
    return (lb_cost){(2 * n + 54) * n + 206, (2 * n + 50) * n + 143};
}

/// Forward dynamics of N bodies by composite bodies, items 1 to 5 of 8.1.
static inline lb_cost lb_section8_composite(double n, int N)
{
    const double size = N * (n + 1);
    lb_cost sum = {((size / 6 + 3.0 / 2) * size - 2.0 / 3) * size,
                   ((size / 6 + 1) * size - 7.0 / 6) * size + size};
    for (int k = 1; k <= N; ++k) {
        sum.multiplications += 48 * n + 90 + k * ((12 * n + 34) * n + 13);
        sum.additions += (n + 97.0 / 2) * n + 116 + k * ((11 * n + 24) * n + 13);
        sum = lb_cost_add(sum, lb_section8_inverse(n));
    }
    return sum;
}

#endif // LB_SECTION8_H
