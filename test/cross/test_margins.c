// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Margins of closed loops: against closed forms, and against the poles of loops that are just stable.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/linear.h"

static const double pi = 3.14159265358979323846;

static lb_margins *compute(lb_course *course)
{
    const lb_linear_options options = lb_default_linear_options();
    lb_margins *margins = NULL;
    if (lb_compute_margins(course->simulation, &options, &margins) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    assert_int_equal(margins->size, sizeof *margins);
    return margins;
}

// L = a z^-n / (z - 1), the speed of a rotor n samples late: |L| = 1 where 2 sin(x/2) = a, at a phase of
// -(pi + x)/2 - n x; real and negative where that is -pi.
static void a_late_integrator_has_the_margins_of_the_textbook(void **state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies:\n"
                 "  - {name: rotor, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
                 "     inertia: [1, 1, 2, 0, 0, 0]}\n"
                 "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
                 "controllers:\n"
                 "  - {name: hold, rate: 20,\n"
                 "     sensors: [{name: gyro, signal: rotor.rate, delay: %g}],\n"
                 "     actuators: [{actuator: motor, speed: gyro, desired: 0}],\n"
                 "     law: {type: pid, kp: 0, kd: 9}}\n",
                 0.05 * n);
        lb_course course = lb_begin_course(text);
        lb_margins *m = compute(&course);
        const double T = 0.05, a = 9 * T / 2, x = 2 * asin(a / 2), turn = pi / (2 * n + 1);
        const double phase = 0.5 * (pi - x) - n * x;
        assert_int_equal(m->feedback_count, 1);
        assert_true(m->stable && m->closed[0]);
        // 1e-12: crossings are found to round-off
        lb_expect_near("gain", m->gain_up[0], 2 * sin(turn / 2) / a, 1e-12);
        lb_expect_near("at", m->gain_up_frequency[0], turn / (2 * pi * T), 1e-12);
        lb_expect_near("phase", m->phase[0], phase, 1e-12);
        lb_expect_near("at", m->phase_frequency[0], x / (2 * pi * T), 1e-12);
        lb_expect_near("delay", m->delay[0], phase / x * T, 1e-12);
        assert_true(m->gain_down[0] == 0.0 && isnan(m->gain_down_frequency[0]));
        // the loop itself, with the pole at 0 Hz and a crossing
        const lb_linear_options options = lb_default_linear_options();
        const double frequencies[] = {0.0, 0.3, x / (2 * pi * T), 7.0, 13.0};
        double L[10];
        lb_expect_ok(
            lb_compute_loop_response(course.simulation, &options, "hold.motor", 5, frequencies, L));
        assert_true(isnan(L[0]) && isnan(L[1]));
        for (int i = 1; i < 5; ++i) {
            const double angle = 2 * pi * frequencies[i] * T, late = -n * angle;
            // 1 / (z - 1) = -1/2 - i/2 cot(angle / 2)
            const double re = -0.5, im = -0.5 / tan(0.5 * angle);
            const double expected[] = {a * (re * cos(late) - im * sin(late)),
                                       a * (re * sin(late) + im * cos(late))};
            lb_expect_close("loop", L + 2 * i, expected, 2, 1e-12);
        }
        lb_expect_near("crossing", hypot(L[4], L[5]), 1.0, 1e-12);
        assert_int_equal(
            lb_compute_loop_response(course.simulation, &options, "hold.brake", 1, frequencies, L),
            LB_E_ARGUMENT);
        assert_non_null(strstr(lb_get_simulation_message(course.simulation), "hold.brake"));
        lb_destroy_margins(m);
        lb_end_course(&course);
    }
}

// With a = 1 one more sample of delay leaves z^2 - z + 1 = 0, on the unit circle: the margin is one period.
static void a_delay_as_long_as_its_margin_makes_a_loop_swing(void **state)
{
    (void)state;
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "bodies:\n"
                        "  - {name: rotor, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
                        "     inertia: [1, 1, 2, 0, 0, 0]}\n"
                        "forces: [{name: motor, type: actuator, hinge: rotor}]\n"
                        "controllers:\n"
                        "  - {name: hold, rate: 20, actuators: [{actuator: motor, desired: 0}],\n"
                        "     law: {type: pid, kp: 0, kd: 40}}\n");
    lb_margins *m = compute(&course);
    lb_expect_near("delay", m->delay[0], 0.05, 1e-12);
    lb_expect_near("gain", m->gain_up[0], 2.0, 1e-12);
    lb_destroy_margins(m);
    lb_end_course(&course);
}

// A pendulum on its head, held by 25 N m/rad against 10: two fifths of the gain just hold it.
static void what_falls_has_a_smallest_gain(void **state)
{
    (void)state;
    lb_course course =
        lb_begin_course("limber: 1\n"
                        "gravity: [0, 0, -10]\n"
                        "bodies:\n"
                        "  - {name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2,\n"
                        "     com: [0, 0, 0.5], inertia: [0, 0, 0, 0, 0, 0]}\n"
                        "forces: [{name: motor, type: actuator, hinge: bob}]\n"
                        "controllers:\n"
                        "  - {name: hold, rate: 50, actuators: [{actuator: motor, desired: 0}],\n"
                        "     law: {type: pid, kp: 25, kd: 5}}\n");
    lb_margins *m = compute(&course);
    assert_true(m->stable);
    lb_expect_near("gain", m->gain_down[0], 0.4, 1e-12);
    assert_true(m->gain_down_frequency[0] == 0.0);
    lb_destroy_margins(m);
    lb_end_course(&course);
}

// Largest multiplier of what is not rigid.
static double find_radius(const char *text)
{
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *l = NULL;
    double radius = 0.0;
    options.control = LB_CONTROL_DISCRETE;
    lb_expect_ok(lb_linearize(course.simulation, &options, &l));
    for (int i = l->zero_count; i < l->state_count; ++i) {
        radius = fmax(radius, hypot(l->multipliers[2 * i], l->multipliers[2 * i + 1]));
    }
    lb_destroy_linear(l);
    lb_end_course(&course);
    return radius;
}

// The satellite with the gain of one wheel as high as its margin allows, the others as they are.
static void at_its_margin_a_loop_is_just_stable(void **state)
{
    (void)state;
    static const char *const wheels[] = {"hinge: wheel x", "hinge: wheel y", "hinge: wheel z"};
    char *example = lb_read_example("satellite.yaml");
    lb_course course = lb_begin_course(example);
    lb_margins *m = compute(&course);
    assert_int_equal(m->feedback_count, 3);
    assert_true(m->stable);
    for (int i = 0; i < 3; ++i) {
        double radius[2];
        for (int side = 0; side < 2; ++side) {
            const char *at = strstr(example, wheels[i]) + strlen(wheels[i]);
            const size_t size = strlen(example) + 64;
            char *text = malloc(size);
            snprintf(text, size, "%.*s, gain: %.15g%s", (int)(at - example), example,
                     m->gain_up[i] * (side ? 1 + 1e-6 : 1 - 1e-6), at);
            radius[side] = find_radius(text);
            free(text);
        }
        print_message("%s: %g at %g Hz, |z| %.9g and %.9g\n", m->feedbacks[i], m->gain_up[i],
                      m->gain_up_frequency[i], radius[0], radius[1]);
        assert_true(radius[0] < 1.0 && radius[1] > 1.0);
    }
    lb_destroy_margins(m);
    lb_end_course(&course);
    free(example);
}

static void unstable_loops_say_so(void **state)
{
    (void)state;
    char *example = lb_read_example("satellite.yaml");
    const char *at = strstr(example, "hinge: wheel x") + 14;
    const size_t size = strlen(example) + 64;
    char *text = malloc(size);
    snprintf(text, size, "%.*s, gain: -1%s", (int)(at - example), example, at);
    lb_course course = lb_begin_course(text);
    lb_margins *m = compute(&course);
    assert_false(m->stable);
    lb_destroy_margins(m);
    lb_end_course(&course);
    free(text);
    free(example);
}

static void margins_need_feedbacks_of_one_rate(void **state)
{
    (void)state;
    static const char text[] = "limber: 1\n"
                               "bodies:\n"
                               "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                               "  - {name: b, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                               "forces:\n"
                               "  - {name: f, type: actuator, hinge: a}\n"
                               "  - {name: g, type: actuator, hinge: b}\n"
                               "controllers:\n"
                               "  - {name: one, rate: 10, actuators: [{actuator: f, desired: 0}], "
                               "law: {type: pid, kp: 1, kd: 1}}\n"
                               "  - {name: two, rate: 20, actuators: [{actuator: g, desired: 0}], "
                               "law: {type: pid, kp: 1, kd: 1}}\n";
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_margins *m = NULL;
    assert_int_equal(lb_compute_margins(course.simulation, &options, &m), LB_E_UNSUPPORTED);
    assert_null(m);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "one rate"));
    options.open = (const char *const[]){"two"};
    options.open_count = 1;
    lb_expect_ok(lb_compute_margins(course.simulation, &options, &m));
    assert_true(isfinite(m->phase[0]) && isnan(m->phase[1]));
    lb_destroy_margins(m);
    options.open = (const char *const[]){"all"};
    assert_int_equal(lb_compute_margins(course.simulation, &options, &m), LB_E_ARGUMENT);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_integrator_has_the_margins_of_the_textbook),
        cmocka_unit_test(a_delay_as_long_as_its_margin_makes_a_loop_swing),
        cmocka_unit_test(what_falls_has_a_smallest_gain),
        cmocka_unit_test(at_its_margin_a_loop_is_just_stable),
        cmocka_unit_test(unstable_loops_say_so),
        cmocka_unit_test(margins_need_feedbacks_of_one_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
