// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that events make or alter in ways that cannot be, and loops that are turned over: each with a
// message that says where, and what would cure it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "course.h"
#include "heard.h"

#define BODIES                                                                                     \
    "limber: 1\n"                                                                                  \
    "ground: {nodes: {peg: {position: [1, 0, 0]}}}\n"                                              \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0],\n"       \
    "     inertia: [0, 0.1, 0.1, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"                 \
    "  - {name: ball, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0], nodes: {pole: "   \
    "{position: [0, 0, 1]}}}\n"                                                                    \
    "loops:\n"                                                                                     \
    "  - {name: grip, a: {body: arm, node: tip}, b: {body: ball}, type: weld, active: false}\n"    \
    "  - {name: gear, type: coupler, terms: [{body: arm}], active: false}\n"                       \
    "  - {name: lift, a: {body: ground}, b: {body: ball}, type: prismatic, axis: [0, 0, 1],\n"     \
    "     motion: t, active: false}\n"                                                             \
    "  - {name: rope, a: {body: ground}, b: {body: ball}, type: rod, length: 2, active: false}\n"  \
    "events:\n"

// What loading says of the actions of one event, and on which line: the file is that of BODIES and one
// line more.
static void expect_finding(const char *actions, const char *path, const char *text)
{
    char model[4096];
    snprintf(model, sizeof model, BODIES "  - {name: now, when: t, then: %s}\n", actions);
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
        found = found || (strstr(heard.entries[i].message, text) &&
                          strcmp(heard.entries[i].path, path) == 0 && heard.entries[i].line == 14);
    }
    if (!found) {
        lb_print_heard(&heard);
        fail_msg("not said: %s: %s", path, text);
    }
    assert_true(status < 0);
    lb_destroy_simulation(simulation);
    lb_destroy_model(built);
    lb_destroy_document(document);
}

static void mistakes_in_actions_are_reported_where_they_stand(void **state)
{
    (void)state;
    expect_finding("{alter: peg, length: 1}", "events[0].then.alter", "there is no loop 'peg'");
    expect_finding("{alter: grip}", "events[0].then", "nothing is altered");
    expect_finding("{alter: grip, b: {body: bal}}", "events[0].then.b.body",
                   "there is no body 'bal'");
    expect_finding("[stop, {alter: grip, b: {body: ball, node: top}}]", "events[0].then[1].b.node",
                   "'ball' has no node 'top'");
    expect_finding("{alter: grip, b: {body: arm, node: tip}}", "events[0].then.b",
                   "a node cannot close on itself");
    expect_finding("{alter: grip, b: {body: arm}}", "events[0].then.b",
                   "both ends are on 'arm', expected two different bodies");
    expect_finding("{alter: grip, axis: [0, 0, 1]}", "events[0].then.axis",
                   "a weld loop has no axis");
    expect_finding("{alter: grip, type: revolute}", "events[0].then.axis", "missing");
    expect_finding("{alter: grip, type: rod}", "events[0].then.length", "missing");
    expect_finding("{alter: grip, type: coupler}", "events[0].then.type",
                   "a weld cannot become a coupler");
    expect_finding("{alter: grip, type: revolute, axis: [0, 0, 0]}", "events[0].then.axis",
                   "a zero vector");
    expect_finding("{alter: gear, a: {body: ball}}", "events[0].then.a", "a coupler loop has no a");
    expect_finding("{alter: gear, terms: []}", "events[0].then.terms", "at least one term");
    expect_finding("{alter: gear, terms: [{body: arm, factor: 0}]}", "events[0].then.terms[0]",
                   "relates nothing");
    expect_finding("{alter: gear, terms: [{body: ball}]}", "events[0].then.terms[0]",
                   "the free hinge of 'ball' has no coordinate 0 to relate");
    expect_finding("{alter: gear, terms: [{body: arm}, {body: arm}]}", "events[0].then.terms[1]",
                   "the same coordinate as terms[0]");
    expect_finding("{alter: lift, axis: [1, 0, 0]}", "events[0].then", "follows a motion");
    expect_finding("{alter: rope, length: 0}", "events[0].then.length", "greater than zero");
    expect_finding("{alter: rope, length: 1, grasp: true}", "events[0].then.grasp",
                   "leave one out");
    expect_finding("{alter: rope, release: grip}", "events[0].then.release", "release");
    expect_finding("{make: hook}", "events[0].then.make", "mapping");
    expect_finding("{make: {name: grip, type: weld, a: {body: arm}, b: {body: ball}}}",
                   "events[0].then.make.name", "'grip' is the name of loops[0]");
    expect_finding("{make: {name: hook, type: weld, a: {body: arm}}}", "events[0].then.make.b",
                   "missing");
    expect_finding("[{make: {name: hook, type: weld, a: {body: arm}, b: {body: bal}}}]",
                   "events[0].then[0].make.b", "no body is named \"bal\"");
    expect_finding("{make: {name: hook, type: weld, a: {body: arm, node: tip}, b: {body: arm, "
                   "node: tip}}}",
                   "events[0].then.make.b", "a node cannot close on itself");
    expect_finding("{make: {name: hook, type: weld, a: {body: arm}, b: {body: ball}, motion: t}}",
                   "events[0].then.make.motion", "motion");
    expect_finding("{make: {name: hook, type: planar, a: {body: arm}, b: {body: ball}}}",
                   "events[0].then.make.axis", "missing");
    // the second of one name alters it, and is read as well
    expect_finding(
        "[{make: {name: hook, type: weld, a: {body: arm}, b: {body: ball}}}, {make: {name: "
        "hook, type: weld, a: {body: arm}, b: {body: ground, node: pin}}}]",
        "events[0].then[1].make.b.node", "'ground' has no node 'pin'");
}

static void expect_failure(const char *rest, lb_status status, const char *first,
                           const char *second)
{
    char text[4096];
    snprintf(text, sizeof text, BODIES "%s", rest);
    lb_course course = lb_begin_course(text);
    lb_status found = lb_start_simulation(course.simulation);
    for (int i = 1; found >= 0 && i <= 20; ++i) {
        found = lb_advance_simulation(course.simulation, 0.1 * i);
    }
    const char *message = lb_get_simulation_message(course.simulation);
    print_message("%s\n", message);
    assert_int_equal(found, status);
    assert_non_null(strstr(message, first));
    assert_non_null(strstr(message, second));
    lb_end_course(&course);
}

static void actions_that_cannot_be_end_the_run_with_a_message(void **state)
{
    (void)state;
    expect_failure("  - {name: one, when: t, crosses: 1, then: {grasp: rope}}\n"
                   "  - {name: two, when: t, crosses: 1.5, then: {alter: rope, length: 1.5}}\n"
                   "initial: {ball: {position: [1, 0, 0]}}\n",
                   LB_E_OPEN, "t = 1.5 s: loop 'rope' cannot be closed: its ends are 0.5", "grasp");
    expect_failure("  - {name: one, when: t, crosses: 1, then: {make: {name: hook, type: weld,\n"
                   "     a: {body: arm, node: tip}, b: {body: ball}}}}\n",
                   LB_E_OPEN, "t = 1 s: loop 'hook' cannot be closed: its ends are 1", "grasp");
    expect_failure("  - {name: one, when: t, crosses: 1, then: {alter: grip, a: {body: ball}}}\n"
                   "  - {name: two, when: t, crosses: 1.5, then: {alter: grip, b: {body: arm}}}\n",
                   LB_E_ARGUMENT, "t = 1 s: loop 'grip' cannot be altered so",
                   "both ends are on 'ball'");
    expect_failure(
        "  - {name: one, when: t, crosses: 1, then: {make: {name: tie, type: rod, grasp: "
        "true,\n"
        "     a: {body: arm}, b: {body: ground}}}}\n",
        LB_E_ARGUMENT, "t = 1 s: the ends of rod 'tie' coincide", "");
}

// ---- turned over -------------------------------------------------------------------------------

// A ball on a planar hinge that can lie on its back or not, by a turn about x.
#define FLIPPED(rest)                                                                              \
    "limber: 1\n"                                                                                  \
    "bodies: [{name: ball, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"          \
    "initial: {ball: {rotation: [0, 1, 0, 0]}}\n" rest

static void expect_flipped(const char *text, const char *where)
{
    lb_course course = lb_begin_course(text);
    lb_status found = lb_start_simulation(course.simulation);
    found = found < 0 ? found : lb_advance_simulation(course.simulation, 1.0);
    const char *message = lb_get_simulation_message(course.simulation);
    print_message("%s\n", message);
    assert_int_equal(found, LB_E_OPEN);
    assert_non_null(strstr(message, where));
    assert_non_null(strstr(message, "turned over"));
    lb_end_course(&course);
}

static void loop_that_is_turned_over_is_not_closed(void **state)
{
    (void)state;
    static const char *const types[] = {"revolute", "cylindrical", "planar"};
    for (int i = 0; i < 3; ++i) {
        char text[1024];
        snprintf(
            text, sizeof text,
            FLIPPED("loops: [{name: pin, a: {body: ground}, b: {body: ball}, type: %s, axis: [0, "
                    "0, 1]}]\n"),
            types[i]);
        expect_flipped(text, "loop 'pin' is open in the initial state");
        snprintf(
            text, sizeof text,
            FLIPPED("loops: [{name: pin, a: {body: ground}, b: {body: ball}, type: %s, axis: [0, "
                    "0, 1], active: false}]\n"
                    "events: [{name: now, when: t, crosses: 0.5, then: {close: pin}}]\n"),
            types[i]);
        expect_flipped(text, "t = 0.5 s: loop 'pin' cannot be closed");
    }
}

static void turned_over_loop_is_assembled_the_right_way_round(void **state)
{
    (void)state;
    lb_course course = lb_begin_course(FLIPPED(
        "loops: [{name: pin, a: {body: ground}, b: {body: ball}, type: revolute, axis: [0, 0, "
        "1]}]\n"
        "run: {assemble: true}\n"));
    lb_start_course(&course);
    lb_go_to(&course, 0.1);
    // the z axis of the ball: 1 - 2 (x^2 + y^2)
    const double *u = course.q;
    lb_expect_near("upright", 1.0 - 2.0 * (u[1] * u[1] + u[2] * u[2]), 1.0, 1e-12);
    lb_end_course(&course);
    // by a hinge about z alone it cannot be turned back
    expect_flipped("limber: 1\n"
                   "bodies: [{name: wheel, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
                   "  inertia: [1, 1, 1, 0, 0, 0], nodes: {back: {rotation: [0, 1, 0, 0]}}}]\n"
                   "loops: [{name: pin, a: {body: ground}, b: {body: wheel, node: back}, type: "
                   "revolute, axis: [0, 0, 1]}]\n"
                   "run: {assemble: true}\n",
                   "assemble: loop 'pin' cannot be closed from here");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_in_actions_are_reported_where_they_stand),
        cmocka_unit_test(actions_that_cannot_be_end_the_run_with_a_message),
        cmocka_unit_test(loop_that_is_turned_over_is_not_closed),
        cmocka_unit_test(turned_over_loop_is_assembled_the_right_way_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
