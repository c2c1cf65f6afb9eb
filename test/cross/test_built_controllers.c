// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers that are added by calls do what those of a file do, to the last bit.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/controllers.h"
#include "course.h"
#include "limber/control.h"
#include "twins.h"

// A simulation that has the model, the run options and the initial state of a course, and nothing else.
static lb_simulation *create_bare(const lb_course *course)
{
    lb_simulation *bare = lb_create_twin(course->model);
    lb_run_options options = lb_default_run_options();
    lb_expect_ok(lb_get_run_options(course->simulation, &options));
    lb_expect_ok(lb_set_run_options(bare, &options));
    const double *q, *v;
    lb_get_initial_state(course->simulation, &q, &v);
    lb_expect_ok(lb_set_initial_state(bare, q, v));
    return bare;
}

static void add_actuator(lb_simulation *simulation, const char *name, const char *hinge,
                         double limit)
{
    lb_force_options actuator = lb_default_force_options();
    actuator.name = name;
    actuator.type = LB_FORCE_ACTUATOR;
    actuator.hinge = hinge;
    actuator.low = -limit;
    actuator.high = limit;
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(simulation), &actuator, NULL));
}

static lb_sensor_options make_sensor(const char *name, const char *signal)
{
    lb_sensor_options sensor = lb_default_sensor_options();
    sensor.name = name;
    sensor.signal = signal;
    return sensor;
}

static void the_arm_slews_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("controlled_arm.yaml");
    lb_simulation *built = create_bare(&course);
    add_actuator(built, "shoulder_motor", "shoulder", 200.0);
    add_actuator(built, "elbow_motor", "elbow", 80.0);
    lb_expect_ok(lb_add_output(built, "forearm/tip"));

    lb_sensor_options sensors[] = {make_sensor("shoulder_angle", "shoulder.angle"),
                                   make_sensor("shoulder_rate", "shoulder.rate"),
                                   make_sensor("elbow_angle", "elbow.angle"),
                                   make_sensor("elbow_rate", "elbow.rate")};
    sensors[0].quantum = sensors[2].quantum = 1e-5;
    const double degree = 3.14159265358979323846 / 180, times[] = {0.1, 0.6};
    const double up[] = {0.0, 60 * degree}, down[] = {0.0, -45 * degree};
    lb_channel_options channels[] = {lb_default_channel_options(), lb_default_channel_options()};
    channels[0].actuator = "shoulder_motor";
    channels[1].actuator = "elbow_motor";
    for (int i = 0; i < 2; ++i) {
        channels[i].position_sensor = sensors[2 * i].name;
        channels[i].speed_sensor = sensors[2 * i + 1].name;
        channels[i].waypoint_count = 2;
        channels[i].waypoint_times = times;
        channels[i].waypoints = i == 0 ? up : down;
    }
    lb_regulator_options regulator = lb_default_regulator_options();
    regulator.position = 1e5;
    regulator.speed = 3000;
    regulator.vibration = 1000;
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_COMPUTED_TORQUE;
    law.regulator = &regulator;
    lb_controller_options slew = lb_default_controller_options();
    slew.name = "slew";
    slew.rate = 2000;
    slew.sensors = sensors;
    slew.sensor_count = 4;
    slew.channels = channels;
    slew.channel_count = 2;
    slew.law = &law;
    int index = -1;
    lb_expect_ok(lb_add_controller(built, &slew, &index));
    assert_int_equal(index, 0);
    assert_int_equal(lb_get_controller_count(built), 1);
    assert_string_equal(lb_get_controller_name(built, 0), "slew");
    assert_int_equal(lb_find_controller(built, "slew"), 0);
    assert_int_equal(lb_find_controller(built, "slow"), LB_NOT_FOUND);

    lb_expect_same_rows(course.simulation, built, 100);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// An observer and noise: what is drawn is the same as well.
static void the_pole_is_balanced_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("inverted_pendulum.yaml");
    lb_simulation *built = create_bare(&course);
    add_actuator(built, "drive", "cart", 200.0);
    lb_expect_ok(lb_add_output(built, "pole/tip"));

    lb_sensor_options sensors[] = {make_sensor("place", "cart.distance"),
                                   make_sensor("tilt", "pole.angle")};
    sensors[0].noise = sensors[1].noise = 1e-5;
    sensors[0].seed = 1;
    sensors[1].seed = 2;
    lb_channel_options drive = lb_default_channel_options();
    drive.actuator = "drive";
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_LQR;
    law.position = 100;
    law.speed = 1;
    law.vibration = 10;
    law.effort = 0.01;
    lb_controller_options balance = lb_default_controller_options();
    balance.name = "balance";
    balance.rate = 500;
    balance.sensors = sensors;
    balance.sensor_count = 2;
    balance.channels = &drive;
    balance.channel_count = 1;
    balance.law = &law;
    lb_expect_ok(lb_add_controller(built, &balance, NULL));

    lb_expect_same_rows(course.simulation, built, 100);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// ---- a law of one's own --------------------------------------------------------------------------

#define CART                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"                 \
    "initial: {cart: {distance: 0.3}}\n"                                                           \
    "run: {duration: 2, interval: 0.01, integrator: {type: rk4, step: 1.0e-3}}\n"

static const char pid_text[] =
    CART "forces: [{name: drive, type: actuator, hinge: cart}]\n"
         "controllers: [{name: hold, rate: 100, actuators: [{actuator: drive, desired: 0.1 * t}], "
         "law: {type: pid, kp: 40, kd: 9}}]\n";

typedef struct gains {
    double kp, kd;
    int calls;
} gains;

static int hold(void *user, const lb_control_sample *sample, double *commands)
{
    gains *own = user;
    assert_int_equal(sample->size, sizeof *sample);
    ++own->calls;
    // as the law of type pid sums up
    commands[0] = 0.0 * sample->desired_acceleration[0] +
                  own->kp * (sample->desired[0] - sample->position[0]) +
                  own->kd * (sample->desired_speed[0] - sample->speed[0]) + 0.0;
    return 0;
}

static int give_up(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = 0.0;
    return sample->t > 0.5;
}

// A controller with a law; the desired motion is a formula.
static lb_status add_hold(lb_simulation *simulation, const lb_law_options *law)
{
    const lb_function_options ramp = lb_expression_function("0.1 * t");
    lb_channel_options channel = lb_default_channel_options();
    channel.actuator = "drive";
    channel.desired = &ramp;
    lb_controller_options controller = lb_default_controller_options();
    controller.name = "hold";
    controller.rate = 100.0;
    controller.channels = &channel;
    controller.channel_count = 1;
    controller.law = law;
    return lb_add_controller(simulation, &controller, NULL);
}

static void a_callback_does_what_the_law_of_a_file_does(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(pid_text);
    lb_simulation *built = create_bare(&course);
    gains own = {40, 9, 0};
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_CALLBACK;
    law.callback = hold;
    law.user = &own;
    add_actuator(built, "drive", "cart", INFINITY);
    lb_expect_ok(add_hold(built, &law));
    lb_expect_same_rows(course.simulation, built, 100);
    assert_true(own.calls >= 200);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void a_callback_that_gives_up_ends_the_run(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(pid_text);
    lb_simulation *built = create_bare(&course);
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_CALLBACK;
    law.callback = give_up;
    add_actuator(built, "drive", "cart", INFINITY);
    lb_expect_ok(add_hold(built, &law));
    lb_run_request request = lb_default_run_request();
    assert_int_equal(lb_run_simulation(built, &request, NULL), LB_E_CALLBACK);
    assert_non_null(strstr(lb_get_simulation_message(built), "controller 'hold' ended the run"));
    // nothing can be added to it any more
    assert_int_equal(add_hold(built, &law), LB_E_ARGUMENT);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// A law that counts forces must see those that come after it.
static void forces_may_be_added_after_a_controller(void **state)
{
    (void)state;
    static const char text[] =
        CART "forces:\n"
             "  - {name: drive, type: actuator, hinge: cart}\n"
             "  - {name: spring, type: spring, hinge: cart, stiffness: 30}\n"
             "controllers: [{name: hold, rate: 100, actuators: [{actuator: drive, desired: 0.1 * "
             "t}], law: {type: computed-torque, kp: 25, kd: 10}}]\n";
    lb_course course = lb_begin_course(text);
    lb_simulation *built = create_bare(&course);
    const double kp = 25, kd = 10;
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_COMPUTED_TORQUE;
    law.kp = &kp;
    law.kd = &kd;
    add_actuator(built, "drive", "cart", INFINITY);
    lb_expect_ok(add_hold(built, &law));
    lb_force_options spring = lb_default_force_options();
    spring.name = "spring";
    spring.type = LB_FORCE_SPRING;
    spring.hinge = "cart";
    spring.stiffness = 30;
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(built), &spring, NULL));
    lb_expect_same_rows(course.simulation, built, 100);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_slews_as_its_file_says),
        cmocka_unit_test(the_pole_is_balanced_as_its_file_says),
        cmocka_unit_test(a_callback_does_what_the_law_of_a_file_does),
        cmocka_unit_test(a_callback_that_gives_up_ends_the_run),
        cmocka_unit_test(forces_may_be_added_after_a_controller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
