// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The code of batches, one copy for each instruction set, as in kernels.h. A table of its
// own: who uses no batches does not link them.
#ifndef LB_BATCH_KERNELS_H
#define LB_BATCH_KERNELS_H

#include "limber/batch.h"
#include "model/layout.h"

lb_status lb_run_forward_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                        const double *q, const double *v, const double *tau,
                                        double *a);
lb_status lb_run_inverse_dynamics_batch(const lb_model *model, lb_batch_work *work, int count,
                                        const double *q, const double *v, const double *a,
                                        double *tau);
lb_status lb_run_mass_matrix_batch(const lb_model *model, lb_batch_work *work, int count,
                                   const double *q, double *M);

/// What the public functions of the same names call.
typedef struct lb_batch_kernels {
    lb_status (*forward_dynamics)(const lb_model *model, lb_batch_work *work, int count,
                                  const double *q, const double *v, const double *tau, double *a);
    lb_status (*inverse_dynamics)(const lb_model *model, lb_batch_work *work, int count,
                                  const double *q, const double *v, const double *a, double *tau);
    lb_status (*mass_matrix)(const lb_model *model, lb_batch_work *work, int count, const double *q,
                             double *M);
} lb_batch_kernels;

extern const lb_batch_kernels lb_batch_kernels_table;

#endif // LB_BATCH_KERNELS_H
