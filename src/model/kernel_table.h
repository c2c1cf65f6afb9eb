// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The hot path as a table, one for each instruction set (src/dynamics/kernels); a model takes one when it is
// built. The functions are described where they are declared: lb_run_forward_dynamics and so on.
#ifndef LB_KERNEL_TABLE_H
#define LB_KERNEL_TABLE_H

#include "layout.h"

struct lb_derivative_work;
struct lb_product;
struct lb_division;
struct lb_batch_work;

struct lb_kernels {
    lb_instruction_set instruction_set;
    const char *name; ///< of the set, in LIMBER_INSTRUCTIONS
    const struct lb_batch_kernels *batch;
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
    void (*sweep_derivatives)(const lb_model *model, lb_work *work, struct lb_derivative_work *s);
    lb_status (*solve_derivatives)(const lb_model *model, lb_work *work,
                                   struct lb_derivative_work *s, const unsigned char *driven,
                                   double *da_dq, double *da_dv, double *da_dtau);
    void (*solve_derivative_columns)(const lb_model *model, const lb_work *work,
                                     struct lb_derivative_work *s, const unsigned char *driven,
                                     double *da_dq, double *da_dv, double *da_dtau);
    void (*add_product)(const struct lb_product *product, int *list);
    void (*division_piece)(const lb_model *model, lb_work *work, struct lb_division *division,
                           int stage, int piece, int piece_count);
    /// lb_deferred.run of workspaces; NULL where no sweep is deferred.
    void (*catch_up)(lb_deferred *deferred);
};

/// The hot path of batches.
struct lb_batch_kernels {
    int lane_count; ///< states that go side by side
    size_t (*work_size)(const lb_model *model);
    lb_status (*init_work)(const lb_model *model, void *memory, struct lb_batch_work **out);
    lb_status (*forward_dynamics)(const lb_model *model, struct lb_batch_work *work, int count,
                                  const double *q, const double *v, const double *tau, double *a);
    lb_status (*inverse_dynamics)(const lb_model *model, struct lb_batch_work *work, int count,
                                  const double *q, const double *v, const double *a, double *tau);
    lb_status (*mass_matrix)(const lb_model *model, struct lb_batch_work *work, int count,
                             const double *q, double *M);
};

#endif // LB_KERNEL_TABLE_H
