// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "open_parameters.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "limber/io.h"
#include "limber/simulate.h"

// The model of the document at other values. What it says of these is for nobody.
static lb_status build_model(void *user, const double *values, lb_model **model)
{
    const lb_cli_open_parameters *open = user;
    lb_status status = LB_OK;
    for (int i = 0; status >= LB_OK && i < open->given.count; ++i) {
        status = lb_set_parameter(open->document, open->list[i].name, values[i], NULL);
    }
    return status < LB_OK ? status : lb_load_document_model(open->document, NULL, model);
}

// The simulation of the same document.
static lb_status build_simulation(void *user, const lb_model *model, lb_simulation **simulation)
{
    const lb_cli_open_parameters *open = user;
    lb_status status = lb_load_simulation(open->document, model, NULL, simulation);
    for (int i = 0; status == LB_OK && open->outputs && i < open->outputs->count; ++i) {
        status = lb_add_output(*simulation, open->outputs->names[i]);
    }
    return status;
}

static bool find_parameter(const lb_document *document, lb_frozen_parameter *p)
{
    bool found = false;
    for (int i = 0; i < lb_get_parameter_count(document) && !found; ++i) {
        lb_parameter known = {.size = sizeof known};
        found = lb_get_parameter(document, i, &known) == LB_OK && strcmp(known.name, p->name) == 0;
        if (found) {
            // the text of the unit goes when a value is set
            *p = (lb_frozen_parameter){p->name, known.value, known.low, known.high, NULL};
        }
    }
    return found;
}

bool lb_cli_read_open_parameters(const lb_cli_arguments *arguments, lb_document *document,
                                 lb_cli_open_parameters *open)
{
    const char *text = lb_cli_get_option(arguments, "parameters");
    int most = text ? 1 : 0;
    for (const char *c = text; c && *c; ++c) {
        most += *c == ',';
    }
    *open = (lb_cli_open_parameters){.document = document};
    open->names = lb_cli_copy_text(text ? text : "");
    open->list = lb_cli_malloc(((size_t)most + 1) * sizeof *open->list);
    open->given = (lb_freeze_parameters){sizeof open->given, 0,    open->list,
                                         build_model,        open, build_simulation};
    char *at = open->names;
    for (; open->given.count < most; ++open->given.count) {
        const size_t length = strcspn(at, ",");
        const bool last = !at[length];
        at[length] = 0;
        open->list[open->given.count].name = at;
        if (!find_parameter(document, &open->list[open->given.count])) {
            lb_cli_complain("%s: --parameters: the model has no parameter '%s'",
                            arguments->command->name, at);
            return false;
        }
        at += length + !last;
    }
    return true;
}

void lb_cli_free_open_parameters(lb_cli_open_parameters *open)
{
    free(open->list);
    free(open->names);
}
