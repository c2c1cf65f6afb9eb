// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events whose times are known beforehand: a step ends there.
#include <math.h>

#include "flow.h"

double lb_get_next_event_time(const lb_flow *flow)
{
    double next = INFINITY;
    for (int i = 0; i < flow->event_count; ++i) {
        next = flow->spent[i] ? next : fmin(next, flow->times[i]);
    }
    return next;
}

bool lb_take_due_events(lb_flow *flow, double t, bool with_others)
{
    bool any = false;
    for (int i = 0; i < flow->event_count; ++i) {
        const bool is_due = !flow->spent[i] && flow->times[i] <= t;
        flow->found[i] = is_due ? 1 : with_others ? flow->found[i] : 0;
        if (is_due) {
            flow->times[i] = INFINITY;
            any = true;
        }
    }
    return any;
}
