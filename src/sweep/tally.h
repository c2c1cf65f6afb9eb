// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a signal over a run: it is told row by row.
#ifndef LB_TALLY_H
#define LB_TALLY_H

#include <math.h>
#include <stdbool.h>

#include "sweep.h"

/// What is known of a signal so far.
typedef struct lb_tally {
    double last, max, min, time_of_max, time_of_min, sum, square;
} lb_tally;

static inline void lb_add_to_tally(lb_tally *y, double value, double t, double before,
                                   bool is_first)
{
    if (is_first || value > y->max) {
        y->max = value;
        y->time_of_max = t;
    }
    if (is_first || value < y->min) {
        y->min = value;
        y->time_of_min = t;
    }
    // mean and RMS by the trapezoidal rule, as limber loads has them
    if (!is_first) {
        y->sum += 0.5 * (t - before) * (value + y->last);
        y->square += 0.5 * (t - before) * (value * value + y->last * y->last);
    }
    y->last = value;
}

static inline double lb_get_tally(const lb_tally *y, lb_signal_value value, double span)
{
    switch (value) {
    case LB_VALUE_END:
        return y->last;
    case LB_VALUE_MAX:
        return y->max;
    case LB_VALUE_MIN:
        return y->min;
    case LB_VALUE_LARGEST:
        return fmax(y->max, -y->min);
    case LB_VALUE_MEAN:
        return span > 0.0 ? y->sum / span : y->last;
    case LB_VALUE_RMS:
        return span > 0.0 ? sqrt(y->square / span) : fabs(y->last);
    case LB_VALUE_TIME_OF_MAX:
        return y->time_of_max;
    case LB_VALUE_TIME_OF_MIN:
        break;
    }
    return y->time_of_min;
}

#endif // LB_TALLY_H
