// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "modal_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

char *lb_read_text(const char *path, size_t *length)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    char *text = malloc(MOST);
    assert_non_null(text);
    *length = fread(text, 1, MOST - 1, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

void lb_import_text(lb_modal_sample *imported, const char *text, size_t length)
{
    static bool (*const tests[])(const lb_import_file *) = {lb_is_sid, lb_is_mbdyn_fem,
                                                            lb_is_participation};
    static lb_modal_reader *const readers[] = {lb_read_sid, lb_read_mbdyn_fem,
                                               lb_read_participation};
    memset(imported, 0, sizeof *imported);
    imported->text = malloc(length + 1);
    assert_non_null(imported->text);
    memcpy(imported->text, text, length);
    imported->text[length] = '\0';
    imported->file = (lb_import_file){.path = "file", .text = imported->text, .length = length};
    imported->import = (lb_import){.arena = lb_make_arena(NULL),
                                   .report = lb_listen(&imported->heard),
                                   .file_count = 1,
                                   .files = &imported->file};
    int found = -1;
    for (int i = 0; i < 3; ++i) {
        if (tests[i](&imported->file)) {
            assert_int_equal(found, -1);
            found = i;
        }
    }
    assert_true(found >= 0);
    imported->status = readers[found](&imported->import, &imported->body);
    assert_true(imported->file.is_used);
    assert_int_equal(imported->status == LB_OK, imported->heard.error_count == 0);
}

void lb_import_sample(lb_modal_sample *imported, const char *name)
{
    size_t length;
    char *text = lb_read_text(lb_find_source("test/data/fe/modes/%s", name), &length);
    assert_non_null(text);
    lb_import_text(imported, text, length);
    free(text);
}

void lb_import_beam_of_others(lb_modal_sample *imported)
{
    size_t length;
    char *text = lb_read_text(lb_find_source("../shared/fe/sid/Beam_3m.SID_FEM"), &length);
    if (!text) {
        print_message("the file Beam_3m.SID_FEM is not there\n");
        skip();
    }
    lb_import_text(imported, text, length);
    free(text);
}

void lb_free_sample(lb_modal_sample *imported)
{
    lb_arena_free(&imported->import.arena);
    free(imported->text);
}
