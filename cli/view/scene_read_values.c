// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `values` of a shape in `view` of a model file: signals that colour its nodes.
#include <stdio.h>
#include <string.h>

#include "../src/command.h"
#include "view/scene_read.h"

// The colour bar of a caption; a new one if no shape before had it.
static int find_scale(lb_cli_reading *r, const lb_place *at, int body)
{
    lb_cli_scene *s = r->scene;
    const char *caption = NULL;
    char *made = NULL;
    if (!lb_read_string(&r->reader, at, "caption", LB_OPTIONAL, &caption) && s) {
        const char *name = lb_get_body_name(r->model, body);
        const size_t size = strlen(name) + sizeof "values of ";
        caption = made = lb_cli_keep(s, size, 1);
        if (made) {
            snprintf(made, size, "values of %s", name);
        }
    }
    if (!s || !caption) {
        r->short_of_memory = r->short_of_memory || s;
        return 0;
    }
    for (int i = 0; i < s->scale_count; ++i) {
        if (strcmp(s->scales[i].caption, caption) == 0) {
            return i;
        }
    }
    s->scales[s->scale_count] = (lb_cli_scale){.caption = caption};
    return s->scale_count++;
}

static void read_value(lb_cli_reading *r, const lb_place *at, int body, int scale)
{
    const char *name = lb_place_get_string(at);
    const int node = lb_find_node(r->model, body, lb_place_get_key(at));
    char why[256];
    if (node < 0) {
        lb_reader_fail_key(&r->reader, at, "body \"%s\" has no node \"%s\"",
                           lb_get_body_name(r->model, body), lb_place_get_key(at));
        return;
    }
    r->value_of[node] = 0; // no second error at the shape if this is one
    if (!name) {
        lb_reader_fail_type(&r->reader, at, "a signal such as panel.recovery.stress");
        return;
    }
    if (!lb_cli_has_signal(r->recording, name, why)) {
        lb_reader_fail(&r->reader, at, "\"%s\": %s", name, why);
        return;
    }
    lb_cli_scene *s = r->scene;
    if (s) {
        const char *unit = lb_cli_get_unit(s->recording, name), *other = s->scales[scale].unit;
        s->scales[scale].unit = !other || strcmp(unit, other) == 0 ? unit : "";
        r->value_of[node] = s->value_count;
        s->values[s->value_count++] = (lb_cli_scene_value){name, scale};
    }
}

bool lb_cli_read_shape_values(lb_cli_reading *r, const lb_place *at, int body, bool by_nodes,
                              int *scale)
{
    const lb_place list = lb_place_at_key(at, "values"), caption = lb_place_at_key(at, "caption");
    if (!lb_place_exists(&list)) {
        if (lb_place_exists(&caption)) {
            lb_reader_fail_key(&r->reader, &caption, "a caption is for `values`, which are absent");
        }
        return false;
    }
    if (!by_nodes) {
        lb_reader_fail_key(&r->reader, &list, "only a tube or a sheet has values at its nodes");
        return false;
    }
    if (lb_place_get_kind(&list) != LB_DOC_MAPPING) {
        lb_reader_fail_type(&r->reader, &list, "a mapping from nodes to signals");
        return false;
    }
    const int count = lb_get_node_count(r->model, body);
    r->value_of = lb_cli_malloc(((size_t)count + 1) * sizeof *r->value_of);
    r->is_drawn = lb_cli_calloc((size_t)count + 1, sizeof *r->is_drawn);
    if (!r->value_of || !r->is_drawn) {
        r->short_of_memory = true;
        return false;
    }
    for (int i = 0; i < count; ++i) {
        r->value_of[i] = LB_CLI_NO_VALUE;
    }
    *scale = find_scale(r, at, body);
    for (size_t i = 0; !r->short_of_memory && i < lb_place_get_count(&list); ++i) {
        const lb_place value = lb_place_at_pair(&list, i);
        read_value(r, &value, body, *scale);
    }
    return true;
}

void lb_cli_spread_values(lb_cli_reading *r, const lb_place *at, int body, lb_cli_shape *shape)
{
    const lb_place list = lb_place_at_key(at, "values");
    for (size_t i = 0; i < lb_place_get_count(&list) && r->reader.error_count == 0; ++i) {
        const lb_place value = lb_place_at_pair(&list, i);
        const int node = lb_find_node(r->model, body, lb_place_get_key(&value));
        if (!r->is_drawn[node]) {
            lb_reader_fail_key(&r->reader, &value, "node \"%s\" is not one of this shape",
                               lb_place_get_key(&value));
        }
    }
    if (!shape->nodes || r->reader.error_count > 0) {
        return;
    }
    shape->values = lb_cli_keep(r->scene, (size_t)shape->node_count, sizeof *shape->values);
    r->short_of_memory = r->short_of_memory || !shape->values;
    for (int i = 0; shape->values && i < shape->node_count; ++i) {
        shape->values[i] = r->value_of[r->scene->nodes[shape->nodes[i]].node];
    }
}
