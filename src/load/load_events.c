// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `events` of a model file.
#include <stdio.h>
#include <string.h>

#include "document/reader.h"
#include "document/values.h"
#include "load_keys.h"

// ---- actions -------------------------------------------------------------------------------------

// One action: `stop`, or {enable: FORCE}, {disable: FORCE}, {lock: BODY}, {unlock: BODY},
// {close: LOOP}, {grasp: LOOP}, {release: LOOP}, {make: {...}}, {alter: LOOP, ...}.
static lb_status load_action(lb_part_loader *loader, const lb_place *place,
                             lb_action_options *action)
{
    static const char *const keys[] = {"enable", "disable", "lock", "unlock", "close",
                                       "grasp",  "release", "make", "alter",  NULL};
    enum { NAMED = LB_ACTION_RELEASE - LB_ACTION_ENABLE + 1 }; // those that have a name only
    lb_reader *reader = loader->reader;
    const char *word = lb_place_get_string(place);
    if (word) {
        if (strcmp(word, "stop") != 0) {
            lb_reader_fail(reader, place,
                           "'%s' found, expected stop, or a mapping with enable, disable, lock, "
                           "unlock, close, grasp, release, make or alter",
                           word);
        }
        return LB_OK;
    }
    const lb_place alter = lb_place_at_key(place, "alter");
    if (alter.node) {
        return lb_load_loop_change(loader, place, false, action);
    }
    if (!lb_read_mapping(reader, place, keys)) {
        return LB_OK;
    }
    if (lb_place_get_count(place) != 1) {
        lb_reader_fail(
            reader, place,
            "expected one of enable, disable, lock, unlock, close, grasp, release, make and alter");
        return LB_OK;
    }
    const lb_place make = lb_place_at_key(place, "make");
    if (make.node) {
        return lb_load_loop_change(loader, &make, true, action);
    }
    for (int i = 0; i < NAMED; ++i) {
        const lb_place at = lb_place_at_key(place, keys[i]);
        if (at.node && lb_read_string(reader, place, keys[i], LB_REQUIRED, &action->subject)) {
            action->type = (lb_action_type)(LB_ACTION_ENABLE + i);
        }
    }
    return LB_OK;
}

// One action, or a list. Those whose form is wrong are replaced by `stop`: the others are counted as in
// the file.
static lb_status load_actions(lb_part_loader *loader, const lb_place *then, lb_event_options *event)
{
    const size_t count = lb_place_count_items(then);
    lb_action_options *actions = lb_arena_take(&loader->scratch, count, sizeof *actions);
    lb_status status = actions ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; status >= 0 && i < count && !lb_gives_up(loader->reader, then, i); ++i) {
        const lb_place at = lb_place_at_item(then, i);
        const int errors = loader->reader->error_count;
        actions[i] = lb_default_action_options();
        status = load_action(loader, &at, &actions[i]);
        if (loader->reader->error_count > errors) {
            actions[i] = lb_default_action_options();
        }
        event->action_count = (int)i + 1;
    }
    event->actions = actions;
    return status;
}

// ---- events --------------------------------------------------------------------------------------

static lb_status load_event(lb_simulation *sim, lb_part_loader *loader, const lb_place *place)
{
    static const char *const keys[] = {"name", "when", "crosses", "direction",
                                       "once", "then", NULL};
    static const char *const directions[] = {"falling", "both", "rising", NULL};
    lb_reader *reader = loader->reader;
    lb_event_options event = lb_default_event_options();
    if (!lb_read_mapping(reader, place, keys)) {
        return lb_reserve_event(sim, "");
    }
    int direction = 1;
    lb_read_string(reader, place, "name", LB_REQUIRED, &event.name);
    event.when = "t"; // if it cannot be read: a signal that there always is
    lb_read_string(reader, place, "when", LB_REQUIRED, &event.when);
    lb_read_angle(reader, place, "crosses", LB_OPTIONAL, &event.crosses);
    lb_read_word(reader, place, "direction", LB_OPTIONAL, directions, &direction);
    event.direction = (lb_direction)(direction - 1);
    lb_read_bool(reader, place, "once", LB_OPTIONAL, &event.once);
    const lb_place then = lb_place_at_key(place, "then");
    lb_status status = LB_OK;
    if (then.node) {
        status = load_actions(loader, &then, &event);
    } else {
        lb_reader_fail(reader, &then, "missing: what shall happen");
    }
    status = status < 0 ? status : lb_add_event(sim, &event, NULL);
    return status == LB_E_MODEL ? LB_OK : status;
}

// A single action need not be a list: then its path has no index.
typedef struct onward {
    lb_report report;
    const lb_place *root;
} onward;

static void pass_on(void *user, const lb_diagnostic *diagnostic)
{
    const onward *o = user;
    const lb_place events = lb_find_part(o->root, "events", LB_DOC_SEQUENCE);
    const char *part = "";
    size_t index = 0;
    char prefix[64] = "";
    if (sscanf(diagnostic->path, "events[%zu]", &index) == 1 &&
        index < lb_place_get_count(&events)) {
        const lb_place event = lb_place_at_index(&events, index);
        const lb_place then = lb_place_at_key(&event, "then");
        if (lb_place_get_kind(&then) != LB_DOC_SEQUENCE) {
            snprintf(prefix, sizeof prefix, "events[%zu].then", index);
            part = "[0]";
        }
    }
    lb_pass_on(&o->report, diagnostic, prefix, part);
}

lb_status lb_load_events(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place events = lb_find_part(root, "events", LB_DOC_SEQUENCE);
    lb_part_loader loader = {reader, root, lb_make_arena(NULL)};
    onward o = {sim->faults.report, root};
    sim->faults.report = (lb_report){.emit = pass_on, .user = &o};
    lb_status status = LB_OK;
    for (size_t i = 0;
         status >= 0 && i < lb_place_get_count(&events) && !lb_gives_up(reader, &events, i); ++i) {
        const lb_place at = lb_place_at_index(&events, i);
        status = load_event(sim, &loader, &at);
    }
    lb_check_loop_changes(sim);
    sim->faults.report = o.report;
    lb_end_part_loader(&loader);
    return status;
}
