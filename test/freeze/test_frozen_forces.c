// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frozen simulations against the engine: every force element, functions of time, inputs, outputs, indicators,
// actuators, and steps of integration.
#include <limber/control.h>
#include <limber/events.h>
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
#include "right_side.h"

typedef int (*rates_function)(double, const double *, const double *, const double *,
                              const double *, double *, double *);
typedef int (*signals_function)(double, const double *, const double *, const double *,
                                const double *, double *);
typedef int (*step_function)(double, double, const double *, const double *, double *, double *);
typedef int (*actuate_function)(double, const double *, double *);
typedef int (*command_function)(double, const double *, double *);

#define BODIES LB_ARM_BOOM_BIRD

// What is compared at one state.
typedef struct bench {
    lb_course course;
    lb_program program;
    lb_frozen *frozen;
    int nq, n, bodies;
    lb_work *work;
    double q[64], v[64], tau[64], a[64], q_dot[64];
} bench;

static bench begin(const char *text, const char *functions, const char *inputs)
{
    bench b = {.frozen = NULL};
    b.course = lb_begin_course(text);
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.inputs = inputs;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    const lb_status status =
        lb_freeze_simulation(b.course.simulation, &options, &report, &b.frozen);
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    assert_int_equal(status, LB_OK);
    assert_true(lb_write_frozen(b.frozen, &b.program));
    assert_true(lb_load_program(&b.program, "cc -std=c99 -pedantic -Wall -Wextra -Werror -O0"));
    b.nq = lb_get_q_count(b.course.model);
    b.n = lb_get_v_count(b.course.model);
    b.bodies = lb_get_body_count(b.course.model);
    b.work = lb_create_work(b.course.model);
    assert_true(b.nq <= 64 && b.work);
    return b;
}

static void end(bench *b)
{
    lb_destroy_work(b->work);
    lb_end_program(&b->program);
    lb_destroy_frozen(b->frozen);
    lb_end_course(&b->course);
}

static double draw(void)
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

// A state of any size up to `size`, modes a hundredth of it.
static void draw_state(bench *b, double size)
{
    double step[64], neutral[64];
    for (int i = 0; i < b->n; ++i) {
        step[i] = size * draw();
        b->v[i] = size * draw();
        b->tau[i] = draw();
    }
    for (int k = 0; k < b->bodies; ++k) {
        for (int r = 0; r < lb_get_mode_count(b->course.model, k); ++r) {
            step[lb_get_v_offset(b->course.model, k) + r] *= 0.01;
        }
    }
    lb_get_neutral_configuration(b->course.model, neutral);
    lb_integrate_configuration(b->course.model, neutral, step, b->q);
}

// q and v are placed; b->tau has all forces then.
static void run_engine(bench *b, double t)
{
    lb_compute_right_side(&b->course, b->work, t, b->q, b->v, b->tau, b->a, b->q_dot);
}

// Rates at many states and times, small and large.
static void compare_rates(bench *b, const double *u)
{
    rates_function rates;
    lb_get_program_function(&b->program, "rates", &rates);
    for (int i = 0; i < 300; ++i) {
        const double t = i % 10 == 0 ? 0.5 * (i / 10) : 12.0 * (draw() + 1.0);
        double a[64], q_dot[64], tau[64], q[64], v[64];
        draw_state(b, i % 3 == 0 ? 0.1 : i % 3 == 1 ? 1.0 : 4.0);
        memcpy(tau, b->tau, sizeof tau);
        memcpy(q, b->q, sizeof q);
        memcpy(v, b->v, sizeof v);
        run_engine(b, t);
        assert_int_equal(rates(t, q, v, tau, u, a, q_dot), 0);
        // 1e-12: stops and tables multiply round-off of positions by their stiffness, below 1e4
        lb_expect_close("accelerations", a, b->a, b->n, 1e-12);
        lb_expect_close("rates of q", q_dot, b->q_dot, b->nq, 1e-13);
    }
}

static const struct {
    lb_force_type type;
    const char *text;
} elements[] = {
    {LB_FORCE_SPRING, "type: spring, hinge: arm, stiffness: 40, rest: 30 deg}"},
    {LB_FORCE_SPRING,
     "type: spring, between: [boom/tip, ground/post], stiffness: 200, length: 1.2}"},
    {LB_FORCE_DAMPER, "type: damper, hinge: slide, damping: 3}"},
    {LB_FORCE_DAMPER, "type: damper, between: [arm/hook, bird/beak], damping: 7}"},
    {LB_FORCE_FRICTION, "type: friction, hinge: arm, coulomb: 2, viscous: 0.05, speed: 0.1}"},
    {LB_FORCE_STOP, "type: stop, hinge: arm, lower: -30 deg, upper: 30 deg, stiffness: 1e3, "
                    "damping: 50, width: 0.3}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: boom, value: 8*(1 - arm.angle) - 2*arm.rate, "
                     "limits: [-5, 4], max_speed: 3, max_power: 6}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: arm, value: {table: [[0, 0], [1, 5], [3, 0], [4, 2], "
                     "[7, -1]]}}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: arm, value: {table: [[0, 0], [1, 5], [3, 0], [4, 2]], "
                     "interpolation: cubic, ends: rest}}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: arm, value: {sine: {amplitude: 2, frequency: 1.5, "
                     "phase: 30 deg, offset: 1}}}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: arm, value: {pulse: {value: 2, start: 1, width: 0.5, "
                     "rise: 0.1, period: 5}}}"},
    {LB_FORCE_MOTOR,
     "type: motor, hinge: arm, value: 'clamp(sin(3*arm.angle), -0.5, 0.5) + "
     "if(arm.rate > 0, exp(-arm.rate), tanh(2*arm.rate)) + floor(t) + mod(t, 0.71) + "
     "max(t, 3)*min(arm.angle, 0.2) + sign(boom.rate)*atan2(arm.angle, 2) + 2^arm.rate + "
     "abs(slide.distance) + step(arm.angle)*sqrt(t + 1) + hypot(arm.rate, 1)'}"},
    {LB_FORCE_MOTOR,
     "type: motor, hinge: arm, value: 'log(2 + t) + tan(0.2*arm.angle) + asin(0.3*sin(t)) + "
     "acos(0.3*cos(arm.angle)) + atan(arm.rate) + sinh(0.3*arm.angle) - cosh(0.3*arm.angle) + "
     "log(3) + tan(1)*exp(1) + max(-arm.rate, -boom.rate) + min(-arm.angle, arm.rate)'}"},
    {LB_FORCE_MOTOR, "type: motor, hinge: bird.1, value: 'distance(boom/tip, bird/beak) + "
                     "bird.velocity.norm + turn(bird).x - turn(bird, in boom/tip).norm + "
                     "boom/tip.position.z + system.kinetic + 0.1*system.potential + "
                     "system.momentum.x + system.com.y'}"},
    {LB_FORCE_MOTION, "type: motion, hinge: arm, position: {sine: {amplitude: 20 deg, "
                      "frequency: 0.5}}}"},
    {LB_FORCE_MOTION, "type: motion, hinge: slide, speed: {pulse: {value: 2, start: 1, width: 3, "
                      "rise: 0.4}}}"},
    {LB_FORCE_MOTION, "type: motion, hinge: boom, acceleration: '3*cos(t)'}"},
    {LB_FORCE_FORCE, "type: force, at: boom/tip, axes: node, value: [1, t, {pulse: {value: 2, "
                     "start: 1, width: 0.5}}]}"},
    {LB_FORCE_FORCE, "type: force, at: bird/beak, value: [-3*bird.velocity.x, 0, 2]}"},
    {LB_FORCE_TORQUE, "type: torque, at: boom/side, axes: body, value: [0.1, 0.2, sin(t)]}"},
    {LB_FORCE_GRAVITY_POINT,
     "type: gravity-point, mu: 40, position: [1, 2, -9], j2: 0.1, radius: 2}"},
    {LB_FORCE_GRAVITY_POINT, "type: gravity-point, mu: 40, position: [1, 2, -9], gradient: false}"},
    {LB_FORCE_ACTUATOR, "type: actuator, hinge: arm, limits: [-3, 3]}"},
};

static void each_force_element_is_the_engine_s(void **state)
{
    (void)state;
    bool seen[LB_FORCE_TYPE_COUNT] = {[LB_FORCE_CALLBACK] = true};
    const size_t count = sizeof elements / sizeof *elements;
    for (size_t i = 0; i < count; i += 4) { // four in one file
        char text[8192] = BODIES "forces:\n";
        srand((unsigned)i + 1);
        for (size_t j = i; j < count && j < i + 4; ++j) {
            char *end_of_text = text + strlen(text);
            snprintf(end_of_text, sizeof text - strlen(text), "  - {name: f%zu, %s\n", j,
                     elements[j].text);
            seen[elements[j].type] = true;
        }
        bench b = begin(text, "rates", NULL);
        // an actuator that nobody has commanded delivers nothing
        const double u[1] = {0.0};
        compare_rates(&b, u);
        end(&b);
    }
    for (int type = 0; type < LB_FORCE_TYPE_COUNT; ++type) {
        assert_true(seen[type]); // a new element: freeze it or refuse it
    }
}

static const char all_text[] = BODIES
    "signals:\n"
    "  reach: distance(boom/tip, ground/post)\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: arm, stiffness: 40, rest: 30 deg}\n"
    "  - {name: bearing, type: friction, hinge: boom, coulomb: 0.2, viscous: 0.05, speed: 0.2}\n"
    "  - {name: stop, type: stop, hinge: arm, lower: -40 deg, upper: 40 deg, stiffness: 300, "
    "damping: 5, "
    "width: 0.1}\n"
    "  - {name: tether, type: spring, between: [boom/tip, bird/beak], stiffness: 20, length: 1.2}\n"
    "  - {name: servo, type: motor, hinge: boom, value: 3*sin(2*t) - boom.rate, limits: [-2, 2]}\n"
    "  - {name: feed, type: motion, hinge: slide, position: 0.1*sin(t)}\n"
    "  - {name: wind, type: force, at: bird/beak, value: [0.2, t, 9.81]}\n"
    "events:\n"
    "  - {name: far, when: reach, crosses: 50, then: stop}\n"
    "outputs: [reach, arm.angle, boom/tip, boom.a.0, system.kinetic]\n";

static void outputs_and_indicators_are_the_engine_s(void **state)
{
    (void)state;
    bench b = begin(all_text, "rates,outputs,indicators", NULL);
    srand(7);
    signals_function outputs, indicators;
    lb_get_program_function(&b.program, "outputs", &outputs);
    lb_get_program_function(&b.program, "indicators", &indicators);
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_OUTPUTS), 4 + 19);
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_INDICATORS), 3);
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_Q), b.nq);
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_INPUTS), 0);
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_OUTPUTS, 0), "reach");
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_OUTPUTS, 2), "boom/tip.position.x");
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_INDICATORS, 0), "far");
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_INDICATORS, 2), "stop.above");
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_Q, 0), "arm.angle");
    const int tip = lb_find_body(b.course.model, "boom");
    for (int i = 0; i < 100; ++i) {
        double y[23], z[3], tau[64], q[64], v[64], kinetic;
        const double t = 3.0 * (draw() + 1.0);
        draw_state(&b, 2.0);
        memcpy(tau, b.tau, sizeof tau);
        memcpy(q, b.q, sizeof q);
        memcpy(v, b.v, sizeof v);
        run_engine(&b, t);
        assert_int_equal(outputs(t, q, v, tau, NULL, y), 0);
        assert_int_equal(indicators(t, q, v, tau, NULL, z), 0);
        lb_node_motion m, post;
        const int node = lb_find_node(b.course.model, tip, "tip");
        lb_expect_ok(lb_compute_node_motion(b.course.model, b.work, tip, node, &m));
        lb_expect_ok(lb_compute_node_motion(b.course.model, b.work, LB_GROUND,
                                            lb_find_node(b.course.model, LB_GROUND, "post"),
                                            &post));
        lb_expect_ok(lb_compute_energy(b.course.model, b.work, &kinetic, NULL));
        const double reach =
            hypot(hypot(m.position[0] - post.position[0], m.position[1] - post.position[1]),
                  m.position[2] - post.position[2]);
        lb_expect_near("reach", y[0], reach, 1e-13);
        lb_expect_near("angle", y[1], b.q[0], 1e-15);
        assert_true(lb_get_gap(y + 2, m.position, 3) < 1e-13);
        assert_true(lb_get_gap(y + 5, m.rotation, 4) < 1e-13);
        assert_true(lb_get_gap(y + 9, m.velocity, 6) < 1e-13);
        assert_true(lb_get_gap(y + 15, m.acceleration, 6) < 1e-12);
        const int boom = lb_get_v_offset(b.course.model, tip) + 1;
        double largest = 0.0;
        for (int j = 0; j < b.n; ++j) {
            largest = fmax(largest, fabs(b.a[j]));
        }
        assert_true(fabs(y[21] - b.a[boom]) < 1e-12 * largest);
        lb_expect_near("kinetic", y[22], kinetic, 1e-12);
        assert_true(fabs(z[0] - (reach - 50.0)) < 1e-12);
        const double bound = 40.0 * acos(-1.0) / 180.0;
        assert_true(fabs(z[1] - b.q[0] - bound) < 1e-14);
        assert_true(fabs(z[2] + b.q[0] - bound) < 1e-14);
    }
    end(&b);
}

// A run by the frozen step beside one by the engine with the same steps.
static void steps_follow_the_engine_s(void **state)
{
    (void)state;
    bench b = begin(all_text, "step", NULL);
    step_function step;
    lb_get_program_function(&b.program, "step", &step);
    lb_course course = lb_begin_course(all_text);
    const double h = 0.002;
    lb_choose_integrator(&course, LB_INTEGRATOR_RK4, 0, 0, h);
    lb_start_course(&course);
    double q[64], v[64], t;
    const double tau[64] = {0};
    lb_get_simulation_state(course.simulation, &t, &course.q, &course.v, NULL);
    memcpy(q, course.q, (size_t)b.nq * sizeof *q);
    memcpy(v, course.v, (size_t)b.n * sizeof *v);
    for (int i = 0; i < 500; ++i) {
        t = i * h;
        assert_int_equal(step(t, h, tau, NULL, q, v), 0);
    }
    lb_go_to(&course, 500 * h);
    // 1e-9: a thousand evaluations of a motion that does not forget round-off
    assert_true(lb_get_gap(q, course.q, (size_t)b.nq) < 1e-9);
    assert_true(lb_get_gap(v, course.v, (size_t)b.n) < 1e-9);
    lb_end_course(&course);
    end(&b);
}

// Steps that begin and end where forces jump, but for rounding, see them as the engine does, which stops there: without
// that, a step would give a sixth of its impulse to the wrong side. Also at micrometres and after a day.
static void steps_end_where_forces_jump(void **state)
{
    (void)state;
    const double h = 1e-3, starts[] = {0.1, 86400.1}, sizes[] = {1, 1e-6};
    for (int k = 0; k < 2; ++k) {
        char text[600];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: "
            "2}]\n"
            "forces:\n  - {name: push, type: motor, hinge: cart, value: {pulse: {value: %g, start: "
            "%.17g, width: 0.1}}}\n"
            "  - {name: spring, type: spring, hinge: cart, stiffness: 50}\n",
            60 * sizes[k], starts[k]);
        bench b = begin(text, "step", NULL);
        step_function step;
        lb_get_program_function(&b.program, "step", &step);
        double q[1] = {0}, v[1] = {0};
        const double tau[1] = {0}, early = starts[k] - 0.1;
        for (int i = 0; i < 300; ++i) {
            assert_int_equal(step(early + i * h, h, tau, NULL, q, v), 0);
        }
        // F/k (1 - cos) from the start of the pulse, and the same with the other sign from its end
        const double omega = 5, reach = 60 * sizes[k] / 50;
        const double exact = reach * (cos(omega * 0.1) - cos(omega * 0.2));
        // 1e-9: RK4 at omega h = 0.005; after a day, time is known to 1.5e-11 s, at speeds of 3 reach/s
        assert_true(fabs(q[0] - exact) < 1e-9 * reach);
        end(&b);
    }
}

// Functions of time that become inputs give what the engine gives for those values.
static void forces_can_be_inputs(void **state)
{
    (void)state;
    bench b = begin(all_text, "rates", "servo,wind"), reference;
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_INPUTS), 4);
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_INPUTS, 0), "servo");
    assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_INPUTS, 3), "wind.z");
    reference = begin(all_text, "rates", NULL);
    rates_function rates, plain;
    lb_get_program_function(&b.program, "rates", &rates);
    lb_get_program_function(&reference.program, "rates", &plain);
    for (int i = 0; i < 20; ++i) {
        double a[64], expected[64], q_dot[64];
        const double t = 0.2 * i;
        draw_state(&b, 1.0);
        const int boom = lb_get_v_offset(b.course.model, lb_find_body(b.course.model, "boom")) + 1;
        const double u[4] = {3.0 * sin(2.0 * t) - b.v[boom], 0.2, t, 9.81};
        assert_int_equal(rates(t, b.q, b.v, b.tau, u, a, q_dot), 0);
        assert_int_equal(plain(t, b.q, b.v, b.tau, NULL, expected, q_dot), 0);
        assert_true(lb_get_gap(a, expected, (size_t)b.n) < 1e-12);
    }
    end(&b);
    end(&reference);
}

// Motions of three orders, on a sled beside the others too. The arm, the bird and the mode of the boom follow.
static const char driven_text[] = BODIES
    "  - {name: sled, hinge: {type: planar}, mass: 2, inertia: [0.1, 0.1, 0.1, "
    "0, 0, 0],\n"
    "     nodes: {rail: {position: [0.3, 0, 0.2]}}}\n"
    "forces:\n"
    "  - {name: feed, type: motion, hinge: slide, position: 0.1*sin(t)}\n"
    "  - {name: carry, type: motion, hinge: sled, speed: [0.3*sin(t), 0.2*t, cos(t)]}\n"
    "  - {name: sway, type: motion, hinge: boom, acceleration: 3*cos(t)}\n"
    "  - {name: tether, type: spring, between: [boom/tip, sled/rail], stiffness: 20, length: 1.2}\n"
    "  - {name: rope, type: damper, between: [bird/beak, sled/rail], damping: 3}\n"
    "  - {name: stop, type: stop, hinge: slide, lower: 0, upper: 1, stiffness: 300}\n"
    "outputs: [boom/tip, slide.rate, slide.a.0]\n";

// What their functions give: coordinate by coordinate, from the order of the motion on.
static void give_motions(double t, double u[10])
{
    const double all[10] = {0.1 * sin(t), 0.1 * cos(t), -0.1 * sin(t), 0.3 * sin(t), 0.3 * cos(t),
                            0.2 * t,      0.2,          cos(t),        -sin(t),      3 * cos(t)};
    memcpy(u, all, sizeof all);
}

typedef int (*place_function)(double, const double *, double *, double *);

// A step of Runge and Kutta as the frozen one, with inputs of each stage, or with those that are given.
static void step_with_inputs(const bench *b, double t, double h, const double *held, double *q,
                             double *v)
{
    rates_function rates;
    place_function place;
    lb_get_program_function(&b->program, "rates", &rates);
    lb_get_program_function(&b->program, "place", &place);
    double u[10], q_now[64], v_now[64], q_dot[64], a[64], q_sum[64] = {0}, v_sum[64] = {0};
    const double tau[64] = {0}, parts[4] = {1e-6, 0.5, 0.5, 1 - 1e-6};
    memcpy(q_now, q, sizeof q_now);
    memcpy(v_now, v, sizeof v_now);
    for (int stage = 0; stage < 4; ++stage) {
        const double now = t + parts[stage] * h, reach = stage == 2 ? h : h / 2;
        give_motions(now, u);
        assert_int_equal(rates(now, q_now, v_now, tau, held ? held : u, a, q_dot), 0);
        for (int i = 0; i < b->nq; ++i) {
            q_sum[i] += h * (stage % 3 ? 2 : 1) / 6 * q_dot[i];
            q_now[i] = q[i] + reach * q_dot[i];
        }
        for (int i = 0; i < b->n; ++i) {
            v_sum[i] += h * (stage % 3 ? 2 : 1) / 6 * a[i];
            v_now[i] = v[i] + reach * a[i];
        }
    }
    double *quaternion =
               q + lb_get_q_offset(b->course.model, lb_find_body(b->course.model, "bird")),
           length = 0;
    for (int i = 0; i < b->nq; ++i) {
        q[i] += q_sum[i];
        v[i] += i < b->n ? v_sum[i] : 0;
    }
    for (int i = 0; i < 4; ++i) {
        length = hypot(length, quaternion[i]);
    }
    for (int i = 0; i < 4; ++i) {
        quaternion[i] /= length;
    }
    give_motions(t + h, u);
    assert_int_equal(place(t + h, held ? held : u, q, v), 0);
}

// Driven hinges whose motion is an input move as the engine's, which has functions of time.
static void motions_can_be_inputs(void **state)
{
    (void)state;
    bench b = begin(driven_text, "step,outputs,indicators", "feed,carry,sway"),
          plain = begin(driven_text, "step,outputs,indicators", NULL);
    static const char *const names[10] = {
        "feed.position",        "feed.speed",       "feed.acceleration",    "carry.speed.0",
        "carry.acceleration.0", "carry.speed.1",    "carry.acceleration.1", "carry.speed.2",
        "carry.acceleration.2", "sway.acceleration"};
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_INPUTS), 10);
    for (int i = 0; i < 10; ++i) {
        assert_string_equal(lb_get_frozen_entry(b.frozen, LB_FROZEN_INPUTS, i), names[i]);
    }
    rates_function rates;
    signals_function outputs[2], indicators[2];
    step_function step, plain_step;
    lb_get_program_function(&b.program, "rates", &rates);
    lb_get_program_function(&b.program, "outputs", &outputs[0]);
    lb_get_program_function(&plain.program, "outputs", &outputs[1]);
    lb_get_program_function(&b.program, "indicators", &indicators[0]);
    lb_get_program_function(&plain.program, "indicators", &indicators[1]);
    lb_get_program_function(&b.program, "step", &step);
    lb_get_program_function(&plain.program, "step", &plain_step);
    srand(3);
    double u[10];
    for (int i = 0; i < 50; ++i) {
        const double t = 3.0 * (draw() + 1.0);
        double a[64], q_dot[64], q[64], v[64], tau[64], y[2][21], z[2][2];
        draw_state(&b, 1.0);
        give_motions(t, u);
        memcpy(q, b.q, sizeof q);
        memcpy(v, b.v, sizeof v);
        memcpy(tau, b.tau, sizeof tau);
        run_engine(&b, t);
        assert_int_equal(rates(t, q, v, tau, u, a, q_dot), 0);
        lb_expect_close("accelerations", a, b.a, b.n, 1e-12);
        lb_expect_close("rates of q", q_dot, b.q_dot, b.nq, 1e-12);
        for (int j = 0; j < 2; ++j) {
            assert_int_equal(outputs[j](t, q, v, tau, j ? NULL : u, y[j]), 0);
            assert_int_equal(indicators[j](t, q, v, tau, j ? NULL : u, z[j]), 0);
        }
        assert_true(lb_get_gap(y[0], y[1], 21) < 1e-12 && lb_get_gap(z[0], z[1], 2) < 1e-12);
        // the time is not read: a day later, the same values give the same motion
        assert_int_equal(rates(t + 86400, q, v, tau, u, a, q_dot), 0);
        lb_expect_close("accelerations later", a, b.a, b.n, 1e-12);
    }
    double q[3][64] = {{0}}, v[3][64] = {{0}};
    const double tau[64] = {0}, h = 0.01;
    draw_state(&b, 0.3);
    for (int k = 0; k < 3; ++k) {
        memcpy(q[k], b.q, sizeof b.q);
        memcpy(v[k], b.v, sizeof b.v);
    }
    for (int i = 0; i < 100; ++i) {
        step_with_inputs(&b, i * h, h, NULL, q[0], v[0]);
        assert_int_equal(plain_step(i * h, h, tau, NULL, q[1], v[1]), 0);
        assert_true(lb_get_gap(q[0], q[1], (size_t)b.nq) < 1e-12 &&
                    lb_get_gap(v[0], v[1], (size_t)b.n) < 1e-12);
    }
    // NAME_step holds its inputs
    memcpy(q[0], q[1], sizeof q[0]);
    memcpy(v[0], v[1], sizeof v[0]);
    give_motions(1.3, u);
    for (int i = 0; i < 10; ++i) {
        step_with_inputs(&b, i * h, h, u, q[0], v[0]);
        assert_int_equal(step(i * h, h, tau, u, q[1], v[1]), 0);
    }
    assert_true(lb_get_gap(q[0], q[1], (size_t)b.nq) < 1e-12 &&
                lb_get_gap(v[0], v[1], (size_t)b.n) < 1e-12);
    assert_true(q[1][lb_get_q_offset(b.course.model, 2)] == u[0]);
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = "step";
    options.inputs = "feed";
    options.language = LB_FROZEN_CUDA;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_frozen *frozen = NULL;
    assert_int_equal(lb_freeze_simulation(b.course.simulation, &options, &report, &frozen),
                     LB_E_UNSUPPORTED);
    assert_null(frozen);
    assert_non_null(strstr(heard.entries[0].message, "'feed'"));
    end(&b);
    end(&plain);
}

static const char actuator_text[] =
    BODIES "forces:\n"
           "  - {name: m, type: actuator, hinge: arm, limits: [-3, 2], gain: 2, dead_zone: 0.1, "
           "rate_limit: 4, lag: 0.2}\n"
           "  - {name: n, type: actuator, hinge: boom, limits: [-3, 2]}\n";

// An actuator by its definition: a ramp, and a lag behind it, in small steps.
static void actuators_follow_commands(void **state)
{
    (void)state;
    bench b = begin(actuator_text, "rates,control", NULL);
    actuate_function actuate;
    command_function command;
    lb_get_program_function(&b.program, "actuate", &actuate);
    lb_get_program_function(&b.program, "command", &command);
    assert_int_equal(lb_get_frozen_count(b.frozen, LB_FROZEN_MEMORY), 8);
    double memory[8] = {0}, ramp = 0.0, y = 0.0, target = 0.0, plain = 0.0;
    const double h = 1e-4;
    for (int i = 0; i < 20000; ++i) {
        const double t = i * h;
        double u[2];
        if (i % 4000 == 0) {
            const double x = 1.5 * sin(i), commands[2] = {x, x};
            assert_int_equal(command(t, commands, memory), 0);
            const double c = 2.0 * copysign(fmax(0.0, fabs(x) - 0.1), x);
            target = fmin(2.0, fmax(-3.0, c));
            plain = fmin(2.0, fmax(-3.0, x));
        }
        assert_int_equal(actuate(t, memory, u), 0);
        // 1e-3: Euler's method with a step of a two-thousandth of the lag
        assert_true(fabs(u[0] - y) < 1e-3 && u[1] == plain);
        y += h * (ramp - y) / 0.2;
        ramp += fmin(4.0 * h, fmax(-4.0 * h, target - ramp));
    }
    end(&b);
}

static void files_test_themselves(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; ++variant) { // double, float, and for eight states
        lb_course course = lb_begin_course(all_text);
        lb_freeze_options options = lb_default_freeze_options();
        options.batches = variant >= 2;
        options.functions =
            options.batches ? "rates,outputs,indicators,mass" : "step,outputs,indicators,mass";
        options.number = variant % 2 ? LB_FROZEN_FLOAT : LB_FROZEN_DOUBLE;
        options.inputs = "wind,feed";
        lb_frozen *frozen = NULL;
        lb_expect_ok(lb_freeze_simulation(course.simulation, &options, NULL, &frozen));
        lb_program program;
        assert_true(lb_write_frozen(frozen, &program));
        assert_int_equal(lb_run_in_folder(&program,
                                          "cc -std=c99 -pedantic -Wall -Wextra -Werror -O1 "
                                          "-DMODEL_SELF_TEST model.c -lm && ./a.out"),
                         0);
        assert_int_equal(lb_run_in_folder(&program, "g++ -x c++ -std=c++11 -pedantic -Wall -Wextra "
                                                    "-Werror -O0 -c model.c"),
                         0);
        lb_end_program(&program);
        lb_destroy_frozen(frozen);
        lb_end_course(&course);
    }
    lb_course course = lb_begin_course(actuator_text);
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = "rates,control";
    lb_frozen *frozen = NULL;
    lb_expect_ok(lb_freeze_simulation(course.simulation, &options, NULL, &frozen));
    lb_program program;
    assert_true(lb_write_frozen(frozen, &program));
    assert_int_equal(lb_run_in_folder(&program, "cc -std=c99 -O1 -DMODEL_SELF_TEST model.c -lm && "
                                                "./a.out"),
                     0);
    lb_end_program(&program);
    lb_destroy_frozen(frozen);
    lb_end_course(&course);
}

static void what_is_not_finite_gives_a_status(void **state)
{
    (void)state;
    bench b = begin(BODIES
                    "forces:\n  - {name: f, type: motor, hinge: arm, value: 1/(arm.angle - 0.5)}\n",
                    "rates", NULL);
    rates_function rates;
    lb_get_program_function(&b.program, "rates", &rates);
    double a[64], q_dot[64];
    draw_state(&b, 1.0);
    assert_int_equal(rates(0.0, b.q, b.v, b.tau, NULL, a, q_dot), 0);
    assert_int_equal(rates(NAN, b.q, b.v, b.tau, NULL, a, q_dot), -10);
    b.q[0] = 0.5;
    assert_int_equal(rates(0.0, b.q, b.v, b.tau, NULL, a, q_dot), -10);
    end(&b);
}

static int push(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)user;
    (void)sample;
    (void)answer;
    return 0;
}

static void expect_refusal(lb_simulation *simulation, const char *functions, const char *inputs,
                           lb_status status, const char *word)
{
    lb_freeze_options options = lb_default_freeze_options();
    options.functions = functions;
    options.inputs = inputs;
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_frozen *frozen = NULL;
    assert_int_equal(lb_freeze_simulation(simulation, &options, &report, &frozen), status);
    assert_null(frozen);
    if (!strstr(heard.entries[0].message, word)) {
        lb_print_heard(&heard);
    }
    assert_non_null(strstr(heard.entries[0].message, word));
}

static void what_cannot_be_frozen_is_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *functions, *inputs, *word;
        lb_status status;
    } cases[] = {
        {"forces:\n  - {name: dry, type: friction, hinge: arm, coulomb: 2}\n", "rates", NULL,
         "friction 'dry'", LB_E_UNSUPPORTED},
        {"outputs: ['reaction(arm).force.x']\n", "outputs", NULL, "reaction(arm).force.x",
         LB_E_UNSUPPORTED},
        {"", "outputs", NULL, "'outputs'", LB_E_ARGUMENT},
        {"", "control", NULL, "'actuate'", LB_E_ARGUMENT},
        {"", "rates", "nothing", "'nothing'", LB_E_ARGUMENT},
        {"forces:\n  - {name: s, type: spring, hinge: arm, stiffness: 2}\n", "rates", "s", "'s'",
         LB_E_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[4096];
        snprintf(text, sizeof text, BODIES "%s", cases[i].text);
        lb_course course = lb_begin_course(text);
        expect_refusal(course.simulation, cases[i].functions, cases[i].inputs, cases[i].status,
                       cases[i].word);
        lb_end_course(&course);
    }
    lb_course course = lb_begin_course(BODIES);
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = push;
    lb_force_options own = lb_default_force_options();
    own.name = "mine";
    own.type = LB_FORCE_CALLBACK;
    own.callbacks = &callbacks;
    lb_expect_ok(lb_add_force(lb_get_simulation_forces(course.simulation), &own, NULL));
    expect_refusal(course.simulation, "rates", NULL, LB_E_UNSUPPORTED, "callback 'mine'");
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_force_element_is_the_engine_s),
        cmocka_unit_test(outputs_and_indicators_are_the_engine_s),
        cmocka_unit_test(steps_follow_the_engine_s),
        cmocka_unit_test(steps_end_where_forces_jump),
        cmocka_unit_test(forces_can_be_inputs),
        cmocka_unit_test(motions_can_be_inputs),
        cmocka_unit_test(actuators_follow_commands),
        cmocka_unit_test(files_test_themselves),
        cmocka_unit_test(what_is_not_finite_gives_a_status),
        cmocka_unit_test(what_cannot_be_frozen_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
