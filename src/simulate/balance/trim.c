// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibrium: at rest, or in motion at constant speeds.
#include "trim.h"
#include "simulate/run/simulation.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "model/layout.h"
#include "simulate/forces/force_set.h"
#include "simulate/record/record_tables.h"
#include "simulate/system/closure.h"

// Levenberg and Marquardt's method on the configuration manifold                        (TRM-1)
//
//     r(q) = tau(q, v) - c(q, v),   J = dr/dxi along q (+) xi
//     (J'W^2 J + mu diag(J'W^2 J)) xi = -J'W^2 r
//
// Directions in which nothing changes get no step: of a family of equilibria the nearest is found.
//
// With loops, on what they leave free                                                   (TRM-2)
//
//     xi = T y,   r = T'(tau - c),   J = T'(d(tau - c + J_l'f)/dq T + d(tau - c)/dv S)
//
// f the forces at the loops that balance the dependent coordinates, so that nothing is left of dT, and
// S how dependent speeds follow y; the others stay. Dependent coordinates close the loops.

// Weights of the rows, so that forces count by how far they would move what they act on: stiff modes
// beside soft hinges make a narrow valley of |r|, a round one of |W r|. Rows that depend on nothing are
// left out: no step changes them.
static void weigh(lb_search *x)
{
    const int m = x->freedom.free_count;
    double largest = 0.0;
    for (int i = 0; i < m; ++i) {
        x->W[i] = lb_compute_norm(m, x->J + i * m);
        x->floor[i] = 1e-15 * x->W[i];
        largest = fmax(largest, x->W[i]);
    }
    for (int i = 0; i < m; ++i) {
        const double own = x->W[i];
        x->W[i] = !(largest > 0.0)         ? 1.0
                  : own <= 1e-14 * largest ? 0.0
                                           : 1.0 / fmax(own, 1e-8 * largest);
    }
}

// ---- steps -------------------------------------------------------------------------------------

// Whether an entry of v turns something, as against shifting or bending it.
static bool is_turn(const lb_model *model, int entry)
{
    const int body = lb_find_owner(model, entry);
    const int i = entry - lb_get_v_offset(model, body) - lb_get_mode_count(model, body);
    return i >= 0 && lb_is_turn(lb_get_hinge(model, body).type, i);
}

// next = q (+) T y, on the loops, and its freedom and speeds; LB_E_OPEN where that does not go. Nothing
// turns by more than a radian: whether that was so by itself is in `whole`, which may be NULL.
static lb_status move(lb_search *x, bool *whole)
{
    lb_freedom *f = &x->freedom;
    const int m = f->free_count;
    double furthest = 0.0;
    memset(x->xi, 0, (size_t)x->s->v_count * sizeof *x->xi);
    for (int i = 0; i < f->count; ++i) {
        double sum = f->T ? 0.0 : x->y[i];
        for (int j = 0; f->T && j < m; ++j) {
            sum += x->T[i * m + j] * x->y[j];
        }
        x->xi[f->coordinates[i]] = sum;
        if (is_turn(x->s->model, f->coordinates[i])) {
            furthest = fmax(furthest, fabs(sum));
        }
    }
    for (int i = 0; i < x->s->v_count && furthest > 1.0; ++i) {
        x->xi[i] /= furthest;
    }
    if (whole) {
        *whole = furthest <= 1.0;
    }
    lb_integrate_configuration(x->s->model, x->q, x->xi, x->next);
    memcpy(x->v_next, x->v, (size_t)x->s->v_count * sizeof *x->v);
    const lb_status status = lb_close_dependent(f, x->t, x->next);
    return status == LB_E_SINGULAR ? LB_E_OPEN : status;
}

// One step for a given mu, into x->y; false where the equations are singular.
static bool solve_step(lb_search *x, double mu)
{
    const int m = x->freedom.free_count;
    double largest = 0.0;
    for (int i = 0; i < m; ++i) {
        x->y[i] = 0.0;
        for (int j = 0; j < m; ++j) {
            double sum = 0.0;
            for (int k = 0; k < m; ++k) {
                sum += x->W[k] * x->W[k] * x->J[k * m + i] * x->J[k * m + j];
            }
            x->N[i * m + j] = sum;
            x->y[i] -= x->W[j] * x->W[j] * x->J[j * m + i] * x->r[j];
        }
        largest = fmax(largest, x->N[i * m + i]);
    }
    for (int i = 0; i < m; ++i) {
        // what nothing depends on stays where it is
        const double own = x->N[i * m + i];
        x->N[i * m + i] += !(own > 1e-20 * largest) ? 1.0 + largest : mu * own;
    }
    if (!lb_factor_lu(m, x->N, x->pivot)) {
        return false;
    }
    lb_solve_lu(m, x->N, x->pivot, x->y);
    return true;
}

// ---- the search --------------------------------------------------------------------------------

// |W r|^2
static double square(const lb_search *x, const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < x->freedom.free_count; ++i) {
        sum += x->W[i] * x->W[i] * r[i] * r[i];
    }
    return sum;
}

// How much force may be left in a row: a part of the forces that were met, or what a move of 1e-15 rad or m
// changes. Where the search starts from an equilibrium, all forces that it meets are round-off.
static double get_tolerance(const lb_search *x, int row)
{
    return fmax(1e-9 * x->scale, x->floor[row]);
}

// The largest force that is left, of rows that are not balanced if there are any.
static void find_largest(const lb_search *x, lb_trim *trim)
{
    const lb_freedom *f = &x->freedom;
    int worst = 0;
    for (int i = 1; i < f->free_count; ++i) {
        const bool is_off = fabs(x->r[i]) > get_tolerance(x, i),
                   was_off = fabs(x->r[worst]) > get_tolerance(x, worst);
        worst = is_off == was_off ? (fabs(x->r[i]) > fabs(x->r[worst]) ? i : worst)
                : is_off          ? i
                                  : worst;
    }
    trim->tolerance = 1e-9 * x->scale;
    if (f->free_count > 0) {
        trim->tolerance = get_tolerance(x, worst);
        const int entry = f->coordinates[f->free[worst]];
        trim->residual = fabs(x->r[worst]);
        trim->body = lb_find_owner(x->s->model, entry);
        trim->offset = entry - lb_get_v_offset(x->s->model, trim->body);
    }
}

// Whether all that is left is what rounding leaves: steps then only stir it.
static bool is_rounded(const lb_search *x)
{
    for (int i = 0; i < x->freedom.free_count; ++i) {
        if (fabs(x->r[i]) > x->floor[i]) {
            return false;
        }
    }
    return true;
}

// Freedom, speeds and r at x->q.
static lb_status arrive(lb_search *x, lb_trim *trim)
{
    lb_status status = lb_choose_freedom(&x->freedom, x->q, NULL);
    status = status < 0 ? status : lb_evaluate_balance(x, x->q, x->v, x->r);
    if (status >= 0) {
        find_largest(x, trim);
    }
    return status;
}

// Whether r is as small as it gets near here: no column of J has a part of it.
static bool is_stuck(const lb_search *x)
{
    const int m = x->freedom.free_count;
    for (int j = 0; j < m; ++j) {
        double along = 0.0, own = 0.0;
        for (int i = 0; i < m; ++i) {
            const double part = x->W[i] * x->J[i * m + j];
            along += part * x->W[i] * x->r[i];
            own += part * part;
        }
        if (fabs(along) > 1e-4 * sqrt(own * square(x, x->r))) {
            return false;
        }
    }
    return true;
}

// T of the steps to come: that of the freedom changes with every place that is looked at.
static void keep_transformation(lb_search *x)
{
    const lb_freedom *f = &x->freedom;
    if (f->T) {
        memcpy(x->T, f->T, (size_t)f->count * (size_t)f->free_count * sizeof *x->T);
    }
}

// The way that forces are from their balance, |J^-1 r|, in units of inertia.
static double measure_way(const lb_search *x, const double *r, double *y)
{
    const lb_freedom *f = &x->freedom;
    const int m = f->free_count;
    const ptrdiff_t n = x->s->v_count;
    double sum = 0.0;
    for (int i = 0; i < m; ++i) {
        y[i] = -x->W[i] * r[i];
    }
    lb_solve_lu(m, x->N, x->pivot, y);
    for (int i = 0; i < m; ++i) {
        const int entry = f->coordinates[f->free[i]];
        sum += x->M[entry * n + entry] * y[i] * y[i];
    }
    return sqrt(sum);
}

// Newton's method with a test that does not care for units                              (TRM-3)
//
//     y = -s J^-1 r,   |J^-1 r(q (+) y)| < (1 - s/4) |J^-1 r(q)|,   s = 1, 1/2, ...
//
// Stiff springs that stretch by the square of a step leave large forces, which the next step takes back
// by hardly moving: |r| would have short steps only. Not where J is nearly singular, nor for steps of
// more than a radian.
static lb_status try_newton(lb_search *x, bool *better)
{
    const int m = x->freedom.free_count;
    *better = false;
    for (int i = 0; i < m * m; ++i) {
        const double w = x->W[i / m];
        x->N[i] = w > 0.0 ? w * x->J[i] : i / m == i % m;
    }
    if (!lb_factor_lu(m, x->N, x->pivot)) {
        return LB_OK;
    }
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < m; ++i) {
        least = fmin(least, fabs(x->N[i * m + i]));
        most = fmax(most, fabs(x->N[i * m + i]));
    }
    const double way = measure_way(x, x->r, x->newton);
    lb_status status = LB_OK;
    for (double s = 1.0; least > 1e-9 * most && s > 1e-2 && !*better && status >= 0; s *= 0.5) {
        for (int i = 0; i < m; ++i) {
            x->y[i] = s * x->newton[i];
        }
        bool whole = true;
        status = move(x, &whole);
        if (status == LB_E_OPEN || !whole) {
            status = status == LB_E_OPEN ? LB_OK : status;
            continue;
        }
        status = status < 0 ? status : lb_evaluate_balance(x, x->next, x->v_next, x->r_next);
        *better = status >= 0 && measure_way(x, x->r_next, x->y) < (1.0 - 0.25 * s) * way;
    }
    return status;
}

// Whether there is a step that lessens |J^-1 r| or |W r|: x->next then.
static lb_status take_step(lb_search *x, double *mu, bool *better)
{
    lb_status status = lb_differentiate_search(x);
    weigh(x);
    keep_transformation(x);
    *better = false;
    status = status < 0 ? status : try_newton(x, better);
    for (; status >= 0 && !*better && *mu < 1e12; *mu *= *better ? 1.0 : 10.0) {
        if (!solve_step(x, *mu)) {
            continue;
        }
        status = move(x, NULL);
        if (status == LB_E_OPEN) {
            status = LB_OK; // a shorter step
            continue;
        }
        status = status < 0 ? status : lb_evaluate_balance(x, x->next, x->v_next, x->r_next);
        *better = status >= 0 && square(x, x->r_next) < square(x, x->r);
    }
    return status;
}

// Where a coordinate pulls a linkage straight its force does not vanish, and nothing shows the way to
// the equilibrium that is there: coordinates that follow may.
static lb_status change_coordinates(lb_search *x, lb_trim *trim)
{
    const lb_freedom *f = &x->freedom;
    for (int i = 0; i < f->count; ++i) {
        x->favour[i] = f->taken[i] ? 1e-3 : 1.0;
    }
    return arrive(x, trim);
}

// Where all forces are as large as they get nearby, such as those of a pendulum that stands out level,
// their squares show no way: a move along the accelerations, as things would fall, up to 0.3 rad or m.
static lb_status fall(lb_search *x, lb_trim *trim)
{
    const lb_freedom *f = &x->freedom;
    const int m = f->free_count, count = f->count, *at = f->coordinates;
    const ptrdiff_t n = x->s->v_count;
    for (int i = 0; i < m * m; ++i) {
        double sum = 0.0;
        if (!f->T) {
            sum = x->M[at[i / m] * n + at[i % m]];
        }
        for (int k = 0; f->T && k < count * count; ++k) {
            sum += f->T[k / count * m + i / m] * x->M[at[k / count] * n + at[k % count]] *
                   f->T[k % count * m + i % m];
        }
        x->N[i] = sum;
    }
    memcpy(x->y, x->r, (size_t)m * sizeof *x->y);
    if (!lb_factor_lu(m, x->N, x->pivot)) {
        return LB_OK;
    }
    lb_solve_lu(m, x->N, x->pivot, x->y);
    double largest = lb_find_largest(m, x->y);
    lb_status status = LB_E_OPEN;
    keep_transformation(x);
    for (double reach = 0.3; reach > 1e-3 && status == LB_E_OPEN && largest > 0.0; reach *= 0.5) {
        for (int i = 0; i < m; ++i) {
            x->y[i] *= reach / largest;
        }
        largest = reach;
        status = move(x, NULL);
    }
    if (status >= 0) {
        memcpy(x->q, x->next, (size_t)x->s->q_count * sizeof *x->q);
    }
    return status < 0 && status != LB_E_OPEN ? status : arrive(x, trim);
}

// Another way where none lessens |W r| any more: other coordinates, then a fall.
static lb_status try_otherwise(lb_search *x, int attempt, lb_trim *trim)
{
    enum { CHANGES = 2 };
    lb_status status = lb_follow_freedom(&x->freedom, x->q);
    if (status < 0) {
        return status;
    }
    if (x->freedom.T && attempt < CHANGES) {
        return change_coordinates(x, trim);
    }
    for (int i = 0; i < x->freedom.count; ++i) {
        x->favour[i] = 1.0;
    }
    // further every time
    status = fall(x, trim);
    for (int i = 0; i < attempt && status >= 0; ++i) {
        status = lb_differentiate_search(x);
        status = status < 0 ? status : fall(x, trim);
    }
    return status;
}

static lb_status iterate(lb_search *x, lb_trim *trim)
{
    enum { MOST = 200, ENOUGH = 20, ATTEMPTS = 8 };
    int attempts = 0;
    double mu = 1e-3;
    lb_trim first = {0};
    lb_status status = arrive(x, trim);
    // on as long as it gets better, well below what counts as balanced
    while (status >= 0 && trim->residual > 1e-6 * trim->tolerance && trim->iterations < MOST) {
        bool better;
        ++trim->iterations;
        status = take_step(x, &mu, &better);
        if (better) {
            memcpy(x->q, x->next, (size_t)x->s->q_count * sizeof *x->q);
            memcpy(x->v, x->v_next, (size_t)x->s->v_count * sizeof *x->v);
            mu = fmax(1e-15, 0.03 * mu);
            status = arrive(x, trim);
            if (trim->iterations >= ENOUGH && is_rounded(x)) {
                break;
            }
            continue;
        }
        find_largest(x, trim); // the step has found what rounding leaves
        if (status < 0 || trim->residual <= trim->tolerance || attempts == ATTEMPTS) {
            break;
        }
        if (attempts == 0) {
            first = *trim;
            x->is_stuck = is_stuck(x);
        }
        mu = 1e-3;
        status = try_otherwise(x, attempts++, trim);
    }
    // nothing found: what was left where it was stuck first
    if (status >= 0 && attempts > 0 && trim->residual > trim->tolerance) {
        first.iterations = trim->iterations;
        *trim = first;
    }
    return status;
}

static lb_status say_unbalanced(const lb_search *x, const lb_trim *trim)
{
    lb_system *s = x->s;
    char name[LB_COLUMN_SIZE];
    lb_name_coordinate(s->model, lb_get_v_offset(s->model, trim->body) + trim->offset, false, name);
    bool moving = false;
    for (int i = 0; i < s->v_count; ++i) {
        moving = moving || x->v[i] != 0.0;
    }
    const char *what = moving ? "steady motion" : "equilibrium";
    if (x->is_stuck) {
        return lb_say(s, LB_E_EQUILIBRIUM,
                      "trim: there is no %s near here: a force of %.3g (N, N m) is left at %s, and "
                      "no small move changes that; what pushes has nothing to push against",
                      what, trim->residual, name);
    }
    return lb_say(s, LB_E_EQUILIBRIUM,
                  "trim: no %s found from here: after %d iterations a force of %.3g (N, N m) is "
                  "left at %s; another initial state, or a lock, may help",
                  what, trim->iterations, trim->residual, name);
}

lb_status lb_find_balance(lb_system *s, double t, double *v, const unsigned char *held, double *q,
                          lb_trim *trim)
{
    lb_search x = {.t = t, .holding = held};
    *trim = (lb_trim){0};
    lb_status status = lb_take_search(&x, s);
    if (status == LB_OK) {
        memcpy(x.q, q, (size_t)s->q_count * sizeof *x.q);
        memcpy(x.v, v, (size_t)s->v_count * sizeof *x.v);
        status = lb_list_balanced(&x);
        status = status < 0 ? status : iterate(&x, trim);
    }
    if (status >= 0 && trim->residual > trim->tolerance) {
        status = say_unbalanced(&x, trim);
    } else if (status >= 0) {
        memcpy(q, x.q, (size_t)s->q_count * sizeof *x.q);
        memcpy(v, x.v, (size_t)s->v_count * sizeof *x.v);
        status = LB_OK;
    }
    lb_destroy_derivative_work(x.scratch);
    lb_arena_free(&x.arena);
    return status;
}

// The equilibrium of the plant without its controllers.
static lb_status trim_plant(lb_simulation *sim, lb_trim *trim)
{
    lb_system *s = &sim->system;
    lb_arena arena = lb_make_arena(NULL);
    double *q = lb_take_numbers(&arena, (size_t)(s->q_count + s->v_count));
    lb_status status = q ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(q, sim->q0, (size_t)s->q_count * sizeof *q);
        if (s->force_count > 0) {
            status = lb_set_driven_state(s->forces, s->model, 0.0, q, s->v);
        }
        if (s->closure) {
            s->closure->dropped = 2;
        }
        status = status < 0 ? status : lb_set_loop_motions(s, 0.0);
        status = status < 0 ? status : lb_find_balance(s, 0.0, q + s->q_count, NULL, q, trim);
        if (s->closure) {
            s->closure->dropped = 0;
        }
    }
    if (status >= 0) {
        memcpy(sim->q0, q, (size_t)s->q_count * sizeof *q);
    }
    lb_arena_free(&arena);
    return status;
}

// With the controllers if possible; otherwise without them, with a warning.
static lb_status trim_all(lb_simulation *sim, lb_trim *trim)
{
    lb_status status = lb_assemble_simulation(sim, sim->assemble_held, NULL);
    if (status >= 0 && sim->rest) {
        status = sim->rest(sim);
        trim->under_control = status == LB_OK;
        if (status == LB_OK || status == LB_E_MEMORY) {
            return status;
        }
        if (status < 0) {
            // "linear: no equilibrium ..."
            char message[LB_MESSAGE_SIZE];
            const char *colon = strchr(sim->system.message, ':');
            snprintf(message, sizeof message, "%s", colon ? colon + 2 : sim->system.message);
            lb_complain(&sim->faults, LB_SEVERITY_WARNING, "", "",
                        "trim: without what controllers command: %s", message);
        }
        status = LB_OK;
    }
    return status < 0 ? status : trim_plant(sim, trim);
}

lb_status lb_trim_simulation(lb_simulation *sim, lb_trim *trim)
{
    enum { SMALLEST = offsetof(lb_trim, residual) + sizeof(double) };
    lb_system *s = &sim->system;
    lb_trim own = {.size = sizeof own};
    lb_status status = trim ? lb_give_sized(&own, sizeof own, SMALLEST, trim) : LB_OK;
    if (status < 0) {
        return lb_say(s, status,
                      "trim: an lb_trim of %zu bytes, but this version of limber has %zu",
                      trim->size, sizeof own);
    }
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(s, LB_E_ARGUMENT, "trim: the simulation has been started already");
    }
    // linear models would ask for the initial state again
    lb_status (*settle)(lb_simulation *) = sim->settle;
    sim->settle = NULL;
    status = trim_all(sim, &own);
    sim->settle = settle;
    if (status >= 0) {
        memset(sim->v0, 0, (size_t)s->v_count * sizeof *sim->v0);
        lb_watch_ranges(sim, -1.0, sim->q0);
    }
    if (trim) {
        (void)lb_give_sized(&own, sizeof own, SMALLEST, trim);
    }
    return status;
}

static lb_status settle(lb_simulation *sim)
{
    const lb_status status = lb_trim_simulation(sim, NULL);
    // once: nothing can be added any more
    sim->settle = status < 0 ? settle : NULL;
    return status;
}

void lb_trim_at_start(lb_simulation *sim)
{
    sim->settle = settle;
}
