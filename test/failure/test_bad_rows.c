// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Folders of sweeps with other things than files of rows in them.
#define _XOPEN_SOURCE 700 // symlink
#include <limber/sweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "scratch.h"

static const char *folder;
static char rows[LB_SCRATCH_PATH_SIZE], started[LB_SCRATCH_PATH_SIZE];

// Where the rows of two samples are; returns the plan.
static const char *prepare(void)
{
    char text[1024];
    const char *model = lb_write_file(
        "model.yaml", "limber: 1\n"
                      "parameters: {m: 1}\n"
                      "bodies: [{name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: m, "
                      "com: [1, 0, 0]}]\n");
    snprintf(text, sizeof text,
             "limber_sweep: 1\nmodel: %s\nvary: {m: {values: [1, 2]}}\nsampling: grid\n"
             "job: {type: run, duration: 0.1}\noutputs: {y: {signal: t}}\n",
             model);
    folder = lb_make_scratch_folder();
    assert_non_null(folder);
    // as the first worker of one part names its file
    snprintf(rows, sizeof rows, "%s/part-1-of-1-worker-1.rows", folder);
    snprintf(started, sizeof started, "%s/started", folder);
    return lb_write_file("plan.yaml", text);
}

static void clean_up(void)
{
    (void)unlink(started);
    (void)unlink(rows);
    assert_int_equal(rmdir(folder), 0);
}

static void expect(int status, const char *message, const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    if (run.status != status || !strstr(run.err, message)) {
        fail_msg("%s: status %d, expected %d and '%s': %s", words[1], run.status, status, message,
                 run.err);
    }
    lb_end_run(&run);
}

#define EXPECT(status, message, ...)                                                               \
    expect(status, message, (const char *const[]){"sweep", __VA_ARGS__, "--folder", folder, NULL})

// Reading one of them would wait for ever, or never end.
static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    static const char message[] = "it is not a regular file: remove it, or choose another folder";
    const char *plan = prepare();
    for (int kind = 0; kind < 3; ++kind) {
        assert_int_equal(kind == 0   ? mkfifo(rows, 0600)
                         : kind == 1 ? mkdir(rows, 0700)
                                     : symlink("/dev/zero", rows),
                         0);
        EXPECT(1, message, "status", plan);
        EXPECT(1, message, "merge", plan);
        EXPECT(1, message, plan, "--workers", "1");
        assert_int_equal(kind == 1 ? rmdir(rows) : unlink(rows), 0);
    }
    // nobody writes to this pipe
    assert_int_equal(mkfifo(started, 0600), 0);
    EXPECT(0, "", "status", plan);
    EXPECT(1, "started: it is a named pipe", plan, "--workers", "1");
    clean_up();
}

static void a_file_is_no_folder(void **state)
{
    (void)state;
    const char *plan = prepare();
    rmdir(folder);
    EXPECT(1, "nothing to resume", "resume", plan);
    FILE *file = fopen(folder, "w");
    assert_non_null(file);
    fclose(file);
    EXPECT(1, "Not a directory; name another folder", "status", plan);
    EXPECT(1, "Not a directory; name another folder", plan);
    assert_int_equal(unlink(folder), 0);
}

// A line that does not end for megabytes takes no memory, and those around it count.
static void long_lines_are_passed_over(void **state)
{
    (void)state;
    lb_sweep *sweep = NULL;
    lb_sweep_rows *out = NULL;
    const double y = 0.5;
    lb_expect_ok(lb_load_sweep(prepare(), NULL, NULL, &sweep));
    lb_expect_ok(lb_open_sweep_rows(sweep, rows, NULL, &out));
    lb_expect_ok(lb_write_sweep_row(out, 0, LB_OK, &y, ""));
    lb_expect_ok(lb_close_sweep_rows(out));
    FILE *file = fopen(rows, "a");
    assert_non_null(file);
    for (int i = 0; i < 5000000; ++i) {
        fputc(i % 7 ? 'x' : 0, file);
    }
    fputc('\n', file);
    assert_int_equal(fclose(file), 0);
    lb_expect_ok(lb_open_sweep_rows(sweep, rows, NULL, &out));
    lb_expect_ok(lb_write_sweep_row(out, 1, LB_E_MODEL, NULL, "too heavy"));
    lb_expect_ok(lb_close_sweep_rows(out));
    lb_sweep_table *table = NULL;
    lb_expect_ok(lb_read_sweep_table(sweep, folder, NULL, &table));
    assert_int_equal(table->done_count, 1);
    assert_true(table->outputs[0] == y);
    assert_string_equal(table->messages[1], "too heavy");
    lb_destroy_sweep_table(table);
    lb_destroy_sweep(sweep);
    clean_up();
}

static void tables_do_not_replace_rows(void **state)
{
    (void)state;
    char link[LB_SCRATCH_PATH_SIZE], csv[LB_SCRATCH_PATH_SIZE];
    const char *plan = prepare();
    snprintf(link, sizeof link, "%s/table.h5", folder);
    snprintf(csv, sizeof csv, "%s/table.csv", folder);
    EXPECT(0, "", plan, "--workers", "1");
    assert_int_equal(symlink(rows, link), 0);
    assert_int_equal(symlink(rows, csv), 0);
    EXPECT(1, "table.h5: this command reads it; name another file", "merge", plan, "-o", link);
    EXPECT(1, "table.csv: this command reads it; name another file", "merge", plan, "-o", csv);
    unlink(link);
    unlink(csv);
    EXPECT(0, "", "merge", plan, "-o", csv);
    EXPECT(0, "", "merge", plan, "-o", csv); // a table may be written again
    unlink(csv);
    clean_up();
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_file_is_no_folder),
        cmocka_unit_test(long_lines_are_passed_over),
        cmocka_unit_test(tables_do_not_replace_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
