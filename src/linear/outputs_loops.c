// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the forces of loops, and of signals that read them.
#include <string.h>

#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/loops/closed_chain.h"
#include "dynamics/tree/tree.h"
#include "limber/loops.h"
#include "linear.h"
#include "simulate/signals/slopes.h"
#include "simulate/system/closure.h"

// ---- the forces themselves ---------------------------------------------------------------------

// A column of state or input: how coordinates, speeds and accelerations go with it.
typedef struct deviation {
    double *xi, *dv, *da; // v_count each
} deviation;

// (LIN-14) for state or input j.
static void follow(const lb_operating_point *point, int j, const double *A, const double *B,
                   int input_count, deviation *c)
{
    const lb_freedom *f = &point->freedom;
    const int n = f->free_count;
    for (int i = 0; i < f->count; ++i) {
        const int entry = f->coordinates[i];
        const double *T = f->T + i * n;
        double da = j < n ? point->R_q[i * n + j] : j < 2 * n ? point->R_v[i * n + j - n] : 0.0;
        for (int k = 0; k < n; ++k) {
            da +=
                T[k] * (j < 2 * n ? A[(n + k) * 2 * n + j] : B[(n + k) * input_count + j - 2 * n]);
        }
        c->xi[entry] = j < n ? T[j] : 0.0;
        c->dv[entry] = j < n ? point->S[i * n + j] : j < 2 * n ? T[j - n] : 0.0;
        c->da[entry] = da;
    }
}

// The derivative of J z by q, 6 a slot x v_count, with J_d z_d = lambda: in Z.
static lb_status turn_rows(lb_system *s, const lb_operating_point *point, const double *lambda,
                           double *z, double *Z)
{
    const lb_freedom *f = &point->freedom;
    lb_derivative_work *scratch = lb_create_derivative_work(s->model);
    const lb_loop_derivatives out = {.size = sizeof out, .velocity_dq = Z};
    memset(z, 0, (size_t)s->v_count * sizeof *z);
    (void)lb_solve_dependent(f, lambda, f->column);
    for (int i = 0; i < f->count; ++i) {
        z[f->coordinates[i]] = f->column[i];
    }
    lb_status status = scratch ? lb_tree_inverse_derivatives(s->model, s->work, scratch, point->q,
                                                             z, NULL, NULL, NULL, NULL, NULL)
                               : LB_E_MEMORY;
    status =
        status < 0 ? status : lb_compute_loop_derivatives(s->model, s->work, scratch, NULL, &out);
    lb_destroy_derivative_work(scratch);
    return status;
}

// Changes of the forces of least norm                                                   (LIN-16)
//
//     J_d' E e = (M da + C dv + K xi - G u)_d,   d(lambda) = E e + (I - E E') (J z)_q xi,
//     J_d z_d = lambda
//
// The first part balances what changes; the second keeps lambda orthogonal to what redundant rows
// could exert against each other, as these turn.
lb_status lb_differentiate_loop_forces(lb_system *s, const lb_operating_point *point,
                                       const lb_tangent *t, const double *A, const double *B,
                                       int input_count, const double *forces, lb_arena *arena,
                                       double **rows)
{
    const lb_freedom *f = &point->freedom;
    const size_t n = (size_t)s->v_count, m = (size_t)f->rows;
    const int width = 2 * f->free_count + input_count;
    *rows = lb_take_numbers(arena, m * (size_t)width);
    double *xi = lb_take_numbers(arena, 5 * n + m * n + 2 * m);
    if (!*rows || !xi) {
        return LB_E_MEMORY;
    }
    deviation c = {xi, xi + n, xi + 2 * n};
    double *rhs = xi + 3 * n, *z = rhs + n, *Z = z + n, *turned = Z + m * n, *change = turned + m;
    const lb_status status = turn_rows(s, point, point->loop_forces, z, Z);
    for (int j = 0; j < width && status >= 0; ++j) {
        follow(point, j, A, B, input_count, &c);
        for (size_t i = 0; i < n; ++i) {
            rhs[i] = j < 2 * f->free_count ? 0.0 : -forces[(size_t)(j - 2 * f->free_count) * n + i];
            for (size_t k = 0; k < n; ++k) {
                rhs[i] += t->M[i * n + k] * c.da[k] + t->C[i * n + k] * c.dv[k] +
                          t->K[i * n + k] * c.xi[k];
            }
        }
        for (size_t i = 0; i < m; ++i) {
            turned[i] = 0.0;
            for (size_t k = 0; k < n; ++k) {
                turned[i] += Z[i * n + k] * c.xi[k];
            }
        }
        lb_solve_reaction(f, rhs, change);
        lb_remove_span(f, turned);
        for (size_t i = 0; i < m; ++i) {
            (*rows)[i * (size_t)width + (size_t)j] = change[i] + turned[i];
        }
    }
    return status;
}

// ---- signals that read them ----------------------------------------------------------------------

// Leaves as they are met.
typedef struct gathering {
    lb_arena *arena;
    lb_output_leaf *leaves;
    int count, capacity;
} gathering;

static lb_status gather(void *user, const lb_signal *leaf, double slope)
{
    gathering *g = user;
    lb_output_leaf *leaves =
        lb_arena_grow(g->arena, g->leaves, g->count, &g->capacity, sizeof *leaves);
    if (!leaves) {
        return LB_E_MEMORY;
    }
    g->leaves = leaves;
    leaves[g->count++] = (lb_output_leaf){leaf, slope, false};
    return LB_OK;
}

lb_status lb_compute_point_forces(lb_system *s, const lb_operating_point *point)
{
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    const lb_status status = lb_compute_kinematics(s->model, s->work, point->q, point->v, NULL);
    return status < 0 || s->force_count == 0
               ? status
               : lb_compute_forces(s->forces, s->model, s->work, point->t, point->q, point->v,
                                   s->tau, s->driven, s->a);
}

// The dynamics at the point, which leave forces of loops and hinges in the workspace.
static lb_status find_forces(lb_system *s, const lb_operating_point *point, lb_arena *arena)
{
    const size_t n = (size_t)s->v_count;
    unsigned char *driven = lb_arena_take(arena, (size_t)s->body_count, 1);
    double *a = lb_take_numbers(arena, n);
    if (!driven || !a) {
        return LB_E_MEMORY;
    }
    memcpy(a, point->a, n * sizeof *a);
    for (int k = 0; k < s->body_count; ++k) {
        driven[k] = point->held[k] || point->guided[k];
    }
    const lb_status status = lb_compute_point_forces(s, point);
    if (status < 0 || s->closure) {
        return status < 0 ? status
                          : lb_closed_forward(s->model, s->work, point->q, point->v, driven, s->tau,
                                              a, NULL, NULL);
    }
    return lb_tree_inverse(s->model, s->work, point->q, point->v, point->a, s->tau);
}

lb_status lb_find_output_leaves(lb_system *s, const lb_operating_point *point,
                                const lb_signal *signal, lb_arena *arena, double *value,
                                lb_output_leaf **leaves, int *count)
{
    gathering g = {.arena = arena};
    const lb_instant instant = lb_make_system_instant(s, point->t, point->q, point->v, point->a);
    lb_status status = find_forces(s, point, arena);
    status = status < 0 ? status : lb_evaluate_signal(signal, &instant, value);
    status = status < 0 ? status : lb_visit_leaves(signal, &instant, 1.0, gather, &g);
    *leaves = g.leaves;
    *count = g.count;
    return status;
}
