// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool make_room(lb_page *page, size_t more)
{
    size_t capacity = page->capacity ? page->capacity : 4096;
    while (capacity < page->length + more + 1) {
        capacity *= 2;
    }
    if (capacity > page->capacity) {
        char *text = page->out_of_memory ? NULL : realloc(page->text, capacity);
        if (!text) {
            page->out_of_memory = true;
            return false;
        }
        page->text = text;
        page->capacity = capacity;
    }
    return true;
}

void lb_write(lb_page *page, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int need = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    page->out_of_memory = page->out_of_memory || need < 0; // a long format takes memory
    if (need < 0 || !make_room(page, (size_t)need)) {
        return;
    }
    va_start(arguments, format);
    const int got = vsnprintf(page->text + page->length, (size_t)need + 1, format, arguments);
    va_end(arguments);
    page->out_of_memory = page->out_of_memory || got < 0; // a second time
    page->length += got < 0 ? 0 : (size_t)need;
}

void lb_write_name(lb_page *page, const char *name)
{
    for (; *name; ++name) {
        const unsigned char c = (unsigned char)*name;
        const bool plain = c >= 0x20 && c != 0x7f && c != '\\' && c != '*' && c != '?';
        lb_write(page, "%c", plain ? *name : '?');
    }
}

void lb_write_number(lb_page *page, double x, bool is_float)
{
    char text[64];
    if (x - x != 0.0) { // where a choice of the state never comes to
        lb_write(page, x == x ? "INFINITY" : "NAN");
        return;
    }
    if (is_float) {
        const float y = (float)x;
        for (int digits = 6; digits <= 9; ++digits) {
            (void)snprintf(text, sizeof text, "%.*g", digits, (double)y);
            if (strtof(text, NULL) == y) {
                break;
            }
        }
    } else {
        for (int digits = 15; digits <= 17; ++digits) {
            (void)snprintf(text, sizeof text, "%.*g", digits, x);
            if (strtod(text, NULL) == x) {
                break;
            }
        }
    }
    (void)lb_use_plain_point(text);
    const bool whole = !strpbrk(text, ".e");
    lb_write(page, "%s%s%s", text, whole ? ".0" : "", is_float ? "f" : "");
}
