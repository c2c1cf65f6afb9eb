// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sides of operations that jump or have kinks.
#include "switches.h"

#include <float.h>
#include <math.h>

bool lb_has_sides(lb_term_op op)
{
    switch (op) {
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
    case LB_TERM_ABS:
    case LB_TERM_SIGN:
    case LB_TERM_STEP:
    case LB_TERM_FLOOR:
    case LB_TERM_MOD:
    case LB_TERM_MIN:
    case LB_TERM_MAX:
    case LB_TERM_CLAMP:
    case LB_TERM_IF:
    case LB_TERM_ATAN2:
        return true;
    default:
        return false;
    }
}

static int find_whole(double x)
{
    const double whole = floor(x);
    return fabs(whole) < 1e9 ? (int)whole : LB_SIDE_FREE;
}

int lb_find_side(lb_term_op op, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < lb_get_operand_count(op); ++i) {
        sum += op == LB_TERM_IF && i > 0 ? 0.0 : x[i];
    }
    if (isnan(sum)) {
        return LB_SIDE_FREE;
    }
    switch (op) {
    case LB_TERM_LESS:
    case LB_TERM_MIN:
        return x[0] < x[1];
    case LB_TERM_LESS_EQUAL:
        return x[0] <= x[1];
    case LB_TERM_MAX:
        return x[0] > x[1];
    case LB_TERM_ABS:
        return x[0] >= 0.0 ? 1 : -1;
    case LB_TERM_SIGN:
        return (x[0] > 0.0) - (x[0] < 0.0);
    case LB_TERM_STEP:
        return x[0] >= 0.0;
    case LB_TERM_IF:
        return x[0] > 0.0;
    case LB_TERM_CLAMP:
        return x[0] < x[1] ? -1 : x[0] > x[2];
    case LB_TERM_FLOOR:
        return find_whole(x[0]);
    case LB_TERM_MOD:
        return find_whole(x[0] / x[1]);
    case LB_TERM_ATAN2: // the cut is where y changes its sign while x is negative
        return x[1] >= 0.0 ? 0 : x[0] >= 0.0 ? 1 : -1;
    default:
        return LB_SIDE_FREE;
    }
}

// From the lower end of a whole number to the next.
static double get_whole_level(double x, int side)
{
    return fmin(x - side, side + 1.0 - x);
}

double lb_get_side_level(lb_term_op op, int side, const double *x)
{
    switch (op) {
    case LB_TERM_LESS:
    case LB_TERM_LESS_EQUAL:
    case LB_TERM_MIN:
        return side ? x[1] - x[0] : x[0] - x[1];
    case LB_TERM_MAX:
        return side ? x[0] - x[1] : x[1] - x[0];
    case LB_TERM_ABS:
        return side * x[0];
    case LB_TERM_SIGN:
        return side ? side * x[0] : -fabs(x[0]);
    case LB_TERM_STEP:
    case LB_TERM_IF:
        return side ? x[0] : -x[0];
    case LB_TERM_CLAMP:
        return side < 0 ? x[1] - x[0] : side > 0 ? x[0] - x[2] : fmin(x[0] - x[1], x[2] - x[0]);
    case LB_TERM_FLOOR:
        return get_whole_level(x[0], side);
    case LB_TERM_MOD:
        return get_whole_level(x[0] / x[1], side);
    case LB_TERM_ATAN2:
        return side ? side * x[0] : x[1];
    default:
        return 1.0;
    }
}
