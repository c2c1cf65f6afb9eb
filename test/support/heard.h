// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that remembers what it was told.
#ifndef LB_TEST_HEARD_H
#define LB_TEST_HEARD_H

#include "limber/base.h"

typedef struct lb_heard_entry {
    lb_severity severity;
    int line, column;
    char file[64], path[256], message[512];
} lb_heard_entry;

/// Start from {.count = 0}.
typedef struct lb_heard {
    int count, error_count; ///< of all, also of those that were too many to keep
    lb_heard_entry entries[32];
} lb_heard;

/// The report that fills it.
lb_report lb_listen(lb_heard *heard);

/// The first entry of a path, or NULL.
const lb_heard_entry *lb_find_heard(const lb_heard *heard, const char *path);

/// Prints everything as the command does, for a test that is about to fail.
void lb_print_heard(const lb_heard *heard);

#endif // LB_TEST_HEARD_H
