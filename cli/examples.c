// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber examples [NAME...]: lists the example models that are installed, and copies them.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../src/command.h"
#include "console.h"
#include "new.h"
#include "output.h"

static const char marker[] = "# yaml-language-server:";

static int is_model(const struct dirent *entry)
{
    return lb_cli_ends_in(entry->d_name, ".yaml");
}

// What follows `name:` in a model file. Points into line.
static const char *read_title(const char *path, char line[256])
{
    static const char key[] = "name: ";
    FILE *file = fopen(path, "r");
    line[0] = 0;
    while (file && fgets(line, 256, file) && strncmp(line, key, sizeof key - 1) != 0) {
    }
    if (file) {
        fclose(file);
    }
    char *text =
        strncmp(line, key, sizeof key - 1) == 0 ? line + sizeof key - 1 : line + strlen(line);
    text[strcspn(text, "\n")] = 0;
    const size_t length = strlen(text);
    if (length > 1 && text[0] == '"' && text[length - 1] == '"') {
        text[length - 1] = 0;
        ++text;
    }
    return text;
}

static int list(const char *folder, lb_cli_json *json)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_model, alphasort);
    if (count < 0) {
        lb_cli_run_out();
    }
    for (int i = 0; i < count; ++i) {
        char path[PATH_MAX], line[256], *name = entries[i]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        name[strlen(name) - 5] = 0; // without .yaml
        const char *title = read_title(path, line);
        if (json) {
            lb_cli_json_open(json, NULL, '{');
            lb_cli_json_string(json, "name", name);
            lb_cli_json_string(json, "title", title);
            lb_cli_json_close(json, '}');
        } else {
            printf("%-24s ", name);
            lb_cli_put_text(stdout, title);
            fputc('\n', stdout);
        }
        free(entries[i]);
    }
    free(entries);
    if (json) {
        return LB_CLI_DONE;
    }
    printf("\nlimber examples NAME copies one to this folder.\n");
    return LB_CLI_DONE;
}

// A copy of folder/name under the same name here, with the schema of this program. A file that exists is kept.
static int copy_file(const char *folder, const char *name)
{
    char path[PATH_MAX], kept[PATH_MAX];
    struct stat there;
    if (lstat(name, &there) == 0) {
        lb_cli_complain("examples: %s exists and is kept", name);
        return LB_CLI_USAGE;
    }
    const char *slash = strrchr(name, '/');
    if (slash) {
        snprintf(kept, sizeof kept, "%.*s", (int)(slash - name), name);
        mkdir(kept, 0777); // or it is there; opening the file tells
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    size_t length = 0;
    char *text = lb_cli_read_file(path, &length);
    lb_cli_output output;
    if (!text || !lb_cli_open_output(name, &output)) {
        free(text);
        return LB_CLI_FAILED;
    }
    const char *start = text;
    if (strncmp(text, marker, sizeof marker - 1) == 0) {
        start += strcspn(text, "\n");
        start += *start == '\n';
        lb_cli_write_schema_line(output.stream);
    }
    fwrite(start, 1, length - (size_t)(start - text), output.stream);
    free(text);
    return lb_cli_close_output(&output, true) ? LB_CLI_DONE : LB_CLI_FAILED;
}

// The model, and the library beside it that it names.
static int copy(const char *folder, const char *asked)
{
    char name[256], path[PATH_MAX];
    const bool whole = lb_cli_ends_in(asked, ".yaml");
    snprintf(name, sizeof name, "%s%s", asked, whole ? "" : ".yaml");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    struct stat there;
    if (strchr(name, '/') || stat(path, &there) != 0) {
        lb_cli_complain("examples: there is no example '%s'; limber examples lists them", asked);
        return LB_CLI_USAGE;
    }
    int status = copy_file(folder, name);
    lb_document *document = NULL;
    if (status == LB_CLI_DONE && lb_load_document(path, NULL, NULL, &document) >= 0) {
        const lb_place root = lb_get_document_root(document);
        const lb_place library = lb_place_at_key(&root, "library");
        const char *file = lb_place_exists(&library) ? lb_place_get_string(&library) : NULL;
        status = file && lstat(file, &there) != 0 ? copy_file(folder, file) : status;
    }
    lb_destroy_document(document);
    return status;
}

int lb_cli_run_examples(const lb_cli_arguments *arguments)
{
    char folder[PATH_MAX];
    if (!lb_cli_find_shared("examples", folder)) {
        lb_cli_complain("examples: the example models are not installed with this program");
        return LB_CLI_FAILED;
    }
    const bool as_json = lb_cli_get_option(arguments, "json") != NULL,
               lists = arguments->count == 0;
    lb_cli_json json = lb_cli_json_start(stdout);
    int status = LB_CLI_DONE;
    if (as_json) {
        lb_cli_collect_written();
    }
    if (as_json && lists) {
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_json_open(&json, "examples", '[');
    }
    if (lists) {
        status = list(folder, as_json ? &json : NULL);
    }
    for (int i = 0; status == LB_CLI_DONE && i < arguments->count; ++i) {
        status = copy(folder, arguments->operands[i]);
    }
    if (as_json && lists) {
        lb_cli_json_close(&json, ']');
    } else if (as_json) {
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_put_written(&json);
    }
    if (as_json) {
        lb_cli_json_close(&json, '}');
        lb_cli_json_finish(&json);
    }
    return status;
}
