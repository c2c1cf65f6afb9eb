// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of compiled forces and signals, of searches and linear models: pieces that are freed
// together.
#ifndef LB_STORE_H
#define LB_STORE_H

#include "limber/base.h"

typedef struct lb_store_piece lb_store_piece;

typedef struct lb_store {
    lb_allocator allocator;
    lb_store_piece *pieces; ///< the newest first
} lb_store;

/// `count` elements of `size` bytes, zero, aligned for any object; NULL if memory is out.
void *lb_store_take(lb_store *store, size_t count, size_t size);

/// A copy of a string; NULL if memory is out.
char *lb_store_take_text(lb_store *store, const char *text);

void lb_store_free(lb_store *store);

/// An empty store over malloc and free.
lb_store lb_make_store(void);

/// `count` zeroed doubles; NULL if memory is out.
double *lb_take_numbers(lb_store *store, size_t count);

#endif // LB_STORE_H
