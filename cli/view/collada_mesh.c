// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Triangles of a geometry of a Collada file, in parts by their colours.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "view/collada.h"

enum { TRIANGLE_MAX = 200000 }; // of a file, as of other meshes

// ---- colours -------------------------------------------------------------------------------------

// The diffuse colour of a material; one of a texture is not known here.
static void read_colour(lb_collada *c, const char *material, double colour[3])
{
    colour[0] = -1.0;
    const xmlNode *found = lb_collada_find_in_library(c, "library_materials", material);
    const char *url =
        lb_collada_get_attribute(lb_collada_find_child(found, "instance_effect"), "url");
    const xmlNode *effect = url ? lb_collada_find_in_library(c, "library_effects", url) : NULL;
    const xmlNode *technique =
        lb_collada_find_child(lb_collada_find_child(effect, "profile_COMMON"), "technique");
    for (const xmlNode *shader = technique ? technique->children : NULL;
         shader && lb_collada_spend(c, LB_COLLADA_ELEMENT); shader = shader->next) {
        const xmlNode *value =
            lb_collada_find_child(lb_collada_find_child(shader, "diffuse"), "color");
        double rgb[3];
        if (value && lb_collada_read_numbers(lb_collada_get_text(value), 3, rgb) == 3) {
            for (int i = 0; i < 3; ++i) {
                colour[i] = rgb[i] >= 0.0 && rgb[i] <= 1.0 ? rgb[i] : 0.5;
            }
        }
    }
}

// The material that an instance has for a symbol, or the symbol itself, as some files have it.
static const char *find_material(lb_collada *c, const xmlNode *instance, const char *symbol)
{
    const xmlNode *common =
        lb_collada_find_child(lb_collada_find_child(instance, "bind_material"), "technique_common");
    for (const xmlNode *node = common && symbol ? common->children : NULL;
         node && lb_collada_spend(c, LB_COLLADA_ELEMENT); node = node->next) {
        const char *own = lb_collada_is(node, "instance_material")
                              ? lb_collada_get_attribute(node, "symbol")
                              : NULL;
        if (own && strcmp(own, symbol) == 0) {
            return lb_collada_get_attribute(node, "target");
        }
    }
    return symbol;
}

static lb_collada_part *find_part(lb_collada *c, const double colour[3])
{
    for (int i = 0; i < c->part_count; ++i) {
        if (memcmp(c->parts[i].colour, colour, sizeof c->parts[i].colour) == 0) {
            return &c->parts[i];
        }
    }
    if (c->part_count == LB_CLI_PART_MAX) {
        return &c->parts[LB_CLI_PART_MAX - 1];
    }
    lb_collada_part *new = &c->parts[c->part_count++];
    memcpy(new->colour, colour, sizeof new->colour);
    return new;
}

// ---- geometry ------------------------------------------------------------------------------------

// Reads the numbers of a source into the collada.
static bool read_source(lb_collada *c, const xmlNode *source)
{
    if (c->source == source) {
        return c->number_count > 0;
    }
    const xmlNode *array = lb_collada_find_child(source, "float_array");
    const char *text = lb_collada_get_text(array);
    const size_t length = strlen(text);
    free(c->numbers);
    c->source = source;
    c->number_count = 0;
    // a number takes two characters at least
    c->numbers =
        lb_collada_spend(c, length) ? lb_cli_malloc((length / 2 + 1) * sizeof *c->numbers) : NULL;
    if (!c->numbers) {
        c->failed = true;
        return false;
    }
    c->number_count = lb_collada_read_numbers(text, (int)(length / 2 + 1), c->numbers);
    const xmlNode *accessor =
        lb_collada_find_child(lb_collada_find_child(source, "technique_common"), "accessor");
    const double stride = lb_collada_get_number(accessor, "stride", 3.0);
    c->stride = stride >= 3.0 && stride <= 64.0 ? (int)stride : 3;
    return c->number_count > 0;
}

// Room for one more of `width` numbers of `size` bytes each.
static bool make_room(lb_collada *c, void **list, int count, int *room, size_t width, size_t size)
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
    lb_collada *c;
    lb_collada_part *into;
    const lb_collada_map *X;
    int *points;  // of each point of the source: its number in the part, or -1
    int *normals; // and the normal that it was met with: sharp edges keep their points apart
    int count;    // points of the source
} group;

static int add_point(group *g, long at, int normal)
{
    lb_collada *c = g->c;
    lb_collada_part *p = g->into;
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
    lb_collada_part *p = g->into;
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
    if (!lb_collada_spend(g->c, strlen(text) + (sizes ? strlen(sizes) : 0))) {
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
    const bool single = lb_collada_is(node, "polygons");
    const xmlNode *sizes = lb_collada_find_child(node, "vcount");
    if (lb_collada_is(node, "polylist") && !sizes) {
        return;
    }
    for (const xmlNode *p = node->children; p && !g->c->failed; p = p->next) {
        if (!lb_collada_is(p, "p")) {
            continue;
        }
        // all of the text is one polygon where there is no count
        const char *text = lb_collada_get_text(p);
        char many[32];
        if (single) {
            long words = 0;
            for (const char *at = text; *at; ++at) {
                words += *at > ' ' && (at == text || at[-1] <= ' ');
            }
            snprintf(many, sizeof many, "%ld", words / stride);
        }
        read_polygons(g, text,
                      single                            ? many
                      : lb_collada_is(node, "polylist") ? lb_collada_get_text(sizes)
                                                        : NULL,
                      stride, vertex, normal);
    }
}

static void add_group(lb_collada *c, const xmlNode *mesh, const xmlNode *node,
                      const xmlNode *instance, const lb_collada_map *X)
{
    int stride = 1, vertex = -1, normal = -1;
    const xmlNode *vertices = NULL;
    for (const xmlNode *input = node->children; input; input = input->next) {
        const char *what =
            lb_collada_is(input, "input") ? lb_collada_get_attribute(input, "semantic") : NULL;
        const double offset = lb_collada_get_number(input, "offset", 0.0);
        if (!what || offset < 0.0 || offset > 63.0) {
            continue;
        }
        stride = (int)offset + 1 > stride ? (int)offset + 1 : stride;
        if (strcmp(what, "VERTEX") == 0) {
            vertex = (int)offset;
            vertices = lb_collada_find_id(c, mesh, lb_collada_get_attribute(input, "source"));
        } else if (strcmp(what, "NORMAL") == 0) {
            normal = (int)offset;
        }
    }
    const xmlNode *source = NULL;
    for (const xmlNode *input = vertices ? vertices->children : NULL;
         input && lb_collada_spend(c, LB_COLLADA_ELEMENT); input = input->next) {
        const char *what =
            lb_collada_is(input, "input") ? lb_collada_get_attribute(input, "semantic") : NULL;
        if (what && strcmp(what, "POSITION") == 0) {
            source = lb_collada_find_id(c, mesh, lb_collada_get_attribute(input, "source"));
        }
    }
    if (vertex < 0 || !source || !read_source(c, source)) {
        return;
    }
    double colour[3] = {-1.0, 0.0, 0.0};
    read_colour(c, find_material(c, instance, lb_collada_get_attribute(node, "material")), colour);
    const int count = (c->number_count - 3) / c->stride + 1;
    group g = {c, find_part(c, colour), X, NULL, NULL, c->number_count < 3 ? 0 : count};
    if (g.count > 0 && lb_collada_spend(c, (size_t)g.count)) {
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

void lb_collada_add_geometry(lb_collada *c, const xmlNode *geometry, const xmlNode *instance,
                             const lb_collada_map *X)
{
    const xmlNode *mesh = lb_collada_find_child(geometry, "mesh");
    for (const xmlNode *node = mesh ? mesh->children : NULL;
         node && lb_collada_spend(c, LB_COLLADA_ELEMENT); node = node->next) {
        if (lb_collada_is(node, "triangles") || lb_collada_is(node, "polylist") ||
            lb_collada_is(node, "polygons")) {
            add_group(c, mesh, node, instance, X);
        }
    }
}
