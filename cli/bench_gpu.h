// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber bench --gpu: batches on a graphics processor.
#ifndef LB_CLI_BENCH_GPU_H
#define LB_CLI_BENCH_GPU_H

#include <limber/model.h>

#include "json_out.h"

enum { LB_CLI_GPU_FUNCTIONS = 3 };

/// Times of batches, in states per second.
typedef struct lb_cli_gpu_times {
    char device[128];
    int count; ///< states in a batch
    const char *names[LB_CLI_GPU_FUNCTIONS];
    double rates[LB_CLI_GPU_FUNCTIONS]; ///< medians, with the data on the device
    double fastest[LB_CLI_GPU_FUNCTIONS];
    double copied[LB_CLI_GPU_FUNCTIONS]; ///< with the copies there and back
    int registers[LB_CLI_GPU_FUNCTIONS];
} lb_cli_gpu_times;

/// Times forward and inverse dynamics and the mass matrix of `count` states, which lie one after the other.
///
/// @return false, after saying why, where there is no device
bool lb_cli_bench_gpu(const lb_model *model, int count, int rounds, const double *q,
                      const double *v, const double *tau, lb_cli_gpu_times *times);

/// Prints them, or writes them as an entry of an object.
void lb_cli_print_gpu_times(const lb_cli_gpu_times *g);
void lb_cli_write_gpu_times(lb_cli_json *json, const lb_cli_gpu_times *g);

#endif // LB_CLI_BENCH_GPU_H
