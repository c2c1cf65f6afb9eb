// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The work of each motion by itself, with every kind of integrator.
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "limber/simulate.h"
#include "loaded.h"
#include "simulate/run/simulation.h"

// Two masses that are driven along x and z against gravity, and a damper that takes what one gives.
static const char text[] =
    "limber: 1\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  - {name: lift, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}\n"
    "  - {name: sled, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 3}\n"
    "forces:\n"
    "  - {name: oil, type: damper, hinge: sled, damping: 4}\n"
    "  - {name: up, type: motion, hinge: lift, position: t^2}\n"
    "  - {name: along, type: motion, hinge: sled, speed: 2 + 0*t}\n"
    "initial: {sled: {rate: 2}}\n"
    "run: {duration: 1, interval: 0.1, integrator: {type: %s, step: 0.001, tolerance: 1.0e-10}}\n";

static void each_motion_has_its_own(void **state)
{
    (void)state;
    static const char *const integrators[] = {"erk", "adams", "bdf", "rk4", "alpha"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        char model[1024];
        snprintf(model, sizeof model, text, integrators[i]);
        lb_loaded l = lb_begin_loaded(model, NULL);
        assert_int_equal(lb_start_simulation(l.simulation), LB_OK);
        for (int k = 1; k <= 10; ++k) {
            assert_int_equal(lb_advance_simulation(l.simulation, 0.1 * k), LB_OK);
        }
        int count;
        const double *work = lb_get_simulation_work(l.simulation, &count);
        // lift: 1 m up and 2 m/s: m g h + m v^2/2 = 20 + 4; sled: c v^2 t = 16 for 1 s. `alpha` takes
        // work by the trapezoidal rule
        const double tolerance = i == 4 ? 1e-5 : 1e-7;
        lb_expect_near("oil", work[0], -16.0, tolerance);
        lb_expect_near("up", work[1], 24.0, tolerance);
        lb_expect_near("along", work[2], 16.0, tolerance);
        lb_expect_near("drives", work[3], 40.0, tolerance);
        lb_end_loaded(&l);
    }
}

// Two sleds driven by motions; then they are coupled to another each, at rest: the drives give what that
// takes.
static void impulses_are_booked_to_the_motion_that_gives_them(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: b, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: c, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 5}\n"
        "forces:\n"
        "  - {name: first, type: motion, hinge: a, speed: 3 + 0*t}\n"
        "  - {name: second, type: motion, hinge: b, speed: 1 + 0*t}\n"
        "loops: [{name: hook, type: weld, a: {body: a}, b: {body: c}, active: false}]\n"
        "initial: {a: {rate: 3}, b: {rate: 1}}\n"
        "events: [{name: e, when: t, crosses: 0.5, once: true, then: {grasp: hook}}]\n"
        "run: {duration: 1, interval: 0.1}\n",
        NULL);
    assert_int_equal(lb_start_simulation(l.simulation), LB_OK);
    lb_status status = lb_advance_simulation(l.simulation, 1.0);
    status = status == LB_NEWS_EVENT ? lb_advance_simulation(l.simulation, 1.0) : status;
    assert_int_equal(status, LB_OK);
    int count;
    const double *work = lb_get_simulation_work(l.simulation, &count);
    // impulse m v = 15 N s at 3 m/s; half of it is lost
    lb_expect_near("first", work[0], 45.0, 1e-9);
    lb_expect_near("second", work[1], 0.0, 1e-9);
    lb_expect_near("drives", work[2], 45.0, 1e-9);
    lb_end_loaded(&l);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_motion_has_its_own),
        cmocka_unit_test(impulses_are_booked_to_the_motion_that_gives_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
