// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion in time in single precision as kernels have it, compiled for the host: steps of every method against the
// engine, which has double precision.
#include <float.h>
#include <limber/dynamics.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"

enum { MOST = 64 };

typedef int (*run_function)(long long steps, float h, float t, float latest, const float *tau,
                            float *q, float *v);

// Functions of one state under names of C.
static const char host_text[] =
    "#include \"model.cu\"\n"
    "static float kept[4096];\n"
    "#define RUN(method) extern \"C\" int host_##method(long long steps, float h, float t, float "
    "latest, const float *tau, float *q, float *v) { return model_simulate_##method(0, 1, steps, "
    "h, t, latest, 0.8f, 0, tau, (const float *)0, q, v, (float *)0, kept); }\n"
    "RUN(rk4)\nRUN(euler)\nRUN(alpha)\n";

static const lb_integrator integrators[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_EULER,
                                            LB_INTEGRATOR_ALPHA};
static const char *const methods[] = {"host_rk4", "host_euler", "host_alpha"};

static lb_program open_host(lb_simulation *simulation)
{
    lb_program program;
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    options.functions = "step,step:euler,step:alpha";
    options.language = LB_FROZEN_CUDA;
    options.number = LB_FROZEN_FLOAT;
    lb_expect_ok(lb_freeze_simulation(simulation, &options, NULL, &frozen));
    // no number of double precision may slip in: each would cost a graphics processor dearly
    assert_true(lb_load_on_host(&program, lb_get_frozen_source(frozen), host_text,
                                "-O0 -Wdouble-promotion -Werror=double-promotion"));
    lb_destroy_frozen(frozen);
    return program;
}

static run_function find(const lb_program *program, const char *name)
{
    run_function run;
    lb_get_host_function(program, name, &run);
    assert_non_null(run);
    return run;
}

static void round_off(int count, const double *x, float *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] = (float)x[i];
    }
}

// The largest difference, relative to the largest entry.
static double get_gap(int count, const float *x, const double *y)
{
    double gap = 0.0, size = 1e-300;
    for (int i = 0; i < count; ++i) {
        const double d = fabs((double)x[i] - y[i]);
        gap = d <= gap ? gap : d; // NaN is the largest
        size = fmax(size, fabs(y[i]));
    }
    return gap / size;
}

// Every step rounds q and v, and what moves them: eight roundings of each per step at most, in the methods as they are
// written here. None of the motions forgets or magnifies them within a run.
static double get_bound(int step_count)
{
    return 8.0 * step_count * (double)FLT_EPSILON;
}

static void expect_float(const char *what, double gap, double bound)
{
    lb_expect_near(what, gap, 0.0, bound);
    assert_true(gap > 1e-10); // it is not double precision
}

// ---- documents ---------------------------------------------------------------------------------

// A run of the text of kernels beside one of the engine with the same steps.
static void compare_runs(const char *text, double h, int step_count, double bound)
{
    lb_course course = lb_begin_course(text);
    lb_program on_host = open_host(course.simulation);
    const int nq = lb_get_q_count(course.model), n = lb_get_v_count(course.model);
    assert_true(nq <= MOST);
    lb_end_course(&course);
    for (int k = 0; k < 3; ++k) {
        float q[MOST], v[MOST];
        const float tau[MOST] = {0};
        double t;
        course = lb_begin_course(text);
        lb_choose_integrator(&course, integrators[k], 0, 0, h);
        lb_start_course(&course);
        lb_get_simulation_state(course.simulation, &t, &course.q, &course.v, NULL);
        round_off(nq, course.q, q);
        round_off(n, course.v, v);
        assert_int_equal(find(&on_host, methods[k])(step_count, (float)h, 0, INFINITY, tau, q, v),
                         0);
        lb_go_to(&course, step_count * h);
        expect_float("q", get_gap(nq, q, course.q), bound);
        expect_float("v", get_gap(n, v, course.v), bound);
        lb_end_course(&course);
    }
    lb_end_program(&on_host);
}

// a rigid arm, a flexible boom, a driven slide and a free body
static const char forces_text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.4, 0.1, 0],\n"
    "     inertia: [0.2, 0.5, 0.6, 0.01, 0, 0.02], nodes: {end: {position: [1, 0, 0]}}}\n" LB_BOOM
    "  - {name: slide, parent: arm, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1,\n"
    "     com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
    "  - {name: bird, hinge: {type: free}, mass: 2, com: [0.1, 0, 0],\n"
    "     inertia: [0.3, 0.4, 0.5, 0, 0, 0], nodes: {beak: {position: [0.3, 0, 0]}}}\n"
    "initial: {arm: {angle: 0.3}, boom: {rate: 0.7}, bird: {v: [0.2, 0, 1.1, 0.4, 0, 0.1]}}\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: arm, stiffness: 40, rest: 30 deg}\n"
    "  - {name: bearing, type: friction, hinge: boom, coulomb: 0.2, viscous: 0.05, speed: 0.2}\n"
    "  - {name: tether, type: spring, between: [boom/tip, bird/beak], stiffness: 20, length: 1.2}\n"
    "  - {name: servo, type: motor, hinge: boom, value: '3*sin(2*t) - boom.rate', limits: [-2, "
    "2]}\n"
    "  - {name: feed, type: motion, hinge: slide, position: 0.1*sin(t)}\n";

static void steps_with_forces_follow_the_engine(void **state)
{
    (void)state;
    compare_runs(forces_text, 0.002, 100, get_bound(100));
}

// Micrometres and micrograms: inertias of 1e-20 kg m^2 are within the range of single precision.
static void small_scales_do_not_matter(void **state)
{
    (void)state;
    compare_runs(LB_TINY_LEVER, 2e-5, 100, get_bound(100));
}

// A craft in orbit, in metres from the centre of the Earth. In its own axes, which turn at 0.01 rad/s, its speed of
// 7.5 km/s takes 75 m/s^2. The moments of that about the frame cancel but for round-off: on 50 kg m, against 400 kg m^2,
// the frame turns away by half of this times the square of the time.
static void large_scales_do_not_matter(void **state)
{
    (void)state;
    compare_runs(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: craft, hinge: {type: free}, mass: 500, com: [0.1, 0, 0], "
        "inertia: [300, 400, 500, 0, 0, 0]}\n"
        "  - {name: wheel, parent: craft, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "5, inertia: [0.1, 0.1, 0.2, 0, 0, 0]}\n"
        "initial: {craft: {q: [1, 0, 0, 0, 7e6, 0, 0], v: [0.01, 0, 0, 0, 7546, 0]}, wheel: "
        "{rate: 100}}\n"
        "forces:\n"
        "  - {name: earth, type: gravity-point, mu: 3.986e14, position: [0, 0, 0]}\n",
        0.5, 100, 0.5 * 50.0 * 50.0 * (75.0 * 50.0 / 400.0) * 0.5 * (double)FLT_EPSILON);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_with_forces_follow_the_engine),
        cmocka_unit_test(small_scales_do_not_matter),
        cmocka_unit_test(large_scales_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
