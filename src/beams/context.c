// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fe.h"

struct lb_fe_chunk {
    lb_fe_chunk *next;
    double align; // what follows is aligned as this is
};

static void *lb_fe_malloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void lb_fe_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

void lb_fe_init(lb_fe_context *context, const lb_allocator *allocator, const lb_report *report)
{
    const lb_allocator plain = {lb_fe_malloc, lb_fe_release, NULL};
    *context = (lb_fe_context){.allocator = allocator ? *allocator : plain};
    if (report) {
        context->report = *report;
    }
}

void *lb_fe_take(lb_fe_context *context, size_t count, size_t size)
{
    const size_t head = sizeof(lb_fe_chunk);
    if (count > (SIZE_MAX / 2 - head) / size) {
        return NULL;
    }
    lb_fe_chunk *chunk = context->allocator.allocate(context->allocator.user, head + count * size);
    if (!chunk) {
        return NULL;
    }
    chunk->next = context->chunks;
    context->chunks = chunk;
    return memset(chunk + 1, 0, count * size);
}

char *lb_fe_take_text(lb_fe_context *context, const char *text)
{
    char *copy = lb_fe_take(context, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

void lb_fe_free(lb_fe_context *context)
{
    while (context->chunks) {
        lb_fe_chunk *next = context->chunks->next;
        context->allocator.release(context->allocator.user, context->chunks);
        context->chunks = next;
    }
}

void lb_fe_fail(lb_fe_context *context, const char *path, const char *format, ...)
{
    ++context->errors;
    if (!context->report.emit) {
        return;
    }
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const lb_diagnostic diagnostic = {
        .severity = LB_SEVERITY_ERROR, .path = path, .message = message};
    context->report.emit(context->report.user, &diagnostic);
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
