// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber convert IN OUT: a model of any format in the model format.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "console.h"
#include "output.h"
#include "progress.h"

// Meshes are named as in IN. Says so where they are not found from where OUT is.
static void note_meshes(const lb_document *document, const char *in, const char *out)
{
    const lb_place root = lb_get_document_root(document), view = lb_place_at_key(&root, "view"),
                   shapes = lb_place_at_key(&view, "shapes");
    char folders[2][4096], file[4096];
    const char *paths[2] = {in, out};
    for (int i = 0; i < 2; ++i) {
        const char *slash = strrchr(paths[i], '/');
        snprintf(folders[i], sizeof folders[i], "%.*s%s", slash ? (int)(slash - paths[i]) + 1 : 0,
                 paths[i], slash ? "" : ".");
    }
    int lost = 0;
    for (size_t i = 0; i < lb_place_count_items(&shapes); ++i) {
        const lb_place shape = lb_place_at_item(&shapes, i), mesh = lb_place_at_key(&shape, "mesh");
        const char *name = lb_place_get_string(&mesh);
        bool inside[2] = {false, false};
        lost += name &&
                lb_find_mesh_file(folders[0], name, sizeof file, file, &inside[0]) == LB_OK &&
                (lb_find_mesh_file(folders[1], name, sizeof file, file, &inside[1]) != LB_OK ||
                 inside[0] > inside[1]);
    }
    if (lost > 0) {
        lb_cli_complain("%s: %d mesh%s that the model names %s not there: show it with --meshes "
                        "and the folder that has them, or write it to %s",
                        out, lost, lost == 1 ? "" : "es", lost == 1 ? "is" : "are", folders[0]);
    }
}

int lb_cli_run_convert(const lb_cli_arguments *arguments)
{
    const char *in = arguments->operands[0], *out = arguments->operands[1];
    const size_t end = strlen(out);
    const bool json = end >= 5 && strcmp(out + end - 5, ".json") == 0;
    if (end >= 5 && strcmp(out + end - 5, ".urdf") == 0) {
        lb_cli_complain("convert: '%s': URDF is read, not written; name a .yaml or .json file",
                        out);
        return LB_CLI_USAGE;
    }
    if (!lb_cli_check_ending(arguments, NULL, strcmp(out, "-") == 0 ? NULL : out,
                             ".yaml .yml .json")) {
        return LB_CLI_USAGE;
    }

    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    const lb_load_options options = lb_cli_get_load_options(arguments);
    char *text = NULL;
    size_t length = 0;
    lb_cli_show_waiting("reading");
    const lb_status status = lb_convert_model(in, &options, json ? LB_FORMAT_JSON : LB_FORMAT_YAML,
                                              &report, &text, &length);
    lb_cli_clear_progress();
    if (status < 0) {
        if (error_count == 0) {
            lb_cli_complain("%s: %s", in, lb_get_status_text(status));
        }
        return LB_CLI_FAILED;
    }
    // the file itself, and the libraries that it names
    lb_cli_note_input(in);
    lb_document *document = NULL;
    if (lb_load_document(in, &options, NULL, &document) >= 0) {
        lb_cli_note_document(document);
    }
    lb_cli_output output;
    bool good = lb_cli_open_output(out, &output);
    if (good) {
        fwrite(text, 1, length, output.stream);
        good = lb_cli_close_output(&output, true);
    }
    if (good && document && strcmp(out, "-") != 0) {
        note_meshes(document, in, out);
    }
    lb_destroy_document(document);
    free(text);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}
