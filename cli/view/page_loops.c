// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops in a page: what each joins, and when it holds.
#include "view/page_writer.h"

#include <string.h>

#include "../src/command.h"
#include "view/replay.h"

// A loop as it is between two changes of what it joins, and when it holds: [from, to, from, to, ...],
// the last one open to the end. One that is led elsewhere is several of these, of one name.
typedef struct holding {
    const lb_model *model;
    const lb_cli_scene *scene;
    lb_reader *reader;
    const char *name, *type;
    int body[2], node[2];
    json_t *times, *list;
    bool on;
} holding;

static void put_loop(holding *h)
{
    int ends[2];
    for (int side = 0; side < 2; ++side) {
        ends[side] = lb_cli_get_scene_node(h->scene, h->body[side], h->node[side]);
    }
    json_array_append_new(h->list, json_pack("{s:o,s:s,s:o,s:i,s:i}", "name",
                                             lb_cli_make_text(h->name), "type", h->type, "holds",
                                             h->times, "a", ends[0], "b", ends[1]));
    h->times = json_array();
}

static void set_holding(holding *h, bool on, double t)
{
    if (on != h->on) {
        h->on = on;
        json_array_append_new(h->times, lb_cli_make_number(t));
    }
}

// Other ends, or another type.
static void lead_loop(holding *h, double t, const lb_place *what)
{
    const lb_place type_at = lb_place_at_key(what, "type");
    const char *type = lb_place_get_string(&type_at);
    int body[2], node[2];
    bool moved = type && strcmp(type, h->type) != 0;
    for (int side = 0; side < 2; ++side) {
        const lb_place end = lb_place_at_key(what, side ? "b" : "a"),
                       body_at = lb_place_at_key(&end, "body"),
                       node_at = lb_place_at_key(&end, "node");
        const char *name = lb_place_get_string(&body_at), *at = lb_place_get_string(&node_at);
        body[side] = name ? lb_find_body(h->model, name) : h->body[side];
        node[side] = name ? lb_find_node(h->model, body[side], at ? at : "origin") : h->node[side];
        moved = moved || body[side] != h->body[side] || node[side] != h->node[side];
    }
    if (!moved) {
        return;
    }
    const bool on = h->on;
    set_holding(h, false, t);
    if (json_array_size(h->times) > 0) {
        put_loop(h);
    }
    memcpy(h->body, body, sizeof body);
    memcpy(h->node, node, sizeof node);
    h->type = type ? type : h->type;
    set_holding(h, on, t);
}

static void switch_loop(void *user, double t, const char *key, const char *subject,
                        const lb_place *what)
{
    holding *h = user;
    if (strcmp(subject, h->name) != 0) {
        return;
    }
    const bool makes = strcmp(key, "make") == 0, alters = strcmp(key, "alter") == 0;
    bool grasp = false;
    if (makes || alters) {
        lead_loop(h, t, what);
        lb_read_bool(h->reader, what, "grasp", LB_OPTIONAL, &grasp);
    }
    if (makes || grasp || strcmp(key, "close") == 0 || strcmp(key, "grasp") == 0) {
        set_holding(h, true, t);
    } else if (strcmp(key, "release") == 0) {
        set_holding(h, false, t);
    }
}

json_t *lb_cli_make_loop_list(const lb_cli_recording *r, const lb_cli_scene *s)
{
    const lb_place root = lb_get_document_root(r->document), list = lb_place_at_key(&root, "loops");
    lb_reader reader = lb_start_reader(r->document, NULL);
    json_t *loops = json_array();
    for (int i = 0; i < lb_get_loop_count(r->model); ++i) {
        // those behind the list are made
        bool on = (size_t)i < lb_place_get_count(&list);
        if (on) {
            const lb_place at = lb_place_at_index(&list, (size_t)i);
            lb_read_bool(&reader, &at, "active", LB_OPTIONAL, &on);
        }
        const lb_loop_info info = lb_get_loop_info(r->model, i);
        holding h = {.model = r->model,
                     .scene = s,
                     .reader = &reader,
                     .name = lb_get_loop_name(r->model, i),
                     .type = lb_get_loop_type_name(info.type),
                     .times = json_array(),
                     .list = loops};
        for (int k = 0; k < 2; ++k) {
            h.body[k] = info.body[k];
            h.node[k] = info.node[k];
        }
        set_holding(&h, on, -1e300);
        lb_cli_replay(r, 0, 1e300, switch_loop, &h);
        put_loop(&h);
        json_decref(h.times);
    }
    return loops;
}
