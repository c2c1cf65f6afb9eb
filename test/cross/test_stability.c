// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One judgement of stability: of rigid motions, sampled loops, responses and equations that change along the
// motion; against closed forms, and against runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/linear.h"
#include "limber/spectra.h"
#include "linear/stability/response_growth.h"

static lb_linear *linearize(lb_course *course, lb_control_model control, const char *input,
                            const char *output)
{
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.control = control;
    options.inputs = &input;
    options.input_count = input ? 1 : 0;
    options.outputs = &output;
    options.output_count = output ? 1 : 0;
    if (lb_linearize(course->simulation, &options, &linear) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return linear;
}

static lb_margins *find_margins(lb_course *course, const double *q, const double *v)
{
    lb_linear_options options = lb_default_linear_options();
    lb_margins *margins = NULL;
    options.q = q;
    options.v = v;
    if (lb_compute_margins(course->simulation, &options, &margins) < 0) {
        fail_msg("%s", lb_get_simulation_message(course->simulation));
    }
    return margins;
}

// A satellite that still turns by a little has the margins of one at rest: its slow rotation takes no part.
static void what_a_slew_leaves_is_not_growth(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/after_slew.yaml");
    lb_margins *rest = find_margins(&course, NULL, NULL);
    assert_true(rest->stable);
    for (int k = 0; k < 4; ++k) {
        // rates of the hub in its own axes, from what is left at 60 s to ten times what is left at 30 s
        static const double rates[] = {2.1e-6, 3.7e-5, 8.6e-4, 1.1e-2};
        double q[16] = {0}, v[16] = {0};
        lb_get_neutral_configuration(course.model, q);
        v[0] = 0.6 * rates[k];
        v[1] = -0.5 * rates[k];
        v[2] = 0.62 * rates[k];
        lb_margins *m = find_margins(&course, q, v);
        assert_true(m->stable && m->growth[0] == 0.0);
        for (int i = 0; i < 3; ++i) {
            // the gyroscopic moments of these rates, beside a crossing at 0.05 Hz
            lb_expect_near("gain", m->gain_up[i], rest->gain_up[i], 1e-3);
            lb_expect_near("phase", m->phase[i], rest->phase[i], 2e-2);
            // the loop is an integrator twice over: at the slowest rate its gain passes 1e10 where the phase crosses
            assert_true(k > 0 || m->gain_down[i] == 0.0);
        }
        lb_destroy_margins(m);
    }
    lb_expect_near("gain", rest->gain_up[0], 49.863, 1e-5);
    lb_expect_near("phase", rest->phase[0] * 180.0 / acos(-1.0), 67.592, 1e-5);
    lb_destroy_margins(rest);
    lb_end_course(&course);
}

// The wheel's own oscillator, J w'' + c w' + k w = u with J = J_w J_h / (J_w + J_h): the integral of (SPC-4) by
// the trapezium rule is the second road.
static void a_spin_that_nobody_sees_leaves_a_response(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/spinning_free.yaml");
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, "wheel.motor", "wheel.angle");
    const int points = 2;
    const double frequencies[] = {0.01, 10.0}, densities[] = {1.0, 1.0};
    double square = 0.0, sum = 0.0;
    lb_expect_ok(
        lb_compute_random_response(linear, &points, frequencies, densities, &square, NULL));
    const double J = 0.04 * 8.0 / 8.04;
    enum { STEPS = 2000000 };
    for (int i = 0; i <= STEPS; ++i) {
        const double f = 0.01 + 9.99 * i / STEPS, w = 6.283185307179586 * f;
        const double a = 5.0 - J * w * w, b = 0.05 * w;
        sum += (i % STEPS ? 1.0 : 0.5) * 9.99 / STEPS / (a * a + b * b);
    }
    // 1e-9: the trapezium rule with 6000 steps in a bandwidth
    lb_expect_near("mean square", square, sum, 1e-9);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// A pole of the sampled loop above half its rate. Source: ../shared/cases, where the run grows by as much.
static void sampled_loops_are_judged_as_they_sample(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/above_nyquist.yaml");
    for (int control = LB_CONTROL_CONTINUOUS; control <= LB_CONTROL_DISCRETE; ++control) {
        lb_linear *linear = linearize(&course, (lb_control_model)control, "dist", "a.angle");
        double growth[2];
        assert_false(linear->stable);
        lb_expect_near("growth", linear->growth[0], 0.01805, 5e-4);
        lb_expect_ok(lb_find_response_growth(linear, growth));
        assert_true(growth[0] == linear->growth[0]);
        lb_destroy_linear(linear);
    }
    lb_linear *linear = linearize(&course, LB_CONTROL_CONTINUOUS, "dist", "a.angle");
    const int points = 2;
    const double frequencies[] = {0.5, 60.0}, densities[] = {1.0, 1.0};
    double square;
    assert_int_equal(
        lb_compute_random_response(linear, &points, frequencies, densities, &square, NULL),
        LB_E_UNSUPPORTED);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// s^2 m l^2 + c s - m g l = 0
static void an_inverted_pendulum_grows(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/sine_unstable.yaml");
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, "p.motor", "p.angle");
    double growth[2];
    assert_false(linear->stable);
    lb_expect_near("growth", linear->growth[0], -0.25 + sqrt(0.0625 + 9.81), 1e-12);
    lb_expect_ok(lb_find_response_growth(linear, growth));
    assert_true(growth[0] > 0.0);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// What grows elsewhere does not change a response; the same two models by themselves are the second road.
static void growth_that_no_input_moves_leaves_a_response(void **state)
{
    (void)state;
    static const char oscillator[] =
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n";
    static const char inverted[] =
        "  - {name: p, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, 1]}\n";
    double squares[2];
    for (int both = 0; both < 2; ++both) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n%s%s"
                 "forces:\n  - {name: k, type: spring, hinge: a, stiffness: 80}\n"
                 "  - {name: c, type: damper, hinge: a, damping: 0.3}\n",
                 oscillator, both ? inverted : "");
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, "a.motor", "a.distance");
        const int points = 2;
        const double frequencies[] = {0.1, 5.0}, densities[] = {1.0, 1.0};
        double growth[2];
        assert_true(linear->stable == !both);
        lb_expect_ok(lb_find_response_growth(linear, growth));
        assert_true(growth[0] == 0.0);
        lb_expect_ok(lb_compute_random_response(linear, &points, frequencies, densities,
                                                &squares[both], NULL));
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
    lb_expect_near("mean square", squares[1], squares[0], 1e-12);
}

// Weak growth beside fast modes is still growth: k = -m w^2 with w = 1e-6 rad/s, beside 1e4 rad/s.
static void slow_growth_beside_fast_modes_is_growth(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\nbodies:\n"
        "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "  - {name: b, parent: a, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "forces:\n"
        "  - {name: k, type: spring, hinge: b, stiffness: 1.0e8}\n"
        "  - {name: n, type: motor, hinge: a, value: \"2e-12*a.distance\"}\n");
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
    assert_false(linear->stable);
    // both masses move: 2e-12 / 2
    lb_expect_near("growth", linear->growth[0], 1e-6, 1e-6);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- equations that change along the motion ------------------------------------------------------

static void check_change(const char *name, const char *what)
{
    char path[100];
    snprintf(path, sizeof path, "../test/cases/%s", name);
    lb_course course = lb_begin_example(path);
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
    lb_modes *modes = NULL;
    lb_linear_options options = lb_default_linear_options();
    options.about = LB_ABOUT_REST;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    assert_string_equal(linear->changes, what);
    assert_string_equal(modes->changes, what);
    lb_destroy_modes(modes);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

static void driven_motions_that_change_the_equations_are_named(void **state)
{
    (void)state;
    check_change("driven_rotor.yaml", "rot.angle");
    check_change("driven_pivot.yaml", "pivot.distance");
}

// A rotor whose inertias are equal leaves the equations as they are, at any speed.
static void a_symmetric_rotor_changes_nothing(void **state)
{
    (void)state;
    for (int equal = 0; equal < 2; ++equal) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n"
                 "  - {name: sup, hinge: {type: universal, axes: [[1,0,0],[0,1,0]]}, mass: 1,\n"
                 "     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
                 "  - {name: rot, parent: sup, hinge: {type: revolute, axis: [0,0,1]}, mass: 2,\n"
                 "     inertia: [0.1, %g, 0.25, 0, 0, 0]}\n"
                 "forces:\n"
                 "  - {name: kx, type: spring, hinge: sup.0, stiffness: 300}\n"
                 "  - {name: ky, type: spring, hinge: sup.1, stiffness: 300}\n"
                 "  - {name: spin, type: motion, hinge: rot, speed: 90}\n",
                 equal ? 0.1 : 0.2);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
        assert_true((linear->changes[0] == '\0') == equal);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

static void expect_change(const char *text, const char *what)
{
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
    lb_modes *modes = NULL;
    assert_string_equal(linear->changes, what);
    options.about = LB_ABOUT_REST;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    assert_string_equal(modes->changes, what);
    lb_destroy_modes(modes);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

#define MASS                                                                                       \
    "limber: 1\n"                                                                                  \
    "signals: {k: \"1 + 0.6*cos(2*t)\"}\n"                                                         \
    "bodies: [{name: h, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}]\n"                    \
    "forces: [{name: f, type: motor, hinge: h, value: \""

// Nothing moves, and yet the stiffness changes; also where it is zero to begin with.
static void functions_of_time_that_change_the_equations_are_named(void **state)
{
    (void)state;
    expect_change(MASS "-(1 + 0.6*cos(2*t))*h.distance\"}]\n", "f, a function of time");
    expect_change(MASS "-k*h.distance\"}]\n", "f, a function of time");
    expect_change(MASS "-0.6*sin(2*t)*h.distance\"}]\n", "f, a function of time");
    expect_change(MASS "-4*h.distance + sin(2*t)\"}]\n", "");
    expect_change("limber: 1\n"
                  "bodies: [{name: b, hinge: {type: free}, mass: 5, inertia: [1, 2, 3, 0, 0, 0],\n"
                  "          nodes: {p: {position: [1, 0, 0]}}}]\n"
                  "forces: [{name: f, type: force, at: b/p,\n"
                  "          value: [0, 0, {sine: {amplitude: 3, rate: 6}}]}]\n",
                  "");
    // a thrust upward takes of the weight, and one that comes but once starts a motion
    for (int once = 0; once < 2; ++once) {
        char text[500];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: [{name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
                 "          com: [0, 0, -1], nodes: {c: {position: [0, 0, -1]}}}]\n"
                 "forces: [{name: f, type: force, at: bob/c, value: [0, 0, {pulse: {value: 3,\n"
                 "          start: 0.1, width: 0.2%s}}]}]\n",
                 once ? "" : ", period: 1");
        expect_change(text, once ? "" : "f, a function of time");
    }
}

// A pivot that shakes a pendulum is noticed beside a mode that is a thousand times slower.
static void changes_beside_slow_modes_are_named(void **state)
{
    (void)state;
    expect_change(
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: pivot, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1}\n"
        "  - {name: bob, parent: pivot, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
        "     com: [0, 0, -1]}\n"
        "  - {name: slow, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "forces:\n"
        "  - {name: shake, type: motion, hinge: pivot,\n"
        "     position: {sine: {amplitude: 0.1, rate: 6.264183905346329}}}\n"
        "  - {name: k, type: spring, hinge: slow, stiffness: 1.0e-6}\n",
        "pivot.distance");
}

// A body that tumbles, or is on an elliptic orbit, has other equations a moment later; one that spins about a principal
// axis, or points to the centre of a circular orbit, has the same.
static void bodies_in_space_that_tumble_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *initial, *what;
    } cases[] = {{"{angular_velocity: [1, 1, 1]}", "b.turn.x"},
                 {"{angular_velocity: [0, 1, 0], velocity: [3, 2, 1]}", ""},
                 {"{position: [7.0e6, 0, 0], velocity: [0, 7546.0532900, 0],\n"
                  "              angular_velocity: [0, 0, 1.0780076129e-3]}",
                  ""},
                 {"{position: [7.0e6, 0, 0], velocity: [0, 8500, 0],\n"
                  "              angular_velocity: [0, 0, 1.2142857e-3]}",
                  "b.turn.z"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[500];
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: b, hinge: {type: free}, mass: 100, inertia: [10, 100, 105, 0, 0, "
                 "0]}]\n"
                 "%sinitial: {b: %s}\n",
                 i >= 2 ? "forces: [{name: g, type: gravity-point, mu: 3.986004418e14}]\n" : "",
                 cases[i].initial);
        lb_course course = lb_begin_course(text);
        lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
        assert_string_equal(linear->changes, cases[i].what);
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

// Pitch on an ellipse, of which SciPy's DOP853 at 1e-11 has the multipliers -1.13722937 and -0.87933009 over a period of
// the orbit, about the motion that repeats itself.
static void pitch_on_an_ellipse_has_the_exponents_of_its_equation(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies: [{name: b, hinge: {type: free}, mass: 100, inertia: [10, 100, 105, 0, 0, 0]}]\n"
        "forces: [{name: g, type: gravity-point, mu: 3.986004418e14}]\n"
        "initial: {b: {position: [7.0e6, 0, 0], velocity: [0, 8500, 0],\n"
        "              angular_velocity: [0, 0, 1.2142857e-3]}}\n");
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.period = 9322.161867326286;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    lb_expect_near("growth", exp(linear->growth[0] * options.period), 1.13722937, 1e-7);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// Stiffness by a named signal: SciPy's DOP853 at 1e-12 has exponents -+0.14845664 + i of x'' + (1 + 0.6 cos 2t) x.
static void periods_in_named_signals_are_found(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(MASS "-k*h.distance\"}]\n");
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.period = -1.0;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    lb_expect_near("period", linear->period, acos(-1.0), 1e-12);
    lb_expect_near("growth", linear->growth[0], 0.14845664, 1e-7);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// A spinning hub carries a mass on a spring that changes: speeds have no modes either.
static void spins_with_functions_of_time_have_no_lines(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\nbodies:\n"
        "  - {name: hub, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "  - {name: mass, parent: hub, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
        "forces:\n"
        "  - {name: k, type: motor, hinge: mass, value: \"(60*cos(19*t) - 100)*mass.distance\"}\n");
    lb_linear_options options = lb_default_linear_options();
    const double speeds[] = {0.0, 3.0};
    lb_campbell *campbell = NULL;
    lb_modes *modes = NULL;
    options.spin = 0;
    options.spin_speed = 3.0;
    lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
    assert_string_equal(modes->changes, "k, a function of time");
    assert_int_equal(lb_compute_campbell(course.simulation, &options, 2, speeds, &campbell),
                     LB_E_EQUILIBRIUM);
    assert_non_null(strstr(lb_get_simulation_message(course.simulation), "k, a function of time"));
    lb_destroy_modes(modes);
    lb_end_course(&course);
}

// Axes at right angles, which cosines leave at 6e-17: what that makes of the mass matrix is no growth.
static void round_off_of_the_mass_matrix_is_no_growth(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("babyboot.yaml");
    lb_linear *linear = linearize(&course, LB_CONTROL_OPEN, NULL, NULL);
    assert_true(linear->stable && linear->growth[0] == 0.0);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// The mean over the turns of wheels that are balanced but for little is the model of balanced wheels.
static void wheels_that_are_nearly_balanced_have_the_margins_of_balanced_ones(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/unbalanced_wheels.yaml");
    lb_margins *m = find_margins(&course, NULL, NULL);
    // `linearize` of the same file without `com`, in version 0.2.0 at 79cf3b1
    static const double gains[] = {34.158, 23.427, 34.543}, phases[] = {70.056, 75.813, 71.236};
    assert_true(m->stable);
    assert_string_equal(m->changes, "");
    for (int i = 0; i < 3; ++i) {
        lb_expect_near("gain", m->gain_up[i], gains[i], 2e-5);
        lb_expect_near("phase", m->phase[i] * 180.0 / acos(-1.0), phases[i], 2e-5);
    }
    lb_destroy_margins(m);
    lb_linear *linear = linearize(&course, LB_CONTROL_DISCRETE, NULL, NULL);
    assert_true(linear->stable);
    assert_string_equal(linear->averaged, "wheel x, wheel y, wheel z");
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// ---- rest under controllers ----------------------------------------------------------------------

// kp (d - q) = m g sin q and, with an integral, q = d; poles of the first from ../shared/cases, where the run
// ends at that angle.
static void an_arm_rests_where_its_controller_and_its_weight_balance(void **state)
{
    (void)state;
    const double desired = 150.0 * acos(-1.0) / 180.0;
    for (int integral = 0; integral < 2; ++integral) {
        char text[1000];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: [{name: arm, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 2,\n"
                 "          com: [0, 0, -1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
                 "forces: [{name: m, type: actuator, hinge: arm}]\n"
                 "controllers:\n"
                 "  - {name: hold, rate: 100, actuators: [{actuator: m, desired: 150 deg}],\n"
                 "     law: {type: pid, kp: 60, kd: 20, ki: %d}}\n"
                 "initial: {arm: {angle: 2.4}}\n",
                 30 * integral);
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        lb_linear *linear = NULL;
        options.about = LB_ABOUT_EQUILIBRIUM;
        options.control = LB_CONTROL_DISCRETE;
        lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
        const double q = linear->q[0];
        assert_true(linear->stable);
        if (integral) {
            lb_expect_near("angle", q, desired, 1e-12);
        } else {
            lb_expect_near("angle", q, 2.3962036, 1e-7);
            lb_expect_near("pole", linear->eigenvalues[0], -3.715, 1e-4);
            lb_expect_near("pole", linear->eigenvalues[2], -6.137, 1e-4);
            assert_true(fabs(60.0 * (desired - q) - 2.0 * 9.81 * sin(q)) < 1e-12);
        }
        lb_destroy_linear(linear);
        lb_end_course(&course);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_slew_leaves_is_not_growth),
        cmocka_unit_test(a_spin_that_nobody_sees_leaves_a_response),
        cmocka_unit_test(sampled_loops_are_judged_as_they_sample),
        cmocka_unit_test(an_inverted_pendulum_grows),
        cmocka_unit_test(growth_that_no_input_moves_leaves_a_response),
        cmocka_unit_test(slow_growth_beside_fast_modes_is_growth),
        cmocka_unit_test(driven_motions_that_change_the_equations_are_named),
        cmocka_unit_test(a_symmetric_rotor_changes_nothing),
        cmocka_unit_test(functions_of_time_that_change_the_equations_are_named),
        cmocka_unit_test(changes_beside_slow_modes_are_named),
        cmocka_unit_test(bodies_in_space_that_tumble_are_named),
        cmocka_unit_test(pitch_on_an_ellipse_has_the_exponents_of_its_equation),
        cmocka_unit_test(periods_in_named_signals_are_found),
        cmocka_unit_test(spins_with_functions_of_time_have_no_lines),
        cmocka_unit_test(round_off_of_the_mass_matrix_is_no_growth),
        cmocka_unit_test(an_arm_rests_where_its_controller_and_its_weight_balance),
        cmocka_unit_test(wheels_that_are_nearly_balanced_have_the_margins_of_balanced_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
