// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // realpath
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/files/files.h"

// A pipe whose writer is silent for so long is given up; a device has no end, unless it is a short one.
enum { SILENCE = 10, PAUSE_MS = 20, DEVICE_MAX = 1 << 20, PIECE = 1 << 16 };

typedef struct input {
    int fd;
    bool is_standard;
    bool is_pipe, is_device;
    size_t limit; // of bytes
    size_t size;  // as the system says; it may be a pipe, or grow
} input;

// Some bytes; 0 at the end, -1 with errno. Only pipes and the like make it wait: they were opened without
// waiting, since a pipe that nobody writes to would hold up even that.
static ssize_t read_some(const input *in, char *to, size_t room, bool any)
{
    const double start = lb_get_wall_time();
    do {
        const ssize_t got = read(in->fd, to, room);
        // nothing, and nothing before: a pipe has no writer yet
        const bool is_end = got == 0 && (any || in->is_standard || !in->is_pipe);
        if (got > 0 || is_end || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            return got;
        }
        if (got == 0) {
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
        } else {
            struct pollfd wait = {.fd = in->fd, .events = POLLIN};
            (void)poll(&wait, 1, PAUSE_MS);
        }
    } while (in->is_standard || lb_get_wall_time() - start < SILENCE);
    errno = ETIMEDOUT;
    return -1;
}

// A value of errno on failure, 0 on success.
static int fill(const input *in, const lb_allocator *allocator, char **text, size_t *length)
{
    // room for the zero, and to see that nothing follows
    size_t room = in->size + 2 > PIECE ? in->size + 2 : PIECE;
    *length = 0;
    *text = in->size >= in->limit ? NULL : allocator->allocate(allocator->user, room);
    if (in->size >= in->limit) {
        return EFBIG;
    }
    while (*text) {
        const ssize_t got = read_some(in, *text + *length, room - *length - 1, *length > 0);
        if (got < 0) {
            return errno;
        }
        *length += (size_t)got;
        if (*length >= in->limit || (in->is_device && *length >= DEVICE_MAX)) {
            return in->is_device ? ENODEV : EFBIG;
        }
        (*text)[*length] = 0;
        if (got == 0) {
            return 0;
        }
        if (*length + 1 < room) {
            continue;
        }
        room *= 2;
        char *larger = allocator->allocate(allocator->user, room);
        if (larger) {
            memcpy(larger, *text, *length);
        }
        allocator->release(allocator->user, *text);
        *text = larger;
    }
    return ENOMEM;
}

// A value of errno on failure, 0 on success.
static int open_input(const char *path, input *in)
{
    struct stat about;
    in->is_standard = !path;
    in->fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : STDIN_FILENO;
    if (in->fd < 0 || fstat(in->fd, &about) != 0) {
        return errno;
    }
    in->is_pipe = S_ISFIFO(about.st_mode);
    in->is_device = S_ISBLK(about.st_mode) || S_ISCHR(about.st_mode);
    in->size = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    return 0;
}

static void explain(const lb_report *report, const char *path, size_t limit, int error)
{
    char size[64];
    snprintf(size, sizeof size, "it has %zu MiB or more, expected less", limit >> 20);
    const lb_diagnostic diagnostic = {
        .size = sizeof diagnostic,
        .severity = LB_SEVERITY_ERROR,
        .file = path ? path : "standard input",
        .path = "",
        .message = error == EFBIG       ? size
                   : error == ETIMEDOUT ? "nothing was written to it for 10 s"
                   : error == ENODEV    ? "it is a device, expected a file"
                   : error == ENOMEM    ? "out of memory"
                                        : strerror(error),
    };
    if (report && report->emit) {
        report->emit(report->user, &diagnostic);
    }
}

lb_status lb_read_file(const char *path, size_t limit, const lb_allocator *allocator,
                       const lb_report *report, char **text, size_t *length)
{
    const lb_allocator memory = lb_choose_allocator(allocator);
    input in = {.limit = limit};
    *text = NULL;
    int error = open_input(path, &in);
    if (error == 0) {
        error = fill(&in, &memory, text, length);
    }
    if (in.fd >= 0 && path) {
        close(in.fd);
    }
    if (error != 0) {
        if (*text) {
            memory.release(memory.user, *text);
            *text = NULL;
        }
        explain(report, path, limit, error);
    }
    return error == 0 ? LB_OK : error == ENOMEM ? LB_E_MEMORY : LB_E_FILE;
}

bool lb_is_in_folder(const char *path, const char *folder)
{
    errno = 0;
    char *file = realpath(path, NULL);
    const bool missing = !file && errno == ENOENT;
    const bool no_memory = errno == ENOMEM;
    char *root = realpath(folder, NULL);
    const size_t length = root ? strlen(root) : 0;
    const bool inside = file && root && strncmp(file, root, length) == 0 &&
                        (file[length] == '/' || (length > 0 && root[length - 1] == '/'));
    const int error = no_memory || (!root && errno == ENOMEM) ? ENOMEM : 0;
    free(file);
    free(root);
    errno = error;
    return inside || missing;
}
