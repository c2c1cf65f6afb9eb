// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events of ERKStep. Its root finder works on a polynomial through the ends of a step, which is far less
// accurate than the step. The last step is therefore taken again, so that it ends at the event.
#include <arkode/arkode_erkstep.h>
#include <math.h>
#include <string.h>

#include "adaptive.h"

lb_status lb_repeat_step(lb_flow *flow, double t)
{
    lb_adaptive *own = flow->integrator;
    void *m = own->lander;
    double reached = own->last_t;
    memcpy(flow->y, own->last_y, (size_t)flow->system->y_count * sizeof *flow->y);
    int flag = ERKStepReInit(m, lb_compute_rate, own->last_t, own->y);
    flag = flag < 0 ? flag : ERKStepSetFixedStep(m, t - own->last_t);
    flag = flag < 0 ? flag : ERKStepSetStopTime(m, t);
    flag = flag < 0 ? flag : ERKStepEvolve(m, t, own->y, &reached, ARK_ONE_STEP);
    return flag < 0 ? LB_E_STEP : LB_OK;
}

// A step from the last state to t; `levels` are those of the events there.
static lb_status try_step(lb_flow *flow, double t)
{
    const lb_status status = lb_repeat_step(flow, t);
    return status < 0 ? status : flow->compute_levels(flow->user, t, flow->y, flow->levels);
}

// Level of an event in its direction: below zero before it, above behind it.
static double get_level(const lb_flow *flow, int event)
{
    return flow->found[event] > 0 ? flow->levels[event] : -flow->levels[event];
}

// Widens the interval about t until the event is in it: `ends` before and behind, and the levels there.
static bool enclose(lb_flow *flow, int event, double t, double ends[2], double levels[2])
{
    const lb_adaptive *own = flow->integrator;
    const double h = own->accepted_t - own->last_t;
    if (try_step(flow, t) < 0) {
        return false;
    }
    const int side = get_level(flow, event) >= 0.0;
    ends[side] = t;
    levels[side] = get_level(flow, event);
    for (double width = 1e-10 * h; width < h; width *= 30.0) {
        const double other = side ? t - width : t + width;
        // so long a step is taken only as far as it was found good
        if (other <= own->last_t || other > own->accepted_t || try_step(flow, other) < 0) {
            return false;
        }
        const double level = get_level(flow, event);
        const int found = level >= 0.0;
        ends[found] = other;
        levels[found] = level;
        if (found != side) {
            return true;
        }
    }
    return false;
}

// Regula falsi (Illinois) for the end behind the event, to round-off of t.
static bool narrow(lb_flow *flow, int event, double ends[2], double levels[2])
{
    enum { MOST = 100 };
    int last = -1;
    for (int i = 0; i < MOST && levels[1] != 0.0; ++i) {
        const double width = ends[1] - ends[0], least = 4e-16 * fabs(ends[1]);
        if (width <= 2.0 * least) {
            break;
        }
        double t = ends[0] + width * levels[0] / (levels[0] - levels[1]);
        t = fmin(fmax(t, ends[0] + fmax(least, 1e-3 * width)), ends[1] - fmax(least, 1e-3 * width));
        if (try_step(flow, t) < 0) {
            return false;
        }
        const double level = get_level(flow, event);
        const int side = level >= 0.0;
        ends[side] = t;
        levels[side] = level;
        if (side == last) {
            levels[!side] *= 0.5;
        }
        last = side;
    }
    return try_step(flow, ends[1]) >= 0;
}

// Events that are still ahead do not count.
static void drop_later(lb_flow *flow)
{
    for (int i = 0; i < flow->event_count; ++i) {
        flow->found[i] = flow->found[i] && get_level(flow, i) >= 0.0 ? flow->found[i] : 0;
    }
}

// ERKStep goes on from the present state.
static lb_landing go_on(lb_flow *flow, double h, lb_landing landing)
{
    lb_adaptive *own = flow->integrator;
    own->accepted_t = own->last_t = flow->t;
    lb_forget_rates(own);
    memcpy(own->accepted_y, flow->y, (size_t)flow->system->y_count * sizeof *flow->y);
    return ERKStepReset(own->memory, flow->t, own->y) == ARK_SUCCESS &&
                   ERKStepSetInitStep(own->memory, h) == ARK_SUCCESS &&
                   ERKStepSetRootDirection(own->memory, flow->directions) == ARK_SUCCESS
               ? landing
               : LB_NOT_LANDED;
}

lb_landing lb_land(lb_flow *flow, double t_begin, double t_end)
{
    lb_adaptive *own = flow->integrator;
    const double t = flow->t, h = own->accepted_t - own->last_t;
    double ends[2], levels[2];
    int event = 0;
    while (event < flow->event_count && !flow->found[event]) {
        ++event;
    }
    if (event == flow->event_count || !(t > own->last_t && t <= own->accepted_t)) {
        return LB_NOT_LANDED;
    }
    memcpy(own->interpolated_y, flow->y, (size_t)flow->system->y_count * sizeof *flow->y);
    bool landed = enclose(flow, event, t, ends, levels) && narrow(flow, event, ends, levels);
    // the polynomial may have put it on the wrong side of what has been handed out, or is to be
    const double off = landed ? fmin(fmax(ends[1], t_begin), t_end) - ends[1] : 0.0;
    const bool is_behind = off < -1e-14 * fabs(t_end);
    if (off != 0.0 && t_begin > own->last_t) {
        landed = landed && (!(off > 0.0 || is_behind) || try_step(flow, ends[1] + off) >= 0);
    } else if (is_behind) {
        landed = landed && try_step(flow, t_end) >= 0;
    }
    if (!landed) {
        memcpy(flow->y, own->interpolated_y, (size_t)flow->system->y_count * sizeof *flow->y);
        return LB_NOT_LANDED;
    }
    flow->t = ends[1] + off;
    if (is_behind) {
        flow->t = t_end;
        memset(flow->found, 0, (size_t)flow->event_count * sizeof *flow->found);
        return go_on(flow, h, LB_LANDED_BEFORE);
    }
    drop_later(flow);
    return go_on(flow, h, LB_LANDED);
}
