// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequences of calls: two computations at different states with one workspace, then a reading.
#ifndef LB_CALL_ORDERS_H
#define LB_CALL_ORDERS_H

#include <limber/model.h>

/// What is read after two computations is what a fresh workspace gives after the second, or it is refused.
void lb_try_call_orders(const lb_model *model);

/// Every sequence has the same status with both models, and the same numbers, relative to the largest.
void lb_compare_call_orders(const lb_model *model, const lb_model *other, double tolerance);

#endif // LB_CALL_ORDERS_H
