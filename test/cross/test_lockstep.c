// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Lockstep: a program sets commands, steps and reads. When commands and variables act is the same for every
// integrator, from the first instant on; a restart gives the bits of a new simulation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "limber/control.h"
#include "own_malloc.h"
#include "simulate/run/simulation.h"

// A strip with two modes on a base that moves freely.
#define STRIP(motor)                                                                               \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: base, hinge: {type: free}, mass: 5, inertia: [0.4, 0.5, 0.6, 0, 0, 0]}\n"          \
    "  - name: strip\n"                                                                            \
    "    parent: base\n"                                                                           \
    "    hinge: {type: revolute, axis: [0, 0, 1]}\n"                                               \
    "    flex:\n"                                                                                  \
    "      nodes:\n"                                                                               \
    "        - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0],\n"                            \
    "           shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"                                \
    "        - {name: b, position: [0.5, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.1, 0, 0, 0],\n"     \
    "           shape: [[0, 0, 1, 0, 0.4, 0], [0, 1, 0, 0, 0, 0.3]]}\n"                            \
    "      stiffness: [90, 160]\n"                                                                 \
    "forces:\n"                                                                                    \
    "  - {name: motor, type: actuator, hinge: strip" motor "}\n"

#define LAW                                                                                        \
    "controllers:\n"                                                                               \
    "  - {name: law, rate: 100, actuators: [motor], law: {type: callback},\n"                      \
    "     sensors: [{name: s, signal: strip.angle}]}\n"

static const double h = 0.01;
enum { HINGE = 8 }; // the hinge of the strip in v: behind six of the base and two modes

// What the program commands in step k.
static double get_command(int k)
{
    return 3.0 * cos(0.7 * k) + (k % 5 == 0 ? 2.0 : 0.0);
}

static void choose(lb_course *course, int integrator)
{
    // a step of 1 ms for those with fixed ones
    lb_choose_integrator(course, (lb_integrator)integrator, 0, 1e-10, 1e-3);
}

// ---- four ways to command ------------------------------------------------------------------------

typedef struct variable {
    double value;    // of the program
    double set;      // by a law
    double t, angle; // what the law saw last
    int count;
} variable;

static int obey(void *user, const lb_control_sample *sample, double *commands)
{
    variable *x = user;
    x->t = sample->t;
    x->angle = sample->position[0];
    ++x->count;
    commands[0] = x->value;
    return 0;
}

static int pass_on(void *user, const lb_control_sample *sample, double *commands)
{
    variable *x = user;
    x->set = x->value;
    commands[0] = 0.0;
    return sample->channel_count - 1;
}

static int push(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)sample;
    answer->tau[HINGE] = ((const variable *)user)->value;
    return 0;
}

static int push_as_set(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    (void)sample;
    answer->tau[HINGE] = ((const variable *)user)->set;
    return 0;
}

typedef enum way { BY_COMMAND, BY_LAW, BY_FORCE, BY_LAW_AND_FORCE, WAY_COUNT } way;

enum { STEPS = 40, MOST = 32 };

// q and v after each step.
static void go(way by, int integrator, double trace[STEPS][MOST])
{
    const bool has_law = by == BY_LAW || by == BY_LAW_AND_FORCE;
    variable x = {0};
    lb_course course = lb_begin_course(has_law ? STRIP("") LAW : STRIP(""));
    lb_simulation *sim = course.simulation;
    choose(&course, integrator);
    if (has_law) {
        lb_expect_ok(lb_set_control_callback(sim, "law", by == BY_LAW ? obey : pass_on, &x));
    }
    if (by == BY_FORCE || by == BY_LAW_AND_FORCE) {
        lb_force_callbacks own = lb_default_force_callbacks();
        own.compute = by == BY_FORCE ? push : push_as_set;
        own.user = &x;
        lb_force_options force = lb_default_force_options();
        force.name = "own";
        force.type = LB_FORCE_CALLBACK;
        force.callbacks = &own;
        lb_expect_ok(lb_add_force(lb_get_simulation_forces(sim), &force, NULL));
    }
    for (int k = 0; k < STEPS; ++k) {
        x.value = get_command(k);
        if (by == BY_COMMAND) {
            lb_expect_ok(lb_set_command(sim, "motor", x.value));
        }
        lb_expect_ok(lb_step_simulation(sim, h));
        const double *q, *v;
        double t;
        lb_get_simulation_state(sim, &t, &q, &v, NULL);
        assert_true(t == (k + 1) * h || fabs(t - (k + 1) * h) < 1e-15);
        memcpy(trace[k], q, (size_t)course.q_count * sizeof *q);
        memcpy(trace[k] + course.q_count, v, (size_t)course.v_count * sizeof *v);
        if (by == BY_LAW) { // it saw where this step began
            assert_int_equal(x.count, k + 1);
            assert_true(fabs(x.t - k * h) < 1e-15);
            assert_true(k == 0 ? x.angle == 0.0 : x.angle == trace[k - 1][9]);
        }
    }
    lb_end_course(&course);
}

static double compare(double a[STEPS][MOST], double b[STEPS][MOST])
{
    double worst = 0.0;
    for (int k = 0; k < STEPS; ++k) {
        for (int i = 0; i < 19; ++i) {
            worst = fmax(worst, fabs(a[k][i] - b[k][i]));
        }
    }
    return worst;
}

static void what_is_set_acts_in_the_next_step_with_every_integrator(void **state)
{
    (void)state;
    // against each other: what the order of the method leaves
    static const double gaps[LB_INTEGRATOR_COUNT] = {
        [LB_INTEGRATOR_ERK] = 1e-7, [LB_INTEGRATOR_ADAMS] = 1e-6, [LB_INTEGRATOR_BDF] = 1e-5,
        [LB_INTEGRATOR_RK4] = 1e-6, [LB_INTEGRATOR_EULER] = 3e-2, [LB_INTEGRATOR_ALPHA] = 1e-3};
    static double exact[STEPS][MOST], first[STEPS][MOST], other[STEPS][MOST];
    go(BY_COMMAND, LB_INTEGRATOR_ERK, exact);
    assert_true(fabs(exact[0][18]) > 1e-3); // the first command has acted in the first step
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        const char *name = lb_get_integrator_name((lb_integrator)i);
        go(BY_COMMAND, i, first);
        lb_expect_below(name, compare(first, exact), gaps[i]);
        for (int by = 1; by < WAY_COUNT; ++by) {
            go((way)by, i, other);
            // adaptive steps are not the same; fixed ones differ by round-off
            lb_expect_below(name, compare(first, other),
                            lb_is_fixed_step((lb_integrator)i) ? 1e-11 : gaps[i]);
        }
    }
}

static void a_first_step_by_hand(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        lb_course course = lb_begin_course(
            "limber: 1\n"
            "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
            "forces: [{name: push, type: actuator, hinge: cart, limits: [-8, 8]}]\n");
        choose(&course, i);
        double found, sum = 0.0;
        for (int k = 0; k < 20; ++k) {
            const double u = k == 7 ? 100.0 : 4.0 * sin(k + 1.0);
            lb_expect_ok(lb_set_command(course.simulation, "push", u));
            lb_expect_ok(lb_step_simulation(course.simulation, 0.1));
            sum += 0.1 * fmin(8.0, u) / 2.0;
            lb_expect_ok(lb_read_signal(course.simulation, "cart.rate", &found));
            lb_expect_near("speed", found, sum, 1e-9);
        }
        lb_end_course(&course);
    }
}

// Time that a program sums up is off by round-off from that of the samples.
static void samples_at_the_end_of_an_advance_are_those_of_the_next(void **state)
{
    (void)state;
    static const double rates[] = {100, 30, 70, 1.0 / 0.07};
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        for (int r = 0; r < 4; ++r) {
            char text[4096];
            variable x = {.value = 1.0};
            snprintf(text, sizeof text,
                     "%scontrollers: [{name: law, rate: %.17g, actuators: [motor], law: {type: "
                     "callback}}]\n",
                     STRIP(""), rates[r]);
            lb_course course = lb_begin_course(text);
            choose(&course, i);
            lb_expect_ok(lb_set_control_callback(course.simulation, "law", obey, &x));
            lb_start_course(&course);
            assert_int_equal(x.count, 0);
            double t = 0.0;
            for (int k = 1; k <= 50; ++k) {
                const double angle = course.q[9];
                t = r % 2 ? k * (1.0 / rates[r]) : t + 1.0 / rates[r];
                lb_go_to(&course, t);
                assert_int_equal(x.count, k);
                assert_true(x.angle == angle);
            }
            // to the present time: only the sample
            lb_go_to(&course, course.t);
            assert_int_equal(x.count, 51);
            lb_go_to(&course, course.t);
            assert_int_equal(x.count, 51);
            lb_end_course(&course);
        }
    }
}

#define PID                                                                                        \
    "controllers:\n"                                                                               \
    "  - name: pid\n"                                                                              \
    "    rate: 200\n"                                                                              \
    "    sensors: [{name: a, signal: strip.angle, noise: 1.0e-3, delay: 0.012, rate: 500}]\n"      \
    "    actuators: [{actuator: motor, position: a, speed: differences, desired: 0.3*sin(4*t)}]\n" \
    "    law: {type: pid, kp: 20, ki: 5, kd: 1}\n"

static void cuts_on_steps_do_not_change_the_bits_of_rk4(void **state)
{
    (void)state;
    static const char *const texts[] = {STRIP(", lag: 0.004"), STRIP("") PID};
    static const double lengths[] = {0.1, 0.02, 0.001, 0.005};
    for (int m = 0; m < 2; ++m) {
        double first[MOST];
        for (int cut = 0; cut < 4; ++cut) {
            lb_course course = lb_begin_course(texts[m]);
            choose(&course, LB_INTEGRATOR_RK4);
            for (int k = 0; k < 6; ++k) {
                const int count = (int)round(0.1 / lengths[cut]);
                for (int i = 0; i < count; ++i) {
                    if (m == 0) { // the same command again is none
                        lb_expect_ok(lb_set_command(course.simulation, "motor", get_command(k)));
                    }
                    lb_expect_ok(lb_step_simulation(course.simulation, lengths[cut]));
                }
            }
            const double *q, *v;
            double t, now[MOST];
            lb_get_simulation_state(course.simulation, &t, &q, &v, NULL);
            memcpy(now, q, 10 * sizeof *q);
            memcpy(now + 10, v, 9 * sizeof *v);
            now[19] = t;
            if (cut == 0) {
                memcpy(first, now, sizeof first);
            }
            assert_memory_equal(now, first, 20 * sizeof *now);
            lb_end_course(&course);
        }
    }
}

static void events_do_not_end_a_step(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        lb_course course = lb_begin_course(
            STRIP("") "events:\n"
                      "  - {name: one, when: t, crosses: 0.013, then: {enable: motor}}\n"
                      "  - {name: two, when: t, crosses: 0.017, then: {enable: motor}}\n"
                      "  - {name: end, when: t, crosses: 0.045, then: stop}\n");
        choose(&course, i);
        lb_expect_ok(lb_step_simulation(course.simulation, 0.02));
        assert_string_equal(lb_get_event_names(course.simulation), "one, two");
        lb_expect_ok(lb_step_simulation(course.simulation, 0.02));
        assert_string_equal(lb_get_event_names(course.simulation), "");
        assert_int_equal(lb_step_simulation(course.simulation, 0.02), LB_NEWS_STOP);
        double t;
        lb_get_simulation_state(course.simulation, &t, NULL, NULL, NULL);
        lb_expect_near("t", t, 0.045, 1e-9);
        lb_end_course(&course);
    }
}

static void an_event_at_the_time_of_a_sample_does_not_take_it(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        variable x = {.value = 1.0};
        lb_course course = lb_begin_course(
            STRIP("") LAW "signals: {clock: floor(50*t)}\n"
                          "events:\n"
                          "  - {name: first, when: t, crosses: 0, then: {enable: motor}}\n"
                          "  - {name: one, when: t, crosses: 0.02, then: {enable: motor}}\n"
                          "  - {name: tick, when: clock, crosses: 1.5, then: {enable: motor}}\n");
        choose(&course, i);
        lb_expect_ok(lb_set_control_callback(course.simulation, "law", obey, &x));
        for (int k = 0; k < 5; ++k) {
            lb_expect_ok(lb_step_simulation(course.simulation, h));
            assert_int_equal(x.count, k + 1);
            lb_expect_near("t", x.t, k * h, 1e-15);
        }
        lb_end_course(&course);
    }
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    double x;
    lb_course course = lb_begin_course(STRIP("") LAW);
    lb_simulation *sim = course.simulation;
    assert_int_equal(lb_read_signal(sim, "strip.angle", &x), LB_E_STAGE);
    assert_int_equal(lb_set_command(sim, "motor", 1.0), LB_E_ARGUMENT);
    assert_string_equal(lb_get_simulation_message(sim),
                        "actuator 'motor' is commanded by controller 'law'");
    assert_int_equal(lb_set_command(sim, "moter", 1.0), LB_E_ARGUMENT);
    assert_int_equal(lb_step_simulation(sim, 0.0), LB_E_ARGUMENT);
    assert_int_equal(lb_step_simulation(sim, NAN), LB_E_NUMBER);
    variable v = {0};
    lb_expect_ok(lb_set_control_callback(sim, "law", obey, &v));
    lb_expect_ok(lb_step_simulation(sim, 0.1));
    assert_int_equal(lb_read_signal(sim, "strip.angel", &x), LB_E_ARGUMENT);
    assert_non_null(strstr(lb_get_simulation_message(sim), "angle"));
    assert_int_equal(lb_restart_simulation(sim, -1.0, NULL, NULL), LB_E_ARGUMENT);
    const double q[10] = {2.0};
    assert_int_equal(lb_restart_simulation(sim, 0.0, q, NULL), LB_E_ARGUMENT);
    lb_expect_ok(lb_step_simulation(sim, 0.1)); // it goes on as it was
    lb_end_course(&course);
    course = lb_begin_course(STRIP(""));
    lb_expect_ok(lb_set_command(course.simulation, "motor", 2.0));
    assert_int_equal(lb_set_command(course.simulation, "motor", INFINITY), LB_E_NUMBER);
    lb_expect_ok(lb_step_simulation(course.simulation, 0.1));
    lb_end_course(&course);
}

// ---- restarts --------------------------------------------------------------------------------------

// All that a run changes: noise, integrals, a ring of readings, lags, events that happen once, locks, friction that
// sticks, switches of expressions.
#define BUSY                                                                                       \
    STRIP(", lag: 0.01, rate_limit: 300")                                                          \
    "  - {name: drag, type: damper, hinge: strip, damping: 0.4}\n"                                 \
    "  - {name: rub, type: friction, hinge: strip, coulomb: 0.3, static: 0.5}\n"                   \
    "  - {name: wall, type: motor, hinge: strip, value: 'max(0, 0.2 - strip.angle)'}\n" PID        \
    "events:\n"                                                                                    \
    "  - {name: free, when: t, crosses: 0.052, once: true, then: {disable: drag}}\n"               \
    "  - {name: high, when: strip.angle, crosses: 0.05, direction: rising, once: true,\n"          \
    "     then: {lock: strip}}\n"                                                                  \
    "  - {name: on, when: t, crosses: 0.151, then: {unlock: strip}}\n"

// A parallelogram whose loop opens on the way.
#define LINKS                                                                                      \
    "limber: 1\n"                                                                                  \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "ground: {nodes: {right: {position: [2, 0, 0]}}}\n"                                            \
    "bodies:\n"                                                                                    \
    "  - {name: A, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [0, -0.5, 0],\n"        \
    "     inertia: [0.2, 0.1, 0.2, 0, 0, 0], nodes: {end: {position: [0, -1, 0]}}}\n"              \
    "  - {name: B, parent: A, at: end, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2,\n"       \
    "     com: [1, 0, 0], inertia: [0.1, 0.2, 0.2, 0, 0, 0], nodes: {end: {position: [2, 0, "      \
    "0]}}}\n"                                                                                      \
    "  - {name: C, at: right, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [0, -0.5, "  \
    "0],\n"                                                                                        \
    "     inertia: [0.2, 0.1, 0.2, 0, 0, 0], nodes: {end: {position: [0, -1, 0]}}}\n"              \
    "loops: [{name: pin, a: {body: C, node: end}, b: {body: B, node: end}, type: revolute,\n"      \
    "         axis: [0, 0, 1]}]\n"                                                                 \
    "initial: {A: {angle: 0.3}, B: {angle: -0.3}, C: {angle: 0.3}}\n"                              \
    "forces: [{name: motor, type: actuator, hinge: A}]\n"                                          \
    "events: [{name: open, when: t, crosses: 0.21, then: {release: pin}}]\n"

static const struct {
    const char *text;
    int q_count, v_count;
    double q[MOST], v[MOST];
} cases[] = {
    {BUSY, 10, 9, {[0] = 1.0, [7] = 0.01, [8] = -0.02, [9] = -0.15}, {[1] = 0.1, [8] = 0.9}},
    {LINKS, 3, 3, {-0.4, 0.4, -0.4}, {0.5, -0.5, 0.5}},
};

static void follow(lb_simulation *sim, int c, double trace[STEPS][MOST])
{
    for (int k = 0; k < STEPS; ++k) {
        const lb_status status = c == 1 ? lb_set_command(sim, "motor", get_command(k)) : LB_OK;
        lb_expect_ok(status);
        lb_expect_ok(lb_step_simulation(sim, h));
        const double *q, *v;
        lb_get_simulation_state(sim, NULL, &q, &v, NULL);
        memcpy(trace[k], q, (size_t)cases[c].q_count * sizeof *q);
        memcpy(trace[k] + cases[c].q_count, v, (size_t)cases[c].v_count * sizeof *v);
        int count;
        const double *work = lb_get_simulation_work(sim, &count);
        trace[k][MOST - 2] = work[0];
        trace[k][MOST - 1] = work[count - 1];
    }
}

static void a_restart_is_a_new_simulation(void **state)
{
    (void)state;
    static double fresh[STEPS][MOST], again[STEPS][MOST];
    for (int c = 0; c < 2; ++c) {
        for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
            print_message("model %d, %s\n", c, lb_get_integrator_name((lb_integrator)i));
            memset(fresh, 0, sizeof fresh);
            memset(again, 0, sizeof again);
            lb_course course = lb_begin_course(cases[c].text);
            choose(&course, i);
            lb_expect_ok(lb_set_initial_state(course.simulation, cases[c].q, cases[c].v));
            follow(course.simulation, c, fresh);
            lb_end_course(&course);

            course = lb_begin_course(cases[c].text);
            choose(&course, i);
            follow(course.simulation, c, again); // from the state of the file
            assert_memory_not_equal(again, fresh, sizeof fresh);
            for (int turn = 0; turn < 2; ++turn) {
#if LB_OWN_MALLOC
                const long before = lb_malloc_count;
#endif
                lb_expect_ok(lb_restart_simulation(course.simulation, 0.0, cases[c].q, cases[c].v));
#if LB_OWN_MALLOC
                assert_int_equal(lb_malloc_count, before);
#endif
                double t;
                lb_get_simulation_state(course.simulation, &t, NULL, NULL, NULL);
                assert_true(t == 0.0);
                follow(course.simulation, c, again);
                assert_memory_equal(again, fresh, sizeof fresh);
            }
            lb_end_course(&course);
        }
    }
}

static void a_restart_at_another_time_samples_there(void **state)
{
    (void)state;
    for (int i = 0; i < LB_INTEGRATOR_COUNT; ++i) {
        variable x = {.value = 2.0};
        lb_course course = lb_begin_course(STRIP("") LAW);
        choose(&course, i);
        lb_expect_ok(lb_set_control_callback(course.simulation, "law", obey, &x));
        lb_expect_ok(lb_restart_simulation(course.simulation, 0.1234, NULL, NULL)); // and start
        lb_expect_ok(lb_step_simulation(course.simulation, h));
        assert_true(x.t == 0.1234);
        lb_expect_ok(lb_step_simulation(course.simulation, h));
        lb_expect_near("t", x.t, 0.1334, 1e-12);
        double rate, other;
        lb_expect_ok(lb_read_signal(course.simulation, "strip.rate", &rate));
        lb_expect_ok(lb_restart_simulation(course.simulation, 0.0, NULL, NULL));
        lb_expect_ok(lb_step_simulation(course.simulation, 2 * h));
        lb_expect_ok(lb_read_signal(course.simulation, "strip.rate", &other));
        lb_expect_near("rate", other, rate, i == LB_INTEGRATOR_EULER ? 1e-2 : 1e-5);
        lb_end_course(&course);
    }
}

// ---- from a file -----------------------------------------------------------------------------------

static void one_call_opens_a_file(void **state)
{
    (void)state;
    lb_simulation *sim = NULL;
    lb_expect_ok(
        lb_open_simulation(lb_find_source("examples/double_pendulum.yaml"), NULL, NULL, &sim));
    assert_int_equal(lb_get_body_count(lb_get_simulation_model(sim)), 2);
    double angle;
    lb_expect_ok(lb_step_simulation(sim, 0.1));
    lb_expect_ok(lb_read_signal(sim, "upper.angle", &angle));
    assert_true(isfinite(angle));
    lb_destroy_simulation(sim);
    assert_true(lb_open_simulation("nothing.yaml", NULL, NULL, &sim) < 0);
    assert_null(sim);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_step_by_hand),
        cmocka_unit_test(what_is_set_acts_in_the_next_step_with_every_integrator),
        cmocka_unit_test(samples_at_the_end_of_an_advance_are_those_of_the_next),
        cmocka_unit_test(cuts_on_steps_do_not_change_the_bits_of_rk4),
        cmocka_unit_test(events_do_not_end_a_step),
        cmocka_unit_test(an_event_at_the_time_of_a_sample_does_not_take_it),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(a_restart_is_a_new_simulation),
        cmocka_unit_test(a_restart_at_another_time_samples_there),
        cmocka_unit_test(one_call_opens_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
