// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that appear whole or not at all: written under a private name in the same folder, flushed to the
// disk, renamed. The one place that decides what may be overwritten.
#define _DEFAULT_SOURCE
#include "base/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/faults.h"

struct lb_output {
    int fd;
    char *asked;  // the name as the caller wrote it, for messages
    char *path;   // the same with links resolved
    char *folder; // of the path
    char *name;   // private, in that folder
};

// ---- messages ----------------------------------------------------------------------------------

static const char *get_cure(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "; free some space, or write to another disk";
    case EACCES:
    case EPERM:
    case EROFS:
        return "; choose a file and a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
        return "; create its folder first, or correct the name";
    case EIO:
        return "; check the disk, or write to another one";
    default:
        return "";
    }
}

static lb_status refuse(const lb_report *report, const char *path, const char *why,
                        const char *cure)
{
    lb_faults faults = {.error_count = 0};
    const size_t length = strlen(path), most = 300;
    if (report) {
        faults.report = *report;
    }
    // the end of a long name says most, and leaves room for the reason
    lb_complain(&faults, LB_SEVERITY_ERROR, "", "", "cannot write %s%s: %s%s",
                length > most ? "..." : "", length > most ? path + length - most : path, why, cure);
    return LB_E_FILE;
}

static lb_status refuse_error(const lb_report *report, const char *path, int error)
{
    return refuse(report, path, strerror(error), get_cure(error));
}

// ---- what may be overwritten -------------------------------------------------------------------

static const char *name_kind(mode_t mode)
{
    return S_ISDIR(mode)                    ? "it is a folder"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "it is a device"
           : S_ISFIFO(mode)                 ? "it is a named pipe"
           : S_ISSOCK(mode)                 ? "it is a socket"
                                            : "it is no regular file";
}

// Looks at what has the name now.
//
// permissions: out: of a file that is there; -1 if there is none
static lb_status look(const char *path, const lb_report *report, int *permissions)
{
    struct stat about;
    const size_t length = strlen(path);
    *permissions = -1;
    if (stat(path, &about) == 0) {
        if (!S_ISREG(about.st_mode)) {
            return refuse(report, path, name_kind(about.st_mode), "; name a regular file");
        }
        if (access(path, W_OK) != 0) {
            return refuse_error(report, path, errno);
        }
        *permissions = (int)(about.st_mode & 0777);
    } else if (errno != ENOENT) {
        return refuse_error(report, path, errno);
    } else if (lstat(path, &about) == 0) {
        return refuse(report, path, "it is a link to a file that does not exist",
                      "; remove the link");
    } else if (length == 0 || path[length - 1] == '/') {
        return refuse(report, path, "it is the name of a folder", "; name a file");
    }
    return LB_OK;
}

// ---- opening -----------------------------------------------------------------------------------

// Nobody can guess it, so nobody can be there before.
static uint64_t make_random(void)
{
    uint64_t bits;
    if (getentropy(&bits, sizeof bits) != 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        bits = ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)now.tv_sec ^ ((uint64_t)getpid() << 16);
    }
    return bits;
}

// Creates the file under its private name; a value of errno on failure, 0 on success.
static int create(lb_output *o)
{
    const size_t size = strlen(o->folder) + 32;
    o->name = malloc(size);
    if (!o->name) {
        return ENOMEM;
    }
    do {
        snprintf(o->name, size, "%s/.limber-%016llx", o->folder, (unsigned long long)make_random());
        o->fd = open(o->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    } while (o->fd < 0 && errno == EEXIST);
    return o->fd < 0 ? errno : 0;
}

static void free_output(lb_output *o)
{
    if (o->fd >= 0) {
        close(o->fd);
    }
    free(o->asked);
    free(o->path);
    free(o->folder);
    free(o->name);
    free(o);
}

// The path without its last name.
static char *copy_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strdup(path) : strdup(".");
    if (folder && slash) {
        folder[slash == path ? 1 : slash - path] = 0;
    }
    return folder;
}

lb_status lb_open_output(const char *path, const lb_report *report, lb_output **output)
{
    int permissions;
    *output = NULL;
    if (look(path, report, &permissions) < 0) {
        return LB_E_FILE;
    }
    lb_output *o = calloc(1, sizeof *o);
    if (o) {
        o->fd = -1;
        o->asked = strdup(path);
        o->path = permissions >= 0 ? realpath(path, NULL) : strdup(path);
        o->folder = o->path ? copy_folder(o->path) : NULL;
    }
    int error = !o || !o->asked || !o->path || !o->folder ? ENOMEM : create(o);
    // as readable as what it replaces
    if (error == 0 && permissions >= 0 && fchmod(o->fd, (mode_t)permissions) != 0) {
        error = errno;
        unlink(o->name);
    }
    if (error != 0) {
        refuse_error(report, path, error);
        if (o) {
            free_output(o);
        }
        return error == ENOMEM ? LB_E_MEMORY : LB_E_FILE;
    }
    *output = o;
    return LB_OK;
}

int lb_get_output_descriptor(const lb_output *output)
{
    return output->fd;
}

const char *lb_get_output_name(const lb_output *output)
{
    return output->name;
}

// ---- the end -----------------------------------------------------------------------------------

void lb_drop_output(lb_output *o, int error, const lb_report *report)
{
    if (!o) {
        return;
    }
    unlink(o->name);
    if (error != 0) {
        refuse_error(report, o->asked, error);
    }
    free_output(o);
}

// Gives the file its name if nothing has it; a value of errno on failure, 0 on success.
static int place_new(const lb_output *o)
{
    if (link(o->name, o->path) == 0) {
        unlink(o->name);
        return 0;
    }
    // some file systems have no hard links
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) {
        return errno;
    }
    return access(o->path, F_OK) == 0 ? EEXIST : rename(o->name, o->path) == 0 ? 0 : errno;
}

// Makes the new name last; a value of errno on failure, 0 on success.
static int sync_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 ? errno : fsync(fd) != 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    // some file systems cannot, and folders may be written to by those who cannot read them
    return error == EINVAL || error == EACCES ? 0 : error;
}

lb_status lb_finish_output(lb_output *o, bool replace, const lb_report *report)
{
    int error = fsync(o->fd) != 0 ? errno : 0;
    const int fd = o->fd;
    o->fd = -1;
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0) {
        error = !replace ? place_new(o) : rename(o->name, o->path) != 0 ? errno : 0;
    }
    if (error != 0) {
        const bool is_there = error == EEXIST && !replace;
        lb_drop_output(o, is_there ? 0 : error, report);
        return is_there ? LB_E_ARGUMENT : LB_E_FILE;
    }
    error = sync_folder(o->folder);
    if (error != 0 && !replace) {
        unlink(o->path);
        refuse_error(report, o->asked, error);
    } else if (error != 0) {
        refuse(report, o->asked, strerror(error),
               "; the file is complete, but a power cut may undo its new name");
    }
    free_output(o);
    return error == 0 ? LB_OK : LB_E_FILE;
}
