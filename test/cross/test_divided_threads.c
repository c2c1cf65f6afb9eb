// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer by pieces and by threads: the same bits as in one go. Also run under the thread
// sanitizer.
#include <limber/openmp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "dynamics/divide/division.h"

// Pieces of a stage in any order, each by itself, and by a team of threads at once.
static void any_number_of_pieces_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) {
        lb_tree_options options = lb_get_mixed_tree(i);
        options.body_count = 50 + 60 * i;
        options.shape = (lb_shape)(i % LB_SHAPE_COUNT);
        lb_trial t = lb_begin_trial(&options, (uint64_t)i);
        const size_t n = (size_t)t.v_count;
        double *a = lb_make_numbers(n);
        lb_division_options division_options = lb_default_division_options();
        division_options.run_length = 4;
        division_options.thread_count = 7;
        lb_division *division;
        lb_expect_ok(lb_create_division(t.model, &division_options, &division));
        lb_expect_ok(lb_divided_forward(t.model, t.work, division, t.q, t.v, t.tau, t.a));
        const lb_division_report one = *lb_see_division_report(division);
        for (int pieces = 2; pieces <= 7; ++pieces) {
            memset(a, 0, n * sizeof *a);
            lb_begin_division(t.model, t.work, division, t.q, t.v, NULL, t.tau, NULL, a);
            for (int stage = 0; stage < lb_get_division_stage_count(division); ++stage) {
                for (int piece = pieces - 1; piece >= 0; --piece) {
                    lb_run_division_stage(t.model, t.work, division, stage, piece, pieces);
                }
            }
            lb_expect_ok(lb_end_division(t.model, t.work, division));
            assert_memory_equal(a, t.a, n * sizeof *a);
            assert_memory_equal(&one, lb_see_division_report(division), sizeof one);
        }
        for (int threads = 2; threads <= 7; ++threads) {
            memset(a, 0, n * sizeof *a);
            const lb_team team = lb_make_openmp_team(threads);
            lb_expect_ok(lb_divided_by_team(t.model, t.work, division, &team, t.q, t.v, NULL, t.tau,
                                            NULL, a));
            assert_memory_equal(a, t.a, n * sizeof *a);
        }
        lb_destroy_division(division);
        free(a);
        lb_end_trial(&t);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_pieces_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
