// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays in the signatures of functions.
#ifndef LB_WRITE_ARRAYS_H
#define LB_WRITE_ARRAYS_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"

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

#endif // LB_WRITE_ARRAYS_H
