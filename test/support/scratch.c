// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // mkstemp, mkdtemp, fdopen
#include "scratch.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

FILE *lb_open_scratch(char path[LB_SCRATCH_PATH_SIZE])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, LB_SCRATCH_PATH_SIZE, "%s/limber-XXXXXX", folder ? folder : "/tmp");
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!file && descriptor >= 0) {
        close(descriptor);
    }
    return file;
}

static char folder_path[LB_SCRATCH_PATH_SIZE];

static void remove_folder(void)
{
    DIR *folder = opendir(folder_path);
    const struct dirent *entry;
    while (folder && chdir(folder_path) == 0 && (entry = readdir(folder)) != NULL) {
        (void)unlink(entry->d_name); // "." and ".." stay
    }
    if (folder) {
        closedir(folder);
    }
    rmdir(folder_path);
}

bool lb_enter_scratch_folder(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(folder_path, sizeof folder_path, "%s/limber-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(folder_path)) {
        return false;
    }
    atexit(remove_folder);
    return chdir(folder_path) == 0;
}
