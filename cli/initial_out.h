// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A state as an `initial` block of a model file, or as JSON: for `trim` and `assemble`.
#ifndef LB_CLI_INITIAL_OUT_H
#define LB_CLI_INITIAL_OUT_H

#include "limber/limber.h"

/// YAML on standard output, one line a body; numbers read back exactly.
///
/// @param v  NULL for none
void lb_cli_print_initial(const lb_model *model, const double *q, const double *v);

/// JSON on standard output: {"q": [...], "v": [...]}, as `eval`, `--state` and `--at` take it.
void lb_cli_print_state(const lb_model *model, const double *q, const double *v);

#endif // LB_CLI_INITIAL_OUT_H
