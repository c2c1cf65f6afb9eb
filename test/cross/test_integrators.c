// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Integrators: each has its order, they agree, quaternions stay unit, events are met where they are,
// and the same run gives the same bits.
#include <math.h>
#include <string.h>

#include "course.h"

// A free, a spherical and a universal hinge, and a damped flexible arm.
static const char tree[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - name: base\n"
    "    hinge: {type: free}\n"
    "    mass: 3\n"
    "    com: [0.1, 0, 0.05]\n"
    "    inertia: [0.2, 0.3, 0.4, 0.01, 0, 0.02]\n"
    "    nodes: {tip: {position: [0.5, 0, 0]}}\n"
    "  - {name: top, parent: base, at: tip, hinge: {type: spherical}, mass: 1, com: [0.2, 0.1, "
    "0.3],\n"
    "     inertia: [0.05, 0.06, 0.03, 0, 0, 0]}\n"
    "  - name: arm\n"
    "    parent: base\n"
    "    hinge: {type: universal, axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "    flex:\n"
    "      nodes:\n"
    "        - {name: n0, mass: 0.4, inertia: [0.02, 0.01, 0.01, 0, 0, 0], shape: [[0, 0, 0, 0, 0, "
    "0]]}\n"
    "        - {name: n1, position: [1, 0, 0], mass: 0.6, inertia: [0.02, 0.01, 0.01, 0, 0, 0],\n"
    "           shape: [[0, 0, 1.38, 0, 1, 0]], second_order: [[0, 0, [-1.2, 0, 0]]]}\n"
    "      stiffness: [40]\n"
    "      damping: [0.3]\n"
    "initial:\n"
    "  base: {angular_velocity: [0.5, -0.3, 0.8], velocity: [0.2, 0, 1]}\n"
    "  top: {angular_velocity: [1, 2, -1]}\n"
    "  arm: {angles: [20 deg, 0.3], rates: [0.5, -0.7], eta: [0.05]}\n"
    "run: {duration: 1}\n";

enum { STATE_MAX = 40 };

// State after one second, [q; v].
static void run_tree(lb_integrator integrator, int order, double tolerance, double step, double *y)
{
    lb_course course = lb_begin_course(tree);
    lb_choose_integrator(&course, integrator, order, tolerance, step);
    lb_start_course(&course);
    lb_go_to(&course, 1.0);
    memcpy(y, course.q, (size_t)course.q_count * sizeof *y);
    memcpy(y + course.q_count, course.v, (size_t)course.v_count * sizeof *y);
    lb_end_course(&course);
}

enum { Y_COUNT = 14 + 12 };

static double get_error(lb_integrator integrator, int order, double tolerance, double step)
{
    double reference[STATE_MAX], y[STATE_MAX], worst = 0.0;
    run_tree(LB_INTEGRATOR_ERK, 8, 1e-13, 0.0, reference);
    run_tree(integrator, order, tolerance, step, y);
    for (int i = 0; i < Y_COUNT; ++i) {
        worst = fmax(worst, fabs(y[i] - reference[i]));
    }
    return worst;
}

static void fixed_steps_have_their_order(void **state)
{
    (void)state;
    static const struct {
        lb_integrator integrator;
        double step, order;
    } cases[] = {{LB_INTEGRATOR_RK4, 0.01, 4},
                 {LB_INTEGRATOR_EULER, 0.002, 1},
                 {LB_INTEGRATOR_ALPHA, 0.005, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double coarse = get_error(cases[i].integrator, 0, 0, cases[i].step);
        const double fine = get_error(cases[i].integrator, 0, 0, cases[i].step / 4);
        const double order = log(coarse / fine) / log(4.0);
        print_message("%s: errors %.2e, %.2e: order %.2f\n",
                      lb_get_integrator_name(cases[i].integrator), coarse, fine, order);
        // 0.25: the next term of the error is not yet negligible
        assert_true(fabs(order - cases[i].order) < 0.25);
    }
}

// With a tolerance that is never in the way, all steps are the longest ones allowed.
static double get_capped_error(int order, double max_step)
{
    double reference[STATE_MAX], worst = 0.0;
    run_tree(LB_INTEGRATOR_ERK, 8, 1e-13, 0.0, reference);
    lb_course course = lb_begin_course(tree);
    lb_choose_integrator(&course, LB_INTEGRATOR_ERK, order, 0.1, 0.0);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.max_step = max_step;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    lb_start_course(&course);
    lb_go_to(&course, 1.0);
    for (int i = 0; i < 14; ++i) {
        worst = fmax(worst, fabs(course.q[i] - reference[i]));
    }
    lb_end_course(&course);
    return worst;
}

static void explicit_methods_have_their_order(void **state)
{
    (void)state;
    static const int orders[] = {2, 3, 4, 5, 6, 8};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; ++i) {
        // of order 8, shorter steps leave round-off
        const double step = orders[i] == 8 ? 1.0 / 15 : 1.0 / 40;
        const double coarse = get_capped_error(orders[i], step);
        const double fine = get_capped_error(orders[i], 0.5 * step);
        const double order = log2(coarse / fine);
        print_message("erk %d: errors %.2e, %.2e: order %.2f\n", orders[i], coarse, fine, order);
        // the first steps are shorter, and the next term of the error is not yet negligible
        assert_true(fabs(order - orders[i]) < 0.6);
    }
}

// Steps that a run takes at a tolerance, with the highest order fixed.
static double count_steps(lb_integrator integrator, int order, double tolerance)
{
    lb_course course = lb_begin_course(tree);
    lb_choose_integrator(&course, integrator, order, tolerance, 0.0);
    lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_run_simulation(course.simulation, &request, &audit));
    lb_end_course(&course);
    return audit.steps;
}

// Of an adaptive method of order p, n steps leave an error of n^-p.
static void multistep_methods_have_their_order(void **state)
{
    (void)state;
    static const struct {
        lb_integrator integrator;
        int order;
        double coarse, fine;
    } cases[] = {{LB_INTEGRATOR_ADAMS, 2, 1e-5, 1e-8},
                 {LB_INTEGRATOR_ADAMS, 4, 1e-6, 1e-10},
                 {LB_INTEGRATOR_BDF, 2, 1e-5, 1e-7},
                 {LB_INTEGRATOR_BDF, 4, 1e-6, 1e-9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const lb_integrator integrator = cases[i].integrator;
        const int order = cases[i].order;
        const double coarse = get_error(integrator, order, cases[i].coarse, 0);
        const double fine = get_error(integrator, order, cases[i].fine, 0);
        const double steps = count_steps(integrator, order, cases[i].fine) /
                             count_steps(integrator, order, cases[i].coarse);
        const double measured = log(coarse / fine) / log(steps);
        print_message("%s %d: errors %.2e, %.2e: order %.2f\n", lb_get_integrator_name(integrator),
                      order, coarse, fine, measured);
        // a tenth: steps differ along the way, and errors grow from some of them more than others
        assert_true(fabs(measured - order) < 0.1 * order);
    }
}

static void adaptive_methods_agree_at_tight_tolerance(void **state)
{
    (void)state;
    // global error: about a hundred steps' worth and the growth of a perturbation over a second
    assert_true(get_error(LB_INTEGRATOR_ERK, 5, 1e-11, 0) < 1e-9);
    assert_true(get_error(LB_INTEGRATOR_ADAMS, 0, 1e-11, 0) < 1e-8);
    assert_true(get_error(LB_INTEGRATOR_BDF, 0, 1e-11, 0) < 1e-6);
}

static void quaternions_stay_unit(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        double y[STATE_MAX];
        run_tree((lb_integrator)i, 0, 1e-4, 0.01, y);
        for (int at = 0; at <= 7; at += 7) {
            const double *u = y + at;
            const double norm = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3];
            lb_expect_near("length", norm, 1.0, 1e-15);
        }
    }
}

static void same_run_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        double a[STATE_MAX], b[STATE_MAX];
        run_tree((lb_integrator)i, 0, 1e-6, 0.01, a);
        run_tree((lb_integrator)i, 0, 1e-6, 0.01, b);
        assert_memory_equal(a, b, Y_COUNT * sizeof *a);
    }
}

// Outputs between steps are as good as the steps.
static void outputs_are_interpolated(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        double direct[STATE_MAX], y[STATE_MAX];
        lb_course course = lb_begin_course(tree);
        lb_choose_integrator(&course, (lb_integrator)i, 0, 1e-9, 0.002);
        lb_start_course(&course);
        // many outputs on the way change nothing
        for (int k = 1; k <= 333; ++k) {
            lb_go_to(&course, 0.003 * k);
        }
        lb_go_to(&course, 1.0);
        memcpy(y, course.q, (size_t)course.q_count * sizeof *y);
        lb_end_course(&course);
        run_tree((lb_integrator)i, 0, 1e-9, 0.002, direct);
        // adaptive methods choose their first step by the first output
        lb_expect_close("configuration", y, direct, 14,
                        lb_is_fixed_step((lb_integrator)i) ? 0.0 : 1e-6);
    }
}

// ---- events --------------------------------------------------------------------------------------

// A pendulum of period 2 pi sqrt(1/9.81) for small swings; a wheel on a slider.
static const char pendulum[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: rod, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, -1, 0]}\n"
    "initial: {rod: {angle: 1.0e-4}}\n"
    "events:\n"
    "  - {name: bottom, when: rod.angle, direction: falling, then: stop}\n"
    "run: {duration: 10}\n";

static void event_is_met_at_its_time(void **state)
{
    (void)state;
    // a quarter of the period; the swing of 1e-4 adds 1e-8/16
    const double expected = 0.5 * 3.14159265358979323846 / sqrt(9.81);
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        lb_course course = lb_begin_course(pendulum);
        lb_choose_integrator(&course, (lb_integrator)i, 0, 1e-12, 0.0005);
        lb_start_course(&course);
        assert_int_equal(lb_advance_simulation(course.simulation, 10.0), LB_NEWS_STOP);
        assert_string_equal(lb_get_event_names(course.simulation), "bottom");
        lb_get_simulation_state(course.simulation, &course.t, NULL, NULL, NULL);
        print_message("%s: %.3e s off\n", lb_get_integrator_name((lb_integrator)i),
                      course.t - expected);
        lb_expect_near("time of the event", course.t, expected,
                       i == LB_INTEGRATOR_EULER ? 1e-3 : 1e-6);
        lb_end_course(&course);
    }
}

// Two flywheels on one free axis: locking the second to the first shares the momentum.
static const char flywheels[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: first, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 2, 0, 0, "
    "0]}\n"
    "  - {name: second, parent: first, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
    "     inertia: [1, 1, 1, 0, 0, 0]}\n"
    "initial: {second: {rate: 3}}\n"
    "events:\n"
    "  - {name: engage, when: second.angle, crosses: 1, once: true, then: {lock: second}}\n"
    "  - {name: release, when: t, crosses: 2, then: {unlock: second}}\n"
    "run: {duration: 3}\n";

static void locking_keeps_momentum_and_unlocking_frees(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        lb_course course = lb_begin_course(flywheels);
        lb_choose_integrator(&course, (lb_integrator)i, 0, 1e-9, 0.01);
        lb_start_course(&course);
        assert_int_equal(lb_advance_simulation(course.simulation, 3.0), LB_NEWS_EVENT);
        lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v, NULL);
        // second turns by 1 at a rate of 3; then 1 x 3 = (2 + 1) x 1
        lb_expect_near("time", course.t, 1.0 / 3.0, 1e-9);
        lb_expect_near("speed of both", course.v[0], 1.0, 1e-12);
        assert_true(course.v[1] == 0.0);
        assert_int_equal(lb_advance_simulation(course.simulation, 3.0), LB_NEWS_EVENT);
        lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v, NULL);
        lb_expect_near("time of release", course.t, 2.0, 1e-9);
        lb_expect_near("angle of the locked hinge", course.q[1], 1.0, 1e-9);
        assert_int_equal(lb_go_to(&course, 3.0), LB_OK);
        lb_end_course(&course);
    }
}

static void a_step_that_cannot_be_evaluated_is_taken_back(void **state)
{
    (void)state;
    // far from the wall steps are long, and lead behind it, where its force is not a number
    static const int orders[] = {5, 8};
    for (size_t i = 0; i < 2; ++i) {
        lb_course course =
            lb_begin_course("limber: 1\n"
                            "bodies:\n"
                            "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                            "forces:\n"
                            "  - {name: wall, type: motor, hinge: cart, value: "
                            "\"-1.0e-3/sqrt(1 - cart.distance)^3\"}\n"
                            "initial: {cart: {distance: -40, rate: 3}}\n");
        lb_choose_integrator(&course, LB_INTEGRATOR_ERK, orders[i], 1e-8, 0);
        lb_start_course(&course);
        lb_go_to(&course, 30.0);
        // U = 2e-3 / sqrt(1 - x): the energy after the bounce
        const double energy = 0.5 * course.v[0] * course.v[0] + 2e-3 / sqrt(1.0 - course.q[0]);
        assert_true(course.v[0] < 0.0);
        // 1e-6: a hundred steps at 1e-8
        lb_expect_near("energy", energy, 4.5 + 2e-3 / sqrt(41.0), 1e-6);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_have_their_order),
        cmocka_unit_test(explicit_methods_have_their_order),
        cmocka_unit_test(multistep_methods_have_their_order),
        cmocka_unit_test(adaptive_methods_agree_at_tight_tolerance),
        cmocka_unit_test(quaternions_stay_unit),
        cmocka_unit_test(same_run_gives_the_same_bits),
        cmocka_unit_test(outputs_are_interpolated),
        cmocka_unit_test(event_is_met_at_its_time),
        cmocka_unit_test(locking_keeps_momentum_and_unlocking_frees),
        cmocka_unit_test(a_step_that_cannot_be_evaluated_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
