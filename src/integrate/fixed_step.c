// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Integration with fixed steps. Steps end on the grid t = n h, at the end of the run, and at
// events, which are found by bisection on the length of the step; outputs between are interpolated
// (cubic Hermite).
#include <math.h>
#include <string.h>

#include "fixed_step.h"
#include "system/closure.h"

// ---- methods: from t0, y0, f0 to y1 --------------------------------------------------------------

// Classical Runge-Kutta on y as a plain vector; quaternions are normalised after the step, which
// keeps the order since the exact solution has unit ones.
static lb_status step_rk4(lb_simulation *sim, lb_fixed *own, double h)
{
    lb_system *s = &sim->system;
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

// v1 = v0 + h a0, then q1 = q0 (+) h v1.
static lb_status step_euler(lb_simulation *sim, lb_fixed *own, double h)
{
    const lb_system *s = &sim->system;
    double *move = own->k[0];
    for (int i = s->q_count; i < s->y_count; ++i) {
        own->y1[i] = own->y0[i] + h * own->f0[i];
    }
    for (int i = 0; i < s->v_count; ++i) {
        move[i] = h * own->y1[s->q_count + i];
    }
    lb_integrate_configuration(s->model, own->y0, move, own->y1);
    return LB_OK;
}

static lb_status step(lb_simulation *sim, lb_fixed *own, double h)
{
    lb_status status;
    switch (sim->options.integrator) {
    case LB_INTEGRATOR_EULER:
        status = step_euler(sim, own, h);
        break;
    case LB_INTEGRATOR_ALPHA:
        status = lb_step_alpha(sim, own, h);
        break;
    default:
        status = step_rk4(sim, own, h);
        break;
    }
    if (status >= 0) {
        const double off = lb_clean_state(&sim->system, own->t0 + h, own->y1);
        sim->quaternion_error = fmax(sim->quaternion_error, off);
        status = lb_project_step(&sim->system, own->t0 + h, own->y1);
    }
    return status;
}

// ---- events --------------------------------------------------------------------------------------

// Marks the events that happen between two sets of levels; false if there are none.
static bool find_crossings(lb_simulation *sim, const double *before, const double *after)
{
    bool any = false;
    for (int i = 0; i < sim->event_count; ++i) {
        const bool up = before[i] < 0.0 && after[i] >= 0.0;
        const bool down = before[i] > 0.0 && after[i] <= 0.0;
        sim->found[i] = 0;
        if (!sim->spent[i] &&
            ((up && sim->directions[i] >= 0) || (down && sim->directions[i] <= 0))) {
            sim->found[i] = up ? 1 : -1;
            any = true;
        }
    }
    return any;
}

// Shortens the step of length h to end just behind the first event in it, if there is one.
static lb_status find_event(lb_simulation *sim, lb_fixed *own, double *h, double *levels)
{
    lb_status status = lb_compute_event_levels(sim, own->t0 + *h, own->y1, levels);
    own->pending = status >= 0 && find_crossings(sim, own->levels, levels);
    if (status < 0 || !own->pending) {
        return status;
    }
    double before = 0.0, behind = *h;
    while (behind - before > 1e-14 * (fabs(own->t0) + *h)) {
        const double middle = 0.5 * (before + behind);
        status = step(sim, own, middle);
        status =
            status < 0 ? status : lb_compute_event_levels(sim, own->t0 + middle, own->y1, levels);
        if (status < 0) {
            return status;
        }
        if (find_crossings(sim, own->levels, levels)) {
            behind = middle;
        } else {
            before = middle;
        }
    }
    *h = behind;
    status = step(sim, own, behind);
    status = status < 0 ? status : lb_compute_event_levels(sim, own->t0 + behind, own->y1, levels);
    if (status >= 0) {
        find_crossings(sim, own->levels, levels);
    }
    return status;
}

// ---- stepping ------------------------------------------------------------------------------------

// The point of the grid so many steps ahead, or the end.
static double find_target(const lb_simulation *sim, const lb_fixed *own, int ahead)
{
    const lb_run_options *o = &sim->options;
    const double n = floor(own->t0 / o->step + 1e-9) + ahead;
    double target = n * o->step;
    target = own->t0 < o->duration ? fmin(target, o->duration) : target;
    // a point of the grid that is a break but for rounding is that break
    return sim->system.break_time - target <= 1e-9 * o->step ? sim->system.break_time : target;
}

// One step; over a point of the grid that lies in a singular position of the loops, where accelerations
// are lost in round-off, two at once.
static lb_status step_over(lb_simulation *sim, lb_fixed *own, double *target)
{
    // accelerations are right to round-off over the power 3/2 of the pivot
    enum { MOST = 3 };
    static const double too_small = 1e-8;
    lb_closure *c = sim->system.closure;
    lb_status status = LB_OK;
    for (int ahead = 1; ahead <= MOST; ++ahead) {
        const double next = find_target(sim, own, ahead);
        if (ahead > 1 && next <= *target) {
            break;
        }
        *target = next;
        if (c) {
            c->pivot = 1.0;
            c->has_fallen = false;
        }
        status = step(sim, own, next - own->t0);
        const bool may_help = status >= 0 || status == LB_E_OPEN || status == LB_E_STEP;
        if (!c || c->pivot >= too_small || !(c->has_fallen || c->pivot == 0.0) || !may_help) {
            break;
        }
    }
    return status;
}

static lb_status take_step(lb_simulation *sim, lb_fixed *own)
{
    own->t0 = own->t1;
    memcpy(own->y0, own->y1, (size_t)sim->system.y_count * sizeof *own->y0);
    memcpy(own->f0, own->f1, (size_t)sim->system.y_count * sizeof *own->f0);
    double t1;
    lb_status status = step_over(sim, own, &t1);
    double h = t1 - own->t0;
    if (status >= 0 && sim->event_count > 0) {
        double *levels = sim->levels;
        status = find_event(sim, own, &h, levels);
        memcpy(own->levels, levels, (size_t)sim->event_count * sizeof *levels);
        t1 = own->pending ? own->t0 + h : t1;
    }
    if (status < 0) {
        return status;
    }
    own->t1 = t1;
    own->steps += 1.0;
    if (own->alpha) {
        lb_accept_alpha(sim, own);
    }
    status = lb_evaluate_system(&sim->system, own->t1, own->y1, own->f1);
    own->at_break = own->t1 >= sim->system.break_time;
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

static lb_status advance(lb_simulation *sim, double t_end)
{
    lb_fixed *own = sim->integrator;
    const double slack = 1e-9 * sim->options.step;
    const size_t size = (size_t)sim->system.y_count * sizeof *sim->y;
    while (own->t1 < t_end - slack && !own->pending) {
        lb_status status = LB_OK;
        if (own->at_break) {
            // what lies behind has been interpolated: now forces are seen from the right
            sim->t = own->t1;
            memcpy(sim->y, own->y1, size);
            status = lb_pass_break(sim);
        }
        status = status < 0 ? status : take_step(sim, own);
        if (status < 0) {
            return status;
        }
    }
    if (own->pending && own->t1 <= t_end) {
        own->pending = false;
        sim->t = own->t1;
        memcpy(sim->y, own->y1, size);
        return LB_NEWS_EVENT;
    }
    sim->t = t_end;
    if (fabs(own->t1 - t_end) <= slack) {
        memcpy(sim->y, own->y1, size);
    } else {
        interpolate(own, sim->system.y_count, t_end, sim->y);
    }
    return LB_OK;
}

static lb_status restart(lb_simulation *sim)
{
    lb_fixed *own = sim->integrator;
    own->t0 = own->t1 = sim->t;
    own->pending = false;
    own->at_break = false;
    memcpy(own->y1, sim->y, (size_t)sim->system.y_count * sizeof *own->y1);
    lb_status status = LB_OK;
    if (sim->event_count > 0) {
        status = lb_compute_event_levels(sim, own->t1, own->y1, own->levels);
    }
    status = status < 0 ? status : lb_evaluate_system(&sim->system, own->t1, own->y1, own->f1);
    if (status >= 0 && own->alpha) {
        lb_restart_alpha(sim, own);
    }
    return status;
}

static lb_status start(lb_simulation *sim)
{
    lb_fixed *own = lb_take(sim, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    sim->integrator = own;
    double **vectors[] = {&own->y0,   &own->y1,   &own->f0,  &own->f1,
                          &own->k[0], &own->k[1], &own->k[2]};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_take(sim, (size_t)sim->system.y_count, sizeof(double));
        if (!*vectors[i]) {
            return LB_E_MEMORY;
        }
    }
    own->levels = lb_take(sim, (size_t)sim->event_count, sizeof *own->levels);
    if (!own->levels) {
        return LB_E_MEMORY;
    }
    if (sim->options.integrator == LB_INTEGRATOR_ALPHA) {
        const lb_status status = lb_start_alpha(sim, own);
        if (status < 0) {
            return status;
        }
    }
    return restart(sim);
}

static void count(const lb_simulation *sim, lb_step_counts *counts)
{
    const lb_fixed *own = sim->integrator;
    counts->steps = own->steps;
    counts->rejections = own->rejections;
}

static void destroy(lb_simulation *sim)
{
    sim->integrator = NULL; // its memory is the simulation's
}

const lb_stepper lb_fixed_stepper = {start, advance, restart, count, destroy};
