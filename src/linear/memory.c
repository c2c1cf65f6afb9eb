// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of linear models.
#include <stdlib.h>

#include "linear.h"

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
