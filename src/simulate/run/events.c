// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a signal reaches a value, and something is switched.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/loops.h"
#include "simulate/signals/slopes.h"
#include "simulate/system/closure.h"
#include "simulation.h"

// So many events without time moving on are a trap (two events that undo each other).
enum { CROWDED_MAX = 100 };

// The expression of a signal that depends on time alone; NULL if it does not.
static const lb_expression *get_expression_of_time(const lb_event *event)
{
    const lb_signal *signal = &event->signal;
    const lb_expression *e = !event->level && signal->kind == LB_SIGNAL_NAMED
                                 ? lb_get_named_expression(signal->named, signal->index)
                                 : NULL;
    return e && lb_is_expression_of_time(e) ? e : NULL;
}

static bool is_time(const lb_event *event)
{
    return !event->level && event->signal.kind == LB_SIGNAL_T;
}

// Whether it is known beforehand when an event happens.
static bool has_known_time(const lb_event *event)
{
    return is_time(event) || get_expression_of_time(event);
}

static bool goes(const lb_event *event, bool is_rising)
{
    return is_rising ? event->direction >= 0 : event->direction <= 0;
}

// The next time of an event after t, or at t.
static double find_time(lb_event *event, double t, bool with_present)
{
    const lb_expression *e = get_expression_of_time(event);
    if (!e) {
        const bool comes = event->value > t || (with_present && event->value == t);
        event->comes_rising = true;
        return is_time(event) && comes && goes(event, true) ? event->value : INFINITY;
    }
    if (with_present && lb_meets_value(e, event->value, t, &event->comes_rising) &&
        goes(event, event->comes_rising)) {
        return t;
    }
    // rising and falling take turns
    for (int i = 0; i < 2; ++i) {
        t = lb_find_expression_crossing(e, event->value, t, &event->comes_rising);
        if (goes(event, event->comes_rising)) {
            return t;
        }
    }
    return INFINITY;
}

void lb_find_event_times(lb_simulation *sim, bool with_present)
{
    for (int i = 0; i < sim->event_count; ++i) {
        const bool is_over = sim->flow.spent[i] || !has_known_time(&sim->events[i]);
        sim->flow.times[i] =
            is_over ? INFINITY : find_time(&sim->events[i], sim->flow.t, with_present);
    }
}

void lb_renew_event_times(lb_simulation *sim)
{
    for (int i = 0; i < sim->event_count; ++i) {
        lb_event *event = &sim->events[i];
        if (sim->flow.found[i] && !sim->flow.spent[i] && get_expression_of_time(event)) {
            sim->flow.times[i] = find_time(event, sim->flow.t, false);
        }
    }
}

// For lb_describe_absence.
static void see_level(lb_event *event, double level)
{
    event->first = event->is_seen ? event->first : level;
    event->low = event->is_seen ? fmin(event->low, level) : level;
    event->high = event->is_seen ? fmax(event->high, level) : level;
    event->is_seen = true;
}

lb_status lb_compute_event_levels(lb_simulation *sim, double t, const double *y, double *levels)
{
    lb_system *s = &sim->system;
    lb_signal_stage stage = lb_get_stick_stage(sim);
    stage = lb_get_side_stage(sim) > stage ? lb_get_side_stage(sim) : stage;
    for (int i = 0; i < sim->event_count; ++i) {
        stage = sim->events[i].stage > stage ? sim->events[i].stage : stage;
    }
    // no more than the signals ask for
    lb_status status = stage == LB_SIGNAL_ACCELERATION ? lb_evaluate_system(s, t, y, NULL)
                       : stage == LB_SIGNAL_STATE      ? lb_place_system(s, t, y)
                                                       : LB_OK;
    lb_load_memory loads = {.count = 0};
    lb_instant instant = lb_make_system_instant(s, lb_get_force_time(s, t), s->q, s->v,
                                                stage == LB_SIGNAL_ACCELERATION ? s->a : NULL);
    instant.loads = &loads;
    for (int i = 0; status >= 0 && i < sim->event_count; ++i) {
        const lb_event *event = &sim->events[i];
        double value = 0.0;
        status = event->level ? event->level(event->user, &instant, &value) ? LB_E_CALLBACK : LB_OK
                              : lb_evaluate_signal(&event->signal, &instant, &value);
        if (status >= 0 && !isfinite(value)) {
            status = LB_E_NUMBER;
        }
        sim->flow.noise[i] = 8.0 * DBL_EPSILON * (fabs(value) + fabs(event->value));
        see_level(&sim->events[i], value - event->value);
        // an event that shall not come again, or whose time is known, stays on one side
        levels[i] = sim->flow.spent[i] || has_known_time(event) ? 1.0 : value - event->value;
        if (status < 0) {
            s->failure =
                lb_say(s, status, "t = %.9g s: the signal of event '%s' %s", t, event->name,
                       status == LB_E_CALLBACK ? "fails: its function gives no value"
                                               : "is not a finite number");
        }
    }
    if (status >= 0) {
        const int sides = sim->event_count + sim->stick_count;
        lb_compute_stick_levels(sim, levels + sim->event_count);
        // fixed steps do not look for these, and have no room for their levels
        status = sim->flow.event_count > sides
                     ? lb_compute_side_levels(sim, &instant, levels + sides)
                     : LB_OK;
    }
    return status;
}

// ---- jumps ---------------------------------------------------------------------------------------

// An event that happens now is at its value, and has come from the other side.
static void note_level(lb_simulation *sim, int event)
{
    lb_flow *flow = &sim->flow;
    const int found = flow->found[event];
    sim->levels_before[event] = found ? 0.0 : flow->levels[event];
    flow->sides[event] = found > 0 ? -1 : found < 0 ? 1 : flow->sides[event];
}

lb_status lb_note_levels(lb_simulation *sim)
{
    lb_flow *flow = &sim->flow;
    if (sim->event_count == 0) {
        return LB_OK;
    }
    const lb_status status = lb_compute_event_levels(sim, flow->t, flow->y, flow->levels);
    for (int i = 0; i < sim->event_count; ++i) {
        note_level(sim, i);
    }
    return status;
}

lb_status lb_find_jumped_events(lb_simulation *sim, bool *any)
{
    lb_flow *flow = &sim->flow;
    *any = false;
    for (int i = 0; i < flow->event_count; ++i) {
        flow->found[i] = 0;
    }
    if (sim->event_count == 0) {
        return LB_OK;
    }
    const lb_status status = lb_compute_event_levels(sim, flow->t, flow->y, flow->levels);
    for (int i = 0; status >= 0 && i < sim->event_count; ++i) {
        const double before = sim->levels_before[i], now = flow->levels[i];
        const double noise = flow->noise[i];
        const bool up = before < -noise && now >= -noise, down = before > noise && now <= noise;
        if (!flow->spent[i] && (up || down) && goes(&sim->events[i], up)) {
            flow->found[i] = up ? 1 : -1;
            *any = true;
        }
        note_level(sim, i);
    }
    return status;
}

// ---- actions -------------------------------------------------------------------------------------

// A function of the user, which sees the state that the actions before it have left.
static lb_status call(lb_simulation *sim, const lb_action *action, bool *stop)
{
    const lb_status status = lb_evaluate_system(&sim->system, sim->flow.t, sim->flow.y, NULL);
    if (status >= 0 && action->callback(action->user, sim, sim->flow.t) != 0) {
        *stop = true;
    }
    return status;
}

lb_status lb_apply_event(lb_simulation *sim, int event, bool again, bool *stop, bool *changed)
{
    lb_system *s = &sim->system;
    const lb_event *e = &sim->events[event];
    lb_status status = LB_OK;
    if (e->once) {
        sim->flow.spent[event] = 1;
        *changed = true;
    }
    for (int i = 0; status >= 0 && i < e->action_count; ++i) {
        const int subject = e->actions[i].subject;
        switch (e->actions[i].type) {
        case LB_ACTION_STOP:
            *stop = true;
            break;
        case LB_ACTION_ENABLE:
            if (again) {
                lb_set_force_enabled(s->forces, subject, true);
            } else {
                status = lb_drive_hinge(sim, subject);
            }
            *changed = true;
            break;
        case LB_ACTION_DISABLE:
            lb_set_force_enabled(s->forces, subject, false);
            *changed = true;
            break;
        case LB_ACTION_LOCK:
            if (!(s->locked[subject] & LB_LOCKED_BY_EVENT)) {
                if (again) {
                    lb_lock_hinge(s, subject, LB_LOCKED_BY_EVENT, true);
                } else {
                    status = lb_stop_hinge(sim, subject);
                }
                *changed = true;
            }
            break;
        case LB_ACTION_UNLOCK:
            if (s->locked[subject] & LB_LOCKED_BY_EVENT) {
                lb_lock_hinge(s, subject, LB_LOCKED_BY_EVENT, false);
                *changed = true;
            }
            break;
        case LB_ACTION_CLOSE:
        case LB_ACTION_GRASP:
            status = lb_close_loop(sim, subject, e->actions[i].type == LB_ACTION_GRASP, again);
            *changed = true;
            break;
        case LB_ACTION_RELEASE:
            status = lb_release_loop(sim, subject);
            *changed = true;
            break;
        case LB_ACTION_MAKE:
        case LB_ACTION_ALTER:
            status = lb_change_loop(sim, e->actions[i].change, e->actions[i].type == LB_ACTION_MAKE,
                                    again);
            *changed = true;
            break;
        case LB_ACTION_CALL:
            if (!again) {
                status = call(sim, &e->actions[i], stop);
            }
            break;
        case LB_ACTION_TYPE_COUNT:
            break;
        }
    }
    return status;
}

lb_status lb_apply_events(lb_simulation *sim, bool *restart)
{
    bool stop = false, any = false;
    size_t used = strlen(sim->event_names);
    for (int i = 0; i < sim->event_count; ++i) {
        if (!sim->flow.found[i] || sim->flow.spent[i]) {
            continue;
        }
        ++sim->events_met;
        ++sim->events[i].met;
        any = true;
        const int length = snprintf(sim->event_names + used, sizeof sim->event_names - used, "%s%s",
                                    used > 0 ? ", " : "", sim->events[i].name);
        used += (size_t)length < sizeof sim->event_names - used ? (size_t)length : 0;
        const lb_status status = lb_apply_event(sim, i, false, &stop, restart);
        if (status < 0) {
            return status;
        }
    }
    return stop ? LB_NEWS_STOP : any ? LB_NEWS_EVENT : LB_OK;
}

lb_status lb_check_crowd(lb_simulation *sim)
{
    const double moved = sim->flow.t - sim->last_event_time;
    sim->crowded_events = moved > 1e-12 * (1.0 + fabs(sim->flow.t)) ? 0 : sim->crowded_events + 1;
    sim->last_event_time = sim->flow.t;
    return sim->crowded_events > CROWDED_MAX + 2 * sim->stick_count + 20 * sim->watched_count
               ? lb_say(&sim->system, LB_E_EVENTS,
                        "t = %.9g s: events follow each other without time moving on; the last: %s",
                        sim->flow.t, sim->event_names)
               : LB_OK;
}

// ---- those that do not happen --------------------------------------------------------------------

static void describe_absence_in_time(const lb_simulation *sim, int event, char *text, size_t size)
{
    const lb_event *e = &sim->events[event];
    const double next = sim->flow.times[event];
    if (next < INFINITY) {
        snprintf(text, size, "comes at t = %.9g s", next);
    } else if (is_time(e)) {
        snprintf(text, size, e->direction < 0 ? "t never falls" : "t = %.9g s is before the start",
                 e->value);
    } else {
        snprintf(text, size, "its signal of time does not %s %.9g",
                 e->direction > 0   ? "rise through"
                 : e->direction < 0 ? "fall through"
                                    : "pass",
                 e->value);
    }
}

bool lb_describe_absence(const lb_simulation *sim, int event, char *text, size_t size)
{
    const lb_event *e = &sim->events[event];
    if (e->met > 0 || sim->stage != LB_STAGE_RUNNING) {
        return false;
    }
    if (has_known_time(e)) {
        describe_absence_in_time(sim, event, text, size);
    } else if (!e->is_seen) {
        snprintf(text, size, "its signal was not looked at");
    } else if (e->low == 0.0 && e->high == 0.0) {
        snprintf(text, size, "its signal starts at %.9g and stays there", e->value);
    } else if (e->low < 0.0 && e->high > 0.0) {
        snprintf(text, size, "its signal passes %.9g only %s", e->value,
                 e->direction > 0   ? "falling"
                 : e->direction < 0 ? "rising"
                                    : "within a step, to and fro; `max_step` helps");
    } else if (e->first == 0.0) {
        snprintf(text, size, "its signal starts at %.9g: it must leave it and come back", e->value);
    } else {
        const bool is_below = e->high <= 0.0;
        snprintf(text, size, "its signal %s %.9g, expected %.9g",
                 is_below ? "reaches" : "comes down to", e->value + (is_below ? e->high : e->low),
                 e->value);
    }
    return true;
}
