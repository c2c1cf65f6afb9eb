// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows between steps are as good as the steps: closed forms, for every integrator and order.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"

// ---- support -------------------------------------------------------------------------------------

static void choose(lb_course *course, lb_integrator integrator, int order, double tolerance)
{
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course->simulation, &o);
    o.integrator = integrator;
    o.order = order;
    o.relative_tolerance = tolerance;
    o.stop_at_outputs = false;
    lb_expect_ok(lb_set_run_options(course->simulation, &o));
}

static lb_audit count(const char *text, lb_integrator integrator, int order, double tolerance)
{
    lb_course course = lb_begin_course(text);
    choose(&course, integrator, order, tolerance);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    if (lb_run_simulation(course.simulation, &request, &audit) < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return audit;
}

typedef double (*get_error)(const lb_course *course, double t);

// Largest error of all rows of a run, as a part of the motion.
static double measure(const char *text, lb_integrator integrator, int order, double tolerance,
                      get_error get)
{
    lb_course course = lb_begin_course(text);
    choose(&course, integrator, order, tolerance);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    lb_start_course(&course);
    double worst = 0.0;
    for (int i = 1; i * o.interval <= o.duration * (1.0 + 1e-12); ++i) {
        lb_go_to(&course, i * o.interval);
        worst = fmax(worst, get(&course, i * o.interval));
    }
    lb_end_course(&course);
    return worst;
}

// ---- closed forms --------------------------------------------------------------------------------

static const char oscillator[] =
    "limber: 1\n"
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
    "forces: [{name: k, type: spring, hinge: a, stiffness: 1}]\n"
    "initial: {a: {distance: 1}}\n"
    "run: {duration: 20, interval: 0.0937}\n";

static double get_oscillator_error(const lb_course *course, double t)
{
    return fmax(fabs(course->q[0] - cos(t)), fabs(course->v[0] + sin(t)));
}

static void rows_follow_an_oscillation_at_every_order(void **state)
{
    (void)state;
    static const int orders[] = {3, 4, 5, 6, 8};
    for (int j = 0; j < 5; ++j) {
        for (int k = 4; k <= (orders[j] < 5 ? 8 : 12); k += 2) {
            const double tolerance = pow(10.0, -k);
            const lb_audit audit = count(oscillator, LB_INTEGRATOR_ERK, orders[j], tolerance);
            const double error =
                measure(oscillator, LB_INTEGRATOR_ERK, orders[j], tolerance, get_oscillator_error);
            // a step may be off by half the tolerance, and all errors may have one sign; of numbers near 1,
            // steps leave round-off
            const double most = 0.5 * tolerance * audit.steps + 1e-16 * audit.steps;
            print_message("erk %d, %.0e: %.0f steps, %.0f evaluations, error %.1e of %.1e\n",
                          orders[j], tolerance, audit.steps, audit.evaluations, error, most);
            lb_expect_below("error", error, most);
        }
    }
}

static void rows_of_multistep_methods_follow_it_as_well(void **state)
{
    (void)state;
    static const lb_integrator integrators[] = {LB_INTEGRATOR_ADAMS, LB_INTEGRATOR_BDF};
    for (int j = 0; j < 2; ++j) {
        for (int k = 4; k <= 12; k += 4) {
            const double tolerance = pow(10.0, -k);
            const lb_audit audit = count(oscillator, integrators[j], 0, tolerance);
            const double error =
                measure(oscillator, integrators[j], 0, tolerance, get_oscillator_error);
            lb_expect_below("error", error, (0.5 * tolerance + 1e-16) * audit.steps);
        }
    }
}

// Kepler's equation by Newton's method; a = 1 and mu = 1 in the units of the orbit.
static double get_anomaly(double mean, double eccentricity)
{
    double E = mean;
    for (int i = 0; i < 50; ++i) {
        E -= (E - eccentricity * sin(E) - mean) / (1.0 - eccentricity * cos(E));
    }
    return E;
}

enum { ORBIT_PARTS = 2 };
static const double orbit_scales[ORBIT_PARTS][2] = {{1.0e7, 3.986004418e14}, {1.0e-5, 1.0e-17}};
static int orbit; // which of them

static void write_orbit(char *text, size_t size)
{
    const double a = orbit_scales[orbit][0], mu = orbit_scales[orbit][1];
    const double n = sqrt(mu / (a * a * a));
    snprintf(text, size,
             "limber: 1\n"
             "bodies: [{name: a, hinge: {type: translational}, mass: 1}]\n"
             "forces: [{name: sun, type: gravity-point, mu: %.17g}]\n"
             "initial: {a: {position: [%.17g, 0, 0], velocity: [0, %.17g, 0]}}\n"
             "run: {duration: %.17g, interval: %.17g}\n",
             mu, 0.5 * a, a * n * sqrt(3.0), 14.0 / n, 0.0713 / n);
}

static double get_orbit_error(const lb_course *course, double t)
{
    const double a = orbit_scales[orbit][0], n = sqrt(orbit_scales[orbit][1] / (a * a * a));
    const double E = get_anomaly(n * t, 0.5), rate = a * n / (1.0 - 0.5 * cos(E));
    const double p[2] = {a * (cos(E) - 0.5), a * sqrt(0.75) * sin(E)};
    const double v[2] = {-rate * sin(E), rate * sqrt(0.75) * cos(E)};
    return fmax(hypot(course->q[0] - p[0], course->q[1] - p[1]) / a,
                hypot(course->v[0] - v[0], course->v[1] - v[1]) / (a * n));
}

static void rows_follow_an_orbit_of_any_size(void **state)
{
    (void)state;
    static const int orders[] = {5, 6, 8};
    for (orbit = 0; orbit < ORBIT_PARTS; ++orbit) {
        char text[1024];
        write_orbit(text, sizeof text);
        for (int j = 0; j < 3; ++j) {
            for (int k = 5; k <= 11; k += 3) {
                const double tolerance = pow(10.0, -k);
                const lb_audit audit = count(text, LB_INTEGRATOR_ERK, orders[j], tolerance);
                const double error =
                    measure(text, LB_INTEGRATOR_ERK, orders[j], tolerance, get_orbit_error);
                print_message("orbit %d, erk %d, %.0e: %.0f steps, %.0f evaluations, error %.1e\n",
                              orbit, orders[j], tolerance, audit.steps, audit.evaluations, error);
                // 30: an error of the energy becomes one of the phase, which grows by 3 pi with each turn
                lb_expect_below("error", error, 30.0 * (0.5 * tolerance + 1e-16) * audit.steps);
            }
        }
    }
}

// Pushed one way more than the other: the force has a kink at 0, inside of steps.
static const char kinked[] =
    "limber: 1\n"
    "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
    "forces: [{name: k, type: motor, hinge: a, value: -2.5*a.distance - 1.5*abs(a.distance)}]\n"
    "initial: {a: {distance: 1}}\n"
    "run: {duration: 20, interval: 0.0937}\n";

// Half a period of pi/4 ... each: rate 2 above 0 and 1 below.
static double get_kinked_error(const lb_course *course, double t)
{
    static const double pi = 3.14159265358979323846;
    double q, v, s = fmod(t + 0.25 * pi, 1.5 * pi);
    if (s < 0.5 * pi) {
        q = sin(2.0 * s);
        v = 2.0 * cos(2.0 * s);
    } else {
        q = -2.0 * sin(s - 0.5 * pi);
        v = -2.0 * cos(s - 0.5 * pi);
    }
    return fmax(fabs(course->q[0] - q), fabs(course->v[0] - v));
}

static void rows_do_not_suffer_from_a_kink_in_a_step(void **state)
{
    (void)state;
    static const int orders[] = {5, 8};
    for (int j = 0; j < 2; ++j) {
        const lb_audit audit = count(kinked, LB_INTEGRATOR_ERK, orders[j], 1e-7);
        const double error = measure(kinked, LB_INTEGRATOR_ERK, orders[j], 1e-7, get_kinked_error);
        print_message("kink, erk %d: %.0f steps, %.0f evaluations, error %.1e\n", orders[j],
                      audit.steps, audit.evaluations, error);
        // 2: the largest distance and speed
        lb_expect_below("error", error, 2.0 * 0.5 * 1e-7 * audit.steps);
    }
}

// The force sin(t^2): among phases of all kinds are those at which every second level changes little by chance.
static void rows_follow_a_force_whose_rate_grows(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
        "forces: [{name: f, type: motor, hinge: a, value: sin(t^2)}]\n"
        "run: {duration: 30, interval: 0.03}\n";
    lb_course between = lb_begin_course(text), at = lb_begin_course(text);
    choose(&between, LB_INTEGRATOR_ERK, 8, 1e-11);
    choose(&at, LB_INTEGRATOR_ERK, 8, 1e-13);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(at.simulation, &o);
    o.stop_at_outputs = true;
    lb_expect_ok(lb_set_run_options(at.simulation, &o));
    lb_start_course(&between);
    lb_start_course(&at);
    double worst = 0.0;
    for (int row = 1; row <= 1000; ++row) {
        lb_go_to(&between, 0.03 * row);
        lb_go_to(&at, 0.03 * row);
        worst = fmax(worst, fabs(between.v[0] - at.v[0]));
    }
    // the tolerance of a speed of 0.9: steps alone are off by 1e-13, as they govern the distance
    lb_expect_below("speed", worst, 1e-11 * 0.9);
    lb_end_course(&between);
    lb_end_course(&at);
}

// Adams' formulas of high order, whose steps end at rows or at narrow features of time, are as good as others.
static void steps_that_are_cut_short_do_not_spoil_adams(void **state)
{
    (void)state;
    const struct {
        const char *value;
        double duration, tolerance;
    } cases[] = {{"sin(100*t)", 100.0, 1e-11},
                 {"sin(t)^400", 20.0, 1e-11},
                 {"1/(1 + ((t - 5)/0.01)^2)", 10.0, 1e-8},
                 {"1 + exp(-((t - 5)/0.001)^2)", 10.0, 1e-9}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[512];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
                 "forces: [{name: f, type: motor, hinge: a, value: %s}]\n"
                 "run: {duration: %g, interval: %g}\n",
                 cases[k].value, cases[k].duration, cases[k].duration / 1000.0);
        lb_course course = lb_begin_course(text), other = lb_begin_course(text);
        choose(&course, LB_INTEGRATOR_ADAMS, 0, cases[k].tolerance);
        choose(&other, LB_INTEGRATOR_ERK, 8, 1e-2 * cases[k].tolerance);
        lb_start_course(&course);
        lb_start_course(&other);
        double worst = 0.0, size = 0.0;
        for (int row = 1; row <= 1000; ++row) {
            const double t = row * cases[k].duration / 1000.0;
            lb_go_to(&course, t);
            lb_go_to(&other, t);
            worst = fmax(worst, fabs(course.v[0] - other.v[0]));
            size = fmax(size, fabs(other.v[0]));
        }
        print_message("%s: off by %.1e tolerances\n", cases[k].value,
                      worst / (size * cases[k].tolerance));
        // a hundred: errors of thousands of steps add up, to 44 where it was tried; it was 300 to 100,000
        lb_expect_below(cases[k].value, worst, 100.0 * cases[k].tolerance * size);
        lb_end_course(&course);
        lb_end_course(&other);
    }
}

// ---- loops ---------------------------------------------------------------------------------------

// Quaternions, loops and modes: rows between steps and rows that steps end at agree.
static void rows_of_mechanisms_agree_with_steps_that_end_there(void **state)
{
    (void)state;
    static const char *const names[] = {"spatial_slider_crank.yaml", "flexible_slider_crank.yaml",
                                        "hinged_cubes.yaml"};
    for (int i = 0; i < 3; ++i) {
        lb_course between = lb_begin_example(names[i]), at = lb_begin_example(names[i]);
        choose(&between, LB_INTEGRATOR_ERK, 8, 1e-8);
        choose(&at, LB_INTEGRATOR_ERK, 8, 1e-11);
        lb_run_options o = {.size = sizeof o};
        lb_get_run_options(at.simulation, &o);
        o.stop_at_outputs = true;
        lb_expect_ok(lb_set_run_options(at.simulation, &o));
        lb_start_course(&between);
        lb_start_course(&at);
        double worst = 0.0, size = 0.0;
        for (int row = 1; row <= 40; ++row) {
            const double t = 0.00513 * row;
            lb_go_to(&between, t);
            lb_go_to(&at, t);
            for (int k = 0; k < at.v_count; ++k) {
                worst = fmax(worst, fabs(between.v[k] - at.v[k]));
                size = fmax(size, fabs(at.v[k]));
            }
        }
        print_message("%s: off by %.1e of %.1e\n", names[i], worst, size);
        // 1e-6: a hundred steps of 1e-8
        lb_expect_below("speed", worst, 1e-6 * size);
        lb_end_course(&between);
        lb_end_course(&at);
    }
}

// A step with rows in it takes few evaluations more than two: 13, 10 or 15 for its polynomial, and those of the rates
// at its ends. A row takes one more, for its accelerations.
static void rows_between_steps_are_cheap(void **state)
{
    (void)state;
    const lb_audit audit = count(oscillator, LB_INTEGRATOR_ERK, 8, 1e-10);
    assert_true(audit.evaluations <= 30.0 * (audit.steps + audit.rejections) + audit.rows);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_an_oscillation_at_every_order),
        cmocka_unit_test(rows_of_multistep_methods_follow_it_as_well),
        cmocka_unit_test(rows_follow_an_orbit_of_any_size),
        cmocka_unit_test(rows_do_not_suffer_from_a_kink_in_a_step),
        cmocka_unit_test(rows_follow_a_force_whose_rate_grows),
        cmocka_unit_test(steps_that_are_cut_short_do_not_spoil_adams),
        cmocka_unit_test(rows_of_mechanisms_agree_with_steps_that_end_there),
        cmocka_unit_test(rows_between_steps_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
