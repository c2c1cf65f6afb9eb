// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files whose names are no names of C: what freeze and export write under them compiles, and temporary files go to TMPDIR.
#define _XOPEN_SOURCE 700 // setenv
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"

#define MODEL lb_find_source("test/faults/models/plain.yaml")

static void frozen_files_of_any_name_compile(void **state)
{
    (void)state;
    static const struct {
        const char *file, *start;
    } cases[] = {
        {"my-arm v2.1", "my_arm_v2_1"},
        {"7dof", "m7dof"},
        {"\xc3\xbc"
         "ber",
         "m__ber"},
        {"a_name_of_a_model_that_is_longer_than_the_forty_characters",
         "a_name_of_a_model_that_is_longer_than_th"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char command[2048], sign[96];
        lb_cli_run r = lb_run(NULL, "freeze", MODEL, "-o", lb_find_scratch("%s.c", cases[i].file),
                              "--functions", "forward");
        assert_int_equal(r.status, 0);
        lb_end_run(&r);
        // the object has the function, under the name that was made
        snprintf(sign, sizeof sign, "%s_forward", cases[i].start);
        snprintf(command, sizeof command,
                 "cd '%s' && cc -std=c99 -c '%s.c' -o x.o && nm x.o | grep -q ' T %s$'",
                 lb_find_scratch("."), cases[i].file, sign);
        assert_int_equal(system(command), 0);
    }
}

static int count_files(const char *path)
{
    int count = 0;
    DIR *open = opendir(path);
    assert_non_null(open);
    while (readdir(open)) {
        ++count;
    }
    closedir(open);
    return count - 2;
}

static void units_of_any_name_are_made(void **state)
{
    (void)state;
    char command[2048];
    const char *path = lb_find_scratch("7 dof.fmu"), *shelf = lb_find_scratch("shelf"),
               *nowhere = lb_find_scratch("shelf/nowhere");
    assert_int_equal(mkdir(shelf, 0700), 0);

    setenv("TMPDIR", nowhere, 1);
    lb_cli_run r = lb_run(NULL, "export", "--as", "fmi2", MODEL, "-o", path);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "cannot make a folder in"));
    assert_non_null(strstr(r.err, nowhere));
    assert_int_equal(access(path, F_OK), -1);
    lb_end_run(&r);

    setenv("TMPDIR", shelf, 1);
    r = lb_run(NULL, "export", "--as", "fmi2", MODEL, "-o", path);
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    assert_int_equal(count_files(shelf), 0);
    lb_end_run(&r);
    unsetenv("TMPDIR");
    snprintf(command, sizeof command, "grep -aq 'binaries/linux64/m7_dof.so' '%s'", path);
    assert_int_equal(system(command), 0);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frozen_files_of_any_name_compile),
        cmocka_unit_test(units_of_any_name_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
