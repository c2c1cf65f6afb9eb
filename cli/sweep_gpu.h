// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber sweep --gpu.
#ifndef LB_CLI_SWEEP_GPU_H
#define LB_CLI_SWEEP_GPU_H

#include "sweep.h"

/// Whether there is a graphics processor, and the plan can use it; says why not.
bool lb_cli_check_sweep_gpu(const lb_cli_sweep *s);

/// Computes samples side by side on a graphics processor.
///
/// @param count    of samples
/// @param indices  which
/// @param done     is given every sample
/// @return false after saying what is wrong, or if it was asked to stop
bool lb_cli_run_sweep_gpu(const lb_cli_sweep *s, int64_t count, const int64_t *indices,
                          lb_sample_done *done, void *user);

#endif // LB_CLI_SWEEP_GPU_H
