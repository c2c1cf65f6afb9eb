// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define LB_KERNEL_COPY
#define LB_STATES 8
#include "kernels/hot.inc"

#include "eight_lanes.h"

const lb_kernels lb_eight_lanes = {
    .instruction_set = LB_INSTRUCTIONS_PORTABLE,
#include "kernels/table.inc"
};
