// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of functions, and of the parts that long ones are cut into.
#ifndef LB_WRITE_ARGUMENTS_H
#define LB_WRITE_ARGUMENTS_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"
#include "export/freeze/write_c.h"

/// Whether an array is a matrix.
static inline bool lb_is_matrix(int array)
{
    return array >= LB_ARRAY_M && array <= LB_ARRAY_DTAU;
}

/// The end of the macro that has the size of an array that is no matrix.
const char *lb_get_size_name(int array);

/// Writes the name of an array with its size: q[ARM_Q]. Time is a number, t.
///
/// @param capitals  the prefix of macros
/// @param times     in front of the size, such as "8 * "; "" for nothing
void lb_write_array_type(lb_page *page, const lb_model *model, const lb_sample *sample,
                         const char *capitals, int array, const char *times);

/// The arguments of a part, or what a call gives it.
void lb_write_part_arguments(lb_page *page, const lb_freeze_options *options,
                             const lb_frozen_function *function, bool is_call);

/// What a part may not need.
void lb_write_unused(lb_page *page, const lb_freeze_options *options,
                     const lb_frozen_function *function);

/// Adds the cost of a part to that of the function.
void lb_add_part_cost(lb_c_cost *sum, const lb_c_cost *cost);

#endif // LB_WRITE_ARGUMENTS_H
