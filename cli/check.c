// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber check MODEL...: everything that is wrong with model files, each with its place.
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "json_out.h"
#include "limber/document.h"
#include "limber/model.h"
#include "limber/simulate.h"
#include "output.h"
#ifdef LB_WITH_VIEW
#include "view/scene.h"
#endif

typedef struct findings {
    int error_count, warning_count;
    lb_cli_json *json; // NULL to print for people
} findings;

static void emit(void *user, const lb_diagnostic *diagnostic)
{
    findings *found = user;
    const bool warning = diagnostic->severity == LB_SEVERITY_WARNING;
    const int count = lb_cli_count_findings(diagnostic);
    if (warning) {
        found->warning_count += count;
    } else {
        found->error_count += count;
    }
    if (!found->json) {
        lb_cli_print_diagnostic(diagnostic);
        return;
    }
    lb_cli_json_open(found->json, NULL, '{');
    lb_cli_json_string(found->json, "severity", warning ? "warning" : "error");
    lb_cli_json_integer(found->json, "line", diagnostic->line);
    lb_cli_json_integer(found->json, "column", diagnostic->column);
    lb_cli_json_string(found->json, "path", diagnostic->path ? diagnostic->path : "");
    lb_cli_json_string(found->json, "message", diagnostic->message);
    lb_cli_json_close(found->json, '}');
}

static void print_count(int count, const char *noun)
{
    printf("%d %s%s", count, noun, count == 1 ? "" : "s");
}

// Forces, initial state, run, outputs and events of a file, where this command can simulate.
//
// `model` is NULL if it has errors: the rest is checked all the same.
static lb_status check_simulation(const lb_document *document, const lb_model *model,
                                  const lb_report *report)
{
    if (!model) {
        return lb_check_simulation(document, report);
    }
    lb_simulation *simulation = NULL;
    const lb_status status = lb_load_simulation(document, model, report, &simulation);
    lb_destroy_simulation(simulation);
    return status;
}

// Loads one file; what it finds goes through emit(). true if there is a model in it.
static bool check_file(const char *path, const lb_load_options *options, findings *found)
{
    const lb_report report = {emit, found};
    lb_model *model = NULL;
    lb_document *document = NULL;
    const bool is_standard = strcmp(path, "-") == 0;
    size_t length = 0;
    char *text = is_standard ? lb_cli_read_file(path, &length) : NULL;
    path = is_standard ? "<stdin>" : path;
    lb_cli_note_input(path);
    lb_status status = !is_standard ? lb_load_document(path, options, &report, &document)
                       : text ? lb_load_document_text(text, length, path, LB_FORMAT_AUTO, options,
                                                      &report, &document)
                              : LB_E_FILE;
    free(text);
    status = status < 0 ? status : lb_load_document_model(document, &report, &model);
    if (document && (model || status == LB_E_MODEL)) {
        const lb_status other = check_simulation(document, model, &report);
        status = status < 0 ? status : other;
    }
#ifdef LB_WITH_VIEW
    if (model) {
        const lb_status other = lb_cli_read_view(document, model, &report, NULL);
        status = status < 0 && other != LB_E_MEMORY ? status : other;
    }
#endif
    lb_destroy_document(document);
    if (status < 0 && found->error_count == 0) {
        const lb_diagnostic diagnostic = {
            sizeof diagnostic, LB_SEVERITY_ERROR, path, 0, 0, "", lb_get_status_text(status)};
        emit(found, &diagnostic);
    }
    if (!found->json) {
        lb_cli_put_text(stdout, path);
        if (status < 0) {
            fputs(": ", stdout);
            print_count(found->error_count, "error");
        } else {
            fputs(": OK, ", stdout);
            const int body_count = lb_get_body_count(model);
            printf("%d bod%s", body_count, body_count == 1 ? "y" : "ies");
            const int dofs = lb_get_v_count(model);
            printf(", %d dof%s", dofs, dofs == 1 ? "" : "s");
        }
        if (found->warning_count) {
            fputs(", ", stdout);
            print_count(found->warning_count, "warning");
        }
        putchar('\n');
        // findings of the next file shall come after this line
        fflush(stdout);
    }
    lb_destroy_model(model);
    return status >= 0;
}

int lb_cli_run_check(const lb_cli_arguments *arguments)
{
    const bool as_json = lb_cli_get_option(arguments, "json") != NULL;
    const lb_load_options options = lb_cli_get_load_options(arguments);
    lb_cli_json json = lb_cli_json_start(stdout);
    bool all_good = true;
    if (as_json) {
        lb_cli_json_open(&json, NULL, '[');
    }
    for (int i = 0; i < arguments->count; ++i) {
        findings found = {.json = as_json ? &json : NULL};
        const char *path = arguments->operands[i];
        if (as_json) {
            lb_cli_json_open(&json, NULL, '{');
            lb_cli_json_string(&json, "file", path);
            lb_cli_json_open(&json, "findings", '[');
        }
        const bool good = check_file(path, &options, &found);
        if (as_json) {
            lb_cli_json_close(&json, ']');
            lb_cli_json_boolean(&json, "ok", good);
            lb_cli_json_close(&json, '}');
        }
        all_good = all_good && good;
    }
    if (as_json) {
        lb_cli_json_close(&json, ']');
        lb_cli_json_finish(&json);
    }
    return all_good ? LB_CLI_DONE : LB_CLI_FAILED;
}
