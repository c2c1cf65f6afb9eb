// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A few lines cannot ask for minutes or gigabytes, nor for files that are none of a model's business.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "course.h"
#include "heard.h"
#include "limber/document.h"
#include "limber/simulate.h"
#include "run_cli.h"

#define BODY                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -1],\n"          \
    "     nodes: {tip: {position: [0, 0, -1]}}}\n"

// Runs a command on a model and expects words in what it says; NULL: that it succeeds.
static void expect(const char *command, const char *text, const char *words)
{
    const char *model = lb_write_file("bounded.yaml", text);
    lb_cli_run run = lb_run(NULL, command, model);
    if (words ? run.status == 0 || !strstr(run.err, words) : run.status != 0) {
        fail_msg("%s: status %d, expected '%s' in: %s", command, run.status, words ? words : "",
                 run.err);
    }
    lb_end_run(&run);
}

// ---- refused with numbers ------------------------------------------------------------------------

static void signals_that_double_the_work_are_refused(void **state)
{
    (void)state;
    char text[4096] = BODY "signals:\n  s0: t\n";
    for (int i = 1; i < 60; ++i) {
        char line[64];
        snprintf(line, sizeof line, "  s%d: s%d+s%d\n", i, i - 1, i - 1);
        strcat(text, line);
    }
    expect("check", text, "signals.s18: its value takes 1.05e+06 operations");
}

// As many as are permitted: those of the highest frequencies are at the limit of rounding.
static void beams_with_many_modes_are_loaded(void **state)
{
    (void)state;
    expect("check",
           "limber: 1\n"
           "bodies:\n"
           "  - name: b\n"
           "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
           "    beam: {length: 1, section: {type: tube, diameter: 0.05, wall: 0.002}, modes: 120,\n"
           "           material: aluminium}\n",
           NULL);
}

static void chains_of_signals_are_refused_before_the_stack_ends(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    char *text = malloc(sizeof BODY + 64 + (size_t)COUNT * 32), *at = text;
    at += sprintf(at, BODY "signals:\n  s0: t\n");
    for (int i = 1; i < COUNT; ++i) {
        at += sprintf(at, "  s%d: s%d+1\n", i, i - 1);
    }
    expect("check", text, "signals.s1000: 1001 signals read one another in a row");
    free(text);
}

static void tiny_steps_and_endless_runs_are_refused(void **state)
{
    (void)state;
    expect("check", BODY "run: {duration: 0.1, integrator: {type: rk4, step: 1.0e-300}}\n",
           "run.integrator.step: gives more than 1e15 steps");
    expect("check", BODY "run: {duration: 1.0e+308}\n",
           "run.duration: expected a time above 0 and not above 1e12 s");
}

static void huge_masses_are_refused_in_words_that_fit(void **state)
{
    (void)state;
    expect("check", "limber: 1\nbodies:\n  - {name: a, hinge: {type: fixed}, mass: 1.0e+308}\n",
           "bodies[0].mass: 1e+308 kg found, expected at most 1e+100");
}

static void sources_without_an_end_are_refused(void **state)
{
    (void)state;
    static const char *const commands[] = {"check", "info", "run"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        lb_cli_run run = lb_run(NULL, commands[i], "/dev/zero");
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.err, "it is a device, expected a file"));
        lb_end_run(&run);
    }
}

static void pipes_without_a_writer_are_given_up(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", lb_write_file("pipe", ""));
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    setenv("LIMBER_CLOCK", "1", 1);
    lb_cli_run run = lb_run(NULL, "check", path);
    unsetenv("LIMBER_CLOCK");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "nothing was written to it for 10 s"));
    lb_end_run(&run);
    unlink(path);
}

// ---- interrupted between outputs -----------------------------------------------------------------

static int stop_at_once(void *user, double t, double duration)
{
    (void)t, (void)duration;
    ++*(int *)user;
    return 1;
}

static void runs_end_on_request_between_outputs_that_are_far_apart(void **state)
{
    (void)state;
    static const char *const integrators[] = {"rk4, step: 1.0e-9", "adams, max_step: 1.0e-3"};
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; ++i) {
        char text[1024], path[600];
        int calls = 0;
        snprintf(text, sizeof text,
                 BODY "run: {duration: 900, interval: 900, integrator: {type: %s}}\n",
                 integrators[i]);
        snprintf(path, sizeof path, "%s", lb_write_file("far.h5", ""));
        unlink(path);
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_expect_ok(lb_load_document_text(text, strlen(text), "far", LB_FORMAT_YAML, NULL, NULL,
                                           &document));
        lb_expect_ok(lb_load_document_model(document, NULL, &model));
        lb_expect_ok(lb_load_simulation(document, model, NULL, &simulation));
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.model_text = text;
        request.model_length = strlen(text);
        request.progress = stop_at_once;
        request.user = &calls;
        lb_audit audit = {.size = sizeof audit};
        lb_set_clock(1.0); // so late that it is asked at once
        assert_int_equal(lb_run_simulation(simulation, &request, &audit), LB_NEWS_INTERRUPTED);
        lb_set_clock(-1.0);
        assert_int_equal(calls, 1);
        assert_true(audit.rows == 1.0);
        lb_destroy_simulation(simulation);
        lb_destroy_model(model);
        lb_destroy_document(document);
        unlink(path);
    }
}

// ---- work grows linearly -------------------------------------------------------------------------

static const char *const lines[] = {
    "signals:\n|  s%d: sin(t)\n",
    "forces:\n|  - {name: f%d, type: spring, hinge: a, stiffness: 1}\n",
    "events:\n|  - {name: e%d, when: t, crosses: 100, then: stop}\n",
    "|  - {name: b%d, parent: nobody, hinge: {type: fixed}, mass: 1}\n",
    "x:\n|y%d: 1\n",
};

// Processor time of loading `count` lines, the least of three.
static double measure(const char *line, int count)
{
    const char *bar = strchr(line, '|');
    char *text = malloc(sizeof BODY + 64 + (size_t)count * 80), *at = text;
    double least = 1e300;
    at += sprintf(at, BODY "%.*s", (int)(bar - line), line);
    for (int i = 0; i < count; ++i) {
        at += sprintf(at, bar + 1, i); // NOLINT: one number
    }
    for (int round = 0; round < 3; ++round) {
        const clock_t start = clock();
        lb_document *document = NULL;
        lb_model *model = NULL;
        lb_simulation *simulation = NULL;
        lb_expect_ok(lb_load_document_text(text, (size_t)(at - text), "big", LB_FORMAT_YAML, NULL,
                                           NULL, &document));
        if (lb_load_document_model(document, NULL, &model) == LB_OK) {
            lb_load_simulation(document, model, NULL, &simulation);
        } else {
            lb_check_simulation(document, NULL);
        }
        lb_destroy_simulation(simulation);
        lb_destroy_model(model);
        lb_destroy_document(document);
        const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = time < least ? time : least;
    }
    free(text);
    return least;
}

static void loading_takes_time_in_proportion_to_what_is_loaded(void **state)
{
    (void)state;
    enum { COUNT = 1000, TIMES = 64 };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        const double one = measure(lines[i], COUNT), all = measure(lines[i], TIMES * COUNT);
        // 64 times the work takes 64 times as long on any machine; 6 for caches that are too small for it, or that others
        // use as well. A square would be 4096 times
        if (!(all < 6 * TIMES * one)) {
            fail_msg("%.20s: %g s for %d, %g s for %d", lines[i], one, COUNT, all, TIMES * COUNT);
        }
    }
}

// ---- what is accepted ----------------------------------------------------------------------------

static void a_byte_order_mark_is_no_part_of_the_text(void **state)
{
    (void)state;
    expect("check", "\xEF\xBB\xBF" BODY, NULL);
    const char *path = lb_write_file("marked.json", "\xEF\xBB\xBF{\"limber\": 1, \"bodies\": []}");
    lb_cli_run run = lb_run(NULL, "check", path);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
}

static void alpha_solves_stiff_springs_and_dampers(void **state)
{
    (void)state;
    static const struct {
        const char *stiffness, *damping, *step;
    } cases[] = {{"1.0e+6", "0", "0.01"},
                 {"1.0e+6", "1.0e+4", "0.01"},
                 {"1.0e+8", "1.0e+4", "0.001"},
                 {"1.0e+8", "1.0e+6", "0.01"},
                 {"1.0e+10", "100", "0.001"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 BODY "ground: {nodes: {w: {position: [1, 0, -1]}}}\n"
                      "forces:\n"
                      "  - {name: s, type: spring, between: [ground/w, a/tip], stiffness: %s, "
                      "length: 0.9}\n"
                      "  - {name: d, type: damper, between: [ground/w, a/tip], damping: %s}\n"
                      "run: {duration: 0.2, interval: 0.1, integrator: {type: alpha, step: %s}}\n",
                 cases[i].stiffness, cases[i].damping, cases[i].step);
        char out[600];
        snprintf(out, sizeof out, "%s", lb_write_file("stiff.h5", ""));
        unlink(out);
        const char *model = lb_write_file("stiff.yaml", text);
        lb_cli_run run = lb_run(NULL, "run", model, "-o", out);
        if (run.status != 0) {
            fail_msg("stiffness %s, damping %s: %s", cases[i].stiffness, cases[i].damping, run.err);
        }
        lb_end_run(&run);
        unlink(out);
    }
}

// ---- files that a model names --------------------------------------------------------------------

static void files_outside_of_the_folder_must_be_permitted(void **state)
{
    (void)state;
    char top[600], model[700], link[700], allowed[700];
    snprintf(top, sizeof top, "%s", lb_write_file("outside.yaml", "limber: 1\nsecret: [words]\n"));
    *strrchr(top, '/') = 0;
    snprintf(allowed, sizeof allowed, "%s", top);
    snprintf(model, sizeof model, "%s/inner", top);
    mkdir(model, 0700);
    snprintf(link, sizeof link, "%s/inner/link.yaml", top);
    unlink(link);
    assert_int_equal(symlink("../outside.yaml", link), 0);
    snprintf(model, sizeof model, "%s/inner/m.yaml", top);
    static const char *const names[] = {"../outside.yaml", "link.yaml", "/etc/passwd"};
    static const char *const forms[] = {
        "library: %s\n", "forces:\n  - {name: m, type: actuator, hinge: a}\n"
                         "controllers:\n"
                         "  - {name: c, rate: 10, sensors: [{name: p, signal: a.angle}, {name: v, "
                         "signal: a.rate}],\n"
                         "     actuators: [{actuator: m, position: p, speed: v}],\n"
                         "     law: {type: computed-torque, kp: 1, kd: 1, model: %s}}\n"};
    for (size_t i = 0; i < 6; ++i) {
        FILE *file = fopen(model, "w");
        fputs(BODY, file);
        fprintf(file, forms[i / 3], names[i % 3]); // NOLINT: one name
        fclose(file);
        lb_cli_run run = lb_run(NULL, "check", model);
        assert_int_equal(run.status, 1);
        if (!strstr(run.err, "--allow-files DIR") || strstr(run.err, "secret") ||
            strstr(run.err, "root:")) {
            fail_msg("%s: %s", names[i % 3], run.err);
        }
        lb_end_run(&run);
        // permitted, it is read, and what is wrong with it is told
        run = lb_run(NULL, "check", model, "--allow-files", i % 3 < 2 ? allowed : "/etc");
        assert_int_equal(run.status, 1);
        assert_null(strstr(run.err, "--allow-files DIR"));
        lb_end_run(&run);
    }
    unlink(model);
    unlink(link);
    *strrchr(link, '/') = 0;
    rmdir(link);
}

// ---- names on terminals --------------------------------------------------------------------------

static void names_cannot_steer_a_terminal_or_break_csv(void **state)
{
    (void)state;
    char out[600];
    snprintf(out, sizeof out, "%s", lb_write_file("names.h5", ""));
    unlink(out);
    const char *model =
        lb_write_file("names.yaml", "limber: 1\n"
                                    "bodies:\n"
                                    "  - {name: \"a\\e[31m,\\\"\\n\\u009b\", hinge: {type: "
                                    "revolute, axis: [0, 1, 0]}, mass: 1,\n"
                                    "     com: [0, 0, -1]}\n"
                                    "events:\n"
                                    "  - {name: \"e\\e[2J\", when: t, crosses: 0.01, then: stop}\n"
                                    "run: {duration: 0.1}\n");
    const char *const commands[][5] = {{"run", model, "-o", out, NULL},
                                       {"results", out, NULL, NULL, NULL},
                                       {"results", out, "--csv", NULL, NULL},
                                       {"modes", model, NULL, NULL, NULL},
                                       {"linearize", model, NULL, NULL, NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        const char *const *c = commands[i];
        lb_cli_run run = c[2] && c[3] ? lb_run(NULL, c[0], c[1], c[2], c[3])
                         : c[2]       ? lb_run(NULL, c[0], c[1], c[2])
                                      : lb_run(NULL, c[0], c[1]);
        assert_int_equal(run.status, 0);
        if (strchr(run.out, '\033') || strstr(run.out, "\xc2\x9b")) {
            fail_msg("limber %s lets a control character through", c[0]);
        }
        if (i == 2) {
            assert_non_null(strstr(run.out, "t,\"a?[31m,\"\"??.angle\",\"a?[31m,\"\"??.rate\""));
        }
        lb_end_run(&run);
    }
    unlink(out);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_that_double_the_work_are_refused),
        cmocka_unit_test(beams_with_many_modes_are_loaded),
        cmocka_unit_test(chains_of_signals_are_refused_before_the_stack_ends),
        cmocka_unit_test(tiny_steps_and_endless_runs_are_refused),
        cmocka_unit_test(huge_masses_are_refused_in_words_that_fit),
        cmocka_unit_test(sources_without_an_end_are_refused),
        cmocka_unit_test(pipes_without_a_writer_are_given_up),
        cmocka_unit_test(runs_end_on_request_between_outputs_that_are_far_apart),
        cmocka_unit_test(loading_takes_time_in_proportion_to_what_is_loaded),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_text),
        cmocka_unit_test(alpha_solves_stiff_springs_and_dampers),
        cmocka_unit_test(files_outside_of_the_folder_must_be_permitted),
        cmocka_unit_test(names_cannot_steer_a_terminal_or_break_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
