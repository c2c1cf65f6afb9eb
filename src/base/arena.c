// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lb_arena_block {
    lb_arena_block *next;
    size_t used, size; // bytes behind this header
};

enum { BLOCK_SIZE = 65536 };

static void *allocate_by_malloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void release_by_free(void *user, void *memory)
{
    (void)user;
    free(memory);
}

lb_allocator lb_choose_allocator(const lb_allocator *allocator)
{
    const lb_allocator standard = {allocate_by_malloc, release_by_free, NULL};
    return allocator ? *allocator : standard;
}

void lb_arena_init(lb_arena *arena, const lb_allocator *allocator)
{
    arena->allocator = lb_choose_allocator(allocator);
    arena->blocks = NULL;
}

void lb_arena_free(lb_arena *arena)
{
    lb_arena_block *block = arena->blocks;
    while (block) {
        lb_arena_block *next = block->next;
        arena->allocator.release(arena->allocator.user, block);
        block = next;
    }
    arena->blocks = NULL;
}

// Bytes from the first free byte of a block to the next multiple of `alignment`.
static size_t padding(const lb_arena_block *block, size_t alignment)
{
    const uintptr_t at = (uintptr_t)(block + 1) + block->used;
    return (size_t)(-at & (alignment - 1));
}

void *lb_arena_take(lb_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - 4 * LB_ALIGNMENT) / size) {
        return NULL;
    }
    const size_t bytes = count * size;
    const size_t alignment = bytes >= LB_ALIGNMENT ? LB_ALIGNMENT : 16;
    lb_arena_block *block = arena->blocks;
    if (!block || padding(block, alignment) + bytes > block->size - block->used) {
        // large pieces get a block of their own size
        const size_t need = bytes + LB_ALIGNMENT;
        const size_t room = need > BLOCK_SIZE ? need : BLOCK_SIZE;
        block = arena->allocator.allocate(arena->allocator.user, sizeof *block + room);
        if (!block) {
            return NULL;
        }
        block->used = 0;
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    block->used += padding(block, alignment);
    unsigned char *piece = (unsigned char *)(block + 1) + block->used;
    block->used += bytes;
    if (bytes) {
        memset(piece, 0, bytes);
    }
    return piece;
}

const char *lb_arena_text(lb_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lb_arena_take(arena, size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}
