// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled models in files that stay. Behind the library itself, where the loader of the system does not look, stands
// a line with the hash of the model and a checksum of the library:
//
//     limber-frozen 2 HASH CHECKSUM
//
// A file that is cut off, damaged or of another model is refused before any of it is loaded: the loader would crash.
#ifndef LB_KEPT_LIBRARY_H
#define LB_KEPT_LIBRARY_H

#include <stdint.h>

#include "base/text.h"

/// FNV-1a, continued from `hash`; LB_HASH_START to start.
#define LB_HASH_START 0xcbf29ce484222325u
uint64_t lb_add_to_hash(uint64_t hash, const void *bytes, size_t size);

/// Copies the library `built` to `path`, with the line behind it. It appears whole or not at all.
///
/// @param why  out: what went wrong
/// @return LB_OK, LB_E_MEMORY or LB_E_FILE
lb_status lb_keep_library(const char *built, const char *path, uint64_t hash, lb_text *why);

/// Whether the file at `path` is whole, and of the model with this hash.
///
/// @param why  out: what is wrong with it, and the cure
/// @return LB_OK, LB_E_MEMORY, LB_E_FILE, or LB_E_MODEL if it is of another model
lb_status lb_check_kept_library(const char *path, uint64_t hash, lb_text *why);

#endif // LB_KEPT_LIBRARY_H
