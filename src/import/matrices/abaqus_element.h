// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A substructure of Abaqus in a file of a user element.
#ifndef LB_ABAQUS_ELEMENT_H
#define LB_ABAQUS_ELEMENT_H

#include "import/structure.h"

/// Whether the first keyword of a file is *USER ELEMENT.
bool lb_is_abaqus_element(const lb_import_file *file);

/// Reads it. The nodes of the structure must have been read from the input file; those that the substructure
/// does not retain are left out.
lb_status lb_read_abaqus_element(lb_import *import, lb_import_file *file, lb_structure *structure);

#endif // LB_ABAQUS_ELEMENT_H
