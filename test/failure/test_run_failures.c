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
    const long rows = lb_get_results_info(results)->row_count;
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
    assert_int_equal(lb_get_results_info(results)->ending, 3);
    const long rows = lb_get_results_info(results)->row_count;
    double t;
    lb_expect_ok(lb_read_table(results, 0, rows - 1, 1, &t));
    lb_close_results(results);
    char further[32];
    snprintf(further, sizeof further, "%.17g", t + 1.0);
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--resume", "--duration", further);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    lb_expect_ok(lb_open_results(path, NULL, &results));
    assert_true(lb_get_results_info(results)->row_count >= rows + 100);
    lb_close_results(results);
    unlink(path);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disk_keeps_what_was_counted),
        cmocka_unit_test(interrupt_keeps_a_whole_file_and_resume_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
