// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of an import, for readers of structures.
#ifndef LB_TEST_FUZZ_STRUCTURE_H
#define LB_TEST_FUZZ_STRUCTURE_H

#include <math.h>

#include "fuzz.h"
#include "import/structure.h"

typedef struct lb_fuzz_import {
    lb_import import;
    lb_import_file files[2];
    int errors;
    char *copy;
} lb_fuzz_import;

/// Every diagnostic must be complete. Binary files have no lines.
static inline void lb_fuzz_hear(void *user, const lb_diagnostic *diagnostic)
{
    int *errors = user;
    *errors += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->message || !*diagnostic->message || diagnostic->line < 0) {
        abort();
    }
}

/// An import of the bytes, and of a text beside them unless it is NULL.
static inline void lb_fuzz_start(lb_fuzz_import *fuzz, const uint8_t *bytes, size_t size,
                                 const char *beside)
{
    *fuzz = (lb_fuzz_import){.copy = lb_fuzz_join("", bytes, size)};
    fuzz->files[0] = (lb_import_file){.path = "fuzz", .text = fuzz->copy, .length = size};
    if (beside) {
        fuzz->files[1] =
            (lb_import_file){.path = "beside", .text = beside, .length = strlen(beside)};
    }
    fuzz->import = (lb_import){.arena = lb_make_arena(NULL),
                               .report = {lb_fuzz_hear, &fuzz->errors},
                               .file_count = beside ? 2 : 1,
                               .files = fuzz->files};
}

static inline void lb_fuzz_end(lb_fuzz_import *fuzz)
{
    lb_arena_free(&fuzz->import.arena);
    free(fuzz->copy);
}

/// Success, or a reason why not.
static inline void lb_fuzz_check_status(const lb_fuzz_import *fuzz, lb_status status)
{
    if (status != LB_E_MEMORY && (status == LB_OK) != (fuzz->errors == 0)) {
        abort();
    }
}

static inline void lb_fuzz_check_entries(const lb_structure *structure,
                                         const lb_fe_entries *entries)
{
    for (size_t i = 0; i < entries->count; ++i) {
        const lb_fe_entry *entry = &entries->all[i];
        if (entry->row < 0 || entry->row >= structure->row_count || entry->column < 0 ||
            entry->column >= structure->row_count || !isfinite(entry->value)) {
            abort();
        }
    }
}

/// Reads a structure, and looks at all of what was read.
static inline void lb_fuzz_structure(lb_structure_reader *read, const uint8_t *bytes, size_t size,
                                     const char *beside)
{
    lb_fuzz_import fuzz;
    lb_structure structure = {.row_count = 0};
    lb_fuzz_start(&fuzz, bytes, size, beside);
    const lb_status status = read(&fuzz.import, &structure);
    lb_fuzz_check_status(&fuzz, status);
    for (int i = 0; status == LB_OK && i < structure.row_count; ++i) {
        const lb_fe_row *row = &structure.rows[i];
        if (row->node < LB_FE_MODAL || row->node >= structure.node_count || row->direction < 0 ||
            row->direction > 5) {
            abort();
        }
    }
    for (int i = 0; status == LB_OK && i < structure.node_count; ++i) {
        for (int k = 0; k < 9; ++k) {
            if (!isfinite(structure.nodes[i].axes[k / 3][k % 3]) ||
                !isfinite(structure.nodes[i].x[k % 3])) {
                abort();
            }
        }
    }
    if (status == LB_OK) {
        lb_fuzz_check_entries(&structure, &structure.K);
        lb_fuzz_check_entries(&structure, &structure.M);
        lb_fuzz_check_entries(&structure, &structure.C);
    }
    lb_free_structure(&structure);
    lb_fuzz_end(&fuzz);
}

#endif // LB_TEST_FUZZ_STRUCTURE_H
