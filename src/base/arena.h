// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of builders and models: pieces are taken one by one and freed all together.
#ifndef LB_ARENA_H
#define LB_ARENA_H

#include "limber/base.h"

/// Records that the sweeps walk over start on a cache line.
#define LB_ALIGNMENT 64

typedef struct lb_arena_block lb_arena_block;

typedef struct lb_arena {
    lb_allocator allocator;
    lb_arena_block *blocks;
} lb_arena;

/// malloc and free as an lb_allocator, or a copy of the one given.
lb_allocator lb_choose_allocator(const lb_allocator *allocator);

void lb_arena_init(lb_arena *arena, const lb_allocator *allocator);
void lb_arena_free(lb_arena *arena);

/// `count` zeroed elements aligned to LB_ALIGNMENT if they are large and to 16 bytes otherwise;
/// NULL if memory is out. A count of zero gives a valid pointer.
void *lb_arena_take(lb_arena *arena, size_t count, size_t size);

/// A copy of a string.
const char *lb_arena_text(lb_arena *arena, const char *text);

#endif // LB_ARENA_H
