// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of named matrices and lists of names, as MATLAB or HDF5 files with the same content.
#ifndef LB_MATRIX_FILE_H
#define LB_MATRIX_FILE_H

#include <stdbool.h>

#include "limber/base.h"

typedef struct lb_matrix_file lb_matrix_file;

/// @return NULL if memory is out; if the file cannot be created, lb_close_matrix_file reports it
lb_matrix_file *lb_create_matrix_file(const char *path, bool is_matlab);

/// @param values  row by row
void lb_put_matrix(lb_matrix_file *file, const char *name, int rows, int columns,
                   const double *values);
/// A column of texts.
void lb_put_names(lb_matrix_file *file, const char *name, int count, const char *const *names);

/// @return LB_OK if everything was written, or LB_E_FILE
lb_status lb_close_matrix_file(lb_matrix_file *file);

#endif // LB_MATRIX_FILE_H
