// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "number.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define LB_PI 3.14159265358979323846

static size_t skip_digits(const char *text, size_t i)
{
    while (text[i] >= '0' && text[i] <= '9') {
        ++i;
    }
    return i;
}

size_t lb_measure_number(const char *text)
{
    size_t i = text[0] == '-';
    if (text[i] < '0' || text[i] > '9') {
        return 0;
    }
    i = text[i] == '0' ? i + 1 : skip_digits(text, i);
    if (text[i] == '.') {
        const size_t end = skip_digits(text, i + 1);
        if (end == i + 1) {
            return i;
        }
        i = end;
    }
    if (text[i] == 'e' || text[i] == 'E') {
        const size_t start = i + 1 + (text[i + 1] == '+' || text[i + 1] == '-');
        const size_t end = skip_digits(text, start);
        if (end > start) {
            i = end;
        }
    }
    return i;
}

bool lb_convert_digits(const char *decimal_point, const char *text, size_t length, double *number)
{
    // 800 digits decide the rounding of any double; nobody writes more
    char copy[1024];
    const size_t point_length = strlen(decimal_point);
    if (length + point_length >= sizeof copy) {
        return false;
    }
    const char *point = memchr(text, '.', length);
    const size_t before = point ? (size_t)(point - text) : length;
    memcpy(copy, text, before);
    size_t end = before;
    if (point) {
        memcpy(copy + end, decimal_point, point_length);
        end += point_length;
        memcpy(copy + end, point + 1, length - before - 1);
        end += length - before - 1;
    }
    copy[end] = '\0';
    *number = strtod(copy, NULL);
    return *number - *number == 0.0;
}

size_t lb_scan_number(const char *text, double *number)
{
    char point[8] = ".";
    const size_t length = lb_measure_number(text);
    if (memchr(text, '.', length)) {
        lb_find_decimal_point(point);
    }
    return length && lb_convert_digits(point, text, length, number) ? length : 0;
}

bool lb_scan_angle(const char *text, double *angle)
{
    double number = 0.0;
    const size_t used = lb_scan_number(text, &number);
    const char *unit = text + used + strspn(text + used, " ");
    const bool degrees = strcmp(unit, "deg") == 0;
    if (!used || (!degrees && strcmp(unit, "rad") != 0)) {
        return false;
    }
    *angle = degrees ? number * (LB_PI / 180.0) : number;
    return true;
}
