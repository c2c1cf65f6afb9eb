// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs as programs of other versions have them.
#ifndef LB_TEST_RESIZED_H
#define LB_TEST_RESIZED_H

#include <stddef.h>

/// Bytes up to and including a field, and those of a version that has one field more than this one.
#define LB_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))
#define LB_NEWER(type) (sizeof(type) + sizeof(double))

/// A copy of a struct in memory of `size` bytes, no more, which is also what its `size` says. What is
/// longer than the struct is zero. To be freed.
#define lb_resize(whole, size) lb_resize_struct(whole, sizeof *(whole), size)
void *lb_resize_struct(const void *whole, size_t whole_size, size_t size);

/// The same for the elements of an array.
void *lb_resize_structs(const void *structs, size_t count, size_t whole_size, size_t size);

#endif // LB_TEST_RESIZED_H
