// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_parts.h"

// fixed, revolute, prismatic, screw, cylindrical, universal, planar, translational, spherical, free
const int lb_scene_hinge_q_count[LB_HINGE_TYPE_COUNT] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 7};
const int lb_scene_hinge_v_count[LB_HINGE_TYPE_COUNT] = {0, 1, 1, 1, 2, 2, 3, 3, 3, 6};

void *lb_scene_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

lb_tree_options lb_default_tree_options(void)
{
    lb_tree_options options = {0};
    options.body_count = 6;
    options.root_count = 1;
    options.shape = LB_SHAPE_RANDOM;
    options.hinges = LB_ALL_HINGES;
    options.shuffle = 1;
    options.gravity = 9.81;
    return options;
}

// An empty scene: frames at the identity, bodies massless and fixed.
static lb_scene *lb_create_scene(int body_count)
{
    lb_scene *scene = lb_scene_allocate(1, sizeof *scene);
    scene->body_count = body_count;
    scene->bodies = lb_scene_allocate((size_t)body_count, sizeof *scene->bodies);
    for (int n = 0; n < LB_SCENE_NODE_COUNT; ++n) {
        scene->ground[n].rotation[0] = 1.0;
        for (int k = 0; k < body_count; ++k) {
            scene->bodies[k].nodes[n].rotation[0] = 1.0;
        }
    }
    for (int k = 0; k < body_count; ++k) {
        scene->bodies[k].parent = LB_GROUND;
    }
    return scene;
}

static void scale_numbers(size_t count, double factor, double *x)
{
    for (size_t i = 0; i < count; ++i) {
        x[i] *= factor;
    }
}

void lb_scale_scene(lb_scene *scene, double size)
{
    scale_numbers(3, size, scene->gravity);
    for (int i = 0; i < LB_SCENE_NODE_COUNT; ++i) {
        scale_numbers(3, size, scene->ground[i].position);
    }
    for (int k = 0; k < scene->body_count; ++k) {
        lb_scene_body *b = &scene->bodies[k];
        b->hinge.pitch *= size;
        scale_numbers(3, size, b->com);
        scale_numbers(6, size * size, b->inertia);
        for (int i = 0; i < LB_SCENE_NODE_COUNT; ++i) {
            scale_numbers(3, size, b->nodes[i].position);
        }
        if (!b->flex) {
            continue;
        }
        const int modes = b->flex->options.mode_count, nodes = b->flex->options.node_count;
        for (int j = 0; j < nodes; ++j) {
            lb_flex_node *node = &b->flex->nodes[j];
            scale_numbers(3, size, node->position);
            scale_numbers(3, size, node->offset);
            scale_numbers(6, size * size, node->inertia);
            for (int r = 0; r < modes; ++r) {
                scale_numbers(3, size, b->flex->numbers + 6 * (j * modes + r) + 3);
            }
            for (int i = 0; i < node->second_order_count; ++i) {
                scale_numbers(3, size, b->flex->second_order[j * node->second_order_count + i].g);
            }
        }
        scale_numbers((size_t)(2 * modes * modes), size * size,
                      b->flex->numbers + (size_t)(6 * nodes * modes));
    }
}

void lb_destroy_scene(lb_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    for (int k = 0; k < scene->body_count; ++k) {
        lb_destroy_scene_flex(scene->bodies[k].flex);
    }
    free(scene->bodies);
    free(scene->loops);
    free(scene);
}

void lb_count_scene(lb_scene *scene)
{
    scene->q_count = scene->v_count = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        lb_scene_body *body = &scene->bodies[k];
        const int modes = body->flex != NULL ? body->flex->options.mode_count : 0;
        body->q_offset = scene->q_count;
        body->v_offset = scene->v_count;
        body->hinge_q = body->q_offset + modes;
        body->hinge_v = body->v_offset + modes;
        scene->q_count += modes + lb_scene_hinge_q_count[body->hinge.type];
        scene->v_count += modes + lb_scene_hinge_v_count[body->hinge.type];
    }
}

// ---- random parts ------------------------------------------------------------------------------

static void lb_draw_hinge(lb_random *random, unsigned set, lb_hinge_options *hinge)
{
    do {
        hinge->type = (lb_hinge_type)lb_draw_index(random, LB_HINGE_TYPE_COUNT);
    } while ((set & LB_HINGE_BIT(hinge->type)) == 0);

    // axes of any length; the two of a universal hinge at least 30 degrees apart
    const double length = lb_draw_uniform(random, 0.5, 2.0);
    double cosine;
    lb_draw_direction(random, hinge->axis);
    do {
        cosine = 0.0;
        lb_draw_direction(random, hinge->axes[0]);
        lb_draw_direction(random, hinge->axes[1]);
        for (int i = 0; i < 3; ++i) {
            cosine += hinge->axes[0][i] * hinge->axes[1][i];
        }
    } while (fabs(cosine) > 0.85);
    for (int i = 0; i < 3; ++i) {
        hinge->axis[i] *= length;
        hinge->axes[0][i] *= length;
    }
    hinge->pitch = lb_draw_uniform(random, -0.5, 0.5);
}

void lb_draw_inertia(lb_random *random, double mass, double size, double inertia[6])
{
    // four mass points in a box, taken about the box's centre: always a possible inertia
    memset(inertia, 0, 6 * sizeof *inertia);
    for (int i = 0; i < 4; ++i) {
        double r[3];
        lb_draw_vector(random, 3, size, r);
        inertia[0] += 0.25 * mass * (r[1] * r[1] + r[2] * r[2]);
        inertia[1] += 0.25 * mass * (r[0] * r[0] + r[2] * r[2]);
        inertia[2] += 0.25 * mass * (r[0] * r[0] + r[1] * r[1]);
        inertia[3] -= 0.25 * mass * r[0] * r[1];
        inertia[4] -= 0.25 * mass * r[0] * r[2];
        inertia[5] -= 0.25 * mass * r[1] * r[2];
    }
    // and a ball, so that no direction is without inertia
    for (int i = 0; i < 3; ++i) {
        inertia[i] += 0.1 * mass * size * size;
    }
}

static void lb_draw_rigid_body(lb_random *random, lb_scene_body *body)
{
    body->mass = lb_draw_uniform(random, 0.5, 2.0);
    lb_draw_vector(random, 3, 0.3, body->com);
    lb_draw_inertia(random, body->mass, 0.4, body->inertia);
    for (int n = 1; n < LB_SCENE_NODE_COUNT; ++n) {
        lb_draw_vector(random, 3, 0.5, body->nodes[n].position);
        lb_draw_quaternion(random, body->nodes[n].rotation);
    }
}

// Parent of the i-th body, among those before it.
static int lb_draw_parent(lb_random *random, const lb_tree_options *options, int i)
{
    const int roots = options->root_count > 0 ? options->root_count : 1;
    if (i < roots) {
        return LB_GROUND;
    }
    switch (options->shape) {
    case LB_SHAPE_CHAIN:
        return i - roots;
    case LB_SHAPE_STAR:
        return lb_draw_index(random, roots);
    case LB_SHAPE_DEEP:
        return i - 1 - lb_draw_index(random, i < 3 ? i : 3);
    case LB_SHAPE_WIDE: {
        const int few = (int)sqrt((double)options->body_count) + roots;
        return lb_draw_index(random, i < few ? i : few);
    }
    default:
        return lb_draw_index(random, i);
    }
}

static int lb_count_scene_nodes(const lb_scene_body *body)
{
    return body->flex != NULL ? body->flex->options.node_count + 1 : LB_SCENE_NODE_COUNT;
}

// ---- scenes ------------------------------------------------------------------------------------

lb_scene *lb_create_tree(const lb_tree_options *options, uint64_t seed)
{
    const int n = options->body_count;
    lb_random random;
    lb_seed_random(&random, seed);
    lb_scene *scene = lb_create_scene(n);

    double up[3];
    lb_draw_direction(&random, up);
    for (int i = 0; i < 3; ++i) {
        scene->gravity[i] = options->gravity * up[i];
    }
    for (int i = 1; i < LB_SCENE_NODE_COUNT; ++i) {
        lb_draw_vector(&random, 3, 1.0, scene->ground[i].position);
        lb_draw_quaternion(&random, scene->ground[i].rotation);
    }

    // place[i]: where the i-th body, parents first, is listed
    int *place = lb_scene_allocate((size_t)n, sizeof *place);
    for (int i = 0; i < n; ++i) {
        place[i] = i;
    }
    for (int i = n - 1; options->shuffle && i > 0; --i) {
        const int j = lb_draw_index(&random, i + 1), t = place[i];
        place[i] = place[j];
        place[j] = t;
    }

    for (int i = 0; i < n; ++i) {
        lb_scene_body *body = &scene->bodies[place[i]];
        const int before = lb_draw_parent(&random, options, i);
        body->parent = before == LB_GROUND ? LB_GROUND : place[before];
        const int root = before == LB_GROUND && options->root_hinges != 0;
        lb_draw_hinge(&random, root ? options->root_hinges : options->hinges, &body->hinge);
        lb_draw_rigid_body(&random, body);
        if (options->mode_max > 0 && lb_draw_index(&random, 100) >= options->rigid_percent) {
            body->flex = lb_draw_scene_flex(&random, options);
        }
        if (!options->plain_nodes) {
            body->at = lb_draw_index(
                &random, before == LB_GROUND ? LB_SCENE_NODE_COUNT
                                             : lb_count_scene_nodes(&scene->bodies[body->parent]));
            // a cantilever holds its own hinge at the frame, which does not deform
            if (body->flex == NULL || options->free_free) {
                body->by = lb_draw_index(&random, lb_count_scene_nodes(body));
            }
        }
    }
    free(place);
    lb_count_scene(scene);
    return scene;
}

lb_scene *lb_create_revolute_chain(int link_count)
{
    lb_scene *scene = lb_create_scene(link_count);
    scene->gravity[2] = -9.81;
    for (int k = 0; k < link_count; ++k) {
        // a rod of 0.1 m along x, its hinge axis a quarter turn from the one before and a bit skew
        lb_scene_body *link = &scene->bodies[k];
        link->parent = k - 1;
        link->at = k > 0 ? 1 : 0;
        link->hinge.type = LB_HINGE_REVOLUTE;
        link->hinge.axis[1 + k % 2] = 1.0;
        link->hinge.axis[0] = 0.1;
        link->mass = 1.0;
        link->com[0] = 0.05;
        link->inertia[0] = 1e-3;
        link->inertia[1] = link->inertia[2] = 1.5e-3;
        link->nodes[1].position[0] = 0.1;
    }
    lb_count_scene(scene);
    return scene;
}

lb_scene *lb_create_hard_chain(lb_hard_chain kind, int link_count)
{
    lb_scene *scene = lb_create_revolute_chain(link_count);
    lb_random random;
    lb_seed_random(&random, 9);
    for (int k = 0; k < link_count; ++k) {
        lb_scene_body *link = &scene->bodies[k];
        double mass = 1.0, inertia = 1.0;
        if (kind != LB_HARD_NONE && kind != LB_HARD_WILD) {
            link->hinge.axis[0] = link->hinge.axis[1] = 0.0;
            link->hinge.axis[2] = 1.0;
        }
        if (kind == LB_HARD_TINY) {
            inertia = 1e-8;
        } else if (kind == LB_HARD_RATIO && k % 2) {
            mass = inertia = 1e-4;
        } else if (kind == LB_HARD_WILD) {
            mass = pow(10, lb_draw_uniform(&random, -4, 4));
            inertia = mass * pow(10, lb_draw_uniform(&random, -3, 0));
        }
        link->mass *= mass;
        for (int i = 0; i < 6; ++i) {
            link->inertia[i] *= inertia;
        }
    }
    return scene;
}

lb_scene *lb_create_single_body(lb_hinge_type type, double gravity, uint64_t seed)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 1;
    options.hinges = LB_HINGE_BIT(type);
    options.gravity = gravity;
    return lb_create_tree(&options, seed);
}

// ---- to the library ----------------------------------------------------------------------------

const char *lb_get_scene_node_name(int node, char name[16])
{
    if (node == 0) {
        return "origin";
    }
    snprintf(name, 16, "n%d", node);
    return name;
}

static lb_status lb_add_scene_nodes(lb_builder *builder, int body, const lb_scene_node *nodes)
{
    for (int n = 1; n < LB_SCENE_NODE_COUNT; ++n) {
        char name[16];
        const lb_status status = lb_add_node(builder, body, lb_get_scene_node_name(n, name),
                                             nodes[n].position, nodes[n].rotation);
        if (status < 0) {
            return status;
        }
    }
    return LB_OK;
}

static lb_status lb_add_scene_body(lb_builder *builder, const lb_scene *scene, int k)
{
    const lb_scene_body *body = &scene->bodies[k];
    char name[16], parent[16], at[16], by[16];
    lb_body_options options = lb_default_body_options();
    snprintf(name, sizeof name, "b%d", k);
    snprintf(parent, sizeof parent, "b%d", body->parent);
    options.name = name;
    options.parent = body->parent == LB_GROUND ? "ground" : parent;
    options.at = lb_get_scene_node_name(body->at, at);
    options.by = lb_get_scene_node_name(body->by, by);
    options.hinge = body->hinge;
    if (body->flex != NULL) {
        options.flex = &body->flex->options;
    } else {
        options.mass = body->mass;
        memcpy(options.com, body->com, sizeof options.com);
        memcpy(options.inertia, body->inertia, sizeof options.inertia);
    }
    int index;
    lb_status status = lb_add_body(builder, &options, &index);
    if (status == LB_OK && body->flex == NULL) {
        status = lb_add_scene_nodes(builder, index, body->nodes);
    }
    return status;
}

// A scene that the builder refuses is a mistake in the scene: say which.
static void lb_print_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    if (diagnostic->severity == LB_SEVERITY_ERROR) {
        fprintf(stderr, "scene: %s: %s\n", diagnostic->path, diagnostic->message);
    }
}

lb_model *lb_build_scene(const lb_scene *scene)
{
    const lb_report report = {lb_print_diagnostic, NULL};
    lb_model *model = NULL;
    lb_builder *builder = lb_create_builder(NULL, &report);
    if (builder == NULL) {
        return NULL;
    }
    lb_set_elimination(builder, scene->elimination);
    lb_status status = lb_set_model_name(builder, "scene");
    if (status == LB_OK) {
        status = lb_set_gravity(builder, scene->gravity);
    }
    if (status == LB_OK) {
        status = lb_add_scene_nodes(builder, LB_GROUND, scene->ground);
    }
    for (int k = 0; status == LB_OK && k < scene->body_count; ++k) {
        status = lb_add_scene_body(builder, scene, k);
    }
    for (int l = 0; status == LB_OK && l < scene->loop_count; ++l) {
        status = lb_add_scene_loop(builder, scene, l);
    }
    if (status == LB_OK) {
        status = lb_set_spare_loops(builder, scene->spare_count, 3);
    }
    if (status == LB_OK) {
        status = lb_build_model(builder, &model);
    }
    lb_destroy_builder(builder);
    return status < 0 ? NULL : model;
}

lb_model *lb_build_unlike_chain(int body_count, int mode_count, lb_fidelity fidelity, uint64_t seed)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = body_count;
    options.shape = LB_SHAPE_CHAIN;
    options.hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
    options.shuffle = 0;
    options.plain_nodes = 1;
    options.mode_min = options.mode_max = mode_count;
    options.rigid_percent = mode_count ? 0 : 100;
    options.fidelity = fidelity;
    lb_scene *scene = lb_create_tree(&options, seed);
    for (int k = 0; k < body_count; ++k) {
        scene->bodies[k].at = k ? 2 : 0;
        scene->bodies[k].by = 0;
    }
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    return model;
}

void lb_draw_state(const lb_scene *scene, lb_random *random, double *q, double *v)
{
    const double pi = 3.14159265358979323846;
    lb_draw_vector(random, scene->v_count, 1.0, v);
    for (int k = 0; k < scene->body_count; ++k) {
        const lb_scene_body *body = &scene->bodies[k];
        double *p = q + body->q_offset;
        if (body->flex != NULL) {
            lb_draw_vector(random, body->flex->options.mode_count, 0.1, p);
            p += body->flex->options.mode_count;
        }
        lb_draw_vector(random, lb_scene_hinge_q_count[body->hinge.type], 1.0, p);
        switch (body->hinge.type) {
        case LB_HINGE_REVOLUTE:
        case LB_HINGE_SCREW:
        case LB_HINGE_CYLINDRICAL:
            p[0] *= pi;
            break;
        case LB_HINGE_UNIVERSAL:
            p[0] *= pi;
            p[1] *= pi;
            break;
        case LB_HINGE_PLANAR:
            p[2] *= pi;
            break;
        case LB_HINGE_SPHERICAL:
        case LB_HINGE_FREE:
            lb_draw_quaternion(random, p);
            break;
        default:
            break;
        }
    }
}
