// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `limber eval` with requests and models that it must refuse: the exit status, a message that names
// the key, and nothing on standard output.
#include <string.h>

#include "check.h"
#include "run_cli.h"

// seven coordinates, six speeds: a ball with a fixed flag, and a slider
static const char model_text[] = "limber: 1\n"
                                 "gravity: [0, 0, -9.81]\n"
                                 "bodies:\n"
                                 "  - {name: ball, hinge: {type: spherical}, mass: 2,\n"
                                 "     inertia: [1, 1, 1, 0, 0, 0],\n"
                                 "     nodes: {pole: {position: [0, 0, 1]}}}\n"
                                 "  - {name: flag, parent: ball, at: pole, hinge: {type: fixed},\n"
                                 "     mass: 0.1}\n"
                                 "  - {name: cart, hinge: {type: planar}, mass: 1,\n"
                                 "     inertia: [1, 1, 1, 0, 0, 0]}\n";

typedef struct bad {
    const char *request, *path, *text; // expected in the message
} bad;

static void expect_refused(const char *model, const char *request, const char *path,
                           const char *text, int status)
{
    lb_cli_run run = lb_run(request, "eval", model, "-");
    if (run.status != status || !strstr(run.err, path) || !strstr(run.err, text) || run.out[0]) {
        fail_msg("request %.200s\n  gave status %d, expected %d\n  out: %s\n  err: %s\n"
                 "  expected in err: \"%s\" and \"%s\"",
                 request, run.status, status, run.out, run.err, path, text);
    }
    lb_end_run(&run);
}

static void every_bad_request_names_its_key(void **state)
{
    (void)state;
    static const bad cases[] = {
        // shape of the request
        {"{}", "request.compute: ", "missing"},
        {"{\"compute\": []}", "request.compute: ", "an empty list given"},
        {"{\"compute\": \"forward\"}", "request.compute: ", "a string given, expected a list"},
        {"{\"compute\": [1]}", "request.compute[0]: ", "a number given, expected a name"},
        {"{\"compute\": null}", "request.compute: ", "null given"},
        {"{\"compute\": [\"bias\", \"forwards\"]}",
         "request.compute[1]: ", "did you mean 'forward'?"},
        {"{\"compute\": [\"mass_inverse\"]}",
         "request.compute[0]: ", "did you mean 'mass-inverse'?"},
        {"{\"compute\": [\"bias\"], \"qq\": []}", "request.qq: ", "not known"},
        {"{\"compute\": [\"bias\"], \"Tau\": []}", "request.Tau: ", "did you mean 'tau'?"},
        {"[[]]", "request[0]: ", "a list given, expected an object"},
        {"[{\"compute\": [\"bias\"]}, 3]", "request[1]: ", "a number given, expected an object"},
        // numbers
        {"{\"compute\": [\"bias\"], \"q\": [1, 0, 0, 0, 0]}",
         "request.q: ", "5 numbers given, expected 7"},
        {"{\"compute\": [\"bias\"], \"q\": []}", "request.q: ", "0 numbers given, expected 7"},
        {"{\"compute\": [\"bias\"], \"v\": [0, 0, 0, 0, 0, 0, 0]}",
         "request.v: ", "7 numbers given, expected 6"},
        {"{\"compute\": [\"bias\"], \"tau\": [1]}", "request.tau: ", "1 numbers given, expected 6"},
        {"{\"compute\": [\"bias\"], \"a\": [1]}", "request.a: ", "1 numbers given, expected 6"},
        {"{\"compute\": [\"bias\"], \"qdd\": [1]}", "request.qdd: ", "1 numbers given, expected 6"},
        {"{\"compute\": [\"bias\"], \"a\": [0, 0, 0, 0, 0, 0], \"qdd\": [0, 0, 0, 0, 0, 0]}",
         "request.qdd: ", "given beside a, expected one of them"},
        {"{\"compute\": [\"bias\"], \"v\": 3}",
         "request.v: ", "a number given, expected a list of numbers"},
        {"{\"compute\": [\"bias\"], \"v\": [0, 0, \"x\", 0, 0, 0]}",
         "request.v[2]: ", "a string given"},
        {"{\"compute\": [\"bias\"], \"v\": [0, 0, 0, true, 0, 0]}",
         "request.v[3]: ", "a boolean given"},
        {"{\"compute\": [\"bias\"], \"v\": [0, 0, 0, 0, null, 0]}", "request.v[4]: ", "null given"},
        {"[{\"compute\": [\"bias\"]}, {\"compute\": [\"bias\"], \"q\": [1]}]",
         "request[1].q: ", "1 numbers given, expected 7"},
        {"{\"compute\": [\"bias\"], \"q\": [1.00001, 0, 0, 0, 0, 0, 0]}",
         "request.q[0]: ", "'ball' has length 1.00001"},
        {"{\"compute\": [\"bias\"], \"q\": [0, 0, 0, 0, 0, 0, 0]}",
         "request.q[0]: ", "'ball' has length 0"},
        // names
        {"{\"compute\": [\"jacobian\"]}", "request.at: ", "missing"},
        {"{\"compute\": [\"admittance\"]}", "request.at: ", "for admittance"},
        {"{\"compute\": [\"bias\"], \"at\": \"ball\"}", "request.at: ", "a string given"},
        {"{\"compute\": [\"jacobian\"], \"at\": {\"body\": \"ball\"}}",
         "request.at.node: ", "missing"},
        {"{\"compute\": [\"jacobian\"], \"at\": {\"node\": \"pole\"}}",
         "request.at.body: ", "missing"},
        {"{\"compute\": [\"jacobian\"], \"at\": {\"body\": 1, \"node\": \"pole\"}}",
         "request.at.body: ", "a number given"},
        {"{\"compute\": [\"bias\"], \"at\": {\"body\": \"ball\", \"node\": \"pole\", \"x\": 1}}",
         "request.at.x: ", "not known"},
        {"{\"compute\": [\"jacobian\"], \"at\": {\"body\": \"bal\", \"node\": \"pole\"}}",
         "request.at.body: ", "no body 'bal'; did you mean 'ball'?"},
        {"{\"compute\": [\"jacobian\"], \"at\": {\"body\": \"cart\", \"node\": \"pole\"}}",
         "request.at.node: ", "body 'cart' has no node 'pole'"},
        // driven hinges
        {"{\"compute\": [\"forward\"], \"prescribed\": [1]}",
         "request.prescribed: ", "a list given"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"ball\": [1, 2]}}",
         "request.prescribed.ball: ", "2 numbers given, expected 3"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"ball\": 1}}",
         "request.prescribed.ball: ", "a number given"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"flag\": []}}",
         "request.prescribed.flag: ", "no motion to drive"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"flag\": [1]}}",
         "request.prescribed.flag: ", "no motion to drive"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"carts\": [1, 2, 3]}}",
         "request.prescribed.carts: ", "did you mean 'cart'?"},
        {"{\"compute\": [\"forward\"], \"prescribed\": {\"ground\": []}}",
         "request.prescribed.ground: ", "no hinge"},
        // the rest
        {"{\"compute\": [\"forward\"], \"algorithm\": \"articulate\"}",
         "request.algorithm: ", "did you mean 'articulated'?"},
        {"{\"compute\": [\"forward\"], \"algorithm\": 1}", "request.algorithm: ", "a number given"},
        {"{\"compute\": [\"forward\"], \"forces\": 1}",
         "request.forces: ", "a number given, expected true or false"},
        // not JSON, or not to be trusted
        {"", "<stdin>:1", "not valid JSON"},
        {"{\"compute\": [\"bias\"]", "<stdin>:1:", "not valid JSON"},
        {"{\n\"compute\": [\"bias\"],\n\"q\": [NaN]}", "<stdin>:3:", "not valid JSON"},
        {"{\"compute\": [\"bias\"], \"v\": [1e999, 0, 0, 0, 0, 0]}", "<stdin>:1:", "overflow"},
        {"{\"q\": [], \"q\": []}", "<stdin>:1:", "duplicate object key"},
        {"{\"compute\": [\"bias\"]} x", "<stdin>:1:", "not valid JSON"},
        {"\"forward\"", "<stdin>:1:", "not valid JSON"},
        {"{\"compute\": [\"bias\xff\"]}", "<stdin>:1:", "not valid JSON"},
    };
    const char *model = lb_write_file("model.yaml", model_text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_refused(model, cases[i].request, cases[i].path, cases[i].text, 2);
    }
}

static void all_mistakes_of_a_request_are_reported_at_once(void **state)
{
    (void)state;
    lb_cli_run run = lb_run("[{\"compute\": [\"x\"], \"v\": 1}, {\"qq\": 1}]", "eval",
                            lb_write_file("model.yaml", model_text), "-");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "request[0].compute[0]: "));
    assert_non_null(strstr(run.err, "request[0].v: "));
    assert_non_null(strstr(run.err, "request[1].qq: "));
    assert_non_null(strstr(run.err, "request[1].compute: "));
    lb_end_run(&run);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    static char request[20001];
    memset(request, '[', sizeof request - 1);
    expect_refused(lb_write_file("model.yaml", model_text), request, "<stdin>:1:", "not valid JSON",
                   2);
}

static void a_request_file_that_cannot_be_read_is_a_usage_error(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", model_text);
    lb_cli_run run = lb_run(NULL, "eval", model, "/nonexistent/request.json");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "/nonexistent/request.json"));
    lb_end_run(&run);
    run = lb_run(NULL, "eval", model, "/");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
}

static void a_bad_model_is_a_failure(void **state)
{
    (void)state;
    static const char request[] = "{\"compute\": [\"bias\"]}";
    expect_refused("/nonexistent/model.yaml", request, "/nonexistent/model.yaml", "", 1);
    expect_refused(lb_write_file("bad.yaml", "limber: 1\nbodies:\n  - {name: a, mass: -1}\n"),
                   request, "bad.yaml:3:", "bodies[0]", 1);
}

static void a_singular_model_names_body_and_coordinate(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("singular.yaml", "limber: 1\nbodies:\n"
                                       "  - {name: a, hinge: {type: prismatic, axis: [1, 0, 0]},"
                                       " mass: 1}\n"
                                       "  - {name: ghost, parent: a, hinge: {type: planar},"
                                       " mass: 1}\n");
    // a point mass does not resist turning about itself
    static const char *const requests[] = {
        "{\"compute\": [\"forward\"]}",
        "{\"compute\": [\"forward\"], \"algorithm\": \"composite\"}",
        "{\"compute\": [\"mass-inverse\"]}",
        "{\"compute\": [\"forward\"], \"prescribed\": {\"a\": [1]}}",
        "{\"compute\": [\"forward\"], \"prescribed\": {\"a\": [1]},"
        " \"algorithm\": \"composite\"}",
        "{\"compute\": [\"admittance\"], \"at\": {\"body\": \"ghost\", \"node\": \"origin\"}}",
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i) {
        expect_refused(model, requests[i], "bodies[1].hinge: ",
                       "body 'ghost' at coordinate 2 of its planar hinge is singular", 1);
    }
}

static void an_answer_beyond_double_precision_is_a_failure(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", model_text);
    expect_refused(model, "{\"compute\": [\"energy\"], \"v\": [0, 0, 0, 1e200, 0, 0]}",
                   "kinetic is not finite", "request: ", 1);
    expect_refused(model, "[{\"compute\": [\"bias\"], \"v\": [1e200, 1e200, 0, 0, 0, 0]}]",
                   "bias is not finite", "request[0]: ", 1);
}

static void an_answer_that_cannot_be_written_is_a_failure(void **state)
{
    (void)state;
    const char *const words[] = {"eval", lb_write_file("model.yaml", model_text), "-", NULL};
    lb_cli_run run = lb_run_cli_into("/dev/full", "{\"compute\": [\"bias\"]}", words);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "cannot write standard output"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_request_names_its_key),
        cmocka_unit_test(all_mistakes_of_a_request_are_reported_at_once),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(a_request_file_that_cannot_be_read_is_a_usage_error),
        cmocka_unit_test(a_bad_model_is_a_failure),
        cmocka_unit_test(a_singular_model_names_body_and_coordinate),
        cmocka_unit_test(an_answer_beyond_double_precision_is_a_failure),
        cmocka_unit_test(an_answer_that_cannot_be_written_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
