// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a long function: functions of their own, which hand on their numbers in an array.
#ifndef LB_WRITE_PARTS_H
#define LB_WRITE_PARTS_H

#include "export/freeze/function.h"
#include "export/freeze/write_c.h"

/// The arguments of a part, or what a call gives it.
void lb_write_part_arguments(lb_page *page, const lb_freeze_options *options,
                             const lb_frozen_function *function, bool is_call);

/// What a part may not need.
void lb_write_unused(lb_page *page, const lb_freeze_options *options,
                     const lb_frozen_function *function);

/// Adds the cost of a part to that of the function.
void lb_add_part_cost(lb_c_cost *sum, const lb_c_cost *cost);

#endif // LB_WRITE_PARTS_H
