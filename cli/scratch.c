// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // mkdtemp
#include "scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"

// What is to be removed: files, and the folders themselves.
typedef struct scratch {
    char *path;
    size_t length; // of the folder
} scratch;

static struct {
    scratch *list;
    size_t count;
} noted;

static void note(char *path, size_t length)
{
    noted.list = lb_cli_realloc(noted.list, (noted.count + 1) * sizeof *noted.list);
    noted.list[noted.count++] = (scratch){path, length};
}

bool lb_cli_make_scratch(char folder[LB_CLI_SCRATCH_SIZE])
{
    const char *shelf = getenv("TMPDIR");
    snprintf(folder, LB_CLI_SCRATCH_SIZE, "%.1000s/limber-XXXXXX",
             shelf && shelf[0] ? shelf : "/tmp");
    char *path = lb_cli_copy_text(folder);
    note(path, strlen(path));
    if (!mkdtemp(folder)) {
        lb_cli_complain("cannot make a folder in %s: %s", folder, strerror(errno));
        free(path);
        --noted.count;
        return false;
    }
    strcpy(path, folder);
    return true;
}

void lb_cli_note_scratch(const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    char *path = lb_cli_malloc(length + strlen(name) + 2);
    snprintf(path, length + strlen(name) + 2, "%s/%s", folder, name);
    note(path, length);
}

// Removes a file, and those of its folders that are empty then.
static void remove_path(scratch s)
{
    unlink(s.path);
    while (strlen(s.path) > s.length) {
        *strrchr(s.path, '/') = 0;
        rmdir(s.path);
    }
    rmdir(s.path);
    free(s.path);
}

static void forget(const char *folder, bool removes)
{
    const size_t length = strlen(folder);
    for (size_t i = noted.count; i-- > 0;) {
        const scratch s = noted.list[i];
        if (s.length != length || strncmp(s.path, folder, length) != 0) {
            continue;
        }
        noted.list[i] = noted.list[--noted.count];
        if (removes) {
            remove_path(s);
        } else {
            free(s.path);
        }
    }
}

void lb_cli_remove_scratch(const char *folder)
{
    forget(folder, true);
}

void lb_cli_keep_scratch(const char *folder)
{
    forget(folder, false);
}

void lb_cli_drop_scratch(void)
{
    while (noted.count > 0) {
        remove_path(noted.list[--noted.count]);
    }
}
