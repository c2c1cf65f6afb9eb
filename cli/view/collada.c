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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "view/collada.h"

#if LIBXML_VERSION >= 21200
typedef const xmlError lb_xml_error;
#else
typedef xmlError lb_xml_error;
#endif

enum {
    DEPTH_MAX = 32,  // of nodes, which may name each other
    NODE_MAX = 20000 // that are shown
};

bool lb_collada_spend(lb_collada *c, size_t effort)
{
    c->failed = c->failed || effort > (size_t)c->effort;
    c->effort -= c->failed ? 0 : (long)effort;
    return !c->failed;
}

// ---- elements ------------------------------------------------------------------------------------

bool lb_collada_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

xmlNode *lb_collada_find_child(const xmlNode *up, const char *name)
{
    xmlNode *node = up ? up->children : NULL;
    while (node && !lb_collada_is(node, name)) {
        node = node->next;
    }
    return node;
}

const char *lb_collada_get_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node ? node->properties : NULL; a; a = a->next) {
        if (strcmp((const char *)a->name, name) == 0 && a->children && a->children->content) {
            return (const char *)a->children->content;
        }
    }
    return NULL;
}

const char *lb_collada_get_text(const xmlNode *node)
{
    return node && node->children && node->children->content ? (const char *)node->children->content
                                                             : "";
}

double lb_collada_get_number(const xmlNode *node, const char *name, double otherwise)
{
    const char *text = lb_collada_get_attribute(node, name);
    const double value = text ? strtod(text, NULL) : otherwise;
    return isfinite(value) ? value : otherwise;
}

xmlNode *lb_collada_find_id(lb_collada *c, const xmlNode *up, const char *id)
{
    if (id && id[0] == '#') {
        ++id;
    }
    for (xmlNode *node = up && id ? up->children : NULL;
         node && lb_collada_spend(c, LB_COLLADA_ELEMENT); node = node->next) {
        const char *own = lb_collada_get_attribute(node, "id");
        if (own && strcmp(own, id) == 0) {
            return node;
        }
    }
    return NULL;
}

xmlNode *lb_collada_find_in_library(lb_collada *c, const char *library, const char *id)
{
    for (xmlNode *node = c->root->children; node && lb_collada_spend(c, LB_COLLADA_ELEMENT);
         node = node->next) {
        xmlNode *found = lb_collada_is(node, library) ? lb_collada_find_id(c, node, id) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

int lb_collada_read_numbers(const char *text, int count, double *numbers)
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

// ---- transforms ----------------------------------------------------------------------------------

static lb_collada_map multiply(const lb_collada_map *a, const lb_collada_map *b)
{
    lb_collada_map ab;
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
static bool read_transform(const xmlNode *node, lb_collada_map *t)
{
    double n[16];
    *t = (lb_collada_map){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const int count = lb_collada_read_numbers(lb_collada_get_text(node), 16, n);
    if (lb_collada_is(node, "matrix") && count == 16) {
        memcpy(t->m, n, sizeof t->m);
    } else if (lb_collada_is(node, "translate") && count == 3) {
        for (int i = 0; i < 3; ++i) {
            t->m[i][3] = n[i];
        }
    } else if (lb_collada_is(node, "scale") && count == 3) {
        for (int i = 0; i < 3; ++i) {
            t->m[i][i] = n[i];
        }
    } else if (lb_collada_is(node, "rotate") && count == 4) {
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

static void add_node(lb_collada *c, const xmlNode *node, lb_collada_map X, int depth)
{
    if (!node || depth > DEPTH_MAX) {
        return;
    }
    c->failed = c->failed || ++c->nodes > NODE_MAX;
    for (const xmlNode *child = node->children; child && lb_collada_spend(c, LB_COLLADA_ELEMENT);
         child = child->next) {
        lb_collada_map t;
        if (child->type != XML_ELEMENT_NODE) {
            continue;
        }
        if (read_transform(child, &t)) {
            X = multiply(&X, &t);
        } else if (lb_collada_is(child, "node")) {
            add_node(c, child, X, depth + 1);
        } else if (lb_collada_is(child, "instance_node")) {
            add_node(c,
                     lb_collada_find_in_library(c, "library_nodes",
                                                lb_collada_get_attribute(child, "url")),
                     X, depth + 1);
        } else if (lb_collada_is(child, "instance_geometry")) {
            lb_collada_add_geometry(
                c,
                lb_collada_find_in_library(c, "library_geometries",
                                           lb_collada_get_attribute(child, "url")),
                child, &X);
        }
    }
}

static void add_all(lb_collada *c)
{
    const double unit = lb_collada_get_number(
        lb_collada_find_child(lb_collada_find_child(c->root, "asset"), "unit"), "meter", 1.0);
    const lb_collada_map X = {{{unit, 0, 0, 0}, {0, unit, 0, 0}, {0, 0, unit, 0}}};
    const char *url = lb_collada_get_attribute(
        lb_collada_find_child(lb_collada_find_child(c->root, "scene"), "instance_visual_scene"),
        "url");
    const xmlNode *library = lb_collada_find_child(c->root, "library_visual_scenes"),
                  *named = url ? lb_collada_find_in_library(c, "library_visual_scenes", url) : NULL,
                  *scene = named ? named : lb_collada_find_child(library, "visual_scene");
    if (scene) {
        add_node(c, scene, X, 0);
        return;
    }
    // a file of geometries alone
    const xmlNode *geometries = lb_collada_find_child(c->root, "library_geometries");
    for (const xmlNode *node = geometries ? geometries->children : NULL;
         node && lb_collada_spend(c, LB_COLLADA_ELEMENT); node = node->next) {
        if (lb_collada_is(node, "geometry")) {
            lb_collada_add_geometry(c, node, NULL, &X);
        }
    }
}

// Hands what was made to the scene, which keeps memory for both.
static int hand_over(lb_collada *c, lb_cli_scene *scene, lb_cli_shape *parts)
{
    int count = 0;
    for (int i = 0; i < c->part_count && !c->failed; ++i) {
        const lb_collada_part *p = &c->parts[i];
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
    lb_collada c = {.root = doc ? xmlDocGetRootElement(doc) : NULL,
                    .effort = LB_COLLADA_EFFORT_MAX};
    int count = 0;
    if (c.root && lb_collada_is(c.root, "COLLADA")) {
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
