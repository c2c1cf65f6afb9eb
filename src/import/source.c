// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

lb_status lb_append(void *list, size_t *count, size_t *capacity, size_t size, const void *element)
{
    // the list is a pointer to elements of any type
    unsigned char *array;
    memcpy(&array, list, sizeof array);
    if (*count == *capacity) {
        const size_t more = *capacity ? *capacity + *capacity / 2 : 16;
        array = more > SIZE_MAX / size ? NULL : realloc(array, more * size);
        if (!array) {
            return LB_E_MEMORY;
        }
        memcpy(list, &array, sizeof array);
        *capacity = more;
    }
    memcpy(array + (*count)++ * size, element, size);
    return LB_OK;
}

// ---- what is said ------------------------------------------------------------------------------

static void say(const lb_import *import, const lb_import_file *file, int line, lb_severity severity,
                const char *format, va_list arguments)
{
    if (!import->report.emit) {
        return;
    }
    lb_text message = {.length = 0};
    lb_text_add_list(&message, format, arguments);
    const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                      .severity = severity,
                                      .file = file ? file->path : NULL,
                                      .line = line,
                                      .column = line > 0,
                                      .path = "",
                                      .message = message.data};
    import->report.emit(import->report.user, &diagnostic);
}

lb_status lb_import_fail(lb_import *import, const lb_import_file *file, int line,
                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(import, file, line, LB_SEVERITY_ERROR, format, arguments);
    va_end(arguments);
    ++import->error_count;
    return LB_E_SYNTAX;
}

void lb_import_warn(lb_import *import, const lb_import_file *file, int line, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(import, file, line, LB_SEVERITY_WARNING, format, arguments);
    va_end(arguments);
}

lb_status lb_import_tell(const lb_import *import, const char *what, double done)
{
    return import->progress && import->progress(import->user, what, done) != 0 ? LB_E_CALLBACK
                                                                               : LB_OK;
}

// ---- lines -------------------------------------------------------------------------------------

lb_lines lb_start_lines(const lb_import_file *file)
{
    // a byte-order mark is not part of the text
    const size_t skip = file->length >= 3 && memcmp(file->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *text = file->text ? file->text : ""; // of an empty file
    return (lb_lines){.next = text + skip, .end = text + file->length};
}

bool lb_next_line(lb_lines *lines)
{
    if (lines->next >= lines->end) {
        return false;
    }
    const char *start = lines->next, *at = start;
    while (at < lines->end && *at != '\n' && *at != '\r') {
        ++at;
    }
    lines->line = (lb_span){start, (size_t)(at - start)};
    at += at < lines->end && *at == '\r' && at + 1 < lines->end && at[1] == '\n';
    lines->next = at + (at < lines->end);
    ++lines->number;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

lb_span lb_trim_span(lb_span span)
{
    // DOS ends a text with Ctrl-Z
    while (span.length > 0 && (isspace((unsigned char)*span.at) || *span.at == '\032')) {
        ++span.at;
        --span.length;
    }
    while (span.length > 0 && (isspace((unsigned char)span.at[span.length - 1]) ||
                               span.at[span.length - 1] == '\032')) {
        --span.length;
    }
    return span;
}

bool lb_next_field(lb_span *rest, const char *separators, lb_span *field)
{
    const char *at = rest->at, *end = at + rest->length;
    if (!separators) {
        while (at < end && is_blank(*at)) {
            ++at;
        }
    }
    if (at >= end) {
        *rest = (lb_span){end, 0};
        return false;
    }
    const char *start = at;
    while (at < end && !(separators ? *at && strchr(separators, *at) != NULL : is_blank(*at))) {
        ++at;
    }
    const char *next = at + (at < end);
    while (start < at && is_blank(*start)) {
        ++start;
    }
    while (at > start && is_blank(at[-1])) {
        --at;
    }
    *field = (lb_span){start, (size_t)(at - start)};
    *rest = (lb_span){next, (size_t)(end - next)};
    return true;
}

bool lb_span_starts(lb_span span, const char *word)
{
    size_t i = 0;
    while (word[i] && i < span.length &&
           toupper((unsigned char)span.at[i]) == toupper((unsigned char)word[i])) {
        ++i;
    }
    return !word[i];
}

bool lb_span_is(lb_span span, const char *word)
{
    return span.length == strlen(word) && lb_span_starts(span, word);
}

// ---- numbers -----------------------------------------------------------------------------------

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Up to 19 digits and small powers in 64 bits. Their error is below 2^-62, so the result is certain if both ends
// of what may be round to the same double. Where they do not, or long double has fewer bits, it fails.
static bool convert_wide(uint64_t mantissa, int power, double *value)
{
#if LDBL_MANT_DIG >= 64
    static const long double more_powers[] = {1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const int size = power < 0 ? -power : power, rest = size > 27 ? size - 27 : 0;
    if (rest > 22) {
        return false;
    }
    long double ten = size < 22 ? powers_of_ten[size] : more_powers[size - rest - 22];
    ten *= powers_of_ten[rest];
    const long double x = power < 0 ? (long double)mantissa / ten : (long double)mantissa * ten;
    const long double low = x - 0x1p-61L * x, high = x + 0x1p-61L * x;
    *value = (double)low;
    return low < x && x < high && (double)high == *value;
#else
    (void)mantissa, (void)power, (void)value;
    return false;
#endif
}

// strtod for what the short ways cannot round correctly.
static bool convert(const char *digits, const char *end, int exponent, double *value)
{
    char point[8], copy[400];
    size_t length = 0;
    lb_find_decimal_point(point);
    for (const char *at = digits; at < end; ++at) {
        if (length + sizeof point + 16 >= sizeof copy) {
            return false; // nobody writes so many digits
        }
        if (*at == '.') {
            memcpy(copy + length, point, strlen(point));
            length += strlen(point);
        } else {
            copy[length++] = *at;
        }
    }
    snprintf(copy + length, sizeof copy - length, "e%d", exponent);
    *value = strtod(copy, NULL);
    return *value - *value == 0.0;
}

size_t lb_scan_fe_number(const char *at, const char *end, double *value)
{
    const char *start = at;
    const bool is_negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    const char *digits = at;
    uint64_t mantissa = 0;
    int significant = 0, scale = 0, digit_count = 0;
    bool has_point = false;
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !has_point)); ++at) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        ++digit_count;
        if (significant < 19) {
            mantissa = 10 * mantissa + (uint64_t)(*at - '0');
        }
        significant += significant > 0 || *at != '0';
        scale -= has_point;
    }
    if (digit_count == 0) {
        return 0;
    }
    const char *digits_end = at;
    // e, d or a sign alone; without digits behind it, it is not part of the number
    int exponent = 0;
    const char *mark = at;
    mark += mark < end && *mark && strchr("eEdD", *mark) != NULL;
    const bool is_lowered = mark < end && *mark == '-';
    const bool has_sign = mark < end && (*mark == '-' || *mark == '+');
    if (has_sign || mark > at) {
        mark += has_sign;
        const char *first = mark;
        for (; mark < end && *mark >= '0' && *mark <= '9'; ++mark) {
            exponent = exponent > 9999 ? exponent : 10 * exponent + (*mark - '0');
        }
        if (mark > first) {
            at = mark;
            exponent = is_lowered ? -exponent : exponent;
        } else {
            exponent = 0;
        }
    }
    // both numbers are exact, so that one division or product rounds once
    const int power = exponent + scale;
    if (significant <= 19 && mantissa < ((uint64_t)1 << 53) && power >= -22 && power <= 22) {
        *value = power < 0 ? (double)mantissa / powers_of_ten[-power]
                           : (double)mantissa * powers_of_ten[power];
    } else if (!(significant <= 19 && convert_wide(mantissa, power, value)) &&
               !convert(digits, digits_end, exponent, value)) {
        return 0;
    }
    *value = is_negative ? -*value : *value;
    return (size_t)(at - start);
}

bool lb_get_number(lb_span span, double *value)
{
    const size_t used = lb_scan_fe_number(span.at, span.at + span.length, value);
    return used > 0 && used == span.length;
}

bool lb_get_integer(lb_span span, long *value)
{
    size_t i = span.length > 0 && (span.at[0] == '-' || span.at[0] == '+');
    const bool is_negative = i > 0 && span.at[0] == '-';
    long sum = 0;
    if (i == span.length) {
        return false;
    }
    for (; i < span.length; ++i) {
        const int digit = span.at[i] - '0';
        if (digit < 0 || digit > 9 || sum > (LONG_MAX - digit) / 10) {
            return false;
        }
        sum = 10 * sum + digit;
    }
    *value = is_negative ? -sum : sum;
    return true;
}
