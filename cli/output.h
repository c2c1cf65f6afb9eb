// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Output files of commands: none of them is an input of the same command, and each appears whole or not
// at all; see src/base/files/output.h.
#ifndef LB_CLI_OUTPUT_H
#define LB_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "../src/command.h"
#include "commands.h"
#include "json_out.h"
#include "limber/document.h"

/// Remembers a file that the command reads.
void lb_cli_note_input(const char *path);

/// Remembers the files that a document names: libraries, models of controllers, programs and others.
void lb_cli_note_document(const lb_document *document);

/// Whether the command may write to a file: it has not read it.
///
/// @return false, after saying why, if it must not
bool lb_cli_check_output(const char *path);

/// The same for the result file of a run, and for the file PATH.part that it writes first.
bool lb_cli_check_results(const char *path);

/// Whether a path ends so, with something before it.
bool lb_cli_ends_in(const char *path, const char *ending);

/// Whether the ending of a file that an option names is one that the command writes. A name without a
/// dot has no ending, and is taken as it is; so is "-".
///
/// @param option   NULL for an operand
/// @param path     may be NULL
/// @param endings  such as ".svg .pdf .png"
/// @return false, after saying which endings there are, for another one
bool lb_cli_check_ending(const lb_cli_arguments *arguments, const char *option, const char *path,
                         const char *endings);

/// Says on standard output that a file was written, unless -q was given; or notes it for --json.
void lb_cli_say_written(const char *path);

/// Notes it for --json, where the command has words of its own for people.
void lb_cli_note_written(const char *path);

/// From now on files that are written are noted, and standard output is for JSON alone.
void lb_cli_collect_written(void);

/// Whether the command may talk to people on standard output: neither -q nor a command that collects.
bool lb_cli_is_talking(void);

/// The member `written` of an object: files that were written.
void lb_cli_put_written(lb_cli_json *json);

/// A file to be written, or standard output.
typedef struct lb_cli_output {
    FILE *stream;
    lb_output *file; ///< NULL for standard output
    const char *path;
    bool is_told; ///< the command itself says that it was written
} lb_cli_output;

/// Opens a file; NULL or "-" for standard output, which main sees to.
///
/// @return false, after saying why, on failure
bool lb_cli_open_output(const char *path, lb_cli_output *output);

/// Why the writes of a stream failed, as a value of errno; 0 if none has.
int lb_cli_find_write_error(FILE *stream);

/// Gives the file its name and says so if `good` is true and everything was written, and removes it otherwise.
///
/// @return `good`; false, after saying why, if the file could not be written
bool lb_cli_close_output(lb_cli_output *output, bool good);

/// Removes the files that are open: the command ends in the middle.
void lb_cli_drop_outputs(void);

/// How results are given.
typedef enum lb_cli_form { LB_CLI_TEXT, LB_CLI_CSV, LB_CLI_JSON, LB_CLI_FIGURE } lb_cli_form;

/// Chooses it by --csv and --json, or else by the ending of --output.
///
/// @return false after saying what is wrong
bool lb_cli_choose_form(const lb_cli_arguments *arguments, lb_cli_form *form);

#endif // LB_CLI_OUTPUT_H
