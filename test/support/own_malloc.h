// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and its kin, replaced by counters. For one file of a program: it defines them.
#ifndef LB_TEST_OWN_MALLOC_H
#define LB_TEST_OWN_MALLOC_H

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

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    ++lb_malloc_count;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    ++lb_malloc_count;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    ++lb_malloc_count;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    ++lb_malloc_count;
    return __libc_memalign(alignment, size);
}

void free(void *memory)
{
    ++lb_free_count;
    __libc_free(memory);
}

#endif // LB_OWN_MALLOC

#endif // LB_TEST_OWN_MALLOC_H
