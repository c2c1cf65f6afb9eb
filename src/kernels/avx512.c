// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path for AVX-512 (F, DQ, VL) and FMA. Eight states of a batch go side by side.
#define LB_KERNEL_COPY
#define LB_STATES 8
#include "hot.inc"
#include "kernels.h"

const lb_kernels lb_avx512_kernels = {
    .instruction_set = LB_INSTRUCTIONS_AVX512,
#include "table.inc"
};
