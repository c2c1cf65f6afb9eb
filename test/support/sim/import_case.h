// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files in memory for the readers of finite-element programs, and what comes of them.
#ifndef LB_TEST_IMPORT_CASE_H
#define LB_TEST_IMPORT_CASE_H

#include "import/structure.h"

enum { LB_CASE_FILES = 6 };

/// An import in a test. Start with lb_begin_case.
typedef struct lb_import_case {
    lb_import import;
    lb_import_file files[LB_CASE_FILES];
    char *owned[LB_CASE_FILES]; ///< texts that were read from files
    lb_structure structure;
    char heard[4096]; ///< "error: file:line: message\n", and the same of warnings
} lb_import_case;

void lb_begin_case(lb_import_case *c);
void lb_end_case(lb_import_case *c);

/// Adds a text under a name; both stay the caller's.
void lb_add_case_text(lb_import_case *c, const char *name, const char *text);
/// Adds a file of a folder; false if there is none.
bool lb_add_case_file(lb_import_case *c, const char *folder, const char *name);

/// Reads. The structure is freed by lb_end_case.
lb_status lb_read_case(lb_import_case *c, lb_structure_reader *reader);

/// A matrix of the structure as a dense one, n x n. Ends the test where entries repeat or are not symmetric.
double *lb_make_dense(const lb_structure *structure, const lb_fe_entries *entries);

/// Displacements of the rows if the whole moves as a rigid body: along (0 to 2) or about (3 to 5) an axis of the
/// model, through its origin.
double *lb_make_rigid_motion(const lb_structure *structure, int direction);

/// Eigenvalues w of K x = w M x, the smallest first; a singular M is fine. To be freed.
///
/// @param shift    about the first that is not zero
/// @param is_held  whether a row is left out; NULL: none is
double *lb_find_eigenvalues(const lb_structure *structure, double shift,
                            bool (*is_held)(const lb_structure *, int row));

#endif // LB_TEST_IMPORT_CASE_H
