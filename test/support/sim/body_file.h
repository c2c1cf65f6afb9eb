// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Body files that a test makes from files of other programs.
#ifndef LB_TEST_BODY_FILE_H
#define LB_TEST_BODY_FILE_H

#include "limber/import.h"

/// Imports up to six files of a folder. Ends the test, saying why, if that fails.
///
/// @param options  units, nodes and modes; its files are not used. NULL: millimetres, tonnes and seconds
/// @param names    of the files, the last followed by NULL
lb_imported *lb_import_folder(const char *folder, const char *const *names,
                              const lb_import_options *options);

/// lb_import_job("beam", &options): the matrices of a CalculiX job.
lb_imported *lb_import_job(const char *job, const lb_import_options *options);

/// Options for files in millimetres, tonnes and seconds.
lb_import_options lb_get_mm_options(void);

/// Writes a body file and frees the structure. Ends the test if that fails.
void lb_keep_body(lb_imported *imported, const char *path);

/// Loads a body file. Ends the test, saying why, if that fails.
lb_flex_body *lb_load_body(const char *path, const lb_flex_file_options *options);

/// Natural frequency of mode r alone, Hz: that of the diagonals of stiffness and mass.
double lb_get_body_frequency(const lb_flex_options *flex, int r);

#endif // LB_TEST_BODY_FILE_H
