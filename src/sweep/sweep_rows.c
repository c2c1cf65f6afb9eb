// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing files of rows.
#define _POSIX_C_SOURCE 200809L
#include "sweep_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sweep_files.h"

const char lb_other_rows[] = "these rows are of another plan or model: move the folder away, or "
                             "choose another one";
const char lb_no_file[] = "it is not a regular file: remove it, or choose another folder";

struct lb_sweep_rows {
    int fd;
    int output_count;
    char *line;
    double last; ///< time of the last wait for the disk
};

uint32_t lb_compute_line_checksum(const char *text, size_t length)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < length; ++i) {
        sum = (sum ^ (unsigned char)text[i]) * 16777619u;
    }
    return sum;
}

size_t lb_format_rows_header(const lb_sweep *sweep, char line[LB_ROWS_HEADER])
{
    return (size_t)snprintf(line, LB_ROWS_HEADER, "limber-sweep-rows 1 %s\n", sweep->hash);
}

size_t lb_get_row_room(const lb_sweep *sweep)
{
    return 64 + LB_SWEEP_MESSAGE + 17 * (size_t)sweep->output_count;
}

lb_status lb_complain_of_rows(const lb_report *report, const char *path, lb_status status,
                              const char *message)
{
    if (report && report->emit) {
        const lb_diagnostic d = {.size = sizeof d,
                                 .severity = LB_SEVERITY_ERROR,
                                 .file = path,
                                 .path = "",
                                 .message = message};
        report->emit(report->user, &d);
    }
    return status;
}

// A worker that was just killed may still be about to end: its lock is waited for, for a few seconds.
static bool lock(int fd)
{
    const double start = lb_get_wall_time();
    do {
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        if (fcntl(fd, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN)) {
            return true; // where the file system has no locks, go on without
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    } while (lb_get_wall_time() - start < 5.0);
    return false;
}

// Cuts off a last line without its end.
static bool trim_end(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    const off_t whole = end;
    char c = '\n';
    while (end > 0 && pread(fd, &c, 1, end - 1) == 1 && c != '\n') {
        --end;
    }
    return end >= 0 && (end == whole || ftruncate(fd, end) == 0) && lseek(fd, 0, SEEK_END) >= 0;
}

static bool write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static lb_status open_rows(const lb_sweep *sweep, const char *path, const lb_report *report,
                           lb_sweep_rows *rows)
{
    char header[LB_ROWS_HEADER], found[LB_ROWS_HEADER] = "";
    const size_t length = lb_format_rows_header(sweep, header);
    struct stat about;
    rows->fd = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (rows->fd < 0 || fstat(rows->fd, &about) != 0) {
        return lb_complain_of_rows(report, path, LB_E_FILE, strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return lb_complain_of_rows(report, path, LB_E_FILE, lb_no_file);
    }
    if (!lock(rows->fd)) {
        return lb_complain_of_rows(report, path, LB_E_FILE,
                                   "another process writes to this file: wait for it, or stop it");
    }
    const ssize_t size = trim_end(rows->fd) ? pread(rows->fd, found, length, 0) : -1;
    if (size < 0 || (size == 0 && !write_all(rows->fd, header, length))) {
        return lb_complain_of_rows(report, path, LB_E_FILE, strerror(errno));
    }
    if (size > 0 && ((size_t)size != length || memcmp(found, header, length) != 0)) {
        return lb_complain_of_rows(report, path, LB_E_MODEL, lb_other_rows);
    }
    return LB_OK;
}

lb_status lb_open_sweep_rows(const lb_sweep *sweep, const char *path, const lb_report *report,
                             lb_sweep_rows **rows)
{
    lb_sweep_rows *r = calloc(1, sizeof *r);
    *rows = NULL;
    if (!r) {
        return LB_E_MEMORY;
    }
    r->fd = -1;
    r->output_count = sweep->output_count;
    r->line = malloc(lb_get_row_room(sweep));
    r->last = lb_get_wall_time();
    const lb_status status = r->line ? open_rows(sweep, path, report, r) : LB_E_MEMORY;
    if (status < 0) {
        lb_close_sweep_rows(r);
        return status;
    }
    *rows = r;
    return LB_OK;
}

lb_status lb_write_sweep_row(lb_sweep_rows *r, int64_t index, lb_status status,
                             const double *outputs, const char *message)
{
    enum { SUM = 9 }; // the checksum and a space
    char *at = r->line + SUM;
    at += snprintf(at, 40, "%" PRId64 " %d", index, (int)status);
    if (status < 0) {
        at += snprintf(at, LB_SWEEP_MESSAGE + 1, " %.*s", LB_SWEEP_MESSAGE - 1, message);
    }
    for (int i = 0; status >= 0 && i < r->output_count; ++i) {
        uint64_t bits;
        memcpy(&bits, &outputs[i], sizeof bits);
        at += snprintf(at, 18, " %016" PRIx64, bits);
    }
    char sum[SUM + 1];
    snprintf(sum, sizeof sum, "%08x ",
             (unsigned)lb_compute_line_checksum(r->line + SUM, (size_t)(at - r->line) - SUM));
    memcpy(r->line, sum, SUM);
    *at++ = '\n';
    if (!write_all(r->fd, r->line, (size_t)(at - r->line))) {
        return LB_E_FILE;
    }
    const double now = lb_get_wall_time();
    if (now - r->last >= 1.0) {
        r->last = now;
        return fdatasync(r->fd) == 0 || errno == EINVAL ? LB_OK : LB_E_FILE;
    }
    return LB_OK;
}

lb_status lb_close_sweep_rows(lb_sweep_rows *r)
{
    if (!r) {
        return LB_OK;
    }
    bool good = true;
    if (r->fd >= 0) {
        good = fdatasync(r->fd) == 0 || errno == EINVAL;
        good = close(r->fd) == 0 && good;
    }
    free(r->line);
    free(r);
    return good ? LB_OK : LB_E_FILE;
}
