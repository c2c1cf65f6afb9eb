// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The two files of C around the functions: heads, declarations, self-test.
#ifndef LB_FILE_C_H
#define LB_FILE_C_H

#include "function.h"
#include "page.h"

/// Writes both files.
///
/// @return false if there is no memory
bool lb_write_files(const lb_model *model, const lb_freeze_options *options,
                    const lb_sample *sample, int count, const lb_frozen_function *functions,
                    lb_page *source, lb_page *header);

#endif // LB_FILE_C_H
