// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of the hot path, which call the copy of the model's instruction set.
#include "limber/dynamics.h"
#include "model/kernel_table.h"

lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *a)
{
    return model->kernels->forward_dynamics(model, work, q, v, tau, a);
}

lb_status lb_compute_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                     const double *v, const unsigned char *driven, double *tau,
                                     double *a)
{
    return model->kernels->hybrid_dynamics(model, work, q, v, driven, tau, a);
}

lb_status lb_compute_forward_dynamics_composite(const lb_model *model, lb_work *work,
                                                const double *q, const double *v, const double *tau,
                                                double *M, double *a)
{
    return model->kernels->forward_dynamics_composite(model, work, q, v, tau, M, a);
}

lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *a, double *tau)
{
    return model->kernels->inverse_dynamics(model, work, q, v, a, tau);
}

lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                          double *c)
{
    return model->kernels->bias(model, work, q, v, c);
}

lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    return model->kernels->mass_matrix(model, work, q, M);
}

lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work, const double *q)
{
    return model->kernels->articulated_inertia(model, work, q);
}

lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                         double *M_inverse)
{
    return model->kernels->mass_matrix_inverse(model, work, q, M_inverse);
}

lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const double *a)
{
    return model->kernels->kinematics(model, work, q, v, a);
}

lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b, double *x)
{
    return model->kernels->mass_matrix_solve(model, work, b, x);
}
