// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber convert IN OUT: a model of any format in the model format.
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "output.h"

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
    const lb_status status = lb_convert_model(in, &options, json ? LB_FORMAT_JSON : LB_FORMAT_YAML,
                                              &report, &text, &length);
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
        lb_destroy_document(document);
    }
    lb_cli_output output;
    bool good = lb_cli_open_output(out, &output);
    if (good) {
        fwrite(text, 1, length, output.stream);
        good = lb_cli_close_output(&output, true);
    }
    free(text);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}
