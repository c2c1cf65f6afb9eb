// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of a document: small pieces one after another in large chunks that never move, all freed
// together. Unlike the arena of the core it packs tightly and leaves the memory as it comes: a
// model of a million bodies has tens of millions of pieces.
#ifndef LB_POOL_H
#define LB_POOL_H

#include "limber/base.h"

typedef struct lb_pool_chunk lb_pool_chunk;

typedef struct lb_pool {
    lb_allocator allocator;
    lb_pool_chunk *chunks; // the newest first
    size_t used, size;     // bytes of the newest chunk
} lb_pool;

/// @param allocator  NULL for malloc and free; copied
void lb_pool_init(lb_pool *pool, const lb_allocator *allocator);

/// Frees every piece. The pool is then empty and may be used again.
void lb_pool_free(lb_pool *pool);

/// `count` elements of `size` bytes, aligned for any object, not zeroed; NULL if memory is out.
void *lb_pool_take(lb_pool *pool, size_t count, size_t size);

/// Room for a text of `length` bytes and its end, not aligned; NULL if memory is out.
char *lb_pool_take_text(lb_pool *pool, size_t length);

#endif // LB_POOL_H
