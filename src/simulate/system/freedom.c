// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Independent coordinates on the loops.
#include "freedom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "closure.h"
#include "dynamics/loops/loop_products.h"
#include "dynamics/tree/tree.h"
#include "limber/loops.h"

// Columns below this share of what they are made of carry nothing.
static const double nothing = 1e-10;

lb_status lb_take_freedom(lb_arena *arena, lb_system *s, int count, const int *coordinates,
                          lb_freedom *f)
{
    const size_t n = (size_t)count, v_count = (size_t)s->v_count;
    *f = (lb_freedom){.system = s, .count = count, .coordinates = coordinates};
    f->rows = s->closure ? 6 * s->closure->slot_count : 0;
    const size_t rows = (size_t)f->rows, most = rows < n ? rows : n;
    f->free = lb_arena_take(arena, 2 * n, sizeof *f->free);
    f->taken = lb_arena_take(arena, n, sizeof *f->taken);
    f->weight = lb_take_numbers(arena, 3 * n + v_count + 2 * rows);
    if (!f->free || !f->taken || !f->weight) {
        return LB_E_MEMORY;
    }
    f->dependent = f->free + n;
    f->speeds = f->weight + n;
    f->rates = f->speeds + v_count;
    f->solution = f->rates + rows;
    f->column = f->solution + rows;
    f->size = f->column + n;
    if (!s->closure) {
        for (int i = 0; i < count; ++i) {
            f->free[f->free_count++] = i;
        }
        return LB_OK;
    }
    f->J = lb_take_numbers(arena,
                           2 * rows * n + n * n + most * most + v_count * v_count + 6 * v_count);
    if (!f->J) {
        return LB_E_MEMORY;
    }
    f->E = f->J + rows * n;
    f->T = f->E + rows * n;
    f->R = f->T + n * n;
    f->M = f->R + most * most;
    return LB_OK;
}

// ---- choosing ----------------------------------------------------------------------------------

// Takes off all other columns what they share with one, twice for the digits.
static void sweep(lb_freedom *f, int column)
{
    double *e = f->E + (ptrdiff_t)column * f->rows;
    const double norm = lb_compute_norm(f->rows, e);
    for (int i = 0; i < f->rows; ++i) {
        e[i] /= norm;
    }
    for (int j = 0; j < f->count; ++j) {
        double *x = f->E + (ptrdiff_t)j * f->rows;
        for (int pass = 0; pass < 2 && j != column && !f->taken[j]; ++pass) {
            lb_add_scaled(f->rows, -lb_compute_dot(f->rows, e, x), e, x);
        }
    }
}

// Whether what is left of a column is more than the round-off of what it is the difference of.
static bool is_something(const lb_freedom *f, int column)
{
    const double rest = lb_compute_norm(f->rows, f->E + (ptrdiff_t)column * f->rows);
    return rest > nothing * f->size[column];
}

// Of the coordinates that are nearly as good as the best, the last in the order of the state, so that
// what is listed first stays free.
static void choose(lb_freedom *f, const bool *fixed)
{
    for (;;) {
        double best = 0.0;
        int at = -1;
        for (int j = 0; j < f->count; ++j) {
            const bool open = !f->taken[j] && !(fixed && fixed[j]) && is_something(f, j);
            double norm = open ? lb_compute_norm(f->rows, f->E + (ptrdiff_t)j * f->rows) : 0.0;
            norm *= f->favour ? f->favour[j] : 1.0;
            if (open && norm >= 0.5 * best) {
                at = j;
                best = fmax(best, norm);
            }
        }
        if (at < 0) {
            return;
        }
        f->taken[at] = true;
        f->dependent[f->rank++] = at;
        sweep(f, at);
    }
}

// Whether a loop would be torn by what is fixed: columns that are left where nothing may follow.
static bool is_torn(const lb_freedom *f, const bool *fixed)
{
    for (int j = 0; fixed && j < f->count; ++j) {
        if (fixed[j] && is_something(f, j)) {
            return true;
        }
    }
    return false;
}

// Sizes of the columns of the ends of the loops, each by itself: J is their difference.
static lb_status measure_columns(lb_freedom *f)
{
    lb_system *s = f->system;
    const int n = s->v_count;
    double largest = 0.0;
    lb_status status = LB_OK;
    for (int j = 0; j < f->count; ++j) {
        const double own = lb_compute_norm(f->rows, f->J + (ptrdiff_t)j * f->rows);
        f->size[j] = own * own;
    }
    for (int l = 0; l < s->closure->slot_count && status >= 0; ++l) {
        lb_loop_ends ends = lb_default_loop_ends();
        lb_get_loop_ends(s->model, s->work, l, &ends);
        for (int side = 0; side < 2 && status >= 0; ++side) {
            const int body = side ? ends.body_b : ends.body_a;
            const int node = side ? ends.node_b : ends.node_a;
            if (body == LB_GROUND || ends.type == LB_LOOP_COUPLER ||
                !lb_is_loop_active(s->work, l)) {
                continue;
            }
            // a node that stands still up to round-off: what its body would do
            double mass = 0.0, com[3], inertia[6];
            lb_get_mass_properties(s->model, body, &mass, com, inertia);
            largest = mass > 0.0 ? fmax(largest, 0.03 / sqrt(mass)) : largest;
            status = lb_compute_jacobian(s->model, s->work, body, node, LB_AXES_WORLD, f->M);
            for (int i = 0; i < 6 * f->count && status >= 0; ++i) {
                const int j = i % f->count;
                const double x = f->weight[j] * f->M[i / f->count * n + f->coordinates[j]];
                f->size[j] += x * x;
            }
        }
    }
    for (int j = 0; j < f->count; ++j) {
        f->size[j] = sqrt(f->size[j]);
        largest = fmax(largest, f->size[j]);
    }
    // of a mode that leaves a node where it is, no more than round-off is known
    for (int j = 0; j < f->count; ++j) {
        f->size[j] = fmax(f->size[j], 1e-3 * largest);
    }
    return status;
}

// Columns of J for the coordinates, weighed by their inertia.
static lb_status fill_columns(lb_freedom *f, const double *q)
{
    lb_system *s = f->system;
    const int n = s->v_count;
    lb_status status = lb_tree_mass_matrix(s->model, s->work, q, f->M);
    status = status < 0 ? status : lb_compute_kinematics(s->model, s->work, q, NULL, NULL);
    memset(f->speeds, 0, (size_t)n * sizeof *f->speeds);
    for (int j = 0; j < f->count && status >= 0; ++j) {
        const int entry = f->coordinates[j];
        const double m = f->M[entry * n + entry];
        f->weight[j] = m > 0.0 ? 1.0 / sqrt(m) : 1.0;
        f->speeds[entry] = f->weight[j];
        status =
            lb_apply_loop_jacobian(s->model, s->work, f->speeds, f->J + (ptrdiff_t)j * f->rows);
        f->speeds[entry] = 0.0;
    }
    memcpy(f->E, f->J, (size_t)f->rows * (size_t)f->count * sizeof *f->E);
    return status < 0 ? status : measure_columns(f);
}

// ---- solving -----------------------------------------------------------------------------------

double lb_solve_dependent(const lb_freedom *f, const double *r, double *x)
{
    const int rank = f->rank, rows = f->rows;
    double *y = f->solution, left = 0.0;
    memset(x, 0, (size_t)f->count * sizeof *x);
    for (int k = 0; k < rank; ++k) {
        y[k] = lb_compute_dot(rows, f->E + (ptrdiff_t)f->dependent[k] * rows, r);
    }
    for (int i = 0; i < rows; ++i) {
        double met = 0.0;
        for (int k = 0; k < rank; ++k) {
            met += f->E[(ptrdiff_t)f->dependent[k] * rows + i] * y[k];
        }
        left = fmax(left, fabs(r[i] - met));
    }
    // R y = E'r, upwards
    lb_solve_triangle(rank, rank, f->R, y);
    for (int k = 0; k < rank; ++k) {
        x[f->dependent[k]] = f->weight[f->dependent[k]] * y[k];
    }
    return left;
}

void lb_solve_reaction(const lb_freedom *f, const double *tau, double *force)
{
    const int rank = f->rank, rows = f->rows;
    double *y = f->solution;
    memset(force, 0, (size_t)rows * sizeof *force);
    // R'y = tau_d, downwards; f = E y
    for (int k = 0; k < rank; ++k) {
        const int at = f->dependent[k];
        y[k] = f->weight[at] * tau[f->coordinates[at]];
    }
    lb_solve_transposed_triangle(rank, rank, f->R, y);
    for (int k = 0; k < rank; ++k) {
        lb_add_scaled(rows, y[k], f->E + (ptrdiff_t)f->dependent[k] * rows, force);
    }
}

void lb_remove_span(const lb_freedom *f, double *r)
{
    for (int k = 0; k < 2 * f->rank; ++k) { // twice for the digits
        const double *e = f->E + (ptrdiff_t)f->dependent[k % f->rank] * f->rows;
        lb_add_scaled(f->rows, -lb_compute_dot(f->rows, e, r), e, r);
    }
}

// T, with J T = 0                                                                       (LIN-13)
//
//     T_i = I,   E'J_d T_d = -E'J_i
//
// given     E  orthonormal, of the span of J_d: the swept columns
static void fill_transformation(lb_freedom *f)
{
    const int rank = f->rank, rows = f->rows;
    f->free_count = 0;
    for (int i = 0; i < f->count; ++i) {
        if (!f->taken[i]) {
            f->free[f->free_count++] = i;
        }
    }
    for (int k = 0; k < rank; ++k) {
        for (int j = 0; j < rank; ++j) {
            f->R[k * rank + j] =
                j < k ? 0.0
                      : lb_compute_dot(rows, f->E + (ptrdiff_t)f->dependent[k] * rows,
                                       f->J + (ptrdiff_t)f->dependent[j] * rows);
        }
    }
    for (int j = 0; j < f->free_count; ++j) {
        const int at = f->free[j];
        (void)lb_solve_dependent(f, f->J + (ptrdiff_t)at * rows, f->column);
        for (int i = 0; i < f->count; ++i) {
            f->T[i * f->free_count + j] = i == at ? 1.0 : -f->column[i] / f->weight[at];
        }
    }
}

lb_status lb_choose_freedom(lb_freedom *f, const double *q, const bool *fixed)
{
    if (!f->T) {
        return LB_OK;
    }
    const lb_status status = fill_columns(f, q);
    f->rank = 0;
    memset(f->taken, 0, (size_t)f->count * sizeof *f->taken);
    if (status < 0) {
        return status;
    }
    choose(f, fixed);
    fill_transformation(f);
    return is_torn(f, fixed) ? LB_E_ARGUMENT : LB_OK;
}

lb_status lb_follow_freedom(lb_freedom *f, const double *q)
{
    if (!f->T) {
        return LB_OK;
    }
    const lb_status status = fill_columns(f, q);
    memset(f->taken, 0, (size_t)f->count * sizeof *f->taken);
    for (int k = 0; k < f->rank && status >= 0; ++k) {
        if (!is_something(f, f->dependent[k])) {
            return LB_E_SINGULAR;
        }
        f->taken[f->dependent[k]] = true;
        sweep(f, f->dependent[k]);
    }
    fill_transformation(f);
    return status;
}

// ---- speeds, and what is of second order -------------------------------------------------------

lb_status lb_complete_speeds(lb_freedom *f, const double *q, double *v, double *left, int *loop)
{
    lb_system *s = f->system;
    *left = 0.0;
    *loop = 0;
    if (!f->T) {
        return LB_OK;
    }
    lb_status status = LB_OK;
    // linear: the second time is for the digits
    for (int pass = 0; pass < 3 && status >= 0; ++pass) {
        status = lb_measure_closure(s, q, v);
        if (pass < 2 && status >= 0) {
            (void)lb_solve_dependent(f, s->closure->velocity, f->column);
            for (int i = 0; i < f->count; ++i) {
                v[f->coordinates[i]] -= f->column[i];
            }
        }
    }
    *left = status < 0 ? 0.0 : lb_find_worst_loop(s, s->closure->velocity, loop);
    return status;
}

lb_status lb_close_dependent(lb_freedom *f, double t, double *q)
{
    enum { MOST = 25 };
    lb_system *s = f->system;
    if (!f->T) {
        return LB_OK;
    }
    lb_closure *c = s->closure;
    int loop = 0;
    lb_status status = lb_set_loop_motions(s, t);
    status = status < 0 ? status : lb_measure_closure(s, q, c->zero);
    double error = status < 0 ? 0.0 : lb_find_worst_loop(s, c->position, &loop);
    for (int i = 0; i < MOST && status >= 0; ++i) {
        status = lb_follow_freedom(f, q);
        if (status < 0 || error == 0.0) {
            break;
        }
        (void)lb_solve_dependent(f, c->position, f->column);
        memset(c->dv, 0, (size_t)s->v_count * sizeof *c->dv);
        for (int k = 0; k < f->count; ++k) {
            c->dv[f->coordinates[k]] = -f->column[k];
        }
        lb_integrate_configuration(s->model, q, c->dv, c->q);
        status = lb_measure_closure(s, c->q, c->zero);
        const double next = status < 0 ? 0.0 : lb_find_worst_loop(s, c->position, &loop);
        if (status < 0 || !(next < 0.5 * error)) {
            break;
        }
        memcpy(q, c->q, (size_t)s->q_count * sizeof *q);
        error = next;
    }
    return status == LB_E_NUMBER ? LB_E_OPEN
           : status < 0          ? status
           : error <= 1e-11      ? LB_OK
                                 : LB_E_OPEN;
}

double lb_follow_rows(const lb_freedom *f, const double *D, const double *second,
                      const double *more, double *X)
{
    const int m = f->free_count, n = f->system->v_count;
    double left = 0.0;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < f->rows; ++i) {
            double sum = 0.0;
            for (int k = 0; k < f->count; ++k) {
                const ptrdiff_t at = (ptrdiff_t)i * n + f->coordinates[k];
                sum += D[at] * f->T[k * m + j] + (second ? second[at] * more[k * m + j] : 0.0);
            }
            f->rates[i] = -sum;
        }
        left = fmax(left, lb_solve_dependent(f, f->rates, f->column));
        for (int i = 0; i < f->count; ++i) {
            X[i * m + j] = f->column[i];
        }
    }
    return left;
}
