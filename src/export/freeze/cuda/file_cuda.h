// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions as one file of CUDA: a thread per state.
#ifndef LB_FILE_CUDA_H
#define LB_FILE_CUDA_H

#include "export/freeze/function.h"
#include "export/freeze/page.h"

/// Writes the file.
///
/// @return false if there is no memory
bool lb_write_cuda_file(const lb_model *model, const lb_freeze_options *options,
                        const lb_sample *sample, int count, const lb_frozen_function *functions,
                        lb_page *source);

#endif // LB_FILE_CUDA_H
