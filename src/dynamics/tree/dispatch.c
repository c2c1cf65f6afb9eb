// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The dynamics of the tree: each function looks at the numbers that it is given and calls the copy of the model's
// instruction set. Then the public functions that know nothing but the tree.
#include "dynamics/loops/closed_chain.h"
#include "model/kernel_table.h"
#include "model/numbers.h"
#include "tree.h"

// ---- the tree alone ----------------------------------------------------------------------------

lb_status lb_tree_forward(const lb_model *model, lb_work *work, const double *q, const double *v,
                          const double *tau, double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "tau", tau);
    return status < 0 ? status : model->kernels->forward_dynamics(model, work, q, v, tau, a);
}

lb_status lb_tree_hybrid(const lb_model *model, lb_work *work, const double *q, const double *v,
                         const unsigned char *driven, double *tau, double *a)
{
    const lb_status status = lb_check_driven_state(model, work, q, v, driven, tau, a);
    return status < 0 ? status : model->kernels->hybrid_dynamics(model, work, q, v, driven, tau, a);
}

lb_status lb_tree_composite(const lb_model *model, lb_work *work, const double *q, const double *v,
                            const double *tau, double *M, double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "tau", tau);
    return status < 0 ? status
                      : model->kernels->forward_dynamics_composite(model, work, q, v, tau, M, a);
}

lb_status lb_tree_inverse(const lb_model *model, lb_work *work, const double *q, const double *v,
                          const double *a, double *tau)
{
    const lb_status status = lb_check_state(model, work, q, v, "a", a);
    return status < 0 ? status : model->kernels->inverse_dynamics(model, work, q, v, a, tau);
}

lb_status lb_tree_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                       double *c)
{
    const lb_status status = lb_check_state(model, work, q, v, NULL, NULL);
    return status < 0 ? status : model->kernels->bias(model, work, q, v, c);
}

lb_status lb_tree_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->mass_matrix(model, work, q, M);
}

lb_status lb_tree_inertia(const lb_model *model, lb_work *work, const double *q)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->articulated_inertia(model, work, q);
}

lb_status lb_tree_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                      double *M_inverse)
{
    const lb_status status = lb_check_state(model, work, q, NULL, NULL, NULL);
    return status < 0 ? status : model->kernels->mass_matrix_inverse(model, work, q, M_inverse);
}

lb_status lb_tree_solve(const lb_model *model, lb_work *work, const double *b, double *x)
{
    const lb_status status = lb_check_numbers(work, "b", model->v_count, b);
    return status < 0 ? status : model->kernels->mass_matrix_solve(model, work, b, x);
}

lb_status lb_compute_kinematics(const lb_model *model, lb_work *work, const double *q,
                                const double *v, const double *a)
{
    const lb_status status = lb_check_state(model, work, q, v, "a", a);
    return status < 0 ? status : model->kernels->kinematics(model, work, q, v, a);
}

// ---- public functions of the tree: refused while loops, locks or drives act ----------------------

lb_status lb_compute_inverse_dynamics(const lb_model *model, lb_work *work, const double *q,
                                      const double *v, const double *a, double *tau)
{
    return lb_is_tree(model, work) ? lb_tree_inverse(model, work, q, v, a, tau) : LB_E_LOOPS;
}

lb_status lb_compute_bias(const lb_model *model, lb_work *work, const double *q, const double *v,
                          double *c)
{
    return lb_is_tree(model, work) ? lb_tree_bias(model, work, q, v, c) : LB_E_LOOPS;
}

lb_status lb_compute_mass_matrix(const lb_model *model, lb_work *work, const double *q, double *M)
{
    return lb_is_tree(model, work) ? lb_tree_mass_matrix(model, work, q, M) : LB_E_LOOPS;
}

lb_status lb_compute_articulated_inertia(const lb_model *model, lb_work *work, const double *q)
{
    return lb_is_tree(model, work) ? lb_tree_inertia(model, work, q) : LB_E_LOOPS;
}

lb_status lb_compute_mass_matrix_inverse(const lb_model *model, lb_work *work, const double *q,
                                         double *M_inverse)
{
    return lb_is_tree(model, work) ? lb_tree_mass_matrix_inverse(model, work, q, M_inverse)
                                   : LB_E_LOOPS;
}

lb_status lb_solve_mass_matrix(const lb_model *model, lb_work *work, const double *b, double *x)
{
    return lb_is_tree(model, work) ? lb_tree_solve(model, work, b, x) : LB_E_LOOPS;
}

lb_status lb_compute_admittance(const lb_model *model, lb_work *work, int body, int node,
                                lb_axes axes, double admittance[36])
{
    return lb_is_tree(model, work) ? lb_tree_admittance(model, work, body, node, axes, admittance)
                                   : LB_E_LOOPS;
}
