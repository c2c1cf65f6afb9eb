// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The sweeps behind the public functions of limber/dynamics.h, which call them by lb_kernels: the
// copy for the instruction set of the model.
#ifndef LB_SWEEPS_H
#define LB_SWEEPS_H

#include "base/hot.h"
#include "model/layout.h"

LB_HOT lb_status lb_run_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                         const double *v, const double *tau, double *a);
LB_HOT lb_status lb_run_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                        const double *v, const unsigned char *driven, double *tau,
                                        double *a);
LB_HOT lb_status lb_run_forward_dynamics_composite(const lb_model *model, lb_work *work,
                                                   const double *q, const double *v,
                                                   const double *tau, double *M, double *a);
LB_HOT lb_status lb_run_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                         const double *v, const double *a, double *tau);
LB_HOT lb_status lb_run_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                             double *c);
/// The mass matrix where no body is flexible; lb_run_mass_matrix calls it.
LB_HOT void lb_run_mass_matrix_rigid(const lb_model *model, lb_work *work, const double *q,
                                     double *M);
LB_HOT lb_status lb_run_mass_matrix(const lb_model *model, lb_work *work, const double *q,
                                    double *M);
LB_HOT lb_status lb_run_articulated_inertia(const lb_model *model, lb_work *work, const double *q);
LB_HOT lb_status lb_run_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                            double *M_inverse);
LB_HOT lb_status lb_run_kinematics(const lb_model *model, lb_work *work, const double *q,
                                   const double *v, const double *a);
LB_HOT lb_status lb_run_mass_matrix_solve(const lb_model *model, lb_work *work, const double *b,
                                          double *x);

/// Articulated inertias with the hinges of lb_work.held standing still.
LB_HOT lb_status lb_run_held_inertia(const lb_model *model, lb_work *work, const double *q);

/// x = M^-1 (b + J* load) with these hinges standing still, or moving as given; motion of the frames
/// is left in lb_work.y, of modes in nu_f. Needs LB_HAS_RESPONSE.
///
/// @param load   by sweep index, -1 included: forces about each frame; NULL for none
/// @param b      NULL for zero
/// @param given  x at held hinges; NULL for zero
/// @param drive  out: what held hinges need, zero elsewhere; may be NULL
LB_HOT void lb_run_response(const lb_model *model, lb_work *work, const lb_vec6 *load,
                            const double *b, const double *given, double *x, double *drive);

#endif // LB_SWEEPS_H
