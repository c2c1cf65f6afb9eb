// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: a signal reaches a value, and something is switched. `events` of a model file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"

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

// ---- locking -------------------------------------------------------------------------------------

// Accelerations with the hinges of `driven` given by a; forces other than inertia cancel between
// two calls.
static lb_status respond(lb_system *s, double *a)
{
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    return lb_compute_hybrid_dynamics(s->model, s->work, s->q, s->v, s->driven, s->tau, a);
}

// Stops a hinge at once: speeds change by dv with M dv = (impulse at the hinge), dv = -v there and
// zero at hinges that are driven or locked already. dv is the difference of two responses at rest,
// one with acceleration -v at the hinge and one with zero.
static lb_status stop_hinge(lb_simulation *sim, int body)
{
    lb_system *s = &sim->system;
    double *v = sim->y + s->q_count;
    // which hinges have given motion, and what energy there is
    lb_status status = lb_evaluate_system(s, sim->t, sim->y, NULL);
    double before = 0.0, after = 0.0;
    status = status < 0 ? status : lb_compute_energy(s->model, s->work, &before, NULL);
    if (status < 0) {
        return status;
    }
    if (!s->any_driven) {
        memset(s->driven, 0, (size_t)s->body_count);
    }
    s->driven[body] = 1;
    memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
    memset(sim->jump_a, 0, (size_t)s->v_count * sizeof *sim->jump_a);
    memset(sim->jump_b, 0, (size_t)s->v_count * sizeof *sim->jump_b);
    const int first = lb_get_v_offset(s->model, body) + lb_get_mode_count(s->model, body);
    const int count = lb_get_hinge_v_count(s->model, body);
    for (int i = first; i < first + count; ++i) {
        sim->jump_a[i] = -v[i];
    }
    status = respond(s, sim->jump_a);
    status = status < 0 ? status : respond(s, sim->jump_b);
    for (int i = 0; status >= 0 && i < s->v_count; ++i) {
        v[i] += sim->jump_a[i] - sim->jump_b[i];
    }
    for (int i = first; i < first + count; ++i) {
        v[i] = 0.0;
    }
    status = status < 0 ? status : lb_compute_kinematics(s->model, s->work, s->q, v, NULL);
    status = status < 0 ? status : lb_compute_energy(s->model, s->work, &after, NULL);
    if (status >= 0) {
        sim->y[s->y_count - LB_WORK_OTHERS + LB_WORK_LOCKING] += after - before;
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
        case LB_ACTION_DISABLE:
            lb_set_force_enabled(s->forces, subject, e->actions[i].type == LB_ACTION_ENABLE);
            *changed = true;
            break;
        case LB_ACTION_LOCK:
            if (!s->locked[subject]) {
                status = again ? LB_OK : stop_hinge(sim, subject);
                s->locked[subject] = 1;
                ++s->locked_count;
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

// One action: `stop`, or {enable: FORCE}, {disable: FORCE}, {lock: BODY}, {unlock: BODY}.
static void load_action(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                        lb_action *action)
{
    static const char *const keys[] = {"enable", "disable", "lock", "unlock", NULL};
    const char *word = lb_place_get_string(place);
    if (word) {
        if (strcmp(word, "stop") != 0) {
            lb_reader_fail(reader, place,
                           "'%s' found, expected stop, or a mapping with enable, disable, lock or "
                           "unlock",
                           word);
        }
        action->type = LB_ACTION_STOP;
        return;
    }
    if (!lb_read_mapping(reader, place, keys)) {
        return;
    }
    if (lb_place_get_count(place) != 1) {
        lb_reader_fail(reader, place, "expected one of enable, disable, lock and unlock");
        return;
    }
    for (int i = 0; keys[i]; ++i) {
        const lb_place at = lb_place_at_key(place, keys[i]);
        const char *name = NULL;
        if (!at.node || !lb_read_string(reader, place, keys[i], LB_REQUIRED, &name)) {
            continue;
        }
        action->type = (lb_action_type)(LB_ACTION_ENABLE + i);
        if (i < 2) {
            action->subject = lb_find_force(sim->system.forces, name);
            if (action->subject < 0) {
                lb_reader_fail(reader, &at, "there is no force '%s'", name);
            }
            continue;
        }
        action->subject = lb_find_body(sim->system.model, name);
        if (action->subject < 0) {
            lb_reader_fail(reader, &at, "there is no body '%s'", name);
        } else if (lb_get_hinge_v_count(sim->system.model, action->subject) == 0) {
            lb_reader_fail(reader, &at, "the hinge of '%s' is fixed", name);
        }
    }
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
        load_action(sim, reader, &at, &event->actions[i]);
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
    sim->jump_a = lb_take(sim, (size_t)sim->system.v_count, sizeof *sim->jump_a);
    sim->jump_b = lb_take(sim, (size_t)sim->system.v_count, sizeof *sim->jump_b);
    if (!sim->events || !sim->found || !sim->levels || !sim->directions || !sim->spent ||
        !sim->jump_a || !sim->jump_b) {
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
