// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of what the loops say, and of forward dynamics with loops.
#include "derivative_rows.h"
#include "kernels.h"
#include "limber/loops.h"

static void clear(double *matrix, ptrdiff_t count)
{
    if (matrix) {
        memset(matrix, 0, (size_t)count * sizeof *matrix);
    }
}

// J by products with unit speeds.
static void form_rows(const lb_model *model, lb_work *work, lb_derivative_work *s, double *J)
{
    const ptrdiff_t n = model->v_count;
    for (ptrdiff_t j = 0; j < n; ++j) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            s->step[i] = i == j;
        }
        lb_apply_loop_jacobian(model, work, s->step, s->loop_rates);
        for (ptrdiff_t i = 0; i < s->loop_entries; ++i) {
            J[i * n + j] = s->loop_rates[i];
        }
    }
}

lb_status lb_compute_loop_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      const double *forces, const lb_loop_derivatives *out)
{
    if (!s->has) {
        return LB_E_STAGE;
    }
    if (out->force_dq && !forces) {
        return LB_E_ARGUMENT;
    }
    const ptrdiff_t n = model->v_count, rows = s->loop_entries;
    clear(out->velocity_dv, rows * n);
    clear(out->velocity_dq, rows * n);
    clear(out->acceleration_dq, rows * n);
    clear(out->acceleration_dv, rows * n);
    clear(out->force_dq, n * n);
    if (!model->pattern) {
        return LB_OK;
    }
    if (s->swept) {
        const lb_row_derivatives wanted = {n,
                                           NULL,
                                           1,
                                           out->velocity_dv,
                                           out->velocity_dq,
                                           out->acceleration_dq,
                                           out->acceleration_dv,
                                           forces,
                                           out->force_dq};
        lb_differentiate_rows(model, work, s, &wanted);
        return LB_OK;
    }
    lb_difference_loops(model, work, s, forces, out);
    if (out->velocity_dv) {
        form_rows(model, work, s, out->velocity_dv);
    }
    return LB_OK;
}

// One column of an output                                                              (DER-11)
//
//     x0 = M^-1 b,   x = x0 - M^-1 J' (J M^-1 J')^+ (J x0 + d(J a + g))
//
// with M and the factors that the dynamics with loops left, so that both decide alike which rows
// count and which hinges stand still.
static lb_status solve_column(const lb_model *model, lb_work *work, lb_derivative_work *s,
                              const double *b, const double *rows, ptrdiff_t column, double *x)
{
    const ptrdiff_t n = model->v_count, six = s->loop_entries;
    model->kernels->response(model, work, NULL, b, NULL, x, NULL);
    const lb_status seen = lb_apply_loop_jacobian(model, work, x, s->loop_rates);
    for (ptrdiff_t i = 0; i < six; ++i) {
        s->loop_rates[i] = -s->loop_rates[i] - (rows ? rows[i * n + column] : 0.0);
    }
    const lb_status solved = lb_solve_loops(model, work, s->loop_rates, s->moved_v, NULL);
    for (ptrdiff_t i = 0; i < n; ++i) {
        x[i] += s->moved_v[i];
    }
    return seen < LB_OK ? seen : solved;
}

// Columns of a matrix from the balance of forces in it, one after the other and in place; with `rows`
// NULL it is the identity that is solved for.
static lb_status solve_columns(const lb_model *model, lb_work *work, lb_derivative_work *s,
                               const double *rows, double *matrix)
{
    const ptrdiff_t n = model->v_count;
    lb_status status = LB_OK;
    for (ptrdiff_t j = 0; matrix && j < n && status >= LB_OK; ++j) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            s->tau[i] = rows ? -matrix[i * n + j] : (double)(i == j);
        }
        status = solve_column(model, work, s, s->tau, rows, j, s->step);
        for (ptrdiff_t i = 0; i < n; ++i) {
            matrix[i * n + j] = s->step[i];
        }
    }
    return status;
}

lb_status lb_compute_constrained_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *s, const double *q,
                                             const double *v, const unsigned char *driven,
                                             const double *tau, double *a, double *da_dq,
                                             double *da_dv, double *da_dtau)
{
    s->has = 0;
    lb_status status =
        lb_compute_constrained_dynamics(model, work, q, v, driven, tau, a, NULL, s->loop_forces);
    if (status < LB_OK) {
        return status;
    }
    // the balance of forces, loop forces held, and the rows, accelerations held
    lb_compute_inverse_derivatives(model, work, s, q, v, a, NULL, da_dq, da_dv, NULL);
    const lb_loop_derivatives rows = {.acceleration_dq = da_dq ? s->loop_dq : NULL,
                                      .acceleration_dv = da_dv ? s->loop_dv : NULL,
                                      .force_dq = da_dq ? s->product : NULL};
    (void)lb_compute_loop_derivatives(model, work, s, s->loop_forces, &rows);
    const ptrdiff_t count = (ptrdiff_t)model->v_count * model->v_count;
    for (ptrdiff_t i = 0; da_dq && i < count; ++i) {
        da_dq[i] -= s->product[i];
    }
    status =
        lb_compute_constrained_dynamics(model, work, q, v, driven, tau, a, NULL, s->loop_forces);
    if (status < LB_OK) {
        s->has = 0;
        return status;
    }
    int loop;
    const double conflict = lb_get_loop_conflict(model, work, &loop);
    const lb_status by_q = solve_columns(model, work, s, s->loop_dq, da_dq);
    const lb_status by_v = solve_columns(model, work, s, s->loop_dv, da_dv);
    const lb_status by_tau = solve_columns(model, work, s, NULL, da_dtau);
    if (model->pattern) {
        work->loops->conflict = conflict; // of the dynamics, not of their derivatives
        work->loops->conflict_loop = loop;
    }
    return by_q < LB_OK ? by_q : by_v < LB_OK ? by_v : by_tau < LB_OK ? by_tau : status;
}
