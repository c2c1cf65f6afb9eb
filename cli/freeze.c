// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber freeze MODEL -o FILE.c: a model as C.
#include "limber/freeze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "c_name.h"
#include "console.h"
#include "initial.h"
#include "limber/simulate.h"
#include "open_parameters.h"
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
    strcpy(path, name);
    char *dot = strrchr(path, '.');
    strcpy(dot ? dot : path + strlen(path), ".c");
    return path;
}

static void make_names(const char *model, const char *output, names *n)
{
    n->source = output ? lb_cli_copy_text(output) : make_default(model);
    n->header = lb_cli_copy_text(n->source);
    n->prefix = lb_cli_make_c_name(n->source);
    n->header[strlen(n->header) - 1] = 'h';
}

// Says which parts of a model its file does not have, by name.
//
// @param with_forces   they are in it
// @param with_control  controllers are in it too
static void say_left_out(const lb_document *document, bool with_forces, bool with_control)
{
    static const char *const keys[] = {"forces", "controllers", "events"};
    const lb_place root = lb_get_document_root(document);
    for (size_t i = with_control ? 2 : with_forces ? 1 : 0; i < sizeof keys / sizeof *keys; ++i) {
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

// Whether a word is in a list with commas.
static bool has_word(const char *list, const char *word)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        if (length == strlen(word) && memcmp(at, word, length) == 0) {
            return true;
        }
        at += length + (at[length] == ',');
    }
    return false;
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
    const int error = errno;
    header.is_told = source.is_told = true;
    const bool first = lb_cli_close_output(&header, good),
               second = lb_cli_close_output(&source, good && first);
    if (!good) {
        lb_cli_complain("cannot write %s: %s", n->source, strerror(error));
    }
    if (!good || !first || !second) {
        return false;
    }
    lb_cli_say_written(n->header);
    lb_cli_say_written(n->source);
    return true;
}

// The model, or with --simulation all that acts on it.
static lb_status freeze(const lb_document *document, const lb_model *model, bool whole,
                        const lb_freeze_options *options, const lb_report *report,
                        lb_frozen **frozen)
{
    *frozen = NULL;
    if (whole) {
        lb_simulation *simulation = NULL;
        lb_status status = lb_load_simulation(document, model, report, &simulation);
        status = status < 0 ? status : lb_freeze_simulation(simulation, options, report, frozen);
        lb_destroy_simulation(simulation);
        return status;
    }
    (void)document;
    (void)whole;
    return lb_freeze_model(model, options, report, frozen);
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
    names n;
    make_names(file, path, &n);
    lb_document *document = lb_cli_load_document(arguments, NULL, 0);
    lb_model *model = NULL;
    if (!document || lb_load_document_model(document, &report, &model) < 0) {
        if (document && error_count == 0) {
            lb_cli_run_out();
        }
        lb_destroy_document(document);
        free_names(&n);
        return LB_CLI_FAILED;
    }
    lb_freeze_options options = lb_default_freeze_options();
    lb_cli_open_parameters open;
    bool ready = lb_cli_read_open_parameters(arguments, document, &open);
    double *start = NULL;
    if (ready && lb_get_loop_count(model) > 0) {
        bool assembled;
        start = lb_cli_allocate(1, lb_get_q_count(model), "state");
        ready = lb_cli_read_initial(document, model, start, &assembled);
    }
    options.parameters = open.given.count ? &open.given : NULL;
    options.configuration = start;
    const char *slash = strrchr(n.header, '/');
    options.name = n.prefix;
    options.header = slash ? slash + 1 : n.header;
    options.functions = functions ? functions : options.functions;
    options.number = lb_cli_get_option(arguments, "float") ? LB_FROZEN_FLOAT : LB_FROZEN_DOUBLE;
    options.vectors = lb_cli_get_option(arguments, "vector") != NULL;
    options.batches = lb_cli_get_option(arguments, "batch") != NULL;
    lb_frozen *frozen = NULL;
    const bool whole = lb_cli_get_option(arguments, "simulation") != NULL;
    options.inputs = lb_cli_get_option(arguments, "inputs");
    if (whole && !functions) {
        options.functions = "rates,step";
    }
    const lb_status status =
        ready ? freeze(document, model, whole, &options, &report, &frozen) : LB_E_ARGUMENT;
    if (ready && status != LB_OK && error_count == 0) {
        lb_cli_complain("%s: %s", file, lb_get_status_text(status));
    }
    bool good = status == LB_OK;
    if (good) {
        lb_cli_note_document(document);
        good = write_files(&n, frozen);
    }
    if (good && lb_cli_get_volume() >= 0) {
        say_left_out(document, whole,
                     whole && (has_word(options.functions, "control") ||
                               has_word(options.functions, "run")));
    }
    free(start);
    lb_cli_free_open_parameters(&open);
    lb_destroy_frozen(frozen);
    lb_destroy_model(model);
    lb_destroy_document(document);
    free_names(&n);
    return good ? LB_CLI_DONE : status == LB_E_ARGUMENT ? LB_CLI_USAGE : LB_CLI_FAILED;
}
