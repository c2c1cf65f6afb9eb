// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Random flexible bodies: nodes with mode shapes that no structure ever had. What holds for these
// holds for any.
#include <stdlib.h>

#include "scene_parts.h"

// A random symmetric positive definite matrix: scale (A A' / n + 1/2 I).
static void lb_draw_definite(lb_random *random, int n, double scale, double *K)
{
    double *A = lb_scene_allocate((size_t)n * (size_t)n, sizeof *A);
    lb_draw_vector(random, n * n, 1.0, A);
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s <= r; ++s) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) {
                sum += A[r * n + i] * A[s * n + i];
            }
            K[r * n + s] = K[s * n + r] = scale * (sum / n + (r == s ? 0.5 : 0.0));
        }
    }
    free(A);
}

lb_scene_flex *lb_draw_scene_flex(lb_random *random, const lb_tree_options *options)
{
    const int modes =
        options->mode_min + lb_draw_index(random, options->mode_max - options->mode_min + 1);
    // three translations a node must hold the modes and six rigid motions apart
    const int few = modes / 3 + 4, pairs = modes * (modes + 1) / 2;
    const int nodes = options->node_count > 0 ? options->node_count : few;
    const size_t m = (size_t)modes, n = (size_t)nodes;
    lb_scene_flex *flex = lb_scene_allocate(1, sizeof *flex);
    flex->use_count = 1;
    flex->options = lb_default_flex_options();
    flex->options.fidelity = options->fidelity;
    if (options->mixed_fidelity) {
        const lb_fidelity all[] = {LB_FIDELITY_CONSISTENT, LB_FIDELITY_RUTHLESS,
                                   LB_FIDELITY_APPENDIX_C};
        flex->options.fidelity = all[lb_draw_index(random, 3)];
    }
    const int second_order =
        options->second_order && flex->options.fidelity == LB_FIDELITY_CONSISTENT;
    flex->nodes = lb_scene_allocate(n, sizeof *flex->nodes);
    flex->names = lb_scene_allocate(n, sizeof *flex->names);
    flex->numbers = lb_scene_allocate(6 * n * m + 2 * m * m, sizeof *flex->numbers);
    if (second_order) {
        flex->second_order = lb_scene_allocate(n * (size_t)pairs, sizeof *flex->second_order);
    }

    for (int j = 0; j < nodes; ++j) {
        lb_flex_node *node = &flex->nodes[j];
        *node = lb_default_flex_node();
        node->name = lb_get_scene_node_name(j + 1, flex->names[j]);
        lb_draw_vector(random, 3, 0.5, node->position);
        lb_draw_quaternion(random, node->rotation);
        node->mass = lb_draw_uniform(random, 0.1, 0.5);
        if (options->rotary_inertia) {
            lb_draw_vector(random, 3, 0.1, node->offset);
            lb_draw_inertia(random, node->mass, 0.1, node->inertia);
        }
        double *shape = flex->numbers + 6 * m * (size_t)j;
        lb_draw_vector(random, 6 * modes, 1.0, shape);
        node->shape = shape;
        if (second_order) {
            lb_second_order *entry = flex->second_order + (size_t)j * (size_t)pairs;
            node->second_order = entry;
            node->second_order_count = pairs;
            for (int r = 0; r < modes; ++r) {
                for (int s = r; s < modes; ++s, ++entry) {
                    entry->r = r;
                    entry->s = s;
                    lb_draw_vector(random, 3, 1.0, entry->g);
                }
            }
        }
    }

    double *stiffness = flex->numbers + 6 * m * n, *damping = stiffness + m * m;
    lb_draw_definite(random, modes, 50.0, stiffness);
    lb_draw_definite(random, modes, 0.5, damping);
    flex->options.mode_count = modes;
    flex->options.node_count = nodes;
    flex->options.nodes = flex->nodes;
    flex->options.stiffness = stiffness;
    flex->options.damping = options->undamped ? NULL : damping;
    return flex;
}

void lb_destroy_scene_flex(lb_scene_flex *flex)
{
    if (flex == NULL || --flex->use_count > 0) {
        return;
    }
    free(flex->nodes);
    free(flex->names);
    free(flex->numbers);
    free(flex->second_order);
    free(flex);
}
