// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Actions of events that make a loop or alter one: `make` and `alter` of a model file.
#include <string.h>

#include "document/values.h"
#include "load_keys.h"

// Body and node of one end.
static void load_end(lb_reader *reader, const lb_place *place, const char *key, lb_node_name *name)
{
    static const char *const keys[] = {"body", "node", NULL};
    const lb_place at = lb_place_at_key(place, key);
    if (at.node && lb_read_mapping(reader, &at, keys) &&
        lb_read_string(reader, &at, "body", LB_REQUIRED, &name->body)) {
        name->node = "origin";
        lb_read_string(reader, &at, "node", LB_OPTIONAL, &name->node);
    }
}

// Axis and length, where zero means that nothing is given.
static void load_numbers(lb_reader *reader, const lb_place *place, lb_loop_change_options *change)
{
    const double *a = change->axis;
    if (lb_read_numbers(reader, place, "axis", LB_OPTIONAL, 3, change->axis) && a[0] == 0.0 &&
        a[1] == 0.0 && a[2] == 0.0) {
        const lb_place at = lb_place_at_key(place, "axis");
        lb_reader_fail(reader, &at, "a zero vector, expected a direction");
    }
    if (lb_read_number(reader, place, "length", LB_OPTIONAL, &change->length) &&
        change->length == 0.0) {
        const lb_place at = lb_place_at_key(place, "length");
        lb_reader_fail(reader, &at, "%.9g, expected a length greater than zero", change->length);
    }
    change->has_offset = lb_read_number(reader, place, "offset", LB_OPTIONAL, &change->offset);
}

lb_status lb_load_loop_change(lb_part_loader *loader, const lb_place *place, bool makes,
                              lb_action_options *action)
{
    static const char *const known[] = {"a",      "b",     "type",   "axis",
                                        "length", "terms", "offset", "grasp"};
    const char *keys[sizeof known / sizeof *known + 2] = {makes ? "name" : "alter"};
    memcpy(keys + 1, known, sizeof known);
    lb_reader *reader = loader->reader;
    lb_loop_change_options *change = lb_arena_take(&loader->scratch, 1, sizeof *change);
    if (!change) {
        return LB_E_MEMORY;
    }
    *change = lb_default_loop_change_options();
    action->type = makes ? LB_ACTION_MAKE : LB_ACTION_ALTER;
    if (!lb_read_mapping(reader, place, keys) ||
        !lb_read_string(reader, place, keys[0], LB_REQUIRED, &action->subject)) {
        return LB_OK;
    }
    if (!makes && lb_place_get_count(place) == 1) {
        return LB_OK; // nothing is altered
    }
    action->change = change;
    lb_read_bool(reader, place, "grasp", LB_OPTIONAL, &change->grasp);
    change->has_type = lb_read_loop_type(reader, place, LB_OPTIONAL, &change->type);
    load_end(reader, place, "a", &change->a);
    load_end(reader, place, "b", &change->b);
    load_numbers(reader, place, change);
    const lb_status status = lb_read_terms(reader, &loader->scratch, place, LB_OPTIONAL,
                                           &change->terms, &change->term_count);
    if (change->terms && change->term_count == 0) {
        const lb_place terms = lb_place_at_key(place, "terms");
        lb_reader_fail(reader, &terms, "expected at least one term");
    }
    return status;
}
