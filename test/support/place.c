// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath, setenv, mkdtemp, nftw
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static char source_folder[PATH_MAX], built_folder[PATH_MAX], scratch_folder[PATH_MAX];

// "/a/b" of "/a/b/c"; false at the root
static bool cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = '\0';
    }
    return path[0] != '\0';
}

bool lb_set_source(const char *folder)
{
    char probe[PATH_MAX + 32];
    bool more = realpath(folder, source_folder) != NULL;
    while (more) {
        snprintf(probe, sizeof probe, "%s/test/support/program.h", source_folder);
        if (access(probe, F_OK) == 0) {
            return true;
        }
        more = cut_name(source_folder);
    }
    source_folder[0] = '\0';
    return false;
}

// Before any test enters another folder. Programs with tests are in the folder `test` of a build.
__attribute__((constructor)) static void look_around(void)
{
    (void)lb_set_source(".");
    if (!realpath("/proc/self/exe", built_folder) || !cut_name(built_folder) ||
        !cut_name(built_folder)) {
        abort();
    }
    setenv("LIMBER_COMMAND", lb_find_built("limber"), 1);
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
    if (!source_folder[0]) {
        fprintf(stderr, "no sources here: start it in them, or with --source FOLDER\n");
        exit(2);
    }
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

// ---- scratch ------------------------------------------------------------------------------------

static pid_t owner;

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

// Not by a child that ends.
static void remove_scratch(void)
{
    if (getpid() == owner) {
        (void)nftw(scratch_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    }
}

const char *lb_find_scratch(const char *format, ...)
{
    if (!owner) {
        const char *shelf = getenv("TMPDIR");
        char made[PATH_MAX];
        snprintf(made, sizeof made, "%s/limber-test-XXXXXX", shelf && *shelf ? shelf : "/tmp");
        if (!mkdtemp(made) || !realpath(made, scratch_folder)) {
            perror(made);
            exit(2);
        }
        owner = getpid();
        atexit(remove_scratch);
    }
    va_list arguments;
    va_start(arguments, format);
    const char *path = keep(scratch_folder, format, arguments);
    va_end(arguments);
    return path;
}
