// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Command lines of freeze, export and sweep that cannot be done: each is refused in words, and nothing is written.
#define _XOPEN_SOURCE 700 // setenv
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "scratch.h"

#define MODELS(name) lb_find_source("test/faults/models/" name)

// Runs them in a folder that must be empty at the end.
static void expect_refusals(const lb_cli_case *cases, int count)
{
    char source[LB_SCRATCH_PATH_SIZE], unit[LB_SCRATCH_PATH_SIZE], rows[LB_SCRATCH_PATH_SIZE],
        svg[LB_SCRATCH_PATH_SIZE];
    const char *folder = lb_make_scratch_folder();
    assert_non_null(folder);
    snprintf(source, sizeof source, "%s/x.c", folder);
    snprintf(unit, sizeof unit, "%s/x.fmu", folder);
    snprintf(rows, sizeof rows, "%s/rows", folder);
    snprintf(svg, sizeof svg, "%s/x.svg", folder);
    lb_expect_cases(cases, count,
                    (const char *const[]){"PLAIN", MODELS("plain.yaml"), "BEAM",
                                          MODELS("beam.yaml"), "PLAN", MODELS("plan.yaml"),
                                          "SOURCE", source, "UNIT", unit, "ROWS", rows, "SVG", svg,
                                          "DIR", folder, NULL});
    assert_int_equal(rmdir(folder), 0);
}

#define EXPECT_REFUSALS(cases) expect_refusals(cases, sizeof(cases) / sizeof *(cases))

static void frozen_files_that_cannot_be(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"freeze", "PLAIN", "-o", "x.cc"}, 2, "", "'x.cc' found, expected a name that ends in .c"},
        {{"freeze", "PLAIN", "-o", ".c"}, 2, "", "'.c' found, expected a name that ends in .c"},
        {{"freeze", "PLAIN", "-o", "SOURCE", "--parameters", "m,nope"},
         2,
         "",
         "the model has no parameter 'nope'"},
        {{"freeze", "PLAIN", "-o", "SOURCE", "--functions", "forward,fly"},
         2,
         "",
         "'fly' is not one of forward, inverse"},
        {{"freeze", "PLAIN", "-o", "/nowhere/x.c"}, 1, "", "cannot write /nowhere/x.c: No such"},
        {{"freeze", "/nowhere/m.yaml", "-o", "SOURCE"}, 1, "", "No such file or directory"},
        {{"freeze", "PLAIN", "-o", "SOURCE", "--simulation", "--inputs", "nobody"},
         2,
         "",
         "inputs: 'nobody' is not a force of the model"},
    };
    EXPECT_REFUSALS(cases);
}

static void exports_that_cannot_be(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"export", "--as", "step", "PLAIN"}, 2, "", "'step' found, expected matrices, fmi2 or"},
        {{"export", "--as", "matrices", "BEAM", "-o", "ROWS"}, 2, "", "--body is missing"},
        {{"export", "--as", "matrices", "BEAM", "--body", "boom"}, 2, "", "--output is missing"},
        {{"export", "--as", "matrices", "BEAM", "--body", "nobody", "-o", "ROWS"},
         1,
         "",
         "\"nobody\": there is no such body"},
        {{"export", "--as", "fmi2", "PLAIN", "-o", "x.zip"}, 2, "", "a name that ends in .fmu"},
        {{"export", "--as", "fmi2", "PLAIN", "--inputs", "nobody", "-o", "UNIT"},
         2,
         "",
         "inputs: 'nobody' is not a force of the model"},
        {{"export", "--as", "fmi3", "PLAIN", "-o", "UNIT"},
         1,
         "",
         "no C compiler: 'no-such-compiler' cannot be started"},
    };
    setenv("CC", "no-such-compiler", 1);
    EXPECT_REFUSALS(cases);
}

static void sweeps_that_cannot_be(void **state)
{
    (void)state;
    static const lb_cli_case cases[] = {
        {{"sweep", "status", "PLAN", "--folder", "ROWS", "--json"}, 0, "\"done\": 0,", ""},
        {{"sweep", "statistics", "PLAN", "--folder", "ROWS"}, 1, "", "3 of 3 samples are not done"},
        {{"sweep", "merge", "PLAN", "-o", "x.png"}, 2, "", "expected a name that ends in .csv"},
        {{"sweep", "show", "PLAN", "--index", "99"}, 2, "", "expected a number from 0 to 2"},
        {{"sweep", "PLAN", "--folder", ""}, 2, "", "the name of the folder is empty or too long"},
        {{"sweep", "PLAN", "--part", "0/2"}, 2, "", "'0/2' given, expected I/N with I from 1 to N"},
        {{"sweep", "script", "PLAN", "--set", "m=1"},
         1,
         "",
         "there is no parameter \"m\" to be set"},
        {{"sweep", "status", "PLAN", "--folder", "DIR"}, 0, "open     3", ""},
#ifdef LB_WITH_VIEW
        {{"sweep", "figure", "PLAN", "--folder", "ROWS", "--of", "nothing", "-o", "SVG"},
         2,
         "",
         "the plan has no output 'nothing'; its first one is 'y'"},
        {{"sweep", "figure", "PLAN", "--folder", "ROWS", "--partial", "-o", "SVG"},
         1,
         "",
         "all values of 'y' are equal, or none is finite"},
#endif
    };
    EXPECT_REFUSALS(cases);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_files_that_cannot_be),
        cmocka_unit_test(exports_that_cannot_be),
        cmocka_unit_test(sweeps_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
