// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "own_malloc.h"

#include <errno.h>
#include <stddef.h>

#if LB_OWN_MALLOC

long lb_malloc_count, lb_free_count;
long lb_malloc_live;

long lb_scarce_at, lb_scarce_count;
bool lb_scarce_from;

extern const char __executable_start[], etext[]; // of the linker

static bool lb_malloc_fails(const void *caller)
{
    const char *at = caller;
    ++lb_malloc_count;
    if (lb_scarce_at == 0 || at < __executable_start || at >= etext) {
        return false;
    }
    ++lb_scarce_count;
    const bool fails = lb_scarce_count == lb_scarce_at ||
                       (lb_scarce_from && lb_scarce_at > 0 && lb_scarce_count > lb_scarce_at);
    errno = fails ? ENOMEM : errno;
    return fails;
}

static void *lb_malloc_done(void *memory)
{
    lb_malloc_live += memory != NULL;
    return memory;
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    return lb_malloc_fails(__builtin_return_address(0)) ? NULL
                                                        : lb_malloc_done(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return lb_malloc_fails(__builtin_return_address(0))
               ? NULL
               : lb_malloc_done(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    if (lb_malloc_fails(__builtin_return_address(0))) {
        return NULL;
    }
    void *larger = __libc_realloc(memory, size);
    lb_malloc_live += larger && !memory;
    return larger;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return lb_malloc_fails(__builtin_return_address(0))
               ? NULL
               : lb_malloc_done(__libc_memalign(alignment, size));
}

void free(void *memory)
{
    ++lb_free_count;
    lb_malloc_live -= memory != NULL;
    __libc_free(memory);
}

#endif // LB_OWN_MALLOC
