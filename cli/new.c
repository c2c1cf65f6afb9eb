// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber new [NAME]: a commented model to start from.
#define _GNU_SOURCE
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "new.h"
#include "output.h"

// In a comment of YAML a line must not end early.
static bool has_controls(const char *text)
{
    for (; *text; ++text) {
        if ((unsigned char)*text < 32 || (unsigned char)*text == 127) {
            return true;
        }
    }
    return false;
}

bool lb_cli_find_shared(const char *name, char *found)
{
    static const char *const places[] = {"../share/limber", ".."};
    char program[PATH_MAX], path[PATH_MAX + 128];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash) {
        *slash = 0;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        snprintf(path, sizeof path, "%s/%s/%s", program, places[i], name);
        if (realpath(path, found)) {
            return true;
        }
    }
    return false;
}

// Editors complete and explain keys by it. They take what comes before the first space, so that a path with spaces
// or other unusual characters has to be an address.
void lb_cli_write_schema_line(FILE *out)
{
    char found[PATH_MAX];
    if (lb_cli_find_shared("schema/limber-model-1.json", found)) {
        static const char plain[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._~+-";
        const bool is_plain = found[strspn(found, plain)] == 0;
        fprintf(out, "# yaml-language-server: $schema=%s", is_plain ? "" : "file://");
        for (const char *at = found; *at; ++at) {
            fprintf(out, strchr(plain, *at) ? "%c" : "%%%02X", (unsigned char)*at);
        }
        fputc('\n', out);
    }
}

// What comes before the built-in text: comments that name the files, and the name of the model.
static bool write_head(FILE *out, const char *file, const char *name)
{
    json_t *text = json_string(name);
    char *quoted = text ? json_dumps(text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    json_decref(text);
    if (!quoted) {
        lb_cli_complain("new: '%s' is not UTF-8, or memory is short", name);
        return false;
    }
    lb_cli_write_schema_line(out);
    fprintf(out,
            "# An arm of two links that swings under gravity. The second link is a flexible beam.\n"
            "#\n"
            "#     limber check %s.yaml    says what is wrong\n"
            "#     limber run %s.yaml      computes the motion and writes %s.h5\n"
            "#     limber view %s.h5       shows it in a browser\n"
            "#\n"
            "# SI units. Angles are in radians, or have a unit: 45 deg.\n"
            "limber: 1                                       # version of the format\n"
            "name: %s\n",
            file, file, name, name, quoted);
    free(quoted);
    return true;
}

int lb_cli_run_new(const lb_cli_arguments *arguments)
{
    const char *given = arguments->count > 0 ? arguments->operands[0] : "arm";
    const bool print = strcmp(given, "-") == 0;
    const char *whole = print ? "arm" : given;
    // NAME, NAME.yaml, or either of them in a folder
    const size_t length = strlen(whole) - (lb_cli_ends_in(whole, ".yaml") ? 5 : 0);
    char stem[PATH_MAX], path[PATH_MAX + 8];
    const char *slash = strrchr(whole, '/'), *name = stem + (slash ? slash + 1 - whole : 0);
    if (length >= sizeof stem) {
        lb_cli_complain("new: the name is too long");
        return LB_CLI_USAGE;
    }
    memcpy(stem, whole, length);
    stem[length] = 0;
    if (!*name || has_controls(stem) || lb_cli_ends_in(stem, ".json") ||
        lb_cli_ends_in(stem, ".yml") || lb_cli_ends_in(stem, ".urdf")) {
        lb_cli_complain("new: '%s': expected the name of a model such as arm, or of a file such as "
                        "arm.yaml",
                        given);
        return LB_CLI_USAGE;
    }
    snprintf(path, sizeof path, "%s.yaml", stem);
    struct stat there;
    if (!print && lstat(path, &there) == 0) {
        lb_cli_complain("new: %s exists and is kept; give another name", path);
        return LB_CLI_USAGE;
    }
    lb_cli_output output;
    if (!lb_cli_open_output(print ? "-" : path, &output)) {
        return LB_CLI_FAILED;
    }
    output.is_told = true;
    const bool good = write_head(output.stream, stem, name);
    fwrite(lb_cli_new_model, 1, lb_cli_new_model_size, output.stream);
    if (!lb_cli_close_output(&output, good)) {
        return LB_CLI_FAILED;
    }
    if (!print) {
        lb_cli_note_written(path);
    }
    if (!print && lb_cli_is_talking()) {
        printf("%s: an arm of two links, one of them a flexible beam. Next:\n"
               "  limber check %s\n"
               "  limber run %s\n"
               "  limber view %s.h5\n",
               path, path, path, name);
    }
    return LB_CLI_DONE;
}
