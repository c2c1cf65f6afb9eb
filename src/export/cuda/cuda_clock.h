// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What work costs on a device, for measurements.
#ifndef LB_CUDA_CLOCK_H
#define LB_CUDA_CLOCK_H

#include "limber/cuda.h"

/// Starts the clock of the device, behind the work that was started before.
///
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_start_cuda_clock(lb_cuda *cuda);

/// Waits for the work that was started since lb_start_cuda_clock and says how long the device took for it.
///
/// @param seconds  out
/// @return LB_OK or LB_E_UNSUPPORTED
lb_status lb_stop_cuda_clock(lb_cuda *cuda, double *seconds);

/// What a thread of a kernel takes of the device.
///
/// @param function        forward, inverse, mass, derivatives, rates, outputs, close, simulate_rk4, simulate_euler,
///                        simulate_alpha, jacobian_BODY_NODE, motion_BODY_NODE
/// @param register_count  out: registers
/// @param local_bytes     out: bytes of memory for what registers do not hold
/// @return LB_OK, or LB_E_ARGUMENT if the batch has no such function
lb_status lb_get_cuda_kernel_cost(const lb_cuda_batch *batch, const char *function,
                                  int *register_count, int *local_bytes);

#endif // LB_CUDA_CLOCK_H
