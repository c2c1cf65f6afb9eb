// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that freeze and export write: their names, what is in them, and what the command says was left out.
#define _GNU_SOURCE // setenv
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "scratch.h"

#define MODELS(name) lb_find_source("test/faults/models/" name)
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

// Whether a file has a text; it may hold zeros.
static bool has_text(const char *path, const char *text)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size < sizeof bytes);
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

static void frozen_files_are_named_after_the_model(void **state)
{
    (void)state;
    const lb_cli_case cases[] = {
        {{"freeze", MODELS("plain.yaml")},
         0,
         "wrote plain.h\nwrote plain.c\n",
         "limber: left out: forces[0], spring\n"
         "limber: left out: forces[1], motor\n"
         "limber: left out: events[0], end\n"},
        {{"freeze", MODELS("loop.yaml"), "-o", "my-loop.v2.c", "--functions", "forward,close",
          "--float", "--vector"},
         0,
         "wrote my-loop.v2.h\nwrote my-loop.v2.c\n",
         "limber: left out: forces[0], rub\n"},
        {{"freeze", "-q", MODELS("plain.yaml"), "-o", "quiet.c"}, 0, "", ""},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    assert_true(has_text("plain.h", "#define PLAIN_Q 2 "));
    assert_true(has_text("plain.h", "int plain_forward(const double q[PLAIN_Q]"));
    assert_true(has_text("plain.h", "int plain_inverse(const double q[PLAIN_Q]"));
    assert_true(has_text("plain.c", "#include \"plain.h\"\n"));
    // what no name of C may hold becomes an underscore; closed loops start from the state of the model
    assert_true(has_text("my-loop.v2.h", "int my_loop_v2_forward(const float q[MY_LOOP_V2_Q]"));
    assert_true(has_text("my-loop.v2.h", "int my_loop_v2_close(float q[MY_LOOP_V2_Q]"));
    assert_false(has_text("my-loop.v2.h", "inverse"));
    assert_true(has_text("my-loop.v2.c", "#include \"my-loop.v2.h\"\n"));
}

static void frozen_simulations_name_what_they_leave_out(void **state)
{
    (void)state;
    const lb_cli_case cases[] = {
        {{"freeze", MODELS("control.yaml"), "-o", "c.c", "--simulation"},
         0,
         "wrote c.h\nwrote c.c\n",
         "limber: left out: controllers[0], balance\nlimber: left out: controllers[1], slew\n"},
        {{"freeze", MODELS("control.yaml"), "-o", "c.c", "--simulation", "--functions",
          "rates,control"},
         0,
         "wrote c.h\nwrote c.c\n",
         ""},
        {{"freeze", MODELS("plain.yaml"), "-o", "c.c", "--simulation", "--inputs", "motor",
          "--parameters", "m", "--functions", "rates"},
         0,
         "wrote c.h\nwrote c.c\n",
         "limber: left out: events[0], end\n"},
    };
    lb_expect_cases(cases, COUNT(cases), NULL);
    assert_true(has_text("c.h", "int c_rates("));
    assert_false(has_text("c.h", "int c_step("));
}

static void units_hold_sources_and_a_binary(void **state)
{
    (void)state;
    struct utsname machine;
    char binary[128];
    assert_int_equal(uname(&machine), 0);
    snprintf(binary, sizeof binary, "binaries/%.64s-linux/my_unit.so", machine.machine);
    const lb_cli_case cases[] = {
        {{"export", "--as", "fmi2", MODELS("control.yaml"), "--sources-only"},
         0,
         "wrote control.fmu\n",
         ""},
        {{"export", "--as", "fmi2", MODELS("control.yaml"), "--sources-only", "--open-loop", "-o",
          "open.fmu"},
         0,
         "wrote open.fmu\n",
         "limber: left out: controllers[0] balance\nlimber: left out: controllers[1] slew\n"},
        {{"export", "--as", "fmi3", MODELS("plain.yaml"), "--signal", "b.distance,b.rate",
          "--parameters", "m", "-o", "my-unit.fmu"},
         0,
         "wrote my-unit.fmu\n",
         ""},
        {{"export", "--as", "fmi2", "odd.yaml", "--sources-only"}, 0, "wrote odd.fmu\n", ""},
    };
    // names by the convention of the standard: in quotes, and bytes that those must not hold as numbers
    FILE *odd = fopen("odd.yaml", "w");
    assert_non_null(odd);
    fputs("limber: 1\nbodies:\n"
          "  - {name: left arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1,\n"
          "     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"
          "  - {name: \"it's\", parent: left arm, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: "
          "0.5}\n"
          "  - {name: 1\303\251, parent: left arm, hinge: {type: prismatic, axis: [1, 0, 0]}, "
          "mass: 0.5}\n",
          odd);
    assert_int_equal(fclose(odd), 0);
    setenv("CC", "", 1); // cc
    lb_expect_cases(cases, COUNT(cases), NULL);
    // names of files stand in the archive as they are
    assert_true(has_text("my-unit.fmu", binary));
    assert_true(has_text("my-unit.fmu", "sources/my_unit.c"));
    assert_true(has_text("my-unit.fmu", "modelDescription.xml"));
    assert_true(has_text("control.fmu", "sources/control.c"));
    assert_false(has_text("control.fmu", "binaries/"));
    assert_true(has_text("odd.fmu", "name=\"'left arm'.angle\""));
    assert_true(has_text("odd.fmu", "name=\"der('it\\'s'.distance)\""));
    assert_true(has_text("odd.fmu", "name=\"'1~c3~a9'.distance_rate\""));

    const lb_cli_case wrong[] = {
        {{"export", "--as", "fmi2", MODELS("plain.yaml")},
         1,
         "",
         "limber: the compiler 'false' failed; --sources-only leaves the binary out\n"},
        {{"export", "--as", "fmi3", MODELS("plain.yaml"), "--signal", "nothing"},
         2,
         "",
         "limber: outputs[2]: there is no signal \"nothing\" (character 1)\n"
         "limber: export: --signal: 'nothing' cannot be an output\n"},
        {{"export", "--as", "fmi3", MODELS("plain.yaml"), "--parameters", "nope"},
         2,
         "",
         "limber: export: --parameters: the model has no parameter 'nope'\n"},
        {{"export", "--as", "fmi3", MODELS("plain.yaml"), "--sources-only", "-o", "no/such.fmu"},
         1,
         "",
         "cannot write no/such.fmu: No such file or directory"},
        {{"export", "--as", "fmi3", "none.yaml"}, 1, "", "none.yaml"},
    };
    setenv("CC", "false", 1);
    lb_expect_cases(wrong, COUNT(wrong), NULL);
    assert_int_not_equal(access("plain.fmu", F_OK), 0);
    unsetenv("CC");
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_files_are_named_after_the_model),
        cmocka_unit_test(frozen_simulations_name_what_they_leave_out),
        cmocka_unit_test(units_hold_sources_and_a_binary),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
