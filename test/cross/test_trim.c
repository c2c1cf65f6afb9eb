// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibria against closed forms, and what has none.
#include <math.h>
#include <string.h>

#include "check.h"
#include "loaded.h"

// k (rest - q) = m g l sin q, solved by bisection.
static void pendulum_on_a_spring_balances(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0, 0, "
        "-0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: s, type: spring, hinge: rod, stiffness: 5, rest: 1.0}\n"
        "initial:\n"
        "  rod: {angle: 0.5, rate: 3}\n",
        NULL);
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; ++i) {
        const double q = 0.5 * (low + high);
        *(5.0 * (1.0 - q) > 2.0 * 9.81 * 0.5 * sin(q) ? &low : &high) = q;
    }
    lb_trim trim;
    lb_expect_ok(lb_trim_simulation(l.simulation, &trim));
    const double *q, *v, zero = 0.0;
    lb_get_initial_state(l.simulation, &q, &v);
    // 1e-11: forces balance to 1e-15 of 10 N m, stiffness about 14 N m/rad
    lb_expect_close("angle", q, &low, 1, 1e-11);
    lb_expect_within("rate", v, &zero, 1, 0.0);
    lb_end_loaded(&l);
}

// A mode under gravity: K eta = m g shape; the free angle of the hinge is held by its motion.
static void flexible_body_sags(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  - name: beam\n"
        "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: tip, position: [1, 0, 0], mass: 0.5, shape: [[0, 0, 0, 0, 0, 1]]}\n"
        "      stiffness: [200]\n"
        "forces:\n"
        "  - {name: m, type: motion, hinge: beam, position: 0.3}\n",
        NULL);
    lb_expect_ok(lb_trim_simulation(l.simulation, NULL));
    const double *q, *v, expected[2] = {-0.5 * 10 / 200, 0.3};
    lb_get_initial_state(l.simulation, &q, &v);
    lb_expect_close("sag", q, expected, 2, 1e-12);
    lb_end_loaded(&l);
}

static void falling_body_has_no_equilibrium(void **state)
{
    (void)state;
    lb_loaded l = lb_begin_loaded(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: stone, hinge: {type: free}, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}\n",
        NULL);
    lb_trim trim;
    assert_int_equal(lb_trim_simulation(l.simulation, &trim), LB_E_STEP);
    assert_int_equal(trim.body, 0);
    const double weight = 2 * 9.81;
    lb_expect_close("what is left", &trim.residual, &weight, 1, 1e-12);
    assert_non_null(strstr(lb_get_simulation_message(l.simulation), "stone"));
    lb_end_loaded(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_on_a_spring_balances),
        cmocka_unit_test(flexible_body_sags),
        cmocka_unit_test(falling_body_has_no_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
