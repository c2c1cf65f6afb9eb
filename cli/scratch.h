// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_CLI_SCRATCH_H
#define LB_CLI_SCRATCH_H

#include <stdbool.h>

enum { LB_CLI_SCRATCH_SIZE = 1024 };

/// Makes a private folder for files that nobody keeps, in TMPDIR or in /tmp. The caller removes it.
///
/// @param folder  out: its path
/// @return false if that fails, which is said
bool lb_cli_make_scratch(char folder[LB_CLI_SCRATCH_SIZE]);

#endif // LB_CLI_SCRATCH_H
