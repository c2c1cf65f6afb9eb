// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path as the compiler's default target has it: the functions that everybody links.
#include "dynamics/batch/batch_work.h"
#include "dynamics/derivatives/derivatives.h"
#include "dynamics/divide/division.h"
#include "dynamics/tree/sweeps.h"
#include "kernels.h"

const lb_batch_kernels lb_portable_batch = {
#include "batch_table.inc"
};

const lb_kernels lb_portable_kernels = {
    .instruction_set = LB_INSTRUCTIONS_PORTABLE,
    .name = "portable",
    .batch = &lb_portable_batch,
#include "table.inc"
};
