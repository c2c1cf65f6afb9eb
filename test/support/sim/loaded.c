// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "loaded.h"

#include <string.h>

#include "check.h"
#include "heard.h"

lb_loaded lb_begin_loaded(const char *text, lb_model *model)
{
    lb_loaded l = {.model = model};
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_status status = lb_load_document_text(text, strlen(text), "test.yaml", LB_FORMAT_YAML, NULL,
                                             &report, &l.document);
    if (status == LB_OK && !model) {
        status = lb_load_document_model(l.document, &report, &l.model);
    }
    if (status == LB_OK) {
        status = lb_load_simulation(l.document, l.model, &report, &l.simulation);
    }
    if (status != LB_OK) {
        lb_print_heard(&heard);
    }
    lb_expect_ok(status);
    return l;
}

void lb_end_loaded(lb_loaded *l)
{
    lb_destroy_simulation(l->simulation);
    lb_destroy_model(l->model);
    lb_destroy_document(l->document);
}
