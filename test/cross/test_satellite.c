// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The satellite of examples/satellite.c, which is built in C with functions of its own, and its twin out
// of a file: the same bits, and no allocation while it steps.
int satellite_main(int count, char **arguments);
#define main satellite_main
#include "../../examples/satellite.c" // NOLINT: the example itself is what is tested
#undef main

#include "course.h"
#include "own_malloc.h"
#include "twins.h"

typedef struct satellite {
    lb_model *model;
    lb_simulation *simulation;
    double thrust;
} satellite;

static void begin(satellite *s)
{
    const lb_report report = {print_diagnostic, NULL};
    *s = (satellite){.thrust = 20.0};
    lb_expect_ok(build_satellite(&report, &s->model));
    lb_expect_ok(create_satellite(s->model, &report, &s->thrust, &s->simulation));
}

static void end(satellite *s)
{
    lb_destroy_simulation(s->simulation);
    lb_destroy_model(s->model);
}

static void built_in_c_it_has_the_bits_of_its_file(void **state)
{
    (void)state;
    satellite s;
    begin(&s);
    lb_course course = lb_begin_example("satellite.yaml");
    // the burn, and half of the slew
    lb_simulation *both[2] = {course.simulation, s.simulation};
    for (int i = 0; i < 2; ++i) {
        lb_run_options run = {.size = sizeof run};
        lb_expect_ok(lb_get_run_options(both[i], &run));
        run.duration = 30.0;
        lb_expect_ok(lb_set_run_options(both[i], &run));
    }
    lb_expect_same_rows(course.simulation, s.simulation, 1501);
    lb_end_course(&course);
    end(&s);
}

static void stepping_allocates_nothing(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    satellite s;
    begin(&s);
    // CVODE takes what it needs at the start, ERKStep in its first step
    lb_run_options run = {.size = sizeof run};
    lb_expect_ok(lb_get_run_options(s.simulation, &run));
    run.integrator = LB_INTEGRATOR_ADAMS;
    run.order = 12;
    run.relative_tolerance = 1e-8;
    lb_expect_ok(lb_set_run_options(s.simulation, &run));
    lb_expect_ok(lb_start_simulation(s.simulation));
    const long before = lb_malloc_count, freed_before = lb_free_count;
    assert_true(before > 0);
    int events = 0;
    lb_status status = LB_OK;
    for (int k = 1; k <= 150 && status >= 0; ++k) {
        do {
            status = lb_advance_simulation(s.simulation, 0.1 * k);
            events += status == LB_NEWS_EVENT;
        } while (status == LB_NEWS_EVENT);
    }
    const long after = lb_malloc_count, freed_after = lb_free_count;
    assert_int_equal(status, LB_OK);
    assert_int_equal(events, 2); // the burn and its end are among the steps, and the slew has begun
    assert_int_equal(after - before, 0);
    assert_int_equal(freed_after - freed_before, 0);
    end(&s);
#else
    skip();
#endif
}

// The thruster of the program and the element of the file have the same derivatives.
static void it_is_linearised_like_its_file(void **state)
{
    (void)state;
    satellite s;
    begin(&s);
    lb_course course = lb_begin_example("satellite.yaml");
    lb_simulation *both[2] = {s.simulation, course.simulation};
    lb_linear *linear[2];
    for (int i = 0; i < 2; ++i) {
        lb_forces *forces = lb_get_simulation_forces(both[i]);
        lb_set_force_enabled(forces, lb_find_force(forces, "thruster"), true);
        assert_false(lb_get_force_info(forces, lb_find_force(forces, "thruster")).is_differenced);
        lb_linear_options options = lb_default_linear_options();
        lb_expect_ok(lb_linearize(both[i], &options, &linear[i]));
    }
    const int n = linear[0]->state_count;
    assert_int_equal(n, 34); // twice six of the bus, three wheels, two of the propellant, six modes
    assert_int_equal(linear[1]->state_count, n);
    for (int i = 0; i < n * n; ++i) {
        // 1e-13: the same products in another order
        const double scale = 1.0 + fabs(linear[1]->A[i]);
        lb_expect_near("A", linear[0]->A[i] / scale, linear[1]->A[i] / scale, 1e-13);
    }
    lb_destroy_linear(linear[0]);
    lb_destroy_linear(linear[1]);
    lb_end_course(&course);
    end(&s);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_c_it_has_the_bits_of_its_file),
        cmocka_unit_test(stepping_allocates_nothing),
        cmocka_unit_test(it_is_linearised_like_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
