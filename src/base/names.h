// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A table from names to indices: open addressing, power-of-two size, at most half full.
#ifndef LB_NAMES_H
#define LB_NAMES_H

#include "arena.h"

typedef struct lb_name_slot {
    const char *name; // NULL: empty
    int index;
} lb_name_slot;

typedef struct lb_names {
    lb_name_slot *slots;
    size_t mask;  // size - 1
    size_t count; // names in it
} lb_names;

/// A table with room for `count` names, in the arena.
lb_status lb_names_init(lb_names *names, lb_arena *arena, size_t count);

/// Enters a name, which must outlive the table. Returns the index it already has, or -1 if new.
int lb_names_enter(lb_names *names, const char *name, int index);

/// Enters a name into a table that grows as needed; a zeroed table is an empty one. A name that is there
/// already keeps its index.
lb_status lb_names_add(lb_names *names, lb_arena *arena, const char *name, int index);

/// The index of a name, or -1.
int lb_names_find(const lb_names *names, const char *name);

#endif // LB_NAMES_H
