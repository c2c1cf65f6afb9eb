// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Integration with fixed steps. Steps end on the grid t = n h, at the end of the run, and at
// events: at times that are known, or found by bisection on the length of the step; outputs between are interpolated
// (cubic Hermite).
#include <math.h>
#include <string.h>

#include "fixed_step.h"
#include "simulate/system/closure.h"

// ---- methods: from t0, y0, f0 to y1 --------------------------------------------------------------

// Classical Runge-Kutta on y as a plain vector; quaternions are normalised after the step, which
// keeps the order since the exact solution has unit ones.
static lb_status step_rk4(lb_flow *flow, lb_fixed *own, double h)
{
    lb_system *s = flow->system;
    const int n = s->y_count;
    double *stage = own->k[0], *k = own->k[1], *sum = own->k[2];
    static const double at[] = {0.5, 0.5, 1.0}, weight[] = {2.0, 2.0, 1.0};
    memcpy(sum, own->f0, (size_t)n * sizeof *sum);
    memcpy(k, own->f0, (size_t)n * sizeof *k);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < n; ++i) {
            stage[i] = own->y0[i] + at[j] * h * k[i];
        }
        const lb_status status = lb_evaluate_system(s, own->t0 + at[j] * h, stage, k);
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < n; ++i) {
            sum[i] += weight[j] * k[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        own->y1[i] = own->y0[i] + h / 6.0 * sum[i];
    }
    return LB_OK;
}

// v1 = v0 + h a0, then q1 = q0 (+) h v1. Work is that of the forces at the start, until those at the end are known.
//
// Bodies that turn freely have the gyroscopic moment in a0, which depends on the speeds alone. Taken at v0 it
// adds (h W)^2 of the energy in each step, with W the rate of nutation. So with such bodies a is that at q0
// and the speeds of half a step, v0 + h/2 a0: then it is (h W)^4 / 4.
static lb_status step_euler(lb_flow *flow, lb_fixed *own, double h)
{
    lb_system *s = flow->system;
    double *move = own->k[0], *stage = own->k[1];
    const double *rates = own->f0;
    if (s->q_count > s->v_count &&
        !s->closure) { // quaternions; loops keep bodies from turning freely
        memcpy(stage, own->y0, (size_t)s->y_count * sizeof *stage);
        for (int i = s->q_count; i < s->q_count + s->v_count; ++i) {
            stage[i] += 0.5 * h * own->f0[i];
        }
        const lb_status status = lb_evaluate_system(s, own->t0, stage, own->k[2]);
        if (status < 0) {
            return status;
        }
        rates = own->k[2];
    }
    const int first_work = s->q_count + s->v_count;
    for (int i = s->q_count; i < s->y_count; ++i) {
        own->y1[i] = own->y0[i] + h * (i < first_work ? rates : own->f0)[i];
    }
    for (int i = 0; i < s->v_count; ++i) {
        move[i] = h * own->y1[s->q_count + i];
    }
    lb_integrate_configuration(s->model, own->y0, move, own->y1);
    return LB_OK;
}

static lb_status step(lb_flow *flow, lb_fixed *own, double h)
{
    lb_status status;
    switch (flow->options.integrator) {
    case LB_INTEGRATOR_EULER:
        status = step_euler(flow, own, h);
        break;
    case LB_INTEGRATOR_ALPHA:
        status = lb_step_alpha(flow, own, h);
        break;
    default:
        status = step_rk4(flow, own, h);
        break;
    }
    if (status >= 0) {
        const double off = lb_clean_state(flow->system, own->t0 + h, own->y1);
        flow->quaternion_error = fmax(flow->quaternion_error, off);
        status = lb_project_step(flow->system, own->t0 + h, own->y1);
    }
    return status;
}

// ---- events --------------------------------------------------------------------------------------

// Marks the events that happen between two sets of levels; false if there are none.
static bool find_crossings(lb_flow *flow, const double *before, const double *after)
{
    bool any = false;
    for (int i = 0; i < flow->event_count; ++i) {
        const double noise = flow->noise[i];
        const bool up = before[i] < -noise && after[i] >= -noise;
        const bool down = before[i] > noise && after[i] <= noise;
        flow->found[i] = 0;
        if (!flow->spent[i] &&
            ((up && flow->directions[i] >= 0) || (down && flow->directions[i] <= 0))) {
            flow->found[i] = up ? 1 : -1;
            any = true;
        }
    }
    return any;
}

// Shortens the step of length h to end just behind the first event in it, if there is one.
static lb_status find_event(lb_flow *flow, lb_fixed *own, double *h, double *levels)
{
    lb_status status = flow->compute_levels(flow->user, own->t0 + *h, own->y1, levels);
    own->pending = status >= 0 && find_crossings(flow, own->levels, levels);
    if (status < 0 || !own->pending) {
        return status;
    }
    double before = 0.0, behind = *h;
    while (behind - before > 1e-14 * (fabs(own->t0) + *h)) {
        const double middle = 0.5 * (before + behind);
        status = step(flow, own, middle);
        status = status < 0 ? status
                            : flow->compute_levels(flow->user, own->t0 + middle, own->y1, levels);
        if (status < 0) {
            return status;
        }
        if (find_crossings(flow, own->levels, levels)) {
            behind = middle;
        } else {
            before = middle;
        }
    }
    *h = behind;
    status = step(flow, own, behind);
    status =
        status < 0 ? status : flow->compute_levels(flow->user, own->t0 + behind, own->y1, levels);
    if (status >= 0) {
        find_crossings(flow, own->levels, levels);
    }
    return status;
}

// ---- stepping ------------------------------------------------------------------------------------

// The point of the grid so many steps ahead, or the end.
static double find_target(const lb_flow *flow, const lb_fixed *own, int ahead)
{
    const lb_run_options *o = &flow->options;
    const double n = floor(own->t0 / o->step + 1e-9) + ahead;
    double target = n * o->step;
    // one that is an output but for rounding is that: a run that is resumed there goes on from the same time
    const double row = floor(target / o->interval + 0.5) * o->interval;
    target = fabs(row - target) <= 1e-9 * o->step ? row : target;
    target = own->t0 < o->duration ? fmin(target, o->duration) : target;
    if (flow->limit < target - 1e-9 * o->step) {
        target = flow->limit;
    }
    // a point of the grid that is a break or an event but for rounding is that
    const double stop = fmin(flow->system->break_time, lb_get_next_event_time(flow));
    return stop - target <= 1e-9 * o->step ? stop : target;
}

// One step; over a point of the grid that lies in a singular position of the loops, where accelerations
// are lost in round-off, two at once.
static lb_status step_over(lb_flow *flow, lb_fixed *own, double *target)
{
    // accelerations are right to round-off over the power 3/2 of the pivot
    enum { MOST = 3 };
    static const double too_small = 1e-8;
    lb_closure *c = flow->system->closure;
    lb_status status = LB_OK;
    for (int ahead = 1; ahead <= MOST; ++ahead) {
        const double next = find_target(flow, own, ahead);
        if (ahead > 1 && next <= *target) {
            break;
        }
        *target = next;
        if (c) {
            lb_watch_singular(&c->singular);
        }
        status = step(flow, own, next - own->t0);
        const bool may_help = status >= 0 || status == LB_E_OPEN || status == LB_E_STEP;
        if (!c || !may_help || c->singular.lowest >= too_small ||
            !(c->singular.nearness == LB_NEARNESS_FALLEN || c->singular.lowest == 0.0)) {
            break;
        }
    }
    return status;
}

// Work by the trapezoidal rule in place of the forces at the start alone.
static void mean_work(const lb_system *s, lb_fixed *own, double h)
{
    for (int i = s->q_count + s->v_count; i < s->y_count; ++i) {
        own->y1[i] += 0.5 * h * (own->f1[i] - own->f0[i]);
    }
}

static lb_status take_step(lb_flow *flow, lb_fixed *own)
{
    own->t0 = own->t1;
    memcpy(own->y0, own->y1, (size_t)flow->system->y_count * sizeof *own->y0);
    memcpy(own->f0, own->f1, (size_t)flow->system->y_count * sizeof *own->f0);
    double t1;
    lb_status status = step_over(flow, own, &t1);
    double h = t1 - own->t0;
    if (status >= 0 && flow->event_count > 0) {
        double *levels = flow->levels;
        status = find_event(flow, own, &h, levels);
        memcpy(own->levels, levels, (size_t)flow->event_count * sizeof *levels);
        t1 = own->pending ? own->t0 + h : t1;
        own->pending = lb_take_due_events(flow, t1, own->pending) || own->pending;
    }
    if (status < 0) {
        return status;
    }
    own->t1 = t1;
    own->steps += 1.0;
    if (own->alpha) {
        lb_accept_alpha(flow, own);
    }
    status = lb_evaluate_system(flow->system, own->t1, own->y1, own->f1);
    if (status >= 0 && flow->options.integrator == LB_INTEGRATOR_EULER) {
        mean_work(flow->system, own, h);
    }
    return status;
}

// y at t by the cubic that has the values and rates at both ends.
static void interpolate(const lb_fixed *own, int count, double t, double *y)
{
    const double h = own->t1 - own->t0, x = h > 0.0 ? (t - own->t0) / h : 1.0;
    const double a = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x), b = x * x * (3.0 - 2.0 * x);
    const double c = h * x * (1.0 - x) * (1.0 - x), d = h * x * x * (x - 1.0);
    for (int i = 0; i < count; ++i) {
        y[i] = a * own->y0[i] + b * own->y1[i] + c * own->f0[i] + d * own->f1[i];
    }
}

// Passes a break at the end of the last step, or, after a command of the caller, at the present time within it.
static lb_status pass_break(lb_flow *flow, const lb_fixed *own)
{
    if (flow->system->break_time >= own->t1 - 1e-9 * flow->options.step) {
        flow->t = own->t1;
        memcpy(flow->y, own->y1, (size_t)flow->system->y_count * sizeof *flow->y);
    }
    return flow->pass_break(flow->user);
}

static lb_status advance(lb_flow *flow, double t_end)
{
    lb_fixed *own = flow->integrator;
    const double slack = 1e-9 * flow->options.step;
    const size_t size = (size_t)flow->system->y_count * sizeof *flow->y;
    if (own->t1 <= flow->t && !own->pending && lb_take_due_events(flow, flow->t, false)) {
        return LB_NEWS_EVENT; // at the first instant, or behind another event
    }
    // an event at the same time goes first
    if (lb_begins_at_break(flow, t_end) && !(own->pending && own->t1 - flow->t <= slack)) {
        const lb_status status = pass_break(flow, own);
        if (status != LB_OK) {
            return status;
        }
    }
    while (own->t1 < t_end - slack && !own->pending) {
        lb_status status = LB_OK;
        if (own->t1 >= flow->system->break_time) {
            // what lies behind has been interpolated: now forces are seen from the right
            status = pass_break(flow, own);
        }
        if (status > 0) {
            return status;
        }
        status = status < 0 ? status : take_step(flow, own);
        if (status < 0) {
            return lb_explain_fixed_step(flow, status);
        }
    }
    if (own->pending && own->t1 <= t_end) {
        own->pending = false;
        flow->t = own->t1;
        memcpy(flow->y, own->y1, size);
        return LB_NEWS_EVENT;
    }
    flow->t = t_end;
    if (fabs(own->t1 - t_end) <= slack) {
        memcpy(flow->y, own->y1, size);
        const bool passes = flow->is_eager && own->t1 >= flow->system->break_time;
        const lb_status status = passes ? pass_break(flow, own) : LB_OK;
        flow->t = t_end;
        return status;
    } else {
        interpolate(own, flow->system->y_count, t_end, flow->y);
    }
    return LB_OK;
}

static lb_status restart(lb_flow *flow)
{
    lb_fixed *own = flow->integrator;
    own->t0 = own->t1 = flow->t;
    own->pending = false;
    memcpy(own->y1, flow->y, (size_t)flow->system->y_count * sizeof *own->y1);
    lb_status status = LB_OK;
    if (flow->event_count > 0) {
        status = flow->compute_levels(flow->user, own->t1, own->y1, own->levels);
    }
    status = status < 0 ? status : lb_evaluate_system(flow->system, own->t1, own->y1, own->f1);
    if (status >= 0 && own->alpha) {
        lb_restart_alpha(flow, own);
    }
    return status;
}

static lb_status set_up(lb_flow *flow)
{
    lb_fixed *own = lb_arena_take(flow->system->arena, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    double **vectors[] = {&own->y0,   &own->y1,   &own->f0,  &own->f1,
                          &own->k[0], &own->k[1], &own->k[2]};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] =
            lb_arena_take(flow->system->arena, (size_t)flow->system->y_count, sizeof(double));
        if (!*vectors[i]) {
            return LB_E_MEMORY;
        }
    }
    own->levels =
        lb_arena_take(flow->system->arena, (size_t)flow->event_count, sizeof *own->levels);
    if (!own->levels) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        flow->options.integrator == LB_INTEGRATOR_ALPHA ? lb_start_alpha(flow, own) : LB_OK;
    flow->integrator = status < 0 ? NULL : own;
    return status;
}

static lb_status start(lb_flow *flow)
{
    lb_status status = flow->integrator ? LB_OK : set_up(flow);
    if (status >= 0) {
        lb_fixed *own = flow->integrator;
        own->steps = own->rejections = 0.0;
        status = restart(flow);
    }
    return status;
}

static void count(const lb_flow *flow, lb_step_counts *counts)
{
    const lb_fixed *own = flow->integrator;
    counts->steps = own->steps;
    counts->rejections = own->rejections;
}

static void destroy(lb_flow *flow)
{
    flow->integrator = NULL; // its memory is the simulation's
}

const lb_stepper lb_fixed_stepper = {start, advance, restart, count, destroy};
