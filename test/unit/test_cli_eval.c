// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What `limber eval` answers: the shape of it, and numbers that can be told by hand.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

// A point of 2 kg that slides along x under a gravity of (3, 0, -10), and a wheel on it with 0.5 kg
// m^2 about z; the ground has a node of its own.
static const char model_text[] =
    "limber: 1\n"
    "gravity: [3, 0, -10]\n"
    "ground: {nodes: {mark: {position: [1, 2, 3]}}}\n"
    "bodies:\n"
    "  - {name: wheel, parent: slider, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 0,\n"
    "     inertia: [0.5, 0.5, 0.5, 0, 0, 0], nodes: {rim: {position: [0, 2, 0]}}}\n"
    "  - {name: slider, hinge: {type: prismatic, axis: [2, 0, 0]}, mass: 2}\n";

static const char ball_text[] = "{\"limber\": 1, \"bodies\": [{\"name\": \"ball\", \"mass\": 3,"
                                " \"hinge\": {\"type\": \"free\"},"
                                " \"inertia\": [0.1, 0.2, 0.25, 0, 0, 0]}]}";

// Runs a request from standard input and parses the answer.
static json_t *ask(const char *model, const char *request)
{
    lb_cli_run run = lb_run(request, "eval", model, "-");
    if (run.status != 0 || run.err[0]) {
        fail_msg("%s\n  gave status %d: %s", request, run.status, run.err);
    }
    json_error_t error;
    json_t *answer = json_loads(run.out, 0, &error);
    if (!answer) {
        fail_msg("%s\n  gave no JSON: %s\n%s", request, error.text, run.out);
    }
    lb_end_run(&run);
    return answer;
}

// Compares a list of numbers, nested or not, with those expected.
static size_t expect_numbers_from(const json_t *value, const double *expected, size_t count)
{
    if (json_is_number(value)) {
        assert_true(count > 0);
        lb_expect_near("number", json_number_value(value), *expected, 1e-14);
        return 1;
    }
    assert_true(json_is_array(value));
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(value); ++i) {
        used += expect_numbers_from(json_array_get(value, i), expected + used, count - used);
    }
    return used;
}

#define expect_numbers(value, ...)                                                                 \
    do {                                                                                           \
        const double expected_[] = {__VA_ARGS__};                                                  \
        const size_t count_ = sizeof expected_ / sizeof expected_[0];                              \
        assert_int_equal(expect_numbers_from(value, expected_, count_), count_);                   \
    } while (0)

static const json_t *get_node(const json_t *answer, const char *body, const char *node)
{
    const json_t *nodes = json_object_get(answer, "nodes");
    return json_object_get(json_object_get(nodes, body), node);
}

static void everything_is_answered_under_its_own_key(void **state)
{
    (void)state;
    json_t *answer =
        ask(lb_write_file("model.yaml", model_text),
            "{\"q\": [0, 0.5], \"v\": [2, 1], \"tau\": [1, 4], \"a\": [6, 7], \"forces\": false,"
            " \"at\": {\"body\": \"wheel\", \"node\": \"rim\"},"
            " \"compute\": [\"forward\", \"inverse\", \"mass\", \"mass-inverse\", \"bias\","
            " \"energy\", \"nodes\", \"jacobian\", \"admittance\", \"loops\"]}");
    expect_numbers(json_object_get(answer, "qdd"), 2, 5);
    expect_numbers(json_object_get(answer, "a"), 2, 5);
    expect_numbers(json_object_get(answer, "tau"), 3, 8);
    expect_numbers(json_object_get(answer, "mass"), 0.5, 0, 0, 2);
    expect_numbers(json_object_get(answer, "mass_inverse"), 2, 0, 0, 0.5);
    expect_numbers(json_object_get(answer, "bias"), 0, -6);
    expect_numbers(json_object_get(answer, "kinetic"), 2);
    expect_numbers(json_object_get(answer, "potential"), -3);
    // rim at (0.5, 2, 0): turning moves it by -2 along x
    // clang-format off
    expect_numbers(json_object_get(answer, "jacobian"), 0, 0,  0, 0,  1, 0,  -2, 1,  0, 0,  0, 0);
    // clang-format on
    assert_int_equal(json_array_size(json_object_get(answer, "jacobian")), 6);
    assert_int_equal(json_array_size(json_object_get(answer, "admittance")), 6);
    const json_t *row = json_array_get(json_object_get(answer, "admittance"), 3);
    expect_numbers(row, 0, 0, -4, 8.5, 0, 0);
    assert_int_equal(json_object_size(json_object_get(answer, "loops")), 0);
    assert_true(json_is_object(json_object_get(answer, "loops")));
    assert_int_equal(json_object_size(answer), 12);

    // every node of every body, the ground's too
    const json_t *nodes = json_object_get(answer, "nodes");
    assert_int_equal(json_object_size(nodes), 3);
    assert_int_equal(json_object_size(json_object_get(nodes, "wheel")), 2);
    assert_int_equal(json_object_size(json_object_get(nodes, "slider")), 1);
    expect_numbers(json_object_get(get_node(answer, "ground", "mark"), "position"), 1, 2, 3);
    expect_numbers(json_object_get(get_node(answer, "ground", "origin"), "acceleration"), 0, 0, 0,
                   0, 0, 0);
    const json_t *rim = get_node(answer, "wheel", "rim");
    expect_numbers(json_object_get(rim, "position"), 0.5, 2, 0);
    expect_numbers(json_object_get(rim, "rotation"), 1, 0, 0, 0);
    expect_numbers(json_object_get(rim, "velocity"), 0, 0, 2, -3, 0, 0);
    // of `forward`: 5 - 2 x 2 along x, and the centripetal 2 x 2^2 along -y
    expect_numbers(json_object_get(rim, "acceleration"), 0, 0, 2, 1, -8, 0);
    json_decref(answer);
}

static void node_accelerations_follow_a_where_forward_is_not_computed(void **state)
{
    (void)state;
    json_t *answer = ask(lb_write_file("model.yaml", model_text),
                         "{\"compute\": [\"nodes\"], \"a\": [1, 7], \"tau\": [9, 9]}");
    expect_numbers(json_object_get(get_node(answer, "wheel", "rim"), "acceleration"), 0, 0, 1, 5, 0,
                   0);
    assert_int_equal(json_object_size(answer), 1);
    json_decref(answer);
}

// A ball joint has four coordinates and three speeds: accelerations are as many as speeds, under either
// name, and what forward dynamics finds takes inverse dynamics back to tau.
static void accelerations_have_one_meaning_under_two_names(void **state)
{
    (void)state;
    const char *file = lb_write_file("ball.yaml", "limber: 1\n"
                                                  "bodies:\n"
                                                  "  - {name: ball, hinge: {type: spherical},"
                                                  " mass: 1, inertia: [1, 2, 3, 0, 0, 0]}\n");
    json_t *forward = ask(file, "{\"q\": [0.6, 0.8, 0, 0], \"v\": [1, 2, 3],"
                                " \"tau\": [0.5, 0.25, 2], \"compute\": [\"forward\"]}");
    json_t *a = json_object_get(forward, "a");
    assert_int_equal(json_array_size(a), 3);
    assert_true(json_equal(a, json_object_get(forward, "qdd")));
    static const char *const names[] = {"a", "qdd"};
    for (int i = 0; i < 2; ++i) {
        json_t *request =
            json_pack("{s: [f, f, f, f], s: [f, f, f], s: O, s: [s]}", "q", 0.6, 0.8, 0.0, 0.0, "v",
                      1.0, 2.0, 3.0, names[i], a, "compute", "inverse");
        char *text = json_dumps(request, JSON_REAL_PRECISION(17));
        json_t *inverse = ask(file, text);
        const json_t *tau = json_object_get(inverse, "tau");
        const double expected[] = {0.5, 0.25, 2};
        assert_int_equal(json_array_size(tau), 3);
        for (size_t k = 0; k < 3; ++k) {
            lb_expect_near("tau", json_number_value(json_array_get(tau, k)), expected[k], 1e-13);
        }
        json_decref(inverse);
        json_decref(request);
        free(text);
    }
    json_decref(forward);
}

static void driven_hinges_answer_with_their_drive_by_either_algorithm(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "{\"compute\": [\"forward\"], \"tau\": [1, 99], \"prescribed\": {\"slider\": [4]}}",
        "{\"compute\": [\"forward\"], \"tau\": [1, 99], \"prescribed\": {\"slider\": [4]},"
        " \"algorithm\": \"composite\"}",
    };
    for (int i = 0; i < 2; ++i) {
        json_t *answer = ask(lb_write_file("model.yaml", model_text), requests[i]);
        expect_numbers(json_object_get(answer, "qdd"), 2, 4);
        const json_t *drive = json_object_get(answer, "drive");
        assert_int_equal(json_object_size(drive), 1);
        expect_numbers(json_object_get(drive, "slider"), 2);
        json_decref(answer);
    }
}

static void the_unsplit_recursion_answers_as_the_others(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", model_text);
    json_t *answer =
        ask(model, "{\"compute\": [\"forward\", \"energy\"], \"algorithm\": \"unsplit\","
                   " \"tau\": [1, 4], \"v\": [1, 2]}");
    // the wheel turns about its own centre; the slider has 2 kg in a field of 3 m/s^2
    expect_numbers(json_object_get(answer, "qdd"), 2.0, 5.0);
    expect_numbers(json_object_get(answer, "kinetic"), 0.25 + 4.0);
    json_decref(answer);
    lb_cli_run run = lb_run("{\"compute\": [\"forward\"], \"algorithm\": \"unsplit\","
                            " \"prescribed\": {\"slider\": [1]}}",
                            "eval", model, "-");
    assert_int_not_equal(run.status, 0);
    assert_non_null(strstr(run.err, "algorithm 'unsplit' supports neither loops nor hinges"));
    lb_end_run(&run);
}

static void a_list_of_requests_gives_a_list_of_answers(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", model_text);
    json_t *answer = ask(model, "[{\"compute\": [\"bias\"]}, {\"compute\": [\"energy\"]}]");
    assert_int_equal(json_array_size(answer), 2);
    assert_non_null(json_object_get(json_array_get(answer, 0), "bias"));
    assert_non_null(json_object_get(json_array_get(answer, 1), "kinetic"));
    json_decref(answer);
    answer = ask(model, "[{\"compute\": [\"bias\"]}]");
    assert_int_equal(json_array_size(answer), 1);
    json_decref(answer);
    answer = ask(model, "[]");
    assert_true(json_is_array(answer) && json_array_size(answer) == 0);
    json_decref(answer);
}

static void one_degree_of_freedom_still_gives_a_matrix(void **state)
{
    (void)state;
    json_t *answer = ask(lb_write_file("one.yaml", "limber: 1\nbodies:\n  - {name: a, mass: 2,"
                                                   " hinge: {type: prismatic, axis: [1, 0, 0]}}\n"),
                         "{\"compute\": [\"mass\", \"bias\"]}");
    const json_t *mass = json_object_get(answer, "mass");
    assert_true(json_is_array(json_array_get(mass, 0)));
    expect_numbers(mass, 2);
    assert_true(json_is_number(json_array_get(json_object_get(answer, "bias"), 0)));
    json_decref(answer);
}

static void numbers_read_back_exactly(void **state)
{
    (void)state;
    // a free body reports its own position: what goes in must come out, bit for bit
    static const double values[3] = {0.1, 1.0 / 3.0, 6.02214076e23 / 7.0};
    char request[256];
    snprintf(request, sizeof request,
             "{\"compute\": [\"nodes\"], \"q\": [1, 0, 0, 0, %.17g, %.17g, %.17g]}", values[0],
             values[1], values[2]);
    json_t *answer = ask(lb_write_file("ball.json", ball_text), request);
    const json_t *position = json_object_get(get_node(answer, "ball", "origin"), "position");
    for (size_t i = 0; i < 3; ++i) {
        assert_true(json_number_value(json_array_get(position, i)) == values[i]);
    }
    json_decref(answer);
}

static void quaternions_almost_unit_are_normalised(void **state)
{
    (void)state;
    json_t *answer =
        ask(lb_write_file("ball.json", ball_text),
            "{\"compute\": [\"nodes\"], \"q\": [0, 0.6000003, 0, -0.8000004, 0, 0, 0]}");
    const json_t *rotation = json_object_get(get_node(answer, "ball", "origin"), "rotation");
    double p[4];
    for (size_t i = 0; i < 4; ++i) {
        p[i] = json_number_value(json_array_get(rotation, i));
    }
    lb_expect_near("length", p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1.0, 1e-15);
    assert_true(p[0] >= 0.0);
    json_decref(answer);
}

static void an_absent_state_is_the_neutral_one(void **state)
{
    (void)state;
    json_t *answer = ask(lb_write_file("ball.json", ball_text),
                         "{\"compute\": [\"nodes\", \"mass\", \"forward\"]}");
    expect_numbers(json_object_get(get_node(answer, "ball", "origin"), "rotation"), 1, 0, 0, 0);
    expect_numbers(json_object_get(answer, "qdd"), 0, 0, 0, 0, 0, 0);
    json_decref(answer);
}

static void the_request_may_be_a_file(void **state)
{
    (void)state;
    const char *model = lb_write_file("model.yaml", model_text);
    lb_cli_run run =
        lb_run(NULL, "eval", model, lb_write_file("request.json", "{\"compute\": [\"bias\"]}"));
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    assert_non_null(strstr(run.out, "\"bias\": ["));
    lb_end_run(&run);
}

// A tree with a body that bends, alone, with a hinge that is driven, and closed to a loop: each algorithm that can
// answer gives the same accelerations, drives and forces.
static void algorithms_agree(void **state)
{
    (void)state;
    static const char loop[] = "loops: [{name: tie, type: rod, length: 3, a: {body: ground}, "
                               "b: {body: bob, node: end}}]\n";
    static const char *const tails[] = {"", ", \"prescribed\": {\"arm\": [2]}", loop};
    static const char *const names[] = {"articulated", "composite", "divide-and-conquer",
                                        "unsplit"};
    for (int i = 0; i < 3; ++i) {
        char model[2000];
        snprintf(
            model, sizeof model,
            "limber: 1\n"
            "gravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 2, com: [0.5, 0, 0],\n"
            "     inertia: [0.1, 0.3, 0.3, 0, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
            "  - name: boom\n"
            "    parent: arm\n"
            "    at: tip\n"
            "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
            "    beam: {length: 1, section: {type: rectangle, width: 0.02, height: 0.02},\n"
            "           material: aluminium, modes: 2}\n"
            "  - {name: bob, parent: boom, at: tip, hinge: {type: spherical}, mass: 1, com: [1, 0, "
            "0],\n"
            "     inertia: [0.1, 0.2, 0.2, 0, 0, 0], nodes: {end: {position: [0.3, 0.4, "
            "0.5]}}}\n%s",
            i == 2 ? tails[2] : "");
        const char *path = lb_write_file("tree.yaml", model);
        double first[8] = {0};
        for (int k = 0; k < 4; ++k) {
            // loops have two, drives three
            if ((i == 2 && k % 2) || (i == 1 && k == 3)) {
                continue;
            }
            char request[400];
            snprintf(request, sizeof request,
                     "{\"q\": [0.3, 0, 0, 0.5, 1, 0, 0, 0], \"v\": [0.5, 0.1, 0.1, 0.2, 0.3, 0.4, "
                     "0.5], \"tau\": [1, 0, 0, 2, 0, 0, 1], "
                     "\"algorithm\": "
                     "\"%s\", \"compute\": [\"forward\"%s]%s}",
                     names[k], i == 2 ? ", \"loops\"" : "", i == 1 ? tails[1] : "");
            json_t *answer = ask(path, request);
            const json_t *qdd = json_object_get(answer, "qdd");
            assert_int_equal(json_array_size(qdd), 7);
            for (size_t n = 0; n < 8; ++n) {
                const double value = json_number_value(
                    n < 7    ? json_array_get(qdd, n)
                    : i == 1 ? json_array_get(
                                   json_object_get(json_object_get(answer, "drive"), "arm"), 0)
                    : i == 2 ? json_array_get(
                                   json_object_get(
                                       json_object_get(json_object_get(answer, "loops"), "tie"),
                                       "force"),
                                   3)
                             : NULL);
                first[n] = k == 0 ? value : first[n];
                // 1e-9: the inertias at modes and hinges are up to 1e4 apart
                lb_expect_near(names[k], value, first[n], 1e-9 * (1 + fabs(first[n])));
            }
            json_decref(answer);
        }
    }
}

// What no mass resists, and numbers that no double holds, are told in words.
static void what_has_no_answer_is_explained(void **state)
{
    (void)state;
    const char *massless = lb_write_file(
        "massless.yaml",
        "limber: 1\n"
        "bodies:\n"
        "  - name: boom\n"
        "    hinge: {type: revolute, axis: [0, 1, 0]}\n"
        "    flex:\n"
        "      nodes:\n"
        "        - {name: root, mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
        "        - {name: middle, position: [1, 0, 0], mass: 1, shape: [[0, 0, 0, 0, 0, 0]]}\n"
        "        - {name: tip, position: [2, 0, 0], shape: [[0, 0, 0, 0, 0, 1]],\n"
        "           second_order: [[0, 0, [0, 0, 0]]]}\n"
        "      stiffness: [90]\n");
    const char *far = lb_write_file(
        "far.yaml",
        "limber: 1\n"
        "bodies: [{name: turn, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
        "1, 0, 0, 0]},\n"
        "  {name: slide, parent: turn, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}]\n");
    const char *plain = lb_write_file("plain.json", "{\"compute\": [\"forward\"]}");
    const char *composite =
        lb_write_file("composite.json", "{\"compute\": [\"forward\"], \"algorithm\": \"composite\","
                                        " \"prescribed\": {\"boom\": [1]}}");
    const char *mass = lb_write_file("mass.json", "{\"compute\": [\"mass\"], \"q\": [0, 1e200]}");
    const char *at = lb_write_file("at.json", "{\"q\": [0, 1e200]}");
    const char *two = lb_write_file("two.json", "[1, 2]");
    const char *strange = lb_write_file(
        "strange.json", "{\"compute\": [\"forward\"], \"prescribed\": {\"xyz\": [1]}}");
    const char *nowhere = lb_write_file(
        "nowhere.json",
        "{\"compute\": [\"jacobian\"], \"at\": {\"body\": \"turn\", \"node\": \"xyz\"}}");
    static const char singular[] =
        "the inertia of body 'boom' at mode 0 is singular: no mass resists this motion";
    const lb_cli_case cases[] = {
        {{"eval", "MASSLESS", "PLAIN"}, 1, "", singular},
        {{"eval", "MASSLESS", "COMPOSITE"}, 1, "", singular},
        {{"bench", "MASSLESS", "--rounds=1", "--seconds=0.001"}, 1, NULL, singular},
        {{"operator", "MASSLESS", "D^-1"}, 1, "", singular},
        {{"info", "MASSLESS"}, 0, "1 mode, a combination of them massless", ""},
        {{"info", "MASSLESS", "--body=boom"}, 0, "a combination of which has no mass", ""},
        {{"info", "MASSLESS", "--json"}, 0, "\"modes\": 1", ""},
        {{"eval", "FAR", "MASS"}, 1, "", "mass is not finite (entry 0 is inf)"},
        {{"operator", "FAR", "H Phi M Phi* H*", "--state", "AT"}, 1, "", "is not finite"},
        {{"operator", "FAR", "H", "--vector=/nowhere.json"}, 2, "", "cannot read /nowhere.json"},
        {{"operator", "FAR", "H", "--vector", "AT"},
         2,
         "",
         "an object given, expected a list of numbers"},
        {{"operator", "FAR", "H", "--vector", "TWO"},
         2,
         "",
         "2 numbers given, expected 12: the expression takes a vector of the body space"},
        {{"operator", "FAR", "H*", "--vector", "TWO", "--json"}, 0, "\"body\"", ""},
        {{"operator", "FAR", "H*", "--vector", "MASS"}, 2, "", "expected a list of numbers"},
        {{"operator", "FAR", "H", "--state=-", "--vector=-"},
         2,
         "",
         "standard input cannot be both the state and the vector"},
        {{"operator", "FAR", "H", "--form", "--vector=-"},
         2,
         "",
         "--form and --vector given, expected one of them"},
        {{"operator", "/nowhere.yaml", "H"}, 1, "", "/nowhere.yaml"},
        {{"bench", "/nowhere.yaml"}, 1, "", "/nowhere.yaml"},
        {{"eval", "/nowhere.yaml", "PLAIN"}, 1, "", "/nowhere.yaml"},
        {{"eval", "FAR", "STRANGE"}, 2, "", "the model has no body 'xyz'"},
        {{"eval", "FAR", "NOWHERE"}, 2, "", "has no node"},
    };
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"MASSLESS", massless, "FAR", far, "PLAIN", plain,
                                          "COMPOSITE", composite, "MASS", mass, "AT", at, "TWO",
                                          two, "STRANGE", strange, "NOWHERE", nowhere, NULL});
}

// Whatever is asked for, a number beyond all doubles is an error with its name, never a word in the answer.
static void answers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "far.yaml",
        "limber: 1\ngravity: [0, 0, -10]\n"
        "bodies: [{name: turn, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
        "1, 0, 0, 0]},\n"
        "  {name: slide, parent: turn, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1,\n"
        "   nodes: {tip: {position: [1.0e+308, 0, 0]}}}]\n");
    static const struct {
        const char *request, *says;
    } cases[] = {
        {"{\"compute\": [\"bias\"], \"v\": [1e300, 1e300]}", "bias is not finite"},
        {"{\"compute\": [\"inverse\"], \"v\": [1e300, 1e300]}", "tau is not finite"},
        {"{\"compute\": [\"energy\"], \"v\": [1e300, 1e300]}", "kinetic is not finite"},
        {"{\"compute\": [\"energy\"], \"q\": [0, 1e308], \"v\": [0, 1e200]}",
         "kinetic is not finite"},
        {"{\"compute\": [\"forward\"], \"v\": [1e300, 1e300]}", "qdd is not finite"},
        {"{\"compute\": [\"forward\"], \"v\": [1e300, 1e300], \"prescribed\": {\"turn\": [1]}}",
         "is not finite"},
        {"{\"compute\": [\"forward\"], \"q\": [0, 1e200], \"prescribed\": {\"turn\": [1e200]}}",
         "is not finite"},
        {"{\"compute\": [\"mass\"], \"q\": [0, 1e200]}", "mass is not finite"},
        {"{\"compute\": [\"nodes\"], \"v\": [1e100, 0]}", "velocity is not finite"},
        {"{\"compute\": [\"nodes\"], \"v\": [1.5, 0]}", "acceleration is not finite"},
        {"{\"compute\": [\"nodes\"], \"q\": [0, 1.7e308]}", "is not finite"},
        {"{\"compute\": [\"jacobian\"], \"q\": [0, 1.7e308], \"at\": {\"body\": \"slide\", "
         "\"node\": \"tip\"}}",
         "is not finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_cli_run run = lb_run(cases[i].request, "eval", model, "-");
        if (run.status != 1 || !strstr(run.err, cases[i].says) || strstr(run.out, "inf") ||
            strstr(run.out, "nan")) {
            fail_msg("%s: %d %s%s", cases[i].request, run.status, run.out, run.err);
        }
        lb_end_run(&run);
    }
}

// A cart of 2 kg on a spring, one of 3 kg on it that is driven and damped.
static void force_elements_act_on_request(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("forces.yaml",
                      "limber: 1\n"
                      "bodies:\n"
                      "- {name: a, mass: 2, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
                      "- {name: b, mass: 3, parent: a, hinge: {type: prismatic, axis: [1, 0, 0]}}\n"
                      "forces:\n"
                      "- {name: s, type: spring, hinge: a, stiffness: 10}\n"
                      "- {name: m, type: motion, hinge: b, acceleration: 2}\n"
                      "- {name: z, type: damper, hinge: b, damping: 4}\n");
    json_t *answer =
        ask(model, "[{\"q\": [0.5, 0], \"v\": [0, 1], \"forces\": true,"
                   " \"compute\": [\"forward\", \"inverse\", \"bias\", \"energy\"]},"
                   " {\"q\": [0.5, 0], \"v\": [0, 1], \"compute\": [\"forward\", \"energy\"]},"
                   " {\"q\": [0.5, 0], \"v\": [0, 1], \"forces\": true,"
                   " \"compute\": [\"forward\"], \"prescribed\": {\"b\": [1]}}]");
    // 5 a + 3 2 = -10 0.5
    const json_t *with = json_array_get(answer, 0), *without = json_array_get(answer, 1);
    expect_numbers(json_object_get(with, "qdd"), -2.2, 2.0);
    expect_numbers(json_object_get(with, "tau"), 5.0, 4.0);
    expect_numbers(json_object_get(with, "bias"), 5.0, 4.0);
    expect_numbers(json_object_get(with, "potential"), 1.25);
    expect_numbers(json_object_get(without, "qdd"), 0.0, 0.0);
    expect_numbers(json_object_get(without, "potential"), 0.0);
    // the request goes before the file; the damper's 4 N are not the drive's
    const json_t *driven = json_array_get(answer, 2);
    expect_numbers(json_object_get(driven, "qdd"), -1.6, 1.0);
    expect_numbers(json_object_get(json_object_get(driven, "drive"), "b"),
                   3.0 * (-1.6 + 1.0) + 4.0);
    json_decref(answer);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_elements_act_on_request),
        cmocka_unit_test(everything_is_answered_under_its_own_key),
        cmocka_unit_test(node_accelerations_follow_a_where_forward_is_not_computed),
        cmocka_unit_test(accelerations_have_one_meaning_under_two_names),
        cmocka_unit_test(driven_hinges_answer_with_their_drive_by_either_algorithm),
        cmocka_unit_test(the_unsplit_recursion_answers_as_the_others),
        cmocka_unit_test(a_list_of_requests_gives_a_list_of_answers),
        cmocka_unit_test(one_degree_of_freedom_still_gives_a_matrix),
        cmocka_unit_test(numbers_read_back_exactly),
        cmocka_unit_test(quaternions_almost_unit_are_normalised),
        cmocka_unit_test(an_absent_state_is_the_neutral_one),
        cmocka_unit_test(the_request_may_be_a_file),
        cmocka_unit_test(algorithms_agree),
        cmocka_unit_test(what_has_no_answer_is_explained),
        cmocka_unit_test(answers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
