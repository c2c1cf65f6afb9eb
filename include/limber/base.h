// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Status codes, diagnostics and the allocator hook: what every other header uses.
//
// Structs that cross the API are of three kinds, and each says which it is:
//
//     opaque   only declared; the library makes and frees it
//     sized    its first field is `size`, the sizeof of the program's own struct. Later versions
//              may add fields at its end. A program that was built for an older version keeps
//              working: fields that it does not have get their defaults. A struct from a newer
//              version than the library is refused with LB_E_VERSION.
//     frozen   it never changes
//
// Fill in a sized input from its default function, or from {.size = sizeof x} where all defaults
// are zero. A sized output needs its size before the call:
//
//     lb_assembly found = {.size = sizeof found};
//
// Elements of an array of sized structs lie apart by the size in the first of them.
#ifndef LB_BASE_H
#define LB_BASE_H

#include <stdbool.h>
#include <stddef.h>

#include "limber/status_list.h"

#define LB_VERSION_MAJOR 0
#define LB_VERSION_MINOR 2
#define LB_VERSION_PATCH 0
#define LB_VERSION "0.2.0"

#ifdef __cplusplus
#define LB_EXTERN_C extern "C"
#else
#define LB_EXTERN_C
#endif

#if defined(__GNUC__)
#define LB_API LB_EXTERN_C __attribute__((visibility("default")))
#else
#define LB_API LB_EXTERN_C
#endif

#if defined(__GNUC__)
#define LB_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LB_PRINTF(text, first)
#endif

/// Starts a struct of zeroes.
// clang-format off
#ifdef __cplusplus
#define LB_ZEROES {}
#else
#define LB_ZEROES {0}
#endif
// clang-format on

/// The outcome of a call. Zero is success, negative values are failures, positive values are
/// success with something to know about.
typedef enum lb_status {
#define LB_STATUS_ENUM(name, value, text) name = value,
    LB_STATUS_LIST(LB_STATUS_ENUM)
#undef LB_STATUS_ENUM
} lb_status;

/// A sentence that explains a status. Never NULL; the text is constant.
LB_API const char *lb_get_status_text(lb_status status);

/// Version of the library that the program is linked with, as "major.minor.patch". Compare with
/// LB_VERSION, the version of the headers.
LB_API const char *lb_get_version(void);

/// Where memory comes from. Models and builders take all their memory from one allocator; a NULL
/// pointer to an lb_allocator means malloc and free. Frozen.
typedef struct lb_allocator {
    void *(*allocate)(void *user,
                      size_t size); ///< aligned as malloc does; NULL if there is none left
    void (*release)(void *user, void *memory);
    void *user; ///< passed to both functions
} lb_allocator;

/// How serious a diagnostic is.
typedef enum lb_severity {
    LB_SEVERITY_ERROR,   ///< the input is refused
    LB_SEVERITY_WARNING, ///< the input is accepted, but probably not what was meant
    LB_SEVERITY_NOTE     ///< worth knowing
} lb_severity;

/// One error or warning about an input. Its strings are valid only during the call that passes it.
/// Sized: whoever makes one sets `size`.
typedef struct lb_diagnostic {
    size_t size;
    lb_severity severity;
    const char *file;    ///< NULL if there is no file
    int line, column;    ///< from 1; 0 if unknown
    const char *path;    ///< place in the model, such as "bodies[2].hinge.axis"; "" for all of it
    const char *message; ///< what was found, what was expected, and how to mend it
} lb_diagnostic;

/// Receives diagnostics in the order in which they are found. A NULL pointer to an lb_report drops
/// them. Frozen.
typedef struct lb_report {
    void (*emit)(void *user, const lb_diagnostic *diagnostic);
    void *user; ///< passed to `emit`
} lb_report;

/// What lb_find_* functions return instead of an index if nothing has that name. It is not -1,
/// which is the ground (LB_GROUND). Functions that return a pointer return NULL instead.
#define LB_NOT_FOUND (-2)

/// Room for the name of a coordinate or of a column in a table, the closing zero included. Longer
/// names are cut.
enum { LB_COLUMN_SIZE = 96 };

#endif // LB_BASE_H
