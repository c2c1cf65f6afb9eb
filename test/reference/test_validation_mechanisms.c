// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mechanisms with loops against programs of their own (test/validation/*.py): the files of examples/,
// integrated, with closure and energy audited.
#include <math.h>
#include <stdio.h>

#include "published.h"

static void audit_example(const char *name, double energy)
{
    lb_course course = lb_begin_example(name);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_expect_below("closure", audit.closure_error, 1e-10);
    lb_expect_below("closure of speeds", audit.closure_speed_error, 1e-10);
    lb_expect_below("energy", fabs(audit.energy_error) / audit.energy_scale, energy);
    lb_end_course(&course);
}

static void check_governor(const double *row, const double *found)
{
    // 1e-9: bdf at 1e-12 a step, 8000 steps; the turn of the shaft adds up what the others are off
    lb_expect_within("angle of the arms, height", found, row + 1, 2, 1e-9);
    lb_expect_within("turn", found + 2, row + 3, 1, 1e-8);
    lb_expect_within("rates", found + 3, row + 4, 3, 1e-8);
}

static void stiff_governor_moves_as_computed(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_governor, check_governor);
    audit_example("stiff_governor.yaml", 1e-8);
}

static void check_governor_rods(const double *row, const double *found)
{
    lb_expect_within("angle of the arms, height", found, row + 1, 2, 1e-10);
    lb_expect_within("turn, rates", found + 2, row + 3, 4, 1e-10);
}

static void governor_with_rods_moves_as_computed(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_governor_rods, check_governor_rods);
    audit_example("stiff_governor_rods.yaml", 1e-11);
}

static void check_spatial(const double *row, const double *found)
{
    // the reference is good to 3e-10 in angle and rate; forces change with them a thousandfold
    lb_expect_within("crank, slider, rod", found, row + 1, 7, 1e-9);
    lb_expect_within("angular velocity", found + 7, row + 8, 3, 1e-8);
    lb_expect_within("force", found + 10, row + 11, 3, 1e-7);
}

static void check_spatial_sum(const double *row, const double *found)
{
    lb_expect_within("sum", found, row + 1, 1, 1e-6); // steps of 2e-4 and second order
}

static void spatial_slider_crank_moves_as_computed(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_spatial, check_spatial);
    lb_follow_published(&lb_published_spatial_sum, check_spatial_sum);
    audit_example("spatial_slider_crank.yaml", 1e-11);
}

static void check_flexible(const double *row, const double *found)
{
    // erk at 1e-10 a step; coordinates have the size of 1e-3 and less
    lb_expect_within("rod, modes, slider", found, row + 1, 4, 1e-10);
    lb_expect_within("rates", found + 4, row + 5, 3, 1e-7);
    lb_expect_within("force", found + 7, row + 8, 1, 1e-6);
}

static void elastic_rod_bends_as_computed(void **state)
{
    (void)state;
    lb_follow_published(&lb_published_flexible_crank, check_flexible);
    audit_example("flexible_slider_crank.yaml", 1e-10);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_governor_moves_as_computed),
        cmocka_unit_test(governor_with_rods_moves_as_computed),
        cmocka_unit_test(spatial_slider_crank_moves_as_computed),
        cmocka_unit_test(elastic_rod_bends_as_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
