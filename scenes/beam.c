// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Slender beams that bend in two planes, with the foreshortening that goes with it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene_parts.h"

// Bending shape of a beam of unit length: value, slope and curvature at x. Modes come in pairs of
// the same shape, in the planes xy and xz.
typedef struct lb_bending {
    double w, slope, curvature;
} lb_bending;

// Clamped at x = 0: 1 - cos(a x). Free at both ends: cos(a x) + sin(a x) / 2, so that ends move and
// turn.
static lb_bending lb_get_bending(int free_free, int mode, double x)
{
    const double pi = 3.14159265358979323846;
    const int k = mode / 2 + 1;
    if (free_free) {
        const double a = k * pi, w = cos(a * x) + 0.5 * sin(a * x);
        return (lb_bending){w, a * (0.5 * cos(a * x) - sin(a * x)), -a * a * w};
    }
    const double a = (k - 0.5) * pi;
    return (lb_bending){1.0 - cos(a * x), a * sin(a * x), a * a * cos(a * x)};
}

// Adds the integrals of w_r'w_s' and w_r''w_s'' from x to x + length, r and s in one plane, by the
// midpoint rule: any numbers make a model, these make one that behaves like a beam.
static void lb_integrate_bending(const lb_scene_beam_options *options, double x, double length,
                                 double *slopes, double *curvatures, lb_bending *at)
{
    enum { PARTS = 8 };
    const int n = options->mode_count;
    for (int i = 0; i < PARTS; ++i) {
        for (int r = 0; r < n; ++r) {
            at[r] = lb_get_bending(options->free_free, r, x + length * (i + 0.5) / PARTS);
        }
        for (int r = 0; r < n; ++r) {
            for (int s = r % 2; s < n; s += 2) {
                slopes[r * n + s] += at[r].slope * at[s].slope * length / PARTS;
                curvatures[r * n + s] += at[r].curvature * at[s].curvature * length / PARTS;
            }
        }
    }
}

lb_scene_beam_options lb_default_scene_beam(void)
{
    lb_scene_beam_options options = {0};
    options.mode_count = 4;
    options.node_count = 10;
    options.second_order = 1;
    options.bending_stiffness = 4.0;
    return options;
}

lb_scene_flex *lb_create_beam(const lb_scene_beam_options *options)
{
    const int n = options->mode_count, count = options->node_count;
    const size_t m = (size_t)n, nodes = (size_t)count;
    lb_scene_flex *flex = lb_scene_allocate(1, sizeof *flex);
    flex->use_count = 1;
    flex->nodes = lb_scene_allocate(nodes, sizeof *flex->nodes);
    flex->names = lb_scene_allocate(nodes, sizeof *flex->names);
    flex->numbers = lb_scene_allocate(6 * nodes * m + m * m, sizeof *flex->numbers);
    flex->second_order = lb_scene_allocate(nodes * m * (m + 1) / 2, sizeof *flex->second_order);
    double *stiffness = flex->numbers + 6 * m * nodes;
    double *slopes = lb_scene_allocate(m * m, sizeof *slopes);
    lb_bending *at = lb_scene_allocate(m, sizeof *at);
    lb_second_order *entry = flex->second_order;

    // a rod of 1 kg and 1 m, 5 cm thick, cut into as many pieces as there are nodes
    const double step = 1.0 / (count - 1), mass = 1.0 / count, thick = mass * 0.025 * 0.025;
    for (int j = 0; j < count; ++j) {
        lb_flex_node *node = &flex->nodes[j];
        *node = lb_default_flex_node();
        node->name = lb_get_scene_node_name(j + 1, flex->names[j]);
        node->position[0] = j * step;
        node->mass = mass;
        node->inertia[0] = thick / 2;
        node->inertia[1] = node->inertia[2] = thick / 4 + mass * step * step / 12;
        double *shape = flex->numbers + 6 * m * (size_t)j;
        node->shape = shape;
        for (int r = 0; r < n; ++r) {
            // in the plane xy a slope turns about z, in xz about -y
            const lb_bending b = lb_get_bending(options->free_free, r, j * step);
            shape[6 * r + (r % 2 == 0 ? 2 : 1)] = r % 2 == 0 ? b.slope : -b.slope;
            shape[6 * r + (r % 2 == 0 ? 4 : 5)] = b.w;
        }
        // foreshortening: what the slopes so far take from the length
        node->second_order = entry;
        for (int r = 0; options->second_order && r < n; ++r) {
            for (int s = r; s < n; s += 2) {
                *entry++ = (lb_second_order){r, s, {-slopes[r * n + s], 0, 0}};
                ++node->second_order_count;
            }
        }
        if (j + 1 < count) {
            lb_integrate_bending(options, j * step, step, slopes, stiffness, at);
        }
    }
    for (int i = 0; i < n * n; ++i) {
        stiffness[i] *= options->bending_stiffness;
    }
    free(slopes);
    free(at);
    flex->options = lb_default_flex_options();
    flex->options.fidelity = options->fidelity;
    flex->options.mode_count = n;
    flex->options.node_count = count;
    flex->options.nodes = flex->nodes;
    flex->options.stiffness = stiffness;
    return flex;
}

lb_scene *lb_create_beam_chain(const lb_scene_beam_options *options, int link_count)
{
    // the rigid chain's hinges, between the ends of beams that all share one description
    lb_scene *scene = lb_create_revolute_chain(link_count);
    lb_scene_flex *beam = lb_create_beam(options);
    beam->use_count = link_count;
    for (int k = 0; k < link_count; ++k) {
        scene->bodies[k].flex = beam;
        scene->bodies[k].at = k > 0 ? options->node_count : 0;
        scene->bodies[k].by = options->free_free ? 1 : 0;
    }
    lb_count_scene(scene);
    return scene;
}
