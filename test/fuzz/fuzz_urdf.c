// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as a robot, with every combination of options. What loads is written in the model format,
// and what is written must load.
#include <stdlib.h>
#include <string.h>

#include "document/urdf/urdf.h"
#include "document/write_model.h"
#include "fuzz.h"

// Every diagnostic must be complete: the command prints it as it is.
static void check_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    int *errors = user;
    *errors += diagnostic->severity == LB_SEVERITY_ERROR;
    if (!diagnostic->file || !diagnostic->path || !diagnostic->message || !*diagnostic->message ||
        diagnostic->line < 1) {
        abort();
    }
}

static void check_conversion(const char *text, size_t size, const lb_load_options *options,
                             const lb_report *report)
{
    static const lb_format formats[] = {LB_FORMAT_YAML, LB_FORMAT_JSON};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        lb_doc doc;
        doc.pool = lb_make_arena(NULL);
        if (lb_doc_read_urdf(&doc, text, size, "fuzz", options, report) != LB_OK) {
            abort();
        }
        char *written = NULL;
        size_t length = 0;
        if (lb_write_document(&doc.root, formats[i], &doc.pool.allocator, NULL, 0, &written,
                              &length)) {
            abort();
        }
        lb_model *model = NULL;
        if (lb_load_model_text(written, length, "back", formats[i], NULL, report, &model) !=
            LB_OK) {
            abort();
        }
        lb_destroy_model(model);
        doc.pool.allocator.release(doc.pool.allocator.user, written);
        lb_arena_free(&doc.pool);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    for (int i = 0; i < 4; ++i) {
        int errors = 0;
        const lb_report report = {check_diagnostic, &errors};
        lb_load_options options = lb_default_load_options();
        options.floating_base = i & 1;
        options.keep_fixed = i & 2;
        lb_model *model = NULL;
        const lb_status status =
            lb_load_model_text(text, size, "fuzz", LB_FORMAT_URDF, &options, &report, &model);
        // a model, or a reason why there is none
        if ((status == LB_OK) != (model != NULL) || (status == LB_OK) != (errors == 0)) {
            abort();
        }
        if (model) {
            lb_destroy_model(model);
            check_conversion(text, size, &options, &report);
        }
    }
    return 0;
}
