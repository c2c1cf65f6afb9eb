// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of this folder share: how a model is told, compiled, kept, loaded, and made part of the engine.
#ifndef LB_ATTACHMENT_H
#define LB_ATTACHMENT_H

#include <stdint.h>

#include "base/text.h"
#include "limber/freeze.h"
#include "limber/model.h"
#include "model/kernel_table.h"

// ---- kernels -----------------------------------------------------------------------------------
//
// A frozen model that was compiled and loaded, as kernels of the engine.
//
// The kernels of an attachment are those of the model's instruction set, except for forward dynamics, inverse
// dynamics and the mass matrix. Those call the loaded functions. A status other than zero means that a guard of the
// frozen file came out otherwise than at its sample state: the engine's own sweep then runs and decides. The loaded
// functions leave nothing in the workspace. So the state is kept there, and the sweep runs as soon as something
// asks for what it would have left: lb_deferred.

/// States that functions of rows take at most.
enum { LB_FROZEN_ROWS = 8 };

/// Functions of the loaded library. Those of rows take several states, stored as in limber/batch.h, with one status each.
typedef struct lb_frozen_library {
    void *handle;
    int (*forward)(const double *q, const double *v, const double *tau, double *a);
    int (*inverse)(const double *q, const double *v, const double *a, double *tau);
    int (*mass)(const double *q, double *M);
    void (*forward_rows)(int count, const double *q, const double *v, const double *tau, double *a,
                         int status[LB_FROZEN_ROWS]);
    void (*inverse_rows)(int count, const double *q, const double *v, const double *a, double *tau,
                         int status[LB_FROZEN_ROWS]);
    void (*mass_rows)(int count, const double *q, double *M, int status[LB_FROZEN_ROWS]);
} lb_frozen_library;

/// What lb_model.kernels points to while a library is attached.
typedef struct lb_attachment {
    lb_kernels kernels; ///< first: the model leads here by its kernels
    lb_batch_kernels batch;
    const lb_kernels *own; ///< of the model before
    lb_frozen_library library;
} lb_attachment;

/// Lets the functions of `attachment->library` become kernels of the model.
void lb_attach_kernels(lb_model *model, lb_attachment *attachment);

/// Whether a frozen model is attached.
///
/// @param lane_count  out: states of a batch that go side by side, or 0; may be NULL
bool lb_has_frozen(const lb_model *model, int *lane_count);

// ---- which model -------------------------------------------------------------------------------

/// A hash of all that frozen functions of a model without loops are made of: its tree, and every number of its bodies,
/// bit by bit. Names are not in it.
uint64_t lb_hash_model(const lb_model *model);

// ---- libraries that stay -----------------------------------------------------------------------
//
// Compiled models in files that stay. Behind the library itself, where the loader of the system does not look, stands
// a line with the hash of the model and a checksum of the library:
//
//     limber-frozen 2 HASH CHECKSUM
//
// A file that is cut off, damaged or of another model is refused before any of it is loaded: the loader would crash.

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

// ---- the compiler ------------------------------------------------------------------------------

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

// ---- instructions ------------------------------------------------------------------------------
//
// Which instructions a compiled model needs. A compiler that is told to use all of its own processor makes code that
// another one may not run: it would end the process.

/// A text of C: the string `frozen_needs`, words with spaces between, by what the compiler says that it may use.
extern const char lb_needs_text[];

/// The first of these words that this processor does not have; NULL if it has all of them.
const char *lb_find_missing_instructions(const char *needs);

// ---- texts -------------------------------------------------------------------------------------

/// Includes frozen.c, of the prefix `frozen` with forward, inverse and mass for one state and for eight. Adds functions for
/// up to eight states that lie one after the other, as in limber/batch.h.
extern const char lb_rows_text[];

/// squares.h, which it includes: four rows of four numbers become columns.
extern const char lb_squares_text[];

#endif // LB_ATTACHMENT_H
