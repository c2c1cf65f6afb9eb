// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps end at events: at times that are known to the last bit, elsewhere as exactly as the step.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"

static const lb_integrator integrators[] = {LB_INTEGRATOR_ERK,   LB_INTEGRATOR_ADAMS,
                                            LB_INTEGRATOR_BDF,   LB_INTEGRATOR_RK4,
                                            LB_INTEGRATOR_EULER, LB_INTEGRATOR_ALPHA};

// To the next event; the names of those that happen.
static const char *go_to_event(lb_course *course, double t)
{
    const lb_status news = lb_advance_simulation(course->simulation, t);
    if (news < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
    return news == LB_NEWS_EVENT ? lb_get_event_names(course->simulation) : "";
}

// ---- times that are known ------------------------------------------------------------------------

static void locks_at_given_times_keep_the_books(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/lock_events.yaml");
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    assert_int_equal(lb_run_simulation(course.simulation, &request, &audit), LB_OK);
    assert_int_equal((int)audit.events, 2);
    assert_true(audit.work_locking < -0.1);
    lb_expect_below("energy error", audit.energy_error, 2e-9);
    // nothing acts from outside
    lb_expect_below("linear change", audit.linear_change, 1e-10);
    lb_expect_below("angular change", audit.angular_change, 1e-10);
    lb_end_course(&course);
}

static void times_that_are_known_are_met_exactly(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: p, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0]}]\n"
        "forces: [{name: m, type: motor, hinge: p, value: {table: [[0, 0], [0.3, 1], [2, 1]]}}]\n"
        "events:\n"
        "  - {name: at start, when: t, crosses: 0, then: {enable: m}}\n"
        "  - {name: backwards, when: t, crosses: 0.2, direction: falling, then: stop}\n"
        "  - {name: odd, when: t, crosses: 0.123456789, then: {disable: m}}\n"
        "  - {name: at the kink, when: t, crosses: 0.3, then: {enable: m}}\n"
        "  - {name: at an output, when: t, crosses: 0.7, once: true, then: {disable: m}}\n"
        "  - {name: and another, when: t, crosses: 0.7, direction: rising, then: {lock: p}}\n"
        "run: {duration: 1, interval: 0.1}\n";
    static const double times[] = {0.0, 0.123456789, 0.3, 0.7};
    static const char *const names[] = {"at start", "odd", "at the kink",
                                        "at an output, and another"};
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
        lb_course course = lb_begin_course(text);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.01);
        lb_start_course(&course);
        int met = 0;
        for (int row = 1; row <= 10; ++row) {
            const double t = row * 0.1;
            const char *event;
            while (*(event = go_to_event(&course, t))) {
                assert_true(met < 4);
                assert_string_equal(event, names[met]);
                assert_true(course.t == times[met]);
                ++met;
            }
            lb_expect_below("time", course.t - t, 1e-15);
        }
        assert_int_equal(met, 4);
        assert_true(course.v[0] == 0.0); // locked
        lb_end_course(&course);
    }
}

// ---- times that follow from the motion -----------------------------------------------------------

// x = cos(2 t) on a spring passes -0.3 at t = acos(-0.3) / 2, with the speed -2 sin(2 t).
static void a_step_ends_where_the_motion_meets_a_value(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: [{name: m, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
        "forces: [{name: s, type: spring, hinge: m, stiffness: 8}]\n"
        "initial: {m: {distance: 1}}\n"
        "events: [{name: pass, when: m.distance, crosses: -0.3, direction: falling, then: []}]\n"
        "run: {duration: 20, interval: 20}\n";
    static const int orders[] = {2, 3, 4, 5, 6, 8};
    const double pi = 3.14159265358979323846, first = 0.5 * acos(-0.3);
    for (int i = 0; i < 6; ++i) {
        const double tolerance = orders[i] < 5 ? 1e-8 : 1e-12;
        lb_course course = lb_begin_course(text);
        lb_choose_integrator(&course, LB_INTEGRATOR_ERK, orders[i], tolerance, 0.0);
        lb_start_course(&course);
        int met = 0;
        while (*go_to_event(&course, 20.0)) {
            // errors of steps add up: about 30 a period at order 8, ten thousands at order 2
            const double off = 1000.0 * tolerance;
            lb_expect_below("time", course.t - (first + pi * met), off);
            lb_expect_below("coordinate", course.q[0] + 0.3, 1e-13);
            lb_expect_below("speed", course.v[0] + 2.0 * sin(2.0 * first), off);
            ++met;
        }
        assert_int_equal(met, 7);
        lb_end_course(&course);
    }
}

// A ball that is caught at given heights, by all integrators: what is caught is where it should be.
static void all_integrators_land(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: [{name: m, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}]\n"
        "events: [{name: hit, when: m.distance, crosses: -5, then: {lock: m}}]\n"
        "run: {duration: 2, interval: 2}\n";
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
        lb_course course = lb_begin_course(text);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 1e-3);
        lb_start_course(&course);
        assert_string_equal(go_to_event(&course, 2.0), "hit");
        lb_expect_below("time", course.t - 1.0,
                        integrators[i] == LB_INTEGRATOR_EULER ? 1e-3 : 1e-7);
        lb_expect_below("coordinate", course.q[0] + 5.0, 1e-12);
        lb_go_to(&course, 2.0);
        lb_expect_below("coordinate", course.q[0] + 5.0, 1e-12);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_at_given_times_keep_the_books),
        cmocka_unit_test(times_that_are_known_are_met_exactly),
        cmocka_unit_test(a_step_ends_where_the_motion_meets_a_value),
        cmocka_unit_test(all_integrators_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
