// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path for AVX2 and FMA. A processor with AVX-512 uses it too, except for batches: single states
// do not gain from wider registers.
#define LB_KERNEL_COPY
#include "batch.inc"
#include "hot.inc"
#include "kernels.h"

const lb_batch_kernels lb_avx2_batch = {
#include "batch_table.inc"
};

const lb_kernels lb_avx2_kernels = {
    .instruction_set = LB_INSTRUCTIONS_AVX2,
    .name = "avx2",
    .batch = &lb_avx2_batch,
#include "table.inc"
};

#ifdef LB_HAVE_AVX512
const lb_kernels lb_avx512_kernels = {
    .instruction_set = LB_INSTRUCTIONS_AVX512,
    .name = "avx512",
    .batch = &lb_avx512_batch,
#include "table.inc"
};
#endif
