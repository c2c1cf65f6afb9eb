// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A few lines cannot ask for minutes or gigabytes. More of this is in test/failure/cases/command/bounded.cases.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "course.h"
#include "limber/document.h"
#include "limber/simulate.h"
#include "run_cli.h"

#define BODY                                                                                       \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, -1],\n"          \
    "     nodes: {tip: {position: [0, 0, -1]}}}\n"

static void expect(const char *text, const char *words)
{
    lb_cli_run run = lb_run(NULL, "check", lb_write_file("bounded.yaml", text));
    if (run.status == 0 || !strstr(run.err, words)) {
        fail_msg("status %d, expected '%s' in: %s", run.status, words, run.err);
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
    expect(text, "signals.s18: its value takes 1.05e+06 operations");
}

// As many as are permitted: those of the highest frequencies are at the limit of rounding.
static void beams_with_many_modes_are_loaded(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("bounded.yaml",
                      "limber: 1\n"
                      "bodies:\n"
                      "  - name: b\n"
                      "    hinge: {type: revolute, axis: [0, 0, 1]}\n"
                      "    beam: {length: 1, section: {type: tube, diameter: 0.05, wall: 0.002},\n"
                      "           modes: 120, material: aluminium}\n");
    lb_cli_run run = lb_run(NULL, "check", model);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
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
    expect(text, "signals.s1000: 1001 signals read one another in a row");
    free(text);
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

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_that_double_the_work_are_refused),
        cmocka_unit_test(beams_with_many_modes_are_loaded),
        cmocka_unit_test(chains_of_signals_are_refused_before_the_stack_ends),
        cmocka_unit_test(pipes_without_a_writer_are_given_up),
        cmocka_unit_test(runs_end_on_request_between_outputs_that_are_far_apart),
        cmocka_unit_test(loading_takes_time_in_proportion_to_what_is_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
