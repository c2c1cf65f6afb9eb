// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Responses of loops as they sample, against runs, against each other, and against a rate at which sampling does not
// matter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/linear.h"
#include "limber/spectra.h"

static lb_linear *linearize(lb_course *course, const char *input, const char *output)
{
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.control = LB_CONTROL_CONTINUOUS;
    options.inputs = &input;
    options.input_count = 1;
    options.outputs = &output;
    options.output_count = 1;
    if (lb_linearize(course->simulation, &options, &linear) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return linear;
}

static double find_square(const char *text, double low, double high, double *crossings)
{
    lb_course course = lb_begin_course(text);
    lb_linear *linear = linearize(&course, "dist", "b.angle");
    const int points = high > 0.0 ? 2 : 1;
    const double frequencies[] = {low, high}, densities[] = {1.0, 1.0};
    double square;
    assert_true(linear->stable);
    lb_expect_ok(
        lb_compute_random_response(linear, &points, frequencies, densities, &square, crossings));
    lb_destroy_linear(linear);
    lb_end_course(&course);
    return square;
}

// Two bodies on one axis; the loop reads the first with two delays that differ, by a sensor that samples three times in
// two periods, and the actuator lags.
#define BODIES                                                                                     \
    "limber: 1\nbodies:\n"                                                                         \
    "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 0.5, 0, 0, " \
    "0]}\n"                                                                                        \
    "  - {name: b, parent: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, " \
    "0.2, 0, 0, 0]}\n"                                                                             \
    "forces:\n"                                                                                    \
    "  - {name: k, type: spring, hinge: b, stiffness: 40}\n"                                       \
    "  - {name: c, type: damper, hinge: b, damping: 0.3}\n"                                        \
    "  - {name: m, type: actuator, hinge: a, lag: 0.02}\n"
#define LOOP                                                                                       \
    "controllers:\n"                                                                               \
    "  - {name: ctl, rate: 10, sensors: [{name: s, signal: a.angle, delay: 0.07, rate: 15},\n"     \
    "     {name: r, signal: a.rate}], actuators: [{actuator: m, position: s, speed: r, desired: "  \
    "0}],\n     law: {type: pid, kp: 1.5, kd: 1}}\n"

// A torque of 7.3 Hz, which sampling at 10 Hz makes one of 2.7 Hz as well, and of 12.7 and so on: a run that has
// settled has the same mean square, and the same part at 7.3 Hz.
static void a_sine_above_half_the_rate_does_what_a_run_does(void **state)
{
    (void)state;
    enum { SAMPLES = 4000 };
    const double f = 7.3, turn = 8.0 * atan(1.0), settled = 80.0, span = 10.0;
    lb_course course = lb_begin_course(
        BODIES "  - {name: dist, type: motor, hinge: b, value: {sine: {amplitude: 1, rate: "
               "45.867252742410976}}}\n" LOOP
               "run: {duration: 100, integrator: {type: erk, order: 8, tolerance: 1.0e-11}}\n");
    lb_linear *linear = linearize(&course, "dist", "b.angle");
    double response[2], parts[2] = {0.0, 0.0}, square = 0.0, mean;
    assert_true(linear->stable);
    lb_expect_ok(lb_compute_response(linear, 1, &f, response));
    // of one line: a narrow band of density 1 / width has the mean square of half an amplitude of 1, squared
    const int points = 2;
    const double band[] = {f - 5e-7, f + 5e-7}, densities[] = {0.5e6, 0.5e6};
    lb_expect_ok(lb_compute_random_response(linear, &points, band, densities, &mean, NULL));
    lb_destroy_linear(linear);
    lb_start_course(&course);
    for (int i = 0; i < SAMPLES; ++i) {
        const double t = settled + span * i / SAMPLES;
        const double *q;
        assert_true(lb_go_to(&course, t) >= 0);
        lb_get_simulation_state(course.simulation, NULL, &q, NULL, NULL);
        square += q[1] * q[1] / SAMPLES;
        parts[0] += 2.0 * q[1] * sin(turn * f * t) / SAMPLES;
        parts[1] += 2.0 * q[1] * cos(turn * f * t) / SAMPLES;
    }
    // 1e-6: what is left of the beginning after 80 s, and 400 samples a second of what samples of the loop bend
    lb_expect_near("mean square", mean, square, 1e-6);
    assert_true(hypot(response[0] - parts[0], response[1] - parts[1]) <
                1e-6 * hypot(response[0], response[1]));
    // the part at its own frequency is not all
    assert_true(hypot(response[0], response[1]) < sqrt(2.0 * mean) * (1.0 - 1e-4));
    lb_end_course(&course);
}

// White noise by the covariance of samples, and by the integral over the frequency: the rest above a high frequency falls
// with it, so that two of them tell it.
static void white_noise_is_the_limit_of_wide_bands(void **state)
{
    (void)state;
    static const char text[] = BODIES "  - {name: dist, type: motor, hinge: b, value: 0}\n" LOOP;
    double crossings[3];
    const double white = find_square(text, 0.0, 0.0, &crossings[0]);
    const double wide = find_square(text, 1e-4, 100.0, &crossings[1]);
    const double wider = find_square(text, 1e-4, 200.0, &crossings[2]);
    // 1e-4 Hz of the static response, 1 / 1.5, is left out below
    const double below = 1e-4 * find_square(text, 1e-5, 2e-5, NULL) / 1e-5;
    lb_expect_near("mean square", wider + (wider - wide) + below, white, 1e-6);
    assert_true(fabs(crossings[2] - crossings[0]) < fabs(crossings[1] - crossings[0]));
}

// At a high rate without delays the loop is a spring and a damper.
static void fast_samples_do_what_a_spring_and_a_damper_do(void **state)
{
    (void)state;
    static const char plain[] = BODIES "  - {name: dist, type: motor, hinge: b, value: 0}\n"
                                       "  - {name: ka, type: spring, hinge: a, stiffness: 1.5}\n"
                                       "  - {name: ca, type: damper, hinge: a, damping: 1}\n";
    static const char fast[] = "limber: 1\nbodies:\n"
                               "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                               "inertia: [1, 1, 0.5, 0, 0, 0]}\n"
                               "  - {name: b, parent: a, hinge: {type: revolute, axis: [0, 0, 1]}, "
                               "mass: 1, inertia: [1, 1, 0.2, 0, 0, 0]}\n"
                               "forces:\n"
                               "  - {name: k, type: spring, hinge: b, stiffness: 40}\n"
                               "  - {name: c, type: damper, hinge: b, damping: 0.3}\n"
                               "  - {name: m, type: actuator, hinge: a}\n"
                               "  - {name: dist, type: motor, hinge: b, value: 0}\n"
                               "controllers:\n"
                               "  - {name: ctl, rate: 20000, actuators: [{actuator: m, desired: "
                               "0}], law: {type: pid, kp: 1.5, kd: 1}}\n";
    double crossings[2];
    // half a period of delay, 25 us, against a second: about 1e-4
    lb_expect_near("white", find_square(fast, 0.0, 0.0, &crossings[0]),
                   find_square(plain, 0.0, 0.0, &crossings[1]), 3e-4);
    lb_expect_near("crossings", crossings[0], crossings[1], 3e-4);
    lb_expect_near("band", find_square(fast, 0.5, 5.0, NULL), find_square(plain, 0.5, 5.0, NULL),
                   3e-4);
}

// Where the continuous model of a loop grows, the loop as it samples has its response all the same.
static void a_loop_that_is_stable_as_it_samples_has_a_response(void **state)
{
    (void)state;
    char *text = lb_read_example("../test/cases/above_nyquist.yaml");
    char *rate = strstr(text, "rate: 55");
    assert_non_null(rate);
    memcpy(rate, "rate: 22", 8);
    double crossings;
    const double band = find_square(text, 0.5, 60.0, &crossings);
    // twice the decay of the mode that rings, 0.0651 1/s, and its moment of inertia, 1 / (1 / 0.5 + 1 / 0.05):
    // a white torque leaves S / (4 J^2 w^2 decay) of it
    const double J = 0.5 * 0.05 / 0.55, w = 188.578, decay = 0.06510551;
    lb_expect_near("mean square", band, 1.0 / (8.0 * J * J * w * w * decay), 0.05);
    free(text);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sine_above_half_the_rate_does_what_a_run_does),
        cmocka_unit_test(white_noise_is_the_limit_of_wide_bands),
        cmocka_unit_test(fast_samples_do_what_a_spring_and_a_damper_do),
        cmocka_unit_test(a_loop_that_is_stable_as_it_samples_has_a_response),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
