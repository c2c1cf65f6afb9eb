// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of FMUs: event mode in co-simulation, models that are tiny or far away, controllers.
#define _GNU_SOURCE
#include <limber/simulate.h>

#include "fmu_engine.h"
#include "importer.h"

// ---- events in co-simulation -------------------------------------------------------------------

// A pendulum that counts nothing but falls through a level once.
static const char level[] =
    "limber: 1\nname: level\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  - name: rod\n    hinge: {type: revolute, axis: [0, 0, 1]}\n    mass: 1\n"
    "    com: [0, -0.5, 0]\n    inertia: [0.1, 0.1, 0.1, 0, 0, 0]\n"
    "initial: {rod: {angle: -0.5}}\n"
    "events:\n"
    "  - {name: level, when: rod.angle, crosses: 0.1, direction: rising, then: stop}\n"
    "run: {duration: 2, interval: 0.01}\n";

typedef struct step_news {
    bool event, ends, early;
    double last;
} step_news;

static int do_step3(const importer *m, void *instance, double t, double h, step_news *out)
{
    return CALL(m, int(void *, double, double, bool, bool *, bool *, bool *, double *),
                "fmi3DoStep")(instance, t, h, true, &out->event, &out->ends, &out->early,
                              &out->last);
}

static void co_simulation_leaves_events_to_the_importer(void **state)
{
    (void)state;
    const char *path = lb_write_file("level.yaml", level);
    int messages = 0;
    importer m = import_model(path, 3, "");
    void *instance = instantiate_steps(&m, m.token, true, true, &messages);
    assert_int_equal(enter_initialization(&m, instance), 0);
    assert_int_equal(call_plain(&m, instance, "ExitInitializationMode"), 0);
    news told;
    assert_int_equal(update_events(&m, instance, &told), 0);
    assert_int_equal(call_plain(&m, instance, "EnterStepMode"), 0);
    step_news found;
    assert_int_equal(do_step3(&m, instance, 0, 2, &found), 0);
    assert_true(found.event && found.early && !found.ends);
    assert_true(found.last > 0.2 && found.last < 2);
    assert_true(fabs(get_value(&m, instance, "rod.angle") - 0.1) < 1e-9);
    // saved in the middle of the event, and handled twice
    void *saved = NULL;
    assert_int_equal(call_plain(&m, instance, "EnterEventMode"), 0);
    assert_int_equal(CALL(&m, int(void *, void **), "fmi3GetFMUState")(instance, &saved), 0);
    for (int again = 0; again < 2; ++again) {
        assert_int_equal(update_events(&m, instance, &told), 0);
        assert_true(told.ends && !told.states_changed);
        // the event is over: nothing is left of it
        assert_int_equal(update_events(&m, instance, &told), 0);
        assert_true(!told.ends);
        assert_int_equal(CALL(&m, int(void *, void *), "fmi3SetFMUState")(instance, saved), 0);
    }
    assert_int_equal(update_events(&m, instance, &told), 0);
    assert_int_equal(call_plain(&m, instance, "EnterStepMode"), 0);
    assert_int_equal(do_step3(&m, instance, found.last, 0.01, &found), 0);
    assert_true(!found.event);
    assert_int_equal(CALL(&m, int(void *, void **), "fmi3FreeFMUState")(instance, &saved), 0);
    free_instance(&m, instance);
    // without permission to return early the step ends where it was to end
    instance = instantiate_steps(&m, m.token, false, false, &messages);
    assert_int_equal(enter_initialization(&m, instance), 0);
    assert_int_equal(call_plain(&m, instance, "ExitInitializationMode"), 0);
    assert_int_equal(do_step3(&m, instance, 0, 1, &found), 0);
    assert_true(!found.event && !found.early && found.ends && found.last == 1);
    free_instance(&m, instance);
    assert_int_equal(messages, 0);
    end_import(&m);
}

// A force that exists only up to a distance of 0.2 m.
static const char cliff[] =
    "limber: 1\nname: cliff\nbodies:\n"
    "  - {name: slide, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
    "forces:\n  - {name: pull, type: motor, hinge: slide, value: sqrt(0.2 - slide.distance)}\n"
    "initial: {slide: {distance: 0, rate: 1}}\n"
    "run: {duration: 1, interval: 0.01}\n";

static void a_step_that_fails_leaves_nothing_stale(void **state)
{
    (void)state;
    const char *path = lb_write_file("cliff.yaml", cliff);
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        importer m = import_model(path, version, "");
        void *instance = start_instance(&m, false, &messages);
        assert_true(get_value(&m, instance, "der(slide.distance)") == 1);
        assert_int_equal(do_step(&m, instance, 0, 1), fmi3Discard);
        assert_int_equal(messages, 1);
        const double speed = get_value(&m, instance, "slide.distance_rate");
        assert_true(speed > 1 && get_value(&m, instance, "der(slide.distance)") == speed);
        free_instance(&m, instance);
        end_import(&m);
    }
}

// ---- scales ------------------------------------------------------------------------------------

// A mirror of micrometres on a stage that swings within nanometres, at five kilohertz.
static const char tiny[] =
    "limber: 1\nname: mirror\nbodies:\n"
    "  - {name: stage, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1.0e-12,\n"
    "     nodes: {edge: {position: [0, 2.0e-6, 0]}}}\n"
    "  - {name: mirror, parent: stage, at: edge, hinge: {type: revolute, axis: [0, 0, 1]},\n"
    "     mass: 2.0e-13, com: [0, 1.0e-6, 0], inertia: [1.0e-25, 1.0e-25, 1.0e-25, 0, 0, 0]}\n"
    "forces:\n"
    "  - {name: leaf, type: spring, hinge: stage, stiffness: 1.0e-3}\n"
    "  - {name: pivot, type: spring, hinge: mirror, stiffness: 2.0e-16}\n"
    "initial: {stage: {distance: 3.0e-9}, mirror: {angle: 0.001}}\n"
    "run: {duration: 1.0e-3, interval: 1.0e-5}\n";

// A spacecraft with a wheel in a low orbit.
static const char orbit[] =
    "limber: 1\nname: orbit\nbodies:\n"
    "  - {name: bus, hinge: {type: free}, mass: 500, com: [0.1, 0, 0], inertia: [200, 250, 300, 0, "
    "0, 0]}\n"
    "  - {name: wheel, parent: bus, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5,\n"
    "     inertia: [0.1, 0.1, 0.2, 0, 0, 0]}\n"
    "forces:\n"
    "  - {name: earth, type: gravity-point, mu: 3.986004418e14, position: [0, 0, 0]}\n"
    "initial:\n"
    "  bus: {q: [1, 0, 0, 0, 6.9e6, 0, 0], v: [0.01, 0.02, 0.03, 0, 7600, 100]}\n"
    "  wheel: {rate: 100}\n"
    "run: {duration: 100, interval: 1}\n";

// Rates at the start, and both kinds over a time.
static void compare_runs(const char *text, double end, int steps)
{
    const char *path = lb_write_file("scale.yaml", text);
    engine e = open_engine(path);
    const int n = e.q_count + e.v_count;
    int messages = 0;
    importer m = import_model(path, 3, "");
    double *x = calloc(3 * (size_t)n, sizeof *x), *expected = x + n, *start = expected + n;
    const double *q, *v, *a;
    assert_int_equal(lb_start_simulation(e.simulation), LB_OK);
    lb_get_simulation_state(e.simulation, NULL, &q, &v, &a);
    memcpy(start, q, (size_t)e.q_count * sizeof *q);
    memcpy(start + e.q_count, v, (size_t)e.v_count * sizeof *v);
    void *instance = start_instance(&m, true, &messages);
    assert_int_equal(get_rates(&m, instance, x), 0);
    assert_true(get_gap(x + e.q_count, a, e.v_count) < 1e-12);
    close_engine(&e);
    e = open_engine(path);
    run_engine(&e, end, expected);
    integrate(&m, instance, 0, end, steps);
    assert_int_equal(get_states(&m, instance, x), 0);
    for (int i = 0; i < n; ++i) {
        expected[i] -= start[i];
        x[i] -= start[i];
    }
    // of the way that it went; Runge and Kutta with small steps
    assert_true(get_gap(x, expected, e.q_count) < 1e-7);
    assert_true(get_gap(x + e.q_count, expected + e.q_count, e.v_count) < 1e-7);
    free_instance(&m, instance);
    instance = start_instance(&m, false, &messages);
    for (int step = 0; step < 4; ++step) {
        assert_int_equal(do_step(&m, instance, end * step / 4, end / 4), 0);
    }
    for (int i = 0; i < n; ++i) {
        const unsigned reference = (unsigned)i + 1;
        assert_int_equal(get_values(&m, instance, &reference, 1, x + i), 0);
        x[i] -= start[i];
    }
    // steps of the tolerance, 1e-6, of which the sum of errors is a multiple
    assert_true(get_gap(x, expected, e.q_count) < 1e-4);
    assert_true(get_gap(x + e.q_count, expected + e.q_count, e.v_count) < 1e-4);
    free_instance(&m, instance);
    assert_int_equal(messages, 0);
    free(x);
    end_import(&m);
    close_engine(&e);
}

static void tiny_and_far_models_keep_their_digits(void **state)
{
    (void)state;
    compare_runs(tiny, 1e-3, 4000);
    compare_runs(orbit, 100, 4000);
}

// ---- loops -------------------------------------------------------------------------------------

// Three bars between two pins, with a spring across, a motor, and outputs of a node.
static const char bars[] =
    "limber: 1\nname: bars\ngravity: [0, -9.8, 0]\n"
    "ground: {nodes: {right: {position: [2, 0, 0]}, post: {position: [1, 1, 0]}}}\n"
    "bodies:\n"
    "  - {name: A, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20, com: [-2, 0, 0],\n"
    "     inertia: [0, 29, 29, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"
    "  - {name: B, parent: A, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20,\n"
    "     com: [-2, 0, 0], inertia: [0, 29, 29, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"
    "  - {name: C, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 20, com: [-2, 0, "
    "0],\n"
    "     inertia: [0, 29, 29, 0, 0, 0], nodes: {end: {position: [-4, 0, 0]}}}\n"
    "loops:\n"
    "  - {name: pin, a: {body: C, node: end}, b: {body: B, node: end}, type: revolute, axis: [0, "
    "0, "
    "1]}\n"
    "initial: {A: {angle: 60 deg}, B: {angle: 110 deg}, C: {angle: 100 deg}}\n"
    "forces:\n"
    "  - {name: rope, type: spring, between: [ground/post, A/end], stiffness: 80, length: 2}\n"
    "  - {name: drive, type: motor, hinge: A, value: {sine: {amplitude: 300, frequency: 0.5}}}\n"
    "events:\n  - {name: far, when: A.angle, crosses: 4, then: stop}\n"
    "run: {duration: 1, interval: 0.01, assemble: true}\noutputs: [B/end]\n";

static void loops_move_as_in_the_engine_with_forces(void **state)
{
    (void)state;
    compare_runs(bars, 0.5, 2000);
    // outputs see the loop closed: the pin is where bar C ends
    int messages = 0;
    const char *path = lb_write_file("bars.yaml", bars);
    importer m = import_model(path, 3, "--signal C/end");
    void *instance = start_instance(&m, false, &messages);
    assert_int_equal(do_step(&m, instance, 0, 0.4), 0);
    assert_true(fabs(get_value(&m, instance, "B.end.position.x") -
                     get_value(&m, instance, "C.end.position.x")) < 1e-8);
    assert_true(fabs(get_value(&m, instance, "B.end.acceleration.y") -
                     get_value(&m, instance, "C.end.acceleration.y")) < 1e-8);
    free_instance(&m, instance);
    assert_int_equal(messages, 0);
    end_import(&m);
}

// ---- controllers -------------------------------------------------------------------------------

// A pendulum that a sampled controller holds: a sensor with a delay, an actuator with a lag and limits.
static const char servo[] =
    "limber: 1\nname: servo\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  - name: rod\n    hinge: {type: revolute, axis: [0, 0, 1]}\n    mass: 1\n"
    "    com: [0, -0.5, 0]\n    inertia: [0.1, 0.1, 0.1, 0, 0, 0]\n"
    "initial: {rod: {angle: -0.5}}\n"
    "forces:\n  - {name: drive, type: actuator, hinge: rod, limits: [-9, 9], lag: 0.01}\n"
    "controllers:\n"
    "  - name: hold\n    rate: 100\n"
    "    sensors: [{name: encoder, signal: rod.angle, rate: 200, delay: 0.004}]\n"
    "    actuators:\n"
    "      - {actuator: drive, position: encoder, speed: differences, desired: %s}\n"
    "    law: {type: pid, kp: 30, kd: 4, ki: 5}\n"
    "run: {duration: 1, interval: 0.01}\n";

static const char *write_servo(const char *desired)
{
    char text[2048];
    snprintf(text, sizeof text, servo, desired);
    return lb_write_file("servo.yaml", text);
}

// Model exchange with the time events that the model asks for, by Runge and Kutta with steps of at most h.
static void integrate_samples(const importer *m, void *instance, double end, double h)
{
    double t = 0;
    news told;
    assert_int_equal(call_plain(m, instance, "EnterEventMode"), 0);
    assert_int_equal(update_events(m, instance, &told), 0);
    assert_int_equal(call_plain(m, instance, "EnterContinuousTimeMode"), 0);
    while (t < end) {
        assert_true(told.has_next && told.next > t);
        const double to = fmin(told.next, end);
        integrate(m, instance, t, to, (int)ceil((to - t) / h));
        t = to;
        assert_int_equal(set_time(m, instance, t), 0);
        assert_int_equal(call_plain(m, instance, "EnterEventMode"), 0);
        assert_int_equal(update_events(m, instance, &told), 0);
        assert_int_equal(call_plain(m, instance, "EnterContinuousTimeMode"), 0);
    }
}

static void controllers_are_those_of_the_engine(void **state)
{
    (void)state;
    const char *path = write_servo("{sine: {amplitude: 0.3, frequency: 1}}");
    engine e = open_engine(path);
    double expected[2], x[2];
    run_engine(&e, 0.5, expected);
    for (int version = 2; version <= 3; ++version) {
        int messages = 0;
        importer m = import_model(path, version, "");
        // the actuator belongs to the controller
        assert_null(strstr(m.description, "\"drive\""));
        void *instance = start_instance(&m, true, &messages);
        integrate_samples(&m, instance, 0.5, 2.5e-4);
        assert_int_equal(get_states(&m, instance, x), 0);
        // small steps of fourth order, and a lag that is exponential
        assert_true(get_gap(x, expected, 2) < 1e-8);
        free_instance(&m, instance);
        // samples come at their times, however long the steps of the importer are
        instance = start_instance(&m, false, &messages);
        assert_int_equal(do_step(&m, instance, 0, 0.17), 0);
        void *saved = NULL, *other = start_instance(&m, false, &messages);
        assert_int_equal(
            CALL(&m, int(void *, void **),
                 version == 3 ? "fmi3GetFMUState" : "fmi2GetFMUstate")(instance, &saved),
            0);
        assert_int_equal(do_step(&m, instance, 0.17, 0.33), 0);
        const double angle = get_value(&m, instance, "rod.angle"),
                     rate = get_value(&m, instance, "rod.angle_rate");
        assert_true(fabs(angle - expected[0]) < 1e-5 && fabs(rate - expected[1]) < 1e-4);
        // what the controller remembers is part of the state
        assert_int_equal(CALL(&m, int(void *, void *),
                              version == 3 ? "fmi3SetFMUState" : "fmi2SetFMUstate")(other, saved),
                         0);
        assert_int_equal(do_step(&m, other, 0.17, 0.33), 0);
        assert_true(get_value(&m, other, "rod.angle") == angle);
        assert_int_equal(
            CALL(&m, int(void *, void **),
                 version == 3 ? "fmi3FreeFMUState" : "fmi2FreeFMUstate")(instance, &saved),
            0);
        free_instance(&m, instance);
        free_instance(&m, other);
        assert_int_equal(messages, 0);
        end_import(&m);
    }
    close_engine(&e);
}

static void references_are_inputs_and_actuators_without_control_too(void **state)
{
    (void)state;
    int messages = 0;
    const char *path = write_servo("0.25");
    importer m = import_model(path, 3, ""), given = import_model(path, 3, "--inputs hold.drive"),
             open = import_model(path, 3, "--open-loop");
    void *one = start_instance(&m, false, &messages),
         *two = instantiate_with(&given, false, given.token, &messages),
         *three = start_instance(&open, true, &messages);
    assert_int_equal(count_text(given.description, "unit=\"rad/s2\""),
                     2); // and der(rod.angle_rate)
    // the model's own value, until it is set
    assert_true(get_value(&given, two, "hold.drive.desired") == 0.25);
    assert_int_equal(set_value(&given, two, "hold.drive.desired", 0.25), 0);
    assert_int_equal(enter_initialization(&given, two), 0);
    assert_int_equal(call_plain(&given, two, "ExitInitializationMode"), 0);
    assert_int_equal(do_step(&m, one, 0, 0.2), 0);
    assert_int_equal(do_step(&given, two, 0, 0.2), 0);
    // 1e-12: the same sums, with a constant in the place of an input
    assert_true(fabs(get_value(&m, one, "rod.angle") - get_value(&given, two, "rod.angle")) <
                1e-12);
    assert_int_equal(set_value(&given, two, "hold.drive.desired", -0.25), 0);
    assert_int_equal(do_step(&m, one, 0.2, 0.1), 0);
    assert_int_equal(do_step(&given, two, 0.2, 0.1), 0);
    assert_true(fabs(get_value(&m, one, "rod.angle") - get_value(&given, two, "rod.angle")) > 1e-3);
    // without its controller, the actuator is a force: 1 / (0.1 + 1 0.5^2)
    double rates[2], with[2];
    assert_int_equal(get_rates(&open, three, rates), 0);
    assert_int_equal(set_value(&open, three, "drive", 0.7), 0);
    assert_int_equal(get_rates(&open, three, with), 0);
    assert_true(fabs(with[1] - rates[1] - 0.7 / 0.35) < 1e-12);
    assert_int_equal(messages, 0);
    // a controller counts its samples from time 0 on
    free_instance(&m, one);
    one = instantiate_with(&m, true, m.token, &messages);
    assert_int_not_equal(
        CALL(&m, int(void *, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Float64),
             "fmi3EnterInitializationMode")(one, false, 0, 5, false, 0),
        0);
    assert_int_equal(messages, 1);
    free_instance(&m, one);
    free_instance(&given, two);
    free_instance(&open, three);
    end_import(&m);
    end_import(&given);
    end_import(&open);
}

// ---- motions -----------------------------------------------------------------------------------

// A flexible pendulum on a slide that moves, with a motor and a wind.
static const char shaken[] =
    "limber: 1\nname: shaken\ngravity: [0, -9.8, 0]\nbodies:\n"
    "  - {name: base, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"
    "  - name: rod\n    parent: base\n    hinge: {type: revolute, axis: [0, 0, 1]}\n    flex:\n"
    "      nodes:\n"
    "        - {name: root, mass: 0.7, shape: [[0, 0, 0, 0, 0, 0]]}\n"
    "        - {name: tip, position: [0, -2, 0], mass: 0.8, shape: [[0.7, 0, 0, 0, 0, 1]]}\n"
    "      stiffness: [90]\n      damping: [0.5]\n"
    "forces:\n"
    "  - {name: drive, type: motion, hinge: base, position: 0.2 + 0.3*sin(4*t)}\n"
    "  - {name: push, type: motor, hinge: rod, value: 1.5 + rod.angle}\n"
    "  - {name: wind, type: force, at: rod/tip, value: [0.5, 0, 2*t]}\n"
    "initial: {rod: {angle: 0.4}}\n"
    "run: {duration: 1, interval: 0.01}\n";

// Where the motion begins.
static double centre;

static void feed_motion(const importer *m, void *instance, double t)
{
    const double x[3] = {centre + 0.3 * sin(4 * t), 1.2 * cos(4 * t), -4.8 * sin(4 * t)};
    unsigned references[3];
    references[0] = find_reference(m, "drive.position");
    references[1] = find_reference(m, "drive.speed");
    references[2] = find_reference(m, "drive.acceleration");
    assert_int_equal(set_values(m, instance, references, 3, x), 0);
}

// Model exchange with the motion from outside. A state of a driven hinge is the integral of its speed there.
static void compare_fed(const char *text, double begin, int version)
{
    int messages = 0;
    const char *path = lb_write_file("driven.yaml", text);
    engine e = open_engine(path);
    const double end = 0.5;
    centre = begin;
    double expected[8], x[8];
    run_engine(&e, end, expected);
    importer m = import_model(path, version, "--inputs drive");
    m.feed = feed_motion;
    void *instance = start_instance(&m, true, &messages);
    const char *unit = strstr(strstr(m.description, "\"drive.acceleration\""), "unit=\"");
    const char *expected_unit = text == shaken ? "unit=\"m/s2\"" : "unit=\"rad/s2\"";
    assert_memory_equal(unit, expected_unit, strlen(expected_unit));
    // until they are set, inputs are what the model has at the start
    assert_true(fabs(get_value(&m, instance, "drive.position") - begin) < 1e-15);
    assert_true(fabs(get_value(&m, instance, "drive.speed") - 1.2) < 1e-15);
    assert_true(get_value(&m, instance, "drive.acceleration") == 0);
    integrate(&m, instance, 0, end, 1000);
    assert_int_equal(get_states(&m, instance, x), 0);
    // 1e-8: Runge and Kutta with small steps
    assert_true(get_gap(x, expected, e.q_count) < 1e-8);
    assert_true(get_gap(x + e.q_count, expected + e.q_count, e.v_count) < 1e-8);
    // events put driven hinges where the inputs say
    news told;
    assert_int_equal(set_value(&m, instance, "drive.position", 0.33), 0);
    assert_int_equal(call_plain(&m, instance, "EnterEventMode"), 0);
    assert_int_equal(update_events(&m, instance, &told), 0);
    assert_int_equal(get_states(&m, instance, x), 0);
    assert_true(x[0] == 0.33);
    free_instance(&m, instance);
    // co-simulation holds inputs over its steps
    instance = start_instance(&m, false, &messages);
    assert_int_equal(set_value(&m, instance, "drive.position", begin + 0.01), 0);
    assert_int_equal(set_value(&m, instance, "drive.speed", 0), 0);
    assert_int_equal(do_step(&m, instance, 0, 0.1), 0);
    assert_true(get_value(&m, instance, text == shaken ? "base.distance" : "A.angle") ==
                begin + 0.01);
    free_instance(&m, instance);
    assert_int_equal(messages, 0);
    end_import(&m);
    close_engine(&e);
}

static void motions_are_inputs(void **state)
{
    (void)state;
    compare_fed(shaken, 0.2, 2);
    compare_fed(shaken, 0.2, 3);
    // the loop of three bars, the first of which is driven
    char text[2048];
    const char *motor = strstr(bars, "type: motor"), *rest = strstr(motor, "events:");
    snprintf(text, sizeof text, "%.*stype: motion, hinge: A, position: 1.05 + 0.3*sin(4*t)}\n%s",
             (int)(motor - bars), bars, rest);
    compare_fed(text, 1.05, 3);
    // motors and forces start with their values too
    int messages = 0;
    const char *path = lb_write_file("shaken.yaml", shaken);
    importer m = import_model(path, 3, "--inputs push,wind");
    void *instance = start_instance(&m, true, &messages);
    assert_true(fabs(get_value(&m, instance, "push") - 1.9) < 1e-15);
    assert_true(get_value(&m, instance, "wind.x") == 0.5 && get_value(&m, instance, "wind.z") == 0);
    free_instance(&m, instance);
    end_import(&m);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(co_simulation_leaves_events_to_the_importer),
        cmocka_unit_test(a_step_that_fails_leaves_nothing_stale),
        cmocka_unit_test(tiny_and_far_models_keep_their_digits),
        cmocka_unit_test(loops_move_as_in_the_engine_with_forces),
        cmocka_unit_test(controllers_are_those_of_the_engine),
        cmocka_unit_test(references_are_inputs_and_actuators_without_control_too),
        cmocka_unit_test(motions_are_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
