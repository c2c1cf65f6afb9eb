// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_EIGHT_LANES_H
#define LB_EIGHT_LANES_H

#include "kernels/kernels.h"

/// The portable hot path with eight states of a batch side by side, as AVX-512 has them: the same code
/// on any machine.
extern const lb_kernels lb_eight_lanes;

#endif // LB_EIGHT_LANES_H
