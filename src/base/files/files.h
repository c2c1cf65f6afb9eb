// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Input files: a whole file in memory, and whether a file may be read.
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
/// @param limit      a file of this many bytes or more is refused
/// @param allocator  of the memory; NULL for malloc and free
/// @param report     receives the reason of a failure, such as "Is a directory"; NULL to drop it
/// @param text       out: the bytes with a zero byte behind them, to be released by the caller; NULL on failure
/// @param length     out: without that zero
/// @return LB_OK, LB_E_FILE or LB_E_MEMORY
lb_status lb_read_file(const char *path, size_t limit, const lb_allocator *allocator,
                       const lb_report *report, char **text, size_t *length);

/// Whether a file is in a folder or in one below it, with symbolic links followed. A file that does not exist
/// counts as inside: what cannot be opened gives nothing away. Allocates.
///
/// @return false with errno = ENOMEM if memory is out
bool lb_is_in_folder(const char *path, const char *folder);

/// Finds the file of a mesh that a model names: a path, which is relative to the folder of the model, the same after
/// `file://`, or `package://NAME/PATH` (also `model://`). The package NAME is searched for from the folder of the model upwards,
/// the nearest first: a folder of that name, a folder whose package.xml has that name, or a folder that contains one
/// called NAME. If none has the file, PATH is taken as relative to the folder of the model. Allocates.
///
/// @param folder     of the model
/// @param name       as in the model
/// @param size       bytes of `file`, 4096 or more for any that a system opens
/// @param file       out: what to open
/// @param is_inside  out: whether it is in that folder or below, or in the package that the model lies in, with symbolic
///                   links followed. What is elsewhere should be opened only with somebody's permission.
/// @return LB_OK, LB_E_FILE if there is no such file, or LB_E_MEMORY
lb_status lb_find_mesh_file(const char *folder, const char *name, size_t size, char *file,
                            bool *is_inside);

#endif // LB_FILES_H
