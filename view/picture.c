// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A frame of the moving scene as triangles.
#include "view/picture.h"

#include <math.h>
#include <string.h>

#include "limber/loops.h"

enum { HEAT_STEPS = 5 }; // between colours of displacements and values

typedef struct painter {
    const lb_cli_scene *scene;
    const lb_cli_motion *motion;
    long frame;
    const lb_cli_look *look;
    lb_cli_raster *raster;
} painter;

// ---- where things are ----------------------------------------------------------------------------

static lb_pose get_pose(const painter *p, int body, long frame)
{
    if (body == LB_GROUND) {
        return lb_pose_identity();
    }
    const size_t bodies = (size_t)lb_get_body_count(p->scene->recording->model);
    const float *v = p->motion->poses + 7 * ((size_t)frame * bodies + (size_t)body);
    const double q[4] = {v[3], v[4], v[5], v[6]};
    const lb_pose X = {lb_quat_to_mat3(lb_quat_from(q)), lb_vec3_make(v[0], v[1], v[2])};
    return X;
}

static lb_vec3 get_shift(const painter *p, int node, long frame)
{
    const int flexible = p->scene->nodes[node].flexible;
    if (flexible < 0) {
        return lb_vec3_make(0, 0, 0);
    }
    const float *b = p->motion->bends +
                     6 * ((size_t)frame * (size_t)p->scene->flexible_count + (size_t)flexible);
    return lb_vec3_make(b[0], b[1], b[2]);
}

static lb_vec3 move(const lb_pose *X, lb_vec3 a)
{
    return lb_vec3_add(X->p, lb_mat3_mul_vec(&X->R, a));
}

static lb_vec3 get_place(const painter *p, int node, long frame)
{
    const lb_cli_scene_node *n = &p->scene->nodes[node];
    const lb_pose X = get_pose(p, n->body, frame);
    return move(&X, lb_vec3_add(n->pose.p, get_shift(p, node, frame)));
}

// ---- colours -------------------------------------------------------------------------------------

static lb_cli_paint unpack(unsigned rgb)
{
    const lb_cli_paint c = {(float)(rgb >> 16 & 255) / 255.0f, (float)(rgb >> 8 & 255) / 255.0f,
                            (float)(rgb & 255) / 255.0f};
    return c;
}

// The viewer's colours of bodies.
static lb_cli_paint get_paint(const lb_cli_shape *shape)
{
    static const unsigned bodies[] = {0x6f93c4, 0xd39b5a, 0x7fb38a, 0xb489c0,
                                      0xc98080, 0x73b3bd, 0xb9ad62, 0x9a93d6};
    if (shape->colour[0] >= 0.0) {
        const lb_cli_paint c = {(float)shape->colour[0], (float)shape->colour[1],
                                (float)shape->colour[2]};
        return c;
    }
    return unpack(shape->body < 0 ? 0x8a8f98 : bodies[shape->body % 8]);
}

lb_cli_paint lb_cli_get_heat(double x)
{
    static const unsigned stops[HEAT_STEPS + 1] = {0x3b6fb6, 0x3aa6b9, 0x6cc08b,
                                                   0xe0c040, 0xe8743b, 0xc8202f};
    const double at = fmin(fmax(x, 0.0), 0.9999) * HEAT_STEPS;
    const int i = (int)at;
    const float w = (float)(at - i);
    const lb_cli_paint a = unpack(stops[i]), b = unpack(stops[i + 1]);
    const lb_cli_paint c = {a.r + w * (b.r - a.r), a.g + w * (b.g - a.g), a.b + w * (b.b - a.b)};
    return c;
}

// Where entry i of a shape's nodes is on the scale of colours, by its value or else by its displacement: 0 is the first
// colour, 1 the last, NaN the shape's own.
static double get_level(const painter *p, const lb_cli_shape *shape, int i)
{
    if (shape->values && p->motion->values) {
        const lb_cli_scale *scale = &p->scene->scales[shape->scale];
        const double value = p->motion->values[(size_t)p->frame * (size_t)p->scene->value_count +
                                               (size_t)shape->values[i]];
        return (value - scale->low) / (scale->high - scale->low);
    }
    const bool bends = p->look->largest > 0.0 && shape->body >= 0 &&
                       lb_get_mode_count(p->scene->recording->model, shape->body) > 0;
    return bends ? lb_vec3_norm(get_shift(p, shape->nodes[i], p->frame)) / p->look->largest : NAN;
}

static lb_cli_paint get_level_paint(const lb_cli_shape *shape, double level)
{
    return isnan(level) ? get_paint(shape) : lb_cli_get_heat(level);
}

// ---- shapes --------------------------------------------------------------------------------------

static void quad(painter *p, const lb_vec3 c[4], const lb_cli_paint paints[4])
{
    lb_cli_fill_triangle(p->raster, (const lb_vec3[3]){c[0], c[1], c[2]},
                         (const lb_cli_paint[3]){paints[0], paints[1], paints[2]});
    lb_cli_fill_triangle(p->raster, (const lb_vec3[3]){c[0], c[2], c[3]},
                         (const lb_cli_paint[3]){paints[0], paints[2], paints[3]});
}

static void plain_quad(painter *p, const lb_vec3 c[4], lb_cli_paint paint)
{
    quad(p, c, (const lb_cli_paint[4]){paint, paint, paint, paint});
}

static void draw_box(painter *p, const lb_pose *X, const double *size, lb_cli_paint paint)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            lb_vec3 c[4];
            for (int k = 0; k < 4; ++k) {
                double at[3];
                at[axis] = 0.5 * side * size[axis];
                at[(axis + 1) % 3] = (k == 0 || k == 3 ? -0.5 : 0.5) * size[(axis + 1) % 3];
                at[(axis + 2) % 3] = (k < 2 ? -0.5 : 0.5) * size[(axis + 2) % 3];
                c[k] = move(X, lb_vec3_from(at));
            }
            plain_quad(p, c, paint);
        }
    }
}

// From a to b, with its own colour at each end.
static void draw_rod(painter *p, lb_vec3 a, lb_vec3 b, double radius, lb_cli_paint first,
                     lb_cli_paint last)
{
    enum { SIDES = 14 };
    const lb_mat3 R = lb_cli_turn_z_to(lb_vec3_sub(b, a));
    lb_vec3 ring[SIDES + 1];
    for (int i = 0; i <= SIDES; ++i) {
        const double angle = 2.0 * 3.14159265358979 * (i % SIDES) / SIDES;
        ring[i] = lb_mat3_mul_vec(&R, lb_vec3_make(radius * cos(angle), radius * sin(angle), 0.0));
    }
    for (int i = 0; i < SIDES; ++i) {
        const lb_vec3 c[4] = {lb_vec3_add(a, ring[i]), lb_vec3_add(a, ring[i + 1]),
                              lb_vec3_add(b, ring[i + 1]), lb_vec3_add(b, ring[i])};
        quad(p, c, (const lb_cli_paint[4]){first, first, last, last});
        lb_cli_fill_triangle(p->raster, (const lb_vec3[3]){a, c[0], c[1]},
                             (const lb_cli_paint[3]){first, first, first});
        lb_cli_fill_triangle(p->raster, (const lb_vec3[3]){b, c[2], c[3]},
                             (const lb_cli_paint[3]){last, last, last});
    }
}

// A line between two nodes of a body: a cubic that leaves and arrives as the nodes are turned.
//
// `first` is the entry of its first end in the shape's nodes.
static void draw_tube(painter *p, const lb_cli_shape *shape, int first)
{
    enum { PIECES = 8 };
    const int *ends = shape->nodes + first;
    const lb_pose X = get_pose(p, shape->body, p->frame);
    const lb_vec3 rest =
        lb_vec3_sub(p->scene->nodes[ends[1]].pose.p, p->scene->nodes[ends[0]].pose.p);
    lb_vec3 place[2], leave[2];
    const double levels[2] = {get_level(p, shape, first), get_level(p, shape, first + 1)};
    for (int k = 0; k < 2; ++k) {
        const int flexible = p->scene->nodes[ends[k]].flexible;
        place[k] = get_place(p, ends[k], p->frame);
        leave[k] = rest;
        if (flexible >= 0) {
            const float *b =
                p->motion->bends +
                6 * ((size_t)p->frame * (size_t)p->scene->flexible_count + (size_t)flexible);
            const lb_mat3 R = lb_cli_turn_by(lb_vec3_make(b[3], b[4], b[5]));
            leave[k] = lb_mat3_mul_vec(&R, rest);
        }
        leave[k] = lb_mat3_mul_vec(&X.R, leave[k]);
    }
    lb_vec3 last = place[0];
    lb_cli_paint last_paint = get_level_paint(shape, levels[0]);
    for (int i = 1; i <= PIECES; ++i) {
        const double t = (double)i / PIECES, h = t * t * (3.0 - 2.0 * t);
        lb_vec3 at = lb_vec3_axpy(place[0], h, lb_vec3_sub(place[1], place[0]));
        at = lb_vec3_axpy(at, t * (1.0 - t) * (1.0 - t), leave[0]);
        at = lb_vec3_axpy(at, t * t * (t - 1.0), leave[1]);
        const lb_cli_paint paint = get_level_paint(shape, levels[0] + t * (levels[1] - levels[0]));
        draw_rod(p, last, at, shape->size[0], last_paint, paint);
        last = at;
        last_paint = paint;
    }
}

static void draw_sphere(painter *p, lb_vec3 middle, double radius, lb_cli_paint paint)
{
    enum { ROUND = 20, RINGS = 12 };
    for (int i = 0; i < RINGS; ++i) {
        for (int j = 0; j < ROUND; ++j) {
            lb_vec3 c[4];
            for (int k = 0; k < 4; ++k) {
                const double u = 3.14159265358979 * (i + (k >= 2)) / RINGS,
                             v = 2.0 * 3.14159265358979 * (j + (k == 1 || k == 2)) / ROUND;
                c[k] = lb_vec3_axpy(middle, radius,
                                    lb_vec3_make(sin(u) * cos(v), sin(u) * sin(v), cos(u)));
            }
            plain_quad(p, c, paint);
        }
    }
}

// A triangle in pieces, so that colours between its corners are those of the values there, not a mixture of the colours
// at the corners.
static void fill_levels(painter *p, const lb_cli_shape *shape, const lb_vec3 c[3],
                        const double levels[3])
{
    const double span = fmax(fmax(fabs(levels[1] - levels[0]), fabs(levels[2] - levels[0])),
                             fabs(levels[2] - levels[1]));
    const int count = isfinite(span) ? 1 + (int)(2 * HEAT_STEPS * fmin(span, 2.0)) : 1;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 2 * (count - i) - 1; ++k) {
            // steps along the first and the second side; every other piece is upside down
            const int j = k / 2, over = k % 2;
            const int at[3][2] = {{i + over, j + over}, {i + 1, j}, {i, j + 1}};
            lb_vec3 corners[3];
            lb_cli_paint paints[3];
            for (int n = 0; n < 3; ++n) {
                const double u = (double)at[n][0] / count, v = (double)at[n][1] / count;
                corners[n] = lb_vec3_axpy(lb_vec3_axpy(c[0], u, lb_vec3_sub(c[1], c[0])), v,
                                          lb_vec3_sub(c[2], c[0]));
                paints[n] = get_level_paint(shape, levels[0] + u * (levels[1] - levels[0]) +
                                                       v * (levels[2] - levels[0]));
            }
            lb_cli_fill_triangle(p->raster, corners, paints);
        }
    }
}

static void draw_shape(painter *p, const lb_cli_shape *shape)
{
    const lb_pose X_body = get_pose(p, shape->body, p->frame),
                  X = lb_pose_mul(&X_body, &shape->pose);
    const lb_cli_paint paint = get_paint(shape);
    const lb_vec3 half = lb_vec3_make(0, 0, 0.5 * shape->size[1]);
    switch (shape->kind) {
    case LB_CLI_BOX:
        draw_box(p, &X, shape->size, paint);
        break;
    case LB_CLI_SPHERE:
        draw_sphere(p, X.p, shape->size[0], paint);
        break;
    case LB_CLI_CYLINDER:
        draw_rod(p, move(&X, lb_vec3_neg(half)), move(&X, half), shape->size[0], paint, paint);
        break;
    case LB_CLI_TUBE:
        for (int i = 0; i + 1 < shape->node_count; i += 2) {
            draw_tube(p, shape, i);
        }
        break;
    case LB_CLI_SHEET:
        for (int i = 0; i + 2 < shape->node_count; i += 3) {
            lb_vec3 c[3];
            double levels[3];
            for (int k = 0; k < 3; ++k) {
                c[k] = get_place(p, shape->nodes[i + k], p->frame);
                levels[k] = get_level(p, shape, i + k);
            }
            fill_levels(p, shape, c, levels);
        }
        break;
    case LB_CLI_MESH:
        for (int i = 0; i + 2 < shape->corner_count; i += 3) {
            lb_vec3 c[3];
            for (int k = 0; k < 3; ++k) {
                const int at = shape->corners[i + k];
                const float *v = shape->points + 3 * (at >= 0 && at < shape->point_count ? at : 0);
                c[k] = move(&X, lb_vec3_make(v[0], v[1], v[2]));
            }
            lb_cli_fill_triangle(p->raster, c, (const lb_cli_paint[3]){paint, paint, paint});
        }
        break;
    }
}

// ---- the frame -----------------------------------------------------------------------------------

static void draw_floor(painter *p)
{
    const double size = p->scene->size, step = pow(10.0, floor(log10(0.5 * size)));
    const int count = (int)fmin(20.0, ceil(1.5 * size / step));
    const lb_mat3 R = lb_cli_turn_z_to(p->look->extent.up);
    const lb_vec3 origin = lb_vec3_scale(p->look->extent.floor, p->look->extent.up);
    const lb_cli_paint paint = unpack(p->look->dark ? 0x3a4350 : 0xc4ccd6);
    for (int i = -count; i <= count; ++i) {
        const double a = i * step, b = count * step;
        const double ends[2][4] = {{a, -b, a, b}, {-b, a, b, a}};
        for (int k = 0; k < 2; ++k) {
            const lb_vec3 from = lb_mat3_mul_vec(&R, lb_vec3_make(ends[k][0], ends[k][1], 0)),
                          to = lb_mat3_mul_vec(&R, lb_vec3_make(ends[k][2], ends[k][3], 0));
            // in pieces: one behind the camera is left out
            for (int piece = 0; piece < 20; ++piece) {
                const lb_vec3 d = lb_vec3_sub(to, from);
                lb_cli_draw_line(
                    p->raster, lb_vec3_add(origin, lb_vec3_axpy(from, piece / 20.0, d)),
                    lb_vec3_add(origin, lb_vec3_axpy(from, (piece + 1) / 20.0, d)), 1.0, paint);
            }
        }
    }
}

// Rods that loops stand for: there is no body to be drawn.
static void draw_links(painter *p)
{
    const lb_cli_recording *r = p->scene->recording;
    for (int i = 0; i < lb_get_loop_count(r->model); ++i) {
        int ends[2];
        const lb_loop_info info = lb_get_loop_info(r->model, i);
        if (info.type != LB_LOOP_ROD || !lb_is_loop_active(r->work, i)) {
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            ends[k] = lb_cli_get_scene_node(p->scene, info.body[k], info.node[k]);
        }
        const lb_cli_paint paint = unpack(0x6b7480);
        const lb_vec3 a = get_place(p, ends[0], p->frame), b = get_place(p, ends[1], p->frame);
        draw_rod(p, a, b, 0.008 * p->scene->size, paint, paint);
        // seen from afar it would fall between the pixels
        lb_cli_draw_line(p->raster, a, b, 1.0, paint);
    }
}

void lb_cli_draw_frame(const lb_cli_scene *scene, const lb_cli_motion *motion, long frame,
                       const lb_cli_look *look, lb_cli_raster *raster)
{
    painter p = {scene, motion, frame, look, raster};
    lb_cli_clear_raster(raster, unpack(look->dark ? 0x14181f : 0xf4f6f9));
    if (look->extent.has_floor) {
        draw_floor(&p);
    }
    for (int i = 0; i < scene->shape_count; ++i) {
        draw_shape(&p, &scene->shapes[i]);
    }
    draw_links(&p);
    for (int i = 0; look->traces && i < scene->trace_count; ++i) {
        for (long f = 0; f < frame; ++f) {
            lb_cli_draw_line(raster, get_place(&p, scene->traces[i], f),
                             get_place(&p, scene->traces[i], f + 1), 1.0, unpack(0x2f7de0));
        }
    }
}

// ---- the camera ----------------------------------------------------------------------------------

double lb_cli_find_largest_bend(const lb_cli_scene *scene, const lb_cli_motion *motion)
{
    double largest = 0.0;
    const size_t count = (size_t)motion->frame_count * (size_t)scene->flexible_count;
    for (size_t i = 0; i < count; ++i) {
        const float *b = motion->bends + 6 * i;
        largest = fmax(largest, lb_vec3_norm(lb_vec3_make(b[0], b[1], b[2])));
    }
    return largest;
}

// How far a shape reaches from its middle along the axes of the world.
static lb_vec3 get_reach(const lb_cli_shape *shape, const lb_pose *X)
{
    const double *size = shape->size;
    if (shape->kind == LB_CLI_BOX || shape->kind == LB_CLI_SPHERE) {
        const double r =
            shape->kind == LB_CLI_BOX ? 0.5 * lb_vec3_norm(lb_vec3_from(size)) : size[0];
        return lb_vec3_make(r, r, r);
    }
    const lb_mat3 R = lb_mat3_mul(&X->R, &shape->pose.R);
    if (shape->kind == LB_CLI_MESH) {
        double reach[3];
        for (int i = 0; i < 3; ++i) {
            reach[i] = 0.5 * (fabs(R.m[i][0]) * size[0] + fabs(R.m[i][1]) * size[1] +
                              fabs(R.m[i][2]) * size[2]);
        }
        return lb_vec3_from(reach);
    }
    if (shape->kind != LB_CLI_CYLINDER) {
        return lb_vec3_make(0, 0, 0);
    }
    const double half = 0.5 * size[1], r = size[0];
    return lb_vec3_make(half * fabs(R.m[0][2]) + r, half * fabs(R.m[1][2]) + r,
                        half * fabs(R.m[2][2]) + r);
}

static void find_extent(const lb_cli_scene *s, const lb_cli_motion *m, lb_cli_extent *extent)
{
    const painter p = {.scene = s, .motion = m};
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
    extent->floor = 1e300;
    // what nodes and shapes reach, over some of the frames
    const long stride = m->frame_count / 40 + 1;
    for (long f = 0; f < m->frame_count; f += stride) {
        for (int i = 0; i < s->node_count + s->shape_count; ++i) {
            lb_vec3 at, reach = {0, 0, 0};
            if (i < s->node_count) {
                at = get_place(&p, i, f);
            } else {
                const lb_cli_shape *shape = &s->shapes[i - s->node_count];
                const lb_pose X = get_pose(&p, shape->body, f);
                at = move(&X, shape->pose.p);
                reach = get_reach(shape, &X);
            }
            const double x[3] = {at.x, at.y, at.z}, r[3] = {reach.x, reach.y, reach.z};
            for (int k = 0; k < 3; ++k) {
                low[k] = fmin(low[k], x[k] - r[k]);
                high[k] = fmax(high[k], x[k] + r[k]);
            }
            const lb_vec3 up =
                lb_vec3_make(fabs(extent->up.x), fabs(extent->up.y), fabs(extent->up.z));
            extent->floor =
                fmin(extent->floor, lb_vec3_dot(at, extent->up) - lb_vec3_dot(reach, up));
        }
    }
    extent->middle = lb_vec3_scale(0.5, lb_vec3_add(lb_vec3_from(low), lb_vec3_from(high)));
    extent->size = lb_vec3_sub(lb_vec3_from(high), lb_vec3_from(low));
    extent->floor -= 0.02 * s->size;
}

void lb_cli_find_extent(const lb_cli_scene *s, const lb_cli_motion *m, lb_cli_extent *extent)
{
    double gravity[3];
    lb_get_gravity(s->recording->model, gravity);
    const lb_vec3 g = lb_vec3_from(gravity);
    const bool falls = lb_vec3_norm(g) > 0.0;
    const lb_vec3 up = falls ? lb_vec3_scale(-1.0 / lb_vec3_norm(g), g) : lb_vec3_make(0, 0, 1);
    extent->up = up;
    extent->has_floor = falls;
    find_extent(s, m, extent);
    // across the plane in which most happens, a little from above and from the side; from above only where all is flat
    double depth[3] = {extent->size.x, extent->size.y, extent->size.z};
    const double upward[3] = {up.x, up.y, up.z};
    for (int k = 0; k < 3 && falls; ++k) {
        depth[k] *= fabs(upward[k]) > 0.9 ? 5.0 : 1.0;
    }
    const lb_vec3 least = depth[1] <= depth[0] && depth[1] <= depth[2] ? lb_vec3_make(0, -1, 0)
                          : depth[2] <= depth[0]                       ? lb_vec3_make(0, 0, 1)
                                                                       : lb_vec3_make(1, 0, 0);
    // where that is from above itself, some other direction leans it
    const bool steep = fabs(lb_vec3_dot(least, up)) > 0.9;
    const lb_vec3 other = fabs(up.z) > 0.9 ? lb_vec3_make(0, -1, 0) : lb_vec3_make(0, 0, 1);
    const lb_vec3 above = steep ? lb_vec3_scale(0.6, other) : lb_vec3_scale(0.35, up);
    const lb_vec3 way =
        lb_vec3_add(lb_vec3_add(least, above), lb_vec3_scale(0.35, lb_vec3_cross(up, least)));
    extent->way = lb_vec3_scale(1.0 / lb_vec3_norm(way), way);
}

// How far from the middle the camera must be to see all corners of the extent: in front of it, a corner may be as far aside
// as the tangent of half the angle of view times its distance. viewer/src/scene.ts does the same.
static double find_distance(const lb_cli_extent *extent, double aspect, double tangent)
{
    const lb_vec3 size = extent->size, way = extent->way;
    lb_vec3 right = lb_vec3_cross(extent->up, way);
    right = lb_vec3_scale(1.0 / lb_vec3_norm(right), right);
    const lb_vec3 above = lb_vec3_cross(way, right);
    double distance = 0.0;
    for (int i = 0; i < 8; ++i) {
        const lb_vec3 corner =
            lb_vec3_make(i & 1 ? 0.5 * size.x : -0.5 * size.x, i & 2 ? 0.5 * size.y : -0.5 * size.y,
                         i & 4 ? 0.5 * size.z : -0.5 * size.z);
        const double aside =
            fmax(fabs(lb_vec3_dot(corner, right)) / aspect, fabs(lb_vec3_dot(corner, above)));
        distance = fmax(distance, lb_vec3_dot(corner, way) + 1.05 * aside / tangent);
    }
    return distance;
}

void lb_cli_aim_at_scene(const lb_cli_scene *s, const lb_cli_extent *extent, lb_cli_raster *raster)
{
    if (s->has_camera) {
        lb_cli_aim_raster(raster, lb_vec3_from(s->from), lb_vec3_from(s->to), lb_vec3_from(s->up));
        return;
    }
    const double radius = fmax(0.5 * lb_vec3_norm(extent->size) + 0.05 * s->size, 0.2 * s->size);
    const double aspect = (double)raster->width / raster->height,
                 half_angle = 20.0 * 3.14159265358979 / 180.0,
                 distance = fmax(0.9 * radius / (sin(half_angle) * fmin(1.0, aspect)),
                                 find_distance(extent, aspect, tan(half_angle)));
    lb_cli_aim_raster(raster, lb_vec3_axpy(extent->middle, distance, extent->way), extent->middle,
                      extent->up);
}
