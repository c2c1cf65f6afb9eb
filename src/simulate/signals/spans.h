// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of expressions of time over a whole interval: what cannot be between two times is known for certain.
#ifndef LB_SPANS_H
#define LB_SPANS_H

#include "expression.h"

/// All values of a quantity over an interval of time, and all its rates. Where it may jump, or nothing is known, the
/// rates reach from -infinity to infinity.
typedef struct lb_span {
    double low, high;
    double rate_low, rate_high;
} lb_span;

/// Spans of the operands of a switch between two times.                                            (JMP-1)
void lb_span_operands(const lb_expression *expression, const lb_switch *s, double begin, double end,
                      lb_span x[3]);

/// Span of a part of an expression, or of the whole.
lb_span lb_span_part(const lb_expression *expression, int first, int last, double begin,
                     double end);

/// Spans of x - y and x / y.
lb_span lb_subtract_spans(lb_span x, lb_span y);
lb_span lb_divide_spans(lb_span x, lb_span y);

#endif // LB_SPANS_H
