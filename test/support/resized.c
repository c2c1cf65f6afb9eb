// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "resized.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

void *lb_resize_structs(const void *structs, size_t count, size_t whole_size, size_t size)
{
    char *copies = calloc(count, size);
    assert_non_null(copies);
    for (size_t i = 0; i < count; ++i) {
        memcpy(copies + i * size, (const char *)structs + i * whole_size,
               size < whole_size ? size : whole_size);
        memcpy(copies + i * size, &size, sizeof size);
    }
    return copies;
}

void *lb_resize_struct(const void *whole, size_t whole_size, size_t size)
{
    return lb_resize_structs(whole, 1, whole_size, size);
}
