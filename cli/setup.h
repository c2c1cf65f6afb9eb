// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulation of a model file, for the commands that simulate.
#ifndef LB_CLI_SETUP_H
#define LB_CLI_SETUP_H

#include "console.h"
#include "limber/simulate.h"

typedef struct lb_cli_setup {
    const char *path; ///< of the model file
    lb_document *document;
    lb_model *model;
    lb_simulation *simulation;
    const char *text; ///< what is to be recorded of the model, if the caller gave its text
    size_t length;
    char *written; ///< that text, if it is not the caller's
} lb_cli_setup;

/// Loads document, model and simulation of the first operand; what is wrong with them goes to
/// standard error.
///
/// @param text   the file's text where the caller has read it; NULL to read the file here
/// @param setup  out: to be freed by lb_cli_close_setup, whatever is returned
bool lb_cli_open_setup(const lb_cli_arguments *arguments, const char *text, size_t length,
                       lb_cli_setup *setup);

void lb_cli_close_setup(lb_cli_setup *setup);

/// Why the simulation failed. Where there was no memory, it says nothing itself.
const char *lb_cli_get_message(const lb_simulation *simulation);

/// Prints that message, with the path of the model file.
///
/// @return LB_CLI_FAILED
int lb_cli_explain_setup(const lb_cli_setup *setup);

#endif // LB_CLI_SETUP_H
