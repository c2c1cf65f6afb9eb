// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Published problems of flexible bodies: the files of examples/, which examples/beams.c writes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "published.h"

static void check_arm(const lb_published *problem, bool trim)
{
    // axial and bending coordinate of each link, tip
    static const double bounds[] = {1e-9, 1e-8, 1e-9, 1e-8, 1e-8, 1e-8};
    static const char asked[] = "trim: true, ";
    char *text = lb_read_example(problem->example), *at = strstr(text, asked);
    assert_non_null(at);
    if (!trim) {
        memmove(at, at + sizeof asked - 1, strlen(at + sizeof asked - 1) + 1);
    }
    lb_course course = lb_begin_course(text);
    free(text);
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

// As in the paper, from static equilibrium: the first row is the equilibrium itself.
static void arm_moves_as_lagrange_says(void **state)
{
    (void)state;
    check_arm(&lb_published_arm, true);
}

static void straight_arm_moves_as_lagrange_says(void **state)
{
    (void)state;
    check_arm(&lb_published_straight_arm, false);
}

static void check_bar(const double *row, const double *found)
{
    lb_expect_within("tip", found, row + 1, 1, 1e-10);
}

static void bar_moves_as_its_modes_say(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_bar, check_bar);
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

// Mass matrix and bias at a deformed, moving state: the same whether nodes and shapes stand in the file,
// or a beam and a formula.
static void beams_by_formula_are_those_written_out(void **state)
{
    (void)state;
    static const struct {
        const char *written, *formula;
        double tolerance;
    } pairs[] = {{"elastic_bar.yaml", "elastic_bar_beam.yaml", 1e-13},
                 {"two_link_arm.yaml", "two_link_arm_beam.yaml", 1e-13},
                 // 24 points in all there, six in each of 64 elements here
                 {"spin_up.yaml", "spin_up_beam.yaml", 1e-8}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        double *M[2], *b[2];
        size_t n = 0;
        for (int side = 0; side < 2; ++side) {
            lb_course course = lb_begin_example(side ? pairs[i].formula : pairs[i].written);
            n = (size_t)course.v_count;
            assert_int_equal(course.q_count, course.v_count);
            double *q = lb_make_numbers(n), *v = lb_make_numbers(n);
            M[side] = lb_make_numbers(n * n);
            b[side] = lb_make_numbers(n);
            for (size_t k = 0; k < n; ++k) {
                q[k] = 0.01 * sin(1.0 + 7.0 * (double)k);
                v[k] = 0.1 * cos(2.0 + 3.0 * (double)k);
            }
            lb_work *work = lb_create_work(course.model);
            lb_expect_ok(lb_compute_mass_matrix(course.model, work, q, M[side]));
            lb_expect_ok(lb_compute_bias(course.model, work, q, v, b[side]));
            lb_destroy_work(work);
            lb_end_course(&course);
            free(q);
            free(v);
        }
        lb_expect_close("mass", M[1], M[0], n * n, pairs[i].tolerance);
        lb_expect_close("bias", b[1], b[0], n, pairs[i].tolerance);
        for (int side = 0; side < 2; ++side) {
            free(M[side]);
            free(b[side]);
        }
    }
}

// The 45-degree bend of Bathe and Bolourchi in sixteen bodies: tip under its load, against the
// geometrically exact elements of Kynema (18 nodes) and against the first publication.
static void bent_arc_comes_to_rest_where_published(void **state)
{
    (void)state;
    static const double kynema[3] = {-23.6459716009048, -13.7208006040058, 53.5776450626989};
    static const double bathe[3] = {-23.5, -13.4, 53.4};
    lb_course course = lb_begin_example("bend45.yaml");
    lb_trim trim = {.size = sizeof trim};
    lb_expect_ok(lb_trim_simulation(course.simulation, &trim));
    lb_start_course(&course);
    lb_go_to(&course, 0.0);
    const lb_node_motion tip = lb_get_course_node(&course, "s15", "tip");
    const double moved[3] = {tip.position[0] - 100 * sqrt(0.5),
                             tip.position[1] - 100 * (1 - sqrt(0.5)), tip.position[2]};
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("Kynema", moved[i], kynema[i], 0.02);
        lb_expect_near("Bathe", moved[i], bathe[i], 0.02);
    }
    lb_end_course(&course);
}

// 1e-8 as stated with the numbers: forty sines leave 1.4e-9.
static void strip_twists_as_its_tension_says(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        double found[3];
        lb_find_strip_frequencies(lb_strip_rows[i].spin, found);
        for (int k = 0; k < 3; ++k) {
            lb_expect_near("frequency", found[k], lb_strip_rows[i].frequencies[k], 1e-8);
        }
    }
    const double angle = lb_find_strip_angle();
    lb_expect_within("angle", &angle, &lb_strip_angle, 1, 1e-12);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm_moves_as_lagrange_says),
        cmocka_unit_test(straight_arm_moves_as_lagrange_says),
        cmocka_unit_test(beams_by_formula_are_those_written_out),
        cmocka_unit_test(strip_twists_as_its_tension_says),
        cmocka_unit_test(bent_arc_comes_to_rest_where_published),
        cmocka_unit_test(bar_moves_as_its_modes_say),
        cmocka_unit_test(bar_has_the_frequency_of_its_modes),
        cmocka_unit_test(spun_up_beam_lags_as_lagrange_says),
        cmocka_unit_test(spun_up_beam_in_pieces_lags_as_published),
        cmocka_unit_test(spun_up_beam_diverges_without_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
