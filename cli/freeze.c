// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber freeze MODEL -o FILE.c: a model as C.
#include "limber/freeze.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "output.h"

// Names that the paths give: FILE.c, FILE.h, and FILE without folders as the start of names in C.
typedef struct names {
    char *source, *header, *prefix;
} names;

static void free_names(names *n)
{
    free(n->source);
    free(n->header);
    free(n->prefix);
}

// The file of the model with another ending, in the present folder.
static char *make_default(const char *model)
{
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
    char *path = lb_cli_malloc(strlen(name) + 3);
    if (path) {
        strcpy(path, name);
        char *dot = strrchr(path, '.');
        strcpy(dot ? dot : path + strlen(path), ".c");
    }
    return path;
}

static bool make_names(const char *model, const char *output, names *n)
{
    n->source = output ? lb_cli_copy_text(output) : make_default(model);
    n->header = n->source ? lb_cli_copy_text(n->source) : NULL;
    const char *slash = n->source ? strrchr(n->source, '/') : NULL;
    n->prefix = n->source ? lb_cli_copy_text(slash ? slash + 1 : n->source) : NULL;
    if (!n->prefix || !n->header) {
        return false;
    }
    n->header[strlen(n->header) - 1] = 'h';
    n->prefix[strlen(n->prefix) - 2] = 0;
    for (char *c = n->prefix; *c; ++c) {
        *c = (char)(*c == '-' || *c == '.' || *c == ' ' ? '_' : *c);
    }
    return true;
}

// Says which parts of a model its file does not have, by name.
static void say_left_out(const lb_document *document)
{
    static const char *const keys[] = {"forces", "controllers", "events"};
    const lb_place root = lb_get_document_root(document);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const lb_place list = lb_place_at_key(&root, keys[i]);
        const size_t count = lb_place_count_items(&list);
        for (size_t j = 0; j < count; ++j) {
            const lb_place item = lb_place_at_item(&list, j), at = lb_place_at_key(&item, "name");
            const char *name = lb_place_exists(&at) ? lb_place_get_string(&at) : NULL;
            fprintf(stderr, "limber: left out: %s[%zu]", keys[i], j);
            if (name) {
                fprintf(stderr, ", ");
                lb_cli_put_text(stderr, name);
            }
            fprintf(stderr, "\n");
        }
    }
}

// Both files or none.
static bool write_files(const names *n, const lb_frozen *frozen)
{
    lb_cli_output source, header;
    if (!lb_cli_open_output(n->source, &source)) {
        return false;
    }
    if (!lb_cli_open_output(n->header, &header)) {
        (void)lb_cli_close_output(&source, false);
        return false;
    }
    fputs(lb_get_frozen_source(frozen), source.stream);
    fputs(lb_get_frozen_header(frozen), header.stream);
    // neither gets its name before all of both is written
    const bool good = fflush(source.stream) == 0 && fflush(header.stream) == 0;
    const bool first = lb_cli_close_output(&header, good),
               second = lb_cli_close_output(&source, good && first);
    if (!good) {
        lb_cli_complain("%s: cannot be written", n->source);
    }
    return good && first && second;
}

int lb_cli_run_freeze(const lb_cli_arguments *arguments)
{
    const char *path = lb_cli_get_option(arguments, "output"),
               *functions = lb_cli_get_option(arguments, "functions"),
               *file = arguments->operands[0];
    if (path && (strlen(path) < 3 || strcmp(path + strlen(path) - 2, ".c") != 0)) {
        lb_cli_complain("freeze: --output: '%s' found, expected a name that ends in .c", path);
        return LB_CLI_USAGE;
    }
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    names n = {NULL, NULL, NULL};
    lb_document *document =
        make_names(file, path, &n) ? lb_cli_load_document(arguments, NULL, 0) : NULL;
    lb_model *model = NULL;
    if (!document || lb_load_document_model(document, &report, &model) < 0) {
        if (document && error_count == 0) {
            lb_cli_complain_of_memory();
        }
        lb_destroy_document(document);
        free_names(&n);
        return LB_CLI_FAILED;
    }
    lb_freeze_options options = lb_default_freeze_options();
    options.name = n.prefix;
    options.functions = functions ? functions : options.functions;
    options.number = lb_cli_get_option(arguments, "float") ? LB_FROZEN_FLOAT : LB_FROZEN_DOUBLE;
    lb_frozen *frozen = NULL;
    const lb_status status = lb_freeze_model(model, &options, &report, &frozen);
    if (status != LB_OK && error_count == 0) {
        lb_cli_complain("%s: %s", file, lb_get_status_text(status));
    }
    bool good = status == LB_OK;
    if (good) {
        lb_cli_note_document(document);
        good = write_files(&n, frozen);
    }
    if (good && lb_cli_get_volume() >= 0) {
        say_left_out(document);
    }
    lb_destroy_frozen(frozen);
    lb_destroy_model(model);
    lb_destroy_document(document);
    free_names(&n);
    return good ? LB_CLI_DONE : status == LB_E_ARGUMENT ? LB_CLI_USAGE : LB_CLI_FAILED;
}
