// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Independent coordinates of a point, where loops make some follow from others.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "limber/loops.h"
#include "linear.h"

// ---- choosing ----------------------------------------------------------------------------------

// Columns of the loops' Jacobian for the coordinates, weighed by their inertia, and what is left of
// them beside those that were chosen.
typedef struct choice {
    int rows, count, rank;
    double *J, *rest; // rows x count, column by column
    double *weight;   // 1 / sqrt(M_ii)
    int *chosen;      // dependent coordinates, in the order of choice
} choice;

static double get_norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// Takes off all remaining columns what they share with one, twice for the digits.
static void sweep(choice *c, int column)
{
    double *e = c->rest + (ptrdiff_t)column * c->rows;
    const double norm = get_norm(e, c->rows);
    for (int i = 0; i < c->rows; ++i) {
        e[i] /= norm;
    }
    for (int j = 0; j < c->count; ++j) {
        double *x = c->rest + (ptrdiff_t)j * c->rows;
        for (int pass = 0; pass < 2 && j != column; ++pass) {
            double dot = 0.0;
            for (int i = 0; i < c->rows; ++i) {
                dot += e[i] * x[i];
            }
            for (int i = 0; i < c->rows; ++i) {
                x[i] -= dot * e[i];
            }
        }
    }
}

// Chooses dependent coordinates: of those that are nearly as good as the best, the last in the order
// of the state, so that what is listed first stays free. Coordinates that inputs drive are not chosen.
static void choose(choice *c, const bool *fixed)
{
    double first = 0.0;
    for (;;) {
        double best = 0.0;
        int at = -1;
        for (int j = 0; j < c->count; ++j) {
            bool taken = fixed[j];
            for (int k = 0; k < c->rank; ++k) {
                taken = taken || c->chosen[k] == j;
            }
            const double norm = taken ? 0.0 : get_norm(c->rest + (ptrdiff_t)j * c->rows, c->rows);
            if (norm >= 0.5 * best && norm > 0.0) {
                at = j;
                best = fmax(best, norm);
            }
        }
        first = c->rank == 0 ? best : first;
        if (at < 0 || best <= 1e-9 * first) {
            return;
        }
        c->chosen[c->rank++] = at;
        sweep(c, at);
    }
}

// ---- T -----------------------------------------------------------------------------------------

// xi = T y with J T = 0                                                                 (LIN-13)
//
//     xi_i = y,   E'J_d xi_d = -E'J_i y
//
// given     E  orthonormal, of the span of J_d: the swept columns
static lb_status fill_transformation(const choice *c, lb_store *store, lb_operating_point *point)
{
    const int r = c->rank, m = point->free_count, rows = c->rows;
    double *L = lb_take_numbers(store, (size_t)r * (size_t)(r + m));
    int *pivots = lb_store_take(store, (size_t)r, sizeof *pivots);
    point->T = lb_take_numbers(store, (size_t)c->count * (size_t)m);
    if (!L || !pivots || !point->T) {
        return LB_E_MEMORY;
    }
    double *R = L + (size_t)r * (size_t)r;
    for (int k = 0; k < r; ++k) {
        const double *e = c->rest + (ptrdiff_t)c->chosen[k] * rows;
        for (int j = 0; j < r + m; ++j) {
            const int column = j < r ? c->chosen[j] : point->free[j - r];
            double dot = 0.0;
            for (int i = 0; i < rows; ++i) {
                dot += e[i] * c->J[(ptrdiff_t)column * rows + i];
            }
            *(j < r ? &L[k * r + j] : &R[k * m + j - r]) = j < r ? dot : -dot;
        }
    }
    if (r > 0 && LAPACKE_dgesv(LAPACK_ROW_MAJOR, r, m, L, r, pivots, R, m) != 0) {
        return LB_E_SINGULAR;
    }
    for (int j = 0; j < m; ++j) {
        point->T[point->free[j] * m + j] = 1.0;
        for (int k = 0; k < r; ++k) {
            const double ratio = c->weight[c->chosen[k]] / c->weight[point->free[j]];
            point->T[c->chosen[k] * m + j] = R[k * m + j] * ratio;
        }
    }
    return LB_OK;
}

// Whether a loop would be torn by what inputs do: columns that are left where nothing may follow.
static bool is_torn(const choice *c, const bool *fixed)
{
    for (int j = 0; j < c->count; ++j) {
        const double whole = get_norm(c->J + (ptrdiff_t)j * c->rows, c->rows);
        if (fixed[j] && get_norm(c->rest + (ptrdiff_t)j * c->rows, c->rows) > 1e-9 * whole) {
            return true;
        }
    }
    return false;
}

static lb_status prepare(lb_system *s, const lb_operating_point *point, lb_store *store, choice *c)
{
    const int n = s->v_count;
    c->rows = lb_get_active_row_count(s->model, s->work);
    c->count = point->count;
    const size_t size = (size_t)c->rows * (size_t)c->count;
    double *whole = lb_take_numbers(store, (size_t)c->rows * (size_t)n + (size_t)n * (size_t)n);
    c->J = lb_take_numbers(store, 2 * size);
    c->weight = lb_take_numbers(store, (size_t)c->count);
    c->chosen = lb_store_take(store, (size_t)c->count, sizeof *c->chosen);
    if (!whole || !c->J || !c->weight || !c->chosen) {
        return LB_E_MEMORY;
    }
    double *M = whole + (size_t)c->rows * (size_t)n;
    c->rest = c->J + size;
    lb_status status = lb_compute_mass_matrix(s->model, s->work, point->q, M);
    status = status < 0 ? status : lb_compute_kinematics(s->model, s->work, point->q, NULL, NULL);
    status = status < 0 ? status : lb_form_loop_jacobian(s->model, s->work, whole);
    for (int j = 0; j < c->count && status >= 0; ++j) {
        const int entry = point->coordinates[j];
        const double m = M[entry * n + entry];
        c->weight[j] = m > 0.0 ? 1.0 / sqrt(m) : 1.0;
        for (int i = 0; i < c->rows; ++i) {
            c->J[(ptrdiff_t)j * c->rows + i] = c->weight[j] * whole[i * n + entry];
        }
    }
    memcpy(c->rest, c->J, size * sizeof *c->J);
    return status < 0 ? status : LB_OK;
}

lb_status lb_find_freedom(lb_system *s, const bool *fixed, lb_store *store,
                          lb_operating_point *point)
{
    point->free = lb_store_take(store, (size_t)point->count, sizeof *point->free);
    if (!point->free) {
        return LB_E_MEMORY;
    }
    if (lb_get_loop_count(s->model) == 0) {
        for (int i = 0; i < point->count; ++i) {
            point->free[point->free_count++] = i;
        }
        return LB_OK;
    }
    choice c = {0};
    lb_status status = prepare(s, point, store, &c);
    if (status < 0) {
        return status;
    }
    choose(&c, fixed);
    if (is_torn(&c, fixed)) {
        return lb_say(s, LB_E_ARGUMENT, "linear: an input drives a hinge that the loops hold");
    }
    for (int i = 0; i < point->count; ++i) {
        bool dependent = false;
        for (int k = 0; k < c.rank; ++k) {
            dependent = dependent || c.chosen[k] == i;
        }
        if (!dependent) {
            point->free[point->free_count++] = i;
        }
    }
    return fill_transformation(&c, store, point);
}

// ---- using it ----------------------------------------------------------------------------------

void lb_expand(const lb_operating_point *point, const double *y, double *x)
{
    const int m = point->free_count;
    for (int i = 0; i < point->count; ++i) {
        for (int part = 0; part < 2; ++part) {
            double sum = point->T ? 0.0 : y[2 * i + part];
            for (int j = 0; j < m && point->T; ++j) {
                sum += point->T[i * m + j] * y[2 * j + part];
            }
            x[2 * i + part] = sum;
        }
    }
}

void lb_gather(const lb_operating_point *point, const double *x, double *y)
{
    const int m = point->free_count;
    for (int j = 0; j < m; ++j) {
        y[j] = point->T ? 0.0 : x[j];
        for (int i = 0; i < point->count && point->T; ++i) {
            y[j] += point->T[i * m + j] * x[i];
        }
    }
}

// T'X T of the coordinates' part of X, v_count x v_count; or that part itself.
static void project(const lb_operating_point *point, int n, const double *X, double *XT,
                    double *out)
{
    const int m = point->free_count, *at = point->coordinates;
    for (int i = 0; i < point->count; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = point->T ? 0.0 : X[at[i] * n + at[j]];
            for (int k = 0; k < point->count && point->T; ++k) {
                sum += X[at[i] * n + at[k]] * point->T[k * m + j];
            }
            XT[i * m + j] = sum;
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = point->T ? 0.0 : XT[i * m + j];
            for (int k = 0; k < point->count && point->T; ++k) {
                sum += point->T[k * m + i] * XT[k * m + j];
            }
            out[i * m + j] = sum;
        }
    }
}

lb_status lb_reduce(const lb_operating_point *point, int n, const lb_tangent *whole,
                    lb_store *store, lb_tangent *part)
{
    lb_status status = lb_take_tangent(store, point->free_count, part);
    double *XT = lb_take_numbers(store, (size_t)point->count * (size_t)point->free_count);
    if (status < 0 || !XT) {
        return LB_E_MEMORY;
    }
    project(point, n, whole->M, XT, part->M);
    project(point, n, whole->C, XT, part->C);
    project(point, n, whole->K, XT, part->K);
    if (!point->T) {
        project(point, n, whole->N, XT, part->N);
    }
    return LB_OK;
}
