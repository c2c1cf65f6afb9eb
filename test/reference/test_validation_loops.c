// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Published problems of closed chains: the files of examples/, integrated, at the tolerances that
// their sources allow.
#include <math.h>
#include <stdio.h>

#include "published.h"

static void check_four_bars(const double *row, const double *found)
{
    // 1e-8: 1e-12 a step, of which every pass of a singular position, ten in all, costs two digits or so
    lb_expect_within("x, y, vx, vy, angle, rate", found, row + 1, 6, 1e-8);
}

static void four_bars_pass_their_singular_positions(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_four_bars, check_four_bars);
}

static void check_published_four_bars(const double *row, const double *found)
{
    lb_expect_within("x, y, vx, vy", found, row + 1, 4, 2e-6); // as stated
}

static void four_bars_agree_with_exudyn(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_four_bars_end, check_published_four_bars);
}

static void check_forty(const double *row, const double *found)
{
    // 1e-7 where the high precision of the benchmark is 1e-3; measured 1.7e-8
    lb_expect_within("x, y, vx, vy, angle, rate", found, row + 1, 6, 1e-7);
}

static void forty_four_bars_pass_their_singular_positions(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_four_bars_40, check_forty);
}

// Each number relative to itself.
static void expect_relative(const char *what, const double *found, const double *reference,
                            int count, double tolerance)
{
    for (int i = 0; i < count; ++i) {
        lb_expect_near(what, found[i], reference[i], tolerance);
    }
}

static void check_published_andrews(const double *row, const double *found)
{
    // what is real of the published digits
    expect_relative("angles", found, row + 1, 7, 1e-9);
    expect_relative("rates", found + 7, row + 8, 7, 1e-7);
    expect_relative("accelerations, multipliers", found + 14, row + 15, 13, 2e-6);
}

static void andrews_mechanism_agrees_with_the_test_set(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_andrews, check_published_andrews);
}

static void check_andrews(const double *row, const double *found)
{
    // the gaps stated for the reference are 1e-12, 1e-11 and 1e-10; ten times that, since ours are
    // of the same size, and small rates lose digits to large ones
    expect_relative("angles", found, row + 1, 7, 1e-11);
    expect_relative("rates", found + 7, row + 8, 7, 1e-10);
    expect_relative("accelerations, multipliers", found + 14, row + 15, 13, 1e-9);
}

static void andrews_mechanism_agrees_with_its_recomputation(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_andrews_again, check_andrews);
}

static void check_bricard(const double *row, const double *found)
{
    lb_expect_within("position, velocity", found, row + 1, 6, 1e-8); // as stated
}

static void bricard_moves_though_it_should_not(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_bricard, check_bricard);
}

static void check_slider_crank(const double *row, const double *found)
{
    // stated 1e-8; the rate at 3 s is 1e-5 of a turn sensitive to it, and the reference has ten digits
    lb_expect_within("angle", found, row + 1, 1, 1e-7);
    lb_expect_within("rate", found + 1, row + 2, 1, 1e-5);
}

static void slider_crank_speeds_up(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_slider_crank, check_slider_crank);
}

static void check_published_slider_crank(const double *row, const double *found)
{
    lb_expect_within("angle", found, row + 1, 1, 0.006);
    lb_expect_within("rate", found + 1, row + 2, 1, 0.7);
}

static void slider_crank_agrees_with_exudyn(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_slider_crank_end, check_published_slider_crank);
}

static void bars_hang_as_statics_says(void **state)
{
    (void)state;
    lb_hanging_bars bars;
    lb_compute_hanging_bars(&bars);
    lb_expect_within("angles", bars.angles, lb_hanging_angles, 3, 1e-10);
    for (int i = 0; i < 2; ++i) {
        lb_expect_near("pins", bars.pins[i], lb_hanging_pin, 1e-9);
    }
    lb_expect_near("compression", bars.compression, lb_hanging_compression, 1e-9);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bars_pass_their_singular_positions),
        cmocka_unit_test(four_bars_agree_with_exudyn),
        cmocka_unit_test(forty_four_bars_pass_their_singular_positions),
        cmocka_unit_test(andrews_mechanism_agrees_with_the_test_set),
        cmocka_unit_test(andrews_mechanism_agrees_with_its_recomputation),
        cmocka_unit_test(bricard_moves_though_it_should_not),
        cmocka_unit_test(slider_crank_speeds_up),
        cmocka_unit_test(slider_crank_agrees_with_exudyn),
        cmocka_unit_test(bars_hang_as_statics_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
