// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L // open
#include "kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/command.h"
#include "console.h"

enum { KEPT_MAX = 64 << 20, UNPACKED_MAX = 256 << 20, NAME_MAX_KEPT = 255, PATH_MOST = 4096 };

// ---- of a model ----------------------------------------------------------------------------------

typedef struct gathering {
    const lb_document *document;
    lb_reader reader;
    lb_cli_kept_files *kept;
    size_t size;
} gathering;

// Keys whose texts are names of data. Programs and libraries of machine code are none.
static bool names_data(const char *key)
{
    return key && (strcmp(key, "file") == 0 || strcmp(key, "mesh") == 0 ||
                   strcmp(key, "library") == 0 || strcmp(key, "model") == 0);
}

static bool is_kept(const lb_cli_kept_files *kept, const char *name)
{
    for (int i = 0; i < kept->count; ++i) {
        if (strcmp(kept->files[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The name of a mesh without its package, under which it is found again beside the results.
static const char *leave_package(const char *name)
{
    const char *rest = strstr(name, "://"), *slash = rest ? strchr(rest + 3, '/') : NULL;
    return !rest ? name : slash && strncmp(name, "file", 4) != 0 ? slash + 1 : rest + 3;
}

static lb_status find(gathering *g, const lb_place *place, const char *name, char path[PATH_MOST])
{
    if (!strstr(name, "://")) {
        return lb_find_named_file(&g->reader, place, name, PATH_MOST, path);
    }
    char folder[PATH_MOST];
    const char *file = lb_get_document_file(g->document), *slash = file ? strrchr(file, '/') : NULL;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    bool is_inside;
    const lb_status status = lb_find_mesh_file(folder, name, PATH_MOST, path, &is_inside);
    return status == LB_OK && !is_inside ? LB_E_FILE : status;
}

static void keep(gathering *g, const lb_place *place, const char *name)
{
    char path[PATH_MOST], *text = NULL;
    const char *kept_name = leave_package(name);
    size_t length = 0;
    struct stat about;
    if (strlen(name) > NAME_MAX_KEPT || g->kept->count == LB_KEPT_FILE_MAX ||
        is_kept(g->kept, kept_name)) {
        return;
    }
    lb_status status = find(g, place, name, path);
    if (lb_cli_check_memory(status) != LB_OK || stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode)) {
        return;
    }
    if ((size_t)about.st_size > KEPT_MAX - g->size) {
        lb_cli_complain("%s, %.3g MB, is not kept in the results, which hold files of up to %d MiB "
                        "together: keep it with them",
                        name, 1e-6 * (double)about.st_size, KEPT_MAX >> 20);
        return;
    }
    status = lb_read_file(path, KEPT_MAX, NULL, NULL, &text, &length);
    if (lb_cli_check_memory(status) == LB_OK) {
        g->kept->files[g->kept->count++] =
            (lb_kept_file){lb_cli_copy_text(kept_name), text, length};
        g->size += length;
    }
}

// Texts below a key, in lists as well.
static void search(gathering *g, const lb_place *place, const char *key)
{
    const lb_doc_kind kind = lb_place_get_kind(place);
    const char *text = lb_place_get_string(place);
    if (text && names_data(key)) {
        keep(g, place, text);
    }
    for (size_t i = 0; i < lb_place_get_count(place); ++i) {
        if (kind == LB_DOC_MAPPING) {
            const lb_place entry = lb_place_at_pair(place, i);
            search(g, &entry, lb_place_get_key(&entry));
        } else if (kind == LB_DOC_SEQUENCE) {
            const lb_place item = lb_place_at_index(place, i);
            search(g, &item, key);
        }
    }
}

void lb_cli_gather_files(const lb_document *document, lb_cli_kept_files *kept)
{
    gathering g = {document, lb_start_reader(document, NULL), kept, 0};
    const lb_place root = lb_get_document_root(document);
    *kept = (lb_cli_kept_files){lb_cli_calloc(LB_KEPT_FILE_MAX, sizeof *kept->files), 0};
    search(&g, &root, NULL);
}

void lb_cli_free_files(lb_cli_kept_files *kept)
{
    for (int i = 0; i < kept->count; ++i) {
        free((void *)kept->files[i].name);
        free((void *)kept->files[i].data);
    }
    free(kept->files);
    *kept = (lb_cli_kept_files){0};
}

// ---- of results ----------------------------------------------------------------------------------

// Whether a name stays in the folder that it is put into: no absolute path, no part "..", nothing odd.
static bool is_tame(const char *name)
{
    if (!*name || strlen(name) > NAME_MAX_KEPT) {
        return false;
    }
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
        const size_t length = strcspn(part, "/");
        if (length == 0 || (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')))) {
            return false;
        }
    }
    for (const char *c = name; *c; ++c) {
        if ((unsigned char)*c < 32 || *c == 127) {
            return false;
        }
    }
    return true;
}

// Makes the folders of a path below `start` letters of it.
static void make_folders(char *path, size_t start)
{
    for (char *slash = strchr(path + start, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void write_kept(const char *path, const char *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (fd >= 0 && size > 0) {
        const ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            break; // whoever reads it says so
        }
        bytes += done;
        size -= (size_t)done;
    }
    if (fd >= 0) {
        close(fd);
    }
}

void lb_cli_unpack_files(const lb_results *results, char folder[LB_CLI_SCRATCH_SIZE])
{
    const lb_results_info *info = lb_get_results_info(results);
    size_t total = 0;
    if (info->file_count == 0 || !lb_cli_make_scratch(folder)) {
        folder[0] = 0;
        return;
    }
    for (int i = 0; i < info->file_count; ++i) {
        const char *name = info->files[i];
        void *bytes = NULL;
        size_t size = 0;
        char path[PATH_MOST];
        const lb_status status = is_tame(name) && total < UNPACKED_MAX
                                     ? lb_read_results_file(results, i, &bytes, &size)
                                     : LB_E_ARGUMENT;
        if (lb_cli_check_memory(status) == LB_OK && size <= UNPACKED_MAX - total) {
            const int start = snprintf(path, sizeof path, "%s/", folder);
            snprintf(path + start, sizeof path - (size_t)start, "%s", name);
            lb_cli_note_scratch(folder, name);
            make_folders(path, (size_t)start);
            write_kept(path, bytes, size);
            total += size;
        }
        free(bytes);
    }
}
