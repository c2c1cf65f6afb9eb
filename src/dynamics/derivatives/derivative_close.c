// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// From derivatives of forces and rows to derivatives of accelerations, loop forces and drives: all
// columns at once. Everything in here is in sweep order, rows of loops along their directions.
#include "derivative_paths.h"

#include <string.h>

#include "dynamics/loops/loop_admittance.h"
#include "model/kernel_table.h"

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

lb_status lb_close_derivatives(const lb_model *model, lb_work *work, lb_derivative_work *s,
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
