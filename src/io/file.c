// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static lb_status lb_fill(const lb_allocator *allocator, FILE *file, char **text, size_t *length,
                         const char **reason)
{
    // by reading, not by asking for its size: it may be a pipe, or grow
    size_t capacity = 64 * 1024;
    *text = allocator->allocate(allocator->user, capacity);
    *length = 0;
    while (*text) {
        errno = 0;
        *length += fread(*text + *length, 1, capacity - *length, file);
        if (ferror(file)) {
            *reason = strerror(errno);
            return LB_E_FILE;
        }
        if (*length < capacity) {
            return LB_OK;
        }
        if (capacity >= LB_FILE_SIZE_MAX) {
            *reason = "it has 512 MiB or more, expected less";
            return LB_E_FILE;
        }
        capacity *= 2;
        char *larger = allocator->allocate(allocator->user, capacity);
        if (larger) {
            memcpy(larger, *text, *length);
        }
        allocator->release(allocator->user, *text);
        *text = larger;
    }
    return LB_E_MEMORY;
}

lb_status lb_read_file(const lb_allocator *allocator, const char *path, char **text, size_t *length,
                       const char **reason)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        *reason = strerror(errno);
        return LB_E_FILE;
    }
    const lb_status status = lb_fill(allocator, file, text, length, reason);
    fclose(file);
    if (status != LB_OK && *text) {
        allocator->release(allocator->user, *text);
        *text = NULL;
    }
    return status;
}
