// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What is to vanish in an equilibrium, and its derivative.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/derivatives/derivative_parts.h"
#include "dynamics/tree/tree.h"
#include "limber/loops.h"
#include "simulate/system/closure.h"
#include "simulate/system/newton.h"
#include "trim.h"

lb_status lb_take_search(lb_search *x, lb_system *s)
{
    const size_t n = (size_t)s->v_count, q = (size_t)s->q_count;
    const size_t rows = s->closure ? 6 * (size_t)s->closure->slot_count : 0;
    x->s = s;
    x->arena = lb_make_arena(NULL);
    double *next = lb_take_numbers(&x->arena, 2 * q + 13 * n + 10 * n * n + rows * (n + 1));
    x->coordinates = lb_arena_take(&x->arena, 2 * n, sizeof *x->coordinates);
    x->scratch = lb_create_derivative_work(s->model);
    if (!next || !x->coordinates || !x->scratch) {
        return LB_E_MEMORY;
    }
    x->pivot = x->coordinates + n;
    const struct {
        double **place;
        size_t count;
    } pieces[] = {{&x->q, q},           {&x->next, q},
                  {&x->v, n},           {&x->v_next, n},
                  {&x->r, n},           {&x->r_next, n},
                  {&x->force, n},       {&x->c, n},
                  {&x->xi, n},          {&x->y, n},
                  {&x->W, n},           {&x->floor, n},
                  {&x->favour, n},      {&x->newton, n},
                  {&x->J, n * n},       {&x->N, n * n},
                  {&x->K, n * n},       {&x->C, n * n},
                  {&x->M, n * n},       {&x->dq, n * n},
                  {&x->dv, n * n},      {&x->S, n * n},
                  {&x->product, n * n}, {&x->T, n * n},
                  {&x->f, rows},        {&x->velocity_dq, rows * n}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        *pieces[i].place = next;
        next += pieces[i].count;
    }
    memset(x->floor, 0, n * sizeof *x->floor);
    return LB_OK;
}

// ---- forces ------------------------------------------------------------------------------------

// tau - c at a state, all rows.
static lb_status compute_forces(lb_search *x, const double *q, const double *v)
{
    lb_system *s = x->s;
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    memset(s->driven, 0, (size_t)s->body_count);
    lb_status status = lb_compute_kinematics(s->model, s->work, q, v, NULL);
    if (status >= 0 && s->force_count > 0) {
        status =
            lb_compute_forces(s->forces, s->model, s->work, x->t, q, v, s->tau, s->driven, s->a);
        if (status < 0) {
            return lb_say(s, status, "trim: %s", lb_get_force_message(s->forces));
        }
    }
    status = status < 0 ? status : lb_tree_bias(s->model, s->work, q, v, x->c);
    if (status == LB_E_NUMBER) {
        return lb_say(s, status, "trim: a coordinate is not a finite number");
    }
    for (int i = 0; i < s->v_count && status >= 0; ++i) {
        x->force[i] = s->tau[i] - x->c[i];
        x->scale = fmax(x->scale, fmax(fabs(s->tau[i]), fabs(x->c[i])));
        if (!isfinite(x->force[i])) {
            return lb_say(s, LB_E_NUMBER, "trim: a force is not a finite number");
        }
    }
    return status;
}

// The coordinates that nothing holds.
lb_status lb_list_balanced(lb_search *x)
{
    lb_system *s = x->s;
    int count = 0;
    lb_status status = compute_forces(x, x->q, x->v); // for the hinges that are driven
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        const int first = lb_get_v_offset(s->model, k), modes = lb_get_mode_count(s->model, k);
        const bool held = s->driven[k] || s->locked[k] || (x->holding && x->holding[k]);
        for (int i = 0; i < modes + (held ? 0 : lb_get_hinge(s->model, k).v_count); ++i) {
            x->coordinates[count++] = first + i;
        }
    }
    status =
        status < 0 ? status : lb_take_freedom(&x->arena, s, count, x->coordinates, &x->freedom);
    for (int i = 0; i < count; ++i) {
        x->favour[i] = 1.0;
    }
    x->freedom.favour = x->favour;
    return status;
}

// Speeds that the loops give, and r, at a configuration for which x->freedom was made.
lb_status lb_evaluate_balance(lb_search *x, const double *q, double *v, double *r)
{
    const lb_freedom *f = &x->freedom;
    double left;
    int loop;
    lb_status status = lb_complete_speeds(&x->freedom, q, v, &left, &loop);
    status = status < 0 ? status : compute_forces(x, q, v);
    for (int j = 0; j < f->free_count && status >= 0; ++j) {
        r[j] = f->T ? 0.0 : x->force[f->coordinates[j]];
        for (int i = 0; f->T && i < f->count; ++i) {
            r[j] += f->T[i * f->free_count + j] * x->force[f->coordinates[i]];
        }
    }
    return status;
}

// ---- derivatives -------------------------------------------------------------------------------

// K and C of c - tau, less what the forces at the loops do as they turn; and S.
static lb_status differentiate_loops(lb_search *x)
{
    lb_system *s = x->s;
    const ptrdiff_t square = (ptrdiff_t)s->v_count * s->v_count;
    for (int i = 0; i < s->v_count; ++i) {
        x->xi[i] = -x->force[i];
    }
    lb_solve_reaction(&x->freedom, x->xi, x->f);
    const lb_loop_derivatives out = {
        .size = sizeof out, .velocity_dq = x->velocity_dq, .force_dq = x->dq};
    lb_status status = lb_tree_inverse_derivatives(s->model, s->work, x->scratch, x->q, x->v, NULL,
                                                   NULL, NULL, NULL, NULL);
    status = status < 0 ? status
                        : lb_compute_loop_derivatives(s->model, s->work, x->scratch, x->f, &out);
    for (ptrdiff_t i = 0; i < square && status >= 0; ++i) {
        x->K[i] -= x->dq[i];
    }
    (void)lb_follow_rows(&x->freedom, x->velocity_dq, NULL, NULL, x->S);
    return status;
}

// J at x->q, of which x->force and x->freedom are                                       (TRM-2)
lb_status lb_differentiate_search(lb_search *x)
{
    const lb_freedom *f = &x->freedom;
    const int m = f->free_count, count = f->count, *at = f->coordinates;
    const ptrdiff_t n = x->s->v_count;
    lb_status status = lb_differentiate_balance(x->s, x->scratch, x->t, x->q, x->v, NULL, x->dq,
                                                x->dv, x->K, x->C, x->M, NULL, NULL);
    if (!f->T) {
        for (int i = 0; i < m * m; ++i) {
            x->J[i] = -x->K[at[i / m] * n + at[i % m]];
        }
        return status;
    }
    status = status < 0 ? status : differentiate_loops(x);
    for (int i = 0; i < count && status >= 0; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = 0.0;
            for (int k = 0; k < count; ++k) {
                sum += x->K[at[i] * n + at[k]] * f->T[k * m + j] +
                       x->C[at[i] * n + at[k]] * x->S[k * m + j];
            }
            x->product[i * m + j] = -sum;
        }
    }
    lb_form_transposed_product(count, m, m, f->T, x->product, x->J);
    return status;
}
