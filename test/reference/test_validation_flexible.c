// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Published problems of flexible bodies: the files of examples/, which examples/beams.c writes.
#include <math.h>
#include <stdlib.h>

#include "published.h"

static void arm_moves_as_lagrange_says(void **state)
{
    (void)state;
    const lb_published *problem = &lb_published_arm;
    // axial and bending coordinate of each link, tip
    static const double bounds[] = {1e-9, 1e-8, 1e-9, 1e-8, 1e-8, 1e-8};
    lb_course course = lb_begin_example(problem->example);
    lb_start_course(&course);
    for (int i = 0; i < problem->row_count; ++i) {
        const double *row = lb_get_published_row(problem, i);
        double found[LB_PUBLISHED_MAX];
        lb_go_to(&course, row[0]);
        problem->measure(&course, row + 1, found);
        for (int j = 0; j < problem->count; ++j) {
            lb_expect_within("arm", found + j, row + 1 + j, 1, bounds[j]);
        }
    }
    lb_end_course(&course);
}

static void bar_moves_as_its_modes_say(void **state)
{
    (void)state;
    const lb_published *problem = &lb_published_bar;
    lb_course course = lb_begin_example(problem->example);
    lb_start_course(&course);
    for (int i = 0; i < problem->row_count; ++i) {
        const double *row = lb_get_published_row(problem, i);
        double moved;
        lb_go_to(&course, row[0]);
        problem->measure(&course, row + 1, &moved);
        lb_expect_within("tip", &moved, row + 1, 1, 1e-10);
    }
    lb_end_course(&course);
}

static void bar_has_the_frequency_of_its_modes(void **state)
{
    (void)state;
    lb_expect_near("frequency", lb_find_bar_frequency(), lb_bar_frequency, 1e-12);
}

// By a program of its own for the same displacement field: 1e-6 is what the tolerance of the run leaves.
static void spun_up_beam_lags_as_lagrange_says(void **state)
{
    (void)state;
    const lb_published *problem = &lb_published_lag;
    lb_course course = lb_begin_example(problem->example);
    lb_choose_integrator(&course, LB_INTEGRATOR_ADAMS, 0, 1e-8, 0.0);
    lb_start_course(&course);
    for (int i = 0; i < problem->row_count; ++i) {
        const double *row = lb_get_published_row(problem, i);
        double lag;
        lb_go_to(&course, row[0]);
        problem->measure(&course, row + 1, &lag);
        lb_expect_within("lag", &lag, row + 1, 1, 1e-6);
    }
    lb_end_course(&course);
}

// In six bodies, each of which bends little, the beam lags as one that is nonlinear throughout: 0.57379 m
// at 6.76 s by Hermite elements.
static void spun_up_beam_in_pieces_lags_as_published(void **state)
{
    (void)state;
    double peak[2];
    const double published[2] = {-0.57379, 6.76};
    lb_find_largest_lag("spin_up_pieces.yaml", "piece5", 4, peak);
    lb_expect_within("lag", &peak[0], &published[0], 1, 5e-5);
    lb_expect_within("time", &peak[1], &published[1], 1, 0.01);
}

static void spun_up_beam_diverges_without_second_order(void **state)
{
    (void)state;
    char *text = lb_read_spin_up_without_second_order();
    double lag;
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, LB_INTEGRATOR_ADAMS, 0, 1e-6, 0.0);
    lb_start_course(&course);
    lb_go_to(&course, 9.0);
    lb_published_lag.measure(&course, NULL, &lag);
    // half the length and growing, where the true lag is 0.46 m
    assert_true(fabs(lag) > 5.0);
    lb_end_course(&course);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_moves_as_lagrange_says),
        cmocka_unit_test(bar_moves_as_its_modes_say),
        cmocka_unit_test(bar_has_the_frequency_of_its_modes),
        cmocka_unit_test(spun_up_beam_lags_as_lagrange_says),
        cmocka_unit_test(spun_up_beam_in_pieces_lags_as_published),
        cmocka_unit_test(spun_up_beam_diverges_without_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
