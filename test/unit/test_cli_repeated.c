// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that name things may be repeated, and add up; what `results` prints and `trim` says.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "limber/simulate.h"
#include "run_cli.h"

static const char three_arms[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -1],\n"
    "     nodes: {tip: {position: [0, 0, -1]}}}\n"
    "  - {name: b, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -2]}\n"
    "  - {name: c, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -3]}\n"
    "initial: {a: {angle: 0.1}, b: {angle: 0.2}, c: {angle: 0.3}}\n"
    "run: {duration: 0.02, interval: 0.01}\n";

static lb_cli_run run_well(const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    if (run.status != 0) {
        fail_msg("limber %s: status %d\n%s%s", words[0], run.status, run.out, run.err);
    }
    return run;
}

#define run_words(...) run_well((const char *const[]){__VA_ARGS__, NULL})

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; ++text) {
        count += *text == '\n';
    }
    return count;
}

static void locks_add_up(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    lb_cli_run cut = run_words("modes", path, "--trim", "--lock", "a,b");
    lb_cli_run both = run_words("modes", "--lock", "a", "--trim", path, "--lock=b");
    lb_cli_run one = run_words("modes", path, "--trim", "--lock", "b");
    assert_string_equal(both.out, cut.out);
    assert_int_equal(count_lines(both.out), 2); // a line above, and the mode of c
    assert_int_equal(count_lines(one.out), 3);
    lb_end_run(&cut);
    lb_end_run(&both);
    lb_end_run(&one);
}

static void inputs_and_signals_add_up(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    lb_cli_run cut = run_words("linearize", path, "--trim", "--input", "a.motor,c.motor",
                               "--signal", "b.angle,a.rate,c.angle", "--format", "json");
    lb_cli_run each =
        run_words("linearize", "--trim", "--input=a.motor", "--signal", "b.angle, a.rate", path,
                  "-i", "c.motor", "--signal", "c.angle", "--format", "json");
    assert_non_null(strstr(each.out, "\"c.motor\""));
    assert_non_null(strstr(each.out, "\"a.motor\""));
    assert_string_equal(each.out, cut.out);
    lb_end_run(&cut);
    lb_end_run(&each);
}

static void holds_add_up(void **state)
{
    (void)state;
    static const char four_bar[] =
        "limber: 1\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0],\n"
        "     nodes: {tip: {position: [1, 0, 0]}}}\n"
        "  - {name: b, parent: a, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     com: [0.5, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
        "  - {name: c, parent: b, at: tip, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
        "     com: [0.5, 0, 0], nodes: {tip: {position: [1, 0, 0]}}}\n"
        "  - {name: d, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0.5, 0, 0],\n"
        "     nodes: {tip: {position: [1, 0, 0]}}}\n"
        "ground: {nodes: {pin: {position: [1.5, 0, 0]}}}\n"
        "loops: [{name: pin, type: revolute, axis: [0, 0, 1], a: {body: ground, node: pin},\n"
        "         b: {body: c, node: tip}}]\n"
        "initial: {a: {angle: 1.3}, b: {angle: -1.4}, c: {angle: -1.5}}\n";
    const char *path = lb_write_file("five_bar.yaml", four_bar);
    lb_cli_run runs[] = {
        run_words("assemble", path, "--hold", "a", "--hold", "d"),
        run_words("assemble", path, "--hold", "a,d"),
        run_words("assemble", path, "--hold", "a", "d"),
        run_words("assemble", "--hold", "a", path, "--hold", "d.angle"),
    };
    assert_non_null(strstr(runs[0].out, "\"a\": {q: [1.3"));
    for (size_t i = 1; i < sizeof runs / sizeof *runs; ++i) {
        assert_string_equal(runs[i].out, runs[0].out);
    }
    // each of them is looked at
    lb_cli_run wrong = lb_run(NULL, "assemble", path, "--hold", "nobody", "--hold", "a");
    assert_int_equal(wrong.status, 2);
    assert_non_null(strstr(wrong.err, "nobody"));
    lb_end_run(&wrong);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        lb_end_run(&runs[i]);
    }
}

static void bodies_of_info_add_up(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    lb_cli_run run = run_words("info", path, "--body", "a", "--body", "c");
    assert_int_equal(count_lines(run.out), 8);
    assert_non_null(strstr(run.out, "centre   0 0 -1 m"));
    assert_non_null(strstr(run.out, "centre   0 0 -3 m"));
    lb_end_run(&run);
}

static void an_option_with_one_value_takes_the_last(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    lb_cli_run last = run_words("modes", path, "--trim", "--count", "1", "--count", "2");
    assert_int_equal(count_lines(last.out), 3);
    lb_end_run(&last);
}

static void results_print_what_plot_draws(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    const char *file = lb_write_file("arms.h5", "");
    lb_cli_run done = run_words("run", path, "-o", file, "--quiet");
    lb_end_run(&done);
    // the last is not recorded: it is computed from the recorded states
    lb_cli_run run =
        run_words("results", file, "--print", "b.angle", "--print", "c.rate", "a/tip.position.x");
    double t, b, c, x;
    const char *first = strchr(run.out, '\n');
    assert_true(strncmp(run.out, "t,b.angle,c.rate,a/tip.position.x\n", 34) == 0);
    assert_int_equal(count_lines(run.out), 4);
    assert_int_equal(sscanf(first + 1, "%lf,%lf,%lf,%lf", &t, &b, &c, &x), 4);
    lb_expect_near("value", t, 0.0, 0.0);
    lb_expect_near("value", b, 0.2, 1e-15);
    lb_expect_near("value", c, 0.0, 1e-15);
    lb_expect_near("value", x, -0.09983341664682815, 1e-15); // -sin(0.1)
    lb_end_run(&run);
    lb_cli_run wrong = lb_run(NULL, "results", file, "--print", "a.angel");
    assert_int_equal(wrong.status, 2);
    assert_non_null(strstr(wrong.err, "did you mean 'a.angle'?"));
    lb_end_run(&wrong);
}

static void trim_answers_in_json(void **state)
{
    (void)state;
    const char *path = lb_write_file("arms.yaml", three_arms);
    lb_cli_run run = run_words("trim", path, "--json");
    json_t *answer = json_loads(run.out, 0, NULL);
    assert_non_null(answer);
    for (size_t i = 0; i < 3; ++i) {
        const json_t *q = json_array_get(json_object_get(answer, "q"), i);
        const json_t *v = json_array_get(json_object_get(answer, "v"), i);
        lb_expect_near("value", json_number_value(q), 0.0, 1e-9);
        lb_expect_near("value", json_number_value(v), 0.0, 0.0);
    }
    json_decref(answer);
    // other commands take it
    const char *at = lb_write_file("trimmed.json", run.out);
    lb_cli_run modes = run_words("modes", path, "--at", at);
    assert_null(strstr(modes.err, "no equilibrium"));
    lb_end_run(&modes);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_add_up),
        cmocka_unit_test(inputs_and_signals_add_up),
        cmocka_unit_test(holds_add_up),
        cmocka_unit_test(bodies_of_info_add_up),
        cmocka_unit_test(an_option_with_one_value_takes_the_last),
        cmocka_unit_test(results_print_what_plot_draws),
        cmocka_unit_test(trim_answers_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
