// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of packages: what robots name by package://NAME/..., sought from the robot's own place upwards.
#define _XOPEN_SOURCE 700 // realpath
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files/files.h"

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// "FOLDER/INNER/PATH"; false if it is too long.
static bool join(const char *folder, const char *inner, const char *path, size_t size, char *joined)
{
    const bool is_root = strcmp(folder, "/") == 0;
    const int length = snprintf(joined, size, "%s%s%s%s%s", is_root ? "" : folder, "/", inner,
                                inner[0] ? "/" : "", path);
    return length > 0 && (size_t)length < size;
}

// Whether the package.xml of a folder has a name, or is there at all if the name is NULL.
static bool is_package(const char *folder, const char *name, size_t length)
{
    char path[4096], text[8192]; // the name is at the beginning
    if (!join(folder, "", "package.xml", sizeof path, path) || !is_file(path)) {
        return false;
    }
    FILE *file = name ? fopen(path, "rb") : NULL;
    if (!file) {
        return !name;
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *at = strstr(text, "<name>");
    at = at ? at + strlen("<name>") : "";
    at += strspn(at, " \t\r\n");
    return strcspn(at, " \t\r\n<") == length && strncmp(at, name, length) == 0;
}

// Makes a folder the one around it. False at the root.
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash || !slash[1]) {
        return false;
    }
    slash[slash == folder] = 0;
    return true;
}

// Whether a folder has this name. One right below the root has none: /home is no package for whoever calls one so.
static bool is_called(const char *folder, const char *name, size_t length)
{
    const char *slash = strrchr(folder, '/');
    return slash && slash != folder && strlen(slash + 1) == length &&
           strncmp(slash + 1, name, length) == 0;
}

// Looks for a file of a package in a folder and those around it, the nearest first.
static bool find_in_package(char *folder, const char *name, size_t size, char *file,
                            bool *is_inside)
{
    const char *slash = strchr(name, '/');
    const size_t length = slash ? (size_t)(slash - name) : 0;
    do {
        if (length > 0 && (is_called(folder, name, length) || is_package(folder, name, length)) &&
            join(folder, "", slash + 1, size, file) && is_file(file)) {
            *is_inside = lb_is_in_folder(file, folder);
            return true;
        }
        if (length > 0 && join(folder, "", name, size, file) && is_file(file)) {
            return true;
        }
    } while (go_up(folder));
    return false;
}

// Whether a file is in a folder or in the package around it.
static bool is_near(const char *file, char *folder)
{
    if (lb_is_in_folder(file, folder)) {
        return true;
    }
    if (errno == ENOMEM) {
        return false;
    }
    do {
        if (is_package(folder, NULL, 0)) {
            return lb_is_in_folder(file, folder);
        }
    } while (go_up(folder));
    return false;
}

lb_status lb_find_mesh_file(const char *folder, const char *name, size_t size, char *file,
                            bool *is_inside)
{
    *is_inside = false;
    errno = 0;
    char *own = realpath(folder, NULL), *walk = own ? strdup(own) : NULL;
    lb_status status = walk ? LB_E_FILE : errno == ENOMEM ? LB_E_MEMORY : LB_E_FILE;
    const char *plain = strncmp(name, "file://", 7) == 0       ? name + 7
                        : strncmp(name, "package://", 10) == 0 ? name + 10
                        : strncmp(name, "model://", 8) == 0    ? name + 8
                                                               : name;
    const bool packaged = plain != name && plain != name + 7;
    const char *slash = packaged ? strchr(plain, '/') : NULL;
    if (walk && packaged && find_in_package(walk, plain, size, file, is_inside)) {
        status = LB_OK;
    } else if (walk) {
        const char *path = slash ? slash + 1 : plain;
        const int length = path[0] == '/' && !packaged ? snprintf(file, size, "%s", path)
                                                       : join(own, "", path, size, file);
        status = length > 0 && strlen(file) + 1 < size && is_file(file) ? LB_OK : LB_E_FILE;
    }
    if (status == LB_OK && !*is_inside && errno != ENOMEM) {
        strcpy(walk, own);
        *is_inside = is_near(file, walk);
    }
    if (status == LB_OK && errno == ENOMEM) {
        status = LB_E_MEMORY;
    }
    free(walk);
    free(own);
    return status;
}
