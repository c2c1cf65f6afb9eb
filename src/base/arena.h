// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for everything that is set up before it runs: models, documents, simulations, searches.
// Pieces are taken one by one and freed together.
#ifndef LB_ARENA_H
#define LB_ARENA_H

#include <stdbool.h>

#include "limber/base.h"

/// Records that the sweeps walk over start on a cache line.
#define LB_ALIGNMENT 64

typedef struct lb_arena_block lb_arena_block;

typedef struct lb_arena {
    lb_allocator allocator;
    lb_arena_block *blocks; ///< the newest first
} lb_arena;

/// malloc and free as an lb_allocator, or a copy of the one given.
lb_allocator lb_choose_allocator(const lb_allocator *allocator);

/// Whether this much memory can be had now. To be asked before calls of libraries that crash, exit or go
/// on with wrong numbers when an allocation of theirs fails.
bool lb_has_memory(size_t bytes);

/// An empty arena.
///
/// @param allocator  NULL for malloc and free; copied
lb_arena lb_make_arena(const lb_allocator *allocator);

/// Frees every piece. The arena is then empty and may be used again, unless it lay in one of them.
void lb_arena_free(lb_arena *arena);

/// `count` zeroed elements, aligned to LB_ALIGNMENT if they are large and to 16 bytes otherwise;
/// NULL if memory is out. A count of zero gives a valid pointer.
void *lb_arena_take(lb_arena *arena, size_t count, size_t size);

/// Room for one more element at the end of an array that grows: the array, or a larger copy of it. What
/// is new is zeroed. Pointers to elements do not outlive it.
///
/// @param array     NULL for an empty one
/// @param count     elements in use
/// @param capacity  in and out: elements that there is room for
/// @return NULL if memory is out, and the array stays
void *lb_arena_grow(lb_arena *arena, void *array, int count, int *capacity, size_t size);

/// `count` numbers, likewise.
double *lb_take_numbers(lb_arena *arena, size_t count);

/// A zeroed record of `size` bytes in an arena of its own; NULL if memory is out.
///
/// @param arena  out: for whatever shall live as long
void *lb_create_record(size_t size, lb_arena **arena);

/// Frees such a record with all of its arena. NULL is fine.
void lb_destroy_record(void *record);

/// A copy of a string.
char *lb_arena_text(lb_arena *arena, const char *text);

/// Room for a text of `length` bytes and its end, neither aligned nor zeroed; NULL if memory is out.
char *lb_arena_take_text(lb_arena *arena, size_t length);

/// Name of a file as seen from the folder of another file; NULL if memory is out.
char *lb_join_path(lb_arena *arena, const char *beside, const char *path);

/// Lays pieces out in one block: counts when base is NULL, hands out pieces otherwise, so that the
/// two cannot drift apart. Each starts at a multiple of LB_ALIGNMENT from the base.
static inline void *lb_place_piece(unsigned char *base, size_t *used, size_t count, size_t size)
{
    *used = (*used + LB_ALIGNMENT - 1) & ~(size_t)(LB_ALIGNMENT - 1);
    void *piece = base ? base + *used : NULL;
    *used += count * size;
    return piece;
}

#endif // LB_ARENA_H
