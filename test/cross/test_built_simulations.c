// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulations that are built by calls do what those of files do, to the last bit; and what only a program
// can add: events that call it.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "heard.h"
#include "limber/linear.h"
#include "simulate/run/simulation.h"
#include "twins.h"

static const double degree = 3.14159265358979323846 / 180.0;

static void set_value(lb_simulation *simulation, const char *name, double value)
{
    if (lb_set_initial_value(simulation, name, value) < 0) {
        fail_msg("%s", lb_get_simulation_message(simulation));
    }
}

static void set_run(lb_simulation *simulation, double duration, double interval,
                    lb_integrator integrator, int order, double tolerance, double max_step)
{
    lb_run_options run = lb_default_run_options();
    run.duration = duration;
    run.interval = interval;
    run.integrator = integrator;
    run.order = order;
    run.relative_tolerance = tolerance;
    run.max_step = max_step;
    lb_expect_ok(lb_set_run_options(simulation, &run));
}

// A run out of a file need not go on to its end.
static void shorten(lb_simulation *simulation, double duration)
{
    lb_run_options run = {.size = sizeof run};
    lb_expect_ok(lb_get_run_options(simulation, &run));
    run.duration = duration;
    lb_expect_ok(lb_set_run_options(simulation, &run));
}

static void add_event(lb_simulation *simulation, const char *name, const char *when, double crosses,
                      lb_direction direction, bool once, const lb_action_options *actions,
                      int action_count)
{
    lb_event_options event = lb_default_event_options();
    event.name = name;
    event.when = when;
    event.crosses = crosses;
    event.direction = direction;
    event.once = once;
    event.actions = actions;
    event.action_count = action_count;
    lb_expect_ok(lb_add_event(simulation, &event, NULL));
}

static lb_action_options make_action(lb_action_type type, const char *subject)
{
    lb_action_options action = lb_default_action_options();
    action.type = type;
    action.subject = subject;
    return action;
}

// ---- examples ------------------------------------------------------------------------------------

static void add_table_motion(lb_simulation *simulation, const char *name, const char *hinge,
                             int count, const double *times, const double *values)
{
    lb_function_options table = lb_default_function_options();
    table.type = LB_FUNCTION_TABLE;
    table.point_count = count;
    table.times = times;
    table.values = values;
    table.interpolation = LB_INTERPOLATION_CUBIC;
    table.at_rest = true;
    lb_force_options motion = lb_name_force(name, LB_FORCE_MOTION, hinge);
    motion.values = &table;
    motion.value_count = 1;
    motion.order = LB_MOTION_POSITION;
    lb_add_twin_force(simulation, &motion);
}

static void the_spacecraft_catches_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("spacecraft_arm.yaml");
    lb_simulation *built = lb_create_twin(course.model);
    add_table_motion(built, "shoulder", "upper arm", 3, (double[]){2.5, 7, 11},
                     (double[]){-1.15, 0.3, 1.2});
    add_table_motion(built, "elbow", "forearm", 3, (double[]){2.5, 6, 11},
                     (double[]){0.9, 1.3, -0.5});
    add_table_motion(built, "wrist", "hand", 2, (double[]){2.5, 11}, (double[]){0.25, -0.2});
    set_value(built, "payload.q.4", 4.081);
    set_value(built, "payload.q.5", -2.301);
    set_value(built, "payload.v.3", -0.05);
    set_value(built, "payload.v.4", 0.02);
    const lb_action_options grasp = make_action(LB_ACTION_GRASP, "grip"),
                            release = make_action(LB_ACTION_RELEASE, "grip");
    add_event(built, "grasp", "distance(hand/grip, payload/handle)", 0.04, LB_DIRECTION_FALLING,
              true, &grasp, 1);
    add_event(built, "release", "t", 13, LB_DIRECTION_BOTH, true, &release, 1);
    set_run(built, 14, 0.04, LB_INTEGRATOR_ERK, 8, 1e-7, 0.04);
    lb_add_twin_outputs(built, (const char *const[]){"payload", "panel/a6", NULL});
    assert_int_equal(lb_get_simulation_event_count(built), 2);
    assert_int_equal(lb_find_event(built, "release"), 1);
    assert_string_equal(lb_get_event_name(built, 0), "grasp");
    assert_int_equal(lb_find_event(built, "none"), LB_NOT_FOUND);
    assert_ptr_equal(lb_get_simulation_model(built), course.model);
    shorten(course.simulation, 14);
    lb_expect_same_rows(course.simulation, built, 350);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void the_payload_is_handed_over_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("handover.yaml");
    lb_simulation *built = lb_create_twin(course.model);
    lb_force_options spring = lb_name_force("hinge spring", LB_FORCE_SPRING, "lid");
    spring.stiffness = 20;
    lb_add_twin_force(built, &spring);
    static const char *const motors[6][3] = {
        {"left arm motor", "left arm", "-300*('left arm'.angle - 0.33) - 150*'left arm'.rate"},
        {"left hand yaw", "left hand.0", "-120*('left hand'.q.0 + 0.77) - 60*'left hand'.v.0"},
        {"left hand pitch", "left hand.1", "-120*'left hand'.q.1 - 60*'left hand'.v.1"},
        {"right arm motor", "right arm", "-300*('right arm'.angle + 0.15) - 150*'right arm'.rate"},
        {"right hand yaw", "right hand.0", "-120*('right hand'.q.0 - 0.71) - 60*'right hand'.v.0"},
        {"right hand pitch", "right hand.1", "-120*'right hand'.q.1 - 60*'right hand'.v.1"}};
    for (int i = 0; i < 6; ++i) {
        lb_add_twin_motor(built, motors[i][0], motors[i][1], motors[i][2]);
    }
    set_value(built, "'left arm'.angle", 0.33);
    set_value(built, "'left hand'.q.0", -0.77);
    set_value(built, "'right arm'.angle", -0.6);
    set_value(built, "'right hand'.q.0", 0.35);
    set_value(built, "box.q.4", 2.1);
    set_value(built, "box.q.5", 0.1);
    set_value(built, "lid.angle", 0.4);

    lb_loop_change_options right = lb_default_loop_change_options();
    right.a = (lb_node_name){"right hand", "palm"};
    right.b = (lb_node_name){"box/right handle", NULL};
    right.grasp = true;
    lb_loop_change_options ball = right;
    ball.has_type = true;
    ball.type = LB_LOOP_SPHERICAL;
    lb_action_options make = make_action(LB_ACTION_MAKE, "steady"),
                      hand[] = {make_action(LB_ACTION_ALTER, "grip"),
                                make_action(LB_ACTION_RELEASE, "steady")},
                      shut = make_action(LB_ACTION_LOCK, "lid"),
                      drop[] = {make_action(LB_ACTION_RELEASE, "grip"),
                                make_action(LB_ACTION_UNLOCK, "lid")};
    make.change = &ball;
    hand[0].change = &right;
    static const char reach[] = "distance('right hand'/palm, box/'right handle')";
    add_event(built, "reached", reach, 0.04, LB_DIRECTION_FALLING, true, &make, 1);
    add_event(built, "handed over", "t", 5, LB_DIRECTION_BOTH, false, hand, 2);
    add_event(built, "shut", "t", 6, LB_DIRECTION_BOTH, false, &shut, 1);
    add_event(built, "let go", "t", 8, LB_DIRECTION_BOTH, false, drop, 2);
    set_run(built, 9, 0.02, LB_INTEGRATOR_ERK, 8, 1e-13, 0.02);
    lb_add_twin_outputs(built, (const char *const[]){"box", "lid.angle", "loop/grip.force.norm",
                                                     "loop/steady.force.norm", reach, NULL});
    shorten(course.simulation, 9);
    lb_expect_same_rows(course.simulation, built, 450);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void the_robot_catches_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("catch.yaml");
    lb_simulation *built = lb_create_twin(course.model);
    static const char *const motors[8][3] = {
        {"left upper yaw", "left upper.0", "-300*('left upper'.q.0 - 0.15) - 150*'left upper'.v.0"},
        {"left upper pitch", "left upper.1", "-300*('left upper'.q.1 - 0) - 150*'left upper'.v.1"},
        {"left hand yaw", "left hand.0", "-120*('left hand'.q.0 - -0.35) - 60*'left hand'.v.0"},
        {"left hand pitch", "left hand.1", "-120*('left hand'.q.1 - 0) - 60*'left hand'.v.1"},
        {"right upper yaw", "right upper.0",
         "-300*('right upper'.q.0 - -0.15) - 150*'right upper'.v.0"},
        {"right upper pitch", "right upper.1",
         "-300*('right upper'.q.1 - 0) - 150*'right upper'.v.1"},
        {"right hand yaw", "right hand.0", "-120*('right hand'.q.0 - 0.35) - 60*'right hand'.v.0"},
        {"right hand pitch", "right hand.1", "-120*('right hand'.q.1 - 0) - 60*'right hand'.v.1"}};
    for (int i = 0; i < 8; ++i) {
        lb_add_twin_motor(built, motors[i][0], motors[i][1], motors[i][2]);
    }
    static const struct {
        const char *name;
        double value;
    } values[] = {
        {"'left upper'.q.0", 0.15}, {"'left hand'.q.0", -0.35}, {"'right upper'.q.0", -0.15},
        {"'right hand'.q.0", 0.35}, {"payload.q.4", 2.9},       {"payload.q.5", 0.1},
        {"payload.q.6", 0.05},      {"payload.v.0", 0.1},       {"payload.v.1", -0.2},
        {"payload.v.2", 0.25},      {"payload.v.3", -0.35}};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        set_value(built, values[i].name, values[i].value);
    }
    static const char left[] = "distance('left hand'/grip, payload/'left handle')";
    static const char right[] = "distance('right hand'/grip, payload/'right handle')";
    const lb_action_options take_left = make_action(LB_ACTION_GRASP, "left grip"),
                            take_right = make_action(LB_ACTION_GRASP, "right grip"),
                            drop[] = {make_action(LB_ACTION_RELEASE, "left grip"),
                                      make_action(LB_ACTION_RELEASE, "right grip")};
    add_event(built, "left caught", left, 0.2, LB_DIRECTION_FALLING, true, &take_left, 1);
    add_event(built, "right caught", "t", 4, LB_DIRECTION_BOTH, true, &take_right, 1);
    add_event(built, "let go", "t", 8, LB_DIRECTION_BOTH, true, drop, 2);
    set_run(built, 8.5, 0.02, LB_INTEGRATOR_ERK, 8, 1e-13, 0.02);
    lb_add_twin_outputs(
        built, (const char *const[]){"payload", left, right, "loop/'left grip'.force.norm", NULL});
    shorten(course.simulation, 8.5);
    lb_expect_same_rows(course.simulation, built, 425);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void the_governor_turns_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("stiff_governor.yaml");
    lb_simulation *built = lb_create_twin(course.model);
    static const char *const names[4] = {"right spring", "left spring", "right damper",
                                         "left damper"};
    for (int i = 0; i < 4; ++i) {
        lb_force_options force =
            lb_name_force(names[i], i < 2 ? LB_FORCE_SPRING : LB_FORCE_DAMPER, NULL);
        force.between[0] = (lb_node_name){i % 2 ? "slider/left" : "slider/right", NULL};
        force.between[1] = (lb_node_name){i % 2 ? "left arm" : "right arm", "middle"};
        force.stiffness = 8.0e5;
        force.rest = 0.5;
        force.damping = 4.0e4;
        lb_add_twin_force(built, &force);
    }
    set_value(built, "shaft.rate", 6.283185307179586);
    set_value(built, "slider.distance", 0.5);
    set_value(built, "'right arm'.angle", 30 * degree);
    set_value(built, "'left arm'.angle", 30 * degree);
    lb_run_options run = lb_default_run_options();
    run.duration = 2;
    run.integrator = LB_INTEGRATOR_BDF;
    run.relative_tolerance = 1e-12;
    run.stop_at_outputs = true;
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_add_twin_outputs(built,
                        (const char *const[]){"right arm/ball",
                                              "distance(slider/right, 'right arm'/middle)", NULL});
    shorten(course.simulation, 2);
    lb_expect_same_rows(course.simulation, built, 200);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void the_squeezer_runs_as_its_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("andrews.yaml");
    lb_simulation *built = lb_create_twin(course.model);
    const lb_function_options torque = lb_constant_function(0.033);
    lb_force_options drive = lb_name_force("drive", LB_FORCE_MOTOR, "k1");
    drive.values = &torque;
    drive.value_count = 1;
    lb_add_twin_force(built, &drive);
    lb_force_options spring = lb_name_force("spring", LB_FORCE_SPRING, NULL);
    spring.between[0] = (lb_node_name){"ground", "C"};
    spring.between[1] = (lb_node_name){"k3", "D"};
    spring.stiffness = 4530;
    spring.rest = 0.07785;
    lb_add_twin_force(built, &spring);
    // the state as a whole, this time
    const double *q, *v;
    lb_get_initial_state(course.simulation, &q, &v);
    lb_expect_ok(lb_set_initial_state(built, q, v));
    lb_run_options run = lb_default_run_options();
    run.duration = 0.03;
    run.interval = 1e-4;
    run.integrator = LB_INTEGRATOR_ERK;
    run.order = 8;
    run.relative_tolerance = 1e-13;
    run.stop_at_outputs = true;
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_expect_ok(lb_add_output(built, "k2/E"));
    lb_expect_same_rows(course.simulation, built, 300);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static void every_example_is_loaded_and_starts(void **state)
{
    (void)state;
    DIR *folder = opendir(lb_find_source("examples"));
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) {
            continue;
        }
        lb_course course = lb_begin_example(entry->d_name);
        lb_start_course(&course);
        lb_end_course(&course);
        ++count;
    }
    closedir(folder);
    assert_true(count >= 40);
}

// ---- what no example has -------------------------------------------------------------------------

static void loops_are_driven_as_a_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "ground: {nodes: {foot: {position: [1, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: ramp, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 3, com: [0.5, 0, 0],\n"
        "     inertia: [0, 0.3, 0.3, 0, 0, 0], nodes: {lug: {position: [1, 0, 0]}}}\n"
        "  - {name: wheel, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: gear, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: cart, hinge: {type: free}, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "loops:\n"
        "  - {name: jack, a: {body: ground, node: foot}, b: {body: ramp, node: lug}, type: rod,\n"
        "     length: 0.5, motion: 0.1*sin(3*t)}\n"
        "  - {name: drive, a: {body: ground}, b: {body: wheel}, type: revolute, axis: [0, 0, 2], "
        "motion: t + t^2}\n"
        "  - {name: mesh, type: coupler, terms: [{body: wheel, factor: 2}, {body: gear}], motion: "
        "0.5*t^2}\n"
        "  - {name: rail, a: {body: ground}, b: {body: cart}, type: weld,\n"
        "     motion: {turn: 0.3*t^2, axis: [1, 1, 0], shift: [t^2, 0.2*sin(t), 0]}}\n"
        "initial: {ramp: {angle: 0.5}, wheel: {rate: 1}}\n"
        "run: {duration: 2, interval: 0.02, assemble: {hold: [wheel.rate]}, integrator: {type: "
        "erk, "
        "order: 8, tolerance: 1.0e-11}}\n");
    lb_simulation *built = lb_create_twin(course.model);
    static const char *const names[4] = {"jack", "drive", "mesh", "rail"};
    const lb_function_options motions[3] = {lb_expression_function("0.1*sin(3*t)"),
                                            lb_expression_function("t + t^2"),
                                            lb_expression_function("0.5*t^2")};
    const lb_function_options turn = lb_expression_function("0.3*t^2");
    const lb_function_options shift[3] = {lb_expression_function("t^2"),
                                          lb_expression_function("0.2*sin(t)"),
                                          lb_constant_function(0.0)};
    for (int i = 0; i < 4; ++i) {
        lb_loop_drive_options drive = lb_default_loop_drive_options();
        drive.loop = names[i];
        if (i == 1) {
            drive.turn = &motions[1];
        } else if (i < 3) {
            drive.shift = &motions[i];
            drive.shift_count = 1;
        } else {
            drive.turn = &turn;
            drive.axis[0] = drive.axis[1] = 1.0;
            drive.shift = shift;
            drive.shift_count = 3;
        }
        lb_expect_ok(lb_add_loop_drive(built, &drive));
    }
    set_value(built, "ramp.angle", 0.5);
    set_value(built, "wheel.rate", 1.0);
    lb_run_options run = lb_default_run_options();
    run.duration = 2;
    run.interval = 0.02;
    run.integrator = LB_INTEGRATOR_ERK;
    run.order = 8;
    run.relative_tolerance = 1e-11;
    run.assemble = true;
    run.hold = (const char *const[]){"wheel.rate"};
    run.hold_count = 1;
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_expect_same_rows(course.simulation, built, 100);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static const char orbit_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: base, hinge: {type: free}, mass: 10, inertia: [2, 3, 4, 0, 0, 0],\n"
    "     nodes: {lug: {position: [0.3, 0, 0.1]}}}\n"
    "  - {name: arm, parent: base, at: lug, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
    "     com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
    "  - {name: wheel, parent: base, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 1,\n"
    "     inertia: [0.2, 0.1, 0.1, 0, 0, 0]}\n"
    "signals: {lag: arm.angle - 0.2*sin(t), push: 2*lag + arm.rate}\n"
    "forces:\n"
    "  - {name: planet, type: gravity-point, mu: 3, position: [5, 0, 0]}\n"
    "  - {name: rub, type: friction, hinge: arm, coulomb: 0.05, viscous: 0.01}\n"
    "  - {name: bump, type: stop, hinge: arm, lower: -0.3, upper: 0.3, stiffness: 500, damping: "
    "2}\n"
    "  - {name: servo, type: motor, hinge: arm, value: -push, limits: [-3, 3]}\n"
    "  - {name: thrust, type: force, at: base/lug, axes: body, value: [{pulse: {value: 2, start: "
    "0.2, width: 0.5}}, 0, 0.1*t]}\n"
    "  - {name: spin, type: motion, hinge: wheel, speed: {sine: {amplitude: 2, rate: 1.5}}}\n"
    "initial: {base: {rotation: [0.6, 0.8, 0, 0], velocity: [0, 0.5, 0]}, arm: {angle: 0.28, rate: "
    "1}}\n"
    "events:\n"
    "  - {name: quiet, when: push, crosses: 0.1, direction: falling, then: {disable: thrust}}\n"
    "  - {name: late, when: t, crosses: 1.2, then: [{enable: thrust}, {lock: arm}]}\n"
    "  - {name: out, when: t, crosses: 1.8, then: stop}\n"
    "run: {duration: 3, interval: 0.01}\n"
    "outputs: [push, lag, base/lug, system.kinetic]\n";

// All of it but the events.
static lb_simulation *build_orbit(const lb_model *model)
{
    lb_simulation *built = lb_create_twin(model);
    lb_signals *signals = lb_get_force_signals(lb_get_simulation_forces(built));
    static const char *const named[2][2] = {{"lag", "arm.angle - 0.2*sin(t)"},
                                            {"push", "2*lag + arm.rate"}};
    for (int i = 0; i < 2; ++i) {
        lb_signal_options signal = lb_default_signal_options();
        signal.name = named[i][0];
        signal.expression = named[i][1];
        lb_expect_ok(lb_add_signal(signals, &signal, NULL));
    }
    lb_force_options planet = lb_name_force("planet", LB_FORCE_GRAVITY_POINT, NULL);
    planet.mu = 3;
    planet.position[0] = 5;
    lb_add_twin_force(built, &planet);
    lb_force_options rub = lb_name_force("rub", LB_FORCE_FRICTION, "arm");
    rub.coulomb = 0.05;
    rub.viscous = 0.01;
    lb_add_twin_force(built, &rub);
    lb_force_options bump = lb_name_force("bump", LB_FORCE_STOP, "arm");
    bump.lower = -0.3;
    bump.upper = 0.3;
    bump.stiffness = 500;
    bump.damping = 2;
    lb_add_twin_force(built, &bump);
    const lb_function_options push = lb_expression_function("-push");
    lb_force_options servo = lb_name_force("servo", LB_FORCE_MOTOR, "arm");
    servo.values = &push;
    servo.value_count = 1;
    servo.low = -3;
    servo.high = 3;
    lb_add_twin_force(built, &servo);
    lb_function_options values[3] = {lb_default_function_options(), lb_constant_function(0.0),
                                     lb_expression_function("0.1*t")};
    values[0].type = LB_FUNCTION_PULSE;
    values[0].value = 2;
    values[0].start = 0.2;
    values[0].width = 0.5;
    lb_force_options thrust = lb_name_force("thrust", LB_FORCE_FORCE, NULL);
    thrust.at = (lb_node_name){"base", "lug"};
    thrust.axes = LB_AXES_BODY;
    thrust.values = values;
    thrust.value_count = 3;
    lb_add_twin_force(built, &thrust);
    lb_function_options sine = lb_default_function_options();
    sine.type = LB_FUNCTION_SINE;
    sine.value = 2;
    sine.rate = 1.5;
    lb_force_options spin = lb_name_force("spin", LB_FORCE_MOTION, "wheel");
    spin.values = &sine;
    spin.value_count = 1;
    spin.order = LB_MOTION_SPEED;
    lb_add_twin_force(built, &spin);
    // the quaternion by entries: they are made one of unit length together
    set_value(built, "base.q.0", 0.6);
    set_value(built, "base.q.1", 0.8);
    set_value(built, "base.v.4", 0.5);
    set_value(built, "arm.angle", 0.28);
    set_value(built, "arm.rate", 1);
    lb_run_options run = lb_default_run_options();
    run.duration = 3;
    lb_expect_ok(lb_set_run_options(built, &run));
    lb_add_twin_outputs(built,
                        (const char *const[]){"push", "lag", "base/lug", "system.kinetic", NULL});
    return built;
}

static void signals_and_forces_act_as_a_file_says(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(orbit_text);
    lb_simulation *built = build_orbit(course.model);
    const lb_action_options off = make_action(LB_ACTION_DISABLE, "thrust"),
                            on[] = {make_action(LB_ACTION_ENABLE, "thrust"),
                                    make_action(LB_ACTION_LOCK, "arm")},
                            stop = lb_default_action_options();
    add_event(built, "quiet", "push", 0.1, LB_DIRECTION_FALLING, false, &off, 1);
    add_event(built, "late", "t", 1.2, LB_DIRECTION_BOTH, false, on, 2);
    add_event(built, "out", "t", 1.8, LB_DIRECTION_BOTH, false, &stop, 1);
    lb_expect_same_rows(course.simulation, built, 180);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// ---- events of a program -------------------------------------------------------------------------

static int read_push(void *user, const lb_instant *instant, double *value)
{
    // entries of the arm: the base has 7 coordinates and 6 speeds
    assert_int_equal(instant->size, sizeof *instant);
    ++*(int *)user;
    const double lag = instant->q[7] - 0.2 * sin(instant->t);
    *value = 2 * lag + instant->v[6];
    return 0;
}

typedef struct visit {
    int count, last;
    double t, angle;
} visit;

static int note(void *user, const lb_simulation *simulation, double t)
{
    visit *v = user;
    const double *q;
    double now;
    lb_get_simulation_state(simulation, &now, &q, NULL, NULL);
    assert_true(now == t);
    v->t = t;
    v->angle = q[7];
    return ++v->count == v->last;
}

// A function of the instant is crossed where the signal that says the same is, and actions are called in
// order.
static void a_program_watches_and_is_called(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(orbit_text);
    int count = 0;
    visit v = {.last = 2};
    lb_simulation *built = build_orbit(course.model);
    lb_action_options off[] = {make_action(LB_ACTION_DISABLE, "thrust"),
                               make_action(LB_ACTION_CALL, NULL)};
    off[1].callback = note;
    off[1].user = &v;
    lb_event_options event = lb_default_event_options();
    event.name = "quiet";
    event.level = read_push;
    event.user = &count;
    event.crosses = 0.1;
    event.direction = LB_DIRECTION_FALLING;
    event.actions = off;
    event.action_count = 2;
    int index = -1;
    lb_expect_ok(lb_add_event(built, &event, &index));
    assert_int_equal(index, 0);
    event.name = "tick";
    event.level = NULL;
    event.when = "t";
    event.crosses = 1.1;
    event.direction = LB_DIRECTION_BOTH;
    event.actions = &off[1];
    event.action_count = 1;
    lb_expect_ok(lb_add_event(built, &event, NULL));

    lb_expect_ok(lb_start_simulation(built));
    assert_int_equal(lb_advance_simulation(built, 2.0), LB_NEWS_EVENT);
    assert_string_equal(lb_get_event_names(built), "quiet");
    assert_true(count > 0);
    assert_int_equal(v.count, 1);
    assert_false(lb_get_force_info(lb_get_simulation_forces(built), 4).is_enabled);
    // as the file's event
    lb_start_course(&course);
    assert_int_equal(lb_advance_simulation(course.simulation, 2.0), LB_NEWS_EVENT);
    const double *q;
    double t;
    lb_get_simulation_state(course.simulation, &t, &q, NULL, NULL);
    lb_expect_near("time", v.t, t, 1e-7); // tolerance of the integrator
    lb_expect_near("angle", v.angle, q[7], 1e-7);
    // the second call ends the run
    lb_status status;
    do {
        status = lb_advance_simulation(built, 2.0);
    } while (status == LB_NEWS_EVENT);
    assert_int_equal(status, LB_NEWS_STOP);
    assert_int_equal(v.count, 2);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

static int refuse(void *user, const lb_instant *instant, double *value)
{
    (void)user;
    *value = instant->t;
    return instant->t > 0.5;
}

static void a_watching_function_that_fails_ends_the_run(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(orbit_text);
    lb_simulation *built = build_orbit(course.model);
    lb_event_options event = lb_default_event_options();
    event.name = "watch";
    event.level = refuse;
    event.crosses = 10.0;
    lb_expect_ok(lb_add_event(built, &event, NULL));
    lb_expect_ok(lb_start_simulation(built));
    assert_int_equal(lb_advance_simulation(built, 2.0), LB_E_CALLBACK);
    assert_non_null(strstr(lb_get_simulation_message(built), "event 'watch'"));
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// ---- linear models -------------------------------------------------------------------------------

static void trim_modes_and_linear_models_need_no_file(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: pendulum, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, "
        "-1]}]\n"
        "forces: [{name: spring, type: spring, hinge: pendulum, stiffness: 4, rest: 0.5}]\n"
        "initial: {pendulum: {angle: 0.1}}\n");
    lb_simulation *built = lb_create_twin(course.model);
    lb_force_options spring = lb_name_force("spring", LB_FORCE_SPRING, "pendulum");
    spring.stiffness = 4;
    spring.rest = 0.5;
    lb_add_twin_force(built, &spring);
    set_value(built, "pendulum.angle", 0.1);
    lb_simulation *both[2] = {course.simulation, built};
    double angle[2], frequency[2], entry[2];
    for (int i = 0; i < 2; ++i) {
        lb_trim trim = {.size = sizeof trim};
        const double *q;
        lb_expect_ok(lb_trim_simulation(both[i], &trim));
        assert_true(trim.residual <= trim.tolerance);
        lb_get_initial_state(both[i], &q, NULL);
        angle[i] = q[0];
        lb_linear_options options = lb_default_linear_options();
        lb_modes *modes;
        lb_expect_ok(lb_compute_modes(both[i], &options, &modes));
        assert_int_equal(modes->mode_count, 1);
        frequency[i] = modes->frequencies[0];
        lb_destroy_modes(modes);
        options.outputs = (const char *const[]){"pendulum.angle"};
        options.output_count = 1;
        options.inputs = (const char *const[]){"pendulum.motor"};
        options.input_count = 1;
        lb_linear *linear;
        lb_expect_ok(lb_linearize(both[i], &options, &linear));
        entry[i] = linear->A[2];
        lb_destroy_linear(linear);
    }
    assert_true(angle[0] == angle[1] && frequency[0] == frequency[1] && entry[0] == entry[1]);
    // 4 (0.5 - x) = 9.81 sin x
    lb_expect_near("balance", 4 * (0.5 - angle[1]), 9.81 * sin(angle[1]), 1e-9);
    lb_expect_near("stiffness", entry[1], -(4 + 9.81 * cos(angle[1])), 1e-9);
    // it is in use, and takes nothing more
    assert_int_equal(lb_add_force(lb_get_simulation_forces(built), &spring, NULL), LB_E_ARGUMENT);
    assert_int_equal(lb_add_output(built, "pendulum.angle"), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(built), "used already"));
    const lb_event_options event = lb_default_event_options();
    assert_int_equal(lb_add_event(built, &event, NULL), LB_E_ARGUMENT);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

// ---- faults --------------------------------------------------------------------------------------

static void expect_fault(const lb_heard *heard, const char *path, const char *part)
{
    const lb_heard_entry *entry = lb_find_heard(heard, path);
    if (!entry || !strstr(entry->message, part)) {
        lb_print_heard(heard);
        fail_msg("expected at %s: %s", path, part);
    }
}

static void what_is_wrong_is_said_and_keeps_it_from_starting(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(orbit_text);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_simulation *built = NULL;
    lb_expect_ok(lb_create_simulation(course.model, &report, &built));
    lb_action_options actions[] = {
        make_action(LB_ACTION_ENABLE, "nothing"), make_action(LB_ACTION_LOCK, "nobody"),
        make_action(LB_ACTION_CALL, NULL), make_action(LB_ACTION_CLOSE, "hook")};
    lb_event_options event = lb_default_event_options();
    event.name = "first";
    event.when = "arm.angel";
    event.crosses = NAN;
    event.actions = actions;
    event.action_count = 4;
    int index = -1;
    assert_int_equal(lb_add_event(built, &event, &index), LB_E_MODEL);
    assert_int_equal(index, 0);
    expect_fault(&heard, "events[0].when", "angel");
    expect_fault(&heard, "events[0].crosses", "finite");
    expect_fault(&heard, "events[0].then[0].enable", "there is no force 'nothing'");
    expect_fault(&heard, "events[0].then[1].lock", "there is no body 'nobody'");
    expect_fault(&heard, "events[0].then[2].call", "missing");
    expect_fault(&heard, "events[0].then[3].close", "there is no loop 'hook'");
    event.when = "t";
    event.crosses = 0.0;
    event.actions = NULL;
    assert_int_equal(lb_add_event(built, &event, &index), LB_E_MODEL);
    assert_int_equal(index, 1);
    expect_fault(&heard, "events[1].then", "4 actions, but no array of them");
    expect_fault(&heard, "events[1].name", "already the name of events[0]");
    assert_int_equal(lb_add_output(built, "arm/nose"), LB_E_MODEL);
    expect_fault(&heard, "outputs[0]", "nose");
    assert_int_equal(lb_start_simulation(built), LB_E_MODEL);
    assert_string_equal(lb_get_simulation_message(built),
                        "9 faults were reported while the simulation was built");
    assert_int_equal(lb_start_simulation(built), LB_E_MODEL);
    lb_destroy_simulation(built);

    // initial states are refused in words, and stay as they were
    built = lb_create_twin(course.model);
    static const struct {
        const char *name, *part;
        double value;
    } values[] = {{"arm.angel", "angel", 0},
                  {"system.kinetic", "no part of the state", 0},
                  {"base/lug.position.x", "no part of the state", 0},
                  {"arm.rate", "expected a finite number", INFINITY}};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        assert_int_equal(lb_set_initial_value(built, values[i].name, values[i].value),
                         LB_E_ARGUMENT);
        if (!strstr(lb_get_simulation_message(built), values[i].part)) {
            fail_msg("%s: %s", values[i].name, lb_get_simulation_message(built));
        }
    }
    double q[9] = {1, 1, 0, 0, 7, 0, 0, 0, 0}, v[8] = {0, 0, 0, 0, 0, 0, 0, NAN};
    const double *now;
    assert_int_equal(lb_set_initial_state(built, q, NULL), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(built), "not of unit length"));
    assert_int_equal(lb_set_initial_state(built, NULL, v), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(built), "wheel"));
    lb_get_initial_state(built, &now, NULL);
    assert_true(now[1] == 0.0 && now[4] == 0.0);
    // a quaternion by entries is looked at when it is used
    set_value(built, "base.q.1", 0.5);
    assert_int_equal(lb_start_simulation(built), LB_E_MODEL);
    set_value(built, "base.q.1", 0.0);
    lb_expect_ok(lb_start_simulation(built));
    assert_int_equal(lb_set_initial_value(built, "arm.angle", 0.1), LB_E_ARGUMENT);
    lb_destroy_simulation(built);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spacecraft_catches_as_its_file_says),
        cmocka_unit_test(the_payload_is_handed_over_as_its_file_says),
        cmocka_unit_test(the_robot_catches_as_its_file_says),
        cmocka_unit_test(the_governor_turns_as_its_file_says),
        cmocka_unit_test(the_squeezer_runs_as_its_file_says),
        cmocka_unit_test(every_example_is_loaded_and_starts),
        cmocka_unit_test(loops_are_driven_as_a_file_says),
        cmocka_unit_test(signals_and_forces_act_as_a_file_says),
        cmocka_unit_test(a_program_watches_and_is_called),
        cmocka_unit_test(a_watching_function_that_fails_ends_the_run),
        cmocka_unit_test(trim_modes_and_linear_models_need_no_file),
        cmocka_unit_test(what_is_wrong_is_said_and_keeps_it_from_starting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
