// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A library to be preloaded that makes one operation on files fail, as a full disk or a broken one does.
//
//     FAIL_UNDER   only files in this folder, the folder itself, and standard output
//     FAIL_AT      the number of the operation that fails; 0 for none
//     FAIL_FROM    if set, all that follow fail as well
//     FAIL_EIO     if set, the error is EIO instead of ENOSPC
//     FAIL_SHORT   if set, a write does not fail but takes half of the bytes
//     COUNT_FILE   gets the number of operations, and the name of the one that failed
//
// Counted are open (with O_CREAT), write, pwrite, ftruncate, fchmod, fsync, fdatasync, rename, link and
// close of files that are open for writing. Streams of stdio make their system calls inside the C library,
// so fdopen and stdout are given streams that call the functions of this file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Shared by the processes that the command forks.
typedef struct shared {
    long count;
    char failed[64];
} shared;

static long at;
static bool from, halves;
static int error = ENOSPC;
static char under[PATH_MAX];
static shared own, *told = &own;

static bool is_under(const char *path)
{
    return under[0] && strncmp(path, under, strlen(under)) == 0;
}

static bool is_watched(int fd)
{
    char link[64], path[PATH_MAX] = "";
    const int saved = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const bool there = readlink(link, path, sizeof path - 1) > 0;
    errno = saved;
    // a file that has been removed is nobody's
    const char *end = strstr(path, " (deleted)");
    return fd == STDOUT_FILENO || (there && !end && is_under(path));
}

static bool is_watched_name(const char *path)
{
    char folder[PATH_MAX], whole[PATH_MAX] = "";
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = 0;
    }
    return realpath(slash ? folder : ".", whole) && is_under(whole);
}

static bool hits(const char *what)
{
    const long count = __atomic_add_fetch(&told->count, 1, __ATOMIC_RELAXED);
    if (at > 0 && (count == at || (from && count > at))) {
        if (!told->failed[0]) {
            snprintf(told->failed, sizeof told->failed, "%s", what);
        }
        errno = error;
        return true;
    }
    return false;
}

// ---- functions that are replaced ---------------------------------------------------------------

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (is_watched(fd) && hits("write")) {
        return halves && size > 1 ? syscall(SYS_write, fd, bytes, size / 2) : -1;
    }
    return syscall(SYS_write, fd, bytes, size);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    if (is_watched(fd) && hits("pwrite")) {
        return halves && size > 1 ? syscall(SYS_pwrite64, fd, bytes, size / 2, offset) : -1;
    }
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t offset)
{
    return pwrite(fd, bytes, size, offset);
}

static bool breaks(int fd, const char *what)
{
    return is_watched(fd) && hits(what) && !halves;
}

int ftruncate(int fd, off_t size)
{
    return breaks(fd, "ftruncate") ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off_t size)
{
    return ftruncate(fd, size);
}

int fchmod(int fd, mode_t mode)
{
    return breaks(fd, "fchmod") ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int fsync(int fd)
{
    return breaks(fd, "fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return breaks(fd, "fdatasync") ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *old, const char *new)
{
    const bool bad = is_watched_name(new) && hits("rename") && !halves;
    return bad ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int link(const char *old, const char *new)
{
    const bool bad = is_watched_name(new) && hits("link") && !halves;
    return bad ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int close(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    const bool bad = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fd > STDERR_FILENO &&
                     is_watched(fd) && hits("close") && !halves;
    const int result = (int)syscall(SYS_close, fd);
    if (bad) {
        errno = error;
    }
    return bad ? -1 : result;
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    const bool bad = flags & O_CREAT && is_watched_name(path) && hits("open") && !halves;
    return bad ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return open(path, flags, mode);
}

// ---- streams -----------------------------------------------------------------------------------

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t some = write((int)(long)cookie, bytes + done, size - done);
        if (some <= 0) {
            return 0; // that is how a stream of this kind fails
        }
        done += (size_t)some;
    }
    return (ssize_t)done;
}

static ssize_t get(void *cookie, char *bytes, size_t size)
{
    return read((int)(long)cookie, bytes, size);
}

static int end(void *cookie)
{
    return close((int)(long)cookie);
}

FILE *fdopen(int fd, const char *mode)
{
    // streams of other files can do more: they seek
    if (!is_watched(fd)) {
        FILE *(*plain)(int, const char *) = NULL;
        *(void **)&plain = dlsym(RTLD_NEXT, "fdopen");
        return plain(fd, mode);
    }
    const cookie_io_functions_t functions = {.read = get, .write = put, .close = end};
    return fopencookie((void *)(long)fd, mode, functions);
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAIL_AT"), *folder = getenv("FAIL_UNDER");
    at = number ? atol(number) : 0;
    from = getenv("FAIL_FROM") != NULL;
    halves = getenv("FAIL_SHORT") != NULL;
    error = getenv("FAIL_EIO") ? EIO : ENOSPC;
    void *memory =
        mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told = memory != MAP_FAILED ? memory : &own;
    if (folder) {
        snprintf(under, sizeof under, "%s", folder);
        const cookie_io_functions_t functions = {.write = put};
        stdout = fopencookie((void *)(long)STDOUT_FILENO, "w", functions);
    }
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("COUNT_FILE");
    char text[128];
    const int length =
        snprintf(text, sizeof text, "%ld %s\n", told->count, told->failed[0] ? told->failed : "-");
    const int fd =
        path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    if (fd >= 0) {
        syscall(SYS_write, fd, text, (size_t)length);
        syscall(SYS_close, fd);
    }
}
