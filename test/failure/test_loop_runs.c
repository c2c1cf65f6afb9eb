// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs of models with loops that cannot be: each ends with a message that names the loop and, once
// time runs, the time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "heard.h"

#define SLIDER_CRANK                                                                               \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: crank, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.05, 0, 0],\n"    \
    "     inertia: [0, 0.01, 0.01, 0, 0, 0], nodes: {tip: {position: [0.2, 0, 0]}}}\n"             \
    "  - {name: rod, parent: crank, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n" \
    "     com: [0.1, 0, 0], inertia: [0, 0.01, 0.01, 0, 0, 0], nodes: {end: {position: [%g, 0, "   \
    "0]}}}\n"                                                                                      \
    "  - {name: slider, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}\n"                     \
    "loops:\n"                                                                                     \
    "  - {name: pin, a: {body: slider}, b: {body: rod, node: end}, type: point-line,\n"            \
    "     axis: [0, 0, 1]%s}\n"                                                                    \
    "%s"

static lb_course begin(double rod, const char *more, const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text, SLIDER_CRANK, rod, more, rest);
    return lb_begin_course(text);
}

// Runs to the end or to the failure, which must be this one; nothing may be NaN on the way.
static void expect_failure(lb_course *course, lb_status status, const char *first,
                           const char *second)
{
    lb_status found = lb_start_simulation(course->simulation);
    for (int i = 1; found >= 0 && i <= 100; ++i) {
        found = lb_advance_simulation(course->simulation, 0.02 * i);
        lb_get_simulation_state(course->simulation, &course->t, &course->q, &course->v, &course->a);
        for (int k = 0; k < course->v_count; ++k) {
            assert_true(isfinite(course->q[k]) && isfinite(course->v[k]) && isfinite(course->a[k]));
        }
    }
    const char *message = lb_get_simulation_message(course->simulation);
    print_message("%s\n", message);
    assert_int_equal(found, status);
    assert_non_null(strstr(message, first));
    assert_non_null(strstr(message, second));
    lb_end_course(course);
}

static void open_initial_state_is_refused_with_its_cure(void **state)
{
    (void)state;
    lb_course course = begin(0.3, "", "");
    expect_failure(&course, LB_E_OPEN, "loop 'pin' is open in the initial state, by 0.5",
                   "assemble");
}

static void initial_speeds_that_disagree_are_refused_with_their_cure(void **state)
{
    (void)state;
    lb_course course = begin(0.3, "", "initial: {slider: {distance: 0.5}, crank: {rate: 2}}\n");
    expect_failure(&course, LB_E_OPEN, "loop 'pin' does not agree with the initial speeds",
                   "assemble");
}

static void loop_out_of_reach_is_refused(void **state)
{
    (void)state;
    // the rod is shorter than the crank is high
    lb_course course = begin(0.15, "",
                             "initial: {crank: {angle: 90 deg}}\n"
                             "run: {assemble: {hold: [crank]}}\n");
    expect_failure(&course, LB_E_OPEN, "loop 'pin' cannot be closed from here", "off by 0.05");
}

// A crank that is driven further than the rod can follow: out of reach at asin(0.15 / 0.2).
static void drive_beyond_reach(lb_integrator integrator)
{
    lb_course course = begin(0.15, "",
                             "forces: [{name: drive, type: motion, hinge: crank, position: t}]\n"
                             "initial: {slider: {distance: 0.35}}\n"
                             "run: {duration: 2, assemble: true}\n");
    lb_choose_integrator(&course, integrator, 0, lb_is_fixed_step(integrator) ? 0 : 1e-8, 1e-3);
    // at 0.848 s; adaptive ones find no way on behind it
    expect_failure(&course, LB_E_OPEN, "loop 'pin'", "t = 0.84");
}

static void driven_hinge_that_a_loop_cannot_follow_ends_the_run(void **state)
{
    (void)state;
    drive_beyond_reach(LB_INTEGRATOR_ERK);
    drive_beyond_reach(LB_INTEGRATOR_ADAMS);
    drive_beyond_reach(LB_INTEGRATOR_BDF);
    drive_beyond_reach(LB_INTEGRATOR_RK4);
}

static void motions_that_contradict_each_other_are_named(void **state)
{
    (void)state;
    // crank and slider both driven, of a mechanism with one degree of freedom
    lb_course course =
        begin(0.3, "",
              "forces:\n"
              "  - {name: turn, type: motion, hinge: crank, position: t}\n"
              "  - {name: push, type: motion, hinge: slider, position: 0.5 - 0.05*t}\n"
              "run: {duration: 2, assemble: true}\n");
    expect_failure(&course, LB_E_OPEN, "loop 'pin'", "driven");
}

static void loop_that_follows_a_motion_out_of_reach_ends_the_run(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "ground: {nodes: {foot: {position: [1, 0, 0]}}}\n"
        "bodies:\n"
        "  - {name: ramp, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 3, com: [0.5, 0, 0],\n"
        "     inertia: [0, 0.3, 0.3, 0, 0, 0], nodes: {lug: {position: [1, 0, 0]}}}\n"
        "loops: [{name: jack, a: {body: ground, node: foot}, b: {body: ramp, node: lug}, type: "
        "rod,\n"
        "         length: 1, motion: t^2}]\n" // 2 m at most
        "initial: {ramp: {angle: 1}}\n"
        "run: {duration: 2, assemble: true}\n");
    // the dead point at t = 1: no way on behind it
    expect_failure(&course, LB_E_OPEN, "t = 0.99999", "loop 'jack' cannot be held");
}

static void ends_apart_are_not_closed_by_an_event(void **state)
{
    (void)state;
    lb_course course = begin(0.3, ", active: false",
                             "initial: {slider: {distance: 0.6}}\n"
                             "events: [{name: now, when: t, crosses: 0.5, then: {close: pin}}]\n");
    expect_failure(&course, LB_E_OPEN, "t = 0.5 s: loop 'pin' cannot be closed", "grasp");
}

static void body_without_mass_in_a_loop_is_named_with_its_cure(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(
        "limber: 1\n"
        "bodies:\n"
        "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0],\n"
        "     nodes: {tip: {position: [1, 0, 0]}}}\n"
        "  - {name: link, parent: arm, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: "
        "0,\n"
        "     nodes: {end: {position: [1, 0, 0]}}}\n"
        "loops:\n"
        "  - {name: pin, a: {body: ground}, b: {body: link, node: end}, type: point-line,\n"
        "     axis: [0, 0, 1], as_assembled: true}\n"
        "run: {assemble: true}\n");
    expect_failure(&course, LB_E_SINGULAR, "body 'link'",
                   "a rod without mass is a loop of type rod");
}

static void expect_finding(const char *more, const char *rest, const char *text)
{
    char model[2048];
    snprintf(model, sizeof model, SLIDER_CRANK, 0.3, more, rest);
    lb_heard heard = {0};
    const lb_report report = lb_listen(&heard);
    lb_document *document = NULL;
    lb_model *built = NULL;
    lb_simulation *simulation = NULL;
    lb_status status = lb_load_document_text(model, strlen(model), "x.yaml", LB_FORMAT_YAML, NULL,
                                             &report, &document);
    status = status < 0 ? status : lb_load_document_model(document, &report, &built);
    status = status < 0 ? status : lb_load_simulation(document, built, &report, &simulation);
    bool found = false;
    for (int i = 0; i < heard.count && i < 32; ++i) {
        found = found || strstr(heard.entries[i].message, text);
    }
    if (!found) {
        lb_print_heard(&heard);
        fail_msg("not said: %s", text);
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(built);
    lb_destroy_document(document);
}

static void mistakes_in_the_file_are_reported(void **state)
{
    (void)state;
    expect_finding("", "events: [{name: e, when: t, then: {close: peg}}]\n",
                   "there is no loop 'peg'");
    expect_finding("", "outputs: [loop/peg.force.x]\n", "there is no loop \"peg\"");
    expect_finding("", "outputs: [loop/pin.torque.x]\n", "a loop has no \"torque\"");
    expect_finding("", "run: {assemble: {hold: [crankshaft]}}\n", "there is no signal");
    expect_finding("", "run: {assemble: {hold: [t]}}\n", "cannot be held");
    expect_finding("", "run: {assemble: {holds: [crank]}}\n", "holds");
    expect_finding(", motion: {turn: t}",
                   "forces: [{name: f, type: motor, hinge: crank, value: loop/pin.force.x}]\n",
                   "accelerations");
    expect_finding(", motion: {shift: [t, 0]}", "", "expected a list of 3 functions");
    expect_finding(", motion: crank.angle", "", "motion");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_initial_state_is_refused_with_its_cure),
        cmocka_unit_test(initial_speeds_that_disagree_are_refused_with_their_cure),
        cmocka_unit_test(loop_out_of_reach_is_refused),
        cmocka_unit_test(driven_hinge_that_a_loop_cannot_follow_ends_the_run),
        cmocka_unit_test(motions_that_contradict_each_other_are_named),
        cmocka_unit_test(loop_that_follows_a_motion_out_of_reach_ends_the_run),
        cmocka_unit_test(ends_apart_are_not_closed_by_an_event),
        cmocka_unit_test(body_without_mass_in_a_loop_is_named_with_its_cure),
        cmocka_unit_test(mistakes_in_the_file_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
