// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The files of an import: read, told apart, and put in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/files.h"
#include "base/sha256.h"
#include "body_file/flex_file.h"
#include "imported.h"
#include "structure.h"

/// Files of this size and larger are refused: far above what fits into the memory with its matrices.
#define LB_FE_FILE_SIZE_MAX ((size_t)16 << 30)

typedef struct read_failure {
    char reason[256];
} read_failure;

static void keep_reason(void *user, const lb_diagnostic *diagnostic)
{
    read_failure *failure = user;
    snprintf(failure->reason, sizeof failure->reason, "%s", diagnostic->message);
}

static lb_status read_one(lb_import *import, const char *path, lb_import_file *file)
{
    read_failure failure = {""};
    const lb_report report = {keep_reason, &failure};
    char *text = NULL;
    file->path = lb_arena_text(&import->arena, path);
    if (!file->path) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        lb_read_file(file->path, LB_FE_FILE_SIZE_MAX, NULL, &report, &text, &file->length);
    if (status == LB_E_FILE) {
        lb_import_fail(import, file, 0, "cannot be read: %s", failure.reason);
    }
    file->text = text;
    return status;
}

// The load that a comment of a Matrix Market file names, or NULL.
static lb_status find_load(lb_import *import, lb_import_file *file)
{
    static const char words[] = "% geometric stiffness, load ";
    lb_lines lines = lb_start_lines(file);
    while (lb_is_matrix_market(file) && lb_next_line(&lines) && lines.line.length > 0 &&
           lines.line.at[0] == '%') {
        if (lb_span_starts(lines.line, words)) {
            const lb_span load = lb_trim_span(
                (lb_span){lines.line.at + sizeof words - 1, lines.line.length - sizeof words + 1});
            char *copy;
            if (!LB_IMPORT_TAKE(import, copy, load.length + 1)) {
                return LB_E_MEMORY;
            }
            memcpy(copy, load.at, load.length);
            file->load = copy;
        }
    }
    return LB_OK;
}

// Readers of formats do not see files that have a load, nor those that a user wrote: these go behind the others.
static void sort_files(lb_import *import, int count, lb_import_file *sorted)
{
    int used = 0, counts[3] = {0, 0, 0};
    for (int kind = 0; kind < 3; ++kind) {
        for (int i = 0; i < count; ++i) {
            const lb_import_file *file = &import->files[i];
            if ((file->role == LB_FILE_ROWS ? 2 : file->load ? 1 : 0) == kind) {
                sorted[used++] = *file;
                ++counts[kind];
            }
        }
    }
    import->files = sorted;
    import->file_count = counts[0];
    import->geometric_count = counts[1];
    import->recovery_count = counts[2];
}

lb_status lb_read_import_files(lb_imported *imported, const lb_import_options *o)
{
    lb_import *import = &imported->import;
    const int count = o->file_count + o->geometric_count;
    lb_import_file *sorted;
    if (!LB_IMPORT_TAKE(import, import->files, count) || !LB_IMPORT_TAKE(import, sorted, count) ||
        !LB_IMPORT_TAKE(import, imported->source_names, count) ||
        !LB_IMPORT_TAKE(import, imported->source_hashes, count)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        lb_import_file *file = &import->files[i];
        const bool is_plain = i < o->file_count;
        file->role = is_plain && o->roles ? o->roles[i] : LB_FILE_ANY;
        ++import->file_count;
        lb_status status = lb_import_tell(import, "files", (double)i / count);
        status =
            status ? status
                   : read_one(import, is_plain ? o->files[i] : o->geometric[i - o->file_count].file,
                              file);
        if (status == LB_OK && is_plain) {
            status = find_load(import, file);
        } else if (status == LB_OK) {
            file->load = lb_arena_text(&import->arena, o->geometric[i - o->file_count].load);
            status = file->load ? LB_OK : LB_E_MEMORY;
        }
        if (status != LB_OK) {
            return status;
        }
    }
    sort_files(import, count, sorted);
    for (int i = 0; i < count; ++i) {
        const lb_import_file *file = &import->files[i];
        const char *slash = strrchr(file->path, '/');
        char *hash;
        imported->source_names[i] = slash ? slash + 1 : file->path;
        if (!LB_IMPORT_TAKE(import, hash, LB_FLEX_HASH_SIZE)) {
            return LB_E_MEMORY;
        }
        lb_compute_sha256(file->text, file->length, hash);
        imported->source_hashes[i] = hash;
    }
    return LB_OK;
}

void lb_drop_text(lb_import_file *file)
{
    free((char *)file->text);
    file->text = NULL;
    file->length = 0;
}
