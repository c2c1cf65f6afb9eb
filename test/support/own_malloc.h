// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// malloc and its kin, replaced in test programs by functions that count. They can be made to fail: see lb_scarce_at.
#ifndef LB_TEST_OWN_MALLOC_H
#define LB_TEST_OWN_MALLOC_H

#include <stdbool.h>
#include <stdlib.h> // says which C library this is

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

extern long lb_malloc_count, lb_free_count;
extern long lb_malloc_live; ///< pieces that have not been freed

/// Allocations by the program and the static libraries in it are counted while lb_scarce_at is not zero.
/// The one of that number fails, and with lb_scarce_from all that follow.
extern long lb_scarce_at, lb_scarce_count;
extern bool lb_scarce_from;

#endif // LB_OWN_MALLOC

#endif // LB_TEST_OWN_MALLOC_H
