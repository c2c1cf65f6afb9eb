// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Status codes, diagnostics and the allocator hook: what every other header uses.
#ifndef LB_BASE_H
#define LB_BASE_H

#include <stddef.h>

#include "limber/status_list.h"

#define LB_VERSION_MAJOR 0
#define LB_VERSION_MINOR 1
#define LB_VERSION_PATCH 0
#define LB_VERSION "0.1.0"

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

/// What a function says of its work. Zero is success, negative failure, positive success with news.
typedef enum lb_status {
#define LB_STATUS_ENUM(name, value, text) name = value,
    LB_STATUS_LIST(LB_STATUS_ENUM)
#undef LB_STATUS_ENUM
} lb_status;

/// One sentence that says what a status means. Never NULL.
LB_API const char *lb_get_status_text(lb_status status);

/// Version of the library that is linked, "major.minor.patch".
LB_API const char *lb_get_version(void);

/// Where memory comes from. Models and builders take all of theirs from one of these; NULL in its
/// place means malloc and free. `allocate` returns memory aligned as malloc's, or NULL.
typedef struct lb_allocator {
    void *(*allocate)(void *user, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} lb_allocator;

typedef enum lb_severity { LB_SEVERITY_ERROR, LB_SEVERITY_WARNING } lb_severity;

/// One thing that somebody must read about. Strings live only during the call that hands it over.
typedef struct lb_diagnostic {
    lb_severity severity;
    const char *file;    ///< NULL when there is no file
    int line, column;    ///< from 1; 0 when unknown
    const char *path;    ///< inside the model, such as "bodies[2].hinge.axis"; "" for the whole
    const char *message; ///< what was found, what was expected, and the cure
} lb_diagnostic;

/// Receives diagnostics, in the order in which they were found. NULL in its place drops them.
typedef struct lb_report {
    void (*emit)(void *user, const lb_diagnostic *diagnostic);
    void *user;
} lb_report;

/// What lb_find_* functions return instead of an index if nothing has the name. Not -1, which is the
/// ground (LB_GROUND). Those that return a pointer return NULL.
#define LB_NOT_FOUND (-2)

/// Names of coordinates and of columns of a table are cut to this length, the closing zero included.
enum { LB_COLUMN_SIZE = 96 };

#endif // LB_BASE_H
