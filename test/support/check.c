// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The trial that is running, so that a failure can name its seed.
static uint64_t lb_current_seed;

double lb_get_gap(const double *x, const double *reference, size_t count)
{
    double difference = 0.0, size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const double d = fabs(x[i] - reference[i]);
        if (!isfinite(d)) {
            return HUGE_VAL;
        }
        difference = fmax(difference, d);
        size = fmax(size, fabs(reference[i]));
    }
    return size > 0.0 ? difference / size : difference;
}

void lb_expect_close_at(const char *what, const double *x, const double *reference, size_t count,
                        double tolerance, const char *file, int line)
{
    const double gap = lb_get_gap(x, reference, count);
    if (!(gap <= tolerance)) {
        print_error("%s: relative gap %.3g, allowed %.3g (seed %llu)\n", what, gap, tolerance,
                    (unsigned long long)lb_current_seed);
        _fail(file, line);
    }
}

void lb_expect_within_at(const char *what, const double *x, const double *reference, size_t count,
                         double bound, const char *file, int line)
{
    for (size_t i = 0; i < count; ++i) {
        lb_expect_below_at(what, x[i] - reference[i], bound, file, line);
    }
}

void lb_expect_near_at(const char *what, double x, double reference, double tolerance,
                       const char *file, int line)
{
    lb_expect_close_at(what, &x, &reference, 1, tolerance, file, line);
}

void lb_expect_below_at(const char *what, double x, double bound, const char *file, int line)
{
    if (!(fabs(x) <= bound)) {
        print_error("%s: %.3g, allowed %.3g (seed %llu)\n", what, x, bound,
                    (unsigned long long)lb_current_seed);
        _fail(file, line);
    }
}

double *lb_make_numbers(size_t count)
{
    double *numbers = calloc(count > 0 ? count : 1, sizeof *numbers);
    assert_non_null(numbers);
    return numbers;
}

uint64_t lb_get_base_seed(void)
{
    static int printed;
    const char *text = getenv("LB_SEED");
    const uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;
    if (!printed) {
        print_message("seed %llu (LB_SEED)\n", (unsigned long long)seed);
        printed = 1;
    }
    return seed;
}

lb_trial lb_begin_trial(const lb_tree_options *options, uint64_t number)
{
    const uint64_t seed = lb_get_base_seed() * 1000003u + number;
    return lb_begin_scene_trial(lb_create_tree(options, seed), seed);
}

lb_trial lb_begin_scene_trial(lb_scene *scene, uint64_t seed)
{
    lb_trial trial = {0};
    lb_current_seed = trial.seed = seed;
    trial.scene = scene;
    trial.model = lb_build_scene(scene);
    assert_non_null(trial.model);
    trial.work = lb_create_work(trial.model);
    assert_non_null(trial.work);
    // dense: not of large models
    if (scene->v_count <= 1000) {
        trial.derivatives = lb_create_derivative_work(trial.model);
        assert_non_null(trial.derivatives);
    }
    trial.body_count = scene->body_count;
    trial.q_count = scene->q_count;
    trial.v_count = scene->v_count;
    assert_int_equal(lb_get_q_count(trial.model), trial.q_count);
    assert_int_equal(lb_get_v_count(trial.model), trial.v_count);
    trial.q = lb_make_numbers((size_t)trial.q_count);
    trial.v = lb_make_numbers((size_t)trial.v_count);
    trial.a = lb_make_numbers((size_t)trial.v_count);
    trial.tau = lb_make_numbers((size_t)trial.v_count);
    // a stream of its own, so that the state does not repeat the numbers of the tree
    lb_seed_random(&trial.random, ~seed);
    lb_draw_state(scene, &trial.random, trial.q, trial.v);
    lb_draw_vector(&trial.random, trial.v_count, 1.0, trial.a);
    lb_draw_vector(&trial.random, trial.v_count, 5.0, trial.tau);
    return trial;
}

void lb_end_trial(lb_trial *trial)
{
    free(trial->q);
    free(trial->v);
    free(trial->a);
    free(trial->tau);
    lb_destroy_derivative_work(trial->derivatives);
    lb_destroy_work(trial->work);
    lb_destroy_model(trial->model);
    lb_destroy_scene(trial->scene);
}

lb_tree_options lb_get_small_tree(int n)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 1 + n % 9;
    options.root_count = 1 + (n / 9) % 3;
    options.shape = (lb_shape)(n % LB_SHAPE_COUNT);
    return options;
}

lb_tree_options lb_get_flexible_tree(int n)
{
    lb_tree_options options = lb_get_small_tree(n);
    options.mode_min = 1;
    options.mode_max = 5;
    options.rigid_percent = 30;
    options.free_free = n % 2;
    options.rotary_inertia = n / 2 % 2;
    options.second_order = n / 4 % 2;
    return options;
}

lb_tree_options lb_get_mixed_tree(int n)
{
    return n % 2 != 0 ? lb_get_flexible_tree(n / 2) : lb_get_small_tree(n / 2);
}

lb_trial lb_begin_loop_trial(int n, int loops, int spare, int consistent)
{
    lb_tree_options options = lb_get_mixed_tree(n);
    options.mixed_fidelity = !consistent;
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)n;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 177);
    lb_draw_loops(scene, &random, loops);
    scene->spare_count = spare;
    return lb_begin_scene_trial(scene, seed);
}

void lb_add_vector(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] += s * x[i];
    }
}

double lb_multiply_vectors(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

double lb_get_largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}
