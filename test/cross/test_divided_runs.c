// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs by divide and conquer against runs by the articulated recursion.
#include <stdlib.h>
#include <string.h>

#include "course.h"

// The largest difference of coordinates and speeds on the way, relative to the largest of each kind.
//
// Tolerance 1e-13 for an adaptive integrator, whose steps then follow the last digits of the
// accelerations and differ between the two; or fixed steps of that length, the same for both.
static double compare_runs(const char *example, double duration, int output_count, double step)
{
    lb_course courses[2];
    for (int i = 0; i < 2; ++i) {
        courses[i] = lb_begin_example(example);
        if (step > 0.0) {
            lb_choose_integrator(&courses[i], LB_INTEGRATOR_RK4, 0, 1e-8, step);
        } else {
            lb_choose_integrator(&courses[i], LB_INTEGRATOR_ERK, 8, 1e-13, 1.0);
        }
        lb_run_options options = {.size = sizeof options};
        lb_get_run_options(courses[i].simulation, &options);
        options.algorithm = i == 1 ? LB_ALGORITHM_DIVIDE_AND_CONQUER : LB_ALGORITHM_ARTICULATED;
        lb_expect_ok(lb_set_run_options(courses[i].simulation, &options));
        lb_start_course(&courses[i]);
    }
    const size_t nq = (size_t)courses[0].q_count, nv = (size_t)courses[0].v_count;
    double gap = 0.0;
    for (int k = 1; k <= output_count; ++k) {
        for (int i = 0; i < 2; ++i) {
            lb_go_to(&courses[i], duration * k / output_count);
        }
        const double gap_q = lb_get_gap(courses[1].q, courses[0].q, nq);
        const double gap_v = lb_get_gap(courses[1].v, courses[0].v, nv);
        gap = gap_q > gap ? gap_q : gap;
        gap = gap_v > gap ? gap_v : gap;
    }
    for (int i = 0; i < 2; ++i) {
        lb_end_course(&courses[i]);
    }
    return gap;
}

static void the_clamped_bar_moves_the_same(void **state)
{
    (void)state;
    // four bodies, clamped, let go from a compression of 0.01: the bar of Mukherjee and Anderson
    lb_expect_below("bar", compare_runs("elastic_bar.yaml", 10.0, 100, 0.0), 1e-10);
}

static void driven_hinges_and_forces_too(void **state)
{
    (void)state;
    // 1e-10: round-off of some thousand steps
    lb_expect_below("spin-up", compare_runs("spin_up.yaml", 1.0, 4, 2e-4), 1e-10);
    lb_expect_below("satellite", compare_runs("satellite.yaml", 1.0, 4, 2e-4), 1e-10);
}

static void an_unknown_algorithm_is_an_error(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("simple_pendulum.yaml");
    lb_run_options options = {.size = sizeof options};
    lb_get_run_options(course.simulation, &options);
    assert_int_equal(lb_find_algorithm("divide-and-conquer"), LB_ALGORITHM_DIVIDE_AND_CONQUER);
    assert_int_equal(lb_find_algorithm("guess"), LB_NOT_FOUND);
    options.algorithm = LB_ALGORITHM_COUNT;
    assert_int_equal(lb_set_run_options(course.simulation, &options), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "algorithm"));
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clamped_bar_moves_the_same),
        cmocka_unit_test(driven_hinges_and_forces_too),
        cmocka_unit_test(an_unknown_algorithm_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
