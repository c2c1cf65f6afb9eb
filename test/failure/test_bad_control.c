// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers that are wrong in the options of a program, or go wrong while they run. What is wrong in a file is in
// test/failure/cases/simulation/controllers.cases.
#include <math.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "heard.h"
#include "limber/control.h"

#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"                 \
    "forces: [{name: drive, type: actuator, hinge: cart}]\n"                                       \
    "run: {duration: 1}\n"

// Refused at this place. It cannot be used, and the next one is counted on.
static void expect_refused(const lb_controller_options *options, const char *path,
                           const char *message)
{
    lb_course course = lb_begin_course(MODEL);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_simulation *sim = NULL;
    lb_expect_ok(lb_create_simulation(course.model, &report, &sim));
    lb_force_options force = lb_default_force_options();
    force.name = "drive";
    force.type = LB_FORCE_ACTUATOR;
    force.hinge = "cart";
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(sim), &force, NULL));
    int index = -1;
    const lb_status status = lb_add_controller(sim, options, &index);
    const lb_heard_entry *entry = lb_find_heard(&heard, path);
    if (status != LB_E_MODEL || !entry || !strstr(entry->message, message)) {
        lb_print_heard(&heard);
        fail_msg("%d, expected at %s: %s", status, path, message);
    }
    assert_int_equal(index, 0);
    lb_add_controller(sim, options, &index);
    assert_int_equal(index, 1);
    assert_true(!options->name || lb_find_heard(&heard, "controllers[1].name"));
    assert_int_equal(lb_start_simulation(sim), LB_E_MODEL);
    lb_destroy_simulation(sim);
    lb_end_course(&course);
}

// What only a program can get wrong, or a file in other words.
static void mistakes_of_programs_have_a_path(void **state)
{
    (void)state;
    const double one = 1.0, nan = NAN, times[] = {0.0, 1.0}, to[] = {0.0, nan};
    const double bad[9] = {nan}, good[12] = {1, 0, 0, 0, 1}, turns[] = {1, 0, 0, 0, 0, 1, 0, 0};
    const char *const noses[] = {"eye", "nose", "eye"};
    const lb_function_options rest = lb_constant_function(0.0);
    const lb_regulator_options regulator = lb_default_regulator_options();
#define REFUSED(path, message, ...)                                                                \
    do {                                                                                           \
        lb_sensor_options sensor = lb_default_sensor_options();                                    \
        sensor.name = "eye";                                                                       \
        sensor.signal = "cart.distance";                                                           \
        lb_channel_options channel = lb_default_channel_options();                                 \
        channel.actuator = "drive";                                                                \
        channel.desired = &rest;                                                                   \
        lb_attitude_options attitude = lb_default_attitude_options();                              \
        attitude.node.body = "cart";                                                               \
        attitude.kp = attitude.kd = attitude.distribution = good;                                  \
        lb_law_options law = lb_default_law_options();                                             \
        law.kp = law.kd = &one;                                                                    \
        law.attitude = &attitude;                                                                  \
        lb_controller_options c = lb_default_controller_options();                                 \
        c.name = "c";                                                                              \
        c.rate = 10.0;                                                                             \
        c.sensors = &sensor;                                                                       \
        c.sensor_count = 1;                                                                        \
        c.channels = &channel;                                                                     \
        c.channel_count = 1;                                                                       \
        c.law = &law;                                                                              \
        __VA_ARGS__;                                                                               \
        expect_refused(&c, "controllers[0]" path, message);                                        \
    } while (0)
    REFUSED(".name", "required", c.name = NULL);
    REFUSED(".rate", "expected a finite number", c.rate = nan);
    REFUSED(".actuators", "at least one", c.channel_count = 0);
    REFUSED(".actuators[0].actuator", "there is no actuator 'motor'", channel.actuator = "motor");
    REFUSED(".actuators[0].actuator", "required", channel.actuator = NULL);
    REFUSED(".actuators[0].speed", "expected one of them", channel.speed_by_differences = true,
            channel.speed_sensor = "eye");
    REFUSED(".actuators[0].desired", "a function and waypoints", channel.waypoint_count = 2,
            channel.waypoint_times = times, channel.waypoints = times);
#define WAYPOINTS(path, message, count, values, ...)                                               \
    REFUSED(".actuators[0].desired" path, message, channel.desired = NULL,                         \
            channel.waypoint_count = count, channel.waypoint_times = times,                        \
            channel.waypoints = values, __VA_ARGS__)
    WAYPOINTS(".waypoints", "1 given", 1, times, (void)0);
    WAYPOINTS(".waypoints[1]", "finite", 2, to, (void)0);
    WAYPOINTS(".profile", "no profile", 2, times, channel.profile = (lb_profile)17);
    REFUSED(".sensors[0]", "no type of sensor", sensor.type = (lb_sensor_type)17);
    REFUSED(".sensors[0].signal", "required", sensor.signal = NULL);
    REFUSED(".sensors[0].torque", "nobody", sensor.type = LB_SENSOR_TORQUE,
            sensor.hinge = "nobody");
    REFUSED(".sensors[0].strain[1]", "nobody", sensor.type = LB_SENSOR_STRAIN,
            sensor.strain[0].body = "cart", sensor.strain[1].body = "nobody");
    REFUSED(".sensors[0].seed", "2^64", sensor.seed = 1e30);
    REFUSED(".sensors", "1 sensors, but no array of them", c.sensors = NULL);
    REFUSED(".shaping.type", "no type", c.shaping = (lb_shaping_type)17);
    REFUSED(".law", "required", c.law = NULL);
    REFUSED(".law.type", "no type of law", law.type = (lb_law_type)17);
    REFUSED(".law.kp", "entry 0 is not a finite number", law.kp = &nan);
    REFUSED(".law.kp", "gains of its own", law.type = LB_LAW_MATCHING, law.regulator = &regulator);
    REFUSED(".law.sweeps", "from 1 to 100", law.type = LB_LAW_MATCHING, law.sweep_count = 0);
    REFUSED(".law.modes", "99", law.type = LB_LAW_COMPUTED_TORQUE, law.modes = (lb_law_modes)99);
    REFUSED(".law.command", "a program", law.type = LB_LAW_PROCESS);
    REFUSED(".law.library", "required", law.type = LB_LAW_PLUGIN);
#define ATTITUDE(path, message, ...)                                                               \
    REFUSED(".law" path, message, law.type = LB_LAW_ATTITUDE, __VA_ARGS__)
    ATTITUDE("", "no options of it", law.attitude = NULL);
    ATTITUDE(".kp", "required", attitude.kp = NULL);
    ATTITUDE(".inertia", "entry 0 is not a finite number", attitude.inertia = bad);
    ATTITUDE(".desired", "2 attitudes, but no array of them", attitude.waypoint_count = 2,
             attitude.waypoint_times = times);
    ATTITUDE(".desired.profile", "no profile", attitude.waypoint_count = 2,
             attitude.waypoint_times = times, attitude.waypoints = turns,
             attitude.profile = (lb_profile)17);
    ATTITUDE(".rate", "no sensor 'nose'", attitude.rate_sensors = noses);
}

// ---- while it runs -------------------------------------------------------------------------------

static int give_nan(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = sample->t > 0.35 ? 0.0 / (sample->t - sample->t) : 1.0;
    return 0;
}

static int give_up(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = 0.0;
    return sample->t > 0.35 ? 3 : 0;
}

static void expect_end(lb_control_law law, lb_status status, const char *part)
{
    lb_course course = lb_begin_course(
        MODEL "controllers: [{name: c, rate: 10, actuators: [drive], law: {type: callback}}]\n");
    if (law) {
        lb_expect_ok(lb_set_control_callback(course.simulation, "c", law, NULL));
    }
    lb_run_request request = lb_default_run_request();
    assert_int_equal(lb_run_simulation(course.simulation, &request, NULL), status);
    const char *message = lb_get_simulation_message(course.simulation);
    if (!strstr(message, part)) {
        fail_msg("'%s', expected '%s'", message, part);
    }
    lb_end_course(&course);
}

static void callbacks_that_fail_end_the_run(void **state)
{
    (void)state;
    expect_end(NULL, LB_E_ARGUMENT, "has been given none");
    expect_end(give_nan, LB_E_NUMBER,
               "t = 0.4 s: the command of controller 'c' to actuator 'drive' is not a finite");
    expect_end(give_up, LB_E_CALLBACK, "t = 0.4 s: controller 'c' ended the run with 3");
    lb_course course = lb_begin_course(MODEL);
    assert_int_equal(lb_set_control_callback(course.simulation, "c", give_up, NULL), LB_E_ARGUMENT);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_programs_have_a_path),
        cmocka_unit_test(callbacks_that_fail_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
