// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frozen controllers: runs by NAME_run beside runs of the engine with the same steps.
#include <limber/control.h>
#include <limber/forces.h>
#include <limber/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"

typedef int (*run_function)(double, double, const double *, double *, double *, double *, double *);
typedef int (*control_function)(double, const double *, const double *, const double *, double *,
                                double *);
typedef double (*next_function)(const double *);

enum { MOST = 64, MEMORY_MOST = 1000 };

// A frozen simulation that runs.
typedef struct robot {
    lb_frozen *frozen;
    lb_program program;
    run_function run;
    double q[MOST], v[MOST], tau[MOST], u[MOST], memory[MEMORY_MOST];
} robot;

static robot begin(lb_course *course, const char *functions, const char *inputs)
{
    robot r = {.frozen = NULL};
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.inputs = inputs;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status = lb_freeze_simulation(course->simulation, &options, &report, &r.frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    assert_int_equal(status, LB_OK);
    assert_true(lb_write_frozen(r.frozen, &r.program));
    assert_true(lb_load_program(&r.program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0"));
    assert_true(lb_get_q_count(course->model) <= MOST);
    assert_true(lb_get_frozen_count(r.frozen, LB_FROZEN_MEMORY) <= MEMORY_MOST);
    assert_true(lb_get_frozen_count(r.frozen, LB_FROZEN_INPUTS) <= MOST);
    if (strstr(functions, "run")) {
        lb_get_program_function(&r.program, "run", &r.run);
    }
    const double *q, *v;
    double t;
    lb_get_simulation_state(course->simulation, &t, &q, &v, NULL);
    memcpy(r.q, q, (size_t)lb_get_q_count(course->model) * sizeof *q);
    memcpy(r.v, v, (size_t)lb_get_v_count(course->model) * sizeof *v);
    return r;
}

static void end(robot *r)
{
    lb_end_program(&r->program);
    lb_destroy_frozen(r->frozen);
}

// Runs both; at every tenth of the time they must agree.
static void compare(lb_course *course, double h, int step_count, double bound)
{
    lb_choose_integrator(course, LB_INTEGRATOR_RK4, 0, 0, h);
    lb_start_course(course);
    robot r = begin(course, "run", NULL);
    const int nq = lb_get_q_count(course->model), n = lb_get_v_count(course->model);
    double moved = 0.0;
    for (int i = 0; i < step_count; ++i) {
        assert_int_equal(r.run(i * h, h, r.tau, r.u, r.q, r.v, r.memory), 0);
        if ((i + 1) % (step_count / 10) == 0) {
            lb_go_to(course, (i + 1) * h);
            const double gaps[2] = {lb_get_gap(r.q, course->q, (size_t)nq),
                                    lb_get_gap(r.v, course->v, (size_t)n)};
            if (!(gaps[0] <= bound && gaps[1] <= bound)) {
                fail_msg("at %g s: %g of q, %g of v", (i + 1) * h, gaps[0], gaps[1]);
            }
            for (int j = 0; j < n; ++j) {
                moved = fmax(moved, fabs(course->v[j]));
            }
        }
    }
    assert_true(moved > 1e-3); // something happened
    end(&r);
}

static void follow(const char *text, double h, int step_count, double bound)
{
    lb_course course = lb_begin_course(text);
    compare(&course, h, step_count, bound);
    lb_end_course(&course);
}

#define ARM                                                                                        \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.4, 0.1, 0],\n"     \
    "     inertia: [0.2, 0.5, 0.6, 0.01, 0, 0.02], nodes: {end: {position: [1, 0, 0]}}}\n" LB_BOOM \
    "forces:\n"                                                                                    \
    "  - {name: rest, type: spring, hinge: boom, stiffness: 5}\n"                                  \
    "  - {name: m, type: actuator, hinge: arm, limits: [-80, 90], gain: 2, dead_zone: 0.1, "       \
    "rate_limit: 900, lag: 0.02}\n"                                                                \
    "  - {name: n, type: actuator, hinge: boom, limits: [-40, 40]}\n"

// every kind of sensor, of three rates; delays, rounding and noise; speeds by differences; two controllers
static const char pid_text[] = ARM
    "controllers:\n"
    "  - name: lower\n"
    "    rate: 200\n"
    "    sensors:\n"
    "      - {name: angle, signal: arm.angle, quantum: 1.0e-4, delay: 0.0132, noise: 1.0e-4, seed: "
    "7}\n"
    "      - {name: load, torque: boom, rate: 70}\n"
    "      - {name: jolt, signal: boom/tip.acceleration.y, rate: 500, delay: 0.004}\n"
    "      - {name: strain, strain: [boom/root, boom/tip], offset: [0, 0.05, 0]}\n"
    "    actuators:\n"
    "      - {actuator: m, position: angle, speed: differences, desired: {waypoints: [[0.1, 0], "
    "[0.5, 20 deg], [0.9, -10 deg]]}}\n"
    "    law: {type: pid, kp: 60, kd: 8, ki: 40, inertia: 2, integral_limit: 3}\n"
    "  - name: upper\n"
    "    rate: 90\n"
    "    sensors:\n"
    "      - {name: strain, strain: [boom/root, boom/tip], offset: [0, 0.05, 0]}\n"
    "      - {name: jolt, signal: boom/tip.acceleration.y, rate: 500, delay: 0.004}\n"
    "    actuators:\n"
    "      - {actuator: n, position: strain, speed: jolt, desired: 0.2*sin(5*t)}\n"
    "    law: {type: pid, kp: 30, kd: 0.01}\n";

static void pids_follow_the_engine_s(void **state)
{
    (void)state;
    // 1e-9: as steps of simulations without controllers
    follow(pid_text, 0.002, 500, 1e-9);
}

// gains over both hinges, true motion, and a step that fits no rate
static const char matrix_text[] =
    ARM "controllers:\n"
        "  - name: both\n"
        "    rate: 130\n"
        "    actuators:\n"
        "      - {actuator: m, desired: {waypoints: [[0, 0], [0.6, 0.4]], profile: septic}}\n"
        "      - {actuator: n, desired: {waypoints: [[0, 0], [0.6, -0.5]], profile: cubic}}\n"
        "    law: {type: pid, kp: [[60, 5], [5, 40]], kd: [[6, 1], [1, 5]], ki: [[9, 1], [0, 3]]}\n"
        "    shaping: {type: zvd}\n";

static void gain_matrices_and_shaping_follow_the_engine_s(void **state)
{
    (void)state;
    follow(matrix_text, 0.003, 400, 1e-9);
}

static void regulators_follow_the_engine_s(void **state)
{
    (void)state;
    char *text = lb_read_example("inverted_pendulum.yaml");
    follow(text, 0.0005, 1000, 1e-9);
    free(text);
}

// An example for some steps of its run.
static void follow_example(const char *name, double h, int step_count, double bound)
{
    lb_course course = lb_begin_example(name);
    compare(&course, h, step_count, bound);
    lb_end_course(&course);
}

// a regulator of vibrations; and laws with models of their own, which integrate them
static void laws_that_know_the_dynamics_follow_the_engine_s(void **state)
{
    (void)state;
    follow_example("controlled_arm.yaml", 1e-4, 2500, 1e-9);
    follow_example("payload_arm.yaml", 1e-4, 1000, 1e-9);
}

#define PLANNED(law)                                                                               \
    ARM "controllers:\n"                                                                           \
        "  - name: both\n"                                                                         \
        "    rate: 200\n"                                                                          \
        "    actuators:\n"                                                                         \
        "      - {actuator: m, desired: {waypoints: [[0, 0], [0.6, 0.4]]}}\n"                      \
        "      - {actuator: n, desired: {waypoints: [[0, 0], [0.6, -0.5]]}}\n"                     \
        "    law: {type: " law "}\n"

static void each_knowledge_of_modes_follows_the_engine_s(void **state)
{
    (void)state;
    static const char *const texts[] = {
        PLANNED("computed-torque, kp: 100, kd: 20"),
        PLANNED("computed-torque, kp: 100, kd: 20, modes: rigid"),
        PLANNED("computed-torque, kp: 100, kd: 20, modes: estimated"),
        PLANNED("acceleration-matching, kp: 100, kd: 20, sweeps: 3, state: integrated"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        // short: with the boom taken for rigid, round-off grows a thousandfold in the next 0.1 s
        follow(texts[i], 0.0025, 120, 1e-9);
    }
}

static const char turn_text[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: bus, hinge: {type: free}, mass: 500, inertia: [100, 120, 90, 1, 2, -3], nodes: "
    "{side: {position: [1, 0, 0]}}}\n"
    "  - {name: x, parent: bus, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 5, inertia: [0.1, "
    "0.05, 0.05, 0, 0, 0]}\n"
    "  - {name: y, parent: bus, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 5, inertia: [0.05, "
    "0.1, 0.05, 0, 0, 0]}\n"
    "  - {name: z, parent: bus, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, inertia: [0.05, "
    "0.05, 0.1, 0, 0, 0]}\n"
    "  - {name: dish, parent: bus, at: side, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 8, "
    "com: [0.5, 0, 0], inertia: [1, 2, 2, 0, 0, 0]}\n"
    "forces:\n"
    "  - {name: mx, type: actuator, hinge: x, limits: [-2, 2]}\n"
    "  - {name: my, type: actuator, hinge: y, limits: [-2, 2]}\n"
    "  - {name: mz, type: actuator, hinge: z, limits: [-2, 2]}\n"
    "  - {name: drive, type: motion, hinge: dish, position: 0.3*sin(0.4*t)}\n"
    "controllers:\n"
    "  - name: attitude\n"
    "    rate: 10\n"
    "    actuators: [mx, my, mz]\n"
    "    law: {type: attitude, node: bus, kp: 8, kd: 60, inertia: [100, 120, 90], distribution: "
    "-1, desired: {waypoints: [[1, [1, 0, 0, 0]], [5, [0.96, 0.168, 0, 0.224]], [9, [0.8, 0.6, "
    "0, 0]], [14, [1, 0, 0, 0]]]}}\n";

static void attitudes_follow_the_engine_s(void **state)
{
    (void)state;
    follow(turn_text, 0.02, 800, 1e-9);
}

// The desired motion as an input: fed with the same motion, the run is the same.
static void desired_motions_can_be_inputs(void **state)
{
    (void)state;
    static const char text[] =
        ARM "controllers:\n"
            "  - {name: c, rate: 100, actuators: [{actuator: m, desired: 0.3*sin(2*t)}, {actuator: "
            "n, desired: 0}], law: {type: pid, kp: 50, kd: 6, inertia: 1}}\n";
    lb_course course = lb_begin_course(text);
    lb_choose_integrator(&course, LB_INTEGRATOR_RK4, 0, 0, 0.005);
    lb_start_course(&course);
    robot r = begin(&course, "run", "c.m");
    assert_int_equal(lb_get_frozen_count(r.frozen, LB_FROZEN_INPUTS), 5);
    assert_string_equal(lb_get_frozen_entry(r.frozen, LB_FROZEN_INPUTS, 2), "c.m.desired");
    assert_string_equal(lb_get_frozen_entry(r.frozen, LB_FROZEN_INPUTS, 3), "c.m.desired_speed");
    for (int i = 0; i < 200; ++i) {
        const double t = 0.005 * i;
        r.u[2] = 0.3 * sin(2 * t);
        r.u[3] = 0.6 * cos(2 * t);
        r.u[4] = -1.2 * sin(2 * t);
        assert_int_equal(r.run(t, 0.005, r.tau, r.u, r.q, r.v, r.memory), 0);
    }
    lb_go_to(&course, 1.0);
    assert_true(lb_get_gap(r.q, course.q, (size_t)course.q_count) < 1e-10);
    end(&r);
    lb_end_course(&course);
}

// By hand: NAME_control at the times of NAME_next_sample. A proportional law by its definition.
static void samples_can_be_taken_one_by_one(void **state)
{
    (void)state;
    static const char text[] =
        ARM "controllers:\n"
            "  - name: c\n"
            "    rate: 40\n"
            "    sensors: [{name: s, signal: arm.angle, rate: 100, delay: 0.03}]\n"
            "    actuators: [{actuator: n, position: s, speed: s, desired: 0.5}]\n"
            "    law: {type: pid, kp: 10}\n";
    lb_course course = lb_begin_course(text);
    lb_start_course(&course);
    robot r = begin(&course, "control", NULL);
    control_function control;
    next_function next;
    lb_get_program_function(&r.program, "control", &control);
    lb_get_program_function(&r.program, "next_sample", &next);
    const int arm = lb_get_q_offset(course.model, 0);
    double times[400];
    for (int i = 0; i < 100; ++i) {
        const double t = next(r.memory);
        times[i] = t;
        assert_true(i == 0 ? t == 0.0 : t > times[i - 1]);
        r.q[arm] = sin(3.0 * t);
        assert_int_equal(control(t, r.q, r.v, r.tau, r.u, r.memory), 0);
        // at the last instant of the law: what was sampled 0.03 s ago at least
        const double sampled = floor(t * 40.0 + 1e-9) / 40.0 - 0.03;
        const double read =
            sampled < -1e-9 ? 0.0 : sin(3.0 * floor(sampled * 100.0 + 1e-6) / 100.0);
        // 1e-12: times are quotients
        assert_true(fabs(r.u[1] - 10.0 * (0.5 - read)) < 1e-12);
    }
    end(&r);
    lb_end_course(&course);
}

static void files_compile_everywhere(void **state)
{
    (void)state;
    static const char *const texts[] = {pid_text, turn_text};
    for (size_t i = 0; i < 2; ++i) {
        for (int number = LB_FROZEN_DOUBLE; number <= LB_FROZEN_FLOAT; ++number) {
            lb_course course = lb_begin_course(texts[i]);
            lb_freeze_options options = lb_default_freeze_options();
            options.functions = "step,run,control";
            options.number = (lb_frozen_number)number;
            lb_frozen *frozen = NULL;
            lb_expect_ok(lb_freeze_simulation(course.simulation, &options, NULL, &frozen));
            lb_program program;
            assert_true(lb_write_frozen(frozen, &program));
            assert_int_equal(lb_run_in_folder(&program,
                                              "cc -std=c99 -pedantic -Wall -Wextra -Werror -O1 "
                                              "-DMODEL_SELF_TEST model.c -lm && ./a.out"),
                             0);
            assert_int_equal(lb_run_in_folder(&program,
                                              "g++ -x c++ -std=c++11 -pedantic -Wall -Wextra "
                                              "-Werror -O0 -c model.c"),
                             0);
            lb_end_program(&program);
            lb_destroy_frozen(frozen);
            lb_end_course(&course);
        }
    }
}

static int obey(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    commands[0] = -sample->position[0];
    return 0;
}

static void expect_refusal(lb_course *course, const char *functions, const char *inputs,
                           const char *word)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.inputs = inputs;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_frozen *frozen = NULL;
    assert_true(lb_freeze_simulation(course->simulation, &options, &report, &frozen) < LB_OK);
    assert_null(frozen);
    if (!strstr(heard.entries[0].message, word)) {
        lb_print_heard(&heard);
    }
    assert_non_null(strstr(heard.entries[0].message, word));
}

static void what_cannot_be_frozen_is_refused_by_name(void **state)
{
    (void)state;
#define HOLD "controllers:\n  - {name: c, rate: 10, actuators: [{actuator: m, desired: 0}], "
    static const struct {
        const char *text, *inputs, *word;
    } cases[] = {
        {ARM HOLD "sensors: [{name: s, signal: reaction(arm).force.x}], law: {type: pid, kp: 1}}\n",
         NULL, "sensor 's'"},
        {ARM HOLD "sensors: [{name: s, signal: arm.angle, delay: 300}], law: {type: pid, kp: 1}}\n",
         NULL, "2000"},
        {ARM HOLD "law: {type: pid, kp: 1}}\n", "c.n", "'c.n'"},
        {ARM, NULL, "'run'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = lb_begin_course(cases[i].text);
        expect_refusal(&course, "run", cases[i].inputs, cases[i].word);
        lb_end_course(&course);
    }
    lb_course course = lb_begin_course(ARM);
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_CALLBACK;
    law.callback = obey;
    lb_channel_options channel = lb_default_channel_options();
    channel.actuator = "n";
    lb_controller_options own = lb_default_controller_options();
    own.name = "mine";
    own.rate = 10.0;
    own.channels = &channel;
    own.channel_count = 1;
    own.law = &law;
    lb_expect_ok(lb_add_controller(course.simulation, &own, NULL));
    expect_refusal(&course, "control", NULL, "controller 'mine': its law of type callback");
    // actuators by themselves are frozen all the same
    robot r = begin(&course, "actuate,command", NULL);
    end(&r);
    lb_end_course(&course);
}

LB_TESTS()
{
    srand(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pids_follow_the_engine_s),
        cmocka_unit_test(gain_matrices_and_shaping_follow_the_engine_s),
        cmocka_unit_test(regulators_follow_the_engine_s),
        cmocka_unit_test(laws_that_know_the_dynamics_follow_the_engine_s),
        cmocka_unit_test(each_knowledge_of_modes_follows_the_engine_s),
        cmocka_unit_test(attitudes_follow_the_engine_s),
        cmocka_unit_test(desired_motions_can_be_inputs),
        cmocka_unit_test(samples_can_be_taken_one_by_one),
        cmocka_unit_test(files_compile_everywhere),
        cmocka_unit_test(what_cannot_be_frozen_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
