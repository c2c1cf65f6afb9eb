// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of `limber` and its subcommands other than eval.
#define _POSIX_C_SOURCE 200809L // setenv
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "run_cli.h"

static const char model_text[] =
    "limber: 1\n"
    "name: two arms\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: base, hinge: {type: free}, mass: 3, inertia: [1, 1, 1, 0, 0, 0],\n"
    "     nodes: {left: {position: [0, 1, 0]}, right: {position: [0, -1, 0]}}}\n"
    "  - {name: left arm, parent: base, at: left, mass: 1, com: [0, 4, 0],\n"
    "     hinge: {type: revolute, axis: [1, 0, 0]}}\n"
    "  - {name: right arm, parent: base, at: right, mass: 1, com: [0, -4, 0],\n"
    "     hinge: {type: revolute, axis: [1, 0, 0]}}\n";

// Runs, and expects a status and a text on either stream; NULL for a stream that must stay empty.
static void expect_run(int status, const char *out, const char *err, const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    const bool out_good = out ? strstr(run.out, out) != NULL : run.out[0] == '\0';
    const bool err_good = err ? strstr(run.err, err) != NULL : run.err[0] == '\0';
    if (run.status != status || !out_good || !err_good) {
        fail_msg("limber %s %s gave status %d, expected %d\n  out: %s\n  err: %s", words[0],
                 words[0] && words[1] ? words[1] : "", run.status, status, run.out, run.err);
    }
    lb_end_run(&run);
}

#define expect(status, out, err, ...)                                                              \
    expect_run(status, out, err, (const char *const[]){__VA_ARGS__, NULL})

static json_t *ask_json(const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    json_error_t error;
    json_t *answer = json_loads(run.out, 0, &error);
    if (!answer) {
        fail_msg("limber %s: no JSON: %s\n%s%s", words[0], error.text, run.out, run.err);
    }
    lb_end_run(&run);
    return answer;
}

static void help_is_given_when_asked_for(void **state)
{
    (void)state;
    static const char *const commands[] = {"eval",       "check", "info",   "bench",
                                           "completion", "help",  "version"};
    expect(0, "Usage: limber COMMAND", NULL, "--help");
    expect(0, "Usage: limber COMMAND", NULL, "help");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        char usage[64];
        snprintf(usage, sizeof usage, "Usage: limber %s", commands[i]);
        expect(0, commands[i], NULL, "--help");
        expect(0, usage, NULL, commands[i], "--help");
        expect(0, "Example", NULL, commands[i], "-h");
        expect(0, usage, NULL, "help", commands[i]);
    }
    expect(0, "limber " LB_VERSION, NULL, "version");
    expect(0, "limber " LB_VERSION, NULL, "--version");
}

static void wrong_command_lines_are_refused_with_advice(void **state)
{
    (void)state;
    const char *const nothing[] = {NULL};
    expect_run(2, NULL, "Usage: limber COMMAND", nothing);
    expect(2, NULL, "unknown command 'chek'; did you mean 'check'?", "chek");
    expect(2, NULL, "unknown command 'frobnicate'; see 'limber --help'", "frobnicate");
    expect(2, NULL, "unknown option '--frob'", "--frob");
    expect(2, NULL, "unknown command 'evla'; did you mean 'eval'?", "help", "evla");
    expect(2, NULL, "unknown option '--jsn'; did you mean '--json'?", "info", "--jsn", "x");
    expect(2, NULL, "unknown option '-j'", "info", "-j", "x");
    expect(2, NULL, "--json takes no value", "info", "--json=1", "x");
    expect(2, NULL, "expected MODEL REQUEST", "eval", "x");
    expect(2, NULL, "unexpected 'z'", "eval", "x", "y", "z");
    expect(2, NULL, "expected MODEL...", "check");
    expect(2, NULL, "unexpected 'x'", "version", "x");
    expect(2, NULL, "--rounds needs a value", "bench", "x", "--rounds");
    expect(2, NULL, "--rounds: '0' given, expected a number", "bench", "--rounds", "0", "x");
    expect(2, NULL, "--instructions: 'sse' given, expected portable", "bench", "--instructions",
           "sse", "x");
    expect(2, NULL, "--seconds: 'nan' given", "bench", "--seconds=nan", "x");
    expect(2, NULL, "--seed: '1x' given", "bench", "--seed", "1x", "x");
    expect(2, NULL, "cannot be both the state and the vector", "operator", "x", "M", "--state=-",
           "--vector=-");
    expect(2, NULL, "did you mean 'fish'?", "completion", "fishy");
    expect(2, NULL, "unknown shell 'powershell'; there are bash, zsh and fish", "completion",
           "powershell");
    expect(
        2, NULL, "see 'limber --help'",
        "a-word-that-is-far-too-long-to-be-anything-that-a-slip-of-the-fingers-makes-of-a-command");
    // two options of bench begin with s
    expect(2, NULL, "unknown option '-s'", "bench", "-s", "1", "x");
    expect(0, "Usage: limber COMMAND", NULL, "-h");
}

static void check_tells_good_models_from_bad_ones(void **state)
{
    (void)state;
    const char *good = lb_write_file("good.yaml", model_text);
    const char *bad = lb_write_file("bad.yaml", "limber: 1\nbodies:\n"
                                                "  - {name: a, mass: 1, hinge: {type: revolte}}\n"
                                                "  - {name: b, mass: 1, hinge: {type: fixed},"
                                                " colour: red}\n");
    expect(0, "good.yaml: OK, 3 bodies, 8 dofs", NULL, "check", good);
    expect(1, "bad.yaml: 2 errors", "bad.yaml:3:", "check", bad);
    expect(1, "bad.yaml: 2 errors", "bodies[1].colour: ", "check", bad);
    expect(1, "good.yaml: OK", "bodies[0].hinge.type: ", "check", bad, good);
    expect(1, "/nonexistent.yaml: 1 error", "/nonexistent.yaml", "check", "/nonexistent.yaml");

    json_t *answer = ask_json((const char *const[]){"check", "--json", good, bad, NULL});
    assert_int_equal(json_array_size(answer), 2);
    assert_true(json_is_true(json_object_get(json_array_get(answer, 0), "ok")));
    assert_true(json_is_false(json_object_get(json_array_get(answer, 1), "ok")));
    const json_t *findings = json_object_get(json_array_get(answer, 1), "findings");
    assert_int_equal(json_array_size(findings), 2);
    const json_t *first = json_array_get(findings, 0);
    assert_string_equal(json_string_value(json_object_get(first, "severity")), "error");
    assert_int_equal(json_integer_value(json_object_get(first, "line")), 3);
    json_decref(answer);
}

static void info_tells_all_of_one_body(void **state)
{
    (void)state;
    const char *model = lb_find_source("examples/cantilever.yaml");
    expect(0, "mass     78.5 kg", NULL, "info", "--body", "beam", model);
    expect(0, "left out, %", NULL, "info", "--body", "beam", model);
    expect(0, "fit for spin up to", NULL, "info", "--body", "beam", model);
    expect(0, "\"effective_sums\"", NULL, "info", "--json", model);
    expect(2, NULL, "there is no body \"boom\"", "info", "--body", "boom", model);
}

static void info_draws_the_tree(void **state)
{
    (void)state;
    const char *model = lb_write_file("good.yaml", model_text);
    setenv("LC_ALL", "C", 1);
    expect(0, "two arms\n", NULL, "info", model);
    expect(0, "dofs     8 (9 coordinates)", NULL, "info", model);
    expect(0, "mass     5 kg", NULL, "info", model);
    expect(0, "\n`- base ", NULL, "info", model);
    expect(0, "\n   |- left arm ", NULL, "info", model);
    expect(0, "\n   `- right arm ", NULL, "info", model);
    setenv("LC_ALL", "C.UTF-8", 1);
    expect(0, "\n   ├─ left arm ", NULL, "info", model);
    unsetenv("LC_ALL");
    expect(1, NULL, "/nonexistent.yaml", "info", "/nonexistent.yaml");

    json_t *answer = ask_json((const char *const[]){"info", "--json", model, NULL});
    const json_t *arm = json_array_get(json_object_get(answer, "bodies"), 2);
    assert_string_equal(json_string_value(json_object_get(arm, "parent")), "base");
    assert_string_equal(json_string_value(json_object_get(arm, "at")), "right");
    assert_int_equal(json_integer_value(json_object_get(arm, "q_offset")), 8);
    assert_int_equal(json_integer_value(json_object_get(arm, "v_offset")), 7);
    assert_true(json_number_value(json_object_get(answer, "mass")) == 5.0);
    json_decref(answer);
}

// A chain far deeper than any recursion or indentation would bear.
static void info_stays_readable_for_a_deep_chain(void **state)
{
    (void)state;
    enum { BODIES = 10000, LINE_MAX_LENGTH = 120 };
    char *text = malloc((BODIES + 1) * LINE_MAX_LENGTH);
    assert_non_null(text);
    char *end = text + sprintf(text, "limber: 1\nbodies:\n");
    char parent[16] = "ground";
    for (int i = 0; i < BODIES; ++i) {
        end += sprintf(end,
                       "- {name: b%d, parent: %s, mass: 1, hinge: {type: prismatic, axis: [1, 0, "
                       "0]}}\n",
                       i, parent);
        snprintf(parent, sizeof parent, "b%d", i);
    }
    const char *model = lb_write_file("chain.yaml", text);
    free(text);
    expect(0, "... 9800 more bodies", NULL, "info", model);
    lb_cli_run run = lb_run(NULL, "info", "--all", model);
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "[10000] b9999 "));
    int line_count = 0;
    for (char *line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n"), ++line_count) {
        assert_true(strlen(line) < 120);
    }
    assert_true(line_count > BODIES);
    lb_end_run(&run);
}

static void bench_times_every_algorithm(void **state)
{
    (void)state;
    const char *model = lb_write_file("good.yaml", model_text);
    expect(0, "seed 7", NULL, "bench", "--rounds", "2", "--seconds", "0.001", "--seed", "7", model);
    expect(0, "instructions portable", NULL, "bench", "--rounds", "2", "--seconds", "0.001",
           "--instructions", "portable", model);
    setenv("LIMBER_CLOCK", "0.001", 1); // every round takes a millisecond, whatever it does
    json_t *answer = ask_json((const char *const[]){"bench", "--json", "--rounds=3",
                                                    "--seconds=0.001", "--threads=2", model, NULL});
    unsetenv("LIMBER_CLOCK");
    const json_t *algorithms = json_object_get(answer, "algorithms");
    assert_int_equal(json_object_size(algorithms), 11);
    const json_t *threads = json_object_get(answer, "threads");
    assert_int_equal(json_integer_value(json_object_get(threads, "count")), 2);
    const json_t *divided = json_object_get(threads, "forward (divided)");
    const json_t *forward = json_object_get(algorithms, "forward (articulated)");
    lb_expect_near("divided", json_number_value(json_object_get(divided, "min_ns")), 1e6, 1e-9);
    lb_expect_near("least", json_number_value(json_object_get(forward, "min_ns")), 1e6, 1e-9);
    lb_expect_near("median", json_number_value(json_object_get(forward, "median_ns")), 1e6, 1e-9);
    json_decref(answer);
}

static void instructions_that_are_not_here_are_refused(void **state)
{
    (void)state;
    const char *model = lb_write_file("good.yaml", model_text);
    char *before = getenv("LIMBER_INSTRUCTIONS");
    before = before ? strdup(before) : NULL;
    setenv("LIMBER_INSTRUCTIONS", "sse9", 1);
    expect(1, NULL, "good.yaml: the environment variable LIMBER_INSTRUCTIONS is \"sse9\"", "info",
           model);
    expect(0, "instructions portable", NULL, "bench", "--rounds", "2", "--seconds", "0.001",
           "--instructions", "portable", model);
    if (before) {
        setenv("LIMBER_INSTRUCTIONS", before, 1);
    } else {
        unsetenv("LIMBER_INSTRUCTIONS");
    }
    free(before);
}

static void bench_times_batches(void **state)
{
    (void)state;
    const char *model = lb_find_source("examples/arm.yaml");
    expect(0, "6 states in a batch", NULL, "bench", "--batch=6", "--rounds=2", "--seconds=0.001",
           model);
    expect(0, "\"one_core\"", NULL, "bench", "--json", "--batch=6", "--rounds=2", "--seconds=0.001",
           model);
    lb_cli_run run = lb_run(NULL, "bench", "--batch=0", model);
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
}

// Where there is no graphics processor, it says so and times nothing.
static void bench_asks_for_a_device(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "bench", "--gpu=4", "--rounds=1", "--seconds=0.0001",
                            lb_find_source("examples/arm.yaml"));
    if (run.status == 0) {
        assert_non_null(strstr(run.out, "4 states in a batch, on "));
    } else {
        assert_int_equal(run.status, 1);
        assert_string_equal(run.out, "");
        assert_true(strstr(run.err, "device") || strstr(run.err, "limber-cuda"));
    }
    lb_end_run(&run);
}

// A dense matrix is not timed for a model of many degrees of freedom, and threads have a table of their own.
static void bench_says_what_it_leaves_out(void **state)
{
    (void)state;
    enum { BODIES = 1001, LINE_MAX_LENGTH = 120 };
    char *text = malloc((BODIES + 1) * LINE_MAX_LENGTH);
    assert_non_null(text);
    char *end = text + sprintf(text, "limber: 1\nbodies:\n");
    for (int i = 0; i < BODIES; ++i) {
        end +=
            sprintf(end, "- {name: b%d, mass: 1, hinge: {type: prismatic, axis: [1, 0, 0]}}\n", i);
    }
    const char *many = lb_write_file("many.yaml", text);
    free(text);
    const char *beam = lb_find_source("examples/cantilever.yaml");
    expect(0, "skipped: a dense matrix of more than 1000 dofs", NULL, "bench", "--rounds=1",
           "--seconds=0.0001", many);
    expect(0, "\"skipped\": true", NULL, "bench", "--json", "--rounds=1", "--seconds=0.0001", many);
    expect(0, "ns an evaluation, threads", NULL, "bench", "--threads=2", "--rounds=2",
           "--seconds=0.001", beam);
    expect(2, NULL, "--threads: 'many' given", "bench", "--threads=many", beam);
    json_t *answer = ask_json((const char *const[]){"bench", "--json", "--threads=2", "--rounds=2",
                                                    "--seconds=0.001", beam, NULL});
    const json_t *threads = json_object_get(answer, "threads");
    assert_int_equal(json_integer_value(json_object_get(threads, "count")), 2);
    assert_true(json_number_value(json_object_get(json_object_get(threads, "forward (divided)"),
                                                  "min_ns")) > 0.0);
    json_decref(answer);
}

// What it writes is a model; a file that is there already is kept.
static void new_writes_a_model_that_passes(void **state)
{
    (void)state;
    char folder[512], stem[600], file[600];
    snprintf(folder, sizeof folder, "%s", lb_write_file("any.yaml", model_text));
    *strrchr(folder, '/') = 0;
    snprintf(stem, sizeof stem, "%s/my arm", folder);
    snprintf(file, sizeof file, "%s.yaml", stem);
    expect(0, "limber run", NULL, "new", stem);
    expect(0, "2 bodies, 6 dofs", NULL, "check", file);
    expect(0, "my arm\n", NULL, "info", file);
    expect(2, NULL, "exists and is kept", "new", stem);
    expect(2, NULL, "exists and is kept", "new", file);
    expect(0, "name: \"arm\"\n", NULL, "new", "-");
    expect(2, NULL, "expected the name of a model", "new", "arm.json");
    expect(2, NULL, "expected the name of a model", "new", "two\nlines");
    expect(2, NULL, "expected the name of a model", "new", "folder/");
    char result[600];
    snprintf(result, sizeof result, "%s.h5", stem);
    lb_cli_run run = lb_run(NULL, "run", file, "-o", result, "--duration", "0.5", "--strict");
    assert_int_equal(run.status, 0);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    remove(result);
    remove(file);
}

static void options_end_at_two_dashes(void **state)
{
    (void)state;
    const char *model = lb_write_file("good.yaml", model_text);
    expect(0, "mass     5 kg", NULL, "info", "--", model);
    expect(1, NULL, "--help", "info", "--", "--help");
}

static void a_command_that_was_not_built_says_so(void **state)
{
    (void)state;
#ifdef LB_WITH_VIEW
    skip();
#endif
    expect(2, NULL, "'demo' is not part of this build: LB_BUILD_SIM or LB_BUILD_VIEW is off",
           "demo");
    expect(2, NULL, "'plot' is not part of this build", "help", "plot");
}

static void completion_knows_every_command_and_option(void **state)
{
    (void)state;
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (int i = 0; i < 3; ++i) {
        lb_cli_run run = lb_run(NULL, "completion", shells[i]);
        assert_int_equal(run.status, 0);
        assert_non_null(strstr(run.out, "bench"));
        assert_non_null(strstr(run.out, "completion"));
        assert_non_null(strstr(run.out, "rounds"));
        // commands that are always there, in the order of the table
        assert_non_null(strstr(run.out, "eval check info operator bench convert"));
        assert_non_null(strstr(run.out, "completion help version"));
        lb_end_run(&run);
    }
}

static void colours_are_for_terminals_only(void **state)
{
    (void)state;
    setenv("TERM", "xterm", 1);
    lb_cli_run run = lb_run(NULL, "info", lb_write_file("good.yaml", model_text));
    assert_null(strchr(run.out, '\033'));
    lb_end_run(&run);
    run = lb_run(NULL, "info", "/nonexistent.yaml");
    assert_null(strchr(run.err, '\033'));
    lb_end_run(&run);
}

static void names_cannot_steer_the_terminal(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("escape.yaml", "limber: 1\nname: \"\\e[31mred\"\nbodies: []\n");
    lb_cli_run run = lb_run(NULL, "info", model);
    assert_null(strchr(run.out, '\033'));
    assert_null(strchr(run.err, '\033'));
    lb_end_run(&run);
}

// Naming the integrator that the file names anyway changes nothing: its order stays.
static void the_integrator_of_the_file_keeps_its_order(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("order.yaml", "limber: 1\ngravity: [0, 0, -9.81]\n"
                                    "bodies: [{name: bob, mass: 1, com: [1, 0, 0],\n"
                                    "          hinge: {type: revolute, axis: [0, 1, 0]}}]\n"
                                    "run: {duration: 3, integrator: {type: erk, order: 8}}\n");
    char results[300], *steps[2];
    snprintf(results, sizeof results, "%.280s.h5", model);
    lb_cli_run plain = lb_run(NULL, "run", model, "-o", results);
    lb_cli_run named = lb_run(NULL, "run", model, "-o", results, "--integrator", "erk");
    steps[0] = strstr(plain.out, "\nsteps ");
    steps[1] = strstr(named.out, "\nsteps ");
    assert_true(steps[0] && steps[1]);
    *strchr(steps[0] + 1, '\n') = *strchr(steps[1] + 1, '\n') = '\0';
    assert_string_equal(steps[0], steps[1]);
    lb_end_run(&plain);
    lb_end_run(&named);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_given_when_asked_for),
        cmocka_unit_test(wrong_command_lines_are_refused_with_advice),
        cmocka_unit_test(check_tells_good_models_from_bad_ones),
        cmocka_unit_test(info_tells_all_of_one_body),
        cmocka_unit_test(info_draws_the_tree),
        cmocka_unit_test(info_stays_readable_for_a_deep_chain),
        cmocka_unit_test(bench_times_every_algorithm),
        cmocka_unit_test(a_command_that_was_not_built_says_so),
        cmocka_unit_test(instructions_that_are_not_here_are_refused),
        cmocka_unit_test(bench_times_batches),
        cmocka_unit_test(bench_asks_for_a_device),
        cmocka_unit_test(bench_says_what_it_leaves_out),
        cmocka_unit_test(new_writes_a_model_that_passes),
        cmocka_unit_test(options_end_at_two_dashes),
        cmocka_unit_test(completion_knows_every_command_and_option),
        cmocka_unit_test(colours_are_for_terminals_only),
        cmocka_unit_test(names_cannot_steer_the_terminal),
        cmocka_unit_test(the_integrator_of_the_file_keeps_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
