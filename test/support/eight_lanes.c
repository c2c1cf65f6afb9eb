// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define LB_KERNEL_COPY
#define LB_STATES 8
#include "dynamics/kernels/batch.inc"

#include "eight_lanes.h"

static const lb_batch_kernels batch = {
#include "dynamics/kernels/batch_table.inc"
};

const lb_kernels *lb_get_eight_lanes(void)
{
    static lb_kernels kernels;
    kernels = lb_portable_kernels;
    kernels.batch = &batch;
    return &kernels;
}
