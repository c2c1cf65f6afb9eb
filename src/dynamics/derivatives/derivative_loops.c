// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of what the loops say, and of forward dynamics with loops.
#include "base/sized.h"
#include "derivative_parts.h"
#include "derivative_paths.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_rows.h"
#include "limber/loops.h"
#include "model/numbers.h"

static void clear(double *matrix, ptrdiff_t count)
{
    if (matrix) {
        memset(matrix, 0, (size_t)count * sizeof *matrix);
    }
}

lb_status lb_compute_loop_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                      const double *forces, const lb_loop_derivatives *given)
{
    lb_loop_derivatives known = {.size = sizeof known}, *out = &known;
    if (lb_take_sized(&known, sizeof known, LB_SIZE_THROUGH(lb_loop_derivatives, velocity_dv),
                      given) != LB_OK) {
        return LB_E_VERSION;
    }
    if (!lb_is_at_state(s, work)) {
        return LB_E_STAGE;
    }
    if (out->force_dq && !forces) {
        return LB_E_ARGUMENT;
    }
    const lb_status status =
        lb_check_numbers(work, "forces", s->loop_entries, out->force_dq ? forces : NULL);
    if (status < LB_OK) {
        return status;
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
    const lb_row_derivatives wanted = {.stride = n,
                                       .six = 1,
                                       .J = out->velocity_dv,
                                       .velocity = out->velocity_dq,
                                       .acceleration = out->acceleration_dq,
                                       .acceleration_dv = out->acceleration_dv,
                                       .forces = forces,
                                       .force = out->force_dq};
    lb_differentiate_rows(model, work, s, &wanted);
    return LB_OK;
}

// ---- forward dynamics with loops -----------------------------------------------------------------

// J, and derivatives of the rows and of J' f, where they are wanted, in sweep order.
static void form_all(const lb_model *model, lb_work *work, lb_derivative_work *s,
                     const lb_row_derivatives *out)
{
    const ptrdiff_t rows = (ptrdiff_t)s->loop_entries * s->stride;
    double *const wanted[4] = {out->J, out->velocity, out->acceleration, out->acceleration_dv};
    clear(out->force, (ptrdiff_t)s->stride * s->stride);
    for (int i = 0; i < 4; ++i) {
        clear(wanted[i], rows);
    }
    lb_differentiate_rows(model, work, s, out);
}

// J y differentiated, y = M^-1 J' Lambda^+ lambda: what the turning of the redundant directions does to the
// forces of least norm. Leaves another state in `work`.                                  (DER-15)
static lb_status turn_redundant(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                const double *q)
{
    double *y = s->diagonal; // not in use yet
    const lb_status status = lb_solve_loops(model, work, s->loop_forces, y, NULL);
    if (status < LB_OK) {
        return status;
    }
    const lb_status moved =
        lb_tree_inverse_derivatives(model, work, s, q, y, NULL, NULL, NULL, NULL, NULL);
    if (moved < LB_OK) {
        return moved;
    }
    const lb_row_derivatives rows = {
        .stride = s->stride, .order = s->order, .velocity = s->loop_turn};
    form_all(model, work, s, &rows);
    s->turns = 1;
    return LB_OK;
}

// What is balanced: b = -d(M a + c) + d(J' lambda), at a and lambda held.                 (DER-11)
static void balance(lb_derivative_work *s, int loops)
{
    const ptrdiff_t count = (ptrdiff_t)s->stride * s->stride;
    for (ptrdiff_t i = 0; i < count; ++i) {
        s->dq[i] = (loops ? s->product[i] : 0.0) - s->dq[i];
        s->dv[i] = -s->dv[i];
    }
}

// Forces along rods turn with these.
static void add_turning(const lb_model *model, lb_work *work, lb_derivative_work *s, double *out)
{
    const lb_row_derivatives turning = {
        .stride = model->v_count, .forces = s->loop_forces, .turning = out};
    lb_differentiate_rows(model, work, s, &turning);
}

lb_status lb_compute_constrained_derivatives(const lb_model *model, lb_work *work,
                                             lb_derivative_work *s, const double *q,
                                             const double *v, const double *tau, double *a,
                                             double *drive, double *forces,
                                             const lb_constrained_derivatives *given)
{
    return lb_closed_derivatives(model, work, s, q, v, work->driven_count ? work->driven : NULL,
                                 tau, a, drive, forces, given);
}

lb_status lb_closed_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                const double *q, const double *v, const unsigned char *driven,
                                const double *tau, double *a, double *drive, double *forces,
                                const lb_constrained_derivatives *given)
{
    lb_constrained_derivatives known = {.size = sizeof known}, *out = &known;
    if (lb_take_sized(&known, sizeof known, LB_SIZE_THROUGH(lb_constrained_derivatives, a_dq),
                      given) != LB_OK) {
        return LB_E_VERSION;
    }
    double *f = s->loop_forces;
    const int loops = model->pattern != NULL;
    s->has = s->turns = 0;
    lb_status status = lb_closed_forward(model, work, q, v, driven, tau, a, drive, f);
    if (status < LB_OK) {
        return status;
    }
    if (loops && forces) {
        memcpy(forces, f, (size_t)s->loop_entries * sizeof *f);
    }
    if (loops && out->forces_dq && work->loops->rank < work->loops->rows) {
        status = turn_redundant(model, work, s, q);
        status =
            status < LB_OK ? status : lb_closed_forward(model, work, q, v, driven, tau, a, NULL, f);
        if (status < LB_OK) {
            s->has = 0;
            return status;
        }
    }
    // the balance of forces, loop forces held, and the rows, accelerations held
    lb_differentiate_dynamics(model, work, s, q, v, a);
    if (loops) {
        const lb_row_derivatives rows = {.stride = s->stride,
                                         .order = s->order,
                                         .J = s->loop_J,
                                         .acceleration = s->loop_dq,
                                         .acceleration_dv = s->loop_dv,
                                         .forces = f,
                                         .force = s->product};
        form_all(model, work, s, &rows);
    }
    clear(out->forces_dq, (ptrdiff_t)s->loop_entries * model->v_count);
    clear(out->forces_dv, (ptrdiff_t)s->loop_entries * model->v_count);
    clear(out->forces_dtau, (ptrdiff_t)s->loop_entries * model->v_count);
    if (loops && out->forces_dq) {
        add_turning(model, work, s, out->forces_dq);
    }
    lb_mark_state(s, work);
    int loop;
    const double conflict = lb_get_loop_conflict(model, work, &loop);
    balance(s, loops);
    const lb_status closed = lb_close_derivatives(model, work, s, out);
    if (loops) {
        work->loops->conflict = conflict; // of the dynamics, not of their derivatives
        work->loops->conflict_loop = loop;
        clear(s->dq, (ptrdiff_t)s->stride * s->stride); // loops connect what no path does
    }
    return closed < LB_OK ? closed : status;
}
