// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of an audit by number, for tables of them.
#ifndef LB_AUDIT_ENTRIES_H
#define LB_AUDIT_ENTRIES_H

#include "limber/results.h"

/// Number of entries of lb_audit that this library knows, `size` not included.
int lb_get_audit_count(void);

/// Name of an entry of lb_audit, in the order of the struct: "time", "wall_time", ...; "" if there is
/// no such entry.
const char *lb_get_audit_name(int entry);

/// Value of an entry of lb_audit by its number; NaN if the struct has no such entry.
double lb_get_audit_value(const lb_audit *audit, int entry);

#endif // LB_AUDIT_ENTRIES_H
