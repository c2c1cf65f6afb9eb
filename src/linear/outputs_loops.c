// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the forces of loops, and of signals that read them.
#include <math.h>
#include <string.h>

#include "limber/loops.h"
#include "linear.h"
#include "signals/signals.h"
#include "system/closure.h"

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
    lb_status status = scratch
                           ? lb_compute_inverse_derivatives(s->model, s->work, scratch, point->q, z,
                                                            NULL, NULL, NULL, NULL, NULL)
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

lb_status lb_pick_loop_force(const lb_operating_point *point, const lb_signal *signal, int width,
                             const double *rows, double *value, double *row)
{
    const int at = 6 * signal->body + (signal->kind == LB_SIGNAL_LOOP_FORCE ? 3 : 0);
    const double *force = point->loop_forces + at;
    const double norm = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    *value = signal->index >= 0 ? force[signal->index] : norm;
    for (int j = 0; j < width; ++j) {
        row[j] = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double w = signal->index < 0 ? force[i] / norm : i == signal->index;
            row[j] += w * rows[(at + i) * width + j];
        }
    }
    return signal->index >= 0 || norm > 0.0 ? LB_OK : LB_E_NUMBER;
}

// ---- signals that read them, by differences ------------------------------------------------------

typedef struct road {
    lb_system *s;
    const lb_operating_point *point;
    const lb_signal *signal;
    const lb_input *inputs;
    const double *forces;  // of each input a unit: v_count
    unsigned char *driven; // hinges that forces do not move
    double *q, *v, *a, *step;
} road;

// The signal where the state has gone to x[0] along the free coordinate `j` and x[1] along its speed,
// and the input is u.
static lb_status evaluate(road *r, int j, const double x[2], int input, double u, double *value)
{
    lb_system *s = r->s;
    const lb_operating_point *point = r->point;
    const lb_freedom *f = &point->freedom;
    const int n = s->v_count, m = f->free_count;
    memset(r->step, 0, (size_t)n * sizeof *r->step);
    memcpy(r->v, point->v, (size_t)n * sizeof *r->v);
    memcpy(r->a, point->a, (size_t)n * sizeof *r->a);
    for (int i = 0; i < f->count && j >= 0; ++i) {
        r->step[f->coordinates[i]] = f->T[i * m + j] * x[0];
        r->v[f->coordinates[i]] += point->S[i * m + j] * x[0] + f->T[i * m + j] * x[1];
    }
    lb_integrate_configuration(s->model, point->q, r->step, r->q);
    // projections know locks only, dynamics what is driven as well
    lb_set_locks(s, r->driven, true);
    lb_status status = lb_project(s, point->t, r->q, r->v);
    lb_set_locks(s, r->driven, false);
    memset(s->tau, 0, (size_t)n * sizeof *s->tau);
    status = status < 0 ? status : lb_compute_kinematics(s->model, s->work, r->q, r->v, NULL);
    if (status >= 0 && s->force_count > 0) {
        status = lb_compute_forces(s->forces, s->model, s->work, point->t, r->q, r->v, s->tau,
                                   s->driven, s->a);
    }
    if (input >= 0 && r->inputs[input].kind == LB_INPUT_MOTION) {
        r->a[r->inputs[input].entry] += u;
    }
    for (int i = 0; i < n && input >= 0; ++i) {
        s->tau[i] += u * r->forces[input * n + i];
    }
    status = status < 0 ? status
                        : lb_compute_constrained_dynamics(s->model, s->work, r->q, r->v, r->driven,
                                                          s->tau, r->a, NULL, NULL);
    const lb_instant instant = lb_make_instant(s->model, s->work, point->t, r->q, r->v, r->a);
    return status < 0 ? status : lb_evaluate_signal(r->signal, &instant, value);
}

// Differences of the sixth order, of the dynamics themselves on the loops                (DER-9)
static lb_status difference(road *r, int column, double *slope)
{
    static const double h = 1e-3, weights[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
    const int m = r->point->freedom.free_count;
    *slope = 0.0;
    for (int k = -3; k <= 3; ++k) {
        double value = 0.0;
        const double x[2] = {column < m ? k * h : 0.0, column < m ? 0.0 : k * h};
        const lb_status status = k == 0 ? LB_OK
                                 : column < 2 * m
                                     ? evaluate(r, column % m, x, -1, 0.0, &value)
                                     : evaluate(r, -1, x, column - 2 * m, k * h, &value);
        if (status < 0) {
            return status;
        }
        *slope += (k < 0 ? -weights[-k - 1] : k > 0 ? weights[k - 1] : 0.0) * value / h;
    }
    return LB_OK;
}

lb_status lb_difference_output(lb_system *s, const lb_operating_point *point,
                               const lb_signal *signal, int input_count, const lb_input *inputs,
                               const double *forces, lb_arena *arena, double *value, double *C,
                               double *D)
{
    const size_t n = (size_t)s->v_count;
    const int m = point->freedom.free_count;
    road r = {s, point, signal, inputs, forces, NULL, NULL, NULL, NULL, NULL};
    r.driven = lb_arena_take(arena, (size_t)s->body_count, 1);
    r.q = lb_take_numbers(arena, (size_t)s->q_count + 3 * n);
    if (!r.driven || !r.q) {
        return LB_E_MEMORY;
    }
    r.v = r.q + s->q_count;
    r.a = r.v + n;
    r.step = r.a + n;
    for (int k = 0; k < s->body_count; ++k) {
        r.driven[k] = point->held[k] || point->guided[k];
    }
    lb_status status = evaluate(&r, -1, (double[]){0.0, 0.0}, -1, 0.0, value);
    for (int j = 0; j < 2 * m + input_count && status >= 0; ++j) {
        status = difference(&r, j, j < 2 * m ? &C[j] : &D[j - 2 * m]);
    }
    return status;
}
