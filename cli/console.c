// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "console.h"

#include <errno.h>
#include <jansson.h>
#include <langinfo.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/command.h"
#include "output.h"
#include "progress.h"
#include "scratch.h"
#include "settings.h"

void lb_cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lb_cli_make_room();
    fputs("limber: ", stderr);
    lb_cli_put_text(stderr, text);
    fputc('\n', stderr);
}

// ---- diagnostics -------------------------------------------------------------------------------

void lb_cli_print_diagnostic(const lb_diagnostic *diagnostic)
{
    const bool warning = diagnostic->severity == LB_SEVERITY_WARNING;
    const char *plain = lb_cli_get_colour(stderr, LB_CLI_PLAIN);

    lb_cli_make_room();
    // where, bold, then whether it stops us
    fputs(lb_cli_get_colour(stderr, LB_CLI_BOLD), stderr);
    if (diagnostic->file) {
        lb_cli_put_text(stderr, diagnostic->file);
    } else {
        fputs("limber", stderr);
    }
    if (diagnostic->line > 0) {
        fprintf(stderr, ":%d", diagnostic->line);
        if (diagnostic->column > 0) {
            fprintf(stderr, ":%d", diagnostic->column);
        }
    }
    fprintf(stderr, ":%s ", plain);
    if (warning) {
        fprintf(stderr, "%swarning:%s ", lb_cli_get_colour(stderr, LB_CLI_YELLOW), plain);
    }

    // which key, and what about it
    if (diagnostic->path && diagnostic->path[0]) {
        fputs(lb_cli_get_colour(stderr, warning ? LB_CLI_YELLOW : LB_CLI_RED), stderr);
        lb_cli_put_text(stderr, diagnostic->path);
        fprintf(stderr, "%s: ", plain);
    }
    lb_cli_put_text(stderr, diagnostic->message);
    fputc('\n', stderr);
}

int lb_cli_count_findings(const lb_diagnostic *diagnostic)
{
    static const char words[] = " more of this kind are not listed";
    char *end;
    const long more = strtol(diagnostic->message, &end, 10);
    return more > 0 && more <= INT_MAX && strncmp(end, words, strlen(words)) == 0 ? (int)more : 1;
}

static void emit(void *user, const lb_diagnostic *diagnostic)
{
    int *error_count = user;
    if (error_count && diagnostic->severity == LB_SEVERITY_ERROR) {
        *error_count += lb_cli_count_findings(diagnostic);
    }
    lb_cli_print_diagnostic(diagnostic);
}

lb_report lb_cli_make_report(int *error_count)
{
    const lb_report report = {emit, error_count};
    return report;
}

static void complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    lb_cli_complain("%s", diagnostic->message);
}

lb_report lb_cli_make_complaint(void)
{
    return (lb_report){complain, NULL};
}

static void keep(void *user, const lb_diagnostic *diagnostic)
{
    lb_cli_message *message = user;
    if (!message->text[0]) {
        snprintf(message->text, sizeof message->text, "%s", diagnostic->message);
    }
}

lb_report lb_cli_keep_message(lb_cli_message *message)
{
    message->text[0] = 0;
    return (lb_report){keep, message};
}

static const char *const instruction_sets[] = {[LB_INSTRUCTIONS_PORTABLE] = "portable",
                                               [LB_INSTRUCTIONS_AVX2] = "avx2",
                                               [LB_INSTRUCTIONS_AVX512] = "avx512"};

const char *lb_cli_get_instructions_name(lb_instruction_set set)
{
    return instruction_sets[set];
}

bool lb_cli_get_instructions(const lb_cli_arguments *arguments, lb_instruction_set *set)
{
    const char *name = lb_cli_get_option(arguments, "instructions");
    *set = LB_INSTRUCTIONS_BEST;
    for (int i = LB_INSTRUCTIONS_PORTABLE; name && i <= LB_INSTRUCTIONS_AVX512; ++i) {
        if (strcmp(name, instruction_sets[i]) == 0) {
            *set = (lb_instruction_set)i;
            return true;
        }
    }
    if (name) {
        lb_cli_complain("%s: --instructions: '%s' given, expected portable, avx2 or avx512",
                        arguments->command->name, name);
    }
    return !name;
}

lb_load_options lb_cli_get_load_options(const lb_cli_arguments *arguments)
{
    lb_load_options options = lb_default_load_options();
    options.floating_base = lb_cli_get_option(arguments, "floating") != NULL;
    options.keep_fixed = lb_cli_get_option(arguments, "keep-fixed") != NULL;
    options.allow_files = lb_cli_get_option(arguments, "allow-files");
    (void)lb_cli_get_instructions(arguments, &options.instructions);
    lb_cli_add_settings(&options);
    return options;
}

lb_document *lb_cli_load_document(const lb_cli_arguments *arguments, const char *text,
                                  size_t length)
{
    const char *path = arguments->operands[0];
    const lb_load_options options = lb_cli_get_load_options(arguments);
    const lb_report report = lb_cli_make_report(NULL);
    lb_document *document = NULL;
    lb_cli_note_input(path);
    // what is wrong is reported, and there is no document then
    if (text) {
        lb_load_document_text(text, length, path, LB_FORMAT_AUTO, &options, &report, &document);
    } else {
        lb_load_document(path, &options, &report, &document);
    }
    return document;
}

lb_model *lb_cli_load_model(const lb_cli_arguments *arguments)
{
    const char *path = arguments->operands[0];
    const lb_load_options options = lb_cli_get_load_options(arguments);
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    lb_model *model = NULL;
    lb_cli_note_input(path);
    const lb_status status = lb_load_model(path, &options, &report, &model);
    if (status < 0 && error_count == 0) {
        const lb_diagnostic diagnostic = {
            sizeof diagnostic, LB_SEVERITY_ERROR, path, 0, 0, "", lb_get_status_text(status)};
        lb_cli_print_diagnostic(&diagnostic);
    }
    return model;
}

static bool explain(lb_status status, const char *file, const char *path, const char *message)
{
    const lb_severity severity = status < 0 ? LB_SEVERITY_ERROR : LB_SEVERITY_WARNING;
    const lb_diagnostic diagnostic = {sizeof diagnostic, severity, file, 0, 0, path, message};
    lb_cli_print_diagnostic(&diagnostic);
    return status > 0;
}

bool lb_cli_explain_inertia(const lb_model *model, int body, int offset, lb_status status,
                            const char *file, const char *what)
{
    const char *why =
        status == LB_E_SINGULAR
            ? "singular: no mass resists this motion; give the body, or what it carries, inertia"
            : "indefinite: the state is outside the range in which the model holds";
    const char *name = lb_get_body_name(model, body);
    const int hinge_offset = offset - lb_get_mode_count(model, body);
    char path[64], message[1024];
    if (hinge_offset < 0) {
        snprintf(path, sizeof path, "bodies[%d].flex", body);
        snprintf(message, sizeof message, "%s: the inertia of body '%s' at mode %d is %s", what,
                 name, offset, why);
    } else {
        snprintf(path, sizeof path, "bodies[%d].hinge", body);
        snprintf(message, sizeof message,
                 "%s: the inertia of body '%s' at coordinate %d of its %s hinge is %s", what, name,
                 hinge_offset, lb_get_hinge_type_name(lb_get_hinge(model, body).type), why);
    }
    return explain(status, file, path, message);
}

bool lb_cli_explain_status(const lb_model *model, const lb_work *work, lb_status status,
                           const char *file, const char *what)
{
    if (status == LB_OK) {
        return true;
    }
    if (status == LB_E_SINGULAR || status == LB_NEWS_INDEFINITE) {
        int body = 0, offset = 0;
        lb_get_bad_inertia(work, &body, &offset);
        return lb_cli_explain_inertia(model, body, offset, status, file, what);
    }
    char message[1024];
    snprintf(message, sizeof message, "%s: %s", what, lb_get_status_text(status));
    return explain(status, file, "", message);
}

void lb_cli_warn_of_redundancy(const char *file, const char *what)
{
    char message[1024];
    snprintf(message, sizeof message,
             "%s: constraints are redundant or singular: least-norm forces were taken", what);
    (void)explain(1, file, "", message);
}

// ---- volume --------------------------------------------------------------------------------------

static int volume_now;

void lb_cli_set_volume(int volume)
{
    volume_now = volume;
}

int lb_cli_get_volume(void)
{
    return volume_now;
}

// ---- files and memory --------------------------------------------------------------------------

static void complain_of_input(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    lb_cli_complain("cannot read %s: %s", diagnostic->file, diagnostic->message);
}

char *lb_cli_read_file(const char *path, size_t *length)
{
    const bool is_standard = strcmp(path, "-") == 0;
    const lb_report report = {complain_of_input, NULL};
    char *text;
    if (!is_standard) {
        lb_cli_note_input(path);
    }
    (void)lb_cli_check_memory(
        lb_read_file(is_standard ? NULL : path, LB_TEXT_SIZE_MAX, NULL, &report, &text, length));
    return text;
}

bool lb_cli_read_input(const char *path, lb_cli_input *input)
{
    // JSON itself in place of a file, unless there is a file of that name
    if ((path[0] == '{' || path[0] == '[') && access(path, F_OK) != 0) {
        input->file = "<command line>";
        input->text = lb_cli_copy_text(path);
        input->length = strlen(path);
        return true;
    }
    input->file = strcmp(path, "-") == 0 ? "<stdin>" : path;
    input->text = lb_cli_read_file(path, &input->length);
    return input->text != NULL;
}

int lb_cli_end_input(lb_cli_input *input, lb_status parsed)
{
    free(input->text);
    return lb_cli_check_memory(parsed) < 0 ? LB_CLI_USAGE : LB_CLI_DONE;
}

// Ends the command where it is.
static void end(void) __attribute__((noreturn));
static void end(void)
{
    lb_cli_drop_outputs();
    lb_cli_drop_scratch();
    exit(LB_CLI_FAILED);
}

void lb_cli_run_out(void)
{
    lb_cli_complain("out of memory");
    end();
}

lb_status lb_cli_check_memory(lb_status status)
{
    if (status == LB_E_MEMORY) {
        lb_cli_run_out();
    }
    return status;
}

static void *check(void *memory)
{
    if (!memory) {
        lb_cli_run_out();
    }
    return memory;
}

void *lb_cli_malloc(size_t size)
{
    return check(malloc(size ? size : 1));
}

void *lb_cli_calloc(size_t count, size_t size)
{
    return check(calloc(count ? count : 1, size ? size : 1));
}

void *lb_cli_realloc(void *memory, size_t size)
{
    return check(realloc(memory, size));
}

char *lb_cli_copy_text(const char *text)
{
    return check(strdup(text));
}

void lb_cli_watch_jansson(void)
{
    json_set_alloc_funcs(lb_cli_malloc, free);
}

void lb_cli_need_memory(size_t size)
{
    void *volatile piece = lb_cli_malloc(size); // volatile: compilers leave out what nobody uses
    free(piece);
}

lb_work *lb_cli_create_work(const lb_model *model, const lb_work_options *options)
{
    lb_work *work;
    (void)lb_cli_check_memory(lb_create_work_with(model, options, &work));
    return work;
}

double *lb_cli_allocate(int rows, int columns, const char *what)
{
    const double bytes = 8.0 * (double)rows * (double)columns;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    // systems promise memory that they do not have and kill who believes it, so ask first
    if (bytes > memory || bytes >= (double)(SIZE_MAX / 2)) {
        lb_cli_complain("%s: %d x %d numbers need %.3g GB, more memory than there is", what, rows,
                        columns, bytes * 1e-9);
        end();
    }
    return lb_cli_calloc((size_t)rows * (size_t)columns, sizeof(double));
}

// ---- the terminal ------------------------------------------------------------------------------

// Bytes of the control character that a text starts with: of ASCII, or U+0080 to U+009F, which steer a
// terminal as well; 0 for none.
static int measure_control(const char *text)
{
    const unsigned char a = (unsigned char)text[0];
    const unsigned char b = a ? (unsigned char)text[1] : 0;
    return (a > 0 && a < 0x20) || a == 0x7f ? 1 : a == 0xc2 && b >= 0x80 && b < 0xa0 ? 2 : 0;
}

void lb_cli_put_text(FILE *out, const char *text)
{
    while (*text) {
        const int control = measure_control(text);
        fputc(control ? '?' : *text, out);
        text += control ? control : 1;
    }
}

void lb_cli_put_field(FILE *out, const char *text, bool quoted)
{
    if (!quoted && !strpbrk(text, ",\"\n")) {
        lb_cli_put_text(out, text);
        return;
    }
    fputc('"', out);
    for (; *text; ++text) {
        const char one[3] = {*text, *text == '"' ? '"' : 0, 0};
        const int control = measure_control(text);
        fputs(control ? "?" : one, out);
        text += control > 1;
    }
    fputc('"', out);
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void lb_cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};
    interrupted = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool lb_cli_is_interrupted(void)
{
    return interrupted != 0;
}

int lb_cli_count_columns(const char *text)
{
    int count = 0;
    for (; *text; ++text) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

bool lb_cli_has_utf8(void)
{
    const char *codeset = nl_langinfo(CODESET);
    return strcmp(codeset, "UTF-8") == 0 || strcmp(codeset, "utf8") == 0;
}

const char *lb_cli_get_colour(FILE *out, lb_cli_colour colour)
{
    static const char *const codes[LB_CLI_COLOUR_COUNT] = {
        [LB_CLI_PLAIN] = "\033[0m", [LB_CLI_BOLD] = "\033[1m",    [LB_CLI_DIM] = "\033[2m",
        [LB_CLI_RED] = "\033[31m",  [LB_CLI_YELLOW] = "\033[33m", [LB_CLI_CYAN] = "\033[36m",
    };
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0 || !isatty(fileno(out))) {
        return "";
    }
    return codes[colour];
}
