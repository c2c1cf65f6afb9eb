// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that a model names, inside the results of its run: they are gathered for the run, and put into a private folder
// when the results are shown.
#ifndef LB_CLI_KEPT_FILES_H
#define LB_CLI_KEPT_FILES_H

#include "limber/document.h"
#include "limber/results.h"
#include "limber/simulate.h"
#include "scratch.h"

typedef struct lb_cli_kept_files {
    lb_kept_file *files;
    int count;
} lb_cli_kept_files;

/// Reads the body files, meshes and other data that a model names. Those that are larger than 64 MiB in all are left
/// out, which is said. To be freed.
void lb_cli_gather_files(const lb_document *document, lb_cli_kept_files *kept);
void lb_cli_free_files(lb_cli_kept_files *kept);

/// Writes the files that results keep into a new folder of TMPDIR, under the names that the model has for them. Names
/// that lead out of the folder are left out. lb_cli_remove_scratch removes it.
///
/// @param folder  out: "" if nothing is kept or the folder cannot be made
void lb_cli_unpack_files(const lb_results *results, char folder[LB_CLI_SCRATCH_SIZE]);

#endif // LB_CLI_KEPT_FILES_H
