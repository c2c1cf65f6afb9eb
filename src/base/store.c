// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <stdint.h>
#include <stdlib.h>
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

static void *allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

lb_store lb_make_store(void)
{
    return (lb_store){{allocate, release, NULL}, NULL};
}

double *lb_take_numbers(lb_store *store, size_t count)
{
    return lb_store_take(store, count, sizeof(double));
}
