// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path, one copy for each instruction set. A model chooses when it is built.
#ifndef LB_KERNELS_H
#define LB_KERNELS_H

#include "limber/derivatives.h"
#include "limber/dynamics.h"
#include "model/layout.h"

lb_status lb_run_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *tau, double *a);
lb_status lb_run_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, const unsigned char *driven, double *tau,
                                 double *a);
lb_status lb_run_forward_dynamics_composite(const lb_model *model, lb_work *work, const double *q,
                                            const double *v, const double *tau, double *M,
                                            double *a);
lb_status lb_run_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *a, double *tau);
lb_status lb_run_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                      double *c);
/// The mass matrix where no body is flexible; lb_run_mass_matrix calls it.
void lb_run_mass_matrix_rigid(const lb_model *model, lb_work *work, const double *q, double *M);
lb_status lb_run_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M);
lb_status lb_run_articulated_inertia(const lb_model *model, lb_work *work, const double *q);
lb_status lb_run_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                     double *M_inverse);
lb_status lb_run_kinematics(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const double *a);
lb_status lb_run_mass_matrix_solve(const lb_model *model, lb_work *work, const double *b,
                                   double *x);

/// Articulated inertias with the hinges of lb_work.held standing still.
lb_status lb_run_held_inertia(const lb_model *model, lb_work *work, const double *q);

/// x = M^-1 (b + J* load) with these hinges standing still, or moving as given; motion of the frames
/// is left in lb_work.y, of modes in nu_f. Needs LB_HAS_RESPONSE.
///
/// @param load   by sweep index, -1 included: forces about each frame; NULL for none
/// @param b      NULL for zero
/// @param given  x at held hinges; NULL for zero
/// @param drive  out: what held hinges need, zero elsewhere; may be NULL
void lb_run_response(const lb_model *model, lb_work *work, const lb_vec6 *load, const double *b,
                     const double *given, double *x, double *drive);

/// The parts of the derivatives: see derivatives.h.
void lb_sweep_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s);
lb_status lb_solve_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const unsigned char *driven, double *da_dq, double *da_dv,
                               double *da_dtau);
void lb_solve_derivative_columns(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                                 const unsigned char *driven, double *da_dq, double *da_dv,
                                 double *da_dtau);

/// C += A B. Rows of A are there up to the next multiple of four, and those of B can be read eight
/// entries beyond their end.
typedef struct lb_product {
    int rows, inner, columns;
    const double *A;
    ptrdiff_t a_stride;
    const double *B;
    ptrdiff_t b_stride;
    double *C;
    ptrdiff_t c_stride;
} lb_product;

/// @param list  scratch, `inner` entries
void lb_add_product(const lb_product *product, int *list);

/// One piece of one stage of divide and conquer (src/divide).
typedef struct lb_division lb_division;
void lb_run_division_piece(const lb_model *model, lb_work *work, lb_division *division, int stage,
                           int piece, int piece_count);

/// What the public functions of the same names call.
struct lb_kernels {
    lb_status (*forward_dynamics)(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *tau, double *a);
    lb_status (*hybrid_dynamics)(const lb_model *model, lb_work *work, const double *q,
                                 const double *v, const unsigned char *driven, double *tau,
                                 double *a);
    lb_status (*forward_dynamics_composite)(const lb_model *model, lb_work *work, const double *q,
                                            const double *v, const double *tau, double *M,
                                            double *a);
    lb_status (*inverse_dynamics)(const lb_model *model, lb_work *work, const double *q,
                                  const double *v, const double *a, double *tau);
    lb_status (*bias)(const lb_model *model, lb_work *work, const double *q, const double *v,
                      double *c);
    lb_status (*mass_matrix)(const lb_model *model, lb_work *work, const double *q, double *M);
    lb_status (*articulated_inertia)(const lb_model *model, lb_work *work, const double *q);
    lb_status (*mass_matrix_inverse)(const lb_model *model, lb_work *work, const double *q,
                                     double *M_inverse);
    lb_status (*kinematics)(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const double *a);
    lb_status (*held_inertia)(const lb_model *model, lb_work *work, const double *q);
    void (*response)(const lb_model *model, lb_work *work, const lb_vec6 *load, const double *b,
                     const double *given, double *x, double *drive);
    lb_status (*mass_matrix_solve)(const lb_model *model, lb_work *work, const double *b,
                                   double *x);
    void (*sweep_derivatives)(const lb_model *model, lb_work *work, lb_derivative_work *s);
    lb_status (*solve_derivatives)(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                   const unsigned char *driven, double *da_dq, double *da_dv,
                                   double *da_dtau);
    void (*solve_derivative_columns)(const lb_model *model, const lb_work *work,
                                     lb_derivative_work *s, const unsigned char *driven,
                                     double *da_dq, double *da_dv, double *da_dtau);
    void (*add_product)(const lb_product *product, int *list);
    void (*division_piece)(const lb_model *model, lb_work *work, lb_division *division, int stage,
                           int piece, int piece_count);
};

extern const lb_kernels lb_kernels_table;

#endif // LB_KERNELS_H
