// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests of `limber eval` that set parameters: each has the answer of the same request with --set.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

// A flexible arm of length L, n links at its tip, and a rod from the last point of the arm to the ground
// that closes where it is. The wheel has moments that no body has: each model that is built warns of it.
static const char model_text[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters:\n"
    "  L: {value: 1, range: [0.5, 3], unit: m}\n"
    "  n: 1\n"
    "  k: 40\n"
    "  twice: {value: 2*L, range: [1, 5]}\n"
    "ground: {nodes: {post: {position: [twice, 0, 0.25]}}}\n"
    "bodies:\n"
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, beam: {length: L, section: {type: "
    "tube,\n"
    "     diameter: 0.04, wall: 0.002}, material: aluminium, elements: 4, modes: 2}}\n"
    "  - {name: wheel, parent: arm, at: tip, hinge: {type: revolute, axis: [1, 0, 0]}, mass: 1,\n"
    "     inertia: [0.03, 0.01, 0.01, 0, 0, 0]}\n"
    "  - repeat: {count: n, items: [{name: 'link{i}', parent: arm, at: tip, hinge: {type: "
    "revolute,\n"
    "     axis: [0, 1, 0]}, mass: 1 + i, com: [L/4, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]}\n"
    "loops:\n"
    "  - {name: rod, a: {body: ground, node: post}, b: {body: arm, node: tip}, type: rod,\n"
    "     as_assembled: true}\n"
    "forces:\n"
    "  - {name: spring, type: spring, hinge: link0, stiffness: k, rest: 10*L*deg}\n";

#define COMPUTE                                                                                    \
    "\"compute\": [\"forward\", \"mass\", \"bias\", \"energy\", \"nodes\", \"loops\"], "           \
    "\"forces\": true"

static int count_warnings(const char *text)
{
    int count = 0;
    for (; (text = strstr(text, "triangle inequality")) != NULL; ++text) {
        ++count;
    }
    return count;
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *answer = json_loads(text, 0, &error);
    if (!answer) {
        fail_msg("no JSON: %s\n%s", error.text, text);
    }
    return answer;
}

// Each answer of a list against that of a run of its own, with --set in place of the parameters. Other
// values come in between, and no value stays for the next.
static void answers_are_those_of_the_command_line(void **state)
{
    (void)state;
    static const struct {
        const char *parameters, *setting, *rest;
    } cases[] = {
        {"", "k=50", "\"v\": [0.1, 0, 2, 0, -1], "},
        {"\"parameters\": {\"L\": 1.5}, ", "k=50,L=1.5", "\"v\": [0.1, 0, 2, 0, -1], "},
        {"\"parameters\": {\"L\": 1.5}, ", "k=50,L=1.5", "\"q\": [0.01, 0, 0.2, 0, 0.3], "},
        {"\"parameters\": {}, ", "k=50", ""},
        {"\"parameters\": {\"n\": 3, \"k\": 70}, ", "k=70,n=3",
         "\"q\": [0.01, 0, 0.2, 0, 0.3, 0.1, 0.2], "},
        {"\"parameters\": {\"k\": 70, \"n\": 3}, ", "k=70,n=3", "\"tau\": [0, 0, 1, 2, 3, 4, 5], "},
        {"\"parameters\": {\"twice\": 3}, ", "k=50,twice=3", ""},
        {"\"parameters\": {\"L\": 0.75}, ", "k=50,L=0.75", ""},
        {"", "k=50", ""},
    };
    enum {
        COUNT = sizeof cases / sizeof *cases,
        MODELS = 7
    }; // and one by which others are checked
    const char *path = lb_write_file("model.yaml", model_text);
    char list[4096] = "[";
    for (int i = 0; i < COUNT; ++i) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s{%s%s" COMPUTE "}", i ? ", " : "",
                 cases[i].parameters, cases[i].rest);
    }
    strcat(list, "]");
    lb_cli_run run = lb_run(list, "eval", path, "-", "--set", "k=50");
    if (run.status != 0) {
        fail_msg("status %d: %s", run.status, run.err);
    }
    // the first model is that of the first request
    assert_int_equal(count_warnings(run.err), MODELS);
    json_t *answers = parse(run.out), *base = NULL;
    assert_int_equal(json_array_size(answers), COUNT);
    for (int i = 0; i < COUNT; ++i) {
        char request[512];
        snprintf(request, sizeof request, "{%s" COMPUTE "}", cases[i].rest);
        lb_cli_run alone = lb_run(request, "eval", path, "-", "--set", cases[i].setting);
        assert_int_equal(alone.status, 0);
        json_t *answer = parse(alone.out);
        if (!json_equal(answer, json_array_get(answers, (size_t)i))) {
            fail_msg("request %d, %s: another answer\n%s", i, cases[i].setting, alone.out);
        }
        // and the values matter
        if (i == COUNT - 1) {
            assert_true(json_equal(answer, base));
        } else if (i == 3) {
            base = json_incref(answer);
        } else {
            assert_false(base && json_equal(answer, base));
        }
        json_decref(answer);
        lb_end_run(&alone);
    }
    json_decref(base);
    json_decref(answers);
    lb_end_run(&run);
}

// The period of a spring is what its stiffness makes it: q'' = -k q / I, and gravity does not act.
static void forces_have_the_values_of_the_request(void **state)
{
    (void)state;
    const char *path = lb_write_file(
        "spring.yaml", "limber: 1\nparameters: {k: 10, I: 2}\n"
                       "bodies: [{name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, "
                       "inertia: [I, I, I, 0, "
                       "0, 0]}]\nforces: [{name: s, type: spring, hinge: a, stiffness: k}]\n");
    static const double k[] = {10, 30, 10, 8}, I[] = {2, 2, 4, 2};
    lb_cli_run run = lb_run("[{\"q\": [0.5], \"forces\": true, \"compute\": [\"forward\"]},"
                            " {\"q\": [0.5], \"forces\": true, \"compute\": [\"forward\"],"
                            " \"parameters\": {\"k\": 30}},"
                            " {\"q\": [0.5], \"forces\": true, \"compute\": [\"forward\"],"
                            " \"parameters\": {\"I\": 4}},"
                            " {\"q\": [0.5], \"forces\": true, \"compute\": [\"forward\"],"
                            " \"parameters\": {\"k\": 8}}]",
                            "eval", path, "-");
    assert_string_equal(run.err, "");
    json_t *answers = parse(run.out);
    for (size_t i = 0; i < 4; ++i) {
        const json_t *a = json_object_get(json_array_get(answers, i), "a");
        const double value = json_number_value(json_array_get(a, 0));
        lb_expect_below("acceleration", value / (-0.5 * k[i] / I[i]) - 1.0, 1e-15);
    }
    json_decref(answers);
    lb_end_run(&run);
}

static void wrong_parameters_are_errors_of_the_request(void **state)
{
    (void)state;
    const char *path = lb_write_file("model.yaml", model_text);
    static const struct {
        const char *request, *message;
    } cases[] = {
        {"{\"parameters\": {\"twcie\": 1}, " COMPUTE "}",
         "request.parameters.twcie: the model has no parameter 'twcie'; did you mean 'twice'?"},
        {"{\"parameters\": {\"stiffness\": 1}, " COMPUTE "}",
         "request.parameters.stiffness: the model has no parameter 'stiffness'\n"},
        {"[{" COMPUTE "}, {\"parameters\": {\"L\": 4}, " COMPUTE "}]",
         "request[1].parameters.L: 4 was set, expected a value of its range, 0.5 to 3"},
        // one that follows from it
        {"[{" COMPUTE "}, {\"parameters\": {\"L\": 2.75}, " COMPUTE "}]",
         "parameters.twice: with the parameters of request[1]: 5.5 found, expected a value of its "
         "range, 1 to 5"},
        {"{\"parameters\": {\"n\": 1.5}, " COMPUTE "}",
         "repeat.count: with the parameters of request: 1.5 found, expected a whole number"},
        {"{\"parameters\": {\"n\": 0}, " COMPUTE "}", "\"link0\""},
        {"{\"parameters\": {\"k\": \"120\"}, " COMPUTE "}",
         "request.parameters.k: a string given, expected a finite number"},
        {"{\"parameters\": {\"k\": null}, " COMPUTE "}",
         "request.parameters.k: null given, expected a finite number"},
        {"{\"parameters\": [1], " COMPUTE "}",
         "request.parameters: a list given, expected {name: number}"},
        // lengths are those of its own model
        {"[{\"q\": [0, 0, 0, 0, 0], " COMPUTE "}, {\"parameters\": {\"n\": 2}, "
         "\"q\": [0, 0, 0, 0, 0], " COMPUTE "}]",
         "request[1].q: 5 numbers given, expected 6"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_cli_run run = lb_run(cases[i].request, "eval", path, "-");
        const int expected = strstr(cases[i].message, "link0") ? 1 : 2; // the forces are wrong
        if (run.status != expected || !strstr(run.err, cases[i].message) || run.out[0]) {
            fail_msg("%s\nexpected: %s\nstatus %d: %s%s", cases[i].request, cases[i].message,
                     run.status, run.err, run.out);
        }
        lb_end_run(&run);
    }
    // a state is one of the model as it is
    const char *given =
        lb_write_file("state.json", "{\"q\": [0, 0, 0, 0, 0], \"parameters\": {\"L\": 2}}");
    lb_cli_run run = lb_run(NULL, "operator", path, "M", "--state", given);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "state.parameters: given in a state"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_command_line),
        cmocka_unit_test(forces_have_the_values_of_the_request),
        cmocka_unit_test(wrong_parameters_are_errors_of_the_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
