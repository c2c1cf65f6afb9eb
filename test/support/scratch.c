// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // mkstemp, fdopen
#include "scratch.h"

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
