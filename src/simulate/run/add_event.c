// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Events as they are added: what is crossed, and what happens then.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "simulate/forces/forces.h"
#include "simulation.h"

#define ERROR(...) lb_complain(&sim->faults, LB_SEVERITY_ERROR, __VA_ARGS__)

enum { WHERE_SIZE = 64 };

// The action by its key in a model file.
static const char *const keys[LB_ACTION_TYPE_COUNT] = {"stop",   "enable", "disable", "lock",
                                                       "unlock", "close",  "grasp",   "release",
                                                       "make",   "alter",  "call"};

// ---- actions -------------------------------------------------------------------------------------

// Which force, hinge or loop an action is about.
static int find_subject(lb_simulation *sim, const char *where, lb_action_type type,
                        const char *name)
{
    const lb_model *model = sim->system.model;
    const char *key = keys[type];
    int found = -1;
    switch (type) {
    case LB_ACTION_ENABLE:
    case LB_ACTION_DISABLE:
        found = lb_find_force(sim->system.forces, name);
        break;
    case LB_ACTION_LOCK:
    case LB_ACTION_UNLOCK:
        found = lb_find_body(model, name);
        if (found >= 0 && lb_get_hinge(model, found).v_count == 0) {
            ERROR(where, key, "the hinge of '%s' is fixed", name);
        }
        break;
    default:
        found = lb_find_loop(model, name);
        break;
    }
    if (found < 0) {
        ERROR(where, key, "there is no %s '%s'",
              type <= LB_ACTION_DISABLE  ? "force"
              : type <= LB_ACTION_UNLOCK ? "body"
                                         : "loop",
              name);
    }
    return found;
}

static lb_status add_action(lb_simulation *sim, const char *where, const lb_action_options *given,
                            lb_action *action)
{
    const lb_action_type type = given->type;
    action->type = LB_ACTION_STOP; // until all is well
    if ((unsigned)type >= LB_ACTION_TYPE_COUNT) {
        ERROR(where, "", "%d is not a type of action", (int)type);
        return LB_OK;
    }
    if (type != LB_ACTION_STOP && type != LB_ACTION_CALL && !given->subject) {
        ERROR(where, keys[type], "missing: the name of what it is about");
        return LB_OK;
    }
    action->type = type;
    switch (type) {
    case LB_ACTION_STOP:
        break;
    case LB_ACTION_CALL:
        action->callback = given->callback;
        action->user = given->user;
        if (!given->callback) {
            ERROR(where, keys[type], "missing: the function to call");
        }
        break;
    case LB_ACTION_MAKE:
    case LB_ACTION_ALTER:
        return lb_add_loop_change(sim, where, given, action);
    default:
        action->subject = find_subject(sim, where, type, given->subject);
        break;
    }
    return LB_OK;
}

static lb_status add_actions(lb_simulation *sim, const char *where, const lb_event_options *given,
                             lb_event *event)
{
    enum { SMALLEST = offsetof(lb_action_options, subject) + sizeof(char *) };
    const int count = given->actions && given->action_count > 0 ? given->action_count : 0;
    if (given->action_count != count) {
        ERROR(where, "then", "%d actions, but no array of them", given->action_count);
    }
    event->actions = lb_arena_take(&sim->arena, (size_t)count, sizeof *event->actions);
    if (!event->actions) {
        return LB_E_MEMORY;
    }
    event->action_count = count;
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < count; ++i) {
        char at[WHERE_SIZE];
        lb_action_options own = lb_default_action_options();
        snprintf(at, sizeof at, "%s.then[%d]", where, i);
        status = lb_take_checked(&sim->faults, at, "", &own, sizeof own, SMALLEST,
                                 lb_get_sized(given->actions, (size_t)i));
        status = status < 0 ? status : add_action(sim, at, &own, &event->actions[i]);
    }
    return status;
}

// ---- events --------------------------------------------------------------------------------------

// One more event, with a name.
static lb_event *append(lb_simulation *sim, const char *name)
{
    lb_event *events = lb_arena_grow(&sim->arena, sim->events, sim->event_count,
                                     &sim->event_capacity, sizeof *events);
    if (!events) {
        return NULL;
    }
    sim->events = events;
    lb_event *event = &events[sim->event_count];
    *event = (lb_event){.name = lb_arena_text(&sim->arena, name)};
    if (!event->name) {
        return NULL;
    }
    ++sim->event_count;
    return event;
}

lb_status lb_reserve_event(lb_simulation *sim, const char *name)
{
    const lb_event *event = append(sim, name);
    return event ? lb_names_add(&sim->event_index, &sim->arena, event->name, sim->event_count - 1)
                 : LB_E_MEMORY;
}

// What is crossed, and how.
static void set_level(lb_simulation *sim, const char *where, const lb_event_options *given,
                      lb_event *event)
{
    if (given->level) {
        event->level = given->level;
        event->user = given->user;
        event->stage = given->stage;
        if (given->when) {
            ERROR(where, "when", "given beside a function of your own: leave one out");
        }
    } else if (!given->when) {
        ERROR(where, "when", "missing: the key \"when\" is required here");
    } else if (lb_resolve_signal(sim->system.model, lb_get_force_signals(sim->system.forces),
                                 given->when, &sim->faults, where, "when", &event->signal)) {
        event->stage = event->signal.stage;
    }
    event->value = given->crosses;
    if (!isfinite(given->crosses)) {
        ERROR(where, "crosses", "%g, expected a finite number", given->crosses);
    }
    event->direction = (int)given->direction;
    if (event->direction < LB_DIRECTION_FALLING || event->direction > LB_DIRECTION_RISING) {
        ERROR(where, "direction", "%d is not a direction", event->direction);
    }
    event->once = given->once;
}

lb_status lb_add_event(lb_simulation *sim, const lb_event_options *given, int *index)
{
    enum { SMALLEST = offsetof(lb_event_options, when) + sizeof(char *) };
    lb_event_options own = lb_default_event_options();
    const int errors = sim->faults.error_count, i = sim->event_count;
    if (lb_check_building(sim, "an event") < 0) {
        return LB_E_ARGUMENT;
    }
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "events[%d]", i);
    lb_status status = lb_take_checked(&sim->faults, where, "", &own, sizeof own, SMALLEST, given);
    if (status < 0) {
        return status;
    }
    const int other = own.name ? lb_find_event(sim, own.name) : LB_NOT_FOUND;
    lb_event *event = append(sim, own.name ? own.name : "");
    if (!event) {
        return LB_E_MEMORY;
    }
    if (!own.name) {
        ERROR(where, "name", "missing: the key \"name\" is required here");
    }
    if (other >= 0) {
        ERROR(where, "name", "'%s' is already the name of events[%d]", own.name, other);
    }
    set_level(sim, where, &own, event);
    status = add_actions(sim, where, &own, event);
    if (status >= 0) {
        status = lb_names_add(&sim->event_index, &sim->arena, event->name, i);
    }
    if (status < 0) {
        --sim->event_count;
        return status;
    }
    if (index) {
        *index = i;
    }
    return sim->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}

int lb_get_simulation_event_count(const lb_simulation *sim)
{
    return sim->event_count;
}

const char *lb_get_event_name(const lb_simulation *sim, int event)
{
    return event >= 0 && event < sim->event_count ? sim->events[event].name : NULL;
}

int lb_find_event(const lb_simulation *sim, const char *name)
{
    const int index = lb_names_find(&sim->event_index, name);
    return index >= 0 ? index : LB_NOT_FOUND;
}
