// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and its kin, replaced by counters. For one file of a program: it defines them. They can be made to
// fail: see lb_scarce_at.
#ifndef LB_TEST_OWN_MALLOC_H
#define LB_TEST_OWN_MALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// Sanitizers bring their own malloc, and other C libraries another way in.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define LB_OWN_MALLOC 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#undef LB_OWN_MALLOC
#define LB_OWN_MALLOC 0
#endif
#ifndef LB_OWN_MALLOC
#define LB_OWN_MALLOC 1
#endif

#if LB_OWN_MALLOC

static long lb_malloc_count, lb_free_count;
static long lb_malloc_live; // pieces that have not been freed

// Allocations by the program and the static libraries in it are counted while lb_scarce_at is not zero.
// The one of that number fails, and with lb_scarce_from all that follow.
static long lb_scarce_at, lb_scarce_count;
static bool lb_scarce_from;

extern const char __executable_start[], etext[]; // of the linker

static inline bool lb_malloc_fails(const void *caller)
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

static inline void *lb_malloc_done(void *memory)
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

#endif // LB_TEST_OWN_MALLOC_H
