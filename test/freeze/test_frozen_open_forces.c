// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameters of force elements, functions of time, signals and laws that stay open in frozen simulations.
#include <limber/forces.h>
#include <limber/io.h>
#include <limber/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "frozen/program.h"
#include "heard.h"

// As the struct of the file: fields in the order of the list.
typedef struct values {
    double x[6];
} values;

typedef int (*rates_function)(const values *, double, const double *, const double *,
                              const double *, const double *, double *, double *);
typedef int (*control_function)(const values *, double, const double *, const double *,
                                const double *, double *, double *);
typedef int (*signals_function)(const values *, double, const double *, const double *,
                                const double *, const double *, double *);

#define BODIES                                                                                     \
    "limber: 1\n"                                                                                  \
    "parameters: {k: 40, c: 2, m: 3, amp: 1.5, edge: 0.3, g: 0.7}\n"                               \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {post: {position: [0.4, 0.1, 1.5]}}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: m, com: [0.4, 0, 0],\n"       \
    "     inertia: [0.2, 0.5, 0.6, 0, 0, 0], nodes: {end: {position: [1, 0, 0]}}}\n"               \
    "  - {name: slide, parent: arm, at: end, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: "    \
    "1,\n"                                                                                         \
    "     inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {hook: {position: [0.1, 0, 0]}}}\n"

static const char all_text[] = BODIES
    "signals: {pull: k*arm.angle + c*slide.rate}\n"
    "forces:\n"
    "  - {name: s, type: spring, hinge: arm, stiffness: k, rest: 0.1*g}\n"
    "  - {name: d, type: damper, hinge: slide, damping: c*c}\n"
    "  - {name: rope, type: spring, between: [slide/hook, ground/post], stiffness: 2*k, "
    "length: g}\n"
    "  - {name: dry, type: friction, hinge: arm, coulomb: c, speed: 0.01}\n"
    "  - {name: ends, type: stop, hinge: slide, lower: -0.3, upper: edge, stiffness: 100*k}\n"
    "  - {name: w, type: motor, hinge: slide, value: amp*sin(3*t) + 0.1*pull, limits: [-9, "
    "9]}\n"
    "  - {name: wind, type: force, at: slide/hook, value: [amp, 0, 1 - amp]}\n"
    "  - {name: n, type: actuator, hinge: arm, limits: [-99, 99], gain: g}\n"
    "controllers:\n"
    "  - {name: hold, rate: 10, actuators: [{actuator: n, desired: amp*t}], law: {type: pid, "
    "kp: k, kd: [c], inertia: m}}\n"
    "outputs: [pull]\n";

static const char *const names[6] = {"k", "c", "m", "amp", "edge", "g"};
static const double starts[6] = {40, 2, 3, 1.5, 0.3, 0.7};

typedef struct owner {
    lb_document *document;
    lb_frozen_parameter list[6];
    lb_freeze_parameters given;
} owner;

static lb_status build(void *user, const double *x, lb_model **model)
{
    owner *o = user;
    lb_status status = LB_OK;
    for (int i = 0; status >= LB_OK && i < o->given.count; ++i) {
        status = lb_set_parameter(o->document, o->list[i].name, x[i], NULL);
    }
    return status < LB_OK ? status : lb_load_document_model(o->document, NULL, model);
}

static lb_status simulate(void *user, const lb_model *model, lb_simulation **simulation)
{
    owner *o = user;
    return lb_load_simulation(o->document, model, NULL, simulation);
}

static void start(const char *text, int count, owner *o)
{
    *o = (owner){.document = NULL};
    lb_expect_ok(lb_load_document_text(text, strlen(text), "text", LB_FORMAT_YAML, NULL, NULL,
                                       &o->document));
    for (int i = 0; i < count; ++i) {
        o->list[i] = (lb_frozen_parameter){names[i], starts[i], -INFINITY, INFINITY, NULL};
    }
    o->given = (lb_freeze_parameters){sizeof o->given, count, o->list, build, o, simulate};
}

static lb_status freeze(owner *o, lb_course *course, const char *functions, lb_heard *heard,
                        lb_frozen **frozen)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.parameters = &o->given;
    const lb_report report = lb_listen(heard);
    return lb_freeze_simulation(course->simulation, &options, &report, frozen);
}

static double get_gap(int count, const double *x, const double *y)
{
    double gap = 0.0, size = 1e-300;
    for (int i = 0; i < count; ++i) {
        gap = fmax(gap, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return gap / size;
}

// The file at some values against the engine with a model that was built with them.
static void forces_have_open_parameters(void **state)
{
    (void)state;
    static const double sets[][6] = {
        {40, 2, 3, 1.5, 0.3, 0.7}, {7, 0.3, 11, -2, 0.15, 1.9}, {900, 5, 0.2, 0, 0.6, 0.01}};
    owner o;
    start(all_text, 6, &o);
    lb_course course = lb_begin_course(all_text);
    lb_heard heard = {.count = 0};
    lb_frozen *frozen = NULL;
    const lb_status status = freeze(&o, &course, "step,outputs,control", &heard, &frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    assert_int_equal(status, LB_OK);
    lb_program program;
    assert_true(lb_write_frozen(frozen, &program));
    assert_true(lb_load_program(&program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O1"));
    rates_function rates;
    signals_function outputs;
    lb_get_program_function(&program, "rates", &rates);
    control_function control;
    lb_get_program_function(&program, "outputs", &outputs);
    lb_get_program_function(&program, "control", &control);
    assert_true(lb_get_frozen_count(frozen, LB_FROZEN_MEMORY) <= 16);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        values p;
        memcpy(p.x, sets[i], sizeof p.x);
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_expect_ok(build(&o, sets[i], &model));
        lb_expect_ok(simulate(&o, model, &simulation));
        lb_expect_ok(lb_start_simulation(simulation));
        lb_work *work = lb_create_work(model);
        const double q[2] = {0.4, 0.5}, v[2] = {-0.8, 1.1}, none[2] = {0}, t = 0.37;
        double tau[2] = {0}, a[2], found[2], q_dot[2], y[1];
        // the actuator has its first command: its force is an input of the file
        lb_forces *forces = lb_get_simulation_forces(simulation);
        lb_set_force_enabled(forces, lb_find_force(forces, "n"), false);
        lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
        lb_expect_ok(lb_compute_forces(forces, model, work, t, q, v, tau, NULL, NULL));
        lb_expect_ok(lb_compute_forward_dynamics(model, work, q, v, tau, a));
        assert_int_equal(rates(&p, t, q, v, none, none, found, q_dot), 0);
        // 1e-12: numbers of the model are polynomials to that
        assert_true(get_gap(2, found, a) < 1e-12);
        assert_int_equal(outputs(&p, t, q, v, none, none, y), 0);
        lb_expect_near("pull", y[0], sets[i][0] * q[0] + sets[i][1] * v[1], 1e-12);
        // (CTL-4) at t = 0, by hand: the desired motion starts at 0 with the speed amp
        double u[1] = {0}, memory[16] = {0};
        const double *x = sets[i];
        assert_int_equal(control(&p, 0.0, q, v, none, u, memory), 0);
        const double command = x[5] * (x[0] * -q[0] + x[1] * (x[3] - v[0]));
        lb_expect_near("command", u[0], fmin(99.0, fmax(-99.0, command)), 1e-12);
        lb_destroy_work(work);
        lb_destroy_simulation(simulation);
        lb_destroy_model(model);
    }
    lb_end_program(&program);
    lb_destroy_frozen(frozen);
    lb_end_course(&course);
    lb_destroy_document(o.document);
}

// Gains of an attitude law that stay open, against a file in which they are numbers.
static void gains_of_attitudes_stay_open(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "parameters: {k: 40, c: 2, m: 3}\n"
        "bodies:\n"
        "  - {name: bus, hinge: {type: free}, mass: 400, inertia: [100, 120, 90, 0, 0, 0]}\n"
        "  - {name: x, parent: bus, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 5, inertia: "
        "[0.1, 0.05, 0.05, 0, 0, 0]}\n"
        "  - {name: y, parent: bus, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 5, inertia: "
        "[0.05, 0.1, 0.05, 0, 0, 0]}\n"
        "  - {name: z, parent: bus, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 5, inertia: "
        "[0.05, 0.05, 0.1, 0, 0, 0]}\n"
        "forces:\n"
        "  - {name: mx, type: actuator, hinge: x}\n"
        "  - {name: my, type: actuator, hinge: y}\n"
        "  - {name: mz, type: actuator, hinge: z}\n"
        "controllers:\n"
        "  - name: attitude\n"
        "    rate: 10\n"
        "    sensors: [{name: unused, signal: x.rate, delay: 0.1}]\n"
        "    actuators: [mx, my, mz]\n"
        "    law: {type: attitude, node: bus, kp: k, kd: c, inertia: [100*m, 120*m, 90], "
        "distribution: -1, desired: {waypoints: [[0, [1, 0, 0, 0]], [5, [0.96, 0.168, 0, "
        "0.224]]]}}\n";
    static const double sets[][6] = {{40, 2, 3}, {7, 0.3, 11}, {900, 5, 0.2}};
    typedef int (*closed_function)(double, const double *, const double *, const double *, double *,
                                   double *);
    owner o;
    start(text, 3, &o);
    lb_course course = lb_begin_course(text);
    lb_heard heard = {.count = 0};
    lb_frozen *frozen = NULL;
    const lb_status status = freeze(&o, &course, "control", &heard, &frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    assert_int_equal(status, LB_OK);
    lb_program open;
    control_function control;
    assert_true(lb_write_frozen(frozen, &open));
    assert_true(lb_load_program(&open, "cc -std=c99 -O0"));
    lb_get_program_function(&open, "control", &control);
    const double q[10] = {0.8, 0.36, 0, 0.48, 1, 2, 3, 0.1, 0.2, 0.3};
    const double v[9] = {0.01, -0.02, 0.03, 1, 2, 3, 4, 5, 6}, none[9] = {0};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        values p;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_frozen *plain = NULL;
        lb_program closed;
        closed_function expected;
        lb_freeze_options options = lb_default_freeze_options();
        options.functions = "control";
        memcpy(p.x, sets[i], sizeof p.x);
        lb_expect_ok(build(&o, sets[i], &model));
        lb_expect_ok(simulate(&o, model, &simulation));
        lb_expect_ok(lb_freeze_simulation(simulation, &options, NULL, &plain));
        assert_true(lb_write_frozen(plain, &closed));
        assert_true(lb_load_program(&closed, "cc -std=c99 -O0"));
        lb_get_program_function(&closed, "control", &expected);
        double a[3] = {0}, b[3] = {0}, memory[2][64] = {{0}};
        assert_true(lb_get_frozen_count(frozen, LB_FROZEN_MEMORY) <= 64);
        for (int k = 0; k < 5; ++k) {
            assert_int_equal(control(&p, 0.1 * k, q, v, none, a, memory[0]), 0);
            assert_int_equal(expected(0.1 * k, q, v, none, b, memory[1]), 0);
            // 1e-12: numbers are polynomials of the parameters to that
            assert_true(get_gap(3, a, b) < 1e-12);
            assert_true(fabs(b[0]) > 1e-3);
        }
        lb_end_program(&closed);
        lb_destroy_frozen(plain);
        lb_destroy_simulation(simulation);
        lb_destroy_model(model);
    }
    lb_end_program(&open);
    lb_destroy_frozen(frozen);
    lb_end_course(&course);
    lb_destroy_document(o.document);
}

static void what_cannot_stay_open_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *functions, *word;
    } cases[] = {
        {BODIES "forces:\n  - {name: s, type: spring, hinge: arm, stiffness: sqrt(k)}\n", "step",
         "'k' cannot stay open"},
        {BODIES "forces:\n"
                "  - {name: n, type: actuator, hinge: slide}\n"
                "controllers:\n"
                "  - {name: c, rate: 10, actuators: [{actuator: n, desired: 0}], law: {type: "
                "computed-torque, kp: k, kd: 1, modes: rigid}}\n",
         "run", "controller 'c'"},
        {BODIES, "step", "it changes nothing that is frozen"},
        {"limber: 1\n"
         "parameters: {k: 40}\n"
         "bodies:\n"
         "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: k, com: [0.4, 0, 0], "
         "nodes: {end: {position: [0.01*k, 0, 0]}}}\n"
         "forces:\n  - {name: wind, type: force, at: arm/end, value: [1, 0, 2]}\n",
         "step", "moves nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        owner o;
        start(cases[i].text, 1, &o);
        lb_course course = lb_begin_course(cases[i].text);
        lb_heard heard = {.count = 0};
        lb_frozen *frozen = NULL;
        assert_int_equal(freeze(&o, &course, cases[i].functions, &heard, &frozen),
                         LB_E_UNSUPPORTED);
        assert_non_null(strstr(heard.entries[0].message, cases[i].word));
        lb_end_course(&course);
        lb_destroy_document(o.document);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_have_open_parameters),
        cmocka_unit_test(gains_of_attitudes_stay_open),
        cmocka_unit_test(what_cannot_stay_open_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
