// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdio.h>
#include <string.h>

// Shortens a text to `length` bytes or a little less, so that no UTF-8 sequence is cut in two.
static size_t lb_text_cut(const char *text, size_t length)
{
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
        --length;
    }
    return length;
}

void lb_text_add_list(lb_text *text, const char *format, va_list arguments)
{
    const size_t room = sizeof text->data - text->length;
    const int wanted = vsnprintf(text->data + text->length, room, format, arguments);
    if (wanted < 0) {
        text->data[text->length] = '\0';
    } else if ((size_t)wanted < room) {
        text->length += (size_t)wanted;
    } else {
        const size_t end = lb_text_cut(text->data, sizeof text->data - 4);
        memcpy(text->data + end, "...", 4);
        text->length = end + 3;
    }
}

void lb_text_add(lb_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lb_text_add_list(text, format, arguments);
    va_end(arguments);
}

void lb_text_add_excerpt(lb_text *text, const char *string)
{
    enum { LENGTH = 48 };
    char excerpt[LENGTH + 1];
    const char *end = memchr(string, '\0', LENGTH + 1);
    const size_t length = end ? (size_t)(end - string) : lb_text_cut(string, LENGTH);
    for (size_t i = 0; i < length; ++i) {
        const unsigned char c = (unsigned char)string[i];
        excerpt[i] = c < ' ' || c == 0x7F ? '?' : string[i];
    }
    excerpt[length] = '\0';
    lb_text_add(text, "%s%s", excerpt, end ? "" : "...");
}

void lb_text_add_key(lb_text *path, const char *key)
{
    if (path->length) {
        lb_text_add(path, ".");
    }
    lb_text_add_excerpt(path, key);
}

void lb_text_add_index(lb_text *path, size_t index)
{
    lb_text_add(path, "[%zu]", index);
}

// Read off a printed number: localeconv() is not safe while other threads run.
void lb_find_decimal_point(char point[8])
{
    char half[16] = "";
    snprintf(half, sizeof half, "%.1f", 0.5);
    const size_t length = strlen(half);
    if (length >= 3 && length - 2 < 8) {
        memcpy(point, half + 1, length - 2);
        point[length - 2] = '\0';
    } else {
        memcpy(point, ".", 2);
    }
}

size_t lb_use_plain_point(char *text)
{
    char point[8];
    lb_find_decimal_point(point);
    size_t length = strlen(text);
    if (strcmp(point, ".") == 0) {
        return length;
    }
    const size_t wide = strlen(point);
    for (size_t i = 0; i + wide <= length; ++i) {
        if (memcmp(text + i, point, wide) == 0) {
            text[i] = '.';
            memmove(text + i + 1, text + i + wide, length - i - wide + 1);
            length -= wide - 1;
        }
    }
    return length;
}

static bool lb_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t lb_add_exponent_points(char *text, size_t size)
{
    size_t length = strlen(text);
    for (size_t i = 1; i + 2 < length; ++i) {
        const bool is_signed = text[i + 1] == '+' || text[i + 1] == '-';
        if (text[i] != 'e' || !is_signed || !lb_is_digit(text[i + 2])) {
            continue;
        }
        size_t start = i;
        while (start > 0 && lb_is_digit(text[start - 1])) {
            --start;
        }
        if (start < i && (start == 0 || text[start - 1] != '.') && length + 3 <= size) {
            memmove(text + i + 2, text + i, length + 1 - i);
            memcpy(text + i, ".0", 2);
            length += 2;
            i += 2;
        }
    }
    return length;
}
