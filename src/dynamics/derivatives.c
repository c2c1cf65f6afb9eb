// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of inverse, forward and hybrid dynamics: what the public functions do.
#include "derivatives.h"

#include <string.h>

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

// A matrix in sweep order to the caller's order.
static void hand_out(const lb_model *model, const lb_derivative_work *s, const double *from,
                     double *to)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    for (ptrdiff_t i = 0; to && i < n; ++i) {
        double *row = to + model->speeds[i] * n;
        for (ptrdiff_t j = 0; j < n; ++j) {
            row[model->speeds[j]] = from[i * stride + j];
        }
    }
}

// The mass matrix, in sweep order.
static void take_mass_matrix(const lb_model *model, lb_work *work, lb_derivative_work *s)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    lb_compute_mass_matrix(model, work, s->q, s->W);
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            s->M[i * stride + j] = s->W[model->speeds[i] * n + model->speeds[j]];
        }
    }
}

lb_status lb_compute_inverse_derivatives(const lb_model *model, lb_work *work,
                                         lb_derivative_work *s, const double *q, const double *v,
                                         const double *a, double *tau, double *dtau_dq,
                                         double *dtau_dv, double *dtau_da)
{
    keep_state(model, s, q, v, a);
    if (dtau_da) {
        take_mass_matrix(model, work, s);
        hand_out(model, s, s->M, dtau_da);
    }
    if (dtau_dq || dtau_dv) {
        lb_difference_inverse_dynamics(model, work, s);
        hand_out(model, s, s->dq, dtau_dq);
        hand_out(model, s, s->dv, dtau_dv);
    }
    return lb_compute_inverse_dynamics(model, work, q, v, a, tau ? tau : s->tau);
}

// out = -W X, in the caller's order.
static void multiply(const lb_model *model, const lb_derivative_work *s, const double *X,
                     double *out)
{
    const ptrdiff_t n = model->v_count, stride = s->stride;
    for (ptrdiff_t i = 0; out && i < n; ++i) {
        double *row = out + model->speeds[i] * n;
        for (ptrdiff_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (ptrdiff_t k = 0; k < n; ++k) {
                sum -= s->W[i * stride + k] * X[k * stride + j];
            }
            row[model->speeds[j]] = sum;
        }
    }
}

// What forward and hybrid derivatives share, once the accelerations are known           (DER-7)
//
//     da/dq = -M_ff^-1 (dtau/dq)_f,   da/dv = -M_ff^-1 (dtau/dv)_f,   da/dtau = M_ff^-1
static lb_status solve(const lb_model *model, lb_work *work, lb_derivative_work *s,
                       const unsigned char *driven, double *da_dq, double *da_dv, double *da_dtau)
{
    lb_difference_inverse_dynamics(model, work, s);
    take_mass_matrix(model, work, s);
    const lb_status status = lb_invert_free_block(model, work, s, driven);
    if (status < LB_OK) {
        return status;
    }
    multiply(model, s, s->dq, da_dq);
    multiply(model, s, s->dv, da_dv);
    hand_out(model, s, s->W, da_dtau);
    return status;
}

lb_status lb_compute_forward_derivatives(const lb_model *model, lb_work *work,
                                         lb_derivative_work *s, const double *q, const double *v,
                                         const double *tau, double *a, double *da_dq, double *da_dv,
                                         double *da_dtau)
{
    double *own = a ? a : s->a;
    lb_status status = lb_compute_forward_dynamics(model, work, q, v, tau, own);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    if (a) {
        keep_state(model, s, q, v, a);
    } else {
        memcpy(s->tau, own, (size_t)model->v_count * sizeof *own);
        keep_state(model, s, q, v, s->tau);
    }
    status = solve(model, work, s, NULL, da_dq, da_dv, da_dtau);
    return status < LB_OK ? status : lb_compute_forward_dynamics(model, work, q, v, tau, s->step);
}

lb_status lb_compute_hybrid_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                        const double *q, const double *v,
                                        const unsigned char *driven, double *tau, double *a,
                                        double *da_dq, double *da_dv, double *da_dtau)
{
    const lb_status status = lb_compute_hybrid_dynamics(model, work, q, v, driven, tau, a);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    keep_state(model, s, q, v, a);
    return solve(model, work, s, driven, da_dq, da_dv, da_dtau);
}

lb_status lb_compute_node_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      int body, int node, const lb_node_derivatives *out)
{
    if (!s->has) {
        return LB_E_STAGE;
    }
    if (!lb_get_node(model, body, node)) {
        return LB_E_ARGUMENT;
    }
    return lb_difference_node_motion(model, work, s, body, node, out);
}
