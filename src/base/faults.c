// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>

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
    const lb_diagnostic diagnostic = {.severity = severity, .path = path, .message = message};
    faults->report.emit(faults->report.user, &diagnostic);
}
