// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Instruction sets. The files of the hot path are compiled once for each (see kernels.h); every
// function in them that other files call gets a suffix, so that the copies live side by side. Files
// compiled only once use the portable copies.
#ifndef LB_ISA_H
#define LB_ISA_H

#ifndef LB_ISA
#define LB_ISA portable
#endif
#define LB_ISA_JOIN(name, isa) name##_##isa
#define LB_ISA_PASTE(name, isa) LB_ISA_JOIN(name, isa)
#define LB_ISA_NAME(name) LB_ISA_PASTE(name, LB_ISA)

#define lb_add_second_order LB_ISA_NAME(lb_add_second_order)
#define lb_add_joint_inertia LB_ISA_NAME(lb_add_joint_inertia)
#define lb_add_product LB_ISA_NAME(lb_add_product)
#define lb_apply_mode_update LB_ISA_NAME(lb_apply_mode_update)
#define lb_assemble LB_ISA_NAME(lb_assemble)
#define lb_batch_kernels_table LB_ISA_NAME(lb_batch_kernels_table)
#define lb_build_appendix_c LB_ISA_NAME(lb_build_appendix_c)
#define lb_carry_joint_motion LB_ISA_NAME(lb_carry_joint_motion)
#define lb_check_handles LB_ISA_NAME(lb_check_handles)
#define lb_complete_gains LB_ISA_NAME(lb_complete_gains)
#define lb_compute_angle_range LB_ISA_NAME(lb_compute_angle_range)
#define lb_compute_angles LB_ISA_NAME(lb_compute_angles)
#define lb_compute_appendix_c_bias LB_ISA_NAME(lb_compute_appendix_c_bias)
#define lb_compute_eigenvalues LB_ISA_NAME(lb_compute_eigenvalues)
#define lb_compute_eigenvectors LB_ISA_NAME(lb_compute_eigenvectors)
#define lb_compute_flex_inertia LB_ISA_NAME(lb_compute_flex_inertia)
#define lb_deform_points LB_ISA_NAME(lb_deform_points)
#define lb_disassemble LB_ISA_NAME(lb_disassemble)
#define lb_eliminate LB_ISA_NAME(lb_eliminate)
#define lb_eliminate_hinge LB_ISA_NAME(lb_eliminate_hinge)
#define lb_eliminate_modes LB_ISA_NAME(lb_eliminate_modes)
#define lb_factor_ldl LB_ISA_NAME(lb_factor_ldl)
#define lb_finish_modes LB_ISA_NAME(lb_finish_modes)
#define lb_get_node_columns LB_ISA_NAME(lb_get_node_columns)
#define lb_get_node_curvature LB_ISA_NAME(lb_get_node_curvature)
#define lb_get_node_rates LB_ISA_NAME(lb_get_node_rates)
#define lb_get_point_derivative_scratch LB_ISA_NAME(lb_get_point_derivative_scratch)
#define lb_get_point_scratch LB_ISA_NAME(lb_get_point_scratch)
#define lb_get_velocity LB_ISA_NAME(lb_get_velocity)
#define lb_give_joint_inertia LB_ISA_NAME(lb_give_joint_inertia)
#define lb_give_modes_force LB_ISA_NAME(lb_give_modes_force)
#define lb_holds_by_itself LB_ISA_NAME(lb_holds_by_itself)
#define lb_join LB_ISA_NAME(lb_join)
#define lb_kernels_table LB_ISA_NAME(lb_kernels_table)
#define lb_pass_modes LB_ISA_NAME(lb_pass_modes)
#define lb_place_flex_node LB_ISA_NAME(lb_place_flex_node)
#define lb_run_articulated_inertia LB_ISA_NAME(lb_run_articulated_inertia)
#define lb_run_bias LB_ISA_NAME(lb_run_bias)
#define lb_run_division_piece LB_ISA_NAME(lb_run_division_piece)
#define lb_run_forward_dynamics LB_ISA_NAME(lb_run_forward_dynamics)
#define lb_run_forward_dynamics_batch LB_ISA_NAME(lb_run_forward_dynamics_batch)
#define lb_run_forward_dynamics_composite LB_ISA_NAME(lb_run_forward_dynamics_composite)
#define lb_run_held_inertia LB_ISA_NAME(lb_run_held_inertia)
#define lb_run_hybrid_dynamics LB_ISA_NAME(lb_run_hybrid_dynamics)
#define lb_run_inverse_dynamics LB_ISA_NAME(lb_run_inverse_dynamics)
#define lb_run_inverse_dynamics_batch LB_ISA_NAME(lb_run_inverse_dynamics_batch)
#define lb_run_kinematics LB_ISA_NAME(lb_run_kinematics)
#define lb_run_mass_matrix LB_ISA_NAME(lb_run_mass_matrix)
#define lb_run_mass_matrix_batch LB_ISA_NAME(lb_run_mass_matrix_batch)
#define lb_run_mass_matrix_inverse LB_ISA_NAME(lb_run_mass_matrix_inverse)
#define lb_run_mass_matrix_rigid LB_ISA_NAME(lb_run_mass_matrix_rigid)
#define lb_run_mass_matrix_solve LB_ISA_NAME(lb_run_mass_matrix_solve)
#define lb_run_response LB_ISA_NAME(lb_run_response)
#define lb_solve_derivatives LB_ISA_NAME(lb_solve_derivatives)
#define lb_solve_ldl LB_ISA_NAME(lb_solve_ldl)
#define lb_solve_lower LB_ISA_NAME(lb_solve_lower)
#define lb_solve_upper LB_ISA_NAME(lb_solve_upper)
#define lb_start_mode_derivatives LB_ISA_NAME(lb_start_mode_derivatives)
#define lb_split LB_ISA_NAME(lb_split)
#define lb_start_ruthless LB_ISA_NAME(lb_start_ruthless)
#define lb_step_joint_position LB_ISA_NAME(lb_step_joint_position)
#define lb_step_joint_velocity LB_ISA_NAME(lb_step_joint_velocity)
#define lb_sweep_derivatives LB_ISA_NAME(lb_sweep_derivatives)
#define lb_sweep_forces LB_ISA_NAME(lb_sweep_forces)
#define lb_take_out_modes LB_ISA_NAME(lb_take_out_modes)
#define lb_write_block LB_ISA_NAME(lb_write_block)

#endif // LB_ISA_H
