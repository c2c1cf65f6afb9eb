// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `events` of a model file.
#include <string.h>

#include "forces/forces.h"
#include "load_keys.h"

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
    if (lb_place_has_key(place, "alter")) {
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
    if (lb_place_exists(&make)) {
        return lb_load_loop_change(sim, reader, &make, true, action);
    }
    for (int i = 0; i < NAMED; ++i) {
        const lb_place at = lb_place_at_key(place, keys[i]);
        const char *name = NULL;
        if (!lb_place_exists(&at) || !lb_read_string(reader, place, keys[i], LB_REQUIRED, &name)) {
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
        event->name = lb_arena_text(&sim->arena, event->name);
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
    if (!lb_place_exists(&then)) {
        lb_reader_fail(reader, &then, "missing: what shall happen");
        return LB_OK;
    }
    const size_t count = lb_place_count_items(&then);
    event->actions = lb_arena_take(&sim->arena, count, sizeof *event->actions);
    event->action_count = (int)count;
    if (!event->actions) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_item(&then, i);
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
    sim->flow.event_count = (int)count;
    sim->events = lb_arena_take(&sim->arena, count, sizeof *sim->events);
    sim->flow.found = lb_arena_take(&sim->arena, count, sizeof *sim->flow.found);
    sim->flow.levels = lb_arena_take(&sim->arena, count, sizeof *sim->flow.levels);
    sim->flow.directions = lb_arena_take(&sim->arena, count, sizeof *sim->flow.directions);
    sim->flow.spent = lb_arena_take(&sim->arena, count, 1);
    if (!sim->events || !sim->flow.found || !sim->flow.levels || !sim->flow.directions ||
        !sim->flow.spent) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_index(&events, i);
        const lb_status status = load_event(sim, reader, &at, &sim->events[i]);
        if (status < 0) {
            return status;
        }
        sim->flow.directions[i] = sim->events[i].direction;
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
