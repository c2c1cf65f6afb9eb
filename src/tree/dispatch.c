// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of the hot path, and the choice of the copy that they call.
#include "kernels.h"

#ifdef LB_HAVE_AVX2
extern const lb_kernels lb_kernels_table_avx2;
#endif

const lb_kernels *lb_choose_kernels(lb_instruction_set set)
{
#ifdef LB_HAVE_AVX2
    const int able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (set != LB_INSTRUCTIONS_PORTABLE && able) {
        return &lb_kernels_table_avx2;
    }
#endif
    return set == LB_INSTRUCTIONS_AVX2 ? NULL : &lb_kernels_table;
}

lb_instruction_set lb_get_instruction_set(const lb_model *model)
{
    return model->kernels == &lb_kernels_table ? LB_INSTRUCTIONS_PORTABLE : LB_INSTRUCTIONS_AVX2;
}

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
