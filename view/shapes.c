// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes for bodies that say nothing of their looks. A rigid body is a link: rods from its hinge to its
// nodes, and a small box or ball at its centre of mass where no rod is. A frame has its members, another
// flexible body is a tube along its nodes, or a sheet over them where they lie in a plane.
#include <math.h>
#include <stdlib.h>

#include "../src/command.h"
#include "console.h"
#include "view/scene.h"

enum {
    SHEET_MAX = 400
}; // nodes of a sheet: the triangulation below takes their fourth power at worst

static void add_rod(lb_cli_scene *s, int body, lb_vec3 a, lb_vec3 b, double radius)
{
    const lb_vec3 d = lb_vec3_sub(b, a);
    const double length = lb_vec3_norm(d);
    if (length < 1e-6 * s->size) {
        return;
    }
    lb_cli_shape *shape = lb_cli_add_shape(s, LB_CLI_CYLINDER, body);
    if (shape) {
        shape->pose.R = lb_cli_turn_z_to(d);
        shape->pose.p = lb_vec3_axpy(a, 0.5, d);
        shape->size[0] = radius;
        shape->size[1] = length;
    }
}

// ---- rigid bodies --------------------------------------------------------------------------------

// Edges of the uniform box with these principal moments: I_x = m (b^2 + c^2) / 12 and so on.
static void find_edges(double mass, const double moments[3], double edges[3])
{
    for (int i = 0; i < 3; ++i) {
        const double square =
            6.0 * (moments[(i + 1) % 3] + moments[(i + 2) % 3] - moments[i]) / mass;
        edges[i] = sqrt(fmax(square, 0.0));
    }
}

// What sits at the centre of mass: the box that has the inertia, or a ball. Its longest edge is kept within what fits the
// scene, since many models have round numbers for their inertia.
static void add_lump(lb_cli_scene *s, int body, lb_vec3 com, double mass, const double inertia[6],
                     double largest)
{
    double moments[3], edges[3], longest;
    lb_pose box = {.p = com};
    lb_cli_find_principal(lb_sym3_from(inertia), &box.R, moments);
    find_edges(mass, moments, edges);
    longest = fmax(edges[0], fmax(edges[1], edges[2]));
    const bool solid = longest > 1e-4 * s->size;
    lb_cli_shape *shape = lb_cli_add_shape(s, solid ? LB_CLI_BOX : LB_CLI_SPHERE, body);
    if (!shape) {
        return;
    }
    shape->pose = box;
    shape->size[0] = 0.025 * s->size;
    for (int i = 0; solid && i < 3; ++i) {
        const double drawn = fmin(fmax(longest, 0.04 * s->size), largest);
        shape->size[i] = fmax(edges[i] * drawn / longest, 0.1 * drawn);
    }
}

// Links: a rod from the hinge to each node, or from the centre of mass of a body that flies. A lump at the centre of mass
// where no rod has it in its middle, as a link would.
static void invent_rigid(lb_cli_scene *s, int body)
{
    const lb_model *model = s->recording->model;
    const int first = s->first_node[body], count = lb_get_node_count(model, body);
    const bool floats = lb_get_hinge(model, body).type == LB_HINGE_FREE;
    double mass, com[3], inertia[6];
    lb_get_mass_properties(model, body, &mass, com, inertia);
    const lb_vec3 centre = lb_vec3_from(com),
                  root = s->nodes[first + lb_get_hinge(model, body).node].pose.p,
                  start = floats && mass > 0.0 ? centre : root;
    const double thick = 0.01 * s->size;
    bool is_link = false;
    for (int k = 1; k < count; ++k) {
        const lb_vec3 d = lb_vec3_sub(s->nodes[first + k].pose.p, start),
                      to_centre = lb_vec3_sub(centre, start);
        const double length = lb_vec3_norm(d),
                     along = lb_vec3_dot(to_centre, d) / fmax(length * length, 1e-300);
        add_rod(s, body, start, lb_vec3_add(start, d), fmin(thick, 0.2 * length));
        is_link |= length > 0.0 && along > 0.2 && along < 0.8 &&
                   lb_vec3_norm(lb_vec3_axpy(to_centre, -along, d)) < 0.2 * length;
    }
    const bool point = inertia[0] + inertia[1] + inertia[2] <= 0.0;
    if (mass > 0.0 && (point || !is_link)) {
        const double reach = lb_vec3_norm(lb_vec3_sub(centre, start));
        add_rod(s, body, start, centre, fmin(thick, 0.2 * reach));
        add_lump(s, body, centre, mass, inertia, (floats ? 0.2 : 0.1) * s->size);
    }
}

// ---- flexible bodies -----------------------------------------------------------------------------

// Lines that join all nodes at the least length: the tree of Prim. For nodes along a beam it is the
// beam.
static void invent_tube(lb_cli_scene *s, int body, int first, int count, double length)
{
    lb_cli_shape *shape = lb_cli_add_shape(s, LB_CLI_TUBE, body);
    int *near = lb_cli_malloc((size_t)count * sizeof *near);
    double *gap = lb_cli_malloc((size_t)count * sizeof *gap);
    if (shape) {
        shape->nodes = lb_cli_keep(s, 2 * (size_t)count, sizeof *shape->nodes);
    }
    if (shape && near && gap && shape->nodes) {
        shape->size[0] = fmin(0.02 * length, 0.015 * s->size);
        for (int i = 0; i < count; ++i) {
            near[i] = 0;
            gap[i] =
                i == 0
                    ? -1.0
                    : lb_vec3_norm(lb_vec3_sub(s->nodes[first + i].pose.p, s->nodes[first].pose.p));
        }
        for (int round = 1; round < count; ++round) {
            int best = -1;
            for (int i = 0; i < count; ++i) {
                best = gap[i] >= 0.0 && (best < 0 || gap[i] < gap[best]) ? i : best;
            }
            shape->nodes[shape->node_count++] = first + near[best];
            shape->nodes[shape->node_count++] = first + best;
            gap[best] = -1.0;
            for (int i = 0; i < count; ++i) {
                const double d = lb_vec3_norm(
                    lb_vec3_sub(s->nodes[first + i].pose.p, s->nodes[first + best].pose.p));
                if (gap[i] >= 0.0 && d < gap[i]) {
                    gap[i] = d;
                    near[i] = best;
                }
            }
        }
    }
    free(near);
    free(gap);
}

// Twice the area of a triangle in the plane, positive if it turns left.
static double get_area(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Whether d lies inside of the circle through a, b, c (which turn left).
static bool is_inside(const double *a, const double *b, const double *c, const double *d)
{
    const double ax = a[0] - d[0], ay = a[1] - d[1], bx = b[0] - d[0], by = b[1] - d[1],
                 cx = c[0] - d[0], cy = c[1] - d[1];
    const double A = ax * ax + ay * ay, B = bx * bx + by * by, C = cx * cx + cy * cy;
    const double size = A + B + C;
    return ax * (by * C - B * cy) - ay * (bx * C - B * cx) + A * (bx * cy - by * cx) >
           1e-9 * size * size;
}

// Delaunay triangles by definition: those whose circle holds no other node. The nodes of a regular
// grid are shifted a little, the same way each time, so that four never share a circle.
static void invent_sheet(lb_cli_scene *s, int body, int first, int count, const lb_mat3 *axes)
{
    double(*p)[2] = lb_cli_malloc((size_t)count * sizeof *p);
    lb_cli_shape *shape = lb_cli_add_shape(s, LB_CLI_SHEET, body);
    if (shape) {
        shape->nodes = lb_cli_keep(s, 6 * (size_t)count, sizeof *shape->nodes);
    }
    if (!p || !shape || !shape->nodes) {
        free(p);
        return;
    }
    double extent = 0.0;
    for (int i = 0; i < count; ++i) {
        const lb_vec3 at = lb_mat3_tmul_vec(axes, s->nodes[first + i].pose.p);
        p[i][0] = at.x;
        p[i][1] = at.y;
        extent = fmax(extent, fmax(fabs(at.x), fabs(at.y)));
    }
    for (int i = 0; i < count; ++i) {
        p[i][0] += 1e-4 * extent * sin(12.9898 * i + 1.0);
        p[i][1] += 1e-4 * extent * sin(78.233 * i + 2.0);
    }
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            for (int k = j + 1; k < count && shape->node_count + 3 <= 6 * count; ++k) {
                const double area = get_area(p[i], p[j], p[k]);
                // slivers along a straight edge are of the shift alone
                if (fabs(area) < 1e-3 * extent * extent / count) {
                    continue;
                }
                const int b = area > 0.0 ? j : k, c = area > 0.0 ? k : j;
                bool empty = true;
                for (int l = 0; l < count && empty; ++l) {
                    empty = l == i || l == j || l == k || !is_inside(p[i], p[b], p[c], p[l]);
                }
                if (empty) {
                    shape->nodes[shape->node_count++] = first + i;
                    shape->nodes[shape->node_count++] = first + b;
                    shape->nodes[shape->node_count++] = first + c;
                }
            }
        }
    }
    free(p);
}

// Members of a `frame` of the model file: a line each between its two joints. False for other bodies.
static bool draw_members(lb_cli_scene *s, int body)
{
    const lb_model *model = s->recording->model;
    const lb_place root = lb_get_document_root(s->recording->document),
                   bodies = lb_place_at_key(&root, "bodies");
    if ((size_t)body >= lb_place_get_count(&bodies)) {
        return false;
    }
    const lb_place at = lb_place_at_index(&bodies, (size_t)body),
                   frame = lb_place_at_key(&at, "frame"),
                   members = lb_place_at_key(&frame, "members");
    const size_t count = lb_place_get_count(&members);
    lb_cli_shape *shape = count > 0 ? lb_cli_add_shape(s, LB_CLI_TUBE, body) : NULL;
    int *nodes = shape ? lb_cli_keep(s, 2 * count, sizeof *nodes) : NULL;
    if (!nodes) {
        return false;
    }
    shape->nodes = nodes;
    shape->size[0] = 0.009 * s->size;
    for (size_t i = 0; i < count; ++i) {
        const lb_place member = lb_place_at_index(&members, i),
                       joints = lb_place_at_key(&member, "joints");
        int ends[2] = {-1, -1};
        for (size_t k = 0; k < 2 && lb_place_get_count(&joints) == 2; ++k) {
            const lb_place joint = lb_place_at_index(&joints, k);
            const char *name = lb_place_get_string(&joint);
            ends[k] = name ? lb_find_node(model, body, name) : -1;
        }
        if (ends[0] >= 0 && ends[1] >= 0) {
            nodes[shape->node_count++] = lb_cli_get_scene_node(s, body, ends[0]);
            nodes[shape->node_count++] = lb_cli_get_scene_node(s, body, ends[1]);
        }
    }
    return true;
}

static void invent_flexible(lb_cli_scene *s, int body)
{
    if (draw_members(s, body)) {
        return;
    }
    const lb_model *model = s->recording->model;
    int first = s->first_node[body], count = lb_get_node_count(model, body);
    // the frame itself counts where the hinge is; else only nodes that deform
    if (lb_get_hinge(model, body).node != 0 && count > 1) {
        ++first;
        --count;
    }
    // extents along the principal directions of the cloud of nodes
    lb_vec3 middle = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        middle = lb_vec3_axpy(middle, 1.0 / count, s->nodes[first + i].pose.p);
    }
    lb_sym3 spread = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < count; ++i) {
        const lb_vec3 d = lb_vec3_sub(s->nodes[first + i].pose.p, middle);
        const lb_sym3 add = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
        spread = lb_sym3_add(spread, add);
    }
    lb_mat3 axes;
    double moments[3];
    lb_cli_find_principal(spread, &axes, moments);
    // the largest two first
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (moments[order[j]] > moments[order[i]]) {
                const int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    lb_mat3 sorted;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sorted.m[i][j] = axes.m[i][order[j]];
        }
    }
    const double largest = moments[order[0]], second = moments[order[1]], third = moments[order[2]];
    const double length = sqrt(12.0 * fmax(largest, 0.0) / (count > 0 ? count : 1));
    if (second > 0.01 * largest && third < 1e-4 * largest && count >= 4 && count <= SHEET_MAX) {
        invent_sheet(s, body, first, count, &sorted);
    } else {
        invent_tube(s, body, first, count, length);
    }
}

void lb_cli_invent_shapes(lb_cli_scene *s)
{
    const lb_model *model = s->recording->model;
    const int body_count = lb_get_body_count(model), given = s->shape_count;
    bool *has = lb_cli_calloc((size_t)body_count + 1, sizeof *has);
    for (int i = 0; has && i < given; ++i) {
        if (s->shapes[i].body >= 0) {
            has[s->shapes[i].body] = true;
        }
    }
    for (int k = 0; has && k < body_count; ++k) {
        if (has[k]) {
            continue;
        }
        if (lb_get_mode_count(model, k) > 0) {
            invent_flexible(s, k);
        } else {
            invent_rigid(s, k);
        }
    }
    free(has);
}
