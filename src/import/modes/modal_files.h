// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the readers of files with modes share.
#ifndef LB_MODAL_FILES_H
#define LB_MODAL_FILES_H

#include "import/modal_body.h"

/// The one file of an import that a test knows, marked as used. Reports if there are several.
///
/// @return NULL if there is not exactly one
lb_import_file *lb_take_only_file(lb_import *import, bool is_own(const lb_import_file *file),
                                  const char *format);

/// A copy of a span as a string of the import, without control characters; NULL if memory is out.
char *lb_copy_span(lb_import *import, lb_span span);

/// The beginning of a span for a message, without control characters.
typedef struct lb_excerpt {
    char text[41];
} lb_excerpt;
lb_excerpt lb_quote(lb_span span);

/// Reports names of nodes that are empty, `origin` or used twice. O(n log n).
///
/// @param lines  of the nodes in the file
/// @return LB_OK, LB_E_SYNTAX or LB_E_MEMORY
lb_status lb_check_node_names(lb_import *import, const lb_import_file *file, int count,
                              const lb_flex_node *nodes, const int *lines);

/// Inertia about another point: J + m (d' d I - d d'), in place. A negative mass carries it back.
void lb_shift_inertia(double m, const double d[3], double J[6]);

/// Inertia of the body about its frame, 6 x 6: rotation, translation.
void lb_form_rigid_inertia(const lb_flex_integrals *integrals, double R[36]);

/// Checks that the inertia of the undeformed body is positive definite. If a change of the couplings E and B0 by a
/// few per cent mends it, they are changed; in any case it is reported. Integrals of files are not exact.
///
/// @param line  of the couplings
/// @return LB_OK or LB_E_MEMORY
lb_status lb_check_inertia_possible(lb_import *import, const lb_import_file *file, int line,
                                    int mode_count, lb_flex_integrals *integrals);

/// Ends a reader: refuses numbers that have become infinite on the way from the file, and calls
/// lb_check_inertia_possible.
lb_status lb_finish_modal_body(lb_import *import, const lb_import_file *file, int line,
                               lb_modal_body *body);

#endif // LB_MODAL_FILES_H
