// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lb_scan_fail(lb_scan *scan, size_t at, const char *format, ...)
{
    if (scan->failed) {
        return;
    }
    scan->failed = true;
    // columns count characters, not bytes
    int column = 1;
    for (size_t i = 0; i < at; ++i) {
        column += ((unsigned char)scan->text[i] & 0xC0) != 0x80;
    }
    scan->error.column = column;
    va_list arguments;
    va_start(arguments, format);
    char *message = scan->error.message;
    const int length = vsnprintf(message, sizeof scan->error.message, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof scan->error.message) {
        snprintf(message + length, sizeof scan->error.message - (size_t)length, " (character %d)",
                 column);
    }
}

void lb_scan_skip_spaces(lb_scan *scan)
{
    const char *text = scan->text + scan->at;
    while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n') {
        ++text;
    }
    scan->at = (size_t)(text - scan->text);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

bool lb_is_plain_name(const char *text)
{
    size_t i = 0;
    while (is_name_part(text[i])) {
        ++i;
    }
    return is_letter(text[0]) && text[i] == '\0';
}

bool lb_scan_sees_name(const lb_scan *scan)
{
    const char c = scan->text[scan->at];
    return is_letter(c) || c == '\'';
}

bool lb_scan_read_name(lb_scan *scan, lb_name *name)
{
    const char *start = scan->text + scan->at;
    size_t length = 0, skip = 0;
    name->start = scan->at;
    name->quoted = *start == '\'';
    if (name->quoted) {
        const char *end = strchr(start + 1, '\'');
        if (!end) {
            lb_scan_fail(scan, scan->at, "a quote that is never closed");
            return false;
        }
        ++start;
        length = (size_t)(end - start);
        skip = 2;
    } else if (is_letter(*start)) {
        while (is_name_part(start[length]) ||
               (scan->hyphens && start[length] == '-' && is_name_part(start[length + 1]))) {
            ++length;
        }
    }
    if (length == 0) {
        lb_scan_fail(scan, scan->at, "expected a name");
        return false;
    }
    if (length >= sizeof name->text) {
        lb_scan_fail(scan, scan->at, "a name of %zu bytes, expected fewer than %d", length,
                     LB_NAME_MAX);
        return false;
    }
    memcpy(name->text, start, length);
    name->text[length] = '\0';
    scan->at += length + skip;
    return true;
}
