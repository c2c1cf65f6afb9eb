// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_EIGHT_LANES_H
#define LB_EIGHT_LANES_H

#include "dynamics/kernels/kernels.h"

/// Batches with eight states side by side, as AVX-512 has them, compiled for any machine.
const lb_kernels *lb_get_eight_lanes(void);

#endif // LB_EIGHT_LANES_H
