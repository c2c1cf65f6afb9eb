// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The audit of a run: its books close, and they are the right books.
#include <math.h>

#include "course.h"

// Everything that takes or gives energy: a driven hinge, a motor, a spring, a damper, friction, a
// force at a deforming node, modal damping.
static const char driven[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: base, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 3, com: [0.1, 0, 0],\n"
    "     inertia: [0.2, 0.3, 0.4, 0, 0, 0], nodes: {tip: {position: [0.5, 0, 0]}}}\n"
    "  - name: arm\n"
    "    parent: base\n"
    "    at: tip\n"
    "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: n0, mass: 0.4, inertia: [0.02, 0.01, 0.01, 0, 0, 0], shape: [[0, 0, 0, 0, 0, "
    "0],\n"
    "           [0, 0, 0, 0, 0, 0]]}\n"
    "        - {name: n1, position: [1, 0, 0], mass: 0.6, inertia: [0.02, 0.01, 0.01, 0, 0, 0],\n"
    "           shape: [[0, 0, 1.38, 0, 1, 0], [0, -1.38, 0, 0, 0, 1]],\n"
    "           second_order: [[0, 0, [-1.2, 0, 0]], [1, 1, [-1.2, 0, 0]]]}\n"
    "      stiffness: [120, 80]\n"
    "      damping: [0.9, 0.7]\n"
    "  - {name: hand, parent: arm, at: n1, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 0.5,\n"
    "     com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
    "forces:\n"
    "  - {name: turn, type: motion, hinge: base, position: {sine: {amplitude: 0.7, frequency: "
    "0.5}}}\n"
    "  - {name: motor, type: motor, hinge: arm, value: 12*sin(3*t)}\n"
    "  - {name: spring, type: spring, hinge: hand, stiffness: 4, rest: 0.3}\n"
    "  - {name: damper, type: damper, hinge: hand, damping: 0.05}\n"
    "  - {name: friction, type: friction, hinge: arm, coulomb: 0.3, speed: 0.1}\n"
    "  - {name: push, type: force, at: arm/n1, value: [0, 0, 2*cos(t)]}\n"
    "run: {duration: 5, interval: 0.05}\n";

static lb_audit run_text(const char *text, lb_integrator integrator, double tolerance, double step)
{
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, integrator, 0, tolerance, step);
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return audit;
}

static void books_of_a_damped_driven_flexible_arm_close(void **state)
{
    (void)state;
    static const lb_integrator adaptive[] = {LB_INTEGRATOR_ERK, LB_INTEGRATOR_ADAMS,
                                             LB_INTEGRATOR_BDF};
    for (int i = 0; i < 3; ++i) {
        const lb_audit a = run_text(driven, adaptive[i], 1e-11, 0);
        print_message("%s: off by %.2e J of %.2e J\n", lb_get_integrator_name(adaptive[i]),
                      a.energy_error, a.energy_scale);
        lb_expect_below("energy balance", a.energy_error / a.energy_scale, 1e-8);
        // every book is open
        assert_true(fabs(a.work_forces) > 1e-3 && fabs(a.work_drives) > 1e-3);
        assert_true(a.work_damping < -1e-3);
    }
}

static void books_close_at_the_order_of_fixed_steps(void **state)
{
    (void)state;
    static const struct {
        lb_integrator integrator;
        double order;
    } cases[] = {{LB_INTEGRATOR_RK4, 4}, {LB_INTEGRATOR_EULER, 1}, {LB_INTEGRATOR_ALPHA, 2}};
    for (int i = 0; i < 3; ++i) {
        const lb_audit coarse = run_text(driven, cases[i].integrator, 0, 0.004);
        const lb_audit fine = run_text(driven, cases[i].integrator, 0, 0.001);
        const double order = log(fabs(coarse.energy_error / fine.energy_error)) / log(4.0);
        print_message("%s: off by %.2e, %.2e J: order %.2f\n",
                      lb_get_integrator_name(cases[i].integrator), coarse.energy_error,
                      fine.energy_error, order);
        assert_true(order > cases[i].order - 0.4);
    }
}

static void momentum_of_free_flight_is_kept(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: free}, mass: 5, inertia: [1, 2, 1.5, 0, 0, 0],\n"
        "     nodes: {side: {position: [0.5, 0.2, 0]}}}\n"
        "  - {name: arm, parent: hub, at: side, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "1,\n"
        "     com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1, 0, 0, 0]}\n"
        "initial:\n"
        "  hub: {angular_velocity: [0.3, -0.2, 0.5], velocity: [0.1, 0.2, 0.3]}\n"
        "  arm: {rate: 1.5}\n"
        "forces:\n"
        "  - {name: motor, type: motor, hinge: arm, value: 0.5*sin(2*t)}\n"
        "run: {duration: 20, interval: 0.5}\n";
    const lb_audit a = run_text(text, LB_INTEGRATOR_ERK, 1e-12, 0);
    lb_expect_below("linear momentum", a.linear_change, 1e-9);
    lb_expect_below("angular momentum", a.angular_change, 1e-9);
    lb_expect_below("energy balance", a.energy_error, 1e-9);
    assert_true(fabs(a.work_forces) > 1e-3);
}

// A wheel that is locked loses what the books say: half of I w^2 of two equal wheels.
static void locking_is_in_the_books(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, 0, 0, "
        "0]}\n"
        "  - {name: b, parent: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     inertia: [1, 1, 1, 0, 0, 0]}\n"
        "initial: {b: {rate: 2}}\n"
        "events: [{name: lock, when: t, crosses: 0.5, then: {lock: b}}]\n"
        "run: {duration: 1, interval: 0.1}\n";
    const lb_audit a = run_text(text, LB_INTEGRATOR_ADAMS, 1e-10, 0);
    lb_expect_near("work of locking", a.work_locking, -1.0, 1e-9);
    lb_expect_below("energy balance", a.energy_error, 1e-9);
    assert_true(a.events == 1.0);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(books_of_a_damped_driven_flexible_arm_close),
        cmocka_unit_test(books_close_at_the_order_of_fixed_steps),
        cmocka_unit_test(momentum_of_free_flight_is_kept),
        cmocka_unit_test(locking_is_in_the_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
