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

// Blocks double in size: a search takes little, a model of a million bodies few blocks.
enum { FIRST_BLOCK = 1024, LARGEST_BLOCK = 65536 };

// The address sanitizer sees pieces of a block only if it is told where they end.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define LB_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(LB_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)0)
enum { GAP = 0 };
#endif

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

bool lb_has_memory(size_t bytes)
{
    void *volatile piece = malloc(bytes); // volatile: compilers leave out what nobody uses
    const bool is_there = piece != NULL;
    free(piece);
    return is_there;
}

lb_arena lb_make_arena(const lb_allocator *allocator)
{
    return (lb_arena){lb_choose_allocator(allocator), NULL};
}

void lb_arena_free(lb_arena *arena)
{
    const lb_arena own = *arena; // which may lie in one of its blocks
    arena->blocks = NULL;
    for (lb_arena_block *block = own.blocks, *next; block; block = next) {
        next = block->next;
        ASAN_UNPOISON_MEMORY_REGION(block + 1, block->size);
        own.allocator.release(own.allocator.user, block);
    }
}

// Bytes from the first free byte of a block to the next multiple of `alignment`.
static size_t padding(const lb_arena_block *block, size_t alignment)
{
    const uintptr_t at = (uintptr_t)(block + 1) + block->used;
    return (size_t)(-at & (alignment - 1));
}

static void *take(lb_arena *arena, size_t bytes, size_t alignment)
{
    lb_arena_block *block = arena->blocks;
    if (!block || padding(block, alignment) + bytes + GAP > block->size - block->used) {
        // a large piece gets a block of its own size
        const size_t need = bytes + LB_ALIGNMENT + GAP;
        size_t room = block && block->size < LARGEST_BLOCK ? 2 * block->size : LARGEST_BLOCK;
        room = block ? room : FIRST_BLOCK;
        room = need > room ? need : room;
        block = arena->allocator.allocate(arena->allocator.user, sizeof *block + room);
        if (!block) {
            return NULL;
        }
        block->used = 0;
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
        ASAN_POISON_MEMORY_REGION(block + 1, block->size);
    }
    block->used += padding(block, alignment);
    unsigned char *piece = (unsigned char *)(block + 1) + block->used;
    block->used += bytes + GAP;
    ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
    return piece;
}

void *lb_arena_take(lb_arena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - 4 * LB_ALIGNMENT) / size) {
        return NULL;
    }
    const size_t bytes = count * size;
    void *piece = take(arena, bytes, bytes >= LB_ALIGNMENT ? LB_ALIGNMENT : 16);
    if (piece && bytes) {
        memset(piece, 0, bytes);
    }
    return piece;
}

void *lb_arena_grow(lb_arena *arena, void *array, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return array;
    }
    const int larger = *capacity > 0 ? 2 * *capacity : 4;
    void *copy = lb_arena_take(arena, (size_t)larger, size);
    if (copy && count > 0) {
        memcpy(copy, array, (size_t)count * size);
    }
    *capacity = copy ? larger : *capacity;
    return copy;
}

double *lb_take_numbers(lb_arena *arena, size_t count)
{
    return lb_arena_take(arena, count, sizeof(double));
}

// What stands before a record.
typedef union head {
    lb_arena arena;
    max_align_t align;
} head;

void *lb_create_record(size_t size, lb_arena **arena)
{
    lb_arena own = lb_make_arena(NULL);
    head *h = lb_arena_take(&own, 1, sizeof *h + size);
    if (!h) {
        return NULL;
    }
    h->arena = own;
    *arena = &h->arena;
    return h + 1;
}

void lb_destroy_record(void *record)
{
    if (record) {
        lb_arena_free(&((head *)record - 1)->arena);
    }
}

char *lb_arena_text(lb_arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lb_arena_take(arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *lb_arena_take_text(lb_arena *arena, size_t length)
{
    return length < SIZE_MAX / 2 ? take(arena, length + 1, 1) : NULL;
}

char *lb_join_path(lb_arena *arena, const char *beside, const char *path)
{
    size_t folder = 0;
    for (size_t i = 0; beside[i] && path[0] != '/'; ++i) {
        folder = beside[i] == '/' ? i + 1 : folder;
    }
    const size_t length = strlen(path);
    char *joined = lb_arena_take_text(arena, folder + length);
    if (joined) {
        memcpy(joined, beside, folder);
        memcpy(joined + folder, path, length + 1);
    }
    return joined;
}
