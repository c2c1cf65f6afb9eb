// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber convert IN OUT: a model of any format in the model format.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

static int write_file(const char *path, const char *text, size_t length)
{
    errno = 0;
    FILE *out = fopen(path, "wb");
    bool good = out && fwrite(text, 1, length, out) == length;
    int error = errno;
    // what is buffered may still fail to arrive
    if (out && fclose(out) != 0 && good) {
        good = false;
        error = errno;
    }
    if (!good) {
        lb_cli_complain("cannot write %s: %s", path, strerror(error ? error : EIO));
    }
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
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
    int result = LB_CLI_DONE;
    if (strcmp(out, "-") == 0) {
        fwrite(text, 1, length, stdout); // main sees to it that it arrives
    } else {
        result = write_file(out, text, length);
    }
    free(text);
    return result;
}
