// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// --period of limber modes and limber linearize.
#include <string.h>

#include "check.h"
#include "run_cli.h"

#define PIVOT lb_find_source("test/cases/driven_pivot.yaml")

static void expect(const lb_cli_run *run, int status, const char *part)
{
    assert_int_equal(run->status, status);
    if (!strstr(run->out, part) && !strstr(run->err, part)) {
        fail_msg("expected \"%s\" in:\n%s%s", part, run->out, run->err);
    }
}

// Numbers: see test_floquet.
static void exponents_are_printed_with_the_period(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "linearize", PIVOT, "--period", "auto");
    expect(&run, 0, "over a motion that repeats itself every 1.00303334 s");
    expect(&run, 0, "0.2867");
    expect(&run, 0, "not stable: a pole grows by 0.28676");
    expect(&run, 0, "note: the motion from this state does not repeat itself");
    expect(&run, 0, "bob.angle moved by -0.0001");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", PIVOT, "--period", "auto", "--json");
    expect(&run, 0, "\"instants\": [0.0, ");
    expect(&run, 0, "\"turn\": {");
    expect(&run, 0, "\"multiplier\": ");
    assert_null(strstr(run.out, "\"effective\""));
    lb_end_run(&run);
    run = lb_run(NULL, "modes", PIVOT, "--period", "1.0030333421188s");
    expect(&run, 0, "bob.angle 100%");
    lb_end_run(&run);
}

static void warnings_name_the_option(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "linearize", PIVOT);
    expect(&run, 0, "--period does for a motion that repeats itself");
    lb_end_run(&run);
}

static void wrong_words_are_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {"0", "-1", "often", "1.5m", "inf"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        lb_cli_run run = lb_run(NULL, "modes", PIVOT, "--period", wrong[i]);
        expect(&run, 2, "expected seconds above zero, such as 0.5, or auto");
        lb_end_run(&run);
    }
    lb_cli_run run = lb_run(NULL, "modes", PIVOT, "--period", "1", "--trim");
    expect(&run, 2, "leave --trim and --steady out");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", PIVOT, "--period", "auto", "--effective");
    expect(&run, 2, "leave --period out");
    lb_end_run(&run);
    run = lb_run(NULL, "modes", PIVOT, "--period", "auto", "--spin", "bob", "--campbell", "1:2:3");
    expect(&run, 2, "leave --period out");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", PIVOT, "--period", "auto", "--margins");
    expect(&run, 2, "leave --period out");
    lb_end_run(&run);
    run = lb_run(NULL, "linearize", PIVOT, "--period", "0.7");
    expect(&run, 1, "the motion does not repeat itself after 0.7 s");
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents_are_printed_with_the_period),
        cmocka_unit_test(warnings_name_the_option),
        cmocka_unit_test(wrong_words_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
