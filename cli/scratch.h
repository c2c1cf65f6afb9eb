// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_CLI_SCRATCH_H
#define LB_CLI_SCRATCH_H

#include <stdbool.h>

enum { LB_CLI_SCRATCH_SIZE = 1024 };

/// Makes a private folder for files that nobody keeps, in TMPDIR or in /tmp.
///
/// @param folder  out: its path
/// @return false if that fails, which is said
bool lb_cli_make_scratch(char folder[LB_CLI_SCRATCH_SIZE]);

/// Notes a file that may come to be in such a folder, or in one of the command's own making, or in a folder in it.
void lb_cli_note_scratch(const char *folder, const char *name);

/// Removes a folder, with the files that were noted. Nothing happens to one that is not known.
void lb_cli_remove_scratch(const char *folder);

/// Keeps a folder, whose files were noted until they are complete.
void lb_cli_keep_scratch(const char *folder);

/// Removes all of them: the command ends in the middle.
void lb_cli_drop_scratch(void);

#endif // LB_CLI_SCRATCH_H
