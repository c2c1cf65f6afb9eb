// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "heard.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

enum { KEPT = sizeof((lb_heard *)0)->entries / sizeof((lb_heard *)0)->entries[0] };

static void lb_hear(void *user, const lb_diagnostic *diagnostic)
{
    lb_heard *heard = user;
    assert_int_equal(diagnostic->size, sizeof *diagnostic);
    if (heard->count < KEPT) {
        lb_heard_entry *entry = &heard->entries[heard->count];
        entry->severity = diagnostic->severity;
        entry->line = diagnostic->line;
        entry->column = diagnostic->column;
        snprintf(entry->file, sizeof entry->file, "%s", diagnostic->file ? diagnostic->file : "");
        snprintf(entry->path, sizeof entry->path, "%s", diagnostic->path);
        snprintf(entry->message, sizeof entry->message, "%s", diagnostic->message);
    }
    ++heard->count;
    heard->error_count += diagnostic->severity == LB_SEVERITY_ERROR;
}

lb_report lb_listen(lb_heard *heard)
{
    return (lb_report){lb_hear, heard};
}

const lb_heard_entry *lb_find_heard(const lb_heard *heard, const char *path)
{
    for (int i = 0; i < heard->count && i < KEPT; ++i) {
        if (strcmp(heard->entries[i].path, path) == 0) {
            return &heard->entries[i];
        }
    }
    return NULL;
}

void lb_print_heard(const lb_heard *heard)
{
    for (int i = 0; i < heard->count && i < KEPT; ++i) {
        const lb_heard_entry *entry = &heard->entries[i];
        printf("%s:%d:%d: %s: %s\n", entry->file, entry->line, entry->column, entry->path,
               entry->message);
    }
}
