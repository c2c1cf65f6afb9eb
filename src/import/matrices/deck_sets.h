// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sets of nodes in the input files of Abaqus and CalculiX.
#ifndef LB_DECK_SETS_H
#define LB_DECK_SETS_H

#include "import/source.h"

/// Numbers in the arena of an import.
typedef struct lb_number_list {
    int count, capacity;
    long *all;
} lb_number_list;

/// Adds the numbers of the nodes of a set: from *NSET, with sets inside it, and from *NODE with NSET. A number may come
/// twice. Nothing is added if there is no such set. Reads all input files of the import again.
///
/// @return LB_OK, LB_E_SYNTAX (reported) or LB_E_MEMORY
lb_status lb_find_deck_set(lb_import *import, lb_span name, lb_number_list *list);

#endif // LB_DECK_SETS_H
