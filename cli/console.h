// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands share: messages on standard error, colours, files, memory.
#ifndef LB_CLI_CONSOLE_H
#define LB_CLI_CONSOLE_H

#include <stdbool.h>
#include <stdio.h>

#include "../src/base/clock.h" // the only private header of the library that the command uses
#include "commands.h"
#include "limber/document.h"
#include "limber/io.h"
#include "limber/limber.h"

/// "limber: ..." on standard error.
void lb_cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// How many findings a diagnostic stands for: beyond a hundred of a kind, the library says the number of the others.
int lb_cli_count_findings(const lb_diagnostic *diagnostic);

/// Prints one diagnostic on standard error, as `file:line:column: path: message`.
void lb_cli_print_diagnostic(const lb_diagnostic *diagnostic);

/// A report that prints every diagnostic and counts the errors.
///
/// @param error_count  grows with each error; NULL to leave them uncounted
lb_report lb_cli_make_report(int *error_count);

/// A report that says every message as lb_cli_complain does: for files that are no models.
lb_report lb_cli_make_complaint(void);

/// The first message of a report, to be said with other words around it.
typedef struct lb_cli_message {
    char text[512];
} lb_cli_message;
lb_report lb_cli_keep_message(lb_cli_message *message);

/// The value of --instructions; LB_INSTRUCTIONS_BEST if it is not given.
///
/// @return false, with a complaint, if it names no instruction set
bool lb_cli_get_instructions(const lb_cli_arguments *arguments, lb_instruction_set *set);

/// As --instructions has it; not of LB_INSTRUCTIONS_BEST.
const char *lb_cli_get_instructions_name(lb_instruction_set set);

/// How the command line wants models loaded: --floating, --keep-fixed, --instructions.
lb_load_options lb_cli_get_load_options(const lb_cli_arguments *arguments);

/// Loads the document of the first operand; what is wrong with it goes to standard error.
///
/// @param text  the file's text where the caller has read it; NULL to read the file here
/// @return to be freed by lb_destroy_document; NULL on failure
lb_document *lb_cli_load_document(const lb_cli_arguments *arguments, const char *text,
                                  size_t length);

/// Loads the model of the first operand; what is wrong with it goes to standard error. NULL on
/// failure.
lb_model *lb_cli_load_model(const lb_cli_arguments *arguments);

/// Says what is behind LB_E_SINGULAR, LB_NEWS_INDEFINITE or any other status of a dynamics call,
/// with the body and the coordinate. Silent for LB_OK.
///
/// @param file  of the model; NULL if there is none
/// @param what  was being computed
/// @return true if the status is a success, with or without news
bool lb_cli_explain_status(const lb_model *model, const lb_work *work, lb_status status,
                           const char *file, const char *what);

/// Warns that rows of loops are redundant.
void lb_cli_warn_of_redundancy(const char *file, const char *what);

/// The same as lb_cli_explain_status for LB_E_SINGULAR or LB_NEWS_INDEFINITE found at a known place.
///
/// @param offset  entry among the body's own speeds (modes, then hinge)
bool lb_cli_explain_inertia(const lb_model *model, int body, int offset, lb_status status,
                            const char *file, const char *what);

/// From now on the first Ctrl-C, or SIGTERM, is only noted, and the second one ends the program at once.
void lb_cli_catch_interrupts(void);

/// Whether there was one.
bool lb_cli_is_interrupted(void);

/// Reads a whole file, "-" for standard input, into memory that the caller frees.
///
/// @return the text with a zero byte behind it; NULL, after saying why, on failure
char *lb_cli_read_file(const char *path, size_t *length);

/// A file of requests, a state or a vector that a command is given.
typedef struct lb_cli_input {
    const char *file; ///< name for diagnostics
    char *text;
    size_t length;
} lb_cli_input;

/// Reads such a file, "-" for standard input.
///
/// @return false, after saying why, on failure
bool lb_cli_read_input(const char *path, lb_cli_input *input);

/// Frees the text, and says so if its parser had no memory.
///
/// @param parsed  what the parser returned
/// @return the exit status
int lb_cli_end_input(lb_cli_input *input, lb_status parsed);

/// Ends the command for lack of memory: says so and leaves nothing unfinished behind.
void lb_cli_run_out(void) __attribute__((noreturn));

/// Does so for LB_E_MEMORY; any other status is handed back.
lb_status lb_cli_check_memory(lb_status status);

/// malloc, calloc, realloc and strdup of the command. They end it if there is no memory.
void *lb_cli_malloc(size_t size);
void *lb_cli_calloc(size_t count, size_t size);
void *lb_cli_realloc(void *memory, size_t size);
char *lb_cli_copy_text(const char *text);

/// From now on the same holds for allocations of jansson.
void lb_cli_watch_jansson(void);

/// Ends the command unless this much memory can be had now: before calls of libraries that crash or hang if an
/// allocation of their own fails.
void lb_cli_need_memory(size_t size);

/// Memory for `rows` x `columns` doubles, set to zero and freed by free(). Ends the command, after naming `what`, if the
/// machine does not have it.
double *lb_cli_allocate(int rows, int columns, const char *what);

/// A workspace of a model. Ends the command if there is no memory for it.
///
/// @param options  NULL for the defaults
/// @return to be freed by lb_destroy_work
lb_work *lb_cli_create_work(const lb_model *model, const lb_work_options *options);

/// Text from a file, for people: control characters show as '?', so that a name cannot steer the
/// terminal.
void lb_cli_put_text(FILE *out, const char *text);

/// The same as a field of CSV, in quotes where it has to be or where that is asked for.
void lb_cli_put_field(FILE *out, const char *text, bool quoted);

/// Columns that a text takes: its characters, where UTF-8 spends several bytes on one.
int lb_cli_count_columns(const char *text);

/// Whether the terminal's locale can show box-drawing characters.
bool lb_cli_has_utf8(void);

typedef enum lb_cli_colour {
    LB_CLI_PLAIN,
    LB_CLI_BOLD,
    LB_CLI_DIM,
    LB_CLI_RED,
    LB_CLI_YELLOW,
    LB_CLI_CYAN,
    LB_CLI_COLOUR_COUNT
} lb_cli_colour;

/// The escape sequence that starts a colour, "" where the stream is not a terminal or NO_COLOR is
/// set.
const char *lb_cli_get_colour(FILE *out, lb_cli_colour colour);

/// How much to say: -1 for -q, 1 for -v, 0 if neither was given.
void lb_cli_set_volume(int volume);
int lb_cli_get_volume(void);

#endif // LB_CLI_CONSOLE_H
