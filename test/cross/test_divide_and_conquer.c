// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer against the articulated recursion: the same accelerations by another road.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"
#include "dynamics/tree/tree.h"

static lb_division *make_division(const lb_model *model, int run_length, int thread_count)
{
    lb_division_options options = lb_default_division_options();
    options.run_length = run_length;
    options.thread_count = thread_count;
    lb_division *division;
    lb_expect_ok(lb_create_division(model, &options, &division));
    return division;
}

// Accelerations and what the workspace holds of the motion, both ways.
static void expect_same(lb_trial *t, int run_length, double tolerance)
{
    const size_t n = (size_t)t->v_count, bodies = (size_t)t->body_count;
    double *a = lb_make_numbers(n), *reaction = lb_make_numbers(12 * bodies);
    lb_division *division = make_division(t->model, run_length, 1);
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, t->tau, t->a));
    lb_expect_ok(lb_compute_reactions(t->model, t->work, NULL, reaction));
    lb_expect_ok(lb_divided_forward(t->model, t->work, division, t->q, t->v, t->tau, a));
    lb_expect_close("accelerations", a, t->a, n, tolerance);
    // reactions read accelerations, velocities and inertias of every body
    lb_expect_ok(lb_compute_reactions(t->model, t->work, NULL, reaction + 6 * bodies));
    lb_expect_close("reactions", reaction + 6 * bodies, reaction, 6 * bodies, tolerance);
    assert_int_equal(lb_solve_mass_matrix(t->model, t->work, t->tau, a), LB_E_STAGE);

    // NULL stands for zero
    lb_expect_ok(lb_compute_forward_dynamics(t->model, t->work, t->q, t->v, NULL, t->a));
    lb_expect_ok(lb_divided_forward(t->model, t->work, division, t->q, t->v, NULL, a));
    lb_expect_close("without forces", a, t->a, n, tolerance);
    lb_destroy_division(division);
    free(a);
    free(reaction);
}

static void small_trees_of_every_hinge_and_fidelity(void **state)
{
    (void)state;
    for (int i = 0; i < 400; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.mixed_fidelity = i % 4 == 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        // 1e-11: cond(M) up to 1e4
        expect_same(&t, 1 + i % 3, 1e-11);
        lb_end_trial(&t);
    }
}

static void longer_trees_of_every_shape(void **state)
{
    (void)state;
    for (int i = 0; i < 60; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.body_count = 20 + 7 * i;
        options.shape = (lb_shape)(i % LB_SHAPE_COUNT);
        options.mixed_fidelity = 1;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        // 1e-9: hundreds of bodies, cond(M) up to 1e6
        expect_same(&t, 1 << i % 5, 1e-9);
        lb_end_trial(&t);
    }
}

static void driven_hinges(void **state)
{
    (void)state;
    for (int i = 0; i < 300; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.body_count += i % 30;
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n), *tau = lb_make_numbers(n);
        unsigned char *driven = calloc((size_t)t.body_count, 1);
        assert_non_null(driven);
        for (int k = 0; k < t.body_count; ++k) {
            driven[k] = (unsigned char)(lb_draw_index(&t.random, 3) == 0);
        }
        memcpy(a, t.a, n * sizeof *a);
        memcpy(tau, t.tau, n * sizeof *tau);
        lb_division *division = make_division(t.model, 1 + i % 5, 1);
        lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, t.tau, t.a));
        lb_expect_ok(lb_divided_hybrid(t.model, t.work, division, t.q, t.v, driven, tau, a));
        // 1e-10: tens of bodies, cond(M) up to 1e5
        lb_expect_close("accelerations", a, t.a, n, 1e-10);
        lb_expect_close("forces", tau, t.tau, n, 1e-10);
        lb_destroy_division(division);
        free(driven);
        free(a);
        free(tau);
        lb_end_trial(&t);
    }
}

// ---- levels ------------------------------------------------------------------------------------

static void expect_levels(lb_scene *scene, int run_length, double bound)
{
    lb_model *model = lb_build_scene(scene);
    assert_non_null(model);
    lb_division *division = make_division(model, run_length, 1);
    const int depth = lb_get_division_depth(division);
    if (depth > bound || lb_get_division_level_count(division) > depth) {
        fail_msg("%d bodies, runs of %d: depth %d, levels %d, bound %g", scene->body_count,
                 run_length, depth, lb_get_division_level_count(division), bound);
    }
    lb_destroy_division(division);
    lb_destroy_model(model);
    lb_destroy_scene(scene);
}

static const int run_lengths[] = {1, 2, 0}; // 0: the default

static void levels_grow_with_the_logarithm(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof run_lengths / sizeof *run_lengths; ++r) {
        const int run = run_lengths[r];
        for (int n = 2; n <= 20000; n = 3 * n - 1) {
            const double log_n = log2(n);
            expect_levels(lb_create_revolute_chain(n), run, 2 * log_n + 4);
            lb_tree_options options = lb_default_tree_options();
            options.body_count = n;
            options.shape = LB_SHAPE_RANDOM;
            expect_levels(lb_create_tree(&options, (uint64_t)n), run, 4 * log_n + 8);
            options.shape = LB_SHAPE_DEEP;
            expect_levels(lb_create_tree(&options, (uint64_t)n), run, 4 * log_n + 8);
        }
    }
}

// ---- accuracy ----------------------------------------------------------------------------------

static void hard_chains_keep_their_digits_or_say_so(void **state)
{
    (void)state;
    static const int counts[] = {30, 1000, 32768};
    for (int kind = 0; kind < LB_HARD_COUNT; ++kind) {
        // the longest where the other form breaks down
        for (int i = 0; i < (kind == LB_HARD_STRAIGHT ? 3 : 2); ++i) {
            lb_trial t =
                lb_begin_scene_trial(lb_create_hard_chain((lb_hard_chain)kind, counts[i]), 3);
            const size_t n = (size_t)t.v_count;
            double *a = lb_make_numbers(n);
            for (int j = 0; j < t.q_count; ++j) {
                t.q[j] *= 1e-3;
            }
            for (int run = 1; run <= 8; run *= 8) {
                lb_division *division = make_division(t.model, run, 1);
                lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
                const lb_status status =
                    lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, a);
                const lb_division_report report = *lb_see_division_report(division);
                if (status == LB_NEWS_FALLBACK) {
                    // only the last kind is too much, and then the answer is the other road's
                    assert_int_equal(kind, LB_HARD_WILD);
                    assert_true(report.fallback);
                    lb_expect_close("fallback", a, t.a, n, 0.0);
                } else {
                    // 1e-10: what both roads lose of cond(M), far below the 1e-8 that is promised
                    lb_expect_ok(status);
                    lb_expect_close("hard chain", a, t.a, n, 1e-10);
                }
                lb_destroy_division(division);
            }
            free(a);
            lb_end_trial(&t);
        }
    }
}

// Where the check is shut, the wild chain is wrong by more than it may be: the check is needed, and
// what it reports is not less than the error.
static void the_check_sees_what_is_lost(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_hard_chain(LB_HARD_WILD, 1000), 3);
    const size_t n = (size_t)t.v_count;
    double *a = lb_make_numbers(n);
    lb_division_options options = lb_default_division_options();
    options.run_length = 1;
    options.tolerance = INFINITY;
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, &options, &division));
    lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
    lb_expect_ok(lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, a));
    const lb_division_report report = *lb_see_division_report(division);
    const double error = lb_get_gap(a, t.a, n);
    assert_true(error > 1e-9);
    assert_true(fmax(report.shift, report.gap) > error);
    lb_destroy_division(division);
    free(a);
    lb_end_trial(&t);
}

// The fallback reads tau, not what happens to be where the forces of driven hinges go.
static void the_fallback_reads_tau(void **state)
{
    (void)state;
    lb_trial t = lb_begin_scene_trial(lb_create_revolute_chain(20), 4);
    const size_t n = (size_t)t.v_count;
    double *a = lb_make_numbers(n), *tau = lb_make_numbers(n), *drive = lb_make_numbers(n);
    unsigned char driven[20] = {[3] = 1, [11] = 1};
    lb_division_options options = lb_default_division_options();
    options.tolerance = 0.0; // no result is good enough
    lb_division *division;
    lb_expect_ok(lb_create_division(t.model, &options, &division));
    memcpy(a, t.a, n * sizeof *a);
    memcpy(tau, t.tau, n * sizeof *tau);
    lb_expect_ok(lb_tree_hybrid(t.model, t.work, t.q, t.v, driven, tau, a));
    for (size_t i = 0; i < n; ++i) {
        drive[i] = 1e3;
    }
    lb_begin_division(t.model, t.work, division, t.q, t.v, driven, t.tau, drive, t.a);
    for (int i = 0; i < lb_get_division_stage_count(division); ++i) {
        lb_run_division_stage(t.model, t.work, division, i, 0, 1);
    }
    assert_int_equal(lb_end_division(t.model, t.work, division), LB_NEWS_FALLBACK);
    assert_memory_equal(t.a, a, n * sizeof *a);
    assert_true(drive[3] == tau[3] && drive[11] == tau[11]);
    lb_destroy_division(division);
    free(a);
    free(tau);
    free(drive);
    lb_end_trial(&t);
}

static void run_stages(lb_trial *t, lb_division *division, int first, int end)
{
    for (int i = first; i < end; ++i) {
        lb_run_division_stage(t->model, t->work, division, i, 0, 1);
    }
}

// A residual that is not a number, at any entry and in any run, is followed by finite ones. None of them may take its
// place. The accelerations are known by then, so that nothing else becomes NaN.
static void the_check_keeps_what_is_not_a_number(void **state)
{
    (void)state;
    lb_tree_options options = lb_default_tree_options();
    options.body_count = 14;
    options.mode_max = 2;
    lb_trial t = lb_begin_trial(&options, 5);
    double *a = lb_make_numbers((size_t)t.v_count);
    for (int length = 1; length <= 9; length += 4) {
        lb_division *division = make_division(t.model, length, 1);
        const int levels = lb_get_division_level_count(division), down = 1 + 3 * levels;
        const int count = lb_get_division_stage_count(division);
        for (int i = 0; i < t.v_count; ++i) {
            const double kept = t.tau[i];
            lb_begin_division(t.model, t.work, division, t.q, t.v, NULL, t.tau, NULL, a);
            run_stages(&t, division, 0, down);
            t.tau[i] = NAN;
            run_stages(&t, division, down, count);
            // the fallback finds it in tau
            assert_int_equal(lb_end_division(t.model, t.work, division), LB_E_NUMBER);
            t.tau[i] = kept;
            const lb_division_report report = *lb_see_division_report(division);
            assert_true(isnan(report.shift) && report.fallback);
        }
        // runs are summed up in the same way
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        for (int n = 0; n < division->schedule.node_count; ++n) {
            for (int i = 0; division->schedule.first[n] >= 0 && i < 3; ++i) {
                lb_begin_division(t.model, t.work, division, t.q, t.v, NULL, t.tau, NULL, a);
                run_stages(&t, division, 0, count);
                lb_segment *s = &division->segments[n];
                *(i < 2 ? &s->gap[i] : &s->shift) = NAN;
                assert_int_equal(lb_end_division(t.model, t.work, division), LB_NEWS_FALLBACK);
                lb_expect_close("fallback", a, t.a, (size_t)t.v_count, 0.0);
            }
        }
        lb_destroy_division(division);
    }
    free(a);
    lb_end_trial(&t);
}

// ---- bodies without inertia --------------------------------------------------------------------

// Massless links on fixed and on moving hinges, as robots have them: the articulated recursion needs
// only what is outboard of them, and so does this.
static void massless_links(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 40;
        options.shape = i % 2 ? LB_SHAPE_CHAIN : LB_SHAPE_DEEP;
        options.hinges = LB_HINGE_BIT(LB_HINGE_FIXED) | LB_HINGE_BIT(LB_HINGE_REVOLUTE);
        lb_scene *scene = lb_create_tree(&options, (uint64_t)i);
        lb_random random;
        lb_seed_random(&random, (uint64_t)i);
        int *children = calloc((size_t)scene->body_count, sizeof *children);
        assert_non_null(children);
        for (int k = 0; k < scene->body_count; ++k) {
            if (scene->bodies[k].parent >= 0) {
                ++children[scene->bodies[k].parent];
            }
        }
        for (int k = 0; k < scene->body_count; ++k) {
            if (children[k] > 0 && lb_draw_index(&random, 4) == 0) {
                scene->bodies[k].mass = 0.0;
                memset(scene->bodies[k].inertia, 0, sizeof scene->bodies[k].inertia);
            }
        }
        free(children);
        lb_trial t = lb_begin_scene_trial(scene, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n);
        lb_division *division = make_division(t.model, 1 + i % 4, 1);
        const lb_status articulated =
            lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a);
        const lb_status divided = lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, a);
        if (articulated == LB_OK) {
            assert_true(divided == LB_OK || divided == LB_NEWS_FALLBACK);
            // 1e-8: what the algorithm promises; massless links can make M as bad as they like
            lb_expect_close("massless", a, t.a, n, 1e-8);
        } else {
            assert_int_equal(divided, articulated);
        }
        lb_destroy_division(division);
        free(a);
        lb_end_trial(&t);
    }
}

// ---- memory ----------------------------------------------------------------------------------------

typedef struct purse {
    long left, open;
} purse;

static void *spend(void *user, size_t size)
{
    purse *p = user;
    if (p->left-- <= 0) {
        return NULL;
    }
    ++p->open;
    return malloc(size);
}

static void give_back(void *user, void *memory)
{
    purse *p = user;
    p->open -= memory != NULL;
    free(memory);
}

// Each allocation made to fail in turn: NULL, and nothing kept.
static void creation_gives_up_cleanly(void **state)
{
    (void)state;
    purse p = {.left = 1000000};
    const lb_allocator allocator = {spend, give_back, &p};
    lb_builder *builder = lb_create_builder(&allocator, NULL);
    assert_non_null(builder);
    for (int k = 0; k < 40; ++k) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "b%d", k);
        snprintf(parent, sizeof parent, "b%d", k - 1);
        lb_body_options body = lb_default_body_options();
        body.name = name;
        body.parent = k > 0 ? parent : NULL;
        body.hinge.type = LB_HINGE_REVOLUTE;
        body.hinge.axis[2] = 1.0;
        body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
        lb_expect_ok(lb_add_body(builder, &body, NULL));
    }
    lb_model *model = NULL;
    lb_expect_ok(lb_build_model(builder, &model));
    lb_destroy_builder(builder);
    const long before = p.open;
    lb_division *division = NULL;
    for (int enough = 0; !division; ++enough) {
        assert_true(enough < 1000);
        p.left = enough;
        if (lb_create_division(model, NULL, &division) != LB_OK) {
            assert_null(division);
            assert_int_equal(p.open, before);
        }
    }
    lb_destroy_division(division);
    assert_int_equal(p.open, before);
    p.left = 0;
    lb_destroy_model(model);
    assert_int_equal(p.open, 0);
}

static void large_trees(void **state)
{
    (void)state;
    for (int shape = 0; shape < 3; ++shape) {
        static const lb_shape shapes[] = {LB_SHAPE_CHAIN, LB_SHAPE_RANDOM, LB_SHAPE_DEEP};
        lb_tree_options options = lb_default_tree_options();
        options.body_count = 100000;
        options.shape = shapes[shape];
        lb_trial t = lb_begin_trial(&options, (uint64_t)shape);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n);
        lb_division *division = make_division(t.model, 8, 1);
        lb_expect_ok(lb_compute_forward_dynamics(t.model, t.work, t.q, t.v, t.tau, t.a));
        const lb_status status = lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, a);
        assert_true(status == LB_OK || status == LB_NEWS_FALLBACK);
        lb_expect_close("100,000 bodies", a, t.a, n, 1e-8);
        lb_destroy_division(division);
        free(a);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_trees_of_every_hinge_and_fidelity),
        cmocka_unit_test(longer_trees_of_every_shape),
        cmocka_unit_test(driven_hinges),
        cmocka_unit_test(levels_grow_with_the_logarithm),
        cmocka_unit_test(hard_chains_keep_their_digits_or_say_so),
        cmocka_unit_test(the_check_sees_what_is_lost),
        cmocka_unit_test(the_fallback_reads_tau),
        cmocka_unit_test(the_check_keeps_what_is_not_a_number),
        cmocka_unit_test(massless_links),
        cmocka_unit_test(creation_gives_up_cleanly),
        cmocka_unit_test(large_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
