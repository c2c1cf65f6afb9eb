// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches for AVX-512 (F, DQ, VL) and FMA: eight states go side by side.
#define LB_KERNEL_COPY
#define LB_STATES 8
#include "batch.inc"
#include "kernels.h"

const lb_batch_kernels lb_avx512_batch = {
#include "batch_table.inc"
};
