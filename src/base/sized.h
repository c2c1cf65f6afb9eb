// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Structs that cross the API and may grow. Each starts with a `size_t size`, the sizeof of whoever
// filled it in, and grows at its end only:
//
//     inputs   an older, shorter struct is copied over the defaults of this library; a longer one comes
//              from a newer program and is refused
//     outputs  the library writes what the caller has room for
//     arrays   elements are apart by the size in the first
#ifndef LB_SIZED_H
#define LB_SIZED_H

#include <string.h>

#include "limber/base.h"

/// Bytes of a struct up to and including a field.
#define LB_SIZE_THROUGH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/// Copies options of the caller over defaults, which `own` holds.
///
/// @param own       in: the defaults, `own_size` bytes; out: the options, with own_size as their size
/// @param options   NULL for the defaults
/// @param smallest  bytes of the first version that was published
/// @return LB_OK; LB_E_VERSION, and `own` stays, if they are longer than this library knows, or shorter
///         than any version was
static inline lb_status lb_take_sized(void *own, size_t own_size, size_t smallest,
                                      const void *options)
{
    size_t size;
    if (!options) {
        return LB_OK;
    }
    memcpy(&size, options, sizeof size);
    if (size < smallest || size > own_size) {
        return LB_E_VERSION;
    }
    memcpy(own, options, size);
    memcpy(own, &own_size, sizeof own_size);
    return LB_OK;
}

/// Hands a struct of the library to a caller with room for another size: what both know. The caller's
/// `size` stays.
///
/// @return LB_OK, or LB_E_VERSION as lb_take_sized
static inline lb_status lb_give_sized(const void *own, size_t own_size, size_t smallest, void *out)
{
    size_t size;
    memcpy(&size, out, sizeof size);
    if (size < smallest || size > own_size) {
        return LB_E_VERSION;
    }
    memcpy((char *)out + sizeof size, (const char *)own + sizeof size, size - sizeof size);
    return LB_OK;
}

/// Sets defaults in memory of `size` bytes, as an older or equal caller asks for.
static inline void lb_set_sized(const void *defaults, size_t own_size, void *options, size_t size)
{
    memset(options, 0, size);
    memcpy(options, defaults, size < own_size ? size : own_size);
    memcpy(options, &size, sizeof size);
}

/// Element i of an array of such structs.
static inline const void *lb_get_sized(const void *array, size_t i)
{
    size_t size;
    memcpy(&size, array, sizeof size);
    return (const char *)array + i * size;
}

#endif // LB_SIZED_H
