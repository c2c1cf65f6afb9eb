// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of inverse, forward and hybrid dynamics: what the public functions do.
#include <string.h>

#include "base/sized.h"
#include "derivative_parts.h"
#include "derivatives.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "model/kernel_table.h"
#include "model/modal/flex.h"

static void keep_state(const lb_model *model, lb_derivative_work *s, const double *q,
                       const double *v, const double *a)
{
    const size_t n = (size_t)model->v_count * sizeof *v;
    memcpy(s->q, q, (size_t)model->q_count * sizeof *q);
    memcpy(s->v, v, n);
    if (a) {
        memcpy(s->a, a, n);
    } else {
        memset(s->a, 0, n);
    }
    s->has = 1;
}

void lb_differentiate_dynamics(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const double *q, const double *v, const double *a)
{
    keep_state(model, s, q, v, a);
    (void)lb_need_stage(work, LB_HAS_VELOCITY | LB_HAS_FORCES); // what the sweep reads
    model->kernels->sweep_derivatives(model, work, s);
    lb_mark_state(s, work);
}

lb_status lb_return_to_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    if (!s->has) {
        return LB_E_STAGE;
    }
    const lb_status status = lb_compute_kinematics(model, work, s->q, s->v, s->a);
    if (status >= LB_OK) {
        lb_mark_state(s, work);
    }
    return status;
}

lb_status lb_tree_inverse_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      const double *q, const double *v, const double *a,
                                      double *tau, double *dtau_dq, double *dtau_dv,
                                      double *dtau_da)
{
    double *own = tau ? tau : s->tau;
    const lb_status status = lb_tree_inverse(model, work, q, v, a, own);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    lb_differentiate_dynamics(model, work, s, q, v, a);
    lb_hand_out(model, s, s->M, dtau_da);
    lb_hand_out(model, s, s->dq, dtau_dq);
    lb_hand_out(model, s, s->dv, dtau_dv);
    return status;
}

lb_status lb_compute_inverse_derivatives(const lb_model *model, lb_work *work,
                                         lb_derivative_work *s, const double *q, const double *v,
                                         const double *a, double *tau, double *dtau_dq,
                                         double *dtau_dv, double *dtau_da)
{
    return lb_is_tree(model, work) ? lb_tree_inverse_derivatives(model, work, s, q, v, a, tau,
                                                                 dtau_dq, dtau_dv, dtau_da)
                                   : LB_E_LOOPS;
}

lb_status lb_tree_forward_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      const double *q, const double *v, const double *tau,
                                      double *a, double *da_dq, double *da_dv, double *da_dtau)
{
    double *own = a ? a : s->step;
    const lb_status status = lb_tree_forward(model, work, q, v, tau, own);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    lb_differentiate_dynamics(model, work, s, q, v, own);
    if (s->by_columns) {
        model->kernels->solve_derivative_columns(model, work, s, NULL, da_dq, da_dv, da_dtau);
        return status;
    }
    const lb_status solved =
        model->kernels->solve_derivatives(model, work, s, NULL, da_dq, da_dv, da_dtau);
    return solved == LB_OK ? status : solved;
}

lb_status lb_compute_forward_derivatives(const lb_model *model, lb_work *work,
                                         lb_derivative_work *s, const double *q, const double *v,
                                         const double *tau, double *a, double *da_dq, double *da_dv,
                                         double *da_dtau)
{
    if (lb_is_tree(model, work)) {
        return lb_tree_forward_derivatives(model, work, s, q, v, tau, a, da_dq, da_dv, da_dtau);
    }
    const lb_constrained_derivatives wanted = {
        .size = sizeof wanted, .a_dq = da_dq, .a_dv = da_dv, .a_dtau = da_dtau};
    if (!a) {
        a = s->step;
        memset(a, 0, (size_t)model->v_count * sizeof *a);
    }
    return lb_compute_constrained_derivatives(model, work, s, q, v, tau, a, NULL, NULL, &wanted);
}

lb_status lb_tree_hybrid_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                     const double *q, const double *v, const unsigned char *driven,
                                     double *tau, double *a, double *da_dq, double *da_dv,
                                     double *da_dtau)
{
    const lb_status status = lb_tree_hybrid(model, work, q, v, driven, tau, a);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    lb_differentiate_dynamics(model, work, s, q, v, a);
    if (s->by_columns) {
        model->kernels->solve_derivative_columns(model, work, s, driven, da_dq, da_dv, da_dtau);
        return status;
    }
    const lb_status solved =
        model->kernels->solve_derivatives(model, work, s, driven, da_dq, da_dv, da_dtau);
    return solved == LB_OK ? status : solved;
}

lb_status lb_compute_node_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      int body, int node, const lb_node_derivatives *given)
{
    lb_node_derivatives known = {.size = sizeof known}, *out = &known;
    if (lb_take_sized(&known, sizeof known, LB_SIZE_THROUGH(lb_node_derivatives, pose_dq), given) !=
        LB_OK) {
        return LB_E_VERSION;
    }
    if (!lb_get_node(model, body, node)) {
        return LB_E_ARGUMENT;
    }
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    lb_differentiate_node(model, work, s, body, node, out);
    return LB_OK;
}
