// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibrium: at rest, or in motion at constant speeds.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "closure.h"
#include "dense.h"
#include "limber/loops.h"
#include "newton.h"

// Levenberg and Marquardt's method on the configuration manifold                        (TRM-1)
//
//     r(q) = tau(q, v) - c(q, v),   J = dr/dxi along q (+) xi, from derivatives of the dynamics, or
//     by central differences where there are none
//     (J'J + mu diag(J'J)) xi = -J'r
//
// Directions in which nothing changes get no step: of a family of equilibria the nearest is found.
// With loops, q stays on them: every configuration is projected, r = tau - c + J_l' lambda holds
// their forces too, and J'J is joined by rho J_l'J_l, so that steps go along them        (TRM-2)
typedef struct search {
    lb_system *s;
    int n;
    double t;
    const double *v;              // speeds, constant
    const unsigned char *holding; // hinges that are held besides, a flag a body; or NULL
    double *q, *next, *r, *r_next, *c, *J, *N, *xi;
    double *J_l; // of loops: n x (6 a slot)
    int loop_rows;
    int *pivot;
    unsigned char *held;         // speeds of hinges driven by motion, or held
    double scale;                // largest force met
    lb_derivative_work *scratch; // NULL for differences
    double *extra;               // four matrices for the derivatives
} search;

static bool allocate(search *x, lb_system *s)
{
    const size_t n = (size_t)s->v_count, q = (size_t)s->q_count;
    x->s = s;
    x->n = s->v_count;
    x->loop_rows = s->closure ? 6 * s->closure->slot_count : 0;
    x->q = calloc(2 * q + 4 * n + 2 * n * n + n * (size_t)x->loop_rows + 1, sizeof *x->q);
    x->pivot = calloc(n + 1, sizeof *x->pivot);
    x->held = calloc(n + 1, 1);
    if (!x->q || !x->pivot || !x->held) {
        return false;
    }
    if (!s->closure && lb_has_analytic_derivatives(s->model)) {
        x->scratch = lb_create_derivative_work(s->model);
        x->extra = calloc(4 * n * n + 1, sizeof *x->extra);
        if (!x->scratch || !x->extra) {
            return false;
        }
    }
    x->next = x->q + q;
    x->r = x->next + q;
    x->r_next = x->r + n;
    x->c = x->r_next + n;
    x->xi = x->c + n;
    x->J = x->xi + n;
    x->N = x->J + n * n;
    x->J_l = x->N + n * n;
    return true;
}

// Adds to tau what the loops do.
static lb_status balance_loops(search *x, const double *q)
{
    lb_system *s = x->s;
    lb_status status = lb_compute_constrained_dynamics(s->model, s->work, q, x->v, s->driven,
                                                       s->tau, s->a, NULL, s->closure->forces);
    return status < 0 ? status
                      : lb_apply_loop_forces(s->model, s->work, s->closure->forces, s->tau);
}

// next = q (+) xi, on the loops.
static lb_status move(search *x)
{
    lb_integrate_configuration(x->s->model, x->q, x->xi, x->next);
    return x->s->closure ? lb_project(x->s, x->t, x->next, NULL) : LB_OK;
}

// r at a configuration; rows of driven hinges are zero.
static lb_status evaluate(search *x, const double *q, double *r)
{
    lb_system *s = x->s;
    memset(s->tau, 0, (size_t)x->n * sizeof *s->tau);
    memset(s->driven, 0, (size_t)s->body_count);
    lb_status status = lb_compute_kinematics(s->model, s->work, q, x->v, NULL);
    if (status >= 0 && s->force_count > 0) {
        status =
            lb_compute_forces(s->forces, s->model, s->work, x->t, q, x->v, s->tau, s->driven, s->a);
        if (status < 0) {
            return lb_say(s, status, "trim: %s", lb_get_force_message(s->forces));
        }
    }
    if (status >= 0 && s->closure) {
        status = balance_loops(x, q);
    }
    status = status < 0 ? status : lb_compute_bias(s->model, s->work, q, x->v, x->c);
    for (int k = 0; k < s->body_count; ++k) {
        const int hinge = lb_get_v_offset(s->model, k) + lb_get_mode_count(s->model, k);
        for (int i = 0; i < lb_get_hinge_v_count(s->model, k); ++i) {
            x->held[hinge + i] = s->driven[k] || (x->holding && x->holding[k]);
        }
    }
    for (int i = 0; i < x->n; ++i) {
        r[i] = x->held[i] ? 0.0 : s->tau[i] - x->c[i];
        x->scale = fmax(x->scale, fmax(fabs(s->tau[i]), fabs(x->c[i])));
        if (!isfinite(r[i])) {
            return lb_say(s, LB_E_NUMBER, "trim: a force is not a finite number");
        }
    }
    return status;
}

// J at x->q
static lb_status differentiate(search *x)
{
    const ptrdiff_t n = x->n, square = n * n;
    double *D = x->extra, *dq = D + square, *dv = dq + square, *M = dv + square;
    const lb_status status = lb_differentiate_balance(x->s, x->scratch, x->t, x->q, x->v, NULL, dq,
                                                      dv, x->J, D, M, NULL, NULL);
    for (ptrdiff_t i = 0; i < n; ++i) {
        for (ptrdiff_t j = 0; j < n; ++j) {
            x->J[i * n + j] = x->held[i] ? 0.0 : -x->J[i * n + j];
        }
    }
    return status;
}

static lb_status difference(search *x)
{
    // 1e-5: error of the second order below 1e-10 of the forces, round-off below 1e-11
    const double h = 1e-5;
    lb_status status = LB_OK;
    for (int j = 0; j < x->n && status >= 0; ++j) {
        memset(x->xi, 0, (size_t)x->n * sizeof *x->xi);
        for (int side = -1; side <= 1 && status >= 0; side += 2) {
            x->xi[j] = side * h;
            status = move(x);
            status = status < 0 ? status : evaluate(x, x->next, x->r_next);
            for (int i = 0; i < x->n; ++i) {
                double *entry = &x->J[i * x->n + j];
                *entry = (side < 0 ? 0.0 : *entry) + side * x->r_next[i] / (2.0 * h);
            }
        }
    }
    // J_l at q
    if (status >= 0 && x->s->closure) {
        status = lb_compute_kinematics(x->s->model, x->s->work, x->q, NULL, NULL);
        memset(x->xi, 0, (size_t)x->n * sizeof *x->xi);
        for (int j = 0; j < x->n && status >= 0; ++j) {
            x->xi[j] = x->held[j] ? 0.0 : 1.0;
            status = lb_apply_loop_jacobian(x->s->model, x->s->work, x->xi,
                                            x->J_l + (ptrdiff_t)j * x->loop_rows);
            x->xi[j] = 0.0;
        }
    }
    return status;
}

// N += rho J_l'J_l, rho such that the largest entries on the diagonals are alike.
static void add_loops(search *x, double largest)
{
    const int n = x->n, m = x->loop_rows;
    double own = 0.0;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < m; ++k) {
            sum += x->J_l[i * m + k] * x->J_l[i * m + k];
        }
        own = fmax(own, sum);
    }
    const double rho = own > 0.0 ? fmax(largest, 1.0) / own : 0.0;
    for (int i = 0; i < n && rho > 0.0; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < m; ++k) {
                sum += x->J_l[i * m + k] * x->J_l[j * m + k];
            }
            x->N[i * n + j] += rho * sum;
        }
    }
}

// One step for a given mu, into x->xi; false where the equations are singular.
static bool solve_step(search *x, double mu)
{
    const int n = x->n;
    double largest = 0.0;
    // what is held takes no step, whatever depends on it
    for (int i = 0; i < n * n; ++i) {
        x->J[i] = x->held[i % n] ? 0.0 : x->J[i];
    }
    for (int i = 0; i < n; ++i) {
        x->xi[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += x->J[k * n + i] * x->J[k * n + j];
            }
            x->N[i * n + j] = sum;
            x->xi[i] -= x->J[j * n + i] * x->r[j];
        }
        largest = fmax(largest, x->N[i * n + i]);
    }
    add_loops(x, largest);
    for (int i = 0; i < n; ++i) {
        // what nothing depends on stays where it is
        const double own = x->N[i * n + i];
        x->N[i * n + i] += x->held[i] || !(own > 1e-20 * largest) ? 1.0 + largest : mu * own;
    }
    if (!lb_factor_lu(n, x->N, x->pivot)) {
        return false;
    }
    lb_solve_lu(n, x->N, x->pivot, x->xi);
    return true;
}

static double square(const search *x, const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < x->n; ++i) {
        sum += r[i] * r[i];
    }
    return sum;
}

static void find_largest(const search *x, lb_trim *trim)
{
    int worst = 0;
    for (int i = 1; i < x->n; ++i) {
        worst = fabs(x->r[i]) > fabs(x->r[worst]) ? i : worst;
    }
    trim->residual = x->n > 0 ? fabs(x->r[worst]) : 0.0;
    trim->tolerance = 1e-9 * x->scale;
    for (int k = 0; k < x->s->body_count; ++k) {
        const int first = lb_get_v_offset(x->s->model, k);
        const int count = lb_get_mode_count(x->s->model, k) + lb_get_hinge_v_count(x->s->model, k);
        if (worst >= first && worst < first + count) {
            trim->body = k;
            trim->offset = worst - first;
        }
    }
}

static lb_status iterate(search *x, lb_trim *trim)
{
    enum { MOST = 200 };
    double mu = 1e-3;
    lb_status status = evaluate(x, x->q, x->r);
    find_largest(x, trim);
    // on as long as it gets better, well below what counts as balanced
    while (status >= 0 && trim->residual > 1e-6 * trim->tolerance && trim->iterations < MOST) {
        ++trim->iterations;
        status = x->scratch ? differentiate(x) : difference(x);
        bool better = false;
        for (; status >= 0 && !better && mu < 1e12; mu *= better ? 1.0 : 10.0) {
            if (!solve_step(x, mu)) {
                continue;
            }
            status = move(x);
            if (status == LB_E_OPEN) {
                status = LB_OK; // a shorter step
                continue;
            }
            status = status < 0 ? status : evaluate(x, x->next, x->r_next);
            better = status >= 0 && square(x, x->r_next) < square(x, x->r);
        }
        if (!better) {
            break;
        }
        memcpy(x->q, x->next, (size_t)x->s->q_count * sizeof *x->q);
        memcpy(x->r, x->r_next, (size_t)x->n * sizeof *x->r);
        mu = fmax(1e-15, 0.03 * mu);
        find_largest(x, trim);
    }
    return status;
}

lb_status lb_find_balance(lb_system *s, double t, const double *v, const unsigned char *held,
                          double *q, lb_trim *trim)
{
    search x = {.t = t, .v = v, .holding = held};
    *trim = (lb_trim){0};
    lb_status status = allocate(&x, s) ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(x.q, q, (size_t)s->q_count * sizeof *x.q);
        status = iterate(&x, trim);
    }
    if (status >= 0 && trim->residual > trim->tolerance) {
        status = lb_say(s, LB_E_STEP,
                        "trim: no equilibrium found from here: after %d iterations a force of %.3g "
                        "is left at body '%s', entry %d; another initial state may help",
                        trim->iterations, trim->residual, lb_get_body_name(s->model, trim->body),
                        trim->offset);
    } else if (status >= 0) {
        memcpy(q, x.q, (size_t)s->q_count * sizeof *x.q);
        status = LB_OK;
    }
    lb_destroy_derivative_work(s->model, x.scratch);
    free(x.extra);
    free(x.q);
    free(x.pivot);
    free(x.held);
    return status;
}

lb_status lb_trim_simulation(lb_simulation *sim, lb_trim *trim)
{
    lb_system *s = &sim->system;
    lb_trim own = {0};
    if (sim->started) {
        return LB_E_ARGUMENT;
    }
    lb_status status = lb_assemble_simulation(sim, sim->assemble_held, NULL);
    if (status < 0) {
        return status;
    }
    double *q = calloc((size_t)(s->q_count + s->v_count) + 1, sizeof *q);
    status = q ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(q, sim->q0, (size_t)s->q_count * sizeof *q);
        if (s->force_count > 0) {
            status = lb_set_driven_state(s->forces, s->model, 0.0, q, s->v);
        }
        status = status < 0 ? status : lb_find_balance(s, 0.0, q + s->q_count, NULL, q, &own);
    }
    if (status >= 0) {
        memcpy(sim->q0, q, (size_t)s->q_count * sizeof *q);
        memset(sim->v0, 0, (size_t)s->v_count * sizeof *sim->v0);
    }
    if (trim) {
        *trim = own;
    }
    free(q);
    return status;
}
