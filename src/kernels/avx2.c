// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path for AVX2 and FMA.
#define LB_KERNEL_COPY
#include "hot.inc"
#include "kernels.h"

const lb_kernels lb_avx2_kernels = {
    .instruction_set = LB_INSTRUCTIONS_AVX2,
#include "table.inc"
};
