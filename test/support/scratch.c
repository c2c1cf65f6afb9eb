// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // mkstemp, fdopen
#include "scratch.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

FILE *lb_open_scratch(char path[LB_SCRATCH_PATH_SIZE])
{
    snprintf(path, LB_SCRATCH_PATH_SIZE, "%s", lb_find_scratch("XXXXXX"));
    const int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
    if (!file && descriptor >= 0) {
        close(descriptor);
    }
    return file;
}

const char *lb_make_scratch_folder(void)
{
    static int count;
    const char *path = lb_find_scratch("%d", ++count);
    return mkdir(path, 0700) == 0 ? path : NULL;
}

bool lb_enter_scratch_folder(void)
{
    const char *path = lb_make_scratch_folder();
    return path && chdir(path) == 0;
}
