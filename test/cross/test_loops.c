// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops against dense matrices (dense_loops.h).
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dense_loops.h"

static int count_judged;

static void compare(lb_trial *t, const unsigned char *held, const unsigned char *active)
{
    count_judged += lb_compare_with_dense_loops(t, held, active);
}

static lb_trial begin(int i, int loops)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.mixed_fidelity = 1;
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)i;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 77);
    lb_draw_loops(scene, &random, 1 + lb_draw_index(&random, loops));
    lb_trial t = lb_begin_scene_trial(scene, seed);
    // loops see ruthless bodies undeformed, the motion of nodes does not: none of it here
    for (int k = 0; k < t.body_count; ++k) {
        const lb_scene_body *b = &scene->bodies[k];
        if (b->flex && b->flex->options.fidelity == LB_FIDELITY_RUTHLESS) {
            memset(t.q + b->q_offset, 0, (size_t)b->flex->options.mode_count * sizeof *t.q);
        }
    }
    return t;
}

static void loops_of_every_type_agree_with_dense_matrices(void **state)
{
    (void)state;
    count_judged = 0;
    const unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 300; ++i) {
        lb_trial t = begin(i, 4);
        compare(&t, NULL, all);
        lb_end_trial(&t);
    }
    print_message("%d of 300 judged\n", count_judged);
    assert_true(count_judged > 150);
}

// Every loop twice, and the first once more: what they carry is shared by least norm.
static void repeated_loops_share_their_forces(void **state)
{
    (void)state;
    count_judged = 0;
    const unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 200; ++i) {
        lb_trial t = begin(i, 2);
        lb_scene *scene = t.scene;
        const int count = scene->loop_count;
        if (count == 0) { // a relation of coordinates, where there are none
            lb_end_trial(&t);
            continue;
        }
        lb_destroy_work(t.work);
        lb_destroy_model(t.model);
        scene->loops = realloc(scene->loops, (size_t)(2 * count + 1) * sizeof *scene->loops);
        assert_non_null(scene->loops);
        for (int l = 0; l <= count; ++l) {
            scene->loops[count + l] = scene->loops[l % count];
        }
        scene->loop_count = 2 * count + 1;
        t.model = lb_build_scene(scene);
        t.work = lb_create_work(t.model);
        assert_non_null(t.work);
        compare(&t, NULL, all);
        lb_end_trial(&t);
    }
    print_message("%d of 200 judged\n", count_judged);
    assert_true(count_judged > 100);
}

// Four-bars in space by revolute loops, three of five rows redundant: side by side, and in a row.
static void four_bars_agree_with_dense_matrices(void **state)
{
    (void)state;
    count_judged = 0;
    const unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 20; ++i) {
        lb_trial t = lb_begin_scene_trial(lb_create_four_bars(1 + i % 6, LB_LOOP_REVOLUTE, i % 2),
                                          (uint64_t)i);
        compare(&t, NULL, all);
        int rows, rank;
        lb_expect_ok(lb_factor_loops(t.model, t.work, t.q, NULL));
        assert_true(lb_get_redundant_row_count(t.work) > 0);
        lb_expect_ok(lb_get_loop_rank(t.model, t.work, &rows, &rank, NULL));
        assert_int_equal(rows, 5 * t.scene->loop_count);
        assert_int_equal(rank, 2 * t.scene->loop_count);
        lb_end_trial(&t);
    }
    assert_int_equal(count_judged, 20);
}

static void driven_hinges_and_loops_agree_with_dense_matrices(void **state)
{
    (void)state;
    count_judged = 0;
    const unsigned char all[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 300; ++i) {
        lb_trial t = begin(i, 4);
        unsigned char held[9] = {0};
        for (int k = 0; k < t.body_count; ++k) {
            held[k] = (unsigned char)(lb_draw_index(&t.random, 3) == 0);
        }
        compare(&t, held, all);
        lb_end_trial(&t);
    }
    print_message("%d of 300 judged\n", count_judged);
    assert_true(count_judged > 150);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_every_type_agree_with_dense_matrices),
        cmocka_unit_test(repeated_loops_share_their_forces),
        cmocka_unit_test(four_bars_agree_with_dense_matrices),
        cmocka_unit_test(driven_hinges_and_loops_agree_with_dense_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
