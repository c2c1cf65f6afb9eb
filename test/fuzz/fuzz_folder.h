// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A folder of a target that writes files, in TMPDIR, or else in memory, where writing takes less time.
#ifndef LB_TEST_FUZZ_FOLDER_H
#define LB_TEST_FUZZ_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LB_FUZZ_FOLDER_SIZE = 512 };

/// Needs _POSIX_C_SOURCE 200809L.
static inline void lb_fuzz_make_folder(char folder[LB_FUZZ_FOLDER_SIZE])
{
    const char *shelf = getenv("TMPDIR");
    snprintf(folder, LB_FUZZ_FOLDER_SIZE, "%s/limber-fuzz-XXXXXX",
             shelf && *shelf                 ? shelf
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    if (!mkdtemp(folder)) {
        exit(2);
    }
}

#endif // LB_TEST_FUZZ_FOLDER_H
