// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that cannot go on say when and where, end with the right status, and keep what they have.
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "course.h"
#include "run_cli.h"
#include "watched_run.h"

#define PENDULUM                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0],\n"         \
    "     inertia: [0.01, 0.1, 0.1, 0, 0, 0]}\n"

static char *get_output(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", lb_write_file("any.yaml", PENDULUM));
    snprintf(strrchr(path, '/') + 1, 64, "%s", name);
    return path;
}

// Runs a model and expects a failure that names all of the words (they end in NULL).
static void expect_failure(const char *text, int status, const char *const *words)
{
    const char *model = lb_write_file("model.yaml", text);
    const char *out = get_output("out.h5");
    lb_cli_run run = lb_run(NULL, "run", model, "-o", out);
    if (run.status != status) {
        print_message("%s%s", run.out, run.err);
    }
    assert_int_equal(run.status, status);
    for (int i = 0; words[i]; ++i) {
        if (!strstr(run.err, words[i])) {
            fail_msg("expected '%s' in: %s", words[i], run.err);
        }
    }
    lb_end_run(&run);
    char part[600];
    snprintf(part, sizeof part, "%s.part", out);
    unlink(part);
    unlink(out);
}

static void collapse_of_the_step_names_time_and_coordinate(void **state)
{
    (void)state;
    // the speed runs away in finite time: v' = v^3 / 1.11
    expect_failure(
        PENDULUM "forces: [{name: run away, type: motor, hinge: rod, value: rod.rate^3}]\n"
                 "initial: {rod: {rate: 2}}\nrun: {duration: 10, integrator: erk}\n",
        1, (const char *[]){"t = 0.", "step", "'rod', speed 0", "rows before it are in", NULL});
}

static void nan_of_an_expression_names_the_force(void **state)
{
    (void)state;
    expect_failure(PENDULUM
                   "forces: [{name: bad root, type: motor, hinge: rod, value: sqrt(0.5 - t)}]\n"
                   "run: {duration: 10}\n",
                   1, (const char *[]){"t = 0.5", "bad root", NULL});
}

static void fixed_steps_that_explode_are_noticed(void **state)
{
    (void)state;
    expect_failure(PENDULUM "forces: [{name: stiff, type: spring, hinge: rod, stiffness: 1.0e9}]\n"
                            "initial: {rod: {angle: 0.1}}\n"
                            "run: {duration: 100, integrator: {type: rk4, step: 0.01}}\n",
                   1, (const char *[]){"t = ", "stiff", "finite", NULL});
}

static void singular_inertia_names_the_body(void **state)
{
    (void)state;
    expect_failure("limber: 1\nbodies: [{name: ghost, hinge: {type: revolute, axis: [0, 0, 1]}, "
                   "mass: 0}]\n",
                   1, (const char *[]){"t = 0 s", "ghost", "singular", NULL});
}

static void crowded_events_are_noticed(void **state)
{
    (void)state;
    // two springs that switch each other at the same place, for ever
    expect_failure(PENDULUM
                   "forces: [{name: up, type: motor, hinge: rod, value: 100},\n"
                   "  {name: down, type: motor, hinge: rod, value: -100, enabled: false}]\n"
                   "events:\n"
                   "  - {name: over, when: rod.angle, crosses: 0.1, direction: rising,\n"
                   "     then: [{disable: up}, {enable: down}]}\n"
                   "  - {name: under, when: rod.angle, crosses: 0.1, direction: falling,\n"
                   "     then: [{disable: down}, {enable: up}]}\n"
                   "run: {duration: 1.0e4, interval: 1000}\n",
                   1, (const char *[]){"t = ", "events", NULL});
}

static void stop_hit_at_speed_is_survived(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "stop.yaml", PENDULUM
        "forces: [{name: wall, type: stop, hinge: rod, upper: 0.5, stiffness: 1.0e7,\n"
        "  damping: 1.0e3}]\n"
        "initial: {rod: {rate: 50}}\n"
        "run: {duration: 2, interval: 0.01, integrator: {type: bdf, tolerance: 1.0e-8}}\n");
    lb_cli_run run = lb_run(NULL, "run", model, "-o", get_output("stop.h5"));
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "energy balance"));
    lb_end_run(&run);
    unlink(get_output("stop.h5"));
}

static void bad_files_have_located_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words[4];
    } cases[] = {
        {PENDULUM "run: {duration: -1}\n", {"run.duration", "above 0", NULL}},
        {PENDULUM "run: {integrator: magic}\n", {"run.integrator", "magic", "adams", NULL}},
        {PENDULUM "run: {integrator: {type: bdf, order: 7}}\n", {"order", "1 to 5", NULL}},
        {PENDULUM "run: {step: 1}\n", {"run.step", NULL}},
        {PENDULUM "initial: {rud: {angle: 1}}\n", {"initial", "rud", NULL}},
        {PENDULUM "initial: {rod: {angle: [1, 2]}}\n", {"initial.rod.angle", "1 number", NULL}},
        {PENDULUM "initial: {rod: {q: 1, angle: 1}}\n", {"angle", "beside q", NULL}},
        {PENDULUM "outputs: [rod/tipp]\n", {"outputs[0]", NULL}},
        {PENDULUM "outputs: [3]\n", {"outputs[0]", NULL}},
        {PENDULUM "events: [{name: a, when: rod.angle}]\n", {"events[0]", "then", NULL}},
        {PENDULUM "events: [{name: a, when: rod.angel, then: stop}]\n", {"events[0].when", NULL}},
        {PENDULUM "events: [{name: a, when: abs(rod.angle), then: stop}]\n",
         {"events[0].when: unknown function \"abs\"; expressions are given a name", NULL}},
        {PENDULUM "events: [{name: a, when: 2*rod.angle, then: stop}]\n",
         {"events[0].when: expected a signal; expressions are given a name", NULL}},
        {PENDULUM "events: [{name: a, when: t, then: {lock: base}}]\n", {"base", "no body", NULL}},
        {PENDULUM "events: [{name: a, when: t, then: {enable: x}}]\n", {"no force 'x'", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        expect_failure(cases[i].text, 1, cases[i].words);
    }
}

static void unwritable_path_says_why(void **state)
{
    (void)state;
    const char *model = lb_write_file("fine.yaml", PENDULUM);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", "/nonexistent/out.h5");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "/nonexistent/out.h5"));
    assert_non_null(strstr(run.err, "No such file or directory"));
    lb_end_run(&run);
}

static void bad_options_are_usage_errors(void **state)
{
    (void)state;
    const char *model = lb_write_file("fine.yaml", PENDULUM);
    lb_cli_run run = lb_run(NULL, "run", model, "--integrator", "magic");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
    run = lb_run(NULL, "run", model, "--duration", "nan");
    assert_int_equal(run.status, 2);
    lb_end_run(&run);
    run = lb_run(NULL, "results", "/nonexistent.h5");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "/nonexistent.h5"));
    lb_end_run(&run);
}

// A small disk of our own, where the system lets us have one: the writer gets an error half-way.
static void full_disk_keeps_what_was_counted(void **state)
{
    (void)state;
    const char *model = lb_write_file("big.yaml", PENDULUM
                                      "run: {duration: 100, interval: 0.001, integrator: rk4}\n");
    char disk[512], whole[600], path[600];
    snprintf(disk, sizeof disk, "%s", get_output("disk"));
    snprintf(path, sizeof path, "%s/full.h5", disk);
    snprintf(whole, sizeof whole, "%s.h5", disk);
    assert_int_equal(mkdir(disk, 0700), 0);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=2m") != 0) {
        print_message("no mounting here\n");
        rmdir(disk);
        skip();
    }
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "No space left on device"));
    assert_non_null(strstr(run.err, "t = "));
    lb_end_run(&run);
    // what was counted is what an undisturbed run has
    run = lb_run(NULL, "run", model, "-o", whole, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    const long rows = lb_get_results_row_count(results);
    print_message("%ld rows before the disk was full\n", rows);
    assert_true(rows > 1000 && rows < 100001);
    lb_close_results(results);
    run = lb_run(NULL, "results", path, "--compare", whole, "--tolerance", "0");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    umount(disk);
    rmdir(disk);
    unlink(whole);
}

static void interrupt_keeps_a_whole_file_and_resume_goes_on(void **state)
{
    (void)state;
    const char *model =
        lb_write_file("slow.yaml", PENDULUM
                      "run: {duration: 1.0e+6, interval: 0.01, integrator: {type: rk4, step: "
                      "1.0e-4}}\n");
    char path[512];
    snprintf(path, sizeof path, "%s", get_output("slow.h5"));
    const pid_t child = lb_start_watched_run(model, path, "1");
    lb_wait_for_rows(child, path, 10);
    kill(child, SIGINT);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(path, NULL, &results));
    assert_int_equal(lb_get_results_ending(results), 3);
    const long rows = lb_get_results_row_count(results);
    double t;
    lb_expect_ok(lb_read_table(results, 0, rows - 1, 1, &t));
    lb_close_results(results);
    char further[32];
    snprintf(further, sizeof further, "%.17g", t + 1.0);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--resume", "--duration", further);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    lb_expect_ok(lb_open_results(path, NULL, &results));
    assert_true(lb_get_results_row_count(results) >= rows + 100);
    lb_close_results(results);
    unlink(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collapse_of_the_step_names_time_and_coordinate),
        cmocka_unit_test(nan_of_an_expression_names_the_force),
        cmocka_unit_test(fixed_steps_that_explode_are_noticed),
        cmocka_unit_test(singular_inertia_names_the_body),
        cmocka_unit_test(crowded_events_are_noticed),
        cmocka_unit_test(stop_hit_at_speed_is_survived),
        cmocka_unit_test(bad_files_have_located_errors),
        cmocka_unit_test(unwritable_path_says_why),
        cmocka_unit_test(bad_options_are_usage_errors),
        cmocka_unit_test(full_disk_keeps_what_was_counted),
        cmocka_unit_test(interrupt_keeps_a_whole_file_and_resume_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
