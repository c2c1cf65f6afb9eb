// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Output files of commands: none of them is an input of the same command, and each appears whole or not
// at all; see limber/output.h.
#ifndef LB_CLI_OUTPUT_H
#define LB_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "commands.h"
#include "limber/document.h"
#include "limber/output.h"

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

/// Says on standard output that a file was written, unless -q was given.
void lb_cli_say_written(const char *path);

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

#endif // LB_CLI_OUTPUT_H
