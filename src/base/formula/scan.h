// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A text that is read from left to right, and the first thing that is wrong with it.
#ifndef LB_SCAN_H
#define LB_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "limber/base.h"

enum { LB_NAME_MAX = 128 };

/// What is wrong with a text.
typedef struct lb_scan_error {
    int column;        ///< from 1
    char message[240]; ///< names the column
} lb_scan_error;

typedef struct lb_scan {
    const char *text;
    size_t at;
    bool hyphens; ///< names may hold them: nothing is subtracted here
    bool failed;
    lb_scan_error error;
} lb_scan;

/// A name as it was written.
typedef struct lb_name {
    char text[LB_NAME_MAX];
    size_t start;
    bool quoted;
} lb_name;

/// An error at a place in the text. The first is kept.
void lb_scan_fail(lb_scan *scan, size_t at, const char *format, ...) LB_PRINTF(3, 4);

void lb_scan_skip_spaces(lb_scan *scan);

/// Whether a name starts here.
bool lb_scan_sees_name(const lb_scan *scan);

/// Reads a name, in quotes or not. False if there is none, which is an error.
bool lb_scan_read_name(lb_scan *scan, lb_name *name);

/// Whether a text is a name that needs no quotes.
bool lb_is_plain_name(const char *text);

#endif // LB_SCAN_H
