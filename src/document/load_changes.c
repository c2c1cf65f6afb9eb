// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What events do to loops, as far as the model must know beforehand: a loop that is made is one of the
// model which waits; and a loop that is altered may come to join other bodies, or more of them. The
// room `load` reads the actions themselves and reports what is wrong with them.
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "places.h"

void lb_visit_actions(const lb_place *root, lb_action_visitor *visit, void *user)
{
    const lb_place events = lb_place_at_key(root, "events");
    const size_t event_count =
        lb_place_get_kind(&events) == LB_DOC_SEQUENCE ? lb_place_get_count(&events) : 0;
    for (size_t e = 0; e < event_count; ++e) {
        const lb_place event = lb_place_at_index(&events, e),
                       name = lb_place_at_key(&event, "name"),
                       then = lb_place_at_key(&event, "then");
        for (size_t i = 0; i < lb_place_count_items(&then); ++i) {
            const lb_place action = lb_place_at_item(&then, i);
            const bool is_mapping = lb_place_get_kind(&action) == LB_DOC_MAPPING;
            for (size_t k = 0; is_mapping && k < lb_place_get_count(&action); ++k) {
                const lb_place pair = lb_place_at_pair(&action, k);
                const bool makes = strcmp(pair.key, "make") == 0;
                const lb_place made = lb_place_at_key(&pair, "name");
                const char *subject = lb_place_get_string(makes ? &made : &pair);
                if (subject && !visit(user, lb_place_get_string(&name), pair.key, subject,
                                      makes ? &pair : &action)) {
                    return;
                }
            }
        }
    }
}

// ---- what a loop may become --------------------------------------------------------------------

typedef struct reach {
    const lb_place *root;
    const char *name;    // of the loop
    const char **bodies; // NULL while they are counted
    size_t count;
    int terms;
} reach;

// Bodies that are not there are left to those who read the action.
static void add_body(reach *r, const lb_place *end)
{
    const lb_place at = lb_place_at_key(end, "body"), bodies = lb_place_at_key(r->root, "bodies");
    const char *body = lb_place_get_string(&at);
    const size_t count =
        lb_place_get_kind(&bodies) == LB_DOC_SEQUENCE ? lb_place_get_count(&bodies) : 0;
    bool known = false;
    for (size_t i = 0; body && i < count && !known; ++i) {
        const lb_place entry = lb_place_at_index(&bodies, i),
                       name = lb_place_at_key(&entry, "name");
        const char *text = lb_place_get_string(&name);
        known = text && strcmp(text, body) == 0;
    }
    if (known) {
        if (r->bodies) {
            r->bodies[r->count] = body;
        }
        ++r->count;
    }
}

static bool collect(void *user, const char *event, const char *key, const char *name,
                    const lb_place *change)
{
    reach *r = user;
    (void)event;
    if (strcmp(name, r->name) != 0 || (strcmp(key, "make") != 0 && strcmp(key, "alter") != 0)) {
        return true;
    }
    const lb_place a = lb_place_at_key(change, "a"), b = lb_place_at_key(change, "b"),
                   terms = lb_place_at_key(change, "terms");
    add_body(r, &a);
    add_body(r, &b);
    const size_t count =
        lb_place_get_kind(&terms) == LB_DOC_SEQUENCE ? lb_place_get_count(&terms) : 0;
    for (size_t i = 0; i < count; ++i) {
        const lb_place term = lb_place_at_index(&terms, i);
        add_body(r, &term);
    }
    r->terms = (int)count > r->terms ? (int)count : r->terms;
    return true;
}

lb_status lb_load_reach(lb_loader *loader, const lb_place *root, lb_loop_options *loop)
{
    reach r = {.root = root, .name = loop->name};
    lb_visit_actions(root, collect, &r);
    if (r.count == 0 && r.terms == 0) {
        return LB_OK;
    }
    r.bodies = lb_arena_take(&loader->scratch, r.count + 1, sizeof *r.bodies);
    if (!r.bodies) {
        return LB_E_MEMORY;
    }
    r.count = 0;
    lb_visit_actions(root, collect, &r);
    loop->reach = r.bodies;
    loop->reach_count = (int)r.count;
    loop->term_capacity = r.terms;
    return LB_OK;
}

// ---- loops that are made -----------------------------------------------------------------------

// The first action that makes a loop of this name.
typedef struct first {
    const char *name;
    const lb_doc_node *node;
} first;

static bool find_first(void *user, const char *event, const char *key, const char *name,
                       const lb_place *change)
{
    first *f = user;
    (void)event;
    if (strcmp(key, "make") == 0 && strcmp(name, f->name) == 0) {
        f->node = change->node;
        return false;
    }
    return true;
}

bool lb_is_first_make(const lb_place *root, const lb_place *make, const char *name)
{
    first f = {name, NULL};
    lb_visit_actions(root, find_first, &f);
    return f.node == make->node;
}

// The loop number `index` of the builder, if it is one that is made, counted from those of the list.
typedef struct made {
    const lb_place *root;
    const char *rest;
    int left;
    const lb_doc_node *node;
    lb_text path;
} made;

static bool find_made(void *user, const char *event, const char *key, const char *name,
                      const lb_place *change)
{
    made *m = user;
    (void)event;
    if (strcmp(key, "make") != 0 || !lb_is_first_make(m->root, change, name) || m->left-- > 0) {
        return true;
    }
    const lb_text path = lb_place_get_path(change);
    m->path = path;
    m->node = lb_place_follow(change, m->rest);
    return false;
}

const lb_doc_node *lb_locate_made(const lb_place *root, const char *path, lb_text *translated)
{
    const lb_place loops = lb_place_at_key(root, "loops");
    int index = 0, length = 0;
    if (sscanf(path, "loops[%d]%n", &index, &length) != 1 || length == 0 ||
        index < (int)lb_place_get_count(&loops)) {
        return NULL;
    }
    made m = {.root = root, .rest = path + length, .left = index - (int)lb_place_get_count(&loops)};
    lb_visit_actions(root, find_made, &m);
    if (m.node) {
        *translated = m.path;
        lb_text_add(translated, "%s", path + length);
    }
    return m.node;
}
