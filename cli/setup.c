// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "setup.h"

#include <stdlib.h>

#include "output.h"
#include "progress.h"

#ifdef LB_WITH_FREEZE
#include "../src/command.h"
#include "limber/freeze.h"

// --frozen FILE: the model computes by its own C code, which is compiled if FILE does not have it yet.
static lb_status attach_frozen(const lb_cli_arguments *arguments, lb_model *model,
                               const lb_report *report)
{
    lb_attach_options options = lb_default_attach_options();
    options.library = lb_cli_get_option(arguments, "frozen");
    options.allow_plugins = lb_cli_get_option(arguments, "allow-plugins") != NULL;
    if (!options.library) {
        return LB_OK;
    }
    const lb_status status = lb_cli_check_memory(lb_attach_frozen(model, &options, report));
    lb_cli_note_input(options.library); // no result goes there
    return status;
}
#endif

bool lb_cli_open_setup(const lb_cli_arguments *arguments, const char *text, size_t length,
                       lb_cli_setup *s)
{
    const lb_report report = lb_cli_make_report(NULL);
    lb_cli_show_waiting("loading");
    *s = (lb_cli_setup){.path = arguments->operands[0],
                        .document = lb_cli_load_document(arguments, text, length)};
    if (!s->document) {
        lb_cli_clear_progress();
        return false;
    }
    lb_cli_note_document(s->document);
    s->text = text;
    s->length = length;
    // what is recorded must say all of it
    lb_status status = LB_OK;
    if (text && !lb_is_document_whole(s->document)) {
        status = lb_cli_check_memory(
            lb_format_document(s->document, LB_FORMAT_YAML, &s->written, &s->length));
        s->text = s->written;
    }
    status = status < 0 ? status : lb_load_document_model(s->document, &report, &s->model);
#ifdef LB_WITH_FREEZE
    status = status < 0 ? status : attach_frozen(arguments, s->model, &report);
#endif
    status =
        status < 0 ? status : lb_load_simulation(s->document, s->model, &report, &s->simulation);
    lb_cli_clear_progress();
    return status >= 0;
}

void lb_cli_close_setup(lb_cli_setup *s)
{
    lb_destroy_simulation(s->simulation);
    lb_destroy_model(s->model);
    free(s->written);
    lb_destroy_document(s->document);
}

const char *lb_cli_get_message(const lb_simulation *simulation)
{
    const char *message = lb_get_simulation_message(simulation);
    return message[0] ? message : "out of memory";
}

int lb_cli_explain_setup(const lb_cli_setup *s)
{
    lb_cli_complain("%s: %s", s->path, lb_cli_get_message(s->simulation));
    return LB_CLI_FAILED;
}
