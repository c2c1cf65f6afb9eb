// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints of scenes, and mechanisms with loops.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_parts.h"

static const char *lb_get_scene_body_name(int body, char name[16])
{
    snprintf(name, 16, "b%d", body);
    return body == LB_GROUND ? "ground" : name;
}

lb_status lb_add_scene_loop(lb_builder *builder, const lb_scene *scene, int loop)
{
    const lb_scene_loop *l = &scene->loops[loop];
    char name[16], bodies[3][16], nodes[2][16], reached[3][16];
    const char *reach[3];
    lb_coupler_term terms[3];
    lb_loop_options options = lb_default_loop_options();
    snprintf(name, sizeof name, "l%d", loop);
    options.name = name;
    options.type = l->type;
    options.body_a = lb_get_scene_body_name(l->body[0], bodies[0]);
    options.body_b = lb_get_scene_body_name(l->body[1], bodies[1]);
    options.node_a = lb_get_scene_node_name(l->node[0], nodes[0]);
    options.node_b = lb_get_scene_node_name(l->node[1], nodes[1]);
    memcpy(options.axis, l->axis, sizeof options.axis);
    options.length = l->length;
    options.driven = l->driven;
    options.as_assembled = l->as_assembled;
    for (int i = 0; i < l->term_count; ++i) {
        terms[i] = (lb_coupler_term){lb_get_scene_body_name(l->term_body[i], bodies[i]),
                                     l->coordinate[i], l->factor[i]};
    }
    options.terms = terms;
    options.term_count = l->term_count;
    options.term_capacity = l->term_capacity;
    for (int i = 0; i < l->reach_count; ++i) {
        reach[i] = lb_get_scene_body_name(l->reach[i], reached[i]);
    }
    options.reach = reach;
    options.reach_count = l->reach_count;
    options.reach_all = l->reach_all;
    return lb_add_loop(builder, &options, NULL);
}

// A relation between up to three coordinates; none if the tree has none to relate.
static int lb_draw_coupler(lb_scene *scene, lb_random *random, lb_scene_loop *l)
{
    const int wanted = 1 + lb_draw_index(random, 3);
    l->type = LB_LOOP_COUPLER;
    l->term_count = 0;
    for (int attempt = 0; attempt < 20 && l->term_count < wanted; ++attempt) {
        const int k = lb_draw_index(random, scene->body_count);
        const lb_hinge_type hinge = scene->bodies[k].hinge.type;
        const int n = lb_scene_hinge_v_count[hinge];
        int fresh = n > 0 && n == lb_scene_hinge_q_count[hinge];
        const int coordinate = fresh ? lb_draw_index(random, n) : 0;
        for (int i = 0; i < l->term_count; ++i) {
            fresh = fresh && !(l->term_body[i] == k && l->coordinate[i] == coordinate);
        }
        if (fresh) {
            l->term_body[l->term_count] = k;
            l->coordinate[l->term_count] = coordinate;
            l->factor[l->term_count++] = lb_draw_uniform(random, 0.5, 2.0);
        }
    }
    return l->term_count > 0;
}

static int lb_count_scene_nodes(const lb_scene *scene, int body)
{
    return body != LB_GROUND && scene->bodies[body].flex
               ? scene->bodies[body].flex->options.node_count + 1
               : LB_SCENE_NODE_COUNT;
}

void lb_draw_loops(lb_scene *scene, lb_random *random, int count)
{
    scene->loops = lb_scene_allocate((size_t)count, sizeof *scene->loops);
    scene->loop_count = 0;
    for (int i = 0; i < count; ++i) {
        lb_scene_loop *l = &scene->loops[scene->loop_count];
        *l = (lb_scene_loop){.type = (lb_loop_type)lb_draw_index(random, LB_LOOP_TYPE_COUNT)};
        if (l->type == LB_LOOP_COUPLER) {
            scene->loop_count += lb_draw_coupler(scene, random, l);
            continue;
        }
        l->body[0] = lb_draw_index(random, scene->body_count + 1) - 1;
        do {
            l->body[1] = lb_draw_index(random, scene->body_count + 1) - 1;
        } while (l->body[1] == l->body[0]);
        for (int s = 0; s < 2; ++s) {
            l->node[s] = lb_draw_index(random, lb_count_scene_nodes(scene, l->body[s]));
        }
        lb_draw_direction(random, l->axis);
        l->length = 1.0;
        l->driven = lb_draw_index(random, 4) == 0;
        ++scene->loop_count;
    }
}

// A bar of 1 kg along x on a hinge about y, with nodes at both ends.
static lb_scene_body lb_make_bar(int parent, int at, double length)
{
    lb_scene_body bar = {.parent = parent, .at = at, .by = 1, .mass = 1.0};
    bar.hinge.type = LB_HINGE_REVOLUTE;
    bar.hinge.axis[1] = 1.0;
    bar.com[0] = 0.5 * length;
    bar.inertia[0] = 1e-3;
    bar.inertia[1] = bar.inertia[2] = length * length / 12.0;
    for (int n = 0; n < LB_SCENE_NODE_COUNT; ++n) {
        bar.nodes[n].rotation[0] = 1.0;
    }
    bar.nodes[2].position[0] = length;
    return bar;
}

// Cranks and rockers stand upright at zero, couplers lie level between them; shared ones go back and
// forth between the two places on the ground.
lb_scene *lb_create_four_bars(int n, lb_loop_type type, int shared)
{
    lb_scene *scene = lb_scene_allocate(1, sizeof *scene);
    const double left[4] = {0.70710678118654752, 0, -0.70710678118654752, 0}; // about y
    const double right[4] = {0.70710678118654752, 0, 0.70710678118654752, 0};
    scene->gravity[2] = -9.81;
    for (int i = 0; i < LB_SCENE_NODE_COUNT; ++i) {
        scene->ground[i].rotation[0] = 1.0;
    }
    memcpy(scene->ground[1].rotation, left, sizeof left);
    memcpy(scene->ground[2].rotation, left, sizeof left);
    scene->ground[2].position[0] = 2.0;
    scene->bodies = lb_scene_allocate((size_t)(3 * n), sizeof *scene->bodies);
    scene->loops = lb_scene_allocate((size_t)n, sizeof *scene->loops);
    for (int i = 0; i < n; ++i) {
        const int back = shared && i % 2;  // from the second place to the first
        int crank = scene->body_count - 1; // the rocker of the one before
        if (i == 0 || !shared) {
            crank = scene->body_count++;
            scene->bodies[crank] = lb_make_bar(LB_GROUND, 1, 1.0);
        }
        memcpy(scene->bodies[crank].nodes[2].rotation, back ? left : right, sizeof left);
        const int coupler = scene->body_count++, rocker = scene->body_count++;
        scene->bodies[coupler] = lb_make_bar(crank, 2, 2.0);
        scene->bodies[rocker] = lb_make_bar(LB_GROUND, back ? 1 : 2, 1.0);
        lb_scene_loop *l = &scene->loops[scene->loop_count++];
        *l = (lb_scene_loop){.type = type, .body = {coupler, rocker}, .node = {2, 2}};
        l->axis[1] = 1.0;
    }
    lb_count_scene(scene);
    return scene;
}

lb_scene *lb_create_flyer(int n, lb_loop_type type)
{
    lb_scene *scene = lb_create_four_bars(n, type, 0);
    lb_scene_body *bodies = lb_scene_allocate((size_t)(3 * n + 1), sizeof *bodies);
    memset(scene->gravity, 0, sizeof scene->gravity);
    // the base in place of the ground, and everybody one further
    bodies[0] = (lb_scene_body){.parent = LB_GROUND, .mass = 50.0};
    bodies[0].hinge.type = LB_HINGE_FREE;
    bodies[0].inertia[0] = bodies[0].inertia[1] = bodies[0].inertia[2] = 20.0;
    memcpy(bodies[0].nodes, scene->ground, sizeof scene->ground);
    for (int k = 0; k < 3 * n; ++k) {
        bodies[k + 1] = scene->bodies[k];
        bodies[k + 1].parent = scene->bodies[k].parent == LB_GROUND ? 0 : bodies[k + 1].parent + 1;
    }
    for (int l = 0; l < n; ++l) {
        ++scene->loops[l].body[0];
        ++scene->loops[l].body[1];
    }
    free(scene->bodies);
    scene->bodies = bodies;
    ++scene->body_count;
    lb_count_scene(scene);
    return scene;
}

// A turn that takes the x axis to a direction (of any length).
static void lb_turn_x_to(const double d[3], double rotation[4])
{
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double w = length + d[0], norm = sqrt(w * w + d[1] * d[1] + d[2] * d[2]);
    rotation[0] = w / norm;
    rotation[1] = 0.0;
    rotation[2] = -d[2] / norm;
    rotation[3] = d[1] / norm;
}

lb_scene *lb_create_platform(int n, lb_loop_type type)
{
    lb_scene *scene = lb_scene_allocate(1, sizeof *scene);
    const double feet[3][3] = {{0, 0, 0}, {1.5, 0, 0}, {0.75, 1.3, 0}};
    const double joints[3][3] = {{0, 0, 0}, {-0.5, 0.87, 0}, {0.5, 0.87, 0}};
    const double place[3] = {0.75, -0.1, 1.0}; // of the platform
    scene->gravity[2] = -9.81;
    scene->bodies = lb_scene_allocate((size_t)(2 * n + 1), sizeof *scene->bodies);
    scene->loops = lb_scene_allocate((size_t)n, sizeof *scene->loops);
    lb_scene_body *top = &scene->bodies[scene->body_count++];
    *top = (lb_scene_body){.parent = LB_GROUND, .mass = 10.0, .com = {0, 0.5, 0}};
    top->hinge.type = LB_HINGE_FREE;
    top->inertia[0] = top->inertia[1] = 4.0;
    top->inertia[2] = 2.0;
    for (int i = 0; i < LB_SCENE_NODE_COUNT; ++i) {
        scene->ground[i].rotation[0] = top->nodes[i].rotation[0] = 1.0;
        memcpy(scene->ground[i].position, feet[i], sizeof feet[i]);
        memcpy(top->nodes[i].position, joints[i], sizeof joints[i]);
    }
    for (int i = 0; i < n; ++i) {
        const int foot = i % 3, joint = (i / 2 + 1) % 3;
        double d[3], length = 0.0;
        for (int c = 0; c < 3; ++c) {
            d[c] = place[c] + joints[joint][c] - feet[foot][c];
            length += d[c] * d[c];
        }
        length = sqrt(length);
        // the lower half turns about two axes at the foot, the upper one slides along it
        const int lower = scene->body_count++, upper = scene->body_count++;
        scene->bodies[lower] = lb_make_bar(LB_GROUND, foot, 0.5 * length);
        scene->bodies[upper] = lb_make_bar(lower, 2, 0.5 * length);
        lb_scene_body *b = &scene->bodies[lower];
        b->hinge = (lb_hinge_options){.type = LB_HINGE_UNIVERSAL};
        b->hinge.axes[0][0] = b->hinge.axes[1][1] = 1.0;
        lb_turn_x_to(d, b->nodes[1].rotation);
        for (int c = 1; c < 4; ++c) {
            b->nodes[1].rotation[c] = -b->nodes[1].rotation[c]; // of the foot in the leg
        }
        b = &scene->bodies[upper];
        b->hinge = (lb_hinge_options){.type = LB_HINGE_PRISMATIC, .axis = {1, 0, 0}};
        scene->loops[scene->loop_count++] = (lb_scene_loop){
            .type = type, .body = {upper, 0}, .node = {2, joint}, .axis = {1, 0, 0}, .length = 1.0};
    }
    lb_count_scene(scene);
    return scene;
}

void lb_place_platform(const lb_scene *scene, double *q)
{
    double *top = q + scene->bodies[0].hinge_q;
    top[4] = 0.75;
    top[5] = -0.1;
    top[6] = 1.0;
}
