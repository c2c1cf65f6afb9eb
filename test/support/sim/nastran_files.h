// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports of Nastran's files in memory, and what tests ask of the structures and matrices in them.
#ifndef LB_TEST_NASTRAN_FILES_H
#define LB_TEST_NASTRAN_FILES_H

#include "heard.h"
#include "import/nastran/nastran.h"

/// An import with a few files. Start from lb_start_test_import.
typedef struct lb_test_import {
    lb_import import;
    lb_heard heard;
    lb_import_file files[8];
    char *owned[8];
} lb_test_import;

void lb_start_test_import(lb_test_import *test);
/// Frees everything of the import.
void lb_end_test_import(lb_test_import *test);
/// Adds a copy of a text, so that reading behind its end is noticed.
void lb_add_test_text(lb_test_import *test, const char *path, const char *text, size_t length);
/// Adds a file. False if it is not there.
bool lb_add_test_file(lb_test_import *test, const char *path);

/// A dense copy of an OUTPUT4 matrix, column by column, two numbers for each complex entry. By malloc.
double *lb_expand_op4(const lb_nastran_matrix *matrix, size_t *count);
/// The largest of |a - b| / |b| over all entries; infinite where sizes or names differ.
double lb_compare_op4(const lb_nastran_matrix *a, const lb_nastran_matrix *b);

/// max |K R| over the six rigid motions R about the origin, with positions and axes as read.
double lb_get_rigid_residual(const lb_structure *structure, double *largest_stiffness);
/// R^T M R for the three translations R.
void lb_get_three_masses(const lb_structure *structure, double mass[3]);
/// A full copy of a matrix, row by row. By calloc.
double *lb_expand_entries(const lb_structure *structure, const lb_fe_entries *entries);

#endif // LB_TEST_NASTRAN_FILES_H
