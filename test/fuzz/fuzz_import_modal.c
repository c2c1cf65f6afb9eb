// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as a file with modes of another program. What is read becomes a body of a model, or there is a reason
// why not.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
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

static void build(const lb_modal_body *body)
{
    int errors = 0;
    const lb_report report = {check_diagnostic, &errors};
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_body_options options = lb_default_body_options();
    lb_model *model = NULL;
    if (!builder) {
        exit(2);
    }
    options.name = "body";
    options.hinge.type = LB_HINGE_FREE;
    options.flex = &body->flex;
    lb_add_body(builder, &options, NULL);
    // a model, or a reason why there is none
    const lb_status status = lb_build_model(builder, &model);
    if ((status == LB_OK) != (errors == 0) || (status == LB_OK) != (model != NULL)) {
        abort();
    }
    lb_destroy_model(model);
    lb_destroy_builder(builder);
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
            build(&body);
        }
        lb_arena_free(&import.arena);
    }
    free(text);
    return 0;
}
