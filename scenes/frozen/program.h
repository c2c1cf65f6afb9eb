// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A frozen model, compiled by the C compiler at hand and loaded: for tests and benchmarks.
#ifndef LB_PROGRAM_H
#define LB_PROGRAM_H

#include <limber/freeze.h>

enum { LB_PROGRAM_PATH_SIZE = 512 };

typedef struct lb_program {
    char folder[LB_PROGRAM_PATH_SIZE - 64]; ///< of its files
    void *library;
    double seconds; ///< of processor time that the compiler took
    long bytes;     ///< of machine code and constants
} lb_program;

/// Functions of a file with numbers of double, by how many arrays they take.
typedef int (*lb_frozen_two)(const double *, double *);
typedef int (*lb_frozen_four)(const double *, const double *, const double *, double *);
typedef int (*lb_frozen_seven)(const double *, const double *, const double *, double *, double *,
                               double *, double *);
/// The same for float.
typedef int (*lb_frozen_two_float)(const float *, float *);
typedef int (*lb_frozen_four_float)(const float *, const float *, const float *, float *);

/// Writes model.c and model.h into a folder of their own; the name in the options is "model".
///
/// @return 0, after saying why, on failure
int lb_write_program(const lb_model *model, const lb_freeze_options *options, lb_program *program);

/// The same of what is frozen already.
///
/// @return 0 on failure
int lb_write_frozen(const lb_frozen *frozen, lb_program *program);

/// A folder without files, in TMPDIR or /tmp.
///
/// @return 0 on failure
int lb_make_program_folder(lb_program *program);

/// Writes a file into the folder.
///
/// @return 0 on failure
int lb_write_program_file(const lb_program *program, const char *name, const char *text);

/// Runs a command in the folder of the files; its output is shown if it fails.
///
/// @return its exit status
int lb_run_in_folder(const lb_program *program, const char *command);

/// Compiles the files with a command such as "cc -O3" and loads them.
///
/// @return 0, after saying why, on failure
int lb_load_program(lb_program *program, const char *compiler);

/// A function of the loaded file, such as "forward", written to the pointer to a function at `out`.
void lb_get_program_function(const lb_program *program, const char *name, void *out);

/// Compiles a text of CUDA for the host and loads it, in a folder of its own.
///
/// @param text   model.cu
/// @param host   host.cc, which includes it and gives its functions names of C
/// @param flags  of c++, besides -ffp-contract=off
/// @return 0 on failure
int lb_load_on_host(lb_program *program, const char *text, const char *host, const char *flags);

/// A function of the loaded file by its whole name, written to the pointer to a function at `out`.
void lb_get_host_function(const lb_program *program, const char *name, void *out);

/// Unloads the program and removes its folder.
void lb_end_program(lb_program *program);

#endif // LB_PROGRAM_H
