// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../src/command.h"
#include "console.h"
#include "progress.h"

// ---- inputs --------------------------------------------------------------------------------------

typedef struct input {
    dev_t device;
    ino_t number;
} input;

static struct {
    input *list;
    size_t count, room;
} inputs;

static const input *find_input(const struct stat *about)
{
    for (size_t i = 0; i < inputs.count; ++i) {
        if (inputs.list[i].device == about->st_dev && inputs.list[i].number == about->st_ino) {
            return &inputs.list[i];
        }
    }
    return NULL;
}

void lb_cli_note_input(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || find_input(&about)) {
        return;
    }
    if (inputs.count == inputs.room) {
        const size_t room = inputs.room ? 2 * inputs.room : 16;
        inputs.list = lb_cli_realloc(inputs.list, room * sizeof *inputs.list);
        inputs.room = room;
    }
    inputs.list[inputs.count++] = (input){about.st_dev, about.st_ino};
    if (lb_cli_get_volume() > 0) {
        lb_cli_complain("reading %s", path);
    }
}

static void note_documents(const lb_document *document, int depth);

// Every text that could be the name of a file counts, whatever its key. The model of a control law names
// files of its own.
static void note_place(const lb_place *place, const char *folder, int length, int depth)
{
    enum { LONGEST = 4096, DEEPEST = 2 };
    const char *text = lb_place_get_string(place), *key = lb_place_get_key(place);
    if (text && strpbrk(text, "./") && strlen(text) < LONGEST) {
        char path[2 * LONGEST];
        lb_document *document = NULL;
        snprintf(path, sizeof path, "%.*s%s", text[0] == '/' ? 0 : length, folder, text);
        lb_cli_note_input(path);
        if (key && strcmp(key, "model") == 0 && depth < DEEPEST &&
            lb_load_document(path, NULL, NULL, &document) >= 0) {
            note_documents(document, depth + 1);
        }
        lb_destroy_document(document);
    }
    const lb_doc_kind kind = lb_place_get_kind(place);
    if (kind == LB_DOC_MAPPING || kind == LB_DOC_SEQUENCE) {
        for (size_t i = 0; i < lb_place_get_count(place); ++i) {
            const lb_place item =
                kind == LB_DOC_MAPPING ? lb_place_at_pair(place, i) : lb_place_at_index(place, i);
            note_place(&item, folder, length, depth);
        }
    }
}

static void note_documents(const lb_document *document, int depth)
{
    const char *file = lb_get_document_file(document), *slash = strrchr(file, '/');
    const lb_place root = lb_get_document_root(document);
    note_place(&root, file, slash ? (int)(slash - file) + 1 : 0, depth);
    for (int i = 0; i < lb_get_included_count(document); ++i) {
        lb_cli_note_input(lb_get_included_file(document, i));
    }
}

void lb_cli_note_document(const lb_document *document)
{
    note_documents(document, 0);
}

bool lb_cli_check_output(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return true;
    }
    if (find_input(&about)) {
        lb_cli_complain("cannot write %s: this command reads it; name another file", path);
        return false;
    }
    return true;
}

bool lb_cli_check_results(const char *path)
{
    const size_t length = strlen(path);
    char *part = lb_cli_malloc(length + 6);
    memcpy(part, path, length);
    memcpy(part + length, ".part", 6);
    const bool good = lb_cli_check_output(path) && lb_cli_check_output(part);
    free(part);
    return good;
}

// ---- names of outputs ----------------------------------------------------------------------------

bool lb_cli_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

bool lb_cli_check_ending(const lb_cli_arguments *arguments, const char *option, const char *path,
                         const char *endings)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
    const char *dot = path ? strrchr(base, '.') : NULL;
    size_t letters = 0;
    while (dot && isalnum((unsigned char)dot[1 + letters])) {
        ++letters;
    }
    // "run-0.1-final" has none
    if (!dot || dot[1 + letters] || letters == 0 || letters > 8) {
        return true;
    }
    for (const char *c = endings; *c; c += strspn(c, " ")) {
        const size_t size = strcspn(c, " "), length = strlen(base);
        if (length > size && strncmp(base + length - size, c, size) == 0) {
            return true;
        }
        c += size;
    }
    // ".svg .pdf .png" reads as ".svg, .pdf or .png"
    char list[128] = "";
    size_t length = 0;
    for (const char *c = endings; *c && length + 8 < sizeof list; ++c) {
        const char *between = *c != ' ' ? NULL : strchr(c + 1, ' ') ? ", " : " or ";
        length += (size_t)snprintf(list + length, sizeof list - length, between ? "%s" : "%.1s",
                                   between ? between : c);
    }
    lb_cli_complain("%s: %s%s%s'%s' given, expected a name that ends in %s",
                    arguments->command->name, option ? "--" : "", option ? option : "",
                    option ? ": " : "", path, list);
    return false;
}

static struct {
    bool is_on;
    char **paths;
    size_t count;
} written;

void lb_cli_collect_written(void)
{
    written.is_on = true;
}

bool lb_cli_is_talking(void)
{
    return lb_cli_get_volume() >= 0 && !written.is_on;
}

void lb_cli_put_written(lb_cli_json *json)
{
    lb_cli_json_open(json, "written", '[');
    for (size_t i = 0; i < written.count; ++i) {
        lb_cli_json_string(json, NULL, written.paths[i]);
    }
    lb_cli_json_close(json, ']');
}

void lb_cli_note_written(const char *path)
{
    if (written.is_on) {
        written.paths = lb_cli_realloc(written.paths, (written.count + 1) * sizeof *written.paths);
        written.paths[written.count++] = lb_cli_copy_text(path);
    }
}

void lb_cli_say_written(const char *path)
{
    lb_cli_clear_progress();
    lb_cli_note_written(path);
    if (!lb_cli_is_talking()) {
        return;
    }
    fputs("wrote ", stdout);
    lb_cli_put_text(stdout, path);
    fputc('\n', stdout);
    fflush(stdout);
}

// ---- outputs -------------------------------------------------------------------------------------

// Files that are being written.
static struct {
    lb_output **files;
    size_t count;
} unfinished;

static void forget_output(const lb_output *file)
{
    for (size_t i = 0; i < unfinished.count; ++i) {
        if (unfinished.files[i] == file) {
            unfinished.files[i] = unfinished.files[--unfinished.count];
        }
    }
}

void lb_cli_drop_outputs(void)
{
    while (unfinished.count > 0) {
        lb_drop_output(unfinished.files[--unfinished.count], 0, NULL);
    }
}

bool lb_cli_open_output(const char *path, lb_cli_output *o)
{
    *o = (lb_cli_output){.stream = stdout, .path = path};
    if (!path || strcmp(path, "-") == 0) {
        if (written.is_on && path) {
            lb_cli_complain("--json goes to standard output: name a file in place of -");
        }
        return !written.is_on || !path;
    }
    const lb_report report = lb_cli_make_complaint();
    unfinished.files =
        lb_cli_realloc(unfinished.files, (unfinished.count + 1) * sizeof *unfinished.files);
    if (!lb_cli_check_output(path) || lb_open_output(path, &report, &o->file) < 0) {
        return false;
    }
    unfinished.files[unfinished.count++] = o->file;
    const int fd = fcntl(lb_get_output_descriptor(o->file), F_DUPFD_CLOEXEC, 0);
    o->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!o->stream) {
        const int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        forget_output(o->file);
        lb_drop_output(o->file, error, &report);
        return false;
    }
    return true;
}

int lb_cli_find_write_error(FILE *stream)
{
    errno = 0;
    if (fflush(stream) != 0 && errno != 0) {
        return errno;
    }
    if (!ferror(stream)) {
        return 0;
    }
    // a stream forgets why a write failed, and may drop what it held: look for the reason
    const int fd = fileno(stream);
    struct stat about;
    struct statvfs disk;
    if (fd < 0 || fstat(fd, &about) != 0) {
        return EIO;
    }
    if (S_ISFIFO(about.st_mode)) {
        return EPIPE;
    }
    if (S_ISREG(about.st_mode)) {
        return fstatvfs(fd, &disk) == 0 && disk.f_bavail == 0 ? ENOSPC : EIO;
    }
    return !isatty(fd) && write(fd, "", 1) < 0 ? errno : EIO;
}

bool lb_cli_close_output(lb_cli_output *o, bool good)
{
    if (!o->file) {
        return good;
    }
    const lb_report report = lb_cli_make_complaint();
    int error = lb_cli_find_write_error(o->stream);
    if (fclose(o->stream) != 0 && error == 0) {
        error = errno ? errno : EIO;
    }
    forget_output(o->file);
    if (!good || error != 0) {
        lb_drop_output(o->file, good ? error : 0, &report);
        return false;
    }
    good = lb_finish_output(o->file, true, &report) >= 0;
    if (good && !o->is_told) {
        lb_cli_say_written(o->path);
    }
    return good;
}

// ---- forms -------------------------------------------------------------------------------------

bool lb_cli_choose_form(const lb_cli_arguments *arguments, lb_cli_form *form)
{
    const char *path = lb_cli_get_option(arguments, "output"), *end = path ? path : "";
    const char *name = arguments->command->name;
    const bool csv = lb_cli_get_option(arguments, "csv"),
               json = lb_cli_get_option(arguments, "json");
    const bool drawn =
        lb_cli_ends_in(end, ".svg") || lb_cli_ends_in(end, ".pdf") || lb_cli_ends_in(end, ".png");
    *form = csv                            ? LB_CLI_CSV
            : json                         ? LB_CLI_JSON
            : lb_cli_ends_in(end, ".csv")  ? LB_CLI_CSV
            : lb_cli_ends_in(end, ".json") ? LB_CLI_JSON
            : drawn                        ? LB_CLI_FIGURE
                                           : LB_CLI_TEXT;
    if (!lb_cli_check_ending(arguments, "output", path, ".csv .json .svg .pdf .png .txt")) {
        return false;
    }
    if (csv && json) {
        lb_cli_complain("%s: --csv or --json, not both", name);
        return false;
    }
#ifndef LB_WITH_VIEW
    if (*form == LB_CLI_FIGURE) {
        lb_cli_complain("%s: this limber was built without figures", name);
        return false;
    }
#endif
    return true;
}
