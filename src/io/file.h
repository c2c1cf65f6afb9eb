// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole file in memory.
#ifndef LB_FILE_H
#define LB_FILE_H

#include <stdbool.h>

#include "base/arena.h"

/// Files of this size and larger are refused: a model of a million bodies has about a quarter of it.
/// A power of two not below 64 KiB.
#define LB_FILE_SIZE_MAX ((size_t)512 << 20)

/// Reads a file into memory of the allocator, to be released by the caller. A device is refused where it
/// gives a mebibyte, and a pipe to which nothing is written for 10 s.
///
/// @param reason  out: on LB_E_FILE, what was wrong
lb_status lb_read_file(const lb_allocator *allocator, const char *path, char **text, size_t *length,
                       const char **reason);

/// Whether a file lies in a folder or in one below it, links followed. One that does not exist does: what
/// cannot be opened gives nothing away.
bool lb_is_inside(const char *path, const char *folder);

#endif // LB_FILE_H
