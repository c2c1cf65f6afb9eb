// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `view` of a model file: shapes of bodies and the signals that colour them, the camera, traces.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "view/scene.h"

enum { NO_VALUE = -1 };

typedef struct reading {
    lb_reader reader;
    const lb_model *model;
    lb_cli_scene *scene; // NULL to check only
    bool short_of_memory;
    const lb_cli_recording *recording; // what signals are read from
    // of a shape that has values, for each node of its body: the value, or NO_VALUE
    int *value_of;
    bool *is_drawn; // likewise: whether the shape has the node
} reading;

static bool read_body(reading *r, const lb_place *at, int *body)
{
    const char *name = NULL;
    if (!lb_read_string(&r->reader, at, "body", LB_REQUIRED, &name)) {
        return false;
    }
    *body = lb_find_body(r->model, name);
    if (*body < LB_GROUND) {
        const lb_place place = lb_place_at_key(at, "body");
        lb_reader_fail(&r->reader, &place, "there is no body \"%s\"", name);
        return false;
    }
    return true;
}

static bool read_node(reading *r, const lb_place *at, int body, int *node)
{
    const char *name = lb_place_get_string(at);
    if (!name) {
        lb_reader_fail_type(&r->reader, at, "the name of a node");
        return false;
    }
    *node = lb_find_node(r->model, body, name);
    if (*node < 0) {
        lb_reader_fail(&r->reader, at, "body \"%s\" has no node \"%s\"",
                       lb_get_body_name(r->model, body), name);
        return false;
    }
    return true;
}

// "#c8a048"
static void read_colour(reading *r, const lb_place *at, double colour[3])
{
    const char *text = NULL, *key = lb_place_has_key(at, "color") ? "color" : "colour";
    if (strcmp(key, "color") == 0 && lb_place_has_key(at, "colour")) {
        const lb_place place = lb_place_at_key(at, key);
        lb_reader_fail_key(&r->reader, &place,
                           "both `colour` and `color` are given, expected one of them");
        return;
    }
    if (!lb_read_string(&r->reader, at, key, LB_OPTIONAL, &text)) {
        return;
    }
    unsigned rgb[3];
    if (strlen(text) != 7 || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6 ||
        sscanf(text + 1, "%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) != 3) {
        const lb_place place = lb_place_at_key(at, key);
        lb_reader_fail(&r->reader, &place, "\"%s\" given, expected a colour such as \"#c8a048\"",
                       text);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        colour[i] = rgb[i] / 255.0;
    }
}

static void check_sizes(reading *r, const lb_place *at, const char *key, const double *size,
                        int count)
{
    for (int i = 0; i < count; ++i) {
        if (!(size[i] > 0.0)) {
            const lb_place place = lb_place_at_key(at, key);
            lb_reader_fail(&r->reader, &place, "%.15g given, expected a size above zero", size[i]);
            return;
        }
    }
}

// A node of a shape that is spanned between nodes.
static bool use_node(reading *r, const lb_place *at, int body, int node)
{
    if (r->value_of && r->value_of[node] == NO_VALUE) {
        lb_reader_fail(&r->reader, at,
                       "node \"%s\" has no value: give it a signal under `values`, or leave it out "
                       "of the shape",
                       lb_get_node_name(r->model, body, node));
        return false;
    }
    if (r->is_drawn) {
        r->is_drawn[node] = true;
    }
    return true;
}

// Lines along `nodes`, all nodes in their order if it is absent.
static void read_tube(reading *r, const lb_place *at, int body, lb_cli_shape *shape)
{
    const lb_place list = lb_place_at_key(at, "nodes");
    lb_place ignored;
    if (lb_place_exists(&list) &&
        !lb_read_sequence(&r->reader, at, "nodes", LB_OPTIONAL, &ignored)) {
        return;
    }
    const int count =
        lb_place_exists(&list) ? (int)lb_place_get_count(&list) : lb_get_node_count(r->model, body);
    if (count < 2) {
        lb_reader_fail(&r->reader, at, "a tube needs two nodes at least");
        return;
    }
    int *nodes = r->scene ? lb_cli_keep(r->scene, 2 * (size_t)count, sizeof *nodes) : NULL;
    r->short_of_memory = r->short_of_memory || (r->scene && !nodes);
    int last = -1;
    for (int i = 0; i < count; ++i) {
        int node = i;
        if (lb_place_exists(&list)) {
            const lb_place place = lb_place_at_index(&list, (size_t)i);
            if (!read_node(r, &place, body, &node) || !use_node(r, &place, body, node)) {
                return;
            }
        } else if (!use_node(r, at, body, node)) {
            return;
        }
        if (nodes && last >= 0) {
            nodes[shape->node_count++] = lb_cli_get_scene_node(r->scene, body, last);
            nodes[shape->node_count++] = lb_cli_get_scene_node(r->scene, body, node);
        }
        last = node;
    }
    shape->nodes = nodes;
}

// Rows of nodes, of equal length, with a quadrilateral between each four.
static void read_sheet(reading *r, const lb_place *at, int body, lb_cli_shape *shape)
{
    lb_place rows;
    if (!lb_read_sequence(&r->reader, at, "sheet", LB_REQUIRED, &rows)) {
        return;
    }
    const size_t row_count = lb_place_get_count(&rows);
    const lb_place top = row_count > 0 ? lb_place_at_index(&rows, 0) : rows;
    const size_t width = row_count > 0 ? lb_place_get_count(&top) : 0;
    if (row_count < 2 || width < 2) {
        lb_reader_fail(&r->reader, &rows, "a sheet needs two rows of two nodes at least");
        return;
    }
    int *grid = r->scene ? lb_cli_keep(r->scene, row_count * width, sizeof *grid) : NULL;
    int *nodes = r->scene ? lb_cli_keep(r->scene, 6 * row_count * width, sizeof *nodes) : NULL;
    r->short_of_memory = r->short_of_memory || (r->scene && (!grid || !nodes));
    for (size_t i = 0; i < row_count; ++i) {
        const lb_place row = lb_place_at_index(&rows, i);
        if (lb_place_get_count(&row) != width) {
            lb_reader_fail(&r->reader, &row, "%zu nodes given, expected %zu as in sheet[0]",
                           lb_place_get_count(&row), width);
            return;
        }
        for (size_t j = 0; j < width; ++j) {
            const lb_place place = lb_place_at_index(&row, j);
            int node;
            if (!read_node(r, &place, body, &node) || !use_node(r, &place, body, node)) {
                return;
            }
            if (grid) {
                grid[i * width + j] = lb_cli_get_scene_node(r->scene, body, node);
            }
        }
    }
    for (size_t i = 0; nodes && grid && i + 1 < row_count; ++i) {
        for (size_t j = 0; j + 1 < width; ++j) {
            const int *g = &grid[i * width + j];
            const int quad[6] = {g[0], g[1], g[width], g[1], g[width + 1], g[width]};
            memcpy(nodes + shape->node_count, quad, sizeof quad);
            shape->node_count += 6;
        }
    }
    shape->nodes = nodes;
}

// ---- values at nodes -------------------------------------------------------------------------------

// The colour bar of a caption; a new one if no shape before had it.
static int find_scale(reading *r, const lb_place *at, int body)
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

static void read_value(reading *r, const lb_place *at, int body, int scale)
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

// Reads the signals that colour a shape into `value_of`.
//
// @param by_nodes  whether the shape is one that nodes span
// @return false if there are none, or no memory
static bool read_values(reading *r, const lb_place *at, int body, bool by_nodes, int *scale)
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
        r->value_of[i] = NO_VALUE;
    }
    *scale = find_scale(r, at, body);
    for (size_t i = 0; !r->short_of_memory && i < lb_place_get_count(&list); ++i) {
        const lb_place value = lb_place_at_pair(&list, i);
        read_value(r, &value, body, *scale);
    }
    return true;
}

// Hands the values to the nodes of the shape. One that colours nothing is a mistake.
static void spread_values(reading *r, const lb_place *at, int body, lb_cli_shape *shape)
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

// ---- shapes --------------------------------------------------------------------------------------

// Factors along the axes of a mesh: one for all, or one each.
static void read_scale(reading *r, const lb_place *at, int kind, double scale[3])
{
    const lb_place place = lb_place_at_key(at, "scale");
    if (!lb_place_exists(&place)) {
        return;
    }
    if (kind != LB_CLI_MESH) {
        lb_reader_fail_key(&r->reader, &place, "only a mesh has a scale");
    } else if (lb_place_get_kind(&place) == LB_DOC_SEQUENCE) {
        lb_read_numbers(&r->reader, at, "scale", LB_OPTIONAL, 3, scale);
    } else if (lb_read_number(&r->reader, at, "scale", LB_OPTIONAL, scale)) {
        scale[1] = scale[2] = scale[0];
    }
}

static void read_shape(reading *r, const lb_place *at)
{
    static const char *const known[] = {
        "body",  "box",      "sphere",   "cylinder", "tube",  "sheet",  "mesh",    "nodes",
        "scale", "position", "rotation", "colour",   "color", "values", "caption", NULL};
    static const char *const kinds[] = {"box", "sphere", "cylinder", "tube", "sheet", "mesh"};
    int body, kind = -1, given = 0;
    if (!lb_read_mapping(&r->reader, at, known) || !read_body(r, at, &body)) {
        return;
    }
    for (int i = 0; i < 6; ++i) {
        if (lb_place_has_key(at, kinds[i])) {
            kind = i;
            ++given;
        }
    }
    if (given != 1) {
        lb_reader_fail(&r->reader, at,
                       "expected one of box, sphere, cylinder, tube, sheet and mesh, found %d",
                       given);
        return;
    }
    lb_cli_shape shape = {
        .kind = (lb_cli_shape_kind)kind, .body = body, .pose = lb_pose_identity(), .colour = {-1}};
    switch (kind) {
    case LB_CLI_BOX:
        if (lb_read_numbers(&r->reader, at, "box", LB_REQUIRED, 3, shape.size)) {
            check_sizes(r, at, "box", shape.size, 3);
        }
        break;
    case LB_CLI_CYLINDER:
        if (lb_read_numbers(&r->reader, at, "cylinder", LB_REQUIRED, 2, shape.size)) {
            check_sizes(r, at, "cylinder", shape.size, 2);
        }
        break;
    case LB_CLI_SPHERE:
    case LB_CLI_TUBE:
        if (lb_read_number(&r->reader, at, kinds[kind], LB_REQUIRED, shape.size)) {
            check_sizes(r, at, kinds[kind], shape.size, 1);
        }
        break;
    default:
        break;
    }
    const bool by_nodes = kind == LB_CLI_TUBE || kind == LB_CLI_SHEET;
    const bool coloured = read_values(r, at, body, by_nodes, &shape.scale);
    if (kind == LB_CLI_TUBE) {
        read_tube(r, at, body, &shape);
    } else if (kind == LB_CLI_SHEET) {
        read_sheet(r, at, body, &shape);
    }
    if (coloured) {
        spread_values(r, at, body, &shape);
    }
    free(r->value_of);
    free(r->is_drawn);
    r->value_of = NULL;
    r->is_drawn = NULL;
    double position[3] = {0, 0, 0}, rotation[4] = {1, 0, 0, 0};
    const bool placed = lb_read_numbers(&r->reader, at, "position", LB_OPTIONAL, 3, position);
    const bool turned = lb_read_numbers(&r->reader, at, "rotation", LB_OPTIONAL, 4, rotation);
    if (by_nodes && (placed || turned)) {
        lb_reader_fail(&r->reader, at, "a %s lies between nodes: it takes no position or rotation",
                       kinds[kind]);
    }
    const double norm = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                             rotation[2] * rotation[2] + rotation[3] * rotation[3]);
    if (fabs(norm - 1.0) > 1e-6) {
        const lb_place place = lb_place_at_key(at, "rotation");
        lb_reader_fail(&r->reader, &place, "length %.9g, expected a unit quaternion", norm);
    }
    shape.pose.p = lb_vec3_from(position);
    shape.pose.R = lb_quat_to_mat3(lb_quat_from(rotation));
    read_colour(r, at, shape.colour);
    const char *file = NULL;
    double scale[3] = {1, 1, 1};
    if (kind == LB_CLI_MESH) {
        lb_read_string(&r->reader, at, "mesh", LB_REQUIRED, &file);
    }
    read_scale(r, at, kind, scale);
    if (r->scene && file && r->reader.error_count == 0) {
        r->short_of_memory = r->short_of_memory || !lb_cli_add_mesh(r->scene, file, scale, &shape);
    } else if (r->scene && r->reader.error_count == 0) {
        lb_cli_shape *new = lb_cli_add_shape(r->scene, shape.kind, body);
        r->short_of_memory = r->short_of_memory || !new;
        if (new) {
            *new = shape;
        }
    }
}

// "hand/tip", or "hand" for its frame.
static void read_trace(reading *r, const lb_place *at)
{
    const char *text = lb_place_get_string(at);
    char name[LB_CLI_SIGNAL_SIZE];
    int body = LB_NOT_FOUND, node = 0;
    if (!text || strlen(text) >= sizeof name) {
        lb_reader_fail_type(&r->reader, at, "a node such as hand/tip");
        return;
    }
    body = lb_find_body(r->model, text);
    for (const char *slash = strchr(text, '/'); body < LB_GROUND && slash;
         slash = strchr(slash + 1, '/')) {
        memcpy(name, text, (size_t)(slash - text));
        name[slash - text] = 0;
        const int found = lb_find_body(r->model, name);
        node = found >= LB_GROUND ? lb_find_node(r->model, found, slash + 1) : -1;
        body = node >= 0 ? found : LB_NOT_FOUND;
    }
    if (body < LB_GROUND) {
        lb_reader_fail(&r->reader, at, "there is no node \"%s\"", text);
    } else if (r->scene) {
        r->scene->traces[r->scene->trace_count++] = lb_cli_get_scene_node(r->scene, body, node);
    }
}

// Room in the scene for the values of all shapes, and for a colour bar each.
static bool make_room(lb_cli_scene *s, const lb_place *shapes)
{
    const size_t shape_count = lb_place_get_count(shapes);
    size_t count = 0;
    for (size_t i = 0; i < shape_count; ++i) {
        const lb_place shape = lb_place_at_index(shapes, i),
                       values = lb_place_at_key(&shape, "values");
        count += lb_place_get_count(&values);
    }
    s->values = lb_cli_keep(s, count, sizeof *s->values);
    s->scales = lb_cli_keep(s, shape_count, sizeof *s->scales);
    return s->values && s->scales;
}

// A short file can be wrong in millions of places: after a hundred errors, entries of a list are not read.
static bool gives_up(reading *r, const lb_place *list, size_t entry)
{
    enum { MOST = 100 };
    const size_t count = lb_place_get_count(list);
    if (r->reader.error_count < MOST || entry >= count) {
        return false;
    }
    lb_reader_fail(&r->reader, list,
                   "%d errors so far: entries from number %zu to %zu are not read",
                   r->reader.error_count, entry, count - 1);
    return true;
}

static void read_shapes(reading *r, const lb_place *list)
{
    r->short_of_memory = r->scene && !make_room(r->scene, list);
    for (size_t i = 0; !r->short_of_memory && i < lb_place_get_count(list) && !gives_up(r, list, i);
         ++i) {
        const lb_place at = lb_place_at_index(list, i);
        read_shape(r, &at);
    }
}

lb_status lb_cli_read_view(const lb_document *document, const lb_model *model,
                           const lb_report *report, lb_cli_scene *scene)
{
    static const char *const known[] = {"camera", "shapes", "traces", NULL};
    static const char *const camera_keys[] = {"from", "to", "up", NULL};
    const lb_place root = lb_get_document_root(document), view = lb_place_at_key(&root, "view");
    if (!lb_place_exists(&view)) {
        return LB_OK;
    }
    lb_cli_recording unrecorded = {.model = (lb_model *)model};
    reading r = {.reader = lb_start_reader(document, report),
                 .model = model,
                 .scene = scene,
                 .recording = scene ? scene->recording : &unrecorded};
    if (!lb_read_mapping(&r.reader, &view, known)) {
        return LB_E_MODEL;
    }
    const lb_place camera = lb_place_at_key(&view, "camera");
    if (lb_place_exists(&camera) && lb_read_mapping(&r.reader, &camera, camera_keys)) {
        double from[3] = {1, -1, 1}, to[3] = {0, 0, 0}, up[3] = {0, 0, 1};
        lb_read_numbers(&r.reader, &camera, "from", LB_REQUIRED, 3, from);
        lb_read_numbers(&r.reader, &camera, "to", LB_OPTIONAL, 3, to);
        lb_read_numbers(&r.reader, &camera, "up", LB_OPTIONAL, 3, up);
        const lb_vec3 along = lb_vec3_sub(lb_vec3_from(to), lb_vec3_from(from));
        if (lb_vec3_norm(lb_vec3_cross(along, lb_vec3_from(up))) <
            1e-9 * (1e-9 + lb_vec3_norm(along))) {
            lb_reader_fail(&r.reader, &camera, "it looks along `up`: choose another");
        }
        if (scene) {
            memcpy(scene->from, from, sizeof from);
            memcpy(scene->to, to, sizeof to);
            memcpy(scene->up, up, sizeof up);
            scene->has_camera = true;
        }
    }
    lb_place list;
    if (lb_read_sequence(&r.reader, &view, "shapes", LB_OPTIONAL, &list)) {
        // signals may be named ones; what is wrong with forces is said elsewhere
        if (!scene && lb_load_forces(document, model, NULL, &unrecorded.forces) == LB_E_MEMORY) {
            return LB_E_MEMORY;
        }
        read_shapes(&r, &list);
        lb_destroy_forces(unrecorded.forces);
    }
    if (lb_read_sequence(&r.reader, &view, "traces", LB_OPTIONAL, &list)) {
        const size_t count = lb_place_get_count(&list);
        if (scene) {
            scene->traces = lb_cli_keep(scene, count, sizeof *scene->traces);
            if (!scene->traces) {
                return LB_E_MEMORY;
            }
        }
        for (size_t i = 0; i < count && !gives_up(&r, &list, i); ++i) {
            const lb_place at = lb_place_at_index(&list, i);
            read_trace(&r, &at);
        }
    }
    return r.short_of_memory ? LB_E_MEMORY : r.reader.error_count > 0 ? LB_E_MODEL : LB_OK;
}
