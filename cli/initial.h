// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The initial state of a model file, for what must be known before any motion.
#ifndef LB_CLI_INITIAL_H
#define LB_CLI_INITIAL_H

#include <stdbool.h>

#include <limber/limber.h>

#include "commands.h"
#include "request.h"

/// Closes loops that are `as_assembled` where they are in the initial configuration of the document. Does nothing for a model without such loops.
///
/// @return whether that could be done; what could not is printed
bool lb_cli_take_initial_offsets(const lb_document *document, const lb_model *model, lb_work *work);

/// The initial configuration of a document; zeros where it says nothing.
///
/// @param assembled  NULL, or out: whether the loops were closed, which is done where `run` of the
///                   file asks for it
bool lb_cli_read_initial(const lb_document *document, const lb_model *model, double *q,
                         bool *assembled);

/// The state in a file: JSON, an object with q and v as in a request of eval.
///
/// @param path  - for standard input; NULL to leave all as it is
/// @param q, v  in and out; what the file has not stays. v may be NULL
/// @return LB_CLI_DONE, or another exit status after saying why
int lb_cli_read_state(const lb_model *model, const char *path, double *q, double *v);

#endif // LB_CLI_INITIAL_H
