// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of named matrices and lists of names, as MATLAB or HDF5 files with the same content.
#ifndef LB_MATRIX_FILE_H
#define LB_MATRIX_FILE_H

#include <stdbool.h>

#include "limber/base.h"

typedef struct lb_matrix_file lb_matrix_file;

/// Starts a file in memory.
///
/// @return NULL if memory is out; other failures are kept until lb_close_matrix_file
lb_matrix_file *lb_create_matrix_file(bool is_matlab);

/// @param values  row by row
void lb_put_matrix(lb_matrix_file *file, const char *name, int rows, int columns,
                   const double *values);
/// A column of texts.
void lb_put_names(lb_matrix_file *file, const char *name, int count, const char *const *names);

/// Writes the file, if `path` is not NULL, and frees it.
///
/// @param report  receives one sentence on failure; NULL to drop it
/// @return LB_OK, LB_E_FILE, LB_E_MEMORY, or LB_E_UNSUPPORTED if it is too large for the format
lb_status lb_close_matrix_file(lb_matrix_file *file, const char *path, const lb_report *report);

#endif // LB_MATRIX_FILE_H
