// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a signal reaches a value, and something is switched. `events` of a model file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/loops.h"
#include "system/closure.h"

// So many events without time moving on are a trap (two events that undo each other).
enum { CROWDED_MAX = 100 };

lb_status lb_compute_event_levels(lb_simulation *sim, double t, const double *y, double *levels)
{
    lb_system *s = &sim->system;
    lb_status status = lb_evaluate_system(s, t, y, NULL);
    const lb_moment moment = {s->model, s->work, t, s->q, s->v, s->a};
    for (int i = 0; status >= 0 && i < sim->event_count; ++i) {
        double value = 0.0;
        status = lb_evaluate_signal(&sim->events[i].signal, &moment, &value);
        if (status >= 0 && !isfinite(value)) {
            status = LB_E_NUMBER;
        }
        // an event that shall not come again stays on one side
        levels[i] = sim->spent[i] ? 1.0 : value - sim->events[i].value;
        if (status < 0) {
            s->trouble =
                lb_say(s, status, "t = %.9g s: the signal of event '%s' is not a finite number", t,
                       sim->events[i].name);
        }
    }
    return status;
}

// ---- actions -------------------------------------------------------------------------------------

lb_status lb_apply_event(lb_simulation *sim, int event, bool again, bool *stop, bool *changed)
{
    lb_system *s = &sim->system;
    const lb_event *e = &sim->events[event];
    lb_status status = LB_OK;
    if (e->once) {
        sim->spent[event] = 1;
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
            if (!s->locked[subject]) {
                if (again) {
                    s->locked[subject] = 1;
                    ++s->locked_count;
                } else {
                    status = lb_stop_hinge(sim, subject);
                }
                *changed = true;
            }
            break;
        case LB_ACTION_UNLOCK:
            if (s->locked[subject]) {
                s->locked[subject] = 0;
                --s->locked_count;
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
        }
    }
    return status;
}

lb_status lb_apply_events(lb_simulation *sim, bool *restart)
{
    bool stop = false;
    size_t used = 0;
    sim->event_names[0] = 0;
    for (int i = 0; i < sim->event_count; ++i) {
        if (!sim->found[i] || sim->spent[i]) {
            continue;
        }
        ++sim->events_met;
        const int length = snprintf(sim->event_names + used, sizeof sim->event_names - used, "%s%s",
                                    used > 0 ? ", " : "", sim->events[i].name);
        used += (size_t)length < sizeof sim->event_names - used ? (size_t)length : 0;
        const lb_status status = lb_apply_event(sim, i, false, &stop, restart);
        if (status < 0) {
            return status;
        }
    }
    // the same instant again and again?
    const double moved = sim->t - sim->last_event_time;
    sim->crowded_events = moved > 1e-12 * (1.0 + fabs(sim->t)) ? 0 : sim->crowded_events + 1;
    sim->last_event_time = sim->t;
    if (sim->crowded_events > CROWDED_MAX) {
        return lb_say(&sim->system, LB_E_STEP,
                      "t = %.9g s: events follow each other without time moving on; the last: %s",
                      sim->t, sim->event_names);
    }
    return stop ? LB_NEWS_STOP : LB_NEWS_EVENT;
}

// ---- loading -------------------------------------------------------------------------------------

// Which force, hinge or loop an action is about.
static int find_subject(lb_simulation *sim, lb_reader *reader, const lb_place *at,
                        lb_action_type type, const char *name)
{
    const lb_model *model = sim->system.model;
    int found = -1;
    switch (type) {
    case LB_ACTION_ENABLE:
    case LB_ACTION_DISABLE:
        found = lb_find_force(sim->system.forces, name);
        break;
    case LB_ACTION_LOCK:
    case LB_ACTION_UNLOCK:
        found = lb_find_body(model, name);
        if (found >= 0 && lb_get_hinge_v_count(model, found) == 0) {
            lb_reader_fail(reader, at, "the hinge of '%s' is fixed", name);
        }
        break;
    default:
        for (int l = 0; l < lb_get_loop_count(model); ++l) {
            found = strcmp(lb_get_loop_name(model, l), name) == 0 ? l : found;
        }
        break;
    }
    if (found < 0) {
        lb_reader_fail(reader, at, "there is no %s '%s'",
                       type <= LB_ACTION_DISABLE  ? "force"
                       : type <= LB_ACTION_UNLOCK ? "body"
                                                  : "loop",
                       name);
    }
    return found;
}

// One action: `stop`, or {enable: FORCE}, {disable: FORCE}, {lock: BODY}, {unlock: BODY},
// {close: LOOP}, {grasp: LOOP}, {release: LOOP}, {make: {...}}, {alter: LOOP, ...}.
static lb_status load_action(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                             lb_action *action)
{
    static const char *const keys[] = {"enable", "disable", "lock", "unlock", "close",
                                       "grasp",  "release", "make", "alter",  NULL};
    enum { NAMED = LB_ACTION_RELEASE - LB_ACTION_ENABLE + 1 }; // those that have a name only
    const char *word = lb_place_get_string(place);
    if (word) {
        if (strcmp(word, "stop") != 0) {
            lb_reader_fail(reader, place,
                           "'%s' found, expected stop, or a mapping with enable, disable, lock, "
                           "unlock, close, grasp, release, make or alter",
                           word);
        }
        action->type = LB_ACTION_STOP;
        return LB_OK;
    }
    if (lb_place_at_key(place, "alter").node) {
        return lb_load_loop_change(sim, reader, place, false, action);
    }
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    if (lb_place_get_count(place) != 1) {
        lb_reader_fail(reader, place,
                       "expected one of enable, disable, lock, unlock, close, grasp, release, make "
                       "and alter");
        return LB_OK;
    }
    const lb_place make = lb_place_at_key(place, "make");
    if (make.node) {
        return lb_load_loop_change(sim, reader, &make, true, action);
    }
    for (int i = 0; i < NAMED; ++i) {
        const lb_place at = lb_place_at_key(place, keys[i]);
        const char *name = NULL;
        if (!at.node || !lb_read_string(reader, place, keys[i], LB_REQUIRED, &name)) {
            continue;
        }
        action->type = (lb_action_type)(LB_ACTION_ENABLE + i);
        action->subject = find_subject(sim, reader, &at, action->type, name);
    }
    return LB_OK;
}

static lb_status load_event(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                            lb_event *event)
{
    static const char *const keys[] = {"name", "when", "crosses", "direction",
                                       "once", "then", NULL};
    static const char *const directions[] = {"falling", "both", "rising", NULL};
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    const char *when = NULL;
    int direction = 1;
    event->name = "";
    if (lb_read_string(reader, place, "name", LB_REQUIRED, &event->name)) {
        event->name = lb_take_text(sim, event->name);
        if (!event->name) {
            return LB_E_MEMORY;
        }
    }
    if (lb_read_string(reader, place, "when", LB_REQUIRED, &when)) {
        lb_signal_error error;
        if (lb_compile_signal(sim->system.model, lb_get_force_signals(sim->system.forces), when,
                              &error, &event->signal) < 0) {
            const lb_place at = lb_place_at_key(place, "when");
            lb_reader_fail(reader, &at, "%s", error.message);
        }
    }
    lb_read_angle(reader, place, "crosses", LB_OPTIONAL, &event->value);
    lb_read_word(reader, place, "direction", LB_OPTIONAL, directions, &direction);
    event->direction = direction - 1;
    lb_read_bool(reader, place, "once", LB_OPTIONAL, &event->once);

    // one action, or a list
    const lb_place then = lb_place_at_key(place, "then");
    if (!then.node) {
        lb_reader_fail(reader, &then, "missing: what shall happen");
        return LB_OK;
    }
    const bool is_list = lb_place_get_kind(&then) == LB_DOC_SEQUENCE;
    const size_t count = is_list ? lb_place_get_count(&then) : 1;
    event->actions = lb_take(sim, count, sizeof *event->actions);
    event->action_count = (int)count;
    if (!event->actions) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = is_list ? lb_place_at_index(&then, i) : then;
        const lb_status status = load_action(sim, reader, &at, &event->actions[i]);
        if (status < 0) {
            return status;
        }
    }
    return LB_OK;
}

lb_status lb_load_events(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place events = lb_place_at_key(root, "events");
    const size_t count = lb_place_get_count(&events);
    sim->event_count = (int)count;
    sim->events = lb_take(sim, count, sizeof *sim->events);
    sim->found = lb_take(sim, count, sizeof *sim->found);
    sim->levels = lb_take(sim, count, sizeof *sim->levels);
    sim->directions = lb_take(sim, count, sizeof *sim->directions);
    sim->spent = lb_take(sim, count, 1);
    if (!sim->events || !sim->found || !sim->levels || !sim->directions || !sim->spent) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_index(&events, i);
        const lb_status status = load_event(sim, reader, &at, &sim->events[i]);
        if (status < 0) {
            return status;
        }
        sim->directions[i] = sim->events[i].direction;
        for (size_t j = 0; j < i; ++j) {
            if (strcmp(sim->events[j].name, sim->events[i].name) == 0) {
                const lb_place name = lb_place_at_key(&at, "name");
                lb_reader_fail(reader, &name, "'%s' is already the name of events[%zu]",
                               sim->events[i].name, j);
            }
        }
    }
    return LB_OK;
}
