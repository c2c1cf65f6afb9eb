// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The scene of a page, how it moves, and what its loops join when.
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"
#include "view/page_writer.h"
#include "view/picture.h"
#include "view/replay.h"

static json_t *make_vector(lb_vec3 a)
{
    return json_pack("[f,f,f]", a.x, a.y, a.z);
}

static json_t *make_rotation(const lb_mat3 *R)
{
    double q[4];
    lb_quat_to(lb_quat_from_mat3(R), q);
    return lb_cli_make_numbers(q, 4);
}

static json_t *make_bodies(const lb_model *model, const lb_cli_scene *s)
{
    json_t *list = json_array();
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        double mass, com[3], inertia[6];
        lb_get_mass_properties(model, k, &mass, com, inertia);
        const int parent = lb_get_hinge(model, k).parent;
        const int parent_node =
                      lb_cli_get_scene_node(s, parent, lb_get_hinge(model, k).parent_node),
                  hinge_node = lb_cli_get_scene_node(s, k, lb_get_hinge(model, k).node);
        json_array_append_new(
            list,
            json_pack("{s:o,s:i,s:i,s:i,s:s,s:i,s:o,s:o,s:o}", "name",
                      lb_cli_make_text(lb_get_body_name(model, k)), "parent", parent, "parentNode",
                      parent_node, "hingeNode", hinge_node, "hinge",
                      lb_get_hinge_type_name(lb_get_hinge(model, k).type), "modes",
                      lb_get_mode_count(model, k), "mass", lb_cli_make_number(mass), "com",
                      lb_cli_make_numbers(com, 3), "inertia", lb_cli_make_numbers(inertia, 6)));
    }
    return list;
}

static json_t *make_nodes(const lb_model *model, const lb_cli_scene *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->node_count; ++i) {
        const lb_cli_scene_node *n = &s->nodes[i];
        json_array_append_new(list,
                              json_pack("{s:i,s:o,s:o,s:o,s:i}", "body", n->body, "name",
                                        lb_cli_make_text(lb_get_node_name(model, n->body, n->node)),
                                        "p", make_vector(n->pose.p), "r", make_rotation(&n->pose.R),
                                        "flex", n->flexible));
    }
    return list;
}

static json_t *make_integers(const int *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_integer(values[i]));
    }
    return list;
}

static json_t *make_shapes(lb_cli_writer *w, const lb_cli_scene *s)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "tube", "sheet", "mesh"};
    json_t *list = json_array();
    for (int i = 0; i < s->shape_count; ++i) {
        const lb_cli_shape *shape = &s->shapes[i];
        json_t *entry = json_pack("{s:s,s:i,s:o}", "kind", kinds[shape->kind], "body", shape->body,
                                  "size", lb_cli_make_numbers(shape->size, 3));
        if (shape->colour[0] >= 0.0) {
            json_object_set_new(entry, "colour", lb_cli_make_numbers(shape->colour, 3));
        }
        if (shape->kind == LB_CLI_TUBE || shape->kind == LB_CLI_SHEET) {
            json_object_set_new(entry, "nodes", make_integers(shape->nodes, shape->node_count));
            if (shape->values) {
                json_object_set_new(entry, "values",
                                    make_integers(shape->values, shape->node_count));
                json_object_set_new(entry, "scale", json_integer(shape->scale));
            }
        } else {
            json_object_set_new(entry, "p", make_vector(shape->pose.p));
            json_object_set_new(entry, "r", make_rotation(&shape->pose.R));
        }
        if (shape->kind == LB_CLI_MESH) {
            json_object_set_new(
                entry, "points",
                json_integer(lb_cli_write_block(
                    w, shape->points, 3 * (size_t)shape->point_count * sizeof *shape->points)));
            json_object_set_new(
                entry, "corners",
                json_integer(lb_cli_write_block(
                    w, shape->corners, (size_t)shape->corner_count * sizeof *shape->corners)));
        }
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *make_scales(const lb_cli_scene *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->scale_count; ++i) {
        const lb_cli_scale *scale = &s->scales[i];
        json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:o}", "caption",
                                              lb_cli_make_text(scale->caption), "unit",
                                              lb_cli_make_text(scale->unit), "low",
                                              lb_cli_make_number(scale->low), "high",
                                              lb_cli_make_number(scale->high)));
    }
    return list;
}

// The body whose hinge a force acts in, by the model file: LB_NOT_FOUND for other forces.
static int find_driven_body(const lb_cli_recording *r, const char *force)
{
    const lb_place root = lb_get_document_root(r->document),
                   list = lb_place_at_key(&root, "forces");
    for (size_t i = 0; i < lb_place_get_count(&list); ++i) {
        const lb_place entry = lb_place_at_index(&list, i), name = lb_place_at_key(&entry, "name"),
                       hinge = lb_place_at_key(&entry, "hinge");
        const char *text = lb_place_get_string(&name), *body = lb_place_get_string(&hinge);
        if (text && body && strcmp(text, force) == 0) {
            return lb_find_body(r->model, body);
        }
    }
    return LB_NOT_FOUND;
}

static json_t *make_forces(const lb_cli_recording *r)
{
    json_t *list = json_array();
    for (int i = 0; i < lb_get_force_count(r->forces); ++i) {
        const lb_force_info info = lb_get_force_info(r->forces, i);
        const int body = find_driven_body(r, info.name);
        json_t *force = json_pack("{s:o,s:s}", "name", lb_cli_make_text(info.name), "type",
                                  lb_get_force_type_name(info.type));
        if (body >= 0) {
            json_object_set_new(force, "hinge", json_integer(body));
        }
        json_array_append_new(list, force);
    }
    return list;
}

// ---- loops -------------------------------------------------------------------------------------

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

// Loops, with the times from which and to which each of them holds.
static json_t *make_loop_list(const lb_cli_recording *r, const lb_cli_scene *s)
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

// ---- all ---------------------------------------------------------------------------------------

// Mode shapes are about a state of their own: where everything is then.
static void write_mode_place(lb_cli_writer *w, json_t *model)
{
    const lb_cli_scene *s = w->page->scene;
    const lb_cli_recording *r = w->page->recording;
    const json_t *list = json_object_get(w->page->modes, "q");
    const size_t count = (size_t)lb_get_q_count(r->model),
                 bodies = (size_t)lb_get_body_count(r->model);
    if (!json_is_array(list)) {
        return;
    }
    if (json_array_size(list) != count) {
        lb_cli_add_notice(w,
                          "The mode shapes are of a model with %zu coordinates, this one has %zu.",
                          json_array_size(list), count);
        return;
    }
    double *q = lb_cli_calloc(count + 1, sizeof *q);
    float *poses = lb_cli_calloc(7 * bodies + 1, sizeof *poses),
          *bends = lb_cli_calloc(6 * (size_t)s->flexible_count + 1, sizeof *bends);
    for (size_t i = 0; q && i < count; ++i) {
        q[i] = json_number_value(json_array_get(list, i));
    }
    if (q && poses && bends && lb_compute_kinematics(r->model, r->work, q, NULL, NULL) >= 0 &&
        lb_cli_fill_bodies(s, poses, bends)) {
        json_object_set_new(model, "modePoses", lb_cli_write_floats(w, poses, 7 * bodies));
        json_object_set_new(model, "modeBends",
                            lb_cli_write_floats(w, bends, 6 * (size_t)s->flexible_count));
    }
    free(q);
    free(poses);
    free(bends);
}

json_t *lb_cli_write_model(lb_cli_writer *w)
{
    const lb_cli_page *page = w->page;
    const lb_cli_scene *s = page->scene;
    const lb_cli_motion *m = page->motion;
    const lb_model *model = page->recording->model;
    double gravity[3];
    lb_get_gravity(model, gravity);
    lb_cli_extent extent;
    lb_cli_find_extent(s, m, &extent);
    json_t *arrows = json_array(),
           *out = json_pack(
               "{s:o,s:o,s:o,s:o,s:o,s:i,s:o,s:o,s:o,s:o}", "name",
               lb_cli_make_text(lb_get_model_name(model)), "gravity",
               lb_cli_make_numbers(gravity, 3), "size", lb_cli_make_number(s->size), "bodies",
               make_bodies(model, s), "nodes", make_nodes(model, s), "flexible", s->flexible_count,
               "loops", make_loop_list(page->recording, s), "forces", make_forces(page->recording),
               "shapes", make_shapes(w, s), "traces", make_integers(s->traces, s->trace_count));
    json_object_set_new(out, "extent",
                        json_pack("{s:o,s:o,s:o,s:o,s:o}", "middle", make_vector(extent.middle),
                                  "size", make_vector(extent.size), "up", make_vector(extent.up),
                                  "way", make_vector(extent.way), "floor",
                                  lb_cli_make_number(extent.floor)));
    if (s->has_camera) {
        json_object_set_new(out, "camera",
                            json_pack("{s:o,s:o,s:o}", "from", lb_cli_make_numbers(s->from, 3),
                                      "to", lb_cli_make_numbers(s->to, 3), "up",
                                      lb_cli_make_numbers(s->up, 3)));
    }
    for (int i = 0; i < m->arrow_count; ++i) {
        json_array_append_new(arrows,
                              json_pack("{s:i,s:i,s:b}", "force", m->arrows[i].force, "node",
                                        m->arrows[i].node, "torque", (int)m->arrows[i].is_torque));
    }
    json_object_set_new(out, "arrows", arrows);

    const size_t frames = (size_t)m->frame_count, bodies = (size_t)lb_get_body_count(model);
    json_object_set_new(out, "frames", json_integer(m->frame_count));
    json_object_set_new(out, "times",
                        json_integer(lb_cli_write_block(w, m->times, frames * sizeof *m->times)));
    json_object_set_new(out, "poses", lb_cli_write_floats(w, m->poses, frames * bodies * 7));
    json_object_set_new(out, "bends",
                        lb_cli_write_floats(w, m->bends, frames * (size_t)s->flexible_count * 6));
    json_object_set_new(out, "loads",
                        lb_cli_write_floats(w, m->loads, frames * (size_t)m->arrow_count * 3));
    json_object_set_new(out, "scales", make_scales(s));
    json_object_set_new(out, "valueCount", json_integer(s->value_count));
    json_object_set_new(out, "values",
                        lb_cli_write_floats(w, m->values, frames * (size_t)s->value_count));
    if (page->modes) {
        write_mode_place(w, out);
    }
    if (m->frame_count < page->recording->row_count) {
        lb_cli_add_notice(
            w, "The scene has %ld of the %ld recorded rows; the motion between them is blended.",
            m->frame_count, page->recording->row_count);
    }
    for (int i = 0; i < s->notice_count; ++i) {
        lb_cli_add_notice(w, "%s", s->notices[i]);
    }
    return out;
}
