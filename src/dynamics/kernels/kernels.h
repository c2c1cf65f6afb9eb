// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of the hot path, one for each instruction set, and the choice among them.
#ifndef LB_KERNELS_H
#define LB_KERNELS_H

#include "model/kernel_table.h"

extern const lb_kernels lb_portable_kernels, lb_avx2_kernels, lb_avx512_kernels;
extern const lb_batch_kernels lb_portable_batch, lb_avx2_batch, lb_avx512_batch;

/// What the environment variable LIMBER_INSTRUCTIONS says; NULL if nothing.
const char *lb_get_instructions_wish(void);

/// The copy of the hot path for an instruction set; NULL where machine or build does not support it.
/// LB_INSTRUCTIONS_BEST follows LIMBER_INSTRUCTIONS: NULL where that names none of the sets here.
const lb_kernels *lb_choose_kernels(lb_instruction_set set);

#endif // LB_KERNELS_H
