// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Result files with a row that is damaged, or whose model needs a file that is gone: each command says so.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bare_run.h"
#include "check.h"
#include "run_cli.h"
#include "swing.h"

enum { MOST = 1 << 20 };

static const char model[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0],\n"
    "          inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
    "signals: {twice: 2*bob.angle}\n"
    "run: {duration: 0.2, interval: 0.05}\n"
    "outputs: [twice]\n";

// A copy of a result file in which one bit is another, in the second row of a column.
static const char *damage(const char *result, const char *column, const char *name)
{
    static char bytes[MOST];
    lb_cli_run run = lb_run(NULL, "results", result, "--print", column);
    assert_int_equal(run.status, 0);
    // the names, and one row before it
    const char *row = strchr(strchr(run.out, '\n') + 1, '\n') + 1;
    const double value = strtod(strcmp(column, "t") == 0 ? row : strchr(row, ',') + 1, NULL);
    lb_end_run(&run);
    FILE *file = fopen(result, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t at = 0;
    while (at + sizeof value <= size && memcmp(bytes + at, &value, sizeof value) != 0) {
        ++at;
    }
    assert_true(value != 0.0 && at + sizeof value <= size);
    bytes[at] ^= 1;
    const char *path = lb_write_file(name, "");
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    return path;
}

static void damaged_rows_are_named(void **state)
{
    (void)state;
    const char *good = lb_record_run("bob.yaml", model);
    const char *times = damage(good, "t", "times.h5"), *states = damage(good, "bob.angle", "q.h5"),
               *signals = damage(good, "twice", "signals.h5");
    char yaml[600], page[600], png[600];
    snprintf(yaml, sizeof yaml, "%.*s", (int)strlen(good) - 3, good);
    snprintf(page, sizeof page, "%s.html", good);
    snprintf(png, sizeof png, "%s.png", good);
#define DAMAGED(table) "row 1 of " table " does not match its checksum"
    const lb_cli_case cases[] = {
        {{"results", "TIMES"}, 1, "", DAMAGED("time")},
        {{"plot", "TIMES", "twice"}, 1, "", DAMAGED("time")},
        {{"view", "TIMES", "--no-open", "--output", "PAGE"}, 1, "", DAMAGED("time")},
        {{"results", "STATES", "--csv"}, 1, NULL, DAMAGED("q")},
        {{"results", "STATES", "--print", "bob.velocity.x"}, 1, "", DAMAGED("q")},
        {{"results", "STATES", "--print", "twice"}, 1, NULL, DAMAGED("q")},
        {{"results", "STATES", "--compare", "GOOD"}, 1, "", DAMAGED("q")},
        {{"results", "GOOD", "--compare", "STATES"}, 1, "", DAMAGED("q")},
        {{"results", "GOOD", "--compare", "GOOD"}, 0, "0 differ", ""},
        {{"plot", "STATES", "twice"}, 0, "twice", ""},
        {{"plot", "STATES", "bob.velocity.x"}, 1, "", DAMAGED("q")},
        {{"plot", "STATES", "twice", "--x", "bob.angle"}, 1, "", DAMAGED("q")},
        {{"view", "STATES", "--no-open", "--output", "PAGE"}, 1, "", DAMAGED("q")},
        {{"render", "STATES", "--output", "PNG"}, 1, "", DAMAGED("q")},
        {{"modes", "MODEL", "--at", "AT"}, 1, "", DAMAGED("q")},
        {{"plot", "SIGNALS", "twice"}, 1, "", "cannot read twice: "},
        // the rest can be seen
        {{"view", "SIGNALS", "--output=-"},
         0,
         "The table signals cannot be read: ",
         "table signals is left out: "},
    };
    char at[600];
    snprintf(at, sizeof at, "%s@0.05", states);
    lb_expect_cases(cases, (int)(sizeof cases / sizeof *cases),
                    (const char *const[]){"TIMES", times, "STATES", states, "SIGNALS", signals,
                                          "GOOD", good, "PAGE", page, "PNG", png, "MODEL", yaml,
                                          "AT", at, NULL});
    assert_null(fopen(page, "rb"));
    assert_null(fopen(png, "rb"));
}

static void a_body_file_that_is_gone_is_the_cause(void **state)
{
    (void)state;
    const char *body = lb_write_file("bar.flex", "");
    lb_cli_run run =
        lb_run(NULL, "import", lb_find_source("test/data/fe/modes/bar.sid"), "--output", body);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    // a warning is expected: the bar has no geometric stiffness
    const char *flight = lb_write_file(
        "flight.yaml", "limber: 1\n"
                       "bodies: [{name: bar, hinge: {type: free}, flex: {file: bar.flex}}]\n"
                       "run: {duration: 1.0e-4, interval: 1.0e-4}\n");
    const char *result = lb_record_bare_run(flight, "flight.h5");
    const lb_cli_case cases[] = {
        {{"plot", "RESULT", "bar.velocity.x"}, 0, "bar.velocity.x", ""}, // found beside the results
        {{"plot", "RESULT", "bar.velocity.x"}, 2, "", "bar.flex"},
        {{"results", "RESULT", "--print", "bar.velocity.x"}, 2, "", "bar.flex"},
        {{"plot", "RESULT", "kinetic"}, 0, "kinetic", ""},
    };
    const char *const names[] = {"RESULT", result, NULL};
    lb_expect_cases(cases, 1, names);
    assert_int_equal(remove(body), 0);
    lb_expect_cases(cases + 1, 3, names);
}

static void moments_of_a_run_are_those_of_its_model(void **state)
{
    (void)state;
    char at[4][2200] = {"", "", "", ""};
    const char *result = lb_record_run("moment.yaml", model),
               *other = lb_write_file("other.yaml", "limber: 1\n"
                                                    "bodies: [{name: a, hinge: {type: free},\n"
                                                    "          mass: 1}]\n");
    snprintf(at[0], sizeof at[0], "%s@0.05", result);
    snprintf(at[1], sizeof at[1], "%s@0.06", result);
    snprintf(at[2], sizeof at[2], "%s@inf", result);
    memset(at[3], 'x', 2000);
    memcpy(at[3] + 2000, "@1", 3);
    char own[600];
    snprintf(own, sizeof own, "%.*s", (int)strlen(result) - 3, result);
    static const lb_cli_case cases[] = {
        {{"modes", "OTHER", "--at", "AT"}, 1, "", "of another model: 1 coordinates and 1 speeds"},
        {{"modes", "OWN", "--at", "BETWEEN"}, 1, "", "no row at t = 0.06 s; the nearest is at "},
        {{"modes", "OWN", "--at", "NEVER"}, 2, "", "expected FILE.json, or FILE.h5@TIME"},
        {{"modes", "OWN", "--at", "LONG"}, 2, "", "expected FILE.json, or FILE.h5@TIME"},
    };
    lb_expect_cases(cases, 4,
                    (const char *const[]){"OWN", own, "OTHER", other, "AT", at[0], "BETWEEN", at[1],
                                          "NEVER", at[2], "LONG", at[3], NULL});
    lb_cli_run run = lb_run(NULL, "modes", own, "--at", at[0]);
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_rows_are_named),
        cmocka_unit_test(a_body_file_that_is_gone_is_the_cause),
        cmocka_unit_test(moments_of_a_run_are_those_of_its_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
