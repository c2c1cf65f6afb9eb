// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Work is as exact as the motion, part by part: closed forms, for every integrator.
#include <math.h>
#include <stdio.h>

#include "course.h"
#include "simulate/run/simulation.h"

// ---- support -------------------------------------------------------------------------------------

static const char *const adaptive[] = {"adams",
                                       "{type: adams, order: 4}",
                                       "bdf",
                                       "{type: erk, order: 3}",
                                       "{type: erk, order: 4}",
                                       "erk",
                                       "{type: erk, order: 6}",
                                       "{type: erk, order: 8}"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive };

static void set_tolerance(lb_course *course, double tolerance)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course->simulation, &o);
    o.relative_tolerance = tolerance;
    lb_expect_ok(lb_set_run_options(course->simulation, &o));
}

static double get_work(const lb_course *course, int entry)
{
    int count;
    const double *work = lb_get_simulation_work(course->simulation, &count);
    assert_true(entry < count);
    return work[entry];
}

static lb_audit run_to_end(lb_course *course)
{
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course->simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return audit;
}

// ---- driven motion: nothing but work is integrated -----------------------------------------------

enum { RAMP, DRAG, RAMP_FORCES };

static const char ramp[] =
    "limber: 1\n"
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
    "forces:\n"
    "  - {name: ramp, type: motion, hinge: a, speed: {table: [[0, 0], [10, 10]]}}\n"
    "  - {name: drag, type: motor, hinge: a, value: -2*a.rate*abs(a.rate)}\n"
    "run: {duration: 10, interval: 0.01, integrator: %s}\n";

static void check_ramp(const char *integrator, double most)
{
    char text[1024];
    snprintf(text, sizeof text, ramp, integrator);
    lb_course course = lb_begin_course(text);
    const lb_audit audit = run_to_end(&course);
    print_message("%s: %.0f steps, drag %.12g J, drives %.12g J\n", integrator, audit.steps,
                  get_work(&course, DRAG), audit.work_drives);
    // v = t: the drag takes int 2 t^3 dt, and the drive gives that and 50 J of kinetic energy
    lb_expect_near("work of the drag", get_work(&course, DRAG), -5000.0, most);
    lb_expect_near("work of the drives", audit.work_drives, 5050.0, most);
    lb_expect_near("work of the motion", get_work(&course, RAMP), 5050.0, most);
    assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_KEPT);
    lb_end_course(&course);
}

static void work_of_a_driven_motion_is_exact(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE; ++i) {
        // thousands of steps that may each be off by 0.5e-8 of 5000 J are those of order 3; others take a hundred
        check_ramp(adaptive[i], i == 3 ? 1e-2 : 5e-3);
    }
    check_ramp("rk4", 1e-9);
    // the trapezoidal rule with steps of a millisecond: h^2/12 of the change of power by 600 W/s
    check_ramp("euler", 1e-4);
    check_ramp("alpha", 1e-4);
}

// ---- an oscillation ------------------------------------------------------------------------------

// m x'' + c x' + k x = 0 from x = a: rate 1 rad/s, a twentieth of critical damping.
static const char damped[] =
    "limber: 1\n"
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: %g}]\n"
    "forces:\n"
    "  - {name: k, type: spring, hinge: a, stiffness: %g}\n"
    "  - {name: c, type: damper, hinge: a, damping: %g}\n"
    "  - {name: to, type: motor, hinge: a, value: %g*sin(20*t)}\n"
    "  - {name: fro, type: motor, hinge: a, value: -(%g)*sin(20*t)}\n"
    "initial: {a: {distance: %g}}\n"
    "run: {duration: 10, interval: 0.0731, integrator: %s}\n";

static void work_of_each_force_of_an_oscillation_is_exact(void **state)
{
    (void)state;
    static const double scales[][2] = {{1.0, 1.0}, {1e-9, 1e-6}, {1e4, 100.0}};
    for (int n = 0; n < 3 * ADAPTIVE; ++n) {
        const char *integrator = adaptive[n / 3];
        const double m = scales[n % 3][0], a = scales[n % 3][1], energy = 0.5 * m * a * a;
        const double zeta = 0.05, w = sqrt(1.0 - zeta * zeta);
        const double tolerance = n / 3 == 3 ? 1e-6 : 1e-8;
        char text[1024];
        snprintf(text, sizeof text, damped, m, m, 2.0 * zeta * m, m * a, m * a, a, integrator);
        lb_course course = lb_begin_course(text);
        set_tolerance(&course, tolerance);
        const double steps = run_to_end(&course).steps;
        lb_end_course(&course);
        course = lb_begin_course(text);
        set_tolerance(&course, tolerance);
        lb_start_course(&course);
        double worst = 0.0;
        for (int row = 1; row * 0.0731 <= 10.0; ++row) {
            const double t = row * 0.0731, decay = exp(-zeta * t);
            const double x = a * decay * (cos(w * t) + zeta / w * sin(w * t));
            const double v = -a * decay / w * sin(w * t);
            lb_go_to(&course, t);
            const double spring = 0.5 * m * (a * a - x * x), damper = 0.5 * m * v * v - spring;
            worst = fmax(worst, fabs(get_work(&course, 0) - spring));
            worst = fmax(worst, fabs(get_work(&course, 1) - damper));
            worst = fmax(worst, fabs(get_work(&course, 2) + get_work(&course, 3)));
        }
        print_message("%s, %g kg: %.0f steps, off by %.1e\n", integrator, m, steps, worst / energy);
        // half the tolerance in each step, of the amplitude and of the work itself: an energy is twice as far off as an
        // amplitude
        lb_expect_below("work", worst, 2.0 * tolerance * steps * energy);
        lb_end_course(&course);
    }
}

// A force that does much more work than the energy that there is, and another that takes it away.
static void forces_that_cancel_do_equal_work(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: p, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0]}]\n"
        "forces:\n"
        "  - {name: a, type: motor, hinge: p, value: 1.0e+6*sin(200*t)}\n"
        "  - {name: b, type: motor, hinge: p, value: -(1.0e+6*sin(200*t))}\n"
        "run: {duration: 1}\n";
    double work[2];
    for (int i = 0; i < 2; ++i) {
        lb_course course = lb_begin_course(text);
        set_tolerance(&course, i ? 1e-12 : 1e-8);
        lb_start_course(&course);
        lb_go_to(&course, 1.0);
        work[i] = get_work(&course, 0);
        lb_expect_below("sum", work[0] + get_work(&course, 1),
                        i ? INFINITY : 1e-15 * fabs(work[0]));
        lb_end_course(&course);
    }
    // 1e-5: a thousand steps of 1e-8
    lb_expect_near("work", work[0], work[1], 1e-5 * fabs(work[1]));
}

// Steps that follow this force would be a millionth of those that follow the motion.
static void no_run_fails_for_its_books(void **state)
{
    (void)state;
    static const char *const some[] = {"adams", "bdf", "{type: erk, order: 8}"};
    for (int i = 0; i < 3; ++i) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "limber: 1\n"
            "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
            "forces:\n"
            "  - {name: k, type: spring, hinge: a, stiffness: 1}\n"
            "  - {name: to, type: motor, hinge: a, value: 1.0e+3*sin(1.0e+12*a.distance)}\n"
            "  - {name: fro, type: motor, hinge: a, value: -(1.0e+3*sin(1.0e+12*a.distance))}\n"
            "initial: {a: {distance: 1}}\n"
            "run: {duration: 10, interval: 0.1, integrator: %s}\n",
            some[i]);
        lb_course course = lb_begin_course(text);
        const lb_audit audit = run_to_end(&course);
        print_message("%s: %.0f steps\n", some[i], audit.steps);
        assert_int_equal(lb_judge_audit(&audit), LB_VERDICT_WORK);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_a_driven_motion_is_exact),
        cmocka_unit_test(work_of_each_force_of_an_oscillation_is_exact),
        cmocka_unit_test(forces_that_cancel_do_equal_work),
        cmocka_unit_test(no_run_fails_for_its_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
