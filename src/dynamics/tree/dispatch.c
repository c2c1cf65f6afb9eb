// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of the hot path, which look at the numbers that they are given and call the copy of the
// model's instruction set.
#include "limber/dynamics.h"
#include "model/kernel_table.h"
#include "model/numbers.h"

lb_status lb_compute_forward_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *tau, double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "tau", tau);
    return status < 0 ? status : model->kernels->forward_dynamics(model, work, q, v, tau, a);
}

lb_status lb_compute_hybrid_dynamics(const lb_model *model, lb_work *work, const double *q,
                                     const double *v, const unsigned char *driven, double *tau,
                                     double *a)
{
    const lb_status status = lb_check_driven_state(model, work, q, v, driven, tau, a);
    return status < 0 ? status : model->kernels->hybrid_dynamics(model, work, q, v, driven, tau, a);
}

lb_status lb_compute_forward_dynamics_composite(const lb_model *model, lb_work *work,
                                                const double *q, const double *v, const double *tau,
                                                double *M, double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "tau", tau);
    return status < 0 ? status
                      : model->kernels->forward_dynamics_composite(model, work, q, v, tau, M, a);
}

lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *a, double *tau)
{
    const lb_status status = lb_check_state(model, work, q, v, "a", a);
    return status < 0 ? status : model->kernels->inverse_dynamics(model, work, q, v, a, tau);
}

lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                          double *c)
{
    const lb_status status = lb_check_state(model, work, q, v, NULL, NULL);
    return status < 0 ? status : model->kernels->bias(model, work, q, v, c);
}

lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->mass_matrix(model, work, q, M);
}

lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work, const double *q)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->articulated_inertia(model, work, q);
}

lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                         double *M_inverse)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->mass_matrix_inverse(model, work, q, M_inverse);
}

lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "a", a);
    return status < 0 ? status : model->kernels->kinematics(model, work, q, v, a);
}

lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b, double *x)
{
    const lb_status status = lb_check_numbers(work, "b", model->v_count, b);
    return status < 0 ? status : model->kernels->mass_matrix_solve(model, work, b, x);
}
