// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frozen simulations with closed loops: runs beside runs of the engine with the same steps, which both put the state
// back on its loops.
#include <limber/forces.h>
#include <limber/simulate.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "frozen/program.h"
#include "heard.h"

typedef int (*step_function)(double, double, const double *, const double *, double *, double *);
typedef int (*run_function)(double, double, const double *, double *, double *, double *, double *);
typedef int (*signals_function)(double, const double *, const double *, const double *,
                                const double *, double *);

enum { MOST = 64 };

static lb_frozen *freeze(lb_course *course, const char *functions)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_frozen *frozen = NULL;
    const lb_status status = lb_freeze_simulation(course->simulation, &options, &report, &frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    assert_int_equal(status, LB_OK);
    return frozen;
}

// Largest difference, relative to the largest number.
static double get_gap(int count, const double *x, const double *y)
{
    double gap = 0.0, size = 1e-300;
    for (int i = 0; i < count; ++i) {
        gap = fmax(gap, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return gap / size;
}

// Runs both for some steps.
static void compare(lb_course *course, const char *functions, double h, int step_count,
                    double bound)
{
    lb_choose_integrator(course, LB_INTEGRATOR_RK4, 0, 0, h);
    lb_start_course(course);
    lb_frozen *frozen = freeze(course, functions);
    lb_program program;
    assert_true(lb_write_frozen(frozen, &program));
    assert_true(lb_load_program(&program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0"));
    const int nq = course->q_count, n = course->v_count;
    assert_true(nq <= MOST && lb_get_frozen_count(frozen, LB_FROZEN_MEMORY) <= MOST &&
                lb_get_frozen_count(frozen, LB_FROZEN_OUTPUTS) <= MOST);
    step_function step = NULL;
    run_function run = NULL;
    if (strstr(functions, "run")) {
        lb_get_program_function(&program, "run", &run);
    } else {
        lb_get_program_function(&program, "step", &step);
    }
    double q[MOST], v[MOST], u[MOST] = {0}, memory[MOST] = {0}, t, moved = 0.0;
    const double tau[MOST] = {0};
    lb_get_simulation_state(course->simulation, &t, &course->q, &course->v, NULL);
    memcpy(q, course->q, (size_t)nq * sizeof *q);
    memcpy(v, course->v, (size_t)n * sizeof *v);
    for (int i = 0; i < step_count; ++i) {
        const int status = run ? run(i * h, h, tau, u, q, v, memory) : step(i * h, h, tau, u, q, v);
        assert_int_equal(status, 0);
        if ((i + 1) % (step_count / 5) == 0) {
            lb_go_to(course, (i + 1) * h);
            const double gaps[2] = {get_gap(nq, q, course->q), get_gap(n, v, course->v)};
            if (!(gaps[0] <= bound && gaps[1] <= bound)) {
                fail_msg("at %g s: %g of q, %g of v", (i + 1) * h, gaps[0], gaps[1]);
            }
            for (int j = 0; j < n; ++j) {
                moved = fmax(moved, fabs(course->v[j]));
            }
        }
    }
    assert_true(moved > 1e-3); // something happened
    if (strstr(functions, "outputs")) {
        signals_function outputs;
        lb_get_program_function(&program, "outputs", &outputs);
        double y[MOST];
        assert_int_equal(outputs(step_count * h, q, v, tau, u, y), 0);
        const double *a;
        lb_get_simulation_state(course->simulation, &t, NULL, NULL, &a);
        // the outputs of the text below: accelerations of the three hinges
        assert_true(get_gap(3, y, a) < 1e-8);
    }
    assert_int_equal(lb_run_in_folder(&program, "cc -std=c99 -O0 -DMODEL_SELF_TEST model.c -lm && "
                                                "./a.out"),
                     0);
    lb_end_program(&program);
    lb_destroy_frozen(frozen);
}

static void examples_follow_the_engine_s(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double h;
        int count;
    } cases[] = {{"andrews.yaml", 1e-6, 500},
                 {"governor.yaml", 1e-3, 300},
                 {"slider_crank.yaml", 1e-3, 300},
                 {"flexible_four_bar.yaml", 2e-5, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = lb_begin_example(cases[i].name);
        // 1e-8: projections end at round-off of their own, and motion does not forget it
        compare(&course, "step", cases[i].h, cases[i].count, 1e-8);
        lb_end_course(&course);
    }
}

// A four-bar with a spring between nodes, a damper and a motor that a controller commands.
#define FOUR_BAR                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {post: {position: [2, 0, 0]}, wall: {position: [1, 0, 3]}}}\n"                \
    "bodies:\n"                                                                                    \
    "  - {name: crank, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, 0.5],\n"     \
    "     inertia: [0.1, 0.1, 0.01, 0, 0, 0], nodes: {end: {position: [0, 0, 1]}}}\n"              \
    "  - {name: coupler, parent: crank, at: end, hinge: {type: revolute, axis: [0, 1, 0]},\n"      \
    "     mass: 2, com: [1, 0, 0], inertia: [0.1, 0.7, 0.7, 0, 0, 0],\n"                           \
    "     nodes: {end: {position: [2, 0, 0]}, middle: {position: [1, 0, 0.1]}}}\n"                 \
    "  - {name: rocker, parent: coupler, at: end, hinge: {type: revolute, axis: [0, 1, 0]},\n"     \
    "     mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01, 0, 0, 0],\n"                       \
    "     nodes: {foot: {position: [0, 0, -1]}}}\n"                                                \
    "loops:\n"                                                                                     \
    "  - {name: pin, type: revolute, axis: [0, 1, 0], a: {body: rocker, node: foot}, b: {body: "   \
    "ground, node: post}}\n"                                                                       \
    "forces:\n"                                                                                    \
    "  - {name: rope, type: spring, between: [coupler/middle, ground/wall], stiffness: 50, "       \
    "length: 1.5}\n"                                                                               \
    "  - {name: oil, type: damper, hinge: rocker, damping: 0.5}\n"                                 \
    "  - {name: m, type: actuator, hinge: crank, limits: [-30, 30]}\n"                             \
    "controllers:\n"                                                                               \
    "  - name: c\n"                                                                                \
    "    rate: 100\n"                                                                              \
    "    sensors: [{name: s, signal: rocker.a.0}]\n"                                               \
    "    actuators: [{actuator: m, desired: 0.3*sin(3*t), speed: s}]\n"                            \
    "    law: {type: pid, kp: 60, kd: 0.1, ki: 10}\n"                                              \
    "outputs: [crank.a.0, coupler.a.0, rocker.a.0]\n"

static void controllers_in_loops_follow_the_engine_s(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(FOUR_BAR);
    compare(&course, "run,outputs", 0.002, 500, 1e-8);
    lb_end_course(&course);
}

// A crank with given motion, and a loop whose end slides along a given path.
static void given_motion_follows_the_engine_s(void **state)
{
    (void)state;
    static const char moved_text[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "ground: {nodes: {post: {position: [0.3, 0.1, 2.9]}, foot: {position: [0, -1, 0]}}}\n"
        "bodies:\n"
        "  - {name: lower, hinge: {type: spherical}, mass: 1, com: [0, 0, 0.5],\n"
        "     inertia: [0.1, 0.1, 0.02, 0, 0, 0], nodes: {end: {position: [0, 0, 1]}}}\n"
        "  - {name: upper, parent: lower, at: end, hinge: {type: universal, axes: [[1, 0, 0], [0, "
        "1, "
        "0]]},\n"
        "     mass: 2, com: [0, 0, 0.7], inertia: [0.2, 0.2, 0.02, 0, 0, 0],\n"
        "     nodes: {end: {position: [0, 0, 1.5]}}}\n"
        "  - {name: wheel, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: gear, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [0.1, 0.1, "
        "0.1, 0, 0, 0]}\n"
        "  - {name: cart, hinge: {type: free}, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
        "loops:\n"
        "  - {name: path, type: rod, length: 0.5, a: {body: ground, node: post}, b: {body: upper, "
        "node: end}, motion: 0.1*sin(4*t)}\n"
        "  - {name: drive, a: {body: ground}, b: {body: wheel}, type: revolute, axis: [0, 0, 2], "
        "motion: t + t^2}\n"
        "  - {name: mesh, type: coupler, terms: [{body: wheel, factor: 2}, {body: gear}], motion: "
        "0.5*t^2}\n"
        "  - {name: rail, a: {body: ground}, b: {body: cart}, type: weld,\n"
        "     motion: {turn: 0.3*t^2, axis: [1, 0, 0], shift: [t^2, 0.2*sin(t), 0]}}\n"
        "forces:\n"
        "  - {name: elbow, type: damper, hinge: upper.0, damping: 0.3}\n"
        "initial: {lower: {angular_velocity: [0.1, 0.2, 0.3]}, wheel: {rate: 1}}\n"
        "run: {assemble: true}\n";
    lb_course course = lb_begin_example("flexible_slider_crank.yaml");
    compare(&course, "step", 2e-5, 500, 1e-8);
    lb_end_course(&course);
    course = lb_begin_course(moved_text);
    compare(&course, "step", 0.002, 400, 1e-8);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_follow_the_engine_s),
        cmocka_unit_test(controllers_in_loops_follow_the_engine_s),
        cmocka_unit_test(given_motion_follows_the_engine_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
