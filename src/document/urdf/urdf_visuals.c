// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Visuals of links become shapes of `view`. They say nothing of the motion: one that cannot be read is left out, and
// files of meshes are named as the robot names them, not opened.
#include <stdio.h>
#include <string.h>

#include "document/places.h"
#include "urdf_robot.h"

// "#c8a048"
static void lb_urdf_write_colour(lb_urdf *urdf, const double rgba[4], char **colour)
{
    int rgb[3];
    for (int i = 0; i < 3; ++i) {
        rgb[i] = (int)(255 * fmin(fmax(rgba[i], 0), 1) + 0.5);
    }
    *colour = lb_arena_take_text(&urdf->writer.doc->pool, 8);
    if (*colour) {
        snprintf(*colour, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255,
                 (unsigned)rgb[2] & 255);
    }
    urdf->lacks_memory = urdf->lacks_memory || !*colour;
}

// A material that the robot defines for all links.
typedef struct lb_urdf_material {
    const char *name;
    const xmlNode *value;
} lb_urdf_material;

typedef struct lb_urdf_materials {
    lb_urdf_material *list;
    int count;
} lb_urdf_materials;

static void lb_urdf_read_materials(lb_urdf *urdf, const xmlNode *root, lb_urdf_materials *materials)
{
    const lb_urdf_at at = {.line = urdf->line};
    const size_t count = (size_t)lb_urdf_count(root, "material");
    materials->list = lb_arena_take(&urdf->writer.doc->pool, count, sizeof *materials->list);
    urdf->lacks_memory = urdf->lacks_memory || !materials->list;
    for (const xmlNode *node = root->children; node && !urdf->lacks_memory; node = node->next) {
        if (lb_urdf_is(node, "material")) {
            lb_urdf_material *material = &materials->list[materials->count];
            material->value = lb_urdf_find(urdf, &at, node, "color", "material");
            material->name = lb_urdf_get_attribute(urdf, node, "name");
            materials->count += material->name && material->value;
        }
    }
}

// The colour of a visual's material, of which it may give the name alone if the robot defines it.
static void lb_urdf_read_material(lb_urdf *urdf, const lb_urdf_at *at,
                                  const lb_urdf_materials *materials, const xmlNode *visual,
                                  char **colour)
{
    const xmlNode *material = lb_urdf_find(urdf, at, visual, "material", "visual.material");
    const xmlNode *value =
        material ? lb_urdf_find(urdf, at, material, "color", "visual.material") : NULL;
    const char *name = material && !value ? lb_urdf_get_attribute(urdf, material, "name") : NULL;
    for (int i = 0; name && i < materials->count && !value; ++i) {
        value = strcmp(name, materials->list[i].name) == 0 ? materials->list[i].value : NULL;
    }
    double rgba[4] = {-1, 0, 0, 0};
    const lb_urdf_field field = {"material", "rgba", false};
    if (value) {
        lb_urdf_read_numbers(urdf, at, value, field, 4, rgba);
    }
    if (rgba[0] >= 0) {
        lb_urdf_write_colour(urdf, rgba, colour);
    }
}

// Kind and size of a shape; `kind` stays NULL for what is no shape.
static void lb_urdf_read_geometry(lb_urdf *urdf, const lb_urdf_at *at, const xmlNode *geometry,
                                  lb_urdf_visual *visual)
{
    static const struct {
        const char *kind, *attributes[2];
        int counts[2];
    } kinds[] = {{"box", {"size", NULL}, {3, 0}},
                 {"cylinder", {"radius", "length"}, {1, 1}},
                 {"sphere", {"radius", NULL}, {1, 0}},
                 {"mesh", {"scale", NULL}, {3, 0}}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !visual->kind; ++i) {
        const xmlNode *node = lb_urdf_find(urdf, at, geometry, kinds[i].kind, "geometry");
        const bool is_mesh = strcmp(kinds[i].kind, "mesh") == 0;
        double *size = visual->size;
        if (!node) {
            continue;
        }
        visual->kind = kinds[i].kind;
        if (is_mesh) {
            size[0] = size[1] = size[2] = 1;
            visual->mesh = lb_urdf_get_attribute(urdf, node, "filename");
        }
        for (int k = 0; k < 2 && kinds[i].attributes[k]; ++k) {
            const lb_urdf_field field = {"geometry", kinds[i].attributes[k], !is_mesh};
            const size_t count = (size_t)kinds[i].counts[k];
            lb_urdf_read_numbers(urdf, at, node, field, count, size);
            for (size_t j = 0; j < count && !is_mesh; ++j) {
                urdf->error_count += !(size[j] > 0);
            }
            size += count;
        }
    }
}

static void lb_urdf_read_visual(lb_urdf *urdf, const lb_urdf_materials *materials,
                                const xmlNode *node, lb_urdf_visual *visual)
{
    const lb_urdf_at at = {"link", urdf->links[visual->link].name, lb_urdf_get_line(node)};
    visual->line = at.line;
    const xmlNode *geometry = lb_urdf_find(urdf, &at, node, "geometry", "visual.geometry");
    if (geometry) {
        lb_urdf_read_geometry(urdf, &at, geometry, visual);
    }
    lb_urdf_read_origin(urdf, &at, node, "visual.origin", &visual->pose);
    lb_urdf_read_material(urdf, &at, materials, node, &visual->colour);
}

void lb_urdf_read_visuals(lb_urdf *urdf, const xmlNode *root)
{
    const lb_report heard = urdf->writer.report;
    const int errors = urdf->error_count;
    lb_urdf_materials materials = {.count = 0};
    size_t count = 0;
    for (const xmlNode *link = root->children; link; link = link->next) {
        count += lb_urdf_is(link, "link") ? (size_t)lb_urdf_count(link, "visual") : 0;
    }
    urdf->visuals = lb_arena_take(&urdf->writer.doc->pool, count, sizeof *urdf->visuals);
    urdf->lacks_memory = urdf->lacks_memory || !urdf->visuals;
    urdf->writer.report.emit = NULL;
    lb_urdf_read_materials(urdf, root, &materials);
    urdf->error_count = errors;
    int index = -1;
    for (const xmlNode *link = root->children; link && !urdf->lacks_memory; link = link->next) {
        const bool is_link = lb_urdf_is(link, "link");
        index += is_link;
        for (const xmlNode *node = is_link ? link->children : NULL; node; node = node->next) {
            if (lb_urdf_is(node, "visual")) {
                lb_urdf_visual *visual = &urdf->visuals[urdf->visual_count];
                *visual = (lb_urdf_visual){.link = index};
                lb_urdf_read_visual(urdf, &materials, node, visual);
                const bool shown = visual->kind && (visual->kind[0] != 'm' || visual->mesh);
                urdf->visual_count += shown && urdf->error_count == errors;
                urdf->error_count = errors;
            }
        }
    }
    urdf->writer.report = heard;
}

void lb_urdf_put_visuals(lb_urdf_out *out, const lb_urdf_plan *plan)
{
    const lb_urdf *urdf = plan->urdf;
    if (urdf->visual_count == 0) {
        return;
    }
    out->mark.line = urdf->line;
    lb_urdf_put(out, "view");
    lb_urdf_open(out, LB_DOC_MAPPING);
    lb_urdf_put(out, "shapes");
    lb_urdf_open(out, LB_DOC_SEQUENCE);
    for (int i = 0; i < urdf->visual_count && out->status == LB_OK; ++i) {
        const lb_urdf_visual *visual = &urdf->visuals[i];
        const lb_urdf_body *link = &plan->bodies[visual->link];
        const lb_urdf_pose pose = lb_urdf_compose(&link->pose, &visual->pose);
        const double *size = visual->size;
        out->mark.line = visual->line;
        lb_urdf_open(out, LB_DOC_MAPPING);
        lb_urdf_put_pair(out, "body",
                         link->owner == plan->ground ? "ground" : urdf->links[link->owner].name);
        if (visual->mesh) {
            lb_urdf_put_pair(out, "mesh", visual->mesh);
            if (size[0] != 1 || size[1] != 1 || size[2] != 1) {
                lb_urdf_put_numbers(out, "scale", size, 3);
            }
        } else if (strcmp(visual->kind, "sphere") == 0) {
            lb_urdf_put_value(out, "sphere", size[0]);
        } else {
            lb_urdf_put_numbers(out, visual->kind, size, visual->kind[0] == 'b' ? 3 : 2);
        }
        if (lb_vec3_norm(pose.p) > 0 || pose.r.w != 1) {
            lb_urdf_put_pose(out, &pose);
        }
        if (visual->colour) {
            lb_urdf_put_pair(out, "colour", visual->colour);
        }
        lb_urdf_close(out);
    }
    lb_urdf_close(out);
    lb_urdf_close(out);
}
