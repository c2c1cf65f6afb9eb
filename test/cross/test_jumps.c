// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions that jump: those of time are known beforehand, those of state are found, and neither is lost.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "limber/events.h"
#include "simulate/run/simulation.h"

static const lb_integrator integrators[] = {LB_INTEGRATOR_ERK,   LB_INTEGRATOR_ADAMS,
                                            LB_INTEGRATOR_BDF,   LB_INTEGRATOR_RK4,
                                            LB_INTEGRATOR_EULER, LB_INTEGRATOR_ALPHA};
enum { ADAPTIVE_COUNT = 3, INTEGRATOR_COUNT = 6 };

// A body of 1 kg on a line, and what pushes it.
static lb_course begin_pushed(const char *more, const char *value, double x, double v)
{
    char text[2048];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: [{name: p, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
             "%s"
             "forces: [{name: m, type: motor, hinge: p, value: \"%s\"}]\n"
             "initial: {p: {distance: %g, rate: %g}}\n"
             "run: {duration: 10, interval: 10}\n",
             more, value, x, v);
    return lb_begin_course(text);
}

static void expect_momentum(const char *more, const char *value, double momentum, double bound)
{
    for (int i = 0; i < INTEGRATOR_COUNT; ++i) {
        lb_course course = begin_pushed(more, value, 0.0, 0.0);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.01);
        lb_start_course(&course);
        lb_go_to(&course, 10.0);
        lb_expect_below(value, course.v[0] - momentum, bound);
        lb_expect_below(value, momentum - course.v[0], bound);
        lb_end_course(&course);
    }
}

static void a_pulse_of_time_is_not_lost(void **state)
{
    (void)state;
    // a constant force between two times is integrated without error: round-off of the times remains
    const double exact = 1e-13;
    expect_momentum("", "5*(t > 5)*(t < 5.5)", 2.5, exact);
    expect_momentum("", "5*(t > 5)*(t < 5.001)", 0.005, exact);
    expect_momentum("", "5e6*(t >= 7)*(t <= 7.000001)", 5.0,
                    5e6 * 4.0 * 8.9e-16); // four units of round-off of 7 s
    expect_momentum("", "5*step(t - 3)*step(3.25 - t)", 1.25, exact);
    expect_momentum("", "if(abs(t - 5) < 0.0005, 5, 0)", 0.005, exact);
    expect_momentum("", "5*(mod(t, 2.5) > 2.499)", 4.0 * 0.005, exact);
    expect_momentum("", "5*(sin(2*pi*t/4) > 1)", 0.0, exact);
    expect_momentum("", "sign(t - 4)", 2.0, exact);
    expect_momentum("", "floor(t)", 45.0, 1e-12);
    expect_momentum("signals: {late: t > 9.99, on: late*(t < 9.991)}\n", "100*on", 0.1, 1e-12);
    // where sin(w) = 0.99 to either side of a crest
    const double half = acos(0.99);
    expect_momentum("", "sin(t) > 0.99", 4.0 * half, 1e-12);
    // a bell of half a millisecond, at half its height
    expect_momentum("", "1000*(exp(-((t - 5)/1e-4)^2) > 0.5)", 0.2 * sqrt(log(2.0)), 1e-9);
    // a clipped ramp: its kinks are breaks, and a ramp is a polynomial
    for (int i = 0; i < ADAPTIVE_COUNT; ++i) {
        lb_course course = begin_pushed("", "1e3*max(0, 0.01 - abs(t - 6))", 0.0, 0.0);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.0);
        lb_start_course(&course);
        lb_go_to(&course, 10.0);
        lb_expect_near("clipped ramp", course.v[0], 0.1, 1e-7); // ten times the tolerance
        lb_end_course(&course);
    }
}

// Bells and smooth pulses of a thousandth or a millionth of a second after seconds of nothing: adaptive steps see them.
static void a_narrow_bell_is_not_lost(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    const struct {
        const char *value;
        double momentum;
    } cases[] = {{"1000*exp(-((t - 5)/1e-3)^2)", sqrt(pi)},
                 {"1000*exp(-((t - 0.01)/1e-3)^2)", sqrt(pi)},
                 {"1e6*exp(-((t - 5)/1e-6)^2)", sqrt(pi)},
                 {"10*exp(-((mod(t, 2) - 1)/1e-2)^2)", 0.5 * sqrt(pi)},
                 {"0*p.distance + 500*(tanh((t - 5)/1e-5) - tanh((t - 5.001)/1e-5))", 1.0}};
    for (int i = 0; i < ADAPTIVE_COUNT; ++i) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
            lb_course course = begin_pushed("", cases[k].value, 0.0, 0.0);
            lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.0);
            lb_start_course(&course);
            lb_go_to(&course, 10.0);
            // a hundred steps and more at a tolerance of 1e-8
            lb_expect_near(cases[k].value, course.v[0], cases[k].momentum, 1e-6);
            lb_end_course(&course);
        }
    }
}

// What is at rest has no size by which errors could be judged: a step across a jump would never be short enough.
static void bodies_at_rest_are_set_in_motion(void **state)
{
    (void)state;
    static const char *const values[] = {"5*step(t - 1)", "5*(t > 1)", "if(t < 1, 0, 5)",
                                         "5*max(0, sign(t - 1))"};
    for (int i = 0; i < ADAPTIVE_COUNT; ++i) {
        for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
            char text[1024];
            snprintf(
                text, sizeof text,
                "limber: 1\n"
                "bodies:\n"
                "  - {name: c, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                "  - {name: p, parent: c, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                "forces:\n"
                "  - {name: m, type: motor, hinge: c, value: \"%s\"}\n"
                "  - {name: k, type: spring, hinge: p, stiffness: 100}\n"
                "run: {duration: 2, interval: 2}\n",
                values[k]);
            lb_course course = lb_begin_course(text);
            lb_choose_integrator(&course, integrators[i], 0, 1e-10, 0.0);
            lb_start_course(&course);
            lb_go_to(&course, 2.0);
            // the two bodies swing by sqrt(200) rad/s, and their centre of mass is pushed
            const double w = sqrt(200.0), x = 5.0 / 200.0 * (cos(w) - 1.0);
            lb_expect_near("extension", course.q[1], x, 1e-7); // a thousand times the tolerance
            lb_expect_near("centre", course.q[0] + 0.5 * course.q[1], 1.25, 1e-8);
            lb_end_course(&course);
        }
    }
}

static void motions_with_kinks_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *message; // NULL: right
    } cases[] = {{"position", "abs(t - 1)", "is a position with a jump or a kink there"},
                 {"position", "t > 1", "is a position with a jump or a kink there"},
                 {"position", "max(0, t - 1)^2", NULL},
                 {"position", "if(t < 1, 0, (t - 1)^3)", NULL},
                 {"position", "1e6 + 1e-3*max(0, sin(20*t))^2", NULL},
                 {"speed", "max(0, t - 1)", NULL},
                 {"speed", "sign(t - 1)", "is a speed with a jump there"},
                 {"acceleration", "sign(t - 1)", NULL}};
    for (int i = 0; i < INTEGRATOR_COUNT; ++i) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
            char text[1024];
            snprintf(text, sizeof text,
                     "limber: 1\n"
                     "bodies: [{name: p, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n"
                     "forces: [{name: m, type: motion, hinge: p, %s: \"%s\"}]\n"
                     "run: {duration: 2, interval: 2}\n",
                     cases[k].key, cases[k].value);
            lb_course course = lb_begin_course(text);
            lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.01);
            lb_start_course(&course);
            const lb_status status = lb_advance_simulation(course.simulation, 2.0);
            assert_int_equal(status, cases[k].message ? LB_E_MODEL : LB_OK);
            if (cases[k].message) {
                assert_non_null(
                    strstr(lb_get_simulation_message(course.simulation), cases[k].message));
            }
            lb_end_course(&course);
        }
    }
}

// ---- of state ------------------------------------------------------------------------------------

static void a_place_that_pushes_is_not_jumped_over(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE_COUNT; ++i) {
        // 100 N over a centimetre: v^2 = 1 + 2. The uniform motion before would let steps be any length
        lb_course course = begin_pushed("", "100*(p.distance > 5)*(p.distance < 5.01)", 0.0, 1.0);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.0);
        lb_start_course(&course);
        lb_go_to(&course, 10.0);
        lb_expect_near("speed", course.v[0], sqrt(3.0), 1e-8);
        lb_end_course(&course);
        // a tent of a centimetre, 1 J: v^2 = 1 + 2
        course = begin_pushed("signals: {tent: \"max(0, 1 - abs(p.distance - 5)/0.01)\"}\n",
                              "100*tent", 0.0, 1.0);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.0);
        lb_start_course(&course);
        lb_go_to(&course, 10.0);
        lb_expect_near("speed", course.v[0], sqrt(3.0), 1e-7);
        lb_end_course(&course);
    }
}

// x'' = -5 sign(x) from 1: parabolas of a quarter sqrt(2/5) each.
static void a_switched_force_keeps_its_period(void **state)
{
    (void)state;
    static const char *const values[] = {"-5*sign(p.distance)", "if(p.distance > 0, -5, 5)",
                                         "5 - 10*(p.distance > 0)", "5 - 10*step(p.distance)"};
    for (int i = 0; i < ADAPTIVE_COUNT; ++i) {
        for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k) {
            lb_course course = begin_pushed("", values[k], 1.0, 0.0);
            lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.0);
            lb_start_course(&course);
            // after three whole periods
            const double quarter = sqrt(0.4);
            lb_go_to(&course, 12.0 * quarter);
            // each of the six crossings is as exact as the steps around it
            lb_expect_near("place", course.q[0], 1.0, 1e-6);
            lb_expect_below("speed", course.v[0], 1e-6);
            lb_end_course(&course);
        }
    }
}

// ---- events --------------------------------------------------------------------------------------

// Runs a case with an integrator; the speed of a body at its end, and the number of events.
static double run_case(const char *name, lb_integrator integrator, int speed, int *events)
{
    lb_course course = lb_begin_example(name);
    lb_choose_integrator(&course, integrator, 0, 0.0, 0.01);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    const lb_status status = lb_run_simulation(course.simulation, &request, &audit);
    if (status < 0) {
        fail_msg("%s", lb_get_simulation_message(course.simulation));
    }
    lb_get_simulation_state(course.simulation, &course.t, &course.q, &course.v, &course.a);
    const double v = course.v[speed];
    *events = (int)audit.events;
    lb_end_course(&course);
    return v;
}

static void events_happen_at_the_first_instant_and_behind_impulses(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATOR_COUNT; ++i) {
        int events = 0;
        // constant forces from a known time on: round-off
        lb_expect_near("ignition",
                       run_case("../test/cases/event_at_zero.yaml", integrators[i], 0, &events),
                       2.0, 1e-13);
        assert_int_equal(events, 1);
        lb_expect_near("at rest",
                       run_case("../test/cases/event_by_impulse.yaml", integrators[i], 1, &events),
                       4.0, 1e-13);
        assert_int_equal(events, 2);
    }
}

// Each of these happens once, at a known time, and sets the body in motion by 1 m/s^2 until 4 s.
static void events_happen_where_signals_jump_or_rest(void **state)
{
    (void)state;
    static const struct {
        const char *when;
        double crosses, time;
    } cases[] = {
        {"by time", 0.5, 1.0},    // a signal of time that jumps
        {"slope", 0.7, 0.7},      // one that does not
        {"c.a.0", 1.5, 2.0},      // an acceleration that jumps with a force
        {"mixed", -0.5, 3.0},     // a signal of both that jumps with time
        {"d.distance", 1.0, 2.0}, // a motion that comes to rest at the value
        {"d.rate", 0.0, 2.0},     // and whose speed does
        {"folded", 0.05, 1.25},   // a narrow signal of time: at its beginning
    };
    for (int i = 0; i < INTEGRATOR_COUNT; ++i) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
            char text[2048];
            snprintf(text, sizeof text,
                     "limber: 1\n"
                     "bodies:\n"
                     "  - {name: p, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                     "  - {name: c, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                     "  - {name: d, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"
                     "signals:\n"
                     "  by_time: t > 1\n"
                     "  slope: sin(t)/sin(0.7)*0.7 - 0\n"
                     "  mixed: p.distance - 1 + (t > 3)\n"
                     "  folded: \"max(0, 0.1 - abs(1e3*(t - 1.25005)))\"\n"
                     "forces:\n"
                     "  - {name: F, type: motor, hinge: p, value: 1, enabled: false}\n"
                     "  - {name: G, type: motor, hinge: c, value: 1 + (t > 2)}\n"
                     "  - {name: M, type: motion, hinge: d, position: {pieces: [{from: 0, "
                     "coefficients: [0, 0, 0.75, "
                     "-0.25]}], until: 2}}\n"
                     "events: [{name: e, when: %s, crosses: %g, once: true, then: [{enable: F}]}]\n"
                     "run: {duration: 4, interval: 0.1}\n",
                     k == 0 ? "by_time" : cases[k].when, cases[k].crosses);
            lb_course course = lb_begin_course(text);
            lb_choose_integrator(&course, integrators[i], 0, 1e-10, 0.01);
            lb_start_course(&course);
            lb_go_to(&course, 4.0);
            // of signals in motion, the time is as exact as the motion
            lb_expect_below(cases[k].when, course.v[0] - (4.0 - cases[k].time), 2e-7);
            lb_expect_below(cases[k].when, 4.0 - cases[k].time - course.v[0], 2e-7);
            lb_end_course(&course);
        }
    }
}

static void events_that_do_not_happen_say_why(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "bodies: [{name: p, hinge: {type: prismatic, axis: [1,0,0]}, mass: 1}, {name: r, hinge: "
        "{type: prismatic, "
        "axis: [1,0,0]}, mass: 1}]\n"
        "signals: {w: sin(t)}\n"
        "initial: {p: {rate: 1}}\n"
        "events:\n"
        "  - {name: a, when: p.distance, crosses: 0, then: stop}\n"
        "  - {name: b, when: r.distance, crosses: 0, then: stop}\n"
        "  - {name: c, when: p.distance, crosses: 3, then: stop}\n"
        "  - {name: d, when: t, crosses: 3, then: stop}\n"
        "  - {name: e, when: w, crosses: 3, then: stop}\n"
        "  - {name: f, when: p.distance, crosses: 0.5, direction: falling, then: stop}\n"
        "  - {name: g, when: t, crosses: 0.5, direction: falling, then: stop}\n"
        "  - {name: h, when: t, crosses: -0.5, then: stop}\n"
        "  - {name: i, when: t, crosses: 0.5, then: []}\n"
        "run: {duration: 1, interval: 0.1}\n";
    static const char *const reasons[] = {"its signal starts at 0: it must leave it and come back",
                                          "its signal starts at 0 and stays there",
                                          "its signal reaches 1, expected 3",
                                          "comes at t = 3 s",
                                          "its signal of time does not pass 3",
                                          "its signal passes 0.5 only rising",
                                          "t never falls",
                                          "t = -0.5 s is before the start",
                                          NULL};
    for (int i = 0; i < INTEGRATOR_COUNT; ++i) {
        lb_course course = lb_begin_course(text);
        lb_choose_integrator(&course, integrators[i], 0, 0.0, 0.01);
        lb_start_course(&course);
        lb_go_to(&course, 1.0);
        for (int k = 0; k < lb_get_simulation_event_count(course.simulation); ++k) {
            char why[160];
            assert_int_equal(lb_describe_absence(course.simulation, k, why, sizeof why),
                             reasons[k] != NULL);
            if (reasons[k]) {
                assert_string_equal(why, reasons[k]);
            }
        }
        lb_end_course(&course);
    }
}

static void order_2_and_events_on_rows_run_to_the_end(void **state)
{
    (void)state;
    lb_course course = lb_begin_example("../test/cases/erk_latch.yaml");
    lb_start_course(&course);
    lb_go_to(&course, 6.0);
    lb_expect_near("latch", course.q[1], 0.0136672, 1e-5); // six digits are known
    lb_end_course(&course);
    course = lb_begin_example("../test/cases/erk_latch_tree.yaml");
    lb_start_course(&course);
    lb_go_to(&course, 3.0);
    const int b = lb_get_q_offset(course.model, lb_find_body(course.model, "b"));
    const int modes = lb_get_mode_count(course.model, lb_find_body(course.model, "b"));
    lb_expect_near("tree", course.q[b + modes], 0.0450430, 1e-5);
    lb_end_course(&course);
    course = lb_begin_example("../test/cases/event_on_row.yaml");
    lb_start_course(&course);
    lb_go_to(&course, 1.5);
    lb_end_course(&course);
    // coarser than in the file, which takes half a million steps
    course = lb_begin_example("../test/cases/erk_order2.yaml");
    lb_choose_integrator(&course, LB_INTEGRATOR_ERK, 2, 1e-5, 0.0);
    const lb_run_request request = lb_default_run_request();
    lb_audit audit = {.size = sizeof audit};
    assert_int_equal(lb_run_simulation(course.simulation, &request, &audit), LB_OK);
    lb_expect_below("rejected", audit.rejections, 0.02 * audit.steps);
    lb_end_course(&course);
    // from rest its steps are short and grow with the motion: 180,000 of them
    course = begin_pushed("", "2*step(t - 1)", 0.0, 0.0);
    lb_choose_integrator(&course, LB_INTEGRATOR_ERK, 2, 1e-8, 0.0);
    lb_start_course(&course);
    lb_go_to(&course, 10.0);
    lb_expect_near("from rest", course.v[0], 18.0, 1e-6);
    lb_end_course(&course);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulse_of_time_is_not_lost),
        cmocka_unit_test(a_narrow_bell_is_not_lost),
        cmocka_unit_test(bodies_at_rest_are_set_in_motion),
        cmocka_unit_test(motions_with_kinks_are_refused),
        cmocka_unit_test(a_place_that_pushes_is_not_jumped_over),
        cmocka_unit_test(a_switched_force_keeps_its_period),
        cmocka_unit_test(events_happen_at_the_first_instant_and_behind_impulses),
        cmocka_unit_test(events_happen_where_signals_jump_or_rest),
        cmocka_unit_test(events_that_do_not_happen_say_why),
        cmocka_unit_test(order_2_and_events_on_rows_run_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
