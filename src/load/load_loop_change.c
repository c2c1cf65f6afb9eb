// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Actions of events that make a loop or alter one: `make` and `alter` of a model file.
#include <math.h>
#include <string.h>

#include "load_keys.h"
#include "system/closure.h"

// Body and node of one end, by name.
static void load_end(lb_simulation *sim, lb_reader *reader, const lb_place *place, int side,
                     lb_need need, lb_loop_change *change)
{
    static const char *const keys[] = {"body", "node", NULL};
    const lb_model *model = sim->system.model;
    const lb_place at = lb_place_at_key(place, side ? "b" : "a");
    const char *body = NULL, *node = "origin";
    if (!lb_place_exists(&at)) {
        if (need == LB_REQUIRED) {
            lb_reader_fail(reader, &at, "missing: an end is {body: NAME, node: NAME}");
        }
        return;
    }
    if (!lb_read_mapping(reader, &at, keys) ||
        !lb_read_string(reader, &at, "body", LB_REQUIRED, &body)) {
        return;
    }
    lb_read_string(reader, &at, "node", LB_OPTIONAL, &node);
    change->body[side] = lb_find_body(model, body);
    if (change->body[side] < LB_GROUND) {
        const lb_place name = lb_place_at_key(&at, "body");
        lb_reader_fail(reader, &name, "there is no body '%s'", body);
        return;
    }
    change->node[side] = lb_find_node(model, change->body[side], node);
    if (change->node[side] < 0) {
        const lb_place name = lb_place_at_key(&at, "node");
        lb_reader_fail(reader, &name, "'%s' has no node '%s'", body, node);
        return;
    }
    change->has_end[side] = true;
}

// Terms of a coupler: [{body, coordinate, factor}, ...].
static lb_status load_terms(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                            lb_need need, lb_loop_change *change)
{
    static const char *const keys[] = {"body", "coordinate", "factor", NULL};
    const lb_model *model = sim->system.model;
    lb_place list;
    if (!lb_read_sequence(reader, place, "terms", need, &list)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&list);
    change->terms = lb_arena_take(&sim->arena, count, sizeof *change->terms);
    if (!change->terms) {
        return LB_E_MEMORY;
    }
    if (count == 0) {
        lb_reader_fail(reader, &list, "expected at least one term");
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_index(&list, i);
        lb_relation_term *term = &change->terms[i];
        const char *body = NULL;
        term->factor = 1.0;
        if (!lb_read_mapping(reader, &at, keys) ||
            !lb_read_string(reader, &at, "body", LB_REQUIRED, &body)) {
            continue;
        }
        lb_read_number(reader, &at, "factor", LB_OPTIONAL, &term->factor);
        const lb_place coordinate = lb_place_at_key(&at, "coordinate");
        if (lb_place_exists(&coordinate)) {
            lb_read_integer_at(reader, &coordinate, &term->coordinate);
        }
        term->body = lb_find_body(model, body);
        const int n = term->body < 0 ? 0 : lb_get_hinge_v_count(model, term->body);
        const lb_hinge_type type =
            term->body < 0 ? LB_HINGE_FIXED : lb_get_hinge_type(model, term->body);
        if (term->body < 0) {
            lb_reader_fail(reader, &at, "there is no body '%s'", body);
        } else if (term->factor == 0.0) {
            lb_reader_fail(reader, &at, "a factor of zero relates nothing");
        } else if (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE || term->coordinate < 0 ||
                   term->coordinate >= n) {
            lb_reader_fail(reader, &at, "the %s hinge of '%s' has no coordinate %d to relate",
                           lb_get_hinge_type_name(type), body, term->coordinate);
        }
        for (size_t j = 0; j < i; ++j) {
            if (change->terms[j].body == term->body &&
                change->terms[j].coordinate == term->coordinate) {
                lb_reader_fail(reader, &at, "the same coordinate as terms[%zu], expected each once",
                               j);
            }
        }
    }
    change->term_count = (int)count;
    return LB_OK;
}

// What only some types have: refused in the others.
static void refuse(lb_reader *reader, const lb_place *place, const char *key, lb_loop_type type)
{
    const lb_place at = lb_place_at_key(place, key);
    if (lb_place_exists(&at)) {
        lb_reader_fail_key(reader, &at, "a %s loop has no %s", lb_get_loop_type_name(type), key);
    }
}

static void load_axis(lb_reader *reader, const lb_place *place, lb_need need,
                      lb_loop_change *change)
{
    change->has_axis = lb_read_numbers(reader, place, "axis", need, 3, change->axis);
    const double *a = change->axis;
    if (change->has_axis && !(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0.0)) {
        const lb_place at = lb_place_at_key(place, "axis");
        lb_reader_fail(reader, &at, "a zero vector, expected a direction");
    }
}

static void load_length(lb_reader *reader, const lb_place *place, lb_need need,
                        lb_loop_change *change)
{
    change->has_length = lb_read_number(reader, place, "length", need, &change->length);
    if (change->has_length && !(change->length > 0.0)) {
        const lb_place at = lb_place_at_key(place, "length");
        lb_reader_fail(reader, &at, "%.9g, expected a length greater than zero", change->length);
    }
    const lb_place grasp = lb_place_at_key(place, "grasp");
    if (change->has_length && change->grasp) {
        lb_reader_fail(reader, &grasp, "says what the length is: leave one out");
    }
}

static int find_loop(const lb_model *model, const char *name)
{
    int loop = lb_get_loop_count(model) - 1;
    while (loop >= 0 && strcmp(lb_get_loop_name(model, loop), name) != 0) {
        --loop;
    }
    return loop;
}

// Whether any action of the events leads this end of a loop elsewhere.
typedef struct altering {
    const char *name, *end;
    bool found;
} altering;

static bool find_alteration(void *user, const char *event, const char *key, const char *name,
                            const lb_place *change)
{
    altering *a = user;
    (void)event;
    a->found = strcmp(name, a->name) == 0 && lb_place_has_key(change, a->end) &&
               (strcmp(key, "make") == 0 || strcmp(key, "alter") == 0);
    return !a->found;
}

static bool is_end_altered(const lb_place *root, const char *name, const char *end)
{
    altering a = {name, end, false};
    lb_visit_actions(root, find_alteration, &a);
    return a.found;
}

// Two ends on one body, as far as the file tells: both are given, or the other one stays for ever.
static void check_ends(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                       const lb_loop_change *change)
{
    const lb_model *model = sim->system.model;
    const lb_place *root = lb_place_get_root(place);
    int body[2], node[2];
    bool known[2];
    for (int side = 0; side < 2; ++side) {
        lb_get_loop_end(model, change->loop, side, &body[side], &node[side]);
        known[side] =
            change->has_end[side] ||
            !is_end_altered(root, lb_get_loop_name(model, change->loop), side ? "b" : "a");
        if (change->has_end[side]) {
            body[side] = change->body[side];
            node[side] = change->node[side];
        }
    }
    if (!known[0] || !known[1] || (!change->has_end[0] && !change->has_end[1]) ||
        body[0] != body[1]) {
        return;
    }
    const lb_place at = lb_place_at_key(place, change->has_end[1] ? "b" : "a");
    if (node[0] == node[1]) {
        lb_reader_fail(reader, &at,
                       "both ends are node '%s' of '%s': a node cannot close on itself",
                       lb_get_node_name(model, body[0], node[0]), lb_get_body_name(model, body[0]));
    } else {
        lb_reader_fail(reader, &at, "both ends are on '%s', expected two different bodies",
                       lb_get_body_name(model, body[0]));
    }
}

// A loop that is made: everything that its type asks for.
static lb_status load_made(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                           lb_loop_change *change)
{
    const lb_loop_type type = change->type;
    if (type == LB_LOOP_COUPLER) {
        refuse(reader, place, "a", type);
        refuse(reader, place, "b", type);
        change->has_offset = true; // zero if it is absent
        lb_read_number(reader, place, "offset", LB_OPTIONAL, &change->offset);
        return load_terms(sim, reader, place, LB_REQUIRED, change);
    }
    load_end(sim, reader, place, 0, LB_REQUIRED, change);
    load_end(sim, reader, place, 1, LB_REQUIRED, change);
    return LB_OK;
}

// What is altered, the type being as it was when the model was loaded unless it is named.
static lb_status load_altered(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                              lb_loop_change *change)
{
    if (change->type == LB_LOOP_COUPLER) {
        refuse(reader, place, "a", change->type);
        refuse(reader, place, "b", change->type);
        change->has_offset = lb_read_number(reader, place, "offset", LB_OPTIONAL, &change->offset);
        return load_terms(sim, reader, place, LB_OPTIONAL, change);
    }
    load_end(sim, reader, place, 0, LB_OPTIONAL, change);
    load_end(sim, reader, place, 1, LB_OPTIONAL, change);
    return LB_OK;
}

// What the type of a loop decides of the rest.
static lb_status load_by_type(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                              bool makes, lb_loop_change *change)
{
    const lb_loop_type type = change->type;
    const lb_need need = change->has_type ? LB_REQUIRED : LB_OPTIONAL;
    const lb_status status =
        makes ? load_made(sim, reader, place, change) : load_altered(sim, reader, place, change);
    if (lb_has_loop_axis(type)) {
        load_axis(reader, place, need, change);
    } else {
        refuse(reader, place, "axis", type);
    }
    if (type == LB_LOOP_ROD) {
        load_length(reader, place, change->grasp ? LB_OPTIONAL : need, change);
    } else {
        refuse(reader, place, "length", type);
    }
    if (type != LB_LOOP_COUPLER) {
        refuse(reader, place, "terms", type);
        refuse(reader, place, "offset", type);
    }
    return status;
}

lb_status lb_load_loop_change(lb_simulation *sim, lb_reader *reader, const lb_place *place,
                              bool makes, lb_action *action)
{
    static const char *const known[] = {"a",      "b",     "type",   "axis",
                                        "length", "terms", "offset", "grasp"};
    const lb_model *model = sim->system.model;
    const char *keys[sizeof known / sizeof *known + 2] = {makes ? "name" : "alter"};
    memcpy(keys + 1, known, sizeof known);
    lb_loop_change *change = lb_arena_take(&sim->arena, 1, sizeof *change);
    if (!change) {
        return LB_E_MEMORY;
    }
    action->type = makes ? LB_ACTION_MAKE : LB_ACTION_ALTER;
    action->change = change;
    const char *name = NULL, *types[LB_LOOP_TYPE_COUNT + 1] = {NULL};
    for (int i = 0; i < LB_LOOP_TYPE_COUNT; ++i) {
        types[i] = lb_get_loop_type_name((lb_loop_type)i);
    }
    if (!lb_read_mapping(reader, place, keys) ||
        !lb_read_string(reader, place, keys[0], LB_REQUIRED, &name)) {
        return LB_OK;
    }
    const int errors = reader->error_count;
    const lb_place at = lb_place_at_key(place, keys[0]);
    action->subject = change->loop = find_loop(model, name);
    if (change->loop < 0) {
        lb_reader_fail(reader, &at, "there is no loop '%s'%s", name,
                       makes ? ": the model was loaded from another file" : "");
        return LB_OK;
    }
    if (!makes && lb_place_get_count(place) == 1) {
        lb_reader_fail(reader, place,
                       "nothing is altered: expected a, b, type, axis, length, terms, offset or "
                       "grasp beside the name");
    }
    lb_read_bool(reader, place, "grasp", LB_OPTIONAL, &change->grasp);
    const lb_loop_type before = lb_get_loop_type(model, change->loop);
    int type = (int)before;
    change->has_type =
        lb_read_word(reader, place, "type", makes ? LB_REQUIRED : LB_OPTIONAL, types, &type);
    change->type = (lb_loop_type)type;
    const lb_place type_at = lb_place_at_key(place, "type");
    if (!makes && (before == LB_LOOP_COUPLER) != (change->type == LB_LOOP_COUPLER)) {
        lb_reader_fail(reader, &type_at, "a %s cannot become a %s: make one with a name of its own",
                       types[before], types[type]);
        return LB_OK;
    }
    if (lb_is_loop_driven(model, change->loop) &&
        (lb_place_exists(&type_at) || lb_place_has_key(place, "axis"))) {
        lb_reader_fail(reader, place, "'%s' follows a motion: its type and axis cannot be altered",
                       name);
    }
    const lb_status status = load_by_type(sim, reader, place, makes, change);
    if (status >= 0 && reader->error_count == errors && change->type != LB_LOOP_COUPLER) {
        check_ends(sim, reader, place, change);
    }
    return status;
}
