// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { LB_POOL_CHUNK = 64 * 1024 };

struct lb_pool_chunk {
    lb_pool_chunk *older;
    max_align_t data[];
};

static void *lb_pool_malloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void lb_pool_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

void lb_pool_init(lb_pool *pool, const lb_allocator *allocator)
{
    const lb_allocator standard = {lb_pool_malloc, lb_pool_release, NULL};
    *pool = (lb_pool){.allocator = allocator ? *allocator : standard};
}

void lb_pool_free(lb_pool *pool)
{
    while (pool->chunks) {
        lb_pool_chunk *chunk = pool->chunks;
        pool->chunks = chunk->older;
        pool->allocator.release(pool->allocator.user, chunk);
    }
    pool->used = pool->size = 0;
}

static void *lb_pool_take_bytes(lb_pool *pool, size_t bytes, size_t alignment)
{
    size_t start = (pool->used + alignment - 1) / alignment * alignment;
    if (!pool->chunks || start > pool->size || bytes > pool->size - start) {
        // a large piece gets a chunk of its own size
        const size_t size = bytes > LB_POOL_CHUNK ? bytes : LB_POOL_CHUNK;
        if (size > SIZE_MAX - sizeof(lb_pool_chunk)) {
            return NULL;
        }
        lb_pool_chunk *chunk =
            pool->allocator.allocate(pool->allocator.user, sizeof(lb_pool_chunk) + size);
        if (!chunk) {
            return NULL;
        }
        chunk->older = pool->chunks;
        pool->chunks = chunk;
        pool->size = size;
        start = 0;
    }
    pool->used = start + bytes;
    return (char *)pool->chunks->data + start;
}

void *lb_pool_take(lb_pool *pool, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    return lb_pool_take_bytes(pool, count * size, alignof(max_align_t));
}

char *lb_pool_take_text(lb_pool *pool, size_t length)
{
    return length < SIZE_MAX / 2 ? lb_pool_take_bytes(pool, length + 1, 1) : NULL;
}
