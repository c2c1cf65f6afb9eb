// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The C compiler at hand.
#ifndef LB_COMPILER_H
#define LB_COMPILER_H

#include "base/text.h"

enum { LB_COMPILE_PATH = 1024 };

/// A folder of its own for the files that a compiler reads and writes. Its paths need no heap, so that it can always be
/// removed.
typedef struct lb_compile_folder {
    char path[LB_COMPILE_PATH - 32]; ///< empty if there is none
} lb_compile_folder;

/// Makes the folder, in TMPDIR or /tmp.
///
/// @param why  out: what went wrong
/// @return LB_OK or LB_E_FILE
lb_status lb_make_compile_folder(lb_compile_folder *folder, lb_text *why);

/// Writes a text into a file of the folder.
lb_status lb_write_compile_file(const lb_compile_folder *folder, const char *name, const char *text,
                                lb_text *why);

/// The path of a file in the folder, whose name has less than 31 letters.
void lb_join_compile_path(const lb_compile_folder *folder, const char *name,
                          char path[LB_COMPILE_PATH]);

/// Runs the compiler and waits for it.
///
/// @param compiler  its name, and options after spaces
/// @param flags     more options, which go last
/// @param more      NULL-terminated: other words of the command line
/// @param why       out: that it cannot be started, or the first error that it reported
/// @return LB_OK, LB_E_MEMORY, or LB_E_FILE
lb_status lb_run_compiler(const lb_compile_folder *folder, const char *compiler, const char *flags,
                          const char *const *more, lb_text *why);

/// Removes these files and the folder.
void lb_remove_compile_folder(const lb_compile_folder *folder, const char *const *names, int count);

#endif // LB_COMPILER_H
