// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "initial_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../src/command.h"
#include "console.h"
#include "json_out.h"
#include "memory_stream.h"
#include "output.h"

// With a point before an exponent, without which many readers of YAML take a number for text.
static void print_number(FILE *out, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    const char *exponent = strchr(text, 'e');
    const int length = (int)(exponent && !strchr(text, '.') ? exponent - text : 0);
    fprintf(out, length > 0 ? "%.*s.0%s" : "%.*s%s", length, text, text + length);
}

// ", key: [...]"; nothing for a list of none.
static void print_list(FILE *out, const char *key, const double *values, int count, bool *is_first)
{
    if (count == 0) {
        return;
    }
    fprintf(out, "%s%s: [", *is_first ? "" : ", ", key);
    for (int i = 0; i < count; ++i) {
        fputs(i ? ", " : "", out);
        print_number(out, values[i]);
    }
    fputc(']', out);
    *is_first = false;
}

void lb_cli_print_initial(FILE *out, const lb_model *model, const double *q, const double *v)
{
    fprintf(out, "initial:\n");
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        const int modes = lb_get_mode_count(model, body);
        const double *own_q = q + lb_get_q_offset(model, body);
        bool is_first = true;
        if (modes + lb_get_hinge(model, body).q_count == 0) {
            continue;
        }
        fputs("  ", out);
        lb_cli_json name = lb_cli_json_start(out);
        lb_cli_json_string(&name, NULL, lb_get_body_name(model, body));
        fputs(": {", out);
        print_list(out, "eta", own_q, modes, &is_first);
        print_list(out, "q", own_q + modes, lb_get_hinge(model, body).q_count, &is_first);
        if (v) {
            const double *own_v = v + lb_get_v_offset(model, body);
            print_list(out, "eta_rate", own_v, modes, &is_first);
            print_list(out, "v", own_v + modes, lb_get_hinge(model, body).v_count, &is_first);
        }
        fprintf(out, "}\n");
    }
}

void lb_cli_print_state(const lb_model *model, const double *q, const double *v)
{
    lb_cli_json json = lb_cli_json_start(stdout);
    lb_cli_json_open(&json, NULL, '{');
    lb_cli_json_vector(&json, "q", q, lb_get_q_count(model));
    lb_cli_json_vector(&json, "v", v, lb_get_v_count(model));
    lb_cli_json_close(&json, '}');
    lb_cli_json_finish(&json);
}

// ---- in the file itself --------------------------------------------------------------------------

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(fd, text, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        text += done;
        size -= (size_t)done;
    }
    return true;
}

static const char *find_line_end(const char *line, const char *end)
{
    const char *next = memchr(line, '\n', (size_t)(end - line));
    return next ? next + 1 : end;
}

// The key `initial` of a YAML text with all that is below it, up to the next key; both at the end of the text if there
// is none. Lines of comment before the next key belong to that.
static void find_block(const char *text, const char *end, const char **from, const char **to)
{
    const char *line = text;
    while (line < end && !((size_t)(end - line) > 8 && strncmp(line, "initial:", 8) == 0)) {
        line = find_line_end(line, end);
    }
    *from = *to = line;
    for (bool first = true; line < end; first = false) {
        const char first_letter = *line;
        const bool inside = first || strchr(" \t}]", first_letter);
        if (!inside && !strchr("#\r\n", first_letter)) {
            break;
        }
        line = find_line_end(line, end);
        *to = inside ? line : *to;
    }
}

// Whether a text is a model with that initial state, up to round-off.
static bool has_state(const lb_cli_arguments *arguments, const lb_cli_setup *s, const char *text,
                      size_t length, const double *q)
{
    lb_cli_setup changed;
    bool good = lb_cli_open_setup(arguments, text, length, &changed) &&
                lb_get_q_count(changed.model) == lb_get_q_count(s->model);
    if (good) {
        const double *found, *v;
        lb_get_initial_state(changed.simulation, &found, &v);
        for (int i = 0; good && i < lb_get_q_count(s->model); ++i) {
            good = fabs(found[i] - q[i]) <= 1e-12 * (1.0 + fabs(q[i]));
        }
    }
    lb_cli_close_setup(&changed);
    return good;
}

int lb_cli_replace_initial(const lb_cli_arguments *arguments, const lb_cli_setup *s,
                           const double *q, const double *v)
{
    const char *name = arguments->command->name;
    if (!lb_cli_ends_in(s->path, ".yaml") && !lb_cli_ends_in(s->path, ".yml")) {
        lb_cli_complain("%s: --in-place works with YAML files only, and %s is not one", name,
                        s->path);
        return LB_CLI_USAGE;
    }
    size_t length = 0;
    char *text = lb_cli_read_file(s->path, &length);
    lb_cli_memory memory;
    if (!text) {
        return LB_CLI_FAILED;
    }
    lb_cli_open_memory(&memory);
    const char *from, *to, *end = text + length;
    find_block(text, end, &from, &to);
    fwrite(text, 1, (size_t)(from - text), memory.stream);
    if (from > text && from[-1] != '\n') {
        fputc('\n', memory.stream);
    }
    lb_cli_print_initial(memory.stream, s->model, q, v);
    fwrite(to, 1, (size_t)(end - to), memory.stream);
    free(text);
    lb_cli_close_memory(&memory);
    bool good = has_state(arguments, s, memory.text, memory.size, q);
    if (!good) {
        lb_cli_complain("%s: `initial` of %s cannot be replaced; the file is kept", name, s->path);
    }
    lb_output *file = NULL;
    const lb_report report = lb_cli_make_complaint();
    if (good && lb_open_output(s->path, &report, &file) >= 0) {
        const bool whole = write_all(lb_get_output_descriptor(file), memory.text, memory.size);
        const int error = errno;
        good = whole;
        if (whole) {
            good = lb_finish_output(file, true, &report) >= 0;
        } else {
            lb_drop_output(file, error, &report);
        }
    } else {
        good = false;
    }
    free(memory.text);
    if (good) {
        lb_cli_say_written(s->path);
    }
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}

bool lb_cli_may_print_initial(const lb_cli_arguments *arguments, const lb_cli_setup *s)
{
    struct stat out, model;
    const lb_place root = lb_get_document_root(s->document);
    const lb_place initial = lb_place_at_key(&root, "initial");
    if (!lb_place_exists(&initial) || fstat(STDOUT_FILENO, &out) != 0 || !S_ISREG(out.st_mode) ||
        stat(s->path, &model) != 0 || out.st_dev != model.st_dev || out.st_ino != model.st_ino) {
        return true;
    }
    lb_cli_complain("%s: %s has `initial` already, and would have it twice; --in-place replaces it",
                    arguments->command->name, s->path);
    return false;
}
