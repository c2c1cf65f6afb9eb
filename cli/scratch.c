// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // mkdtemp
#include "scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

bool lb_cli_make_scratch(char folder[LB_CLI_SCRATCH_SIZE])
{
    const char *shelf = getenv("TMPDIR");
    snprintf(folder, LB_CLI_SCRATCH_SIZE, "%.1000s/limber-XXXXXX",
             shelf && shelf[0] ? shelf : "/tmp");
    if (!mkdtemp(folder)) {
        lb_cli_complain("cannot make a folder in %s: %s", folder, strerror(errno));
        return false;
    }
    return true;
}
