// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Rest under what controllers command, against balances by hand and against where runs end: integrals and their limits,
// estimates, closure constraints, friction, long ways, stiff bodies on soft loops.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "limber/linear.h"
#include "program.h"
#include "run_cli.h"

#define ARM                                                                                        \
    "limber: 1\ngravity: [0, 0, -9.81]\n"                                                          \
    "bodies: [{name: arm, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 2,\n"                   \
    "          com: [0, 0, -1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"                             \
    "forces: [{name: m, type: actuator, hinge: arm}]\n"
#define HOLD(law)                                                                                  \
    "controllers: [{name: hold, rate: 100, actuators: [{actuator: m, desired: 90 deg}], law: "     \
    "{type: pid, kp: 60, kd: 20" law "}}]\n"

static const double right_angle = 1.57079632679489662;

// The angle of the first hinge where lb_trim_simulation says that the system rests under its controllers.
static double find_rest(lb_course *course)
{
    lb_trim trim = {.size = sizeof trim};
    const double *q, *v;
    lb_expect_ok(lb_trim_simulation(course->simulation, &trim));
    assert_true(trim.under_control);
    lb_get_initial_state(course->simulation, &q, &v);
    return q[0];
}

// The linear model about an equilibrium is about the same place, and says that nothing accelerates there.
static double find_rest_of(const char *text)
{
    lb_course course = lb_begin_course(text);
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.about = LB_ABOUT_EQUILIBRIUM;
    options.control = LB_CONTROL_DISCRETE;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    const double about = linear->q[0];
    assert_true(linear->unbalance == 0.0);
    lb_destroy_linear(linear);
    const double q = find_rest(&course);
    lb_expect_near("about", about, q, 1e-12);
    lb_end_course(&course);
    return q;
}

// kp (d - q) + i = 2 9.81 sin q with the integral i at its limit; without limit q = d.
static void integrals_rest_where_their_errors_vanish_or_at_their_limits(void **state)
{
    (void)state;
    const double limited = find_rest_of(ARM HOLD(", ki: 30, integral_limit: 15"));
    // 1e-12 of the moments at work, 20 N m
    assert_true(fabs(60.0 * (right_angle - limited) + 15.0 - 19.62 * sin(limited)) < 2e-11);
    assert_true(limited > 1.0);
    lb_expect_near("angle", find_rest_of(ARM HOLD(", ki: 30")), right_angle, 1e-12);
}

// A command in the dead zone passes nothing; at rest the integral has brought it out.
static void a_dead_zone_is_judged_by_the_command_at_rest(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: [{name: arm, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 2,\n"
        "          com: [0, 0, -1], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
        "forces: [{name: m, type: actuator, hinge: arm, dead_zone: 1}]\n" HOLD(", ki: 30"));
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.about = LB_ABOUT_EQUILIBRIUM;
    options.control = LB_CONTROL_DISCRETE;
    lb_expect_ok(lb_linearize(course.simulation, &options, &linear));
    assert_string_equal(linear->feedback_notes[0], "");
    assert_true(linear->stable);
    lb_destroy_linear(linear);
    lb_end_course(&course);
}

// A run that starts from rest stays there: integrals and estimates have what they need.
static void a_run_from_rest_stays_there(void **state)
{
    (void)state;
    static const char *const laws[] = {
        HOLD(", ki: 30"), "controllers:\n"
                          "  - {name: hold, rate: 100, sensors: [{name: s, signal: arm.angle}],\n"
                          "     actuators: [{actuator: m, desired: 1}], law: {type: lqr, position: "
                          "1000, speed: 10, vibration: 1,\n"
                          "     process_noise: 1, sensor_noise: 1.0e-4}}\n"};
    for (int i = 0; i < 2; ++i) {
        char text[1500];
        snprintf(text, sizeof text, ARM "%srun: {duration: 1, trim: true}\n", laws[i]);
        lb_course course = lb_begin_course(text);
        lb_expect_ok(lb_start_simulation(course.simulation));
        const double *q, *v;
        lb_get_simulation_state(course.simulation, NULL, &q, &v, NULL);
        const double first = q[0];
        while (lb_advance_simulation(course.simulation, 1.0) == LB_NEWS_EVENT) {
        }
        lb_get_simulation_state(course.simulation, NULL, &q, &v, NULL);
        // 1e-9: accelerations that the search may leave, 1e-9 of those at work
        assert_true(fabs(q[0] - first) < 1e-9 && fabs(v[0]) < 1e-9);
        assert_true(first > 0.4);
        lb_end_course(&course);
    }
}

// Compared with the end of a run: an observer whose model is about another place than it rests at.
static void a_regulator_rests_where_its_run_ends(void **state)
{
    (void)state;
    static const char text[] =
        ARM "controllers:\n"
            "  - {name: hold, rate: 100, sensors: [{name: s, signal: arm.angle}],\n"
            "     actuators: [{actuator: m, desired: 1}], law: {type: lqr, position: 1000, speed: "
            "10, vibration: 1,\n"
            "     process_noise: 1, sensor_noise: 1.0e-4}}\n"
            "run: {duration: 20}\n";
    const double rest = find_rest_of(text);
    lb_course course = lb_begin_course(text);
    lb_expect_ok(lb_start_simulation(course.simulation));
    while (lb_advance_simulation(course.simulation, 20.0) == LB_NEWS_EVENT) {
    }
    const double *q, *v;
    lb_get_simulation_state(course.simulation, NULL, &q, &v, NULL);
    // 1e-8: the tolerance of the run, and what twenty seconds leave
    lb_expect_near("angle", rest, q[0], 1e-8);
    lb_end_course(&course);
}

// A crank of two links and a slider on a spring. Virtual work, with heights 1/2 sin q of both links:
//
//     20 (60 deg - q) = 9.81 cos q - 5 (2 cos q) (2 sin q)
static void loops_follow(void **state)
{
    (void)state;
    const double q = find_rest_of(
        "limber: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 1, com: [0.5, 0, 0],\n"
        "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {e: {position: [1, 0, 0]}}}\n"
        "  - {name: b, parent: a, at: e, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 1,\n"
        "     com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {e: {position: [1, 0, "
        "0]}}}\n"
        "  - {name: c, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1, nodes: {p: {}}}\n"
        "loops: [{name: pin, a: {body: b, node: e}, b: {body: c, node: p}, type: revolute,\n"
        "         axis: [0, 1, 0]}]\n"
        "forces:\n"
        "  - {name: m, type: actuator, hinge: a}\n"
        "  - {name: k, type: spring, hinge: c, stiffness: 5}\n"
        "controllers:\n"
        "  - {name: hold, rate: 100, actuators: [{actuator: m, desired: 60 deg}],\n"
        "     law: {type: pid, kp: 20, kd: 5}}\n"
        "initial: {a: {angle: 30 deg}, b: {angle: -60 deg}, c: {distance: 1.7320508075688772}}\n");
    const double left = 20.0 * (right_angle / 1.5 - q) - 9.81 * cos(q) + 20.0 * cos(q) * sin(q);
    assert_true(fabs(left) < 1e-10 && q > 1.0);
}

// Friction is left out, as where no controller acts; and it holds nothing that a command moves.
static void friction_does_not_hold_what_a_command_moves(void **state)
{
    (void)state;
    char text[1000];
    for (int strong = 0; strong < 2; ++strong) {
        snprintf(text, sizeof text,
                 "limber: 1\n"
                 "bodies: [{name: cab, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 10,\n"
                 "          inertia: [1, 1, 1, 0, 0, 0]}]\n"
                 "forces: [{name: m, type: actuator, hinge: cab},\n"
                 "         {name: f, type: friction, hinge: cab, coulomb: %d}]\n"
                 "controllers: [{name: hold, rate: 100, actuators: [{actuator: m, desired: 1}],\n"
                 "               law: {type: pid, kp: 100, kd: 20}}]\n",
                 strong ? 200 : 1);
        lb_expect_near("angle", find_rest_of(text), 1.0, 1e-12);
        lb_course course = lb_begin_course(text);
        lb_linear_options options = lb_default_linear_options();
        lb_modes *modes = NULL;
        options.control = LB_CONTROL_DISCRETE;
        lb_expect_ok(lb_compute_modes(course.simulation, &options, &modes));
        assert_int_equal(modes->coordinate_count, strong ? 0 : 1);
        assert_int_equal(modes->mode_count, strong ? 0 : 2);
        lb_destroy_modes(modes);
        lb_end_course(&course);
    }
}

// Nothing turns by more than a radian in a step; a lift may go as far as it has to.
static void a_lift_rests_half_a_kilometre_up(void **state)
{
    (void)state;
    const double q = find_rest_of(
        "limber: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: [{name: cab, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1000}]\n"
        "forces: [{name: m, type: actuator, hinge: cab}]\n"
        "controllers: [{name: hold, rate: 100, actuators: [{actuator: m, desired: 500}],\n"
        "               law: {type: pid, kp: 6000, kd: 2000}}]\n");
    lb_expect_near("height", q, 500.0 - 9810.0 / 6000.0, 1e-12);
}

// Thirty modes, up to 1e6 rad/s, and a loop of 1e-3 N m/rad: seventeen digits of squared frequencies.
static void stiff_modes_do_not_hide_a_soft_loop(void **state)
{
    (void)state;
    const double q = find_rest_of(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: hub, hinge: {type: revolute, axis: [0, -1, 0]}, mass: 10,\n"
        "     inertia: [10, 10, 10, 0, 0, 0]}\n"
        "  - {name: blade, parent: hub, hinge: {type: fixed}, beam: {length: 1, material: steel,\n"
        "     section: {type: rectangle, width: 0.05, height: 0.05}, modes: 30}}\n"
        "forces: [{name: m, type: actuator, hinge: hub}]\n"
        "controllers: [{name: hold, rate: 100, actuators: [{actuator: m, desired: 30 deg}],\n"
        "               law: {type: pid, kp: 1.0e-3, kd: 1.0e-2}}]\n");
    lb_expect_near("angle", q, right_angle / 3.0, 1e-12);
}

// A law that estimates modes with a model of its own: with the arm as it is, the arm rests where it should; without the
// payload it rests below, where a run with this desired motion ends after 8 s.
static void estimates_rest_as_their_own_model_does(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        double angle, error;
    } expected[] = {{"known_shoulder", 0.0, 1e-12},
                    {"known_elbow", 0.0, 1e-12},
                    {"unaware_shoulder", -0.030565252, 5e-8}, // the run has not quite settled
                    {"unaware_elbow", -0.136099008, 5e-8}};
    lb_course course = lb_begin_example("payload_arm.yaml");
    (void)find_rest(&course);
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    for (int i = 0; i < 4; ++i) {
        const int body = lb_find_body(course.model, expected[i].body);
        const double found = q[lb_get_q_offset(course.model, body)];
        assert_true(fabs(found - expected[i].angle) < expected[i].error);
    }
    lb_end_course(&course);
}

// The recorded forces of actuators and the commands of their controllers do not add up.
static void a_moment_of_a_run_rests_as_the_run_does(void **state)
{
    (void)state;
    const char *model = lb_find_source("test/cases/trim_controlled.yaml");
    const char *results = lb_write_file("rest.h5", "");
    char at[4200];
    snprintf(at, sizeof at, "%s@20", results);
    const lb_cli_case cases[] = {{{"run", "-q", model, "-o", results}, 0, NULL, ""},
                                 {{"modes", model, "--at", at}, 0, "0.5912855", ""}};
    lb_expect_cases(cases, 2, NULL);
}

// The derivatives of a law that is a program are unknown: trim ignores it and warns.
static void what_is_left_out_is_said(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "process.yaml", ARM
        "controllers: [{name: hold, rate: 100, actuators: [m],\n"
        "               law: {type: process, command: [cat]}}]\ninitial: {arm: {angle: 0.3}}\n");
    const lb_cli_case cases[] = {
        {{"trim", model}, 0, "# equilibrium after", "without what controllers command"}};
    lb_expect_cases(cases, 1, NULL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_rest_where_their_errors_vanish_or_at_their_limits),
        cmocka_unit_test(a_dead_zone_is_judged_by_the_command_at_rest),
        cmocka_unit_test(a_run_from_rest_stays_there),
        cmocka_unit_test(a_regulator_rests_where_its_run_ends),
        cmocka_unit_test(loops_follow),
        cmocka_unit_test(friction_does_not_hold_what_a_command_moves),
        cmocka_unit_test(a_lift_rests_half_a_kilometre_up),
        cmocka_unit_test(stiff_modes_do_not_hide_a_soft_loop),
        cmocka_unit_test(estimates_rest_as_their_own_model_does),
        cmocka_unit_test(a_moment_of_a_run_rests_as_the_run_does),
        cmocka_unit_test(what_is_left_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
