// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "measure.h"
#include "dynamics/tree/tree.h"

#include <math.h>
#include <scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lb_count lb_count_add(lb_count a, lb_count b, long sign)
{
    return (lb_count){a.multiplications + sign * b.multiplications,
                      a.additions + sign * b.additions, a.divisions + sign * b.divisions,
                      a.functions + sign * b.functions};
}

// What has been counted since the last call.
static lb_algorithm_count take(void)
{
    lb_algorithm_count count = {0};
    for (int i = 0; i < LB_COUNT_PART_COUNT; ++i) {
        count.part[i] = lb_counts[i];
        count.total = lb_count_add(count.total, lb_counts[i], 1);
    }
    memset(lb_counts, 0, sizeof lb_counts);
    return count;
}

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "counts: %s\n", what);
        exit(1);
    }
}

static lb_scene *create_scene(const lb_chain *chain)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = chain->body_count;
    options.shape = LB_SHAPE_CHAIN;
    options.hinges = LB_HINGE_BIT(LB_HINGE_REVOLUTE);
    options.shuffle = 0;
    options.plain_nodes = 1;
    options.mode_min = options.mode_max = chain->mode_count;
    options.rigid_percent = 0;
    options.rotary_inertia = chain->second_order;
    options.second_order = chain->second_order;
    options.fidelity = chain->fidelity;
    lb_scene *scene = lb_create_tree(&options, 1);
    for (int k = 0; k < chain->body_count; ++k) {
        scene->bodies[k].at = k ? 2 : 0;
        scene->bodies[k].by = chain->modes == LB_MODES_FREE_FREE ? 1 : 0;
    }
    return scene;
}

lb_chain_count lb_measure_chain(const lb_chain *chain)
{
    lb_scene *scene = create_scene(chain);
    lb_model *model = lb_build_scene(scene);
    lb_work *work = model ? lb_create_work(model) : NULL;
    require(work != NULL, "a chain could not be built");
    lb_trust_numbers(work, true); // the recursions are counted, not the check of their numbers
    const size_t n = (size_t)scene->v_count;
    double *numbers = calloc(6 * n + n * n, sizeof *numbers);
    require(numbers != NULL, "out of memory");
    double *q = numbers, *v = q + n, *tau = v + n, *a = tau + n, *b = a + n, *c = b + n;
    double *M = c + n;
    lb_random random;
    lb_seed_random(&random, 2);
    lb_draw_state(scene, &random, q, v);
    lb_draw_vector(&random, (int)n, 1.0, tau);
    // modal coordinates so small that M is positive definite whatever the shapes are
    for (int k = 0; k < chain->body_count; ++k) {
        for (int r = 0; r < chain->mode_count; ++r) {
            q[scene->bodies[k].q_offset + r] *= 0.1;
        }
    }

    lb_chain_count count;
    (void)take();
    lb_compute_articulated_inertia(model, work, q);
    count.articulated_inertia = take();
    require(lb_compute_forward_dynamics(model, work, q, v, tau, a) == LB_OK, "no forward dynamics");
    count.articulated = take();
    lb_compute_mass_matrix(model, work, q, M);
    count.mass_matrix = take();
    lb_compute_inverse_dynamics(model, work, q, v, a, c);
    count.inverse = take();
    require(lb_tree_composite(model, work, q, v, tau, M, b) == LB_OK,
            "no forward dynamics by composite bodies");
    count.composite = take();

    // 1e-7: what is counted must be right, and the conditioning of M costs some digits
    for (size_t i = 0; i < n; ++i) {
        require(fabs(a[i] - b[i]) <= 1e-7 * (1 + fabs(a[i])), "two accelerations differ");
        require(fabs(c[i] - tau[i]) <= 1e-7 * (1 + fabs(tau[i])), "inverse does not undo forward");
    }
    free(numbers);
    lb_destroy_work(work);
    lb_destroy_model(model);
    lb_destroy_scene(scene);
    return count;
}

static lb_algorithm_count subtract(lb_algorithm_count a, const lb_algorithm_count *b)
{
    for (int i = 0; i < LB_COUNT_PART_COUNT; ++i) {
        a.part[i] = lb_count_add(a.part[i], b->part[i], -1);
    }
    a.total = lb_count_add(a.total, b->total, -1);
    return a;
}

lb_chain_count lb_measure_middle(const lb_chain *chain)
{
    lb_chain one_more = *chain;
    ++one_more.body_count;
    const lb_chain_count a = lb_measure_chain(&one_more), b = lb_measure_chain(chain);
    return (lb_chain_count){subtract(a.articulated_inertia, &b.articulated_inertia),
                            subtract(a.articulated, &b.articulated),
                            subtract(a.mass_matrix, &b.mass_matrix),
                            subtract(a.inverse, &b.inverse), subtract(a.composite, &b.composite)};
}
