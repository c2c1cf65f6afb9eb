// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A state as an `initial` block of a model file, or as JSON: for `trim` and `assemble`.
#ifndef LB_CLI_INITIAL_OUT_H
#define LB_CLI_INITIAL_OUT_H

#include <stdio.h>

#include "setup.h"

/// YAML, one line per body; numbers read back exactly.
///
/// @param v  NULL for none
void lb_cli_print_initial(FILE *out, const lb_model *model, const double *q, const double *v);

/// Puts the block into the model file, in place of the one that it has, and sees that the file then has that state.
/// Everything else in the file stays.
///
/// @return an exit status, after saying what was written or what is wrong
int lb_cli_replace_initial(const lb_cli_arguments *arguments, const lb_cli_setup *setup,
                           const double *q, const double *v);

/// Whether the block may go to standard output: not if that is the model file (`>> arm.yaml`) and it has one.
///
/// @return false, after saying why, if it must not
bool lb_cli_may_print_initial(const lb_cli_arguments *arguments, const lb_cli_setup *setup);

/// JSON on standard output: {"q": [...], "v": [...]}, as `eval`, `--state` and `--at` take it.
void lb_cli_print_state(const lb_model *model, const double *q, const double *v);

#endif // LB_CLI_INITIAL_OUT_H
