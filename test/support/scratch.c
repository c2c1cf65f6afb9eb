// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // mkstemp, mkdtemp, fdopen, nftw
#include "scratch.h"

#include <ftw.h>
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

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    (void)nftw(folder_path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
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
