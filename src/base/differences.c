// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "differences.h"

#include <math.h>

// Sums of one step. An error of the function ends them.
static lb_status sum_up(lb_line function, void *user, double h, int count, lb_line_slope *x)
{
    static const double weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    for (int i = 0; i < count; ++i) {
        x[i].sum = x[i].size = 0.0;
    }
    for (int side = 0; side < 6; ++side) {
        const double sign = side % 2 ? -1.0 : 1.0;
        const lb_status status = function(user, sign * h * (side / 2 + 1), x);
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < count; ++i) {
            x[i].sum += sign * weights[side / 2] / h * x[i].value;
            x[i].size = fmax(x[i].size, fabs(x[i].value));
        }
    }
    return LB_OK;
}

// Takes the slope of this step if it agrees with the last better than any two before. Returns whether it does so to
// 1e-11 or to round-off, in which the larger step has the smaller part.
static bool compare(lb_line_slope *x, double h)
{
    const double gap = fabs(x->sum - x->last), noise = 2e-15 * x->size / h;
    if (gap < x->error) {
        x->error = gap;
        x->slope = gap <= noise ? x->last : x->sum;
    } else if (x->error == INFINITY) {
        x->slope = x->sum;
    }
    x->last = x->sum;
    return gap <= noise + 1e-11 * fabs(x->sum);
}

lb_status lb_difference_line(lb_line function, void *user, double step, int count, lb_line_slope *x)
{
    enum { STEPS = 7 };
    lb_status status = LB_OK;
    bool any = false, agree = false;
    for (int i = 0; i < count; ++i) {
        x[i].slope = 0.0;
        x[i].error = INFINITY;
        x[i].last = NAN;
    }
    for (int k = 0; k < STEPS && !agree; ++k, step /= 8.0) {
        status = sum_up(function, user, step, count, x);
        agree = status >= 0;
        any = any || agree;
        for (int i = 0; i < count && status >= 0; ++i) {
            const bool same = compare(&x[i], step);
            agree = agree && same;
        }
    }
    return any ? LB_OK : status;
}
