// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints of scenes, and mechanisms with loops.
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
