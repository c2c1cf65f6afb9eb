// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Controllers that are wrong in the file, or go wrong while they run.
#define _POSIX_C_SOURCE 200809L // setenv
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "course.h"
#include "heard.h"
#include "limber/control.h"
#include "run_cli.h"

// Six lines; what is tested starts on the seventh.
#define MODEL                                                                                      \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"                       \
    "  - {name: ball, hinge: {type: cylindrical, axis: [1, 0, 0]}, mass: 1, inertia: [1, 1, 1, "   \
    "0, 0, 0]}\n"                                                                                  \
    "forces: [{name: drive, type: actuator, hinge: cart}, {name: s, type: spring, hinge: cart, "   \
    "stiffness: 1}, {name: turn, type: actuator, hinge: ball.0}]\n"                                \
    "run: {duration: 1}\n"

// A law that knows the dynamics; the rest follows.
#define DRIVEN                                                                                     \
    "controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 0}], law: {type: "   \
    "computed-torque, kp: 1, kd: 1, "

#define PID                                                                                        \
    "controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 0}], law: {type: "   \
    "pid, "

#define TURNED                                                                                     \
    "controllers: [{name: c, rate: 10, actuators: [turn], law: {type: attitude, kp: 1, kd: 1, "

typedef struct bad_case {
    const char *text; // one line, the seventh
    const char *path, *part;
} bad_case;

static const bad_case cases[] = {
    {"controllers: [{name: c, actuators: [drive], law: {type: callback}}]", "controllers[0].rate",
     "required"},
    {"controllers: [{name: c, rate: -1, actuators: [drive], law: {type: callback}}]",
     "controllers[0].rate", "above zero"},
    {"controllers: [{name: c, rate: 10, actuators: [], law: {type: callback}}]",
     "controllers[0].actuators", "at least one"},
    {"controllers: [{name: c, rate: 10, actuators: [motor], law: {type: callback}}]",
     "controllers[0].actuators[0]", "there is no actuator 'motor'"},
    {"controllers: [{name: c, rate: 10, actuators: [s], law: {type: callback}}]",
     "controllers[0].actuators[0]", "not of type actuator"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, position: eye}], law: {type: "
     "callback}}]",
     "controllers[0].actuators[0].position", "no sensor 'eye'"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: pid, kp: 1}}]",
     "controllers[0].actuators[0]", "needs the desired motion"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 1}], law: {type: "
     "pid, "
     "kp: [1, 2]}}]",
     "controllers[0].law.kp", "2 entries given"},
    {"controllers: [{name: c, rate: 10, actuators: [drive]}]", "controllers[0].law",
     "missing: expected a law"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: magic}}]",
     "controllers[0].law.type", "computed-torque"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: {waypoints: [[0, "
     "1], "
     "[0, 2]]}}], law: {type: pid, kp: 1}}]",
     "controllers[0].actuators[0].desired.waypoints[1][0]", "expected a later one"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, signal: cart.angle}], actuators: "
     "[drive], "
     "law: {type: callback}}]",
     "controllers[0].sensors[0].signal", "angle"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, strain: [cart, ball]}], actuators: "
     "[drive], law: {type: callback}}]",
     "controllers[0].sensors[0].strain", "one flexible body"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x}], actuators: [drive], law: {type: "
     "callback}}]",
     "controllers[0].sensors[0]", "exactly one of signal, torque, strain"},
    {"controllers: [{name: c, rate: 10, sensors: [{name: x, signal: t, delay: 1.0e6}], actuators: "
     "[drive], law: {type: callback}}]",
     "controllers[0].sensors[0].delay", "at most 1000000"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: turn, desired: 0}], law: {type: "
     "computed-torque, kp: 1, kd: 1}}]",
     "controllers[0].law", "speed 1 of the hinge of 'ball' has no actuator"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: drive, desired: 0}], law: {type: "
     "computed-torque, regulator: {position: 1, speed: 1, vibration: 1}}}]",
     "controllers[0].law.regulator", "nothing here is flexible"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: lqr, position: 1, speed: "
     "1, "
     "vibration: 1}}]",
     "controllers[0].law", "needs sensors"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], shaping: {type: zv, modes: 9}, law: "
     "{type: "
     "callback}}]",
     "controllers[0].shaping.modes", "1 to 3"},
    {"controllers: [{name: c, rate: 10, actuators: [drive], law: {type: process, command: []}}]",
     "controllers[0].law.command", "a program"},
    {DRIVEN "deformations: [{node: cart, direction: [1, 0, 0], desired: 0}]}}]",
     "controllers[0].law.deformations[0].node", "a node of a flexible body"},
    {DRIVEN "deformations: [{node: nobody/tip, direction: [1, 0, 0], desired: 0}]}}]",
     "controllers[0].law.deformations[0].node", "nobody"},
    {DRIVEN "deformations: [{node: cart, direction: [0, 0, 0], desired: 0}]}}]",
     "controllers[0].law.deformations[0].direction", "expected a direction"},
    {DRIVEN "deformations: [{node: cart, direction: [1, 0, 0], axis: [1, 0, 0], desired: 0}]}}]",
     "controllers[0].law.deformations[0]", "exactly one of direction, axis"},
    {DRIVEN "deformations: [{node: cart, axis: [1, 0, 0]}]}}]",
     "controllers[0].law.deformations[0].desired", "required"},
    {DRIVEN "deformations: [{node: cart, axis: [1, 0, 0], desired: 0, weight: 0}]}}]",
     "controllers[0].law.deformations[0].weight", "above zero"},
    {DRIVEN "deformations: [{node: cart, axis: [1, 0, 0], desired: 0}], modes: rigid}}]",
     "controllers[0].law.modes", "knows of modes"},
    {DRIVEN "deformations: [{axis: [1, 0, 0], desired: 0}]}}]",
     "controllers[0].law.deformations[0].node", "required"},
    {PID "kp: [[1, 2]]}}]", "controllers[0].law.kp[0]", "2 entries given"},
    {PID "kp: [[1], [2]]}}]", "controllers[0].law.kp", "2 rows given, expected 1"},
    {TURNED "node: nobody, distribution: [[1, 0, 0]]}}]", "controllers[0].law.node", "nobody"},
    {TURNED "node: ground, distribution: [[1, 0, 0]]}}]", "controllers[0].law.node", "that moves"},
    {TURNED "distribution: [[1, 0, 0]]}}]", "controllers[0].law.node", "missing"},
    {TURNED "node: ball}}]", "controllers[0].law.distribution", "with 1 actuators"},
    {TURNED "node: ball, distribution: [[1, 0]]}}]", "controllers[0].law.distribution[0]",
     "2 entries given"},
    {TURNED "node: ball, distribution: -1}}]", "controllers[0].law.distribution", "list"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], rate: [a, b]}}]", "controllers[0].law.rate",
     "2 names given, expected 3"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], rate: [a, b, c]}}]", "controllers[0].law.rate",
     "no sensor 'a'"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], inertia: [1, 2]}}]",
     "controllers[0].law.inertia", "2 entries given"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], desired: [1, 1, 0, 0]}}]",
     "controllers[0].law.desired", "unit quaternion"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], desired: {waypoints: [[0, [1, 0, 0, 0]]]}}}]",
     "controllers[0].law.desired.waypoints", "at least two"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], desired: {waypoints: [[0, [1, 0, 0, 0]], [1, "
            "2]]}}}]",
     "controllers[0].law.desired.waypoints[1][1]", "expected"},
    {TURNED
     "node: ball, distribution: [[1, 0, 0]], desired: {waypoints: [[0, [1, 0, 0, 0]], 2]}}}]",
     "controllers[0].law.desired.waypoints[1]", "a time and a quaternion"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], desired: {waypoints: [[1, [1, 0, 0, 0]], [1, "
            "[0, 1, 0, 0]]]}}}]",
     "controllers[0].law.desired.waypoints[1][0]", "a later one"},
    {TURNED "node: ball, distribution: [[1, 0, 0]], desired: {waypoints: [[0, [1, 0, 0, 0]], [1, "
            "[0, 2, 0, 0]]]}}}]",
     "controllers[0].law.desired.waypoints[1][1]", "unit quaternion"},
    {"controllers: [{name: c, rate: 10, actuators: [{actuator: turn, desired: 0}], law: {type: "
     "attitude, kp: 1, kd: 1, node: ball, distribution: [[1, 0, 0]]}}]",
     "controllers[0].actuators[0].desired", "follows an attitude"},
    {"controllers: [{name: c, rate: 10, actuators: [turn], law: {type: attitude, kp: 1, node: "
     "ball, distribution: [[1, 0, 0]]}}]",
     "controllers[0].law.kd", "required"},
    {"controllers: [{name: c, rate: 10, actuators: [turn], shaping: {type: zv}, law: {type: "
     "attitude, kp: 1, kd: 1, node: ball, distribution: [[1, 0, 0]]}}]",
     "controllers[0].shaping", "cannot be shaped"},
    {DRIVEN "model: 3}}]", "controllers[0].law.model", "string"},
    {DRIVEN "model: no/such/file.yaml}}]", "controllers[0].law.model", "cannot be used"},
};

// Models of laws, in a file of its own, and what is said of them on the seventh line of the first file.
static const struct {
    const char *text, *part;
} models[] = {
    {"limber: 1\nbodies: [{name: coach, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n",
     "it has no body 'cart', whose hinge is controlled here"},
    {"limber: 1\nbodies: [{name: coach, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n",
     "its body 'coach' has a hinge, but there is no body of that name here"},
    {"limber: 1\nbodies: [{name: cart, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 2, inertia: "
     "[1, 1, 1, 0, 0, 0]}]\n",
     "the hinge of its body 'cart' is of type revolute, but that of 'cart' here is of type "
     "prismatic"},
    {"limber: 1\nbodies: [{name: cart, hinge: {type: fixed}, mass: 2}]\n",
     "its body 'cart' is fixed"},
    {"limber: 1\nbodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
     "loops: [{name: l, type: rod, a: {body: ground}, b: {body: cart}, length: 1}]\n",
     "it has loops"},
    {"limber: 1\nbodies:\n  - name: cart\n    hinge: {type: prismatic, axis: [1, 0, 0]}\n"
     "    flex: {nodes: [{name: tip, mass: 1, shape: [[0, 0, 0, 1, 0, 0]]}], stiffness: [1]}\n",
     "its body 'cart' has 1 modes, but it has another number here"},
};

static void models_of_laws_that_do_not_fit_are_refused_in_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) {
        char text[4096];
        snprintf(text, sizeof text, MODEL DRIVEN "model: %s}}]\n",
                 lb_write_file("law.yaml", models[i].text));
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_load_options options = lb_default_load_options();
        options.allow_files = "/"; // the file lies in a folder of its own
        lb_expect_ok(lb_load_document_text(text, strlen(text), "bad.yaml", LB_FORMAT_YAML, &options,
                                           &report, &document));
        lb_expect_ok(lb_load_document_model(document, &report, &model));
        assert_int_equal(lb_load_simulation(document, model, &report, &simulation), LB_E_MODEL);
        bool found = false;
        for (int k = 0; k < heard.count; ++k) {
            const lb_heard_entry *entry = &heard.entries[k];
            found = found || (strcmp(entry->path, "controllers[0].law.model") == 0 &&
                              strstr(entry->message, models[i].part) && entry->line == 7);
        }
        if (!found) {
            lb_print_heard(&heard);
            fail_msg("expected: %s", models[i].part);
        }
        lb_destroy_model(model);
        lb_destroy_document(document);
    }
}

// What is wrong in the model of a law is said with its own file and line; the path is seen from the
// folder of the file that names it.
static void mistakes_in_the_model_of_a_law_have_its_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"limber: 1\nbodies:\n  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: "
         "-2}\n",
         "law.yaml:3:"},
        {"limber: 1\nbodies:\n  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: "
         "2}\n"
         "forces:\n  - {name: s, type: spring, hinge: horse, stiffness: 1}\n",
         "law.yaml:5:"},
        {"limber: 1\nbodies: [\n", "law.yaml:"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        lb_write_file("law.yaml", wrong[i].text);
        const char *path = lb_write_file("bad.yaml", MODEL DRIVEN "model: law.yaml}}]\n");
        lb_cli_run result = lb_run(NULL, "check", path);
        assert_int_equal(result.status, 1);
        if (!strstr(result.err, wrong[i].part) || !strstr(result.err, "bad.yaml:7:") ||
            !strstr(result.err, "this model cannot be used")) {
            fail_msg("'%s', expected '%s'", result.err, wrong[i].part);
        }
        lb_end_run(&result);
    }
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[4096];
        snprintf(text, sizeof text, MODEL "%s\n", cases[i].text);
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_expect_ok(lb_load_document_text(text, strlen(text), "bad.yaml", LB_FORMAT_YAML, NULL,
                                           &report, &document));
        lb_expect_ok(lb_load_document_model(document, &report, &model));
        assert_int_equal(lb_load_simulation(document, model, &report, &simulation), LB_E_MODEL);
        const lb_heard_entry *entry = lb_find_heard(&heard, cases[i].path);
        if (!entry || !strstr(entry->message, cases[i].part) || entry->line != 7) {
            lb_print_heard(&heard);
            fail_msg("expected at %s: %s", cases[i].path, cases[i].part);
        }
        lb_destroy_model(model);
        lb_destroy_document(document);
    }
}

// What only a program can get wrong, or a file in other words.
static void mistakes_of_programs_have_a_path(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        {"controllers[0].name", "required"},
        {"controllers[0].rate", "expected a finite number"},
        {"controllers[0].actuators", "at least one"},
        {"controllers[0].actuators[0].actuator", "there is no actuator 'motor'"},
        {"controllers[0].actuators[0].actuator", "required"},
        {"controllers[0].actuators[0].speed", "expected one of them"},
        {"controllers[0].actuators[0].desired", "a function and waypoints"},
        {"controllers[0].actuators[0].desired.waypoints", "1 given"},
        {"controllers[0].actuators[0].desired.waypoints[1]", "finite"},
        {"controllers[0].actuators[0].desired.profile", "no profile"},
        {"controllers[0].sensors[0]", "no type of sensor"},
        {"controllers[0].sensors[0].signal", "required"},
        {"controllers[0].sensors[0].torque", "nobody"},
        {"controllers[0].sensors[0].strain[1]", "nobody"},
        {"controllers[0].sensors[0].seed", "2^64"},
        {"controllers[0].shaping.type", "no type"},
        {"controllers[0].law", "required"},
        {"controllers[0].law.type", "no type of law"},
        {"controllers[0].law.kp", "entry 0 is not a finite number"},
        {"controllers[0].law.kp", "gains of its own"},
        {"controllers[0].law.sweeps", "from 1 to 100"},
        {"controllers[0].law.modes", "99"},
        {"controllers[0].law.command", "a program"},
        {"controllers[0].law.library", "required"},
        {"controllers[0].sensors", "1 sensors, but no array of them"},
        {"controllers[0].law", "no options of it"},
        {"controllers[0].law.kp", "required"},
        {"controllers[0].law.inertia", "entry 0 is not a finite number"},
        {"controllers[0].law.desired", "2 attitudes, but no array of them"},
        {"controllers[0].law.desired.profile", "no profile"},
        {"controllers[0].law.rate", "no sensor 'nose'"},
    };
    for (int i = 0; i < (int)(sizeof expected / sizeof expected[0]); ++i) {
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

        const double one = 1.0, nan = 0.0 / (one - one), times[] = {0.0, 1.0}, to[] = {0.0, nan};
        const lb_function_options rest = lb_constant_function(0.0);
        const lb_regulator_options regulator = lb_default_regulator_options();
        lb_sensor_options sensor = lb_default_sensor_options();
        sensor.name = "eye";
        sensor.signal = "cart.distance";
        lb_channel_options channel = lb_default_channel_options();
        channel.actuator = "drive";
        channel.desired = &rest;
        lb_law_options law = lb_default_law_options();
        law.kp = law.kd = &one;
        lb_controller_options c = lb_default_controller_options();
        c.name = "c";
        c.rate = 10.0;
        c.sensors = &sensor;
        c.sensor_count = 1;
        c.channels = &channel;
        c.channel_count = 1;
        c.law = &law;
        c.name = i == 0 ? NULL : c.name;
        c.sensors = i == 24 ? NULL : c.sensors;
        c.rate = i == 1 ? nan : c.rate;
        c.channel_count = i == 2 ? 0 : 1;
        channel.actuator = i == 3 ? "motor" : i == 4 ? NULL : "drive";
        channel.speed_by_differences = i == 5;
        channel.speed_sensor = i == 5 ? "eye" : NULL;
        channel.desired = i >= 7 && i <= 9 ? NULL : &rest;
        channel.waypoint_count = i == 7 ? 1 : i == 6 || i == 8 || i == 9 ? 2 : 0;
        channel.waypoint_times = times;
        channel.waypoints = i == 8 ? to : times;
        channel.profile = i == 9 ? (lb_profile)17 : channel.profile;
        sensor.type = i == 10   ? (lb_sensor_type)17
                      : i == 12 ? LB_SENSOR_TORQUE
                      : i == 13 ? LB_SENSOR_STRAIN
                                : LB_SENSOR_SIGNAL;
        sensor.signal = i == 11 ? NULL : sensor.signal;
        sensor.hinge = "nobody";
        sensor.strain[0].body = "cart";
        sensor.strain[1].body = "nobody";
        sensor.seed = i == 14 ? 1e30 : 1.0;
        c.shaping = i == 15 ? (lb_shaping_type)17 : LB_SHAPING_NONE;
        c.law = i == 16 ? NULL : &law;
        law.type = i == 17   ? (lb_law_type)17
                   : i == 19 ? LB_LAW_MATCHING
                   : i == 20 ? LB_LAW_MATCHING
                   : i == 21 ? LB_LAW_COMPUTED_TORQUE
                   : i == 22 ? LB_LAW_PROCESS
                   : i == 23 ? LB_LAW_PLUGIN
                   : i > 24  ? LB_LAW_ATTITUDE
                             : LB_LAW_PID;
        law.kp = i == 18 ? &nan : &one;
        const double bad[9] = {nan}, good[12] = {1, 0, 0, 0, 1};
        const char *const noses[] = {"eye", "nose", "eye"};
        lb_attitude_options attitude = lb_default_attitude_options();
        attitude.node.body = "cart";
        attitude.kp = i == 26 ? NULL : good;
        attitude.kd = attitude.distribution = good;
        attitude.inertia = i == 27 ? bad : NULL;
        attitude.waypoint_count = i == 28 || i == 29 ? 2 : 0;
        attitude.waypoints = i == 28 ? NULL : (const double[]){1, 0, 0, 0, 0, 1, 0, 0};
        attitude.waypoint_times = times;
        attitude.profile = i == 29 ? (lb_profile)17 : attitude.profile;
        attitude.rate_sensors = i == 30 ? noses : NULL;
        law.attitude = i == 25 ? NULL : &attitude;
        law.regulator = i == 19 ? &regulator : NULL;
        law.sweep_count = i == 20 ? 0 : law.sweep_count;
        law.modes = i == 21 ? (lb_law_modes)99 : law.modes;

        int index = -1;
        const lb_status status = lb_add_controller(sim, &c, &index);
        const lb_heard_entry *entry = lb_find_heard(&heard, expected[i][0]);
        if (status != LB_E_MODEL || !entry || !strstr(entry->message, expected[i][1])) {
            lb_print_heard(&heard);
            fail_msg("case %d: %d, expected at %s: %s", i, status, expected[i][0], expected[i][1]);
        }
        assert_int_equal(index, 0);
        // it cannot be used, and the next one is counted on
        if (i > 0) {
            lb_add_controller(sim, &c, &index);
            assert_int_equal(index, 1);
            assert_non_null(lb_find_heard(&heard, "controllers[1].name"));
        }
        assert_int_equal(lb_start_simulation(sim), LB_E_MODEL);
        lb_destroy_simulation(sim);
        lb_end_course(&course);
    }
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

// A model whose controller is a shell script.
static const char *write_process_model(const char *script)
{
    static char text[4096];
    snprintf(text, sizeof text,
             MODEL "controllers:\n"
                   "  - name: c\n"
                   "    rate: 10\n"
                   "    sensors: [{name: x, signal: cart.distance}]\n"
                   "    actuators: [drive]\n"
                   "    law: {type: process, command: [sh, -c, \"%s\"], timeout: 1000}\n",
             script);
    return lb_write_file("process.yaml", text);
}

// A result file beside a model.
static const char *get_result(const char *model)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s.h5", model);
    return path;
}

static void expect_process(const char *script, int status, const char *part)
{
    const char *model = write_process_model(script);
    lb_cli_run result = lb_run(NULL, "run", model, "-o", get_result(model), "--allow-programs");
    if (result.status != status || (part && !strstr(result.err, part))) {
        fail_msg("%s: %d '%s', expected %d '%s'", script, result.status, result.err, status, part);
    }
    if (status != 0) {
        // what there was is kept
        assert_non_null(strstr(result.err, "before it"));
    }
    lb_end_run(&result);
}

static void processes_that_fail_end_the_run(void **state)
{
    (void)state;
    const char *head = "read a; read b; read c; ";
    char script[512];
    snprintf(script, sizeof script, "%swhile read x; do echo 1; done", head);
    expect_process(script, 0, NULL);
    snprintf(script, sizeof script, "%sread x; echo 1; exit 4", head);
    expect_process(script, 1, "ended with status 4");
    snprintf(script, sizeof script, "%sread x; echo 1; kill -SEGV $$", head);
    expect_process(script, 1, "died of signal 11");
    // a part of an answer, and no more: after 600 s it is waited for, after 1200 s it is not
    setenv("LIMBER_CLOCK", "600", 1);
    snprintf(script, sizeof script, "%sread x; echo 1; read x; printf 1; read y", head);
    expect_process(script, 1, "has not answered within 1000 s");
    unsetenv("LIMBER_CLOCK");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; echo nan; read y", head);
    expect_process(script, 1, "expected 1 number");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; echo 1 2; read y", head);
    expect_process(script, 1, "more numbers than there are actuators");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; yes | tr -d y", head);
    expect_process(script, 1, "controller 'c'");
    snprintf(script, sizeof script, "%sread x; echo 1; read x; yes | tr -d '[:cntrl:]'", head);
    expect_process(script, 1, "too long");
}

static void programs_and_plugins_need_leave(void **state)
{
    (void)state;
    const char *program = write_process_model("exit 0");
    lb_cli_run result = lb_run(NULL, "run", program, "-o", get_result(program));
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, "--allow-programs"));
    lb_end_run(&result);
    static const char plugin[] =
        MODEL "controllers: [{name: c, rate: 10, actuators: [drive], law: {type: plugin, library: "
              "./none.so}}]\n";
    const char *model = lb_write_file("plugin.yaml", plugin);
    result = lb_run(NULL, "run", model, "-o", get_result(model));
    assert_non_null(strstr(result.err, "--allow-plugins"));
    lb_end_run(&result);
    result = lb_run(NULL, "run", model, "-o", get_result(model), "--allow-plugins");
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, "none.so"));
    lb_end_run(&result);
    // merely reading it opens nothing
    result = lb_run(NULL, "check", model);
    assert_int_equal(result.status, 0);
    lb_end_run(&result);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(models_of_laws_that_do_not_fit_are_refused_in_words),
        cmocka_unit_test(mistakes_in_the_model_of_a_law_have_its_file_and_line),
        cmocka_unit_test(mistakes_of_programs_have_a_path),
        cmocka_unit_test(callbacks_that_fail_end_the_run),
        cmocka_unit_test(processes_that_fail_end_the_run),
        cmocka_unit_test(programs_and_plugins_need_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
