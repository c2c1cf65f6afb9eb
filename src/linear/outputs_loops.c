// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of signals that read the forces of loops, along the loops.
#include <math.h>
#include <string.h>

#include "limber/loops.h"
#include "linear.h"
#include "simulate/closure.h"

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
    const lb_moment moment = {s->model, s->work, point->t, r->q, r->v, r->a};
    return status < 0 ? status : lb_evaluate_signal(r->signal, &moment, value);
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
                               const double *forces, lb_store *store, double *value, double *C,
                               double *D)
{
    const size_t n = (size_t)s->v_count;
    const int m = point->freedom.free_count;
    road r = {s, point, signal, inputs, forces, NULL, NULL, NULL, NULL, NULL};
    r.driven = lb_store_take(store, (size_t)s->body_count, 1);
    r.q = lb_take_numbers(store, (size_t)s->q_count + 3 * n);
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
