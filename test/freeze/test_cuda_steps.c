// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion in time as kernels have it, compiled for the host: steps of every method against the engine, with force
// elements, functions of time that jump, driven hinges, every hinge type, flexible bodies and closed loops.
#include <limber/dynamics.h>
#include <limber/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "course.h"
#include "export/cuda/device.h"
#include "frozen/program.h"
#include "heard.h"
#include "model_texts.h"
#include "small_tree.h"

enum { MOST = 64 };

typedef int (*run_function)(long long steps, double h, double t, double latest, double damping,
                            int goes_on, const double *tau, const double *u, double *q, double *v,
                            double *past);

// Functions of one state under names of C, for those that the file has.
static const char host_text[] =
    "#include \"model.cu\"\n"
    "static double kept[4096];\n"
    "#define RUN(method) extern \"C\" int host_##method(long long steps, double h, double t, "
    "double "
    "latest, double damping, int goes_on, const double *tau, const double *u, double *q, double "
    "*v, double *past) { return model_simulate_##method(0, 1, steps, h, t, latest, damping, "
    "goes_on, tau, u, q, v, past, kept); }\n"
    "#ifdef model_simulate_rk4_KEPT\nRUN(rk4)\n#endif\n"
    "#ifdef model_simulate_euler_KEPT\nRUN(euler)\n#endif\n"
    "#ifdef model_simulate_alpha_KEPT\nRUN(alpha)\n#endif\n"
    "#ifdef model_outputs_KEPT\n"
    "extern \"C\" int host_outputs(double t, const double *q, const double *v, const double *tau, "
    "double *y) { return model_outputs(&t, q, v, tau, (const double *)0, y, 1, kept); }\n"
    "#endif\n"
    "#ifdef model_close_KEPT\n"
    "extern \"C\" int host_close(double *q, double *v) { return model_close(0, q, v, kept); }\n"
    "#endif\n"
    "#ifdef MOTION\n"
    "extern \"C\" int host_motion(const double *q, const double *v, double *y) { return "
    "MOTION(q, v, y, 1, kept); }\n"
    "#endif\n";

static lb_program open_host(const lb_frozen *frozen, const char *flags)
{
    lb_program program;
    char all[128];
    snprintf(all, sizeof all, "-O0 %s", flags);
    assert_true(lb_load_on_host(&program, lb_get_frozen_source(frozen), host_text, all));
    return program;
}

static lb_frozen *freeze(lb_simulation *simulation, const char *functions)
{
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    options.functions = functions;
    options.language = LB_FROZEN_CUDA;
    const lb_status status = lb_freeze_simulation(simulation, &options, &report, &frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return frozen;
}

static const lb_integrator integrators[] = {LB_INTEGRATOR_RK4, LB_INTEGRATOR_EULER,
                                            LB_INTEGRATOR_ALPHA};
static const char *const methods[] = {"host_rk4", "host_euler", "host_alpha"};

// ---- force elements ----------------------------------------------------------------------------

// a rigid arm, a flexible boom, and a free body
#define BODIES                                                                                     \
    LB_ARM_BOOM_BIRD                                                                               \
    "initial: {arm: {angle: 0.3}, boom: {rate: 0.7}, bird: {v: [0.2, 0, 1.1, 0.4, 0, 0.1]}}\n"

static const char forces_text[] = BODIES
    "signals:\n"
    "  reach: distance(boom/tip, ground/post)\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: arm, stiffness: 40, rest: 30 deg}\n"
    "  - {name: oil, type: damper, between: [arm/hook, bird/beak], damping: 0.7}\n"
    "  - {name: bearing, type: friction, hinge: boom, coulomb: 0.2, viscous: 0.05, speed: 0.2}\n"
    "  - {name: stop, type: stop, hinge: arm, lower: -40 deg, upper: 20 deg, stiffness: 300, "
    "damping: 5, width: 0.1}\n"
    "  - {name: tether, type: spring, between: [boom/tip, bird/beak], stiffness: 20, length: 1.2}\n"
    "  - {name: servo, type: motor, hinge: boom, value: '3*sin(2*t) - boom.rate + "
    "if(arm.rate > 0, exp(-arm.rate), tanh(2*arm.rate))', limits: [-2, 2]}\n"
    "  - {name: feed, type: motion, hinge: slide, position: 0.1*sin(t)}\n"
    "  - {name: wind, type: force, at: bird/beak, value: [0.2, t, 9.81]}\n"
    "  - {name: twist, type: torque, at: bird/beak, axes: body, value: [0.1, 0.2, sin(t)]}\n"
    "  - {name: star, type: gravity-point, mu: 4, position: [1, 2, -9], j2: 0.1, radius: 2}\n"
    "outputs: [reach, boom/tip, boom.a.0, system.kinetic]\n";

// rk4 and euler: a thousand evaluations of a motion that does not forget round-off. alpha: the engine ends its
// iterations where speeds change by less than 1e-12, in each of 200 steps.
static const double bounds[] = {1e-10, 1e-10, 1e-8};

// A run of the text of kernels beside one of the engine with the same steps, all in one call and in several.
static void compare_runs(const char *text, bool with_alpha, double h, int step_count)
{
    lb_course first = lb_begin_course(text);
    lb_frozen *frozen =
        freeze(first.simulation, with_alpha ? "step,step:euler,step:alpha" : "step,step:euler");
    lb_program text_on_host = open_host(frozen, "");
    const int nq = lb_get_q_count(first.model), n = lb_get_v_count(first.model);
    assert_true(nq <= MOST);
    for (int i = 0; i < 6; ++i) {
        const int k = i % 3, call_count = i < 3 ? 1 : 4;
        if (k == 2 && !with_alpha) {
            continue;
        }
        run_function run;
        double q[MOST], v[MOST], past[MOST], t;
        const double tau[MOST] = {0};
        lb_course course = lb_begin_course(text);
        lb_get_host_function(&text_on_host, methods[k], &run);
        lb_choose_integrator(&course, integrators[k], 0, 0, h);
        lb_start_course(&course);
        lb_get_simulation_state(course.simulation, &t, &course.q, &course.v, NULL);
        memcpy(q, course.q, (size_t)nq * sizeof *q);
        memcpy(v, course.v, (size_t)n * sizeof *v);
        for (int j = 0; j < call_count; ++j) {
            const int steps = step_count / call_count;
            assert_int_equal(
                run(steps, h, j * steps * h, INFINITY, 0.8, j > 0, tau, NULL, q, v, past), 0);
        }
        lb_go_to(&course, step_count * h);
        const double q_gap = lb_get_gap(q, course.q, (size_t)nq),
                     v_gap = lb_get_gap(v, course.v, (size_t)n);
        if (!(q_gap < bounds[k] && v_gap < bounds[k])) {
            print_message("%s: %g %g\n", methods[k], q_gap, v_gap);
        }
        assert_true(q_gap < bounds[k] && v_gap < bounds[k]);
        lb_end_course(&course);
    }
    lb_end_program(&text_on_host);
    lb_destroy_frozen(frozen);
    lb_end_course(&first);
}

static void steps_with_forces_follow_the_engine(void **state)
{
    (void)state;
    compare_runs(forces_text, true, 0.002, 200);
}

// Micrometres and micrograms; a body in orbit, in metres from the centre of the Earth.
static void scales_do_not_matter(void **state)
{
    (void)state;
    compare_runs(LB_TINY_LEVER, true, 2e-5, 200);
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
        true, 0.5, 100);
}

// A parallelogram with a spring and a damper.
static void simulations_with_loops_follow_the_engine(void **state)
{
    (void)state;
    compare_runs(
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "ground: {nodes: {pin: {position: [2, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, 0.5, "
        "0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0, 1, 0]}}}\n"
        "  - {name: coupler, parent: crank, at: end, hinge: {type: revolute, axis: [0, 0, "
        "1]}, mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: "
        "{position: [2, 0, 0]}}}\n"
        "  - {name: rocker, at: pin, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
        "com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0], nodes: {end: {position: [0, "
        "1, 0]}}}\n"
        "loops: [{name: loop, a: {body: rocker, node: end}, b: {body: coupler, node: end}, "
        "type: revolute, axis: [0, 0, 1]}]\n"
        "initial: {crank: {rate: 0.5}, coupler: {rate: -0.5}, rocker: {rate: 0.5}}\n"
        "forces:\n"
        "  - {name: spring, type: spring, hinge: crank, stiffness: 20, rest: 0.3}\n"
        "  - {name: oil, type: damper, hinge: rocker, damping: 0.5}\n",
        false, 0.002, 100);
}

// A step ends where a force jumps, and sees it as it was before.
static void jumps_are_seen_from_the_left(void **state)
{
    (void)state;
    static const char text[] =
        BODIES "forces:\n"
               "  - {name: kick, type: motor, hinge: arm, value: {pulse: {value: 20, start: 0.05, "
               "width: 0.02}}}\n";
    const double h = 0.01, jump = 0.05;
    lb_course course = lb_begin_course(text);
    lb_frozen *frozen = freeze(course.simulation, "step,step:euler,step:alpha");
    lb_end_course(&course);
    lb_program h_text = open_host(frozen, "");
    for (int k = 0; k < 3; ++k) {
        run_function run;
        double q[MOST], v[MOST], past[MOST], t;
        const double tau[MOST] = {0};
        lb_get_host_function(&h_text, methods[k], &run);
        course = lb_begin_course(text);
        lb_choose_integrator(&course, integrators[k], 0, 0, h);
        lb_start_course(&course);
        const int nq = lb_get_q_count(course.model), n = lb_get_v_count(course.model);
        lb_get_simulation_state(course.simulation, &t, &course.q, &course.v, NULL);
        memcpy(q, course.q, (size_t)nq * sizeof *q);
        memcpy(v, course.v, (size_t)n * sizeof *v);
        assert_int_equal(run(5, h, 0, nextafter(jump, 0), 0.8, 0, tau, NULL, q, v, past), 0);
        lb_go_to(&course, jump);
        lb_expect_close("before", v, course.v, n, bounds[k]);
        assert_int_equal(run(1, h, jump, nextafter(jump + 0.02, 0), 0.8, 0, tau, NULL, q, v, past),
                         0);
        lb_go_to(&course, jump + h);
        lb_expect_close("behind", v, course.v, n, bounds[k]);
        lb_end_course(&course);
    }
    lb_end_program(&h_text);
    lb_destroy_frozen(frozen);
}

static void outputs_are_the_engine_s(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(forces_text);
    lb_frozen *frozen = freeze(course.simulation, "outputs");
    lb_program h = open_host(frozen, "");
    int (*outputs)(double, const double *, const double *, const double *, double *);
    double y[64];
    const double tau[MOST] = {0};
    lb_get_host_function(&h, "host_outputs", &outputs);
    lb_end_course(&course);
    course = lb_begin_course(forces_text);
    lb_start_course(&course);
    const int count = lb_get_frozen_count(frozen, LB_FROZEN_OUTPUTS);
    assert_int_equal(count, 3 + 19);
    lb_go_to(&course, 0.3);
    assert_int_equal(outputs(course.t, course.q, course.v, tau, y), 0);
    const lb_node_motion m = lb_get_course_node(&course, "boom", "tip");
    lb_expect_close("place of a node", y + 1, m.position, 3, 1e-13);
    lb_expect_close("rotation of a node", y + 4, m.rotation, 4, 1e-13);
    lb_expect_close("velocity of a node", y + 8, m.velocity, 6, 1e-12);
    lb_end_program(&h);
    lb_destroy_frozen(frozen);
    lb_end_course(&course);
}

// ---- hinges and fidelities ---------------------------------------------------------------------

static lb_simulation *start(const lb_model *model, lb_integrator integrator, double h)
{
    lb_simulation *simulation = NULL;
    double q[MOST], v[MOST], d[MOST];
    lb_run_options options = lb_default_run_options();
    for (int i = 0; i < lb_get_v_count(model); ++i) {
        d[i] = 0.4 * sin(1.0 + i);
        v[i] = 0.3 * cos(2.0 * i);
    }
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        for (int r = 0; r < lb_get_mode_count(model, body); ++r) {
            d[lb_get_v_offset(model, body) + r] *= 1e-3;
            v[lb_get_v_offset(model, body) + r] *= 1e-2;
        }
    }
    lb_get_neutral_configuration(model, q);
    lb_integrate_configuration(model, q, d, q);
    options.integrator = integrator;
    options.step = h;
    lb_expect_ok(lb_create_simulation(model, NULL, &simulation));
    lb_expect_ok(lb_set_run_options(simulation, &options));
    lb_expect_ok(lb_set_initial_state(simulation, q, v));
    lb_expect_ok(lb_start_simulation(simulation));
    return simulation;
}

static void compare_tree(lb_model *model)
{
    enum { STEPS = 40 };
    const double h = 1e-3;
    const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
    assert_true(nq <= MOST);
    lb_simulation *simulation = start(model, LB_INTEGRATOR_RK4, h);
    lb_frozen *frozen = freeze(simulation, "step,step:euler,step:alpha");
    lb_program text = open_host(frozen, "");
    lb_destroy_simulation(simulation);
    for (int k = 0; k < 3; ++k) {
        run_function run;
        const double *q0, *v0, tau[MOST] = {0};
        double q[MOST], v[MOST], t;
        lb_get_host_function(&text, methods[k], &run);
        simulation = start(model, integrators[k], h);
        lb_get_simulation_state(simulation, &t, &q0, &v0, NULL);
        memcpy(q, q0, (size_t)nq * sizeof *q);
        memcpy(v, v0, (size_t)n * sizeof *v);
        assert_true(run(STEPS, h, 0, INFINITY, 0.8, 0, tau, NULL, q, v, NULL) >= 0);
        assert_true(lb_advance_simulation(simulation, STEPS * h) >= 0);
        lb_get_simulation_state(simulation, &t, &q0, &v0, NULL);
        lb_expect_near(methods[k], lb_get_gap(q, q0, (size_t)nq), 0.0, bounds[k]);
        lb_expect_near(methods[k], lb_get_gap(v, v0, (size_t)n), 0.0, bounds[k]);
        lb_destroy_simulation(simulation);
    }
    lb_end_program(&text);
    lb_destroy_frozen(frozen);
    lb_destroy_model(model);
}

static void every_hinge_and_fidelity_follows_the_engine(void **state)
{
    (void)state;
    for (int hinge = LB_HINGE_FIXED + 1; hinge <= LB_HINGE_FREE; ++hinge) {
        compare_tree(lb_make_small_tree(LB_HINGE_BIT(hinge), 2, 0, LB_FIDELITY_CONSISTENT));
    }
    for (int fidelity = LB_FIDELITY_CONSISTENT; fidelity <= LB_FIDELITY_APPENDIX_C; ++fidelity) {
        compare_tree(
            lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_REVOLUTE) | LB_HINGE_BIT(LB_HINGE_FREE), 2, 2,
                               (lb_fidelity)fidelity));
    }
}

// ---- loops, nodes ------------------------------------------------------------------------------

static lb_frozen *freeze_model(const lb_model *model, const char *functions,
                               lb_frozen_language language)
{
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    options.functions = functions;
    options.language = language;
    lb_expect_ok(lb_freeze_model(model, &options, NULL, &frozen));
    return frozen;
}

// The steps of the C, whose loops are compared with the engine elsewhere.
static void loops_stay_closed(void **state)
{
    (void)state;
    typedef int (*step_function)(double, const double *, double *, double *);
    static const lb_loop_type types[] = {LB_LOOP_REVOLUTE, LB_LOOP_SPHERICAL};
    for (int i = 0; i < 2; ++i) {
        lb_scene *scene = lb_create_four_bars(2, types[i], 1);
        lb_model *model = lb_build_scene(scene);
        lb_destroy_scene(scene);
        const int nq = lb_get_q_count(model), n = lb_get_v_count(model);
        lb_frozen *c = freeze_model(model, "forward,step,step:euler", LB_FROZEN_C);
        lb_frozen *cuda = freeze_model(model, "forward,step,step:euler", LB_FROZEN_CUDA);
        lb_program program;
        assert_true(lb_write_frozen(c, &program));
        assert_true(lb_load_program(&program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0 "
                                              "-ffp-contract=off"));
        lb_program text = open_host(cuda, "");
        int (*close[2])(double *, double *);
        step_function step[2];
        run_function run[2];
        lb_get_program_function(&program, "step", &step[0]);
        lb_get_program_function(&program, "step_euler", &step[1]);
        lb_get_program_function(&program, "close", &close[0]);
        lb_get_host_function(&text, "host_rk4", &run[0]);
        lb_get_host_function(&text, "host_euler", &run[1]);
        lb_get_host_function(&text, "host_close", &close[1]);
        double q[2][MOST], v[2][MOST], tau[MOST];
        lb_get_neutral_configuration(model, q[0]);
        q[0][nq - 1] += 1e-4; // a little open
        for (int j = 0; j < n; ++j) {
            v[0][j] = 0.2 * cos(j);
            tau[j] = 0.1 * sin(j);
        }
        memcpy(q[1], q[0], sizeof q[0]);
        memcpy(v[1], v[0], sizeof v[0]);
        // two orders of the same sums; Newton's method ends at 1e-13 m or rad
        assert_int_equal(close[0](q[0], v[0]), close[1](q[1], v[1]));
        for (int j = 0; j < nq; ++j) {
            assert_true(fabs(q[0][j] - q[1][j]) < 1e-12);
        }
        lb_expect_close("closed v", v[1], v[0], n, 1e-11);
        for (int method = 0; method < 2; ++method) {
            for (int k = 0; k < 20; ++k) {
                assert_int_equal(step[method](1e-3, tau, q[0], v[0]), 0);
            }
            assert_int_equal(
                run[method](20, 1e-3, 0, INFINITY, 0.8, 0, tau, NULL, q[1], v[1], NULL), 0);
            // 1e-11: the stages are added in another order, and Newton's method ends at 1e-13
            lb_expect_close("q", q[1], q[0], nq, 1e-11);
            lb_expect_close("v", v[1], v[0], n, 1e-11);
        }
        lb_end_program(&text);
        lb_end_program(&program);
        lb_destroy_frozen(c);
        lb_destroy_frozen(cuda);
        lb_destroy_model(model);
    }
}

static void motion_of_a_node_is_the_engine_s(void **state)
{
    (void)state;
    for (int flexible = 0; flexible < 2; ++flexible) {
        lb_model *model =
            lb_make_small_tree(LB_HINGE_BIT(LB_HINGE_FREE) | LB_HINGE_BIT(LB_HINGE_REVOLUTE), 3,
                               flexible ? 2 : 0, LB_FIDELITY_CONSISTENT);
        const int body = 2, node = lb_get_node_count(model, body) - 1;
        char word[128], flags[192];
        snprintf(word, sizeof word, "motion:%s.%s", lb_get_body_name(model, body),
                 lb_get_node_name(model, body, node));
        snprintf(flags, sizeof flags, "-DMOTION=model_motion_%s_%s", lb_get_body_name(model, body),
                 lb_get_node_name(model, body, node));
        lb_frozen *frozen = freeze_model(model, word, LB_FROZEN_CUDA);
        lb_program h = open_host(frozen, flags);
        int (*motion)(const double *, const double *, double *);
        lb_get_host_function(&h, "host_motion", &motion);
        lb_work *work = lb_create_work(model);
        for (int round = 0; round < 5; ++round) {
            double q[MOST], v[MOST], d[MOST], y[13];
            lb_node_motion m;
            for (int i = 0; i < lb_get_v_count(model); ++i) {
                d[i] = (flexible ? 0.05 : 1.0) * sin(i + 7.0 * round);
                v[i] = cos(i - 3.0 * round);
            }
            lb_get_neutral_configuration(model, q);
            lb_integrate_configuration(model, q, d, q);
            lb_expect_ok(lb_compute_kinematics(model, work, q, v, NULL));
            lb_expect_ok(lb_compute_node_motion(model, work, body, node, &m));
            assert_int_equal(motion(q, v, y), 0);
            lb_expect_close("position", y, m.position, 3, 1e-13);
            lb_expect_close("rotation", y + 3, m.rotation, 4, 1e-13);
            lb_expect_close("velocity", y + 7, m.velocity, 6, 1e-13);
        }
        lb_destroy_work(work);
        lb_end_program(&h);
        lb_destroy_frozen(frozen);
        lb_destroy_model(model);
    }
}

// ---- texts -------------------------------------------------------------------------------------

static void expect_compiled(const lb_nvrtc *nvrtc, const lb_frozen *frozen)
{
    char *code = NULL;
    size_t size = 0;
    lb_text why = {.length = 0};
    const lb_status status = lb_compile_cuda_text(nvrtc, "sm_90", lb_get_frozen_source(frozen),
                                                  "model.cu", 0, NULL, &code, &size, &why);
    if (status != LB_OK) {
        print_message("%s\n", why.data);
    }
    lb_expect_ok(status);
    assert_true(size > 0);
    free(code);
}

static void the_compiler_of_cuda_takes_them(void **state)
{
    (void)state;
    lb_nvrtc nvrtc;
    lb_text why = {.length = 0};
    if (lb_load_nvrtc(&nvrtc, &why) != LB_OK) {
        print_message("skipped: %s\n", why.data);
        return;
    }
    lb_scene *scene = lb_create_four_bars(1, LB_LOOP_REVOLUTE, 1);
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    lb_freeze_options of_model = lb_default_freeze_options();
    lb_frozen *loops = NULL;
    char words[256];
    snprintf(words, sizeof words, "forward,step,step:euler,motion:%s.%s",
             lb_get_body_name(model, 0), lb_get_node_name(model, 0, 0));
    of_model.functions = words;
    of_model.language = LB_FROZEN_CUDA;
    of_model.operation_count = 700;
    lb_expect_ok(lb_freeze_model(model, &of_model, NULL, &loops));
    expect_compiled(&nvrtc, loops);
    lb_destroy_frozen(loops);
    lb_destroy_model(model);
    // the loops above are in double; all of it takes seconds
    const int first = lb_is_long() ? LB_FROZEN_DOUBLE : LB_FROZEN_FLOAT;
    for (int number = first; number <= LB_FROZEN_FLOAT; ++number) {
        lb_course course = lb_begin_course(forces_text);
        lb_freeze_options options = lb_default_freeze_options();
        lb_frozen *frozen = NULL;
        options.functions = "step,step:euler,step:alpha,outputs";
        options.number = (lb_frozen_number)number;
        options.language = LB_FROZEN_CUDA;
        options.operation_count = 700;
        lb_expect_ok(lb_freeze_simulation(course.simulation, &options, NULL, &frozen));
        expect_compiled(&nvrtc, frozen);
        lb_destroy_frozen(frozen);
        lb_end_course(&course);
    }
}

static void expect_refusal(const char *text, const char *example, const char *functions,
                           lb_frozen_language language, const char *words)
{
    lb_course course = text ? lb_begin_course(text) : lb_begin_example(example);
    lb_freeze_options options = lb_default_freeze_options();
    lb_frozen *frozen = NULL;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    options.functions = functions;
    options.language = language;
    const lb_status status =
        text ? lb_freeze_simulation(course.simulation, &options, &report, &frozen)
             : lb_freeze_model(course.model, &options, &report, &frozen);
    assert_int_equal(status, LB_E_UNSUPPORTED);
    assert_null(frozen);
    assert_non_null(strstr(heard.entries[0].message, words));
    lb_end_course(&course);
}

static void what_cannot_be_done_is_refused_by_name(void **state)
{
    (void)state;
    expect_refusal(forces_text, NULL, "step:alpha", LB_FROZEN_C, "only on graphics processors");
    expect_refusal(NULL, "four_bar.yaml", "step:alpha", LB_FROZEN_CUDA, "closed loops");
    expect_refusal(NULL, "chain.yaml", "step:alpha", LB_FROZEN_CUDA, "degrees of freedom");
    expect_refusal(BODIES "forces: [{name: m, type: actuator, hinge: arm, limits: [-3, 2]}]\n",
                   NULL, "step,control", LB_FROZEN_CUDA, "actuate: not on graphics processors");
    expect_refusal(BODIES "forces: [{name: rust, type: friction, hinge: arm, coulomb: 2, static: "
                          "3}]\n",
                   NULL, "step", LB_FROZEN_CUDA, "rust");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_with_forces_follow_the_engine),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(simulations_with_loops_follow_the_engine),
        cmocka_unit_test(jumps_are_seen_from_the_left),
        cmocka_unit_test(outputs_are_the_engine_s),
        cmocka_unit_test(every_hinge_and_fidelity_follows_the_engine),
        cmocka_unit_test(loops_stay_closed),
        cmocka_unit_test(motion_of_a_node_is_the_engine_s),
        cmocka_unit_test(the_compiler_of_cuda_takes_them),
        cmocka_unit_test(what_cannot_be_done_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
