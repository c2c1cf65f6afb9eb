// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What libFuzzer calls, and what targets share.
#ifndef LB_TEST_FUZZ_H
#define LB_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "limber/base.h"

/// Tries one input. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Receives a diagnostic of a document "fuzz". It must be complete: the command prints it as it is.
///
/// @param user  int: counts errors
static inline void lb_fuzz_count_error(void *user, const lb_diagnostic *diagnostic)
{
    int *errors = user;
    *errors += diagnostic->severity == LB_SEVERITY_ERROR;
    // warnings of a run are about the simulation, not about a file
    if ((!diagnostic->file && diagnostic->severity == LB_SEVERITY_ERROR) || !diagnostic->path ||
        !diagnostic->message || !*diagnostic->message) {
        abort();
    }
    // of a file that it names and that cannot be opened there is no line
    if (diagnostic->file && strcmp(diagnostic->file, "fuzz") == 0 &&
        (diagnostic->line < 1 || diagnostic->column < 1)) {
        abort();
    }
}

/// `start`, the input and a zero byte. To be freed.
static inline char *lb_fuzz_join(const char *start, const uint8_t *data, size_t size)
{
    const size_t length = strlen(start);
    char *text = malloc(length + size + 1);
    if (!text) {
        exit(2);
    }
    memcpy(text, start, length);
    if (size) {
        memcpy(text + length, data, size);
    }
    text[length + size] = '\0';
    return text;
}

#endif // LB_TEST_FUZZ_H
