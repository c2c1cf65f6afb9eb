// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath
#include "program.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lb_test_file *first_file;

static char source_folder[PATH_MAX], built_folder[PATH_MAX];

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

// The nearest folder at a path or above it that holds an entry.
static int climb(const char *path, const char *entry, char folder[PATH_MAX])
{
    if (!realpath(path, folder)) {
        return 0;
    }
    for (;;) {
        char probe[PATH_MAX + 64];
        snprintf(probe, sizeof probe, "%s/%s", folder, entry);
        char *slash = strrchr(folder, '/');
        if (access(probe, F_OK) == 0) {
            return 1;
        }
        if (slash == folder || !slash) {
            return 0;
        }
        *slash = '\0';
    }
}

// Texts that are kept to the end of the program.
typedef struct kept {
    struct kept *next;
    char text[];
} kept;

static kept *texts;

static const char *keep(const char *folder, const char *format, va_list arguments)
{
    char path[2 * PATH_MAX];
    const int used = snprintf(path, PATH_MAX, "%s/", folder);
    vsnprintf(path + used, sizeof path - (size_t)used, format, arguments);
    for (const kept *k = texts; k; k = k->next) {
        if (strcmp(k->text, path) == 0) {
            return k->text;
        }
    }
    kept *k = malloc(sizeof *k + strlen(path) + 1);
    if (!k) {
        abort();
    }
    strcpy(k->text, path);
    k->next = texts;
    texts = k;
    return k->text;
}

const char *lb_find_source(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *path = keep(source_folder, format, arguments);
    va_end(arguments);
    return path;
}

const char *lb_find_built(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *path = keep(built_folder, format, arguments);
    va_end(arguments);
    return path;
}

int main(int argc, char **argv)
{
    const char *source = NULL;
    if (argc > 2 && strcmp(argv[1], "--source") == 0) {
        source = argv[2];
        argv += 2;
        argc -= 2;
    }
    signal(SIGINT, SIG_DFL); // what a shell starts in the background ignores Ctrl-C
    // programs are in the folder `test` of a build
    if (!climb(source ? source : ".", "test/support/program.c", source_folder) ||
        !climb("/proc/self/exe", "CMakeCache.txt", built_folder)) {
        fprintf(stderr, "no sources here: start it in them, or with --source FOLDER\n");
        return 2;
    }
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
        fprintf(stderr, "usage: tests [--source FOLDER] [FILE]: the tests of a file, or the names of all\n");
    }
    return argc == 1 ? 0 : 2;
}
