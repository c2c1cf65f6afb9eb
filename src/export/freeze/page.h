// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A text that grows. Numbers have a plain decimal point whatever the locale is.
#ifndef LB_PAGE_H
#define LB_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "limber/base.h"

typedef struct lb_page {
    char *text; ///< ends in a zero; NULL for an empty page
    size_t length, capacity;
    bool out_of_memory;
} lb_page;

/// Adds to a page. The format has no numbers with a decimal point: lb_write_number writes those.
void lb_write(lb_page *page, const char *format, ...) LB_PRINTF(2, 3);

/// A name of the model inside a comment: characters that could end the comment become '?'.
void lb_write_name(lb_page *page, const char *name);

/// A constant of C with as few digits as give the same bits, as a double or a float.
void lb_write_number(lb_page *page, double x, bool is_float);

#endif // LB_PAGE_H
