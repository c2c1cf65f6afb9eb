// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that are taken up behind a grasp, bit by bit against runs in one piece; and parameters that stay open unless
// what is asked for depends on where they move a node.
#define _POSIX_C_SOURCE 200809L // strdup
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "program.h"
#include "run_cli.h"

#define CASES(name) lb_find_source("test/cases/" name)

#define BODIES                                                                                     \
    "limber: 1\nbodies:\n"                                                                         \
    "  - {name: a, hinge: {type: free}, mass: 4, inertia: [1, 1.2, 1.1, 0, 0, 0], nodes: {n: "     \
    "{position: [0.9, 0, 0]}}}\n"                                                                  \
    "  - {name: b, hinge: {type: free}, mass: 2, inertia: [0.3, 0.4, 0.5, 0, 0, 0], nodes: {n: "   \
    "{position: [-0.5, 0.1, 0]}}}\n"
#define MOTION                                                                                     \
    "initial: {a: {velocity: [0.3, 0, 0], angular_velocity: [0.1, 0.05, 0.2]}, b: {position: [2, " \
    "0.05, 0.03], angular_velocity: [0, 0.1, -0.3]}}\n"                                            \
    "run: {duration: 4, interval: 0.01, integrator: {type: rk4, step: 0.001}}\n"
#define ENDS "a: {body: a, node: n}, b: {body: b, node: n}"

static char *print_run(const char *model, const char *const *stops)
{
    const char *file = lb_write_file("run.h5", "");
    unlink(file);
    for (int i = 0; stops[i]; ++i) {
        lb_cli_run run = i == 0
                             ? lb_run(NULL, "run", model, "-t", stops[i], "-o", file)
                             : lb_run(NULL, "run", model, "-t", stops[i], "--resume", "-o", file);
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
    }
    lb_cli_run run = lb_run(NULL, "results", file, "--csv");
    assert_int_equal(run.status, 0);
    char *text = strdup(run.out);
    lb_end_run(&run);
    return text;
}

// All digits of all columns are the same.
static void a_run_resumed_after_a_grasp_has_the_same_bits(void **state)
{
    (void)state;
    const char *const models[] = {
        CASES("resume_grasp.yaml"),
        lb_write_file("spherical.yaml",
                      BODIES "loops:\n  - {name: grip, " ENDS ", type: spherical, active: false}\n"
                             "events:\n  - {name: caught, when: t, crosses: 1, once: true, then: "
                             "{grasp: grip}}\n" MOTION),
        lb_write_file("make.yaml", BODIES
                      "spare_loops: 1\nevents:\n  - {name: caught, when: t, crosses: 1, once: "
                      "true, then: {make: {name: grip, " ENDS
                      ", type: weld, grasp: true}}}\n" MOTION),
        lb_write_file(
            "alter.yaml",
            BODIES "loops:\n  - {name: grip, " ENDS ", type: weld, active: false}\n"
                   "events:\n  - {name: caught, when: t, crosses: 1, once: true, then: "
                   "{grasp: grip}}\n  - {name: turned, when: t, crosses: 1.5, once: true, "
                   "then: {alter: grip, type: revolute, axis: [0, 1, 0], grasp: true}}\n" MOTION)};
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i) {
        const char *const whole[] = {"4", NULL}, *const parts[] = {"2", "2.7", "4", NULL};
        char *one = print_run(models[i], whole), *other = print_run(models[i], parts);
        if (strcmp(one, other) != 0) {
            fail_msg("%s: a run in parts has other digits", models[i]);
        }
        free(one);
        free(other);
    }
}

static void a_parameter_stays_open_unless_what_is_asked_for_needs_it(void **state)
{
    (void)state;
    char text[4096] = "", changed[4096 + 128];
    FILE *file = fopen(CASES("open_length.yaml"), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    snprintf(changed, sizeof changed, "%s", text);
    char *outputs = strstr(changed, "outputs:");
    assert_non_null(outputs);
    strcpy(outputs, "outputs: [A/end.position.z]\n");
    const char *moved = lb_write_file("moved.yaml", changed);
    strcpy(outputs, "outputs: [B/end.position.z]\n");
    const char *other = lb_write_file("other.yaml", changed);
    strcpy(outputs, "signals: {s: A/end.position.z}\noutputs: [A.angle]\n");
    const char *named = lb_write_file("named.yaml", changed);
    const char *out = lb_write_file("out.c", "");
#define FREEZE(model, functions)                                                                   \
    "freeze", model, "--simulation", "--functions", functions, "--parameters", "len", "-o", out
    const lb_cli_case cases[] = {
        {{FREEZE(CASES("open_length.yaml"), "rates")}, 0, NULL, ""},
        {{FREEZE(CASES("open_length.yaml"), "rates,outputs")}, 0, NULL, ""},
        {{FREEZE(moved, "rates")}, 0, NULL, ""},
        {{FREEZE(moved, "rates,outputs")}, 1, NULL, "it moves nodes"},
        {{FREEZE(other, "rates,outputs")}, 0, NULL, ""},
        {{FREEZE(named, "rates")}, 1, NULL, "it moves nodes"}};
    lb_expect_cases(cases, 6, NULL);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_resumed_after_a_grasp_has_the_same_bits),
        cmocka_unit_test(a_parameter_stays_open_unless_what_is_asked_for_needs_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
