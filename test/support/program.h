// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A test program holds the tests of many files: `tests-cross test_newton` runs those of one, `tests-cross` lists them.
#ifndef LB_TEST_PROGRAM_H
#define LB_TEST_PROGRAM_H

#include <stdbool.h>

/// The `main` of one file of tests, which is known by the name of the file: LB_TESTS() { return failures; }
#define LB_TESTS()                                                                                 \
    static int lb_run_file(void);                                                                  \
    __attribute__((constructor)) static void lb_add_file(void)                                     \
    {                                                                                              \
        static lb_test_file file = {.path = __FILE__, .run = lb_run_file};                         \
        lb_register_tests(&file);                                                                  \
    }                                                                                              \
    static int lb_run_file(void)

typedef struct lb_test_file lb_test_file;
struct lb_test_file {
    const char *path;
    int (*run)(void); ///< number of failures
    lb_test_file *next;
};
void lb_register_tests(lb_test_file *file);

/// Whether tests that are shortened go their whole length: LIMBER_LONG_TESTS is in the environment (make reliability).
int lb_is_long(void);

/// A file of the sources, such as lb_find_source("examples/%s", name). They are the checkout that the program was started
/// in, or the one that its option --source names. The text is valid to the end of the program.
const char *lb_find_source(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The same of the folder that the program was built in, such as lb_find_built("limber"). For lines of the shell, the
/// variable LIMBER_COMMAND holds this path.
const char *lb_find_built(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The same of a folder of the program's own in TMPDIR or /tmp. It is made at the first call, and removed with all that is in
/// it at the end of the program.
const char *lb_find_scratch(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Takes the sources at a folder or above it. False if there are none.
bool lb_set_source(const char *folder);

#endif // LB_TEST_PROGRAM_H
