// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>

#include "sized.h"

enum { PATH_SIZE = 512, MESSAGE_SIZE = 512 };

void lb_complain(lb_faults *faults, lb_severity severity, const char *where, const char *key,
                 const char *format, ...)
{
    if (severity == LB_SEVERITY_ERROR) {
        ++faults->error_count;
    }
    if (!faults->report.emit) {
        return;
    }
    char path[2 * PATH_SIZE], message[MESSAGE_SIZE];
    snprintf(path, sizeof path, "%.*s%s%s", PATH_SIZE, where, *where && *key ? "." : "", key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const lb_diagnostic diagnostic = {
        .size = sizeof diagnostic, .severity = severity, .path = path, .message = message};
    faults->report.emit(faults->report.user, &diagnostic);
}

lb_status lb_take_checked(lb_faults *faults, const char *where, const char *key, void *own,
                          size_t own_size, size_t smallest, const void *options)
{
    const lb_status status = lb_take_sized(own, own_size, smallest, options);
    if (status == LB_E_VERSION) {
        size_t size;
        memcpy(&size, options, sizeof size);
        lb_complain(
            faults, LB_SEVERITY_ERROR, where, key,
            size > own_size
                ? "a struct of %zu bytes, but this version of limber knows %zu: it comes from "
                  "a program built for a newer version"
                : "a struct of %zu bytes, expected %zu: start from its default function, which "
                  "sets `size`",
            size, own_size);
    }
    return status;
}

lb_status lb_take_reported(const lb_report *report, const char *path, void *own, size_t own_size,
                           size_t smallest, const void *options)
{
    lb_faults faults = {.report = report ? *report : (lb_report){0}};
    return lb_take_checked(&faults, path, "", own, own_size, smallest, options);
}
