// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Triangles of a Collada file (.dae): triangles, polylist and polygons of the geometries that its scene shows, in metres,
// moved by the transforms of its nodes. One part for each colour. Nothing outside the text is read, and numbers of the
// text are not trusted: memory and time are bounded.
//
// The file's up_axis is left alone, as RViz does: makers of robots place their meshes by what they see there, and some
// files say Y_UP with z upwards.
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "view/scene.h"

#if LIBXML_VERSION >= 21200
typedef const xmlError lb_xml_error;
#else
typedef xmlError lb_xml_error;
#endif

enum {
    DEPTH_MAX = 32,        // of nodes, which may name each other
    NODE_MAX = 20000,      // that are shown
    TRIANGLE_MAX = 200000, // of a file, as of other meshes
    EFFORT_MAX = 96 << 20, // characters and elements looked at: a second or two
    ELEMENT = 16           // an element counts as this many characters
};

// An affine map, row by row.
typedef struct map {
    double m[3][4];
} map;

// A part in the making.
typedef struct part {
    double colour[3]; // the first negative for none
    float *points;
    int *corners;
    int point_count, point_room, corner_count, corner_room;
} part;

typedef struct collada {
    xmlNode *root;
    long effort; // what is left of it
    int triangles, nodes;
    part parts[LB_CLI_PART_MAX];
    int part_count;
    bool failed;
    // the numbers of the last source, which several groups of a geometry share
    const xmlNode *source;
    double *numbers;
    int number_count, stride;
} collada;

// Takes from the effort that is left. False when it is spent, or something has failed before.
static bool spend(collada *c, size_t effort)
{
    c->failed = c->failed || effort > (size_t)c->effort;
    c->effort -= c->failed ? 0 : (long)effort;
    return !c->failed;
}

// ---- elements ------------------------------------------------------------------------------------

// Whether a node is an element of this name.
static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

// The first child of a name, or NULL.
static xmlNode *find_child(const xmlNode *up, const char *name)
{
    xmlNode *node = up ? up->children : NULL;
    while (node && !is_element(node, name)) {
        node = node->next;
    }
    return node;
}

// The text of an attribute, or NULL. It lives as long as the document.
static const char *get_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node ? node->properties : NULL; a; a = a->next) {
        if (strcmp((const char *)a->name, name) == 0 && a->children && a->children->content) {
            return (const char *)a->children->content;
        }
    }
    return NULL;
}

// The text of an element, "" if there is none.
static const char *get_text(const xmlNode *node)
{
    return node && node->children && node->children->content ? (const char *)node->children->content
                                                             : "";
}

static double get_number(const xmlNode *node, const char *name, double otherwise)
{
    const char *text = get_attribute(node, name);
    const double value = text ? strtod(text, NULL) : otherwise;
    return isfinite(value) ? value : otherwise;
}

// The element among the children of `up` with that id, which may have a # before it; NULL if there is none.
static xmlNode *find_id(collada *c, const xmlNode *up, const char *id)
{
    if (id && id[0] == '#') {
        ++id;
    }
    for (xmlNode *node = up && id ? up->children : NULL; node && spend(c, ELEMENT);
         node = node->next) {
        const char *own = get_attribute(node, "id");
        if (own && strcmp(own, id) == 0) {
            return node;
        }
    }
    return NULL;
}

// The same among all libraries of that name.
static xmlNode *find_in_library(collada *c, const char *library, const char *id)
{
    for (xmlNode *node = c->root->children; node && spend(c, ELEMENT); node = node->next) {
        xmlNode *found = is_element(node, library) ? find_id(c, node, id) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

// @return how many there are, up to `count`
static int read_numbers(const char *text, int count, double *numbers)
{
    int found = 0;
    for (char *end; found < count; text = end, ++found) {
        numbers[found] = strtod(text, &end);
        if (end == text) {
            break;
        }
    }
    return found;
}

// ---- colours -------------------------------------------------------------------------------------

// The diffuse colour of a material; one of a texture is not known here.
static void read_colour(collada *c, const char *material, double colour[3])
{
    colour[0] = -1.0;
    const xmlNode *found = find_in_library(c, "library_materials", material);
    const char *url = get_attribute(find_child(found, "instance_effect"), "url");
    const xmlNode *effect = url ? find_in_library(c, "library_effects", url) : NULL;
    const xmlNode *technique = find_child(find_child(effect, "profile_COMMON"), "technique");
    for (const xmlNode *shader = technique ? technique->children : NULL;
         shader && spend(c, ELEMENT); shader = shader->next) {
        const xmlNode *value = find_child(find_child(shader, "diffuse"), "color");
        double rgb[3];
        if (value && read_numbers(get_text(value), 3, rgb) == 3) {
            for (int i = 0; i < 3; ++i) {
                colour[i] = rgb[i] >= 0.0 && rgb[i] <= 1.0 ? rgb[i] : 0.5;
            }
        }
    }
}

// The material that an instance has for a symbol, or the symbol itself, as some files have it.
static const char *find_material(collada *c, const xmlNode *instance, const char *symbol)
{
    const xmlNode *common = find_child(find_child(instance, "bind_material"), "technique_common");
    for (const xmlNode *node = common && symbol ? common->children : NULL;
         node && spend(c, ELEMENT); node = node->next) {
        const char *own =
            is_element(node, "instance_material") ? get_attribute(node, "symbol") : NULL;
        if (own && strcmp(own, symbol) == 0) {
            return get_attribute(node, "target");
        }
    }
    return symbol;
}

static part *find_part(collada *c, const double colour[3])
{
    for (int i = 0; i < c->part_count; ++i) {
        if (memcmp(c->parts[i].colour, colour, sizeof c->parts[i].colour) == 0) {
            return &c->parts[i];
        }
    }
    if (c->part_count == LB_CLI_PART_MAX) {
        return &c->parts[LB_CLI_PART_MAX - 1];
    }
    part *new = &c->parts[c->part_count++];
    memcpy(new->colour, colour, sizeof new->colour);
    return new;
}

// ---- geometry ------------------------------------------------------------------------------------

// Reads the numbers of a source into the collada.
static bool read_source(collada *c, const xmlNode *source)
{
    if (c->source == source) {
        return c->number_count > 0;
    }
    const xmlNode *array = find_child(source, "float_array");
    const char *text = get_text(array);
    const size_t length = strlen(text);
    free(c->numbers);
    c->source = source;
    c->number_count = 0;
    // a number takes two characters at least
    c->numbers = spend(c, length) ? lb_cli_malloc((length / 2 + 1) * sizeof *c->numbers) : NULL;
    if (!c->numbers) {
        c->failed = true;
        return false;
    }
    c->number_count = read_numbers(text, (int)(length / 2 + 1), c->numbers);
    const xmlNode *accessor = find_child(find_child(source, "technique_common"), "accessor");
    const double stride = get_number(accessor, "stride", 3.0);
    c->stride = stride >= 3.0 && stride <= 64.0 ? (int)stride : 3;
    return c->number_count > 0;
}

// Room for one more of `width` numbers of `size` bytes each.
static bool make_room(collada *c, void **list, int count, int *room, size_t width, size_t size)
{
    if (count < *room) {
        return true;
    }
    const int wider = *room ? 2 * *room : 256;
    void *more = lb_cli_realloc(*list, (size_t)wider * width * size);
    c->failed = c->failed || !more;
    if (more) {
        *list = more;
        *room = wider;
    }
    return more != NULL;
}

// A group of triangles or polygons: where its indices are, and what they have become so far.
typedef struct group {
    collada *c;
    part *into;
    const map *X;
    int *points;  // of each point of the source: its number in the part, or -1
    int *normals; // and the normal that it was met with: sharp edges keep their points apart
    int count;    // points of the source
} group;

static int add_point(group *g, long at, int normal)
{
    collada *c = g->c;
    part *p = g->into;
    if (at < 0 || at >= g->count) {
        c->failed = true;
        return 0;
    }
    if (g->points[at] >= 0 && g->normals[at] == normal) {
        return g->points[at];
    }
    if (!make_room(c, (void **)&p->points, p->point_count, &p->point_room, 3, sizeof(float))) {
        return 0;
    }
    const double *x = c->numbers + (size_t)at * (size_t)c->stride;
    for (int i = 0; i < 3; ++i) {
        const double *row = g->X->m[i];
        p->points[3 * p->point_count + i] =
            (float)(row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3]);
    }
    g->points[at] = p->point_count;
    g->normals[at] = normal;
    return p->point_count++;
}

static void add_triangle(group *g, const int corners[3])
{
    part *p = g->into;
    if (++g->c->triangles > TRIANGLE_MAX) {
        g->c->failed = true;
    } else if (make_room(g->c, (void **)&p->corners, p->corner_count / 3, &p->corner_room, 3,
                         sizeof(int))) {
        memcpy(p->corners + p->corner_count, corners, 3 * sizeof *corners);
        p->corner_count += 3;
    }
}

// Indices of a group in rows of `stride`; polygons are cut into fans from their first corner.
static void read_polygons(group *g, const char *text, const char *sizes, int stride, int vertex,
                          int normal)
{
    char *end;
    if (!spend(g->c, strlen(text) + (sizes ? strlen(sizes) : 0))) {
        return;
    }
    for (;;) {
        long size = 3;
        if (sizes) {
            size = strtol(sizes, &end, 10);
            if (end == sizes) {
                return;
            }
            sizes = end;
        }
        int fan[3] = {0, 0, 0};
        for (long i = 0; i < size; ++i) {
            long at = -1, facing = -1;
            for (int k = 0; k < stride; ++k) {
                const long index = strtol(text, &end, 10);
                if (end == text) {
                    return; // the rest of a polygon that ends early is dropped
                }
                text = end;
                at = k == vertex ? index : at;
                facing = k == normal ? index : facing;
            }
            fan[i < 2 ? i : 2] = add_point(g, at, (int)facing);
            if (g->c->failed) {
                return;
            }
            if (i >= 2) {
                add_triangle(g, fan);
                fan[1] = fan[2];
            }
        }
    }
}

// <polygons> has one <p> for each; the other two have one in all.
static void read_group(group *g, const xmlNode *node, int stride, int vertex, int normal)
{
    const bool single = is_element(node, "polygons");
    const xmlNode *sizes = find_child(node, "vcount");
    if (is_element(node, "polylist") && !sizes) {
        return;
    }
    for (const xmlNode *p = node->children; p && !g->c->failed; p = p->next) {
        if (!is_element(p, "p")) {
            continue;
        }
        // all of the text is one polygon where there is no count
        const char *text = get_text(p);
        char many[32];
        if (single) {
            long words = 0;
            for (const char *at = text; *at; ++at) {
                words += *at > ' ' && (at == text || at[-1] <= ' ');
            }
            snprintf(many, sizeof many, "%ld", words / stride);
        }
        read_polygons(g, text,
                      single                         ? many
                      : is_element(node, "polylist") ? get_text(sizes)
                                                     : NULL,
                      stride, vertex, normal);
    }
}

static void add_group(collada *c, const xmlNode *mesh, const xmlNode *node, const xmlNode *instance,
                      const map *X)
{
    int stride = 1, vertex = -1, normal = -1;
    const xmlNode *vertices = NULL;
    for (const xmlNode *input = node->children; input; input = input->next) {
        const char *what = is_element(input, "input") ? get_attribute(input, "semantic") : NULL;
        const double offset = get_number(input, "offset", 0.0);
        if (!what || offset < 0.0 || offset > 63.0) {
            continue;
        }
        stride = (int)offset + 1 > stride ? (int)offset + 1 : stride;
        if (strcmp(what, "VERTEX") == 0) {
            vertex = (int)offset;
            vertices = find_id(c, mesh, get_attribute(input, "source"));
        } else if (strcmp(what, "NORMAL") == 0) {
            normal = (int)offset;
        }
    }
    const xmlNode *source = NULL;
    for (const xmlNode *input = vertices ? vertices->children : NULL; input && spend(c, ELEMENT);
         input = input->next) {
        const char *what = is_element(input, "input") ? get_attribute(input, "semantic") : NULL;
        if (what && strcmp(what, "POSITION") == 0) {
            source = find_id(c, mesh, get_attribute(input, "source"));
        }
    }
    if (vertex < 0 || !source || !read_source(c, source)) {
        return;
    }
    double colour[3] = {-1.0, 0.0, 0.0};
    read_colour(c, find_material(c, instance, get_attribute(node, "material")), colour);
    const int count = (c->number_count - 3) / c->stride + 1;
    group g = {c, find_part(c, colour), X, NULL, NULL, c->number_count < 3 ? 0 : count};
    if (g.count > 0 && spend(c, (size_t)g.count)) {
        g.points = lb_cli_malloc((size_t)g.count * sizeof *g.points);
        g.normals = lb_cli_calloc((size_t)g.count, sizeof *g.normals);
        c->failed = c->failed || !g.points || !g.normals;
        for (int i = 0; !c->failed && i < g.count; ++i) {
            g.points[i] = -1;
        }
        if (!c->failed) {
            read_group(&g, node, stride, vertex, normal);
        }
        free(g.points);
        free(g.normals);
    }
}

// Adds the triangles of a geometry, in the colours that its instance gives it.
static void add_geometry(collada *c, const xmlNode *geometry, const xmlNode *instance, const map *X)
{
    const xmlNode *mesh = find_child(geometry, "mesh");
    for (const xmlNode *node = mesh ? mesh->children : NULL; node && spend(c, ELEMENT);
         node = node->next) {
        if (is_element(node, "triangles") || is_element(node, "polylist") ||
            is_element(node, "polygons")) {
            add_group(c, mesh, node, instance, X);
        }
    }
}

// ---- transforms ----------------------------------------------------------------------------------

static map multiply(const map *a, const map *b)
{
    map ab;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            ab.m[i][j] = j == 3 ? a->m[i][3] : 0.0;
            for (int k = 0; k < 3; ++k) {
                ab.m[i][j] += a->m[i][k] * b->m[k][j];
            }
        }
    }
    return ab;
}

// What an element of a node does to what is in the node; false for other elements.
static bool read_transform(const xmlNode *node, map *t)
{
    double n[16];
    *t = (map){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const int count = read_numbers(get_text(node), 16, n);
    if (is_element(node, "matrix") && count == 16) {
        memcpy(t->m, n, sizeof t->m);
    } else if (is_element(node, "translate") && count == 3) {
        for (int i = 0; i < 3; ++i) {
            t->m[i][3] = n[i];
        }
    } else if (is_element(node, "scale") && count == 3) {
        for (int i = 0; i < 3; ++i) {
            t->m[i][i] = n[i];
        }
    } else if (is_element(node, "rotate") && count == 4) {
        const lb_vec3 axis = lb_vec3_from(n);
        const double length = lb_vec3_norm(axis), angle = n[3] * 3.14159265358979323846 / 180.0;
        if (length > 0.0) {
            const lb_mat3 R = lb_cli_turn_by(lb_vec3_scale(angle / length, axis));
            for (int i = 0; i < 3; ++i) {
                memcpy(t->m[i], R.m[i], sizeof R.m[i]);
            }
        }
    } else {
        return false;
    }
    return true;
}

// ---- the scene of the file -----------------------------------------------------------------------

static void add_node(collada *c, const xmlNode *node, map X, int depth)
{
    if (!node || depth > DEPTH_MAX) {
        return;
    }
    c->failed = c->failed || ++c->nodes > NODE_MAX;
    for (const xmlNode *child = node->children; child && spend(c, ELEMENT); child = child->next) {
        map t;
        if (child->type != XML_ELEMENT_NODE) {
            continue;
        }
        if (read_transform(child, &t)) {
            X = multiply(&X, &t);
        } else if (is_element(child, "node")) {
            add_node(c, child, X, depth + 1);
        } else if (is_element(child, "instance_node")) {
            add_node(c, find_in_library(c, "library_nodes", get_attribute(child, "url")), X,
                     depth + 1);
        } else if (is_element(child, "instance_geometry")) {
            add_geometry(c, find_in_library(c, "library_geometries", get_attribute(child, "url")),
                         child, &X);
        }
    }
}

static void add_all(collada *c)
{
    const double unit = get_number(find_child(find_child(c->root, "asset"), "unit"), "meter", 1.0);
    const map X = {{{unit, 0, 0, 0}, {0, unit, 0, 0}, {0, 0, unit, 0}}};
    const char *url =
        get_attribute(find_child(find_child(c->root, "scene"), "instance_visual_scene"), "url");
    const xmlNode *library = find_child(c->root, "library_visual_scenes"),
                  *named = url ? find_in_library(c, "library_visual_scenes", url) : NULL,
                  *scene = named ? named : find_child(library, "visual_scene");
    if (scene) {
        add_node(c, scene, X, 0);
        return;
    }
    // a file of geometries alone
    const xmlNode *geometries = find_child(c->root, "library_geometries");
    for (const xmlNode *node = geometries ? geometries->children : NULL; node && spend(c, ELEMENT);
         node = node->next) {
        if (is_element(node, "geometry")) {
            add_geometry(c, node, NULL, &X);
        }
    }
}

// Hands what was made to the scene, which keeps memory for both.
static int hand_over(collada *c, lb_cli_scene *scene, lb_cli_shape *parts)
{
    int count = 0;
    for (int i = 0; i < c->part_count && !c->failed; ++i) {
        const part *p = &c->parts[i];
        if (p->corner_count == 0) {
            continue;
        }
        lb_cli_shape *shape = &parts[count++];
        *shape = (lb_cli_shape){.kind = LB_CLI_MESH, .pose = lb_pose_identity()};
        memcpy(shape->colour, p->colour, sizeof shape->colour);
        shape->points = lb_cli_keep(scene, 3 * (size_t)p->point_count, sizeof *shape->points);
        shape->corners = lb_cli_keep(scene, (size_t)p->corner_count, sizeof *shape->corners);
        if (!shape->points || !shape->corners) {
            return 0;
        }
        memcpy(shape->points, p->points, 3 * (size_t)p->point_count * sizeof *p->points);
        memcpy(shape->corners, p->corners, (size_t)p->corner_count * sizeof *p->corners);
        shape->point_count = p->point_count;
        shape->corner_count = p->corner_count;
        for (int k = 0; k < 3 * p->point_count; ++k) {
            c->failed = c->failed || !isfinite(shape->points[k]);
        }
    }
    return c->failed ? 0 : count;
}

static void watch_xml(void *user, lb_xml_error *error)
{
    (void)user;
    if (error->code == XML_ERR_NO_MEMORY) {
        lb_cli_run_out();
    }
}

int lb_cli_parse_collada(lb_cli_scene *scene, const char *text, size_t length,
                         lb_cli_shape parts[LB_CLI_PART_MAX])
{
    // entities could make a short text long
    if (strstr(text, "<!DOCTYPE")) {
        return 0;
    }
    lb_cli_need_memory(4 * length);
    xmlSetStructuredErrorFunc(NULL, watch_xml);
    // without XML_PARSE_HUGE: depth and the length of texts stay bounded
    xmlDoc *doc = xmlReadMemory(text, (int)length, "mesh.dae", NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    collada c = {.root = doc ? xmlDocGetRootElement(doc) : NULL, .effort = EFFORT_MAX};
    int count = 0;
    if (c.root && is_element(c.root, "COLLADA")) {
        add_all(&c);
        count = hand_over(&c, scene, parts);
    }
    for (int i = 0; i < c.part_count; ++i) {
        free(c.parts[i].points);
        free(c.parts[i].corners);
    }
    free(c.numbers);
    xmlFreeDoc(doc);
    return count;
}
