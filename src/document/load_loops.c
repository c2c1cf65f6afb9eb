// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `loops` and `spare_loops` of a model file.
#include <string.h>

#include "limber/model.h"
#include "load.h"
#include "model/model_parts.h"
#include "values.h"

// {body, node} of one end; node is `origin` if absent.
static void lb_load_loop_end(lb_loader *loader, const lb_place *loop, const char *key,
                             const char **body, const char **node)
{
    static const char *const known[] = {"body", "node", NULL};
    const lb_place end = lb_place_at_key(loop, key);
    if (!end.node) {
        lb_reader_fail(&loader->reader, &end, "missing: an end is {body: NAME, node: NAME}");
    } else if (lb_place_get_string(&end)) {
        // as nodes are written in forces and outputs
        const char *text = lb_place_get_string(&end), *slash = strchr(text, '/');
        const int length = slash ? (int)(slash - text) : (int)strlen(text);
        lb_reader_fail(&loader->reader, &end,
                       "expected {body: %.*s, node: %s}, found the string \"%s\"", length, text,
                       slash ? slash + 1 : "origin", text);
    } else if (lb_read_mapping(&loader->reader, &end, known)) {
        lb_read_string(&loader->reader, &end, "body", LB_REQUIRED, body);
        lb_read_string(&loader->reader, &end, "node", LB_OPTIONAL, node);
    }
}

// What only some types have: refused in the others.
static void lb_refuse_key(lb_loader *loader, const lb_place *loop, const char *key,
                          const char *type)
{
    const lb_place place = lb_place_at_key(loop, key);
    if (place.node) {
        lb_reader_fail(&loader->reader, &place, "a %s loop has no %s", type, key);
    }
}

static lb_status lb_load_coupler(lb_loader *loader, const lb_place *place, lb_loop_options *loop)
{
    lb_refuse_key(loader, place, "a", "coupler");
    lb_refuse_key(loader, place, "b", "coupler");
    const lb_place offset = lb_place_at_key(place, "offset");
    if (loop->as_assembled && offset.node) {
        lb_reader_fail(&loader->reader, &offset, "as_assembled says what it is: leave one out");
    } else {
        lb_read_number(&loader->reader, place, "offset", LB_OPTIONAL, &loop->offset);
    }
    return lb_read_terms(&loader->reader, &loader->scratch, place, LB_REQUIRED, &loop->terms,
                         &loop->term_count);
}

// What joins two nodes.
static void lb_load_closure(lb_loader *loader, const lb_place *place, lb_loop_options *loop,
                            const char *type)
{
    lb_reader *reader = &loader->reader;
    lb_load_loop_end(loader, place, "a", &loop->body_a, &loop->node_a);
    lb_load_loop_end(loader, place, "b", &loop->body_b, &loop->node_b);
    lb_refuse_key(loader, place, "terms", type);
    lb_refuse_key(loader, place, "offset", type);
    bool grasp = false;
    lb_read_bool(reader, place, "grasp", LB_OPTIONAL, &grasp);
    if (loop->type == LB_LOOP_ROD && grasp) {
        loop->length = 1.0; // until it is made: any
    } else if (loop->type == LB_LOOP_ROD && !loop->as_assembled) {
        lb_read_number(reader, place, "length", LB_REQUIRED, &loop->length);
    } else if (loop->type == LB_LOOP_ROD) {
        const lb_place length = lb_place_at_key(place, "length");
        if (length.node) {
            lb_reader_fail(reader, &length, "as_assembled says what it is: leave one out");
        }
    } else {
        lb_refuse_key(loader, place, "length", type);
    }
}

// One loop of the list, or one that an event makes.
static lb_status lb_load_loop(lb_loader *loader, const lb_place *root, const lb_place *place,
                              bool is_made)
{
    static const char *const listed[] = {
        "name",         "a",     "b",      "type",   "axis",   "length",
        "as_assembled", "terms", "offset", "motion", "active", NULL};
    static const char *const made[] = {"name",   "a",     "b",      "type",  "axis",
                                       "length", "terms", "offset", "grasp", NULL};
    const char *const *known = is_made ? made : listed;
    lb_reader *reader = &loader->reader;
    // until the file says better: something that the builder accepts
    lb_loop_options loop = lb_default_loop_options();
    loop.name = "?";
    loop.axis[2] = 1.0;
    if (!lb_read_mapping(reader, place, known)) {
        return LB_OK;
    }
    const int errors = reader->error_count;
    lb_read_string(reader, place, "name", LB_REQUIRED, &loop.name);
    bool as_assembled = false, active = true;
    lb_read_bool(reader, place, "as_assembled", LB_OPTIONAL, &as_assembled);
    loop.as_assembled = as_assembled;
    lb_read_bool(reader, place, "active", LB_OPTIONAL, &active);
    loop.inactive = !active || is_made;
    // a function of time, which the room `load` reads
    loop.driven = lb_place_has_key(place, "motion");
    lb_status status = LB_OK;
    if (lb_read_loop_type(reader, place, LB_REQUIRED, &loop.type)) {
        const char *type = lb_get_loop_type_name(loop.type);
        if (lb_has_loop_axis(loop.type)) {
            lb_read_numbers(reader, place, "axis", LB_REQUIRED, 3, loop.axis);
        } else {
            lb_refuse_key(loader, place, "axis", type);
        }
        if (loop.type == LB_LOOP_COUPLER) {
            lb_refuse_key(loader, place, "length", type);
            status = lb_load_coupler(loader, place, &loop);
        } else {
            lb_load_closure(loader, place, &loop, type);
        }
    }
    // one that is wrong already is left out, lest the builder complain of its stand-ins
    loader->context = place;
    if (status == LB_OK && reader->error_count == errors) {
        status = lb_load_reach(loader, root, &loop);
    }
    if (status == LB_OK && reader->error_count == errors) {
        status = lb_add_loop(loader->builder, &loop, NULL);
    }
    lb_arena_free(&loader->scratch);
    return status == LB_E_MEMORY ? status : LB_OK;
}

// What events make: each name once; what makes it again alters it.
typedef struct lb_making {
    lb_loader *loader;
    const lb_place *root;
    lb_status status;
} lb_making;

static bool lb_load_made(void *user, const char *event, const char *key, const char *name,
                         const lb_place *change)
{
    lb_making *m = user;
    (void)event;
    if (strcmp(key, "make") != 0) {
        return true;
    }
    const lb_place loops = lb_place_at_key(m->root, "loops");
    for (size_t i = 0; i < lb_place_get_count(&loops); ++i) {
        const lb_place loop = lb_place_at_index(&loops, i), at = lb_place_at_key(&loop, "name");
        const char *other = lb_place_get_string(&at);
        if (other && strcmp(other, name) == 0) {
            const lb_place own = lb_place_at_key(change, "name");
            lb_reader_fail(&m->loader->reader, &own,
                           "'%s' is the name of loops[%zu]: close, grasp or alter that one", name,
                           i);
            return true;
        }
    }
    if (lb_is_first_make(m->root, change, name)) {
        m->status = lb_load_loop(m->loader, m->root, change, true);
    }
    return m->status == LB_OK;
}

lb_status lb_load_loops(lb_loader *loader, const lb_place *root)
{
    lb_place loops;
    lb_status status = LB_OK;
    if (lb_read_sequence(&loader->reader, root, "loops", LB_OPTIONAL, &loops)) {
        const size_t count = lb_place_get_count(&loops);
        for (size_t i = 0; i < count && status == LB_OK && !lb_gives_up(&loader->reader, &loops, i);
             ++i) {
            const lb_place place = lb_place_at_index(&loops, i);
            status = lb_load_loop(loader, root, &place, false);
        }
    }
    if (status == LB_OK) {
        lb_making making = {loader, root, LB_OK};
        lb_visit_actions(root, lb_load_made, &making);
        status = making.status;
    }
    loader->context = root;
    int count = 0;
    if (lb_read_integer(&loader->reader, root, "spare_loops", LB_OPTIONAL, &count)) {
        lb_set_spare_loops(loader->builder, count, 2);
    }
    return status;
}
