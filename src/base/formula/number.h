// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers as JSON writes them, whatever the locale.
#ifndef LB_NUMBER_H
#define LB_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/// Bytes of the number at the beginning of a text; zero if there is none.
size_t lb_measure_number(const char *text);

/// Converts digits with sign, point and exponent. False if they are too long or too large for a double.
///
/// @param decimal_point  as strtod expects it in the present locale
bool lb_convert_digits(const char *decimal_point, const char *text, size_t length, double *number);

/// Both: bytes of the number at the beginning of a text; zero if there is none or it is too large.
size_t lb_scan_number(const char *text, double *number);

/// Whether a whole text is an angle with its unit, such as "45 deg" or "0.5 rad".
///
/// @param angle  out: rad
bool lb_scan_angle(const char *text, double *angle);

#endif // LB_NUMBER_H
