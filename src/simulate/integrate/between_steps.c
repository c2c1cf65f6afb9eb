// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The state between two steps of ERKStep, whose own polynomials are of order 5 at most. Ours goes up from
// level to level until it changes by less than a step may be off. Where even the highest does not do,
// the step is repeated up to the requested time.
#include <math.h>
#include <string.h>

#include "adaptive.h"

// Whether a state is that which the integrator started from, or the end of the last step of ERKStep.
static bool is_known(const lb_adaptive *own, double t, const double *y, int count)
{
    return t == own->accepted_t && memcmp(y, own->accepted_y, (size_t)count * sizeof *y) == 0;
}

bool lb_recall_rate(const lb_adaptive *own, double t, const double *y, double *rate, int count)
{
    const bool knows = own->has_rate[1] && is_known(own, t, y, count);
    if (knows) {
        memcpy(rate, own->rate[1], (size_t)count * sizeof *rate);
    }
    return knows;
}

void lb_keep_rate(lb_adaptive *own, double t, const double *y, const double *rate, int count)
{
    if (!own->has_rate[1] && is_known(own, t, y, count)) {
        memcpy(own->rate[1], rate, (size_t)count * sizeof *rate);
        own->has_rate[1] = true;
    }
}

void lb_shift_rates(lb_adaptive *own)
{
    double *rate = own->rate[0];
    own->rate[0] = own->rate[1];
    own->rate[1] = rate;
    own->has_rate[0] = own->has_rate[1];
    own->has_rate[1] = false;
    own->between = LB_BETWEEN_UNKNOWN;
}

void lb_forget_rates(lb_adaptive *own)
{
    own->has_rate[0] = own->has_rate[1] = false;
    own->between = LB_BETWEEN_UNKNOWN;
}

static lb_status find_rates(lb_flow *flow, lb_adaptive *own)
{
    const double t[2] = {own->last_t, own->accepted_t};
    const double *const y[2] = {own->last_y, own->accepted_y};
    for (int i = 0; i < 2; ++i) {
        if (!own->has_rate[i]) {
            const lb_status status = lb_evaluate_system(flow->system, t[i], y[i], own->rate[i]);
            if (status < 0) {
                return status;
            }
            own->has_rate[i] = true;
        }
    }
    return LB_OK;
}

// Largest change by the last level, in tolerances.
static double measure_change(lb_adaptive *own, const lb_system *s)
{
    static const double places[] = {0.25, 0.5, 0.75};
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        lb_compare_dense(&own->dense, places[i], own->interpolated_y);
        worst = fmax(worst, lb_measure_error(&own->allowed, s, own->interpolated_y));
    }
    return worst;
}

// A polynomial for the last step; LB_E_STEP if none is good enough. What a level changes is the error of the one below.
// By how much its own is less must not be guessed from earlier changes: at phases of an oscillation, every second one is
// small by chance.
static lb_status find_curve(lb_flow *flow, lb_adaptive *own)
{
    lb_status status = find_rates(flow, own);
    if (status < 0) {
        return status;
    }
    lb_begin_dense(&own->dense, own->last_t, own->accepted_t, own->last_y, own->accepted_y,
                   own->rate[0], own->rate[1]);
    lb_update_weights(&own->allowed, flow, own->accepted_t, own->accepted_y);
    for (int level = 1; level < LB_DENSE_LEVELS; ++level) {
        status = lb_refine_dense(&own->dense, flow->system);
        if (status < 0) {
            return status;
        }
        if (measure_change(own, flow->system) <= 1.0) {
            return LB_OK;
        }
    }
    return LB_E_STEP;
}

lb_status lb_place_between(lb_flow *flow)
{
    lb_adaptive *own = flow->integrator;
    lb_system *s = flow->system;
    if (own->between == LB_BETWEEN_UNKNOWN) {
        const lb_status status = find_curve(flow, own);
        if (s->called_off) {
            return status;
        }
        s->failure = LB_OK;
        own->between = status < 0 ? LB_BETWEEN_STEP : LB_BETWEEN_CURVE;
    }
    if (own->between == LB_BETWEEN_STEP) {
        memcpy(own->interpolated_y, flow->y, (size_t)s->y_count * sizeof *flow->y);
        const lb_status status = lb_repeat_step(flow, flow->t);
        if (status < 0 && !s->called_off) {
            // the polynomial of ERKStep is all that is left
            s->failure = LB_OK;
            memcpy(flow->y, own->interpolated_y, (size_t)s->y_count * sizeof *flow->y);
            return LB_OK;
        }
        return status;
    }
    lb_evaluate_dense(&own->dense, flow->t, flow->y);
    return LB_OK;
}
