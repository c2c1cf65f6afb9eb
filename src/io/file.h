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

/// Reads a file into memory of the allocator, to be released by the caller. Devices are refused, and pipes
/// to which nothing is written for 10 s.
///
/// @param reason  out: on LB_E_FILE, what was wrong
lb_status lb_read_file(const lb_allocator *allocator, const char *path, char **text, size_t *length,
                       const char **reason);

#endif // LB_FILE_H
