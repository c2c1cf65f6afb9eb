// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A pipe whose writer is silent for so long is given up; a device has no end, unless it is a short one.
enum { SILENCE_MS = 10000, PAUSE_MS = 20, DEVICE_MAX = 1 << 20 };

// Some bytes; 0 at the end, -1 with errno. Only pipes and the like make it wait: they were opened without
// waiting, since a pipe that nobody writes to would hold up even that.
static ssize_t lb_read_some(int fd, bool waits, char *to, size_t room, bool any)
{
    for (int waited = 0; waited < SILENCE_MS; waited += PAUSE_MS) {
        const ssize_t got = read(fd, to, room);
        // nothing, and nothing before: a pipe has no writer yet
        if (got > 0 || (got == 0 && (any || !waits)) ||
            (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return got;
        }
        if (got == 0) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
        } else {
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            (void)poll(&wait, 1, PAUSE_MS);
        }
    }
    errno = ETIMEDOUT;
    return -1;
}

static lb_status lb_fill(const lb_allocator *allocator, int fd, mode_t mode, char **text,
                         size_t *length, const char **reason)
{
    const bool waits = S_ISFIFO(mode), device = S_ISBLK(mode) || S_ISCHR(mode);
    // by reading, not by asking for its size: it may be a pipe, or grow
    size_t capacity = 64 * 1024;
    *text = allocator->allocate(allocator->user, capacity);
    *length = 0;
    while (*text) {
        const ssize_t got =
            lb_read_some(fd, waits, *text + *length, capacity - *length, *length > 0);
        if (got < 0) {
            *reason = errno == ETIMEDOUT ? "nothing was written to it for 10 s" : strerror(errno);
            return LB_E_FILE;
        }
        *length += (size_t)got;
        if (got == 0) {
            return LB_OK;
        }
        if (*length < capacity) {
            continue;
        }
        if (device && capacity >= DEVICE_MAX) {
            *reason = "it is a device, expected a file";
            return LB_E_FILE;
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
    struct stat about;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        *reason = strerror(errno);
        if (fd >= 0) {
            close(fd);
        }
        return LB_E_FILE;
    }
    const lb_status status = lb_fill(allocator, fd, about.st_mode, text, length, reason);
    close(fd);
    if (status != LB_OK && *text) {
        allocator->release(allocator->user, *text);
        *text = NULL;
    }
    return status;
}

bool lb_is_inside(const char *path, const char *folder)
{
    char *file = realpath(path, NULL);
    const bool missing = !file && errno == ENOENT;
    char *root = realpath(folder, NULL);
    const size_t length = root ? strlen(root) : 0;
    const bool inside = file && root && strncmp(file, root, length) == 0 &&
                        (file[length] == '/' || (length > 0 && root[length - 1] == '/'));
    free(file);
    free(root);
    return inside || missing;
}
