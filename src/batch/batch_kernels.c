// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "batch_kernels.h"

const lb_batch_kernels lb_batch_kernels_table = {
    .forward_dynamics = lb_run_forward_dynamics_batch,
    .inverse_dynamics = lb_run_inverse_dynamics_batch,
    .mass_matrix = lb_run_mass_matrix_batch,
};
