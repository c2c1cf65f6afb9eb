// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as a file with modes of another program. What is read becomes a body of a model, or there is a reason
// why not.
#include <stdlib.h>
#include <string.h>

#include "fuzz_body.h"
#include "import/modal_body.h"

// Some messages are about the whole: they have no line.
static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    int *errors = user;
    *errors += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->path || !diagnostic->message || !*diagnostic->message ||
        diagnostic->line < 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool (*const tests[])(const lb_import_file *) = {lb_is_sid, lb_is_mbdyn_fem,
                                                            lb_is_participation};
    static lb_modal_reader *const readers[] = {lb_read_sid, lb_read_mbdyn_fem,
                                               lb_read_participation};
    char *text = lb_fuzz_join("", data, size);
    for (int i = 0; i < 3; ++i) {
        int errors = 0;
        lb_import_file file = {.path = "fuzz", .text = text, .length = size};
        lb_import import = {.arena = lb_make_arena(NULL),
                            .report = {check_diagnostic, &errors},
                            .file_count = 1,
                            .files = &file};
        lb_modal_body body;
        const bool is_own = tests[i](&file);
        const lb_status status = readers[i](&import, &body);
        if ((status == LB_OK) != (errors == 0) || (status == LB_OK && !is_own) ||
            errors != import.error_count) {
            abort();
        }
        // a flexible body of many modes takes long to build, and others test that
        if (status == LB_OK && body.flex.mode_count <= 16) {
            lb_fuzz_build_body(&body.flex, check_diagnostic);
        }
        lb_arena_free(&import.arena);
    }
    free(text);
    return 0;
}
