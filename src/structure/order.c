// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sign of modes, and the choice among modes of equal frequency: the same on every machine.
#include <math.h>

#include "fe.h"

// Nodes in the order in which ties are settled: joints from the last to the first, then the others.
static int get_node(const lb_fe *fe, int i)
{
    return i < fe->joint_count ? fe->joint_count - 1 - i : i;
}

static bool is_better(double a, double b)
{
    // 1e-6: far above round-off, far below any difference that means something
    return a > b * (1 + 1e-6);
}

// The dof in which the vectors of a set together move the furthest; turns only where nothing moves.
static size_t find_largest(const lb_fe *fe, const double *const *vectors, int count)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    double best = 0.0;
    size_t at = 0;
    for (int turns = 0; turns < 2; ++turns) {
        double any = 0.0;
        for (int i = 0; i < fe->node_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                const size_t dof = (size_t)(LB_FE_DOFS * get_node(fe, i) + 3 * turns + k);
                double square = 0.0;
                for (int r = 0; r < count; ++r) {
                    square += vectors[r][dof] * vectors[r][dof];
                }
                any += square;
                if (is_better(square, best)) {
                    best = square;
                    at = dof;
                }
            }
        }
        // a sum of squares of 1e-20 is round-off of unit modal mass in any sensible unit of length
        double whole = 0.0;
        for (size_t i = 0; i < size; ++i) {
            whole += vectors[0][i] * vectors[0][i];
        }
        if (turns == 0 && any > 1e-20 * whole) {
            break;
        }
        best = turns == 0 ? 0.0 : best;
    }
    return at;
}

// Turns the vectors of a set so that the first has all of the motion in the dof where they move the
// furthest, and so on with the rest.
static void choose_among(const lb_fe *fe, double **vectors, int count)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    for (int first = 0; first + 1 < count; ++first) {
        const size_t at = find_largest(fe, (const double *const *)(vectors + first), count - first);
        for (int r = first + 1; r < count; ++r) {
            double *a = vectors[first], *b = vectors[r];
            const double h = hypot(a[at], b[at]);
            if (b[at] == 0 || h == 0) {
                continue;
            }
            const double c = a[at] / h, s = b[at] / h;
            for (size_t i = 0; i < size; ++i) {
                const double x = a[i], y = b[i];
                a[i] = c * x + s * y;
                b[i] = -s * x + c * y;
            }
            b[at] = 0.0;
        }
    }
}

// What is round-off beside the largest entry of its kind becomes zero: whole motions drop out.
static void clean(const lb_fe *fe, double *vector)
{
    double largest[2] = {0, 0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < fe->node_count * LB_FE_DOFS; ++i) {
            const int kind = i % LB_FE_DOFS / 3;
            if (pass == 0) {
                largest[kind] = fmax(largest[kind], fabs(vector[i]));
            } else if (fabs(vector[i]) < 1e-14 * largest[kind]) {
                vector[i] = 0.0;
            }
        }
    }
}

lb_status lb_fe_order_modes(lb_fe_context *context, const lb_fe *fe, int count, double *squares,
                            double *shapes)
{
    const size_t size = (size_t)fe->node_count * LB_FE_DOFS;
    double **vectors;
    if (!LB_FE_TAKE(context, vectors, count > 0 ? count : 1)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < count; ++r) {
        vectors[r] = shapes + (size_t)r * size;
    }
    for (int first = 0, end; first < count; first = end) {
        // equal: to 1e-7 of the squared frequency
        for (end = first + 1; end < count && squares[end] - squares[first] <= 1e-7 * squares[end];
             ++end) {
        }
        choose_among(fe, vectors + first, end - first);
    }
    for (int r = 0; r < count; ++r) {
        const double *one = vectors[r];
        clean(fe, vectors[r]);
        if (vectors[r][find_largest(fe, &one, 1)] < 0) {
            for (size_t i = 0; i < size; ++i) {
                vectors[r][i] = -vectors[r][i];
            }
        }
    }
    return LB_OK;
}
