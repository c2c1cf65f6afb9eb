// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of what the loops say, and of forward dynamics with loops.
#include <string.h>

#include "base/sized.h"
#include "derivative_parts.h"
#include "derivative_paths.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/loops/loop_admittance.h"
#include "dynamics/loops/loop_rows.h"
#include "limber/loops.h"
#include "model/kernel_table.h"
#include "model/numbers.h"

// ---- from forces and rows to accelerations, loop forces and drives -----------------------------
//
// All columns at once. Everything in here is in sweep order, rows of loops along their directions.

// y += a x
static void add_row(ptrdiff_t n, double a, const double *x, double *y)
{
    for (ptrdiff_t i = 0; i < n; ++i) {
        y[i] += a * x[i];
    }
}

// Y = M^-1 J'. Rows of J have entries at the speeds between the ends of their loop only.
static void form_Y(const lb_model *model, lb_derivative_work *s)
{
    const ptrdiff_t n = model->v_count, wide = s->loop_stride;
    memset(s->loop_Y, 0, (size_t)(n * wide) * sizeof *s->loop_Y);
    for (ptrdiff_t r = 0; r < s->loop_entries; ++r) {
        const double *J = s->loop_J + r * s->stride;
        for (ptrdiff_t k = 0; k < n; ++k) {
            for (ptrdiff_t i = 0; J[k] != 0.0 && i < n; ++i) {
                s->loop_Y[i * wide + r] += J[k] * s->W[k * s->stride + i];
            }
        }
    }
}

// rows += J x
static void add_seen(const lb_model *model, const lb_derivative_work *s, const double *x,
                     double *rows)
{
    const ptrdiff_t n = model->v_count;
    for (ptrdiff_t r = 0; r < s->loop_entries; ++r) {
        const double *J = s->loop_J + r * s->stride;
        for (ptrdiff_t k = 0; k < n; ++k) {
            if (J[k] != 0.0) {
                add_row(n, J[k], x + k * s->stride, rows + r * s->stride);
            }
        }
    }
}

// Applies a map of forces, by slot along the rows, to every column.
static void apply_to_columns(const lb_model *model, lb_work *work, const lb_derivative_work *s,
                             void (*map)(const lb_model *, lb_work *, double *), double sign,
                             double *rows)
{
    double *x = s->loop_rates;
    for (ptrdiff_t j = 0; j < model->v_count; ++j) {
        int any = 0;
        for (ptrdiff_t i = 0; i < s->loop_entries; ++i) {
            x[i] = sign * rows[i * s->stride + j];
            any |= x[i] != 0.0;
        }
        if (!any) {
            continue;
        }
        map(model, work, x);
        for (ptrdiff_t i = 0; i < s->loop_entries; ++i) {
            rows[i * s->stride + j] = x[i];
        }
    }
}

// One column for each direction, and for all of them                                (DER-11), (DER-15)
//
//     x0 = M^-1 b,   dlambda = -Lambda^+ (J x0 + d(J a + g)),   x = x0 + M^-1 J' dlambda
//     dlambda += N dJ y,   y = M^-1 J' Lambda^+ lambda,   N = I - Lambda^+ Lambda
//
// with the factors of Lambda = J M^-1 J' that the dynamics with loops left, so that both decide alike
// which rows count.
//
// given     x0 in `x`, d(J a + g) in `rows`, dJ y in `turn` (NULL for none)
// computes  x, and dlambda in `rows`
static void close(const lb_model *model, lb_work *work, lb_derivative_work *s, double *x,
                  double *rows, double *turn)
{
    if (!s->loop_entries) {
        return;
    }
    const int n = model->v_count;
    add_seen(model, s, x, rows);
    apply_to_columns(model, work, s, lb_solve_admittance, -1.0, rows);
    const lb_product product = {n,    s->loop_entries, n, s->loop_Y, s->loop_stride,
                                rows, s->stride,       x, s->stride};
    model->kernels->add_product(&product, s->loop_list);
    if (turn) {
        apply_to_columns(model, work, s, lb_keep_redundant, 1.0, turn);
        for (ptrdiff_t i = 0; i < (ptrdiff_t)s->loop_entries * s->stride; ++i) {
            rows[i] += turn[i];
        }
    }
}

// ---- answers -----------------------------------------------------------------------------------

// Adds six components in the axes of a.
static void write_forces(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                         const double *rows, double *out)
{
    const ptrdiff_t n = model->v_count;
    for (ptrdiff_t l = 0; out && 6 * l < s->loop_entries; ++l) {
        const lb_loop_slot *slot = &work->loops->slots[l];
        for (ptrdiff_t j = 0; j < n; ++j) {
            double x[6] = {0}, six[6] = {0};
            for (int r = 0; slot->active && r < slot->loop.row_count; ++r) {
                x[r] = rows[(6 * l + r) * s->stride + j];
            }
            if (slot->active) {
                lb_leave_rows(&slot->loop, x, six);
            }
            for (int i = 0; i < 6; ++i) {
                out[(6 * l + i) * n + model->speeds[j]] += six[i];
            }
        }
    }
}

// Rows of the mass matrix, for the drives: kept where their answer will be.
static void keep_mass(const lb_model *model, const lb_work *work, const lb_derivative_work *s,
                      double *out)
{
    const ptrdiff_t n = model->v_count;
    if (!out) {
        return;
    }
    memset(out, 0, (size_t)(n * n) * sizeof *out);
    for (int k = 0; k < model->body_count; ++k) {
        const lb_body *b = &model->bodies[k];
        for (int i = 0; work->held[k] && i < b->nv; ++i) {
            memcpy(out + (b->hinge_v + i) * n, s->M + (b->speed + b->mode_count + i) * s->stride,
                   (size_t)n * sizeof *out);
        }
    }
}

// Forces of hinges that are driven or locked: M x - J' dlambda - b, at their rows.
static void write_drives(const lb_model *model, const lb_work *work, lb_derivative_work *s,
                         const double *b, const double *x, const double *rows, double *out)
{
    const ptrdiff_t n = model->v_count;
    double *sum = s->step;
    for (int k = 0; out && k < model->body_count; ++k) {
        const lb_body *body = &model->bodies[k];
        for (int i = 0; work->held[k] && i < body->nv; ++i) {
            const ptrdiff_t h = body->speed + body->mode_count + i;
            double *M = out + (body->hinge_v + i) * n;
            for (ptrdiff_t j = 0; j < n; ++j) {
                sum[j] = b ? -b[h * s->stride + j] : 0.0;
            }
            for (ptrdiff_t j = 0; j < n; ++j) {
                add_row(n, M[j], x + j * s->stride, sum);
            }
            for (ptrdiff_t r = 0; r < s->loop_entries; ++r) {
                add_row(n, -s->loop_J[r * s->stride + h], rows + r * s->stride, sum);
            }
            for (ptrdiff_t j = 0; j < n; ++j) {
                M[model->speeds[j]] = sum[j];
            }
        }
    }
}

// Derivatives of forward dynamics with loops. Those of the forces, at their six components turning with
// their loops, are added to what is there.                                      (DER-11), (DER-15)
//
// given     factors of the loops and hinges that stand still in `work`; M in s->M; what is to be
//           balanced, minus the derivatives of forces, in s->dq and s->dv; J, derivatives of J a + g
//           and, with s->turns, of J y in s->loop_J, s->loop_dq, s->loop_dv and s->loop_turn
// overwrites them but for s->dq, s->dv and s->loop_J
static lb_status close_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
                                   const lb_constrained_derivatives *out)
{
    const int n = model->v_count;
    const size_t square = (size_t)s->stride * (size_t)s->stride;
    const size_t rows = (size_t)s->loop_entries * (size_t)s->stride;
    keep_mass(model, work, s, out->drive_dq);
    keep_mass(model, work, s, out->drive_dv);
    keep_mass(model, work, s, out->drive_dtau);
    const unsigned char *held = work->held_count ? work->listed : NULL;
    const lb_status status =
        model->kernels->solve_derivatives(model, work, s, held, NULL, NULL, NULL);
    if (status < LB_OK) {
        return status;
    }
    form_Y(model, s);
    double *x = s->product;
    for (int part = 0; part < 3; ++part) {
        double *const a = part == 0 ? out->a_dq : part == 1 ? out->a_dv : out->a_dtau;
        double *const forces = part == 0   ? out->forces_dq
                               : part == 1 ? out->forces_dv
                                           : out->forces_dtau;
        double *const drive = part == 0   ? out->drive_dq
                              : part == 1 ? out->drive_dv
                                          : out->drive_dtau;
        const double *b = part == 0 ? s->dq : part == 1 ? s->dv : NULL;
        double *df = part == 1 ? s->loop_dv : s->loop_dq;
        if (!a && !forces && !drive) {
            continue;
        }
        if (b) {
            const lb_product product = {n, n, n, s->W, s->stride, b, s->stride, x, s->stride};
            memset(x, 0, square * sizeof *x);
            model->kernels->add_product(&product, s->loop_list);
        } else {
            memcpy(x, s->W, square * sizeof *x);
            memset(df, 0, rows * sizeof *df);
        }
        close(model, work, s, x, df, part == 0 && s->turns ? s->loop_turn : NULL);
        lb_hand_out(model, s, x, a);
        write_forces(model, work, s, df, forces);
        write_drives(model, work, s, b, x, df, drive);
    }
    return status;
}

// ---- what the loops say ------------------------------------------------------------------------

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
    const lb_status closed = close_derivatives(model, work, s, out);
    if (loops) {
        work->loops->conflict = conflict; // of the dynamics, not of their derivatives
        work->loops->conflict_loop = loop;
        clear(s->dq, (ptrdiff_t)s->stride * s->stride); // loops connect what no path does
    }
    return closed < LB_OK ? closed : status;
}
