// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

const lb_kernels lb_kernels_table = {
    .forward_dynamics = lb_run_forward_dynamics,
    .hybrid_dynamics = lb_run_hybrid_dynamics,
    .forward_dynamics_composite = lb_run_forward_dynamics_composite,
    .inverse_dynamics = lb_run_inverse_dynamics,
    .bias = lb_run_bias,
    .mass_matrix = lb_run_mass_matrix,
    .articulated_inertia = lb_run_articulated_inertia,
    .mass_matrix_inverse = lb_run_mass_matrix_inverse,
    .kinematics = lb_run_kinematics,
    .held_inertia = lb_run_held_inertia,
    .response = lb_run_response,
    .mass_matrix_solve = lb_run_mass_matrix_solve,
    .sweep_derivatives = lb_sweep_derivatives,
    .solve_derivatives = lb_solve_derivatives,
    .solve_derivative_columns = lb_solve_derivative_columns,
    .add_product = lb_add_product,
    .division_piece = lb_run_division_piece,
};
