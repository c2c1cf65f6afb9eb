// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // mkstemp
#include "attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// "\nlimber-frozen 2 ", the hash, a space, the checksum, the end of the line
enum { HASH = 17, SUM = HASH + 17, STAMP = SUM + 17 };

uint64_t lb_add_to_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ b[i]) * 0x100000001b3u;
    }
    return hash;
}

static void write_stamp(char stamp[STAMP], uint64_t hash, const char *bytes, size_t size)
{
    char text[STAMP + 1];
    snprintf(text, sizeof text, "\nlimber-frozen 2 %016" PRIx64 " %016" PRIx64 "\n", hash,
             lb_add_to_hash(LB_HASH_START, bytes, size));
    memcpy(stamp, text, STAMP);
}

// All of a regular file, with room for a stamp behind it. Pipes are not waited for.
//
// @param about  out: its size and mode
static lb_status read_file(const char *path, struct stat *about, char **bytes, lb_text *why)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_open = fd >= 0 && fstat(fd, about) == 0;
    lb_status status = LB_E_FILE;
    *bytes = NULL;
    if (is_open && !S_ISREG(about->st_mode)) {
        lb_text_add(why, "%s is not a regular file: name another one", path);
    } else {
        const size_t size = is_open ? (size_t)about->st_size : 0;
        *bytes = is_open ? malloc(size + STAMP) : NULL;
        const bool is_read = *bytes && read(fd, *bytes, size) == about->st_size;
        status = is_read ? LB_OK : is_open && !*bytes ? LB_E_MEMORY : LB_E_FILE;
        if (status == LB_E_FILE) {
            lb_text_add(why, "%s: %s", path, strerror(errno));
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

// Fills the file and gives it its name.
//
// @return 0, or the number of the error
static int finish(int fd, const char *own, const char *path, mode_t mode, const char *bytes,
                  size_t size)
{
    int error = 0;
    if (!write_all(fd, bytes, size) || fchmod(fd, mode) != 0 || fsync(fd) != 0) {
        error = errno;
    }
    if (close(fd) != 0 && !error) {
        error = errno;
    }
    if (!error && rename(own, path) != 0) {
        error = errno;
    }
    return error;
}

// The file has a private name in the same folder until it is complete.
static lb_status write_file(const char *path, mode_t mode, const char *bytes, size_t size,
                            lb_text *why)
{
    static const char name[] = ".limber-XXXXXX";
    const char *slash = strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *own = malloc(folder + sizeof name);
    if (!own) {
        return LB_E_MEMORY;
    }
    memcpy(own, path, folder);
    memcpy(own + folder, name, sizeof name);
    const int fd = mkstemp(own);
    const int error = fd < 0 ? errno : finish(fd, own, path, mode, bytes, size);
    if (error) {
        lb_text_add(why, "the compiled model cannot be kept in %s: %s", path, strerror(error));
        (void)unlink(own);
    }
    free(own);
    return error ? LB_E_FILE : LB_OK;
}

lb_status lb_keep_library(const char *built, const char *path, uint64_t hash, lb_text *why)
{
    char *bytes;
    struct stat about;
    lb_status status = read_file(built, &about, &bytes, why);
    if (status == LB_OK) {
        const size_t size = (size_t)about.st_size;
        write_stamp(bytes + size, hash, bytes, size);
        status = write_file(path, about.st_mode & 0777, bytes, size + STAMP, why);
    }
    free(bytes);
    return status;
}

lb_status lb_check_kept_library(const char *path, uint64_t hash, lb_text *why)
{
    char *bytes, expected[STAMP];
    struct stat about;
    lb_status status = read_file(path, &about, &bytes, why);
    if (status == LB_OK) {
        const size_t size = about.st_size > STAMP ? (size_t)about.st_size - STAMP : 0;
        const char *found = bytes + size;
        write_stamp(expected, hash, bytes, size);
        if (size == 0 || memcmp(found, expected, HASH) != 0 ||
            memcmp(found + SUM, expected + SUM, STAMP - SUM) != 0) {
            lb_text_add(
                why, "%s is no compiled model, or is damaged: remove it to compile it again", path);
            status = LB_E_FILE;
        } else if (memcmp(found, expected, STAMP) != 0) {
            lb_text_add(why,
                        "%s was compiled from another model, or by another version of limber: "
                        "remove it to compile it again",
                        path);
            status = LB_E_MODEL;
        }
    }
    free(bytes);
    return status;
}
