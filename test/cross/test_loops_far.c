// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of a spacecraft do not know where it is: in an orbit they close to the same digits as at the
// origin, where 7e6 m would take away nine of them.
#include <stdlib.h>

#include "check.h"
#include "dynamics/loops/closed_chain.h"

enum { LOOPS = 8 }; // enough for hubs

// A random tree on a free base, with loops between its bodies.
static lb_trial begin(int i)
{
    lb_tree_options options = lb_get_mixed_tree(i);
    options.root_hinges = LB_HINGE_BIT(LB_HINGE_FREE);
    options.root_count = 1;
    options.body_count = options.body_count < 3 ? 3 : options.body_count;
    const uint64_t seed = lb_get_base_seed() * 1000003u + (uint64_t)i;
    lb_scene *scene = lb_create_tree(&options, seed);
    lb_random random;
    lb_seed_random(&random, seed + 31);
    lb_draw_loops(scene, &random, LOOPS);
    int count = 0;
    for (int l = 0; l < scene->loop_count; ++l) {
        const lb_scene_loop *loop = &scene->loops[l];
        if (loop->body[0] != LB_GROUND && loop->body[1] != LB_GROUND) {
            scene->loops[count++] = *loop;
        }
    }
    scene->loop_count = count;
    return lb_begin_scene_trial(scene, seed);
}

static void loops_are_the_same_in_an_orbit(void **state)
{
    (void)state;
    enum { MOST = 6 * LOOPS };
    int judged = 0;
    for (int i = 0; i < 60; ++i) {
        lb_trial t = begin(i);
        const int n = t.model ? lb_get_loop_capacity(t.model) : 0;
        double error[2][MOST] = {{0}}, force[2][MOST] = {{0}}, *a[2];
        lb_status status[2] = {LB_OK, LB_OK};
        for (int far = 0; n && far < 2; ++far) {
            a[far] = lb_make_numbers((size_t)lb_get_v_count(t.model));
            for (int k = 0; far && k < t.scene->body_count; ++k) {
                const lb_scene_body *b = &t.scene->bodies[k];
                for (int c = 4; b->parent == LB_GROUND && c < 7; ++c) {
                    t.q[b->hinge_q + c] += 7e6;
                }
            }
            status[far] =
                lb_closed_forward(t.model, t.work, t.q, t.v, NULL, NULL, a[far], NULL, force[far]);
            if (status[far] >= LB_OK) {
                lb_expect_ok(lb_compute_loop_errors(t.model, t.work, t.q, error[far], NULL));
            }
        }
        if (n) {
            assert_int_equal(status[0], status[1]);
            assert_memory_equal(error[0], error[1], sizeof error[0]);
            assert_memory_equal(force[0], force[1], sizeof force[0]);
            assert_memory_equal(a[0], a[1], (size_t)lb_get_v_count(t.model) * sizeof *a[0]);
            judged += status[0] >= LB_OK;
            free(a[0]);
            free(a[1]);
        }
        lb_end_trial(&t);
    }
    assert_true(judged > 40);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops_are_the_same_in_an_orbit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
