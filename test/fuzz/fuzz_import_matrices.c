// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any texts as the files of CalculiX (c), Abaqus (a) or Matrix Market (m), by the first byte. A form feed ends a
// file. What is read must be a structure whose parts fit together.
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "import/structure.h"

enum { MAX_FILES = 6 };

static void check_entries(const lb_structure *s, const lb_fe_entries *entries)
{
    for (size_t k = 0; k < entries->count; ++k) {
        const lb_fe_entry *entry = &entries->all[k];
        if (entry->row < 0 || entry->row >= s->row_count || entry->column < 0 ||
            entry->column >= s->row_count || !isfinite(entry->value)) {
            abort();
        }
    }
}

static void check_structure(const lb_structure *s)
{
    unsigned char *taken = calloc((size_t)s->node_count + 1, 1);
    for (int i = 0; i < s->row_count; ++i) {
        const lb_fe_row *row = &s->rows[i];
        if (row->node == LB_FE_MODAL) {
            continue;
        }
        if (row->node < 0 || row->node >= s->node_count || row->direction < 0 ||
            row->direction > 5 || taken[row->node] >> row->direction & 1) {
            abort();
        }
        taken[row->node] |= (unsigned char)(1 << row->direction);
    }
    for (int i = 0; i < s->node_count; ++i) {
        if (s->nodes[i].id < 1 ||
            !isfinite(s->nodes[i].x[0] + s->nodes[i].x[1] + s->nodes[i].x[2]) || !taken[i]) {
            abort();
        }
    }
    check_entries(s, &s->K);
    check_entries(s, &s->M);
    check_entries(s, &s->C);
    free(taken);
}

// Every diagnostic must be complete: the command prints it as it is.
static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    int *errors = user;
    *errors += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->file || !diagnostic->message || !*diagnostic->message ||
        diagnostic->line < 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[MAX_FILES] = {"a.inp", "a.dof", "a.sti", "a.mas", "b", "c"};
    if (size < 1) {
        return 0;
    }
    int errors = 0;
    lb_import_file files[MAX_FILES] = {{.path = NULL}};
    lb_import import = {
        .arena = lb_make_arena(NULL), .report = {check_diagnostic, &errors}, .files = files};
    // each file in memory of its own, so that reading behind its end is noticed
    const uint8_t *at = data + 1, *const end = data + size;
    while (import.file_count < MAX_FILES) {
        const uint8_t *stop = at < end ? memchr(at, '\f', (size_t)(end - at)) : NULL;
        const size_t length = (size_t)((stop ? stop : end) - at);
        char *text = lb_fuzz_join("", at, length);
        files[import.file_count] =
            (lb_import_file){.path = names[import.file_count], .text = text, .length = length};
        ++import.file_count;
        if (!stop) {
            break;
        }
        at = stop + 1;
    }
    lb_structure structure = {.format = NULL};
    const lb_status status = data[0] == 'c'   ? lb_read_calculix(&import, &structure)
                             : data[0] == 'a' ? lb_read_abaqus(&import, &structure)
                                              : lb_read_matrix_market(&import, &structure);
    if ((status == LB_OK) != (errors == 0) || errors != import.error_count) {
        abort();
    }
    if (status == LB_OK) {
        check_structure(&structure);
    }
    for (int i = 0; i < import.file_count; ++i) {
        lb_is_calculix(&files[i]);
        lb_is_abaqus(&files[i]);
        lb_is_matrix_market(&files[i]);
        free((char *)files[i].text);
    }
    lb_free_structure(&structure);
    lb_arena_free(&import.arena);
    return 0;
}
