// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber demo: runs a spacecraft, tells of it, and leaves a report.
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "scratch.h"

static void demo_runs_and_leaves_a_report(void **state)
{
    (void)state;
    const char *folder = lb_make_scratch_folder();
    assert_non_null(folder);
    setenv("LC_ALL", "C", 1);
    lb_cli_run run = lb_run(NULL, "demo", folder);
    unsetenv("LC_ALL");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);

    // the books balance: the run's tolerance is 1e-7
    const char *balance = strstr(run.out, "energy balance    off by ");
    assert_non_null(balance);
    double joule, share;
    assert_int_equal(sscanf(balance, "energy balance    off by %lf J, %lf", &joule, &share), 2);
    lb_expect_below("energy balance", share, 1e-5);

    // nothing holds it: momentum stays, through grasp and release
    const char *momentum = strstr(run.out, "momentum          changed by ");
    assert_non_null(momentum);
    double linear, angular;
    assert_int_equal(
        sscanf(momentum, "momentum          changed by %lf N s, %lf", &linear, &angular), 2);
    // the payload alone has 1 N s, and 10 N m s while it is slewed
    lb_expect_below("linear momentum", linear, 1e-6);
    lb_expect_below("angular momentum", angular, 1e-6);

    // the payload is caught and let go, everything that is flexible is bent, and there is a plot of the payload's way
    static const char *const expected[] = {" s  grasp\n",
                                           "13.000 s  release\n",
                                           "panel is bent most: by ",
                                           "upper arm is bent most: by ",
                                           "forearm is bent most: by ",
                                           "payload.position.y, m"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        if (!strstr(run.out, expected[i])) {
            fail_msg("no '%s' in what the demo says", expected[i]);
        }
    }
    lb_end_run(&run);

    static const char *const files[] = {"spacecraft_arm.yaml", "spacecraft_arm.h5", "report.html"};
    for (int i = 0; i < 3; ++i) {
        char path[LB_SCRATCH_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "demo", "/nowhere/demo");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "cannot make the folder /nowhere/demo"));
    lb_end_run(&run);
}

// A model of the user's own is not overwritten; the demo's own is used again.
static void a_folder_that_is_in_use_is_left_alone(void **state)
{
    (void)state;
    char model[LB_SCRATCH_PATH_SIZE], result[LB_SCRATCH_PATH_SIZE];
    const char *folder = lb_make_scratch_folder();
    assert_non_null(folder);
    snprintf(model, sizeof model, "%s/spacecraft_arm.yaml", folder);
    snprintf(result, sizeof result, "%s/spacecraft_arm.h5", folder);
    FILE *file = fopen(model, "w");
    assert_non_null(file);
    fputs("limber: 1\nbodies: []\n", file);
    fclose(file);
    lb_cli_run run = lb_run(NULL, "demo", folder);
    assert_int_equal(run.status, 1);
    assert_non_null(
        strstr(run.err, "it is there already, with other content; name another folder"));
    lb_end_run(&run);
    remove(model);
    // nor is a folder in the place of the results
    assert_int_equal(mkdir(result, 0700), 0);
    for (int i = 0; i < 2; ++i) {
        run = lb_run(NULL, "demo", folder);
        assert_int_equal(run.status, 1);
        assert_non_null(strstr(run.err, "spacecraft_arm.h5"));
        lb_end_run(&run);
        assert_int_equal(access(model, R_OK), 0);
    }
    // nor one in the place of the model
    remove(model);
    assert_int_equal(mkdir(model, 0700), 0);
    run = lb_run(NULL, "demo", folder);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "spacecraft_arm.yaml"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_runs_and_leaves_a_report),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(a_folder_that_is_in_use_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
