// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of another program that belong together, whole in memory; lines and numbers in them; and what is
// said about them, with file and line.
#ifndef LB_SOURCE_H
#define LB_SOURCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "limber/import.h"

/// A file. The text has a zero byte behind its end, and may have others inside.
typedef struct lb_import_file {
    const char *path; ///< as it was given
    const char *text;
    size_t length;
    bool is_used;      ///< a reader has taken it
    lb_file_role role; ///< what the user says that it is
    const char *load;  ///< of a geometric stiffness; NULL for all other files
} lb_import_file;

typedef struct lb_import {
    lb_arena arena; ///< of everything that lives as long as the import
    lb_report report;
    int error_count;
    int file_count;
    lb_import_file *files;
    int geometric_count; ///< files behind these that have a load
    int recovery_count;  ///< files behind those: what a user wants to recover
    int *grid_order;     ///< of lb_index_grids
    /// Of the caller, or NULL: see lb_import_options.
    int (*progress)(void *user, const char *what, double done);
    void *user;
} lb_import;

/// All files.
static inline int lb_count_files(const lb_import *import)
{
    return import->file_count + import->geometric_count + import->recovery_count;
}

#define LB_IMPORT_TAKE(import, pointer, count)                                                     \
    (((pointer) = lb_arena_take(&(import)->arena, (size_t)(count), sizeof *(pointer))) != NULL)

/// Adds an element to a list that grows by realloc.
///
/// @param list  the pointer to its elements, which is NULL at first; to be freed
lb_status lb_append(void *list, size_t *count, size_t *capacity, size_t size, const void *element);

/// Reports an error in a file and counts it.
///
/// @param line  from 1; 0 if the message says where, as in binary files ("record 12")
/// @return LB_E_SYNTAX, so that a reader can end with it
lb_status lb_import_fail(lb_import *import, const lb_import_file *file, int line,
                         const char *format, ...) LB_PRINTF(4, 5);
/// Reports a warning.
void lb_import_warn(lb_import *import, const lb_import_file *file, int line, const char *format,
                    ...) LB_PRINTF(4, 5);

/// Tells the caller how far the import is.
///
/// @return LB_OK, or LB_E_CALLBACK if the caller has enough of it
lb_status lb_import_tell(const lb_import *import, const char *what, double done);

// ---- lines -------------------------------------------------------------------------------------

/// A part of a text, without a zero byte at its end.
typedef struct lb_span {
    const char *at;
    size_t length;
} lb_span;

/// Goes through a text line by line. Start with lb_start_lines.
typedef struct lb_lines {
    const char *next, *end;
    int number;   ///< of the line, from 1
    lb_span line; ///< without its end (LF, CR LF or CR)
} lb_lines;

lb_lines lb_start_lines(const lb_import_file *file);
/// Goes to the next line; false behind the last.
bool lb_next_line(lb_lines *lines);

/// The line up to the next separator (any of `separators`, or blanks if it is NULL), without blanks around it.
/// Goes on behind the separator. False at the end of the line.
bool lb_next_field(lb_span *rest, const char *separators, lb_span *field);

/// A span without the white space around it.
lb_span lb_trim_span(lb_span span);

/// Whether a span is this word, capital letters or not.
bool lb_span_is(lb_span span, const char *word);
/// Whether it starts with it.
bool lb_span_starts(lb_span span, const char *word);

// ---- numbers -----------------------------------------------------------------------------------

/// Reads the number at the beginning of a text, whatever the locale: 1, -2.5, 1.5e-3, 1.5D-3, .5, 5., and as
/// Nastran writes it 1.5-3. Neither nan nor inf, nor what a double cannot hold.
///
/// @return bytes; 0 if there is no such number
size_t lb_scan_fe_number(const char *at, const char *end, double *value);

/// Reads a whole span as a number.
bool lb_get_number(lb_span span, double *value);
/// Reads a whole span as a whole number, with or without a sign.
bool lb_get_integer(lb_span span, long *value);

#endif // LB_SOURCE_H
