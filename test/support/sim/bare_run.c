// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bare_run.h"

#include <stdlib.h>

#include "base/files/files.h"
#include "check.h"
#include "limber/simulate.h"
#include "run_cli.h"

const char *lb_record_bare_run(const char *model_path, const char *name)
{
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
    char *text;
    lb_run_request request = lb_default_run_request();
    request.path = lb_write_file(name, "");
    lb_expect_ok(lb_read_file(model_path, 1 << 20, NULL, NULL, &text, &request.model_length));
    request.model_text = text;
    lb_expect_ok(lb_load_document(model_path, NULL, NULL, &document));
    lb_expect_ok(lb_load_document_model(document, NULL, &model));
    lb_expect_ok(lb_load_simulation(document, model, NULL, &simulation));
    lb_expect_ok(lb_run_simulation(simulation, &request, NULL));
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    free(text);
    return request.path;
}
