// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages and paths of bounded length, whatever a file holds.
#ifndef LB_TEXT_H
#define LB_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "limber/base.h"

/// A text that ends in "..." where it was too long. Start from {.length = 0}.
typedef struct lb_text {
    size_t length;
    char data[1024];
} lb_text;

void lb_text_add(lb_text *text, const char *format, ...) LB_PRINTF(2, 3);
void lb_text_add_list(lb_text *text, const char *format, va_list arguments) LB_PRINTF(2, 0);

/// Adds a string of a file: its first few dozen bytes, without control characters.
void lb_text_add_excerpt(lb_text *text, const char *string);

/// Adds ".key", "key" or "[index]" to a path.
void lb_text_add_key(lb_text *path, const char *key);
void lb_text_add_index(lb_text *path, size_t index);

/// The decimal point of the present locale, which the program may have set.
void lb_find_decimal_point(char point[8]);

/// Makes the decimal points of a text that printf wrote plain ones, for files and other programs.
///
/// @return its length
size_t lb_use_plain_point(char *text);

/// Gives numbers with an exponent a point, 1e-05 as 1.0e-05: YAML 1.1, which many readers follow, takes them for text
/// without one. What does not fit into the size stays as it is.
///
/// @param text  numbers between other characters, with plain points
/// @param size  bytes of its memory
/// @return its length
size_t lb_add_exponent_points(char *text, size_t size);

#endif // LB_TEXT_H
