// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_test_file *first_file;

void lb_register_tests(lb_test_file *file)
{
    file->next = first_file;
    first_file = file;
}

// "test_newton" of "test/cross/test_newton.c"
static int get_name(const lb_test_file *file, const char **name)
{
    const char *slash = strrchr(file->path, '/');
    *name = slash ? slash + 1 : file->path;
    return (int)strcspn(*name, ".");
}

int lb_is_long(void)
{
    return getenv("LIMBER_LONG_TESTS") != NULL;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--source") == 0) {
        if (!lb_set_source(argv[2])) {
            fprintf(stderr, "no sources in %s\n", argv[2]);
            return 2;
        }
        argv += 2;
        argc -= 2;
    }
    signal(SIGINT, SIG_DFL); // what a shell starts in the background ignores Ctrl-C
    for (const lb_test_file *file = first_file; file; file = file->next) {
        const char *name;
        const int length = get_name(file, &name);
        if (argc == 1) {
            printf("%.*s\n", length, name);
        } else if (argc == 2 && (int)strlen(argv[1]) == length &&
                   memcmp(argv[1], name, (size_t)length) == 0) {
            return file->run();
        }
    }
    if (argc != 1) {
        fprintf(
            stderr,
            "usage: tests [--source FOLDER] [FILE]: the tests of a file, or the names of all\n");
    }
    return argc == 1 ? 0 : 2;
}
