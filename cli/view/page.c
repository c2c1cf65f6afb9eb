// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The web page of a recording. Everything that comes from a model goes into JSON whose `<` is
// escaped, and numbers into base64: no text of a model can be taken for markup.
#include "view/page.h"
#include "console.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/page_json.h"
#include "view/replay.h"

enum {
    TABLE_BUDGET = 6 << 20, // numbers of all plots
    BLOCK_SIZE = 1 << 18,   // numbers of one block, which is decoded at once
    TEXT_MAX = 1 << 18      // bytes of the model text that are shown
};

typedef struct writer {
    FILE *out;
    const lb_cli_page *page;
    json_t *notices;
    int block_count;
    long row_stride; // of plots
    long row_count;  // kept
    bool is_second;  // of two runs: it may lack signals that the first has
    bool good;
} writer;

// ---- JSON ----------------------------------------------------------------------------------------

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

static void notice(writer *w, const char *format, ...) LB_PRINTF(2, 3);
static void notice(writer *w, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    json_array_append_new(w->notices, lb_cli_make_text(text));
}

static void write_json(writer *w, const char *id, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    if (!text) {
        w->good = false;
        return;
    }
    fprintf(w->out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *c = text; *c; ++c) {
        if (*c == '<') {
            fputs("\\u003c", w->out);
        } else {
            fputc(*c, w->out);
        }
    }
    fputs("</script>\n", w->out);
    free(text);
}

// ---- blocks of numbers ---------------------------------------------------------------------------

// Returns the number of the block, under which the page finds it.
static int write_block(writer *w, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = data;
    char line[4096];
    size_t used = 0;
    fprintf(w->out, "<script type=\"text/plain\" id=\"b%d\">", w->block_count);
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t group = (uint32_t)b[i] << 16 | (i + 1 < size ? (uint32_t)b[i + 1] << 8 : 0) |
                               (i + 2 < size ? (uint32_t)b[i + 2] : 0);
        line[used++] = digits[group >> 18];
        line[used++] = digits[group >> 12 & 63];
        line[used++] = i + 1 < size ? digits[group >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[group & 63] : '=';
        if (used == sizeof line) {
            fwrite(line, 1, used, w->out);
            used = 0;
        }
    }
    fwrite(line, 1, used, w->out);
    fputs("</script>\n", w->out);
    return w->block_count++;
}

// Long arrays in several blocks; returns their numbers.
static json_t *write_floats(writer *w, const float *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i += BLOCK_SIZE) {
        const size_t part = count - i < BLOCK_SIZE ? count - i : BLOCK_SIZE;
        json_array_append_new(list,
                              json_integer(write_block(w, values + i, part * sizeof *values)));
    }
    return list;
}

// ---- tables --------------------------------------------------------------------------------------

// Every row_stride-th row of a table, column after column.
static double *read_table(const writer *w, int table)
{
    const lb_cli_recording *r = w->page->recording;
    const int width = lb_get_column_count(r->results, table);
    double *values = lb_cli_malloc(((size_t)width * (size_t)w->row_count + 1) * sizeof *values);
    double *row = lb_cli_malloc(((size_t)width + 1) * sizeof *row * 64);
    bool good = values && row;
    for (long i = 0; good && i < w->row_count;) {
        const long first = i * w->row_stride;
        const long count = w->row_stride == 1 ? (w->row_count - i < 64 ? w->row_count - i : 64) : 1;
        good = lb_read_table(r->results, table, first, count, row) >= 0;
        for (long k = 0; good && k < count; ++k, ++i) {
            for (int j = 0; j < width; ++j) {
                values[(size_t)j * (size_t)w->row_count + (size_t)i] = row[k * width + j];
            }
        }
    }
    free(row);
    if (!good) {
        free(values);
        values = NULL;
    }
    return values;
}

// Floats of a column less its base, which is returned. The base is the first value if the others hardly differ from it:
// a float alone would lose how a nearly constant signal varies. It is 0 for all others.
static double take_column(float *out, const double *x, long count)
{
    double base = count > 0 && isfinite(x[0]) ? x[0] : 0.0;
    for (long i = 0; i < count; ++i) {
        base = fabs(x[i] - base) > 1e-3 * fabs(base) ? 0.0 : base;
    }
    for (long i = 0; i < count; ++i) {
        out[i] = (float)(x[i] - base);
    }
    return base;
}

// Several columns in a block: a column is found by its block and its place there.
static bool write_columns(writer *w, json_t *columns, const double *values, int width)
{
    const long rows = w->row_count;
    const int most = rows > 0 && rows < BLOCK_SIZE ? (int)(BLOCK_SIZE / rows) : 1;
    float *block =
        lb_cli_malloc(((size_t)(most < width ? most : width) * (size_t)rows + 1) * sizeof *block);
    for (int j = 0; block && j < width; j += most) {
        const int part = width - j < most ? width - j : most;
        for (int k = 0; k < part; ++k) {
            json_t *column = json_array_get(columns, (size_t)(j + k));
            const double base =
                take_column(block + k * rows, values + (size_t)(j + k) * (size_t)rows, rows);
            json_object_set_new(column, "block", json_integer(w->block_count));
            json_object_set_new(column, "at", json_integer(k * rows));
            if (base != 0.0) {
                json_object_set_new(column, "base",
                                    json_sprintf("%.17g", base)); // all of its digits
            }
        }
        write_block(w, block, (size_t)part * (size_t)rows * sizeof *block);
    }
    free(block);
    return block != NULL;
}

static json_t *make_column(const lb_cli_recording *r, int table, const char *name)
{
    json_t *column = json_object();
    json_object_set_new(column, "name", lb_cli_make_text(name));
    json_object_set_new(column, "unit", lb_cli_make_text(lb_cli_get_column_unit(r, table, name)));
    return column;
}

static json_t *write_tables(writer *w)
{
    const lb_cli_recording *r = w->page->recording;
    json_t *tables = json_array();
    for (int i = 1; i < lb_get_table_count(r->results); ++i) {
        const int width = lb_get_column_count(r->results, i);
        json_t *table = json_object(), *columns = json_array();
        json_object_set_new(table, "name", lb_cli_make_text(lb_get_table_name(r->results, i)));
        json_object_set_new(table, "note", lb_cli_make_text(lb_get_table_note(r->results, i)));
        for (int j = 0; j < width; ++j) {
            json_array_append_new(columns, make_column(r, i, lb_get_column_name(r->results, i, j)));
        }
        double *values = read_table(w, i);
        if (values && write_columns(w, columns, values, width)) {
            json_object_set_new(table, "columns", columns);
            json_array_append_new(tables, table);
        } else {
            const char *why = lb_get_results_message(r->results);
            lb_cli_complain("table %s is left out: %s", lb_get_table_name(r->results, i),
                            why[0] ? why : "out of memory");
            notice(w, "The table %s cannot be read: %s.", lb_get_table_name(r->results, i),
                   why[0] ? why : "out of memory");
            json_decref(columns);
            json_decref(table);
        }
        free(values);
    }
    return tables;
}

// Signals that were asked for on the command line and are not recorded.
static bool write_signals(writer *w, json_t *tables, json_t *asked)
{
    const lb_cli_recording *r = w->page->recording;
    json_t *columns = json_array();
    double *values = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *values);
    bool good = values != NULL;
    for (int i = 0; good && i < w->page->signal_count; ++i) {
        const char *name = w->page->signals[i];
        int table;
        json_array_append_new(asked, lb_cli_make_text(name));
        char why[256];
        if (lb_find_column(r->results, name, &table) >= 0 ||
            (w->is_second && !lb_cli_has_signal(r, name, why))) {
            continue;
        }
        good = lb_cli_read_signal(r, name, values) == LB_CLI_DONE;
        if (good) {
            json_t *own = json_pack("[o]", make_column(r, -1, name));
            for (long k = 0; k < w->row_count; ++k) {
                values[k] = values[k * w->row_stride];
            }
            good = write_columns(w, own, values, 1);
            json_array_extend(columns, own);
            json_decref(own);
        }
    }
    if (json_array_size(columns) > 0) {
        json_array_append_new(tables,
                              json_pack("{s:s,s:s,s:o}", "name", "asked", "note",
                                        "computed from the recorded states", "columns", columns));
    } else {
        json_decref(columns);
    }
    free(values);
    return good;
}

// ---- the model -----------------------------------------------------------------------------------

static json_t *make_bodies(const lb_model *model, const lb_cli_scene *s)
{
    json_t *list = json_array();
    for (int k = 0; k < lb_get_body_count(model); ++k) {
        double mass, com[3], inertia[6];
        lb_get_mass_properties(model, k, &mass, com, inertia);
        json_t *body = json_object();
        const int parent = lb_get_parent(model, k);
        json_object_set_new(body, "name", lb_cli_make_text(lb_get_body_name(model, k)));
        json_object_set_new(body, "parent", json_integer(parent));
        json_object_set_new(
            body, "parentNode",
            json_integer(lb_cli_get_scene_node(s, parent, lb_get_parent_node(model, k))));
        json_object_set_new(body, "hingeNode",
                            json_integer(lb_cli_get_scene_node(s, k, lb_get_hinge_node(model, k))));
        json_object_set_new(body, "hinge",
                            json_string(lb_get_hinge_type_name(lb_get_hinge_type(model, k))));
        json_object_set_new(body, "modes", json_integer(lb_get_mode_count(model, k)));
        json_object_set_new(body, "mass", lb_cli_make_number(mass));
        json_object_set_new(body, "com", lb_cli_make_numbers(com, 3));
        json_object_set_new(body, "inertia", lb_cli_make_numbers(inertia, 6));
        json_array_append_new(list, body);
    }
    return list;
}

static json_t *make_nodes(const lb_model *model, const lb_cli_scene *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->node_count; ++i) {
        const lb_cli_scene_node *n = &s->nodes[i];
        json_t *node = json_object();
        json_object_set_new(node, "body", json_integer(n->body));
        json_object_set_new(node, "name",
                            lb_cli_make_text(lb_get_node_name(model, n->body, n->node)));
        json_object_set_new(node, "p", make_vector(n->pose.p));
        json_object_set_new(node, "r", make_rotation(&n->pose.R));
        json_object_set_new(node, "flex", json_integer(n->flexible));
        json_array_append_new(list, node);
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

static json_t *make_shapes(writer *w, const lb_cli_scene *s)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "tube", "sheet", "mesh"};
    json_t *list = json_array();
    for (int i = 0; i < s->shape_count; ++i) {
        const lb_cli_shape *shape = &s->shapes[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "kind", json_string(kinds[shape->kind]));
        json_object_set_new(entry, "body", json_integer(shape->body));
        // of a mesh the page only asks how far it reaches from its middle
        const double across = lb_vec3_norm(lb_vec3_from(shape->size)),
                     cube[3] = {across, across, across};
        json_object_set_new(
            entry, "size", lb_cli_make_numbers(shape->kind == LB_CLI_MESH ? cube : shape->size, 3));
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
                json_integer(write_block(w, shape->points,
                                         3 * (size_t)shape->point_count * sizeof *shape->points)));
            json_object_set_new(
                entry, "corners",
                json_integer(write_block(w, shape->corners,
                                         (size_t)shape->corner_count * sizeof *shape->corners)));
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
    json_t *loop = json_object();
    json_object_set_new(loop, "name", lb_cli_make_text(h->name));
    json_object_set_new(loop, "type", json_string(h->type));
    json_object_set_new(loop, "holds", h->times);
    for (int side = 0; side < 2; ++side) {
        json_object_set_new(
            loop, side ? "b" : "a",
            json_integer(lb_cli_get_scene_node(h->scene, h->body[side], h->node[side])));
    }
    json_array_append_new(h->list, loop);
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

static json_t *make_loops(const lb_cli_recording *r, const lb_cli_scene *s)
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
        holding h = {.model = r->model,
                     .scene = s,
                     .reader = &reader,
                     .name = lb_get_loop_name(r->model, i),
                     .type = lb_get_loop_type_name(lb_get_loop_type(r->model, i)),
                     .times = json_array(),
                     .list = loops};
        for (int k = 0; k < 2; ++k) {
            lb_get_loop_end(r->model, i, k, &h.body[k], &h.node[k]);
        }
        set_holding(&h, on, -1e300);
        lb_cli_replay(r, 0, 1e300, switch_loop, &h);
        put_loop(&h);
        json_decref(h.times);
    }
    return loops;
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
        json_t *force = json_object();
        const char *name = lb_get_force_name(r->forces, i);
        const int body = find_driven_body(r, name);
        json_object_set_new(force, "name", lb_cli_make_text(name));
        json_object_set_new(force, "type",
                            json_string(lb_get_force_type_name(lb_get_force_type(r->forces, i))));
        if (body >= 0) {
            json_object_set_new(force, "hinge", json_integer(body));
        }
        json_array_append_new(list, force);
    }
    return list;
}

// Mode shapes are about a state of their own: where everything is then.
static void write_mode_place(writer *w, json_t *model)
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
        notice(w, "The mode shapes are of a model with %zu coordinates, this one has %zu.",
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
        json_object_set_new(model, "modePoses", write_floats(w, poses, 7 * bodies));
        json_object_set_new(model, "modeBends",
                            write_floats(w, bends, 6 * (size_t)s->flexible_count));
    }
    free(q);
    free(poses);
    free(bends);
}

static json_t *make_model(writer *w)
{
    const lb_cli_page *page = w->page;
    const lb_cli_scene *s = page->scene;
    const lb_cli_motion *m = page->motion;
    const lb_model *model = page->recording->model;
    double gravity[3];
    lb_get_gravity(model, gravity);
    json_t *out = json_object(), *arrows = json_array();
    json_object_set_new(out, "name", lb_cli_make_text(lb_get_model_name(model)));
    json_object_set_new(out, "gravity", lb_cli_make_numbers(gravity, 3));
    json_object_set_new(out, "size", lb_cli_make_number(s->size));
    json_object_set_new(out, "bodies", make_bodies(model, s));
    json_object_set_new(out, "nodes", make_nodes(model, s));
    json_object_set_new(out, "flexible", json_integer(s->flexible_count));
    json_object_set_new(out, "loops", make_loops(page->recording, s));
    json_object_set_new(out, "forces", make_forces(page->recording));
    json_object_set_new(out, "shapes", make_shapes(w, s));
    json_object_set_new(out, "traces", make_integers(s->traces, s->trace_count));
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
                        json_integer(write_block(w, m->times, frames * sizeof *m->times)));
    json_object_set_new(out, "poses", write_floats(w, m->poses, frames * bodies * 7));
    json_object_set_new(out, "bends",
                        write_floats(w, m->bends, frames * (size_t)s->flexible_count * 6));
    json_object_set_new(out, "loads",
                        write_floats(w, m->loads, frames * (size_t)m->arrow_count * 3));
    json_object_set_new(out, "scales", make_scales(s));
    json_object_set_new(out, "valueCount", json_integer(s->value_count));
    json_object_set_new(out, "values", write_floats(w, m->values, frames * (size_t)s->value_count));
    if (page->modes) {
        write_mode_place(w, out);
    }
    if (m->frame_count < page->recording->row_count) {
        notice(w, "The scene has %ld of the %ld recorded rows; the motion between them is blended.",
               m->frame_count, page->recording->row_count);
    }
    for (int i = 0; i < s->notice_count; ++i) {
        notice(w, "%s", s->notices[i]);
    }
    return out;
}

// ---- the rest ------------------------------------------------------------------------------------

static json_t *write_data(writer *w)
{
    const lb_cli_recording *r = w->page->recording;
    json_t *meta = json_object(), *asked = json_array();
    const int ending = lb_get_results_ending(r->results);
    const char *damage = lb_get_results_damage(r->results);
    if (damage[0]) {
        notice(w, "The result file is damaged: %s. Shown are the %ld rows that can be read.",
               damage, r->row_count);
    } else if (ending == 0) {
        notice(w, "The run is not finished, or was cut off: shown are its first %ld rows.",
               r->row_count);
    } else if (ending == 3 && !w->page->is_pose) {
        notice(w, "The run was ended on request before its end.");
    }
    if (!r->model) {
        notice(w, "No scene: the model cannot be loaded (%s).", r->trouble);
    }
    json_object_set_new(meta, "format", json_string("limber-view-1"));
    json_object_set_new(meta, "source", lb_cli_make_text(w->page->source));
    json_object_set_new(meta, "version", lb_cli_make_text(lb_get_results_version(r->results)));
    json_object_set_new(meta, "hash", lb_cli_make_text(lb_get_results_hash(r->results)));
    json_object_set_new(meta, "ending", json_integer(ending));
    json_object_set_new(meta, "rows", json_integer(r->row_count));
    json_object_set_new(meta, "pose", json_boolean(w->page->is_pose));

    // plots: thinned out where there is too much
    size_t columns = 1;
    for (int i = 1; i < lb_get_table_count(r->results); ++i) {
        columns += (size_t)lb_get_column_count(r->results, i);
    }
    w->row_stride = 1;
    while ((size_t)(r->row_count / w->row_stride) * columns > TABLE_BUDGET) {
        ++w->row_stride;
    }
    w->row_count = r->row_count > 0 ? (r->row_count - 1) / w->row_stride + 1 : 0;
    if (w->row_stride > 1) {
        notice(w, "Plots show one in %ld of the %ld recorded rows; limber plot shows all.",
               w->row_stride, r->row_count);
    }
    double *times = lb_cli_malloc(((size_t)w->row_count + 1) * sizeof *times);
    if (!times) {
        w->good = false;
    } else {
        for (long i = 0; i < w->row_count; ++i) {
            times[i] = r->times[i * w->row_stride];
        }
        json_object_set_new(
            meta, "times",
            json_integer(write_block(w, times, (size_t)w->row_count * sizeof *times)));
        free(times);
    }
    json_t *tables = write_tables(w);
    w->good = write_signals(w, tables, asked) && w->good;
    json_object_set_new(meta, "tables", tables);
    json_object_set_new(meta, "asked", asked);
    json_object_set_new(meta, "model", w->page->scene ? make_model(w) : json_null());
    json_object_set_new(meta, "events", lb_cli_make_event_list(r));
    json_object_set_new(meta, "audit", lb_cli_make_audit_lines(r->results));
    json_object_set_new(meta, "options", lb_cli_make_text(lb_get_results_options(r->results)));
    const char *text = lb_get_results_model(r->results);
    json_object_set_new(meta, "text",
                        strlen(text) <= TEXT_MAX ? lb_cli_make_text(text) : json_null());
    json_object_set(meta, "modes", w->page->modes ? w->page->modes : json_null());
    json_object_set(meta, "notices", w->notices);
    return meta;
}

json_t *lb_cli_parse_modes(const char *path, const char *text, size_t length)
{
    json_error_t error;
    json_t *modes = json_loadb(text, length, 0, &error);
    if (lb_cli_lacks_memory()) {
        // jansson may have left out a letter of a name
        json_decref(modes);
        modes = NULL;
    } else if (!modes) {
        lb_cli_complain("%s:%d:%d: %s", path, error.line, error.column, error.text);
    } else if (!json_is_array(json_object_get(modes, "modes"))) {
        lb_cli_complain("%s: expected an object with a list `modes`, as `limber modes --json` "
                        "writes it",
                        path);
        json_decref(modes);
        modes = NULL;
    }
    return modes;
}

bool lb_cli_write_page(FILE *out, const lb_cli_pages *pages)
{
    static const char marker[] = "<!--limber:data-->";
    const char *viewer = (const char *)lb_cli_viewer, *at = NULL;
    for (size_t i = 0; !at && i + sizeof marker <= lb_cli_viewer_size; ++i) {
        at = memcmp(viewer + i, marker, sizeof marker - 1) == 0 ? viewer + i : NULL;
    }
    if (!at) {
        lb_cli_complain("the viewer of this build has no place for data");
        return false;
    }
    writer w = {.out = out, .good = true};
    fwrite(viewer, 1, (size_t)(at - viewer), out);
    for (int i = 0; i < pages->count; ++i) {
        w.page = pages->runs[i];
        w.is_second = i > 0;
        w.notices = json_array();
        json_t *meta = write_data(&w);
        write_json(&w, i == 0 ? "limber-data" : "limber-data-2", meta);
        json_decref(meta);
        json_decref(w.notices);
    }
    const char *rest = at + sizeof marker - 1;
    fwrite(rest, 1, lb_cli_viewer_size - (size_t)(rest - viewer), out);
    return w.good;
}
