// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "eigen.h"

void lb_fe_init(lb_fe_context *context, const lb_allocator *allocator, const lb_report *report)
{
    *context = (lb_fe_context){.arena = lb_make_arena(allocator)};
    if (report) {
        context->report = *report;
    }
}

lb_status lb_fe_fail(lb_fe_context *context, const char *path, const char *format, ...)
{
    ++context->errors;
    if (!context->report.emit) {
        return LB_E_MODEL;
    }
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const lb_diagnostic diagnostic = {
        .size = sizeof diagnostic, .severity = LB_SEVERITY_ERROR, .path = path, .message = message};
    context->report.emit(context->report.user, &diagnostic);
    return LB_E_MODEL;
}

bool lb_fe_check_finite(lb_fe_context *context, const char *path, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(numbers[i])) {
            lb_fe_fail(context, path, "%g found, expected finite numbers", numbers[i]);
            return false;
        }
    }
    return true;
}
