// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/store.h"

#include <stdint.h>
#include <string.h>

struct lb_store_piece {
    lb_store_piece *older;
    max_align_t data[];
};

void *lb_store_take(lb_store *store, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 2 - sizeof(lb_store_piece)) / size) {
        return NULL;
    }
    lb_store_piece *piece =
        store->allocator.allocate(store->allocator.user, sizeof *piece + count * size);
    if (!piece) {
        return NULL;
    }
    piece->older = store->pieces;
    store->pieces = piece;
    return memset(piece->data, 0, count * size);
}

char *lb_store_take_text(lb_store *store, const char *text)
{
    const size_t length = strlen(text) + 1;
    char *copy = lb_store_take(store, length, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

void lb_store_free(lb_store *store)
{
    while (store->pieces) {
        lb_store_piece *piece = store->pieces;
        store->pieces = piece->older;
        store->allocator.release(store->allocator.user, piece);
    }
}
