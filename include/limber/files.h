// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Input files (library limber-flex): a whole file in memory, and whether a file may be read.
#ifndef LB_FILES_H
#define LB_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "limber/base.h"

/// Models and other texts of this size and larger are refused: a model of a million bodies has about a
/// quarter of it.
#define LB_TEXT_SIZE_MAX ((size_t)512 << 20)

/// Reads a whole file. A device is refused when it has given 1 MiB, and a pipe when nothing was written to it
/// for 10 s.
///
/// @param path       NULL for standard input, for which it waits as long as it takes
/// @param limit      a file of so many bytes or more is refused
/// @param allocator  of the memory; NULL for malloc and free
/// @param report     receives the reason of a failure, such as "Is a directory"; NULL to drop it
/// @param text       out: the bytes with a zero byte behind them, to be released by the caller; NULL on failure
/// @param length     out: without that zero
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
LB_API lb_status lb_read_file(const char *path, size_t limit, const lb_allocator *allocator,
                              const lb_report *report, char **text, size_t *length);

/// Whether a file is in a folder or in one below it, with symbolic links followed. A file that does not exist
/// counts as inside: what cannot be opened gives nothing away. Allocates.
///
/// @return false with errno = ENOMEM if memory is out
LB_API bool lb_is_in_folder(const char *path, const char *folder);

#endif // LB_FILES_H
