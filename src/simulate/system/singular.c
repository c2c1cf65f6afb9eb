// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "singular.h"

#include <math.h>

// see lb_nearness
static const double nearly_singular = 1e-5, forgetting = 0.9999;

bool lb_note_pivots(lb_singular *singular, const lb_model *model, const lb_work *work,
                    int held_count)
{
    int rows = 0, rank = 0, loop = 0;
    (void)lb_get_loop_rank(model, work, &rows, &rank, NULL);
    if (rows != singular->row_count || held_count != singular->held_count) {
        singular->row_count = rows;
        singular->held_count = held_count;
        singular->rank = rank;
        singular->usual = 0.0;
    }
    singular->rank = rank > singular->rank ? rank : singular->rank;
    const bool is_short = rank < singular->rank;

    const double pivot = lb_get_loop_pivot(model, work, &loop);
    singular->usual = fmax(pivot, forgetting * singular->usual);
    singular->lowest = fmin(singular->lowest, is_short ? 0.0 : pivot);
    if (pivot < nearly_singular) {
        // pivots are at most one, so that a fallen one is small
        const bool has_fallen = pivot < nearly_singular * singular->usual;
        singular->nearness = has_fallen || singular->nearness == LB_NEARNESS_FALLEN
                                 ? LB_NEARNESS_FALLEN
                                 : LB_NEARNESS_SMALL;
        singular->loop = loop;
    }
    return is_short;
}
