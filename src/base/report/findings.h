// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that lets a hundred findings of a kind through and counts the others. A short file can be wrong in
// millions of places: `repeat` makes copies of a mistake.
#ifndef LB_FINDINGS_H
#define LB_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "limber/base.h"

enum { LB_FINDINGS_MOST = 100, LB_FINDINGS_KINDS = 48 };

typedef struct lb_findings {
    lb_report next; ///< emit is NULL if nobody listens, or if others around this one count
    bool is_counted;
    int kind_count;
    struct lb_finding_kind {
        uint64_t key;
        size_t count;
        lb_severity severity;
        int line, column; ///< of the last that was let through, as file, path and message are
        char file[120], path[80], message[200];
    } kinds[LB_FINDINGS_KINDS];   ///< the last is of all further kinds
    struct lb_finding_kind *open; ///< that was asked about last; NULL once it has been heard
} lb_findings;

/// Starts to count what is reported. Reports that are counted already stay as they are.
///
/// @return what to report to, until lb_end_findings
lb_report lb_start_findings(lb_findings *findings, const lb_report *report);

/// Says how many more there were of each kind.
void lb_end_findings(lb_findings *findings);

/// Asks before a finding is put into words whether it would be heard, and counts it. What comes next is of its kind.
///
/// @param format  of the message
/// @param key     the last key on the way to its place; NULL for none
bool lb_is_reported(const lb_report *report, const char *format, const char *key);

#endif // LB_FINDINGS_H
