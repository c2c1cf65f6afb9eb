// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equations of the independent coordinates, where loops make others follow from them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "limber/loops.h"
#include "linear.h"

// ---- what follows ------------------------------------------------------------------------------

// What rows of the loops leave where no coordinate can meet their change is more than errors: 1e-6,
// derivatives are right to 1e-9; 1e-10, what they are summed from may cancel.
//
// given     largest  entry of the derivatives
//           speed    size of what they are made of
static bool is_left(const lb_freedom *f, double left, double largest, double speed)
{
    double reach = 1.0; // largest entry of J: arms of levers
    for (int j = 0; j < f->count; ++j) {
        const double *column = f->J + (ptrdiff_t)j * f->rows;
        reach = fmax(reach, lb_find_largest(f->rows, column) / f->weight[j]);
    }
    return left > 1e-6 * largest + 1e-10 * reach * speed;
}

// Whether the loops hold what could move by their first order: a motion at any speeds T y must have
// accelerations.
static lb_status check_singular(lb_system *s, const lb_operating_point *point,
                                lb_derivative_work *scratch, double *v, double *D_q, double *X)
{
    const lb_freedom *f = &point->freedom;
    const int m = f->free_count;
    const size_t n = (size_t)s->v_count;
    double fastest = 0.0;
    memset(v, 0, n * sizeof *v);
    for (int i = 0; i < f->count; ++i) {
        for (int j = 0; j < m; ++j) {
            // any numbers without a pattern
            v[f->coordinates[i]] += f->T[i * m + j] * cos(1.7 * j + 0.3) * f->weight[f->free[j]];
        }
        fastest = fmax(fastest, fabs(v[f->coordinates[i]]));
    }
    for (size_t i = 0; i < n && fastest > 0.0; ++i) {
        v[i] /= fastest;
    }
    const lb_loop_derivatives out = {.size = sizeof out, .velocity_dq = D_q};
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, scratch, point->q, v, NULL,
                                                   NULL, NULL, NULL, NULL);
    status =
        status < 0 ? status : lb_compute_loop_derivatives(s->model, s->work, scratch, NULL, &out);
    const double left = status < 0 ? 0.0 : lb_follow_rows(f, D_q, NULL, NULL, X);
    return status < 0 ? status
           : is_left(f, left, lb_find_largest((ptrdiff_t)((size_t)f->rows * n), D_q), 1.0)
               ? LB_E_SINGULAR
               : LB_OK;
}

// Speeds and accelerations that the loops ask for, of second order                     (LIN-14)
//
//     J_d S   = -D_q T                    D = J v - w
//     J_d R_v = -B_v T                    B = J a + g
//     J_d R_q = -(B_q T + B_v S)
//
// What no coordinate can meet is of rows that hold in this configuration only.
lb_status lb_follow_point(lb_system *s, lb_arena *arena, lb_operating_point *point)
{
    const lb_freedom *f = &point->freedom;
    if (!f->T) {
        return LB_OK;
    }
    const size_t n = (size_t)s->v_count, rows = (size_t)f->rows * n;
    const size_t size = (size_t)f->count * (size_t)f->free_count;
    lb_arena own = lb_make_arena(NULL);
    double *D_q = lb_take_numbers(&own, 3 * rows + n), *B_q = D_q + rows, *B_v = B_q + rows;
    lb_derivative_work *scratch = lb_create_derivative_work(s->model);
    if (!point->S) {
        point->S = lb_take_numbers(arena, 3 * size);
    }
    lb_status status = D_q && scratch && point->S ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        const lb_loop_derivatives out = {
            .size = sizeof out, .velocity_dq = D_q, .acceleration_dq = B_q, .acceleration_dv = B_v};
        point->R_q = point->S + size;
        point->R_v = point->R_q + size;
        status = check_singular(s, point, scratch, B_v + rows, D_q, point->S);
        status = status < 0
                     ? status
                     : lb_tree_inverse_derivatives(s->model, s->work, scratch, point->q, point->v,
                                                   point->a, NULL, NULL, NULL, NULL);
        status = status < 0 ? status
                            : lb_compute_loop_derivatives(s->model, s->work, scratch, NULL, &out);
    }
    if (status >= 0) {
        double left = lb_follow_rows(f, D_q, NULL, NULL, point->S);
        left = fmax(left, lb_follow_rows(f, B_v, NULL, NULL, point->R_v));
        left = fmax(left, lb_follow_rows(f, B_q, B_v, point->S, point->R_q));
        const double v = lb_find_largest(s->v_count, point->v),
                     a = lb_find_largest(s->v_count, point->a);
        if (is_left(f, left, lb_find_largest(3 * (ptrdiff_t)rows, D_q), v + v * v + a)) {
            status = LB_E_SINGULAR;
        }
    }
    if (status == LB_E_SINGULAR) {
        status = lb_say(s, status,
                        "linear: the loops are at a singular position: they hold what moves a "
                        "little away from here, which has no linear model");
    }
    lb_destroy_derivative_work(scratch);
    lb_arena_free(&own);
    return status;
}

// ---- using it ----------------------------------------------------------------------------------

void lb_expand(const lb_operating_point *point, const double *y, double *x)
{
    const lb_freedom *f = &point->freedom;
    const int m = f->free_count;
    for (int i = 0; i < f->count; ++i) {
        for (int part = 0; part < 2; ++part) {
            double sum = f->T ? 0.0 : y[2 * i + part];
            for (int j = 0; j < m && f->T; ++j) {
                sum += f->T[i * m + j] * y[2 * j + part];
            }
            x[2 * i + part] = sum;
        }
    }
}

void lb_gather(const lb_operating_point *point, const double *X, const double *x, double *y)
{
    const lb_freedom *f = &point->freedom;
    const int m = f->free_count;
    for (int j = 0; j < m; ++j) {
        y[j] = f->T ? 0.0 : x[j];
        for (int i = 0; i < f->count && f->T; ++i) {
            y[j] += X[i * m + j] * x[i];
        }
    }
}

// The coordinates' part of X, v_count x v_count.
static void pick(const lb_freedom *f, int n, const double *X, double *out)
{
    for (int i = 0; i < f->count * f->count; ++i) {
        out[i] = X[f->coordinates[i / f->count] * n + f->coordinates[i % f->count]];
    }
}

// out = T'X, and X is zero again.
static void project(const lb_freedom *f, double *X, double *out)
{
    const int m = f->free_count;
    lb_form_transposed_product(f->count, m, m, f->T, X, out);
    memset(X, 0, (size_t)f->count * (size_t)m * sizeof *X);
}

// out += |T|'X |Y|, X count x count without negative entries: what errors become.
static void spread_error(const lb_freedom *f, const double *X, const double *Y, double factor,
                         double *out)
{
    const int m = f->free_count, count = f->count;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < count; ++k) {
            const double x = factor * fabs(X[i * count + k]);
            for (int a = 0; a < m && x > 0.0; ++a) {
                const double left = x * fabs(f->T[i * m + a]);
                for (int b = 0; b < m && left > 0.0; ++b) {
                    out[a * m + b] += left * fabs(Y[k * m + b]);
                }
            }
        }
    }
}

// With (LIN-14) in (LIN-1), and the forces of the loops gone                            (LIN-15)
//
//     T'M T z + T'(C T + M R_v) w + T'(K T + C S + M R_q) y = T'G u,   dy/dt = w + (N T)_i y
lb_status lb_reduce(const lb_operating_point *point, int n, const lb_tangent *whole,
                    lb_arena *arena, lb_tangent *part)
{
    const lb_freedom *f = &point->freedom;
    const int m = f->free_count, count = f->count;
    lb_tangent own;
    double *X = lb_take_numbers(arena, (size_t)count * (size_t)m);
    if (lb_take_tangent(arena, count, &own) < 0 || !X) {
        return LB_E_MEMORY;
    }
    pick(f, n, whole->M, own.M);
    pick(f, n, whole->C, own.C);
    pick(f, n, whole->K, own.K);
    pick(f, n, whole->N, own.N);
    pick(f, n, whole->K_error, own.K_error);
    pick(f, n, whole->C_error, own.C_error);
    if (!f->T) {
        *part = own;
        return LB_OK;
    }
    if (lb_take_tangent(arena, m, part) < 0) {
        return LB_E_MEMORY;
    }
    lb_add_matrix_product(count, count, m, 1.0, own.M, f->T, X);
    project(f, X, part->M);
    lb_add_matrix_product(count, count, m, 1.0, own.C, f->T, X);
    lb_add_matrix_product(count, count, m, 1.0, own.M, point->R_v, X);
    project(f, X, part->C);
    lb_add_matrix_product(count, count, m, 1.0, own.K, f->T, X);
    lb_add_matrix_product(count, count, m, 1.0, own.C, point->S, X);
    lb_add_matrix_product(count, count, m, 1.0, own.M, point->R_q, X);
    project(f, X, part->K);
    lb_add_matrix_product(count, count, m, 1.0, own.N, f->T, X);
    for (int i = 0; i < m; ++i) {
        memcpy(part->N + i * m, X + f->free[i] * m, (size_t)m * sizeof *X);
    }
    // T is the solution of equations: its entries are known to some units in the last place
    const double ulp = 16.0 * DBL_EPSILON;
    spread_error(f, own.K_error, f->T, 1.0, part->K_error);
    spread_error(f, own.K, f->T, ulp, part->K_error);
    spread_error(f, own.C, point->S, ulp, part->K_error);
    spread_error(f, own.M, point->R_q, ulp, part->K_error);
    spread_error(f, own.C_error, f->T, 1.0, part->C_error);
    spread_error(f, own.C, f->T, ulp, part->C_error);
    spread_error(f, own.M, point->R_v, ulp, part->C_error);
    return LB_OK;
}
