// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with an input: said to a report, with the path of the place in the words of the model
// file, and counted. Builders, forces and simulations check what they are given with these, whether
// it comes from a program or out of a file.
#ifndef LB_FAULTS_H
#define LB_FAULTS_H

#include "limber/base.h"

typedef struct lb_faults {
    lb_report report; ///< emit may be NULL
    int error_count;
} lb_faults;

/// Reports something at "where.key" and counts it if it is an error. Formats as printf does.
void lb_complain(lb_faults *faults, lb_severity severity, const char *where, const char *key,
                 const char *format, ...) LB_PRINTF(5, 6);

/// lb_take_sized, and a complaint at "where.key" about a struct whose size this version does not know.
lb_status lb_take_checked(lb_faults *faults, const char *where, const char *key, void *own,
                          size_t own_size, size_t smallest, const void *options);

/// The same for a report that may be NULL.
lb_status lb_take_reported(const lb_report *report, const char *path, void *own, size_t own_size,
                           size_t smallest, const void *options);

#endif // LB_FAULTS_H
