// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of rows of a sweep with lines that are no rows. Other things than files are in
// test/failure/cases/command/sweep_rows.cases.
#include <limber/sweep.h>
#include <stdio.h>
#include <sys/stat.h>

#include "check.h"
#include "scratch.h"
#include "sweep/sweep_files.h"

#define ROWS "rows/part-1-of-1-worker-1.rows" // as the first worker of one part names its file

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// A line that does not end for megabytes takes no memory, and those around it count.
static void long_lines_are_passed_over(void **state)
{
    (void)state;
    lb_sweep *sweep = NULL;
    lb_sweep_rows *out = NULL;
    const double y = 0.5;
    assert_true(lb_enter_scratch_folder() && mkdir("rows", 0700) == 0);
    write_text("model.yaml", "limber: 1\n"
                             "parameters: {m: 1}\n"
                             "bodies: [{name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, "
                             "mass: m, com: [1, 0, 0]}]\n");
    write_text("plan.yaml", "limber_sweep: 1\nmodel: model.yaml\nvary: {m: {values: [1, 2]}}\n"
                            "sampling: grid\njob: {type: run, duration: 0.1}\n"
                            "outputs: {y: {signal: t}}\n");
    lb_expect_ok(lb_load_sweep("plan.yaml", NULL, NULL, &sweep));
    lb_expect_ok(lb_open_sweep_rows(sweep, ROWS, NULL, &out));
    lb_expect_ok(lb_write_sweep_row(out, 0, LB_OK, &y, ""));
    lb_expect_ok(lb_close_sweep_rows(out));
    FILE *file = fopen(ROWS, "a");
    assert_non_null(file);
    for (int i = 0; i < 5000000; ++i) {
        fputc(i % 7 ? 'x' : 0, file);
    }
    fputc('\n', file);
    assert_int_equal(fclose(file), 0);
    lb_expect_ok(lb_open_sweep_rows(sweep, ROWS, NULL, &out));
    lb_expect_ok(lb_write_sweep_row(out, 1, LB_E_MODEL, NULL, "too heavy"));
    lb_expect_ok(lb_close_sweep_rows(out));
    lb_sweep_table *table = NULL;
    lb_expect_ok(lb_read_sweep_table(sweep, "rows", NULL, &table));
    assert_int_equal(table->done_count, 1);
    assert_true(table->outputs[0] == y);
    assert_string_equal(table->messages[1], "too heavy");
    lb_destroy_sweep_table(table);
    lb_destroy_sweep(sweep);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lines_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
