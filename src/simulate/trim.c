// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Equilibrium: at rest, or in motion at constant speeds.
#include <math.h>
#include <string.h>

#include "closure.h"
#include "dense.h"
#include "freedom.h"
#include "limber/loops.h"
#include "newton.h"
#include "record_tables.h"

// Levenberg and Marquardt's method on the configuration manifold                        (TRM-1)
//
//     r(q) = tau(q, v) - c(q, v),   J = dr/dxi along q (+) xi
//     (J'J + mu diag(J'J)) xi = -J'r
//
// Directions in which nothing changes get no step: of a family of equilibria the nearest is found.
//
// With loops, on what they leave free                                                   (TRM-2)
//
//     xi = T y,   r = T'(tau - c),   J = T'(d(tau - c + J_l'f)/dq T + d(tau - c)/dv S)
//
// f the forces at the loops that balance the dependent coordinates, so that nothing is left of dT, and
// S how dependent speeds follow y; the others stay. Dependent coordinates close the loops.
typedef struct search {
    lb_system *s;
    lb_store store;
    lb_freedom freedom;
    double t;
    const unsigned char *holding; // hinges that are held besides, a flag a body; or NULL
    int *coordinates;             // entries of v that move
    double *q, *next;
    double *v, *v_next;          // constant but for dependent ones
    double *r, *r_next;          // m
    double *force;               // tau - c, all of it
    double *c, *xi;              // v_count
    double *J, *N, *y, *W;       // m x m, m
    int *pivot;                  // m
    double *K, *C, *M, *dq, *dv; // v_count x v_count
    double *S, *product;         // count x m
    double *T;                   // that of the freedom at q, likewise
    double *f, *velocity_dq;     // of loops: 6 a slot, and that x v_count
    double scale;                // largest force met
    double *favour;              // of coordinates: see change_coordinates
    bool is_stuck;               // where it ended, no small move changes what is left
    lb_derivative_work *scratch;
} search;

static lb_status allocate(search *x, lb_system *s)
{
    const size_t n = (size_t)s->v_count, q = (size_t)s->q_count;
    const size_t rows = s->closure ? 6 * (size_t)s->closure->slot_count : 0;
    x->s = s;
    x->store = lb_make_store();
    double *next = lb_take_numbers(&x->store, 2 * q + 11 * n + 10 * n * n + rows * (n + 1));
    x->coordinates = lb_store_take(&x->store, 2 * n, sizeof *x->coordinates);
    x->scratch = lb_create_derivative_work(s->model);
    if (!next || !x->coordinates || !x->scratch) {
        return LB_E_MEMORY;
    }
    x->pivot = x->coordinates + n;
    const struct {
        double **place;
        size_t count;
    } pieces[] = {
        {&x->q, q},           {&x->next, q},   {&x->v, n},      {&x->v_next, n},
        {&x->r, n},           {&x->r_next, n}, {&x->force, n},  {&x->c, n},
        {&x->xi, n},          {&x->y, n},      {&x->W, n},      {&x->favour, n},
        {&x->J, n * n},       {&x->N, n * n},  {&x->K, n * n},  {&x->C, n * n},
        {&x->M, n * n},       {&x->dq, n * n}, {&x->dv, n * n}, {&x->S, n * n},
        {&x->product, n * n}, {&x->T, n * n},  {&x->f, rows},   {&x->velocity_dq, rows * n}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        *pieces[i].place = next;
        next += pieces[i].count;
    }
    return LB_OK;
}

// ---- forces ------------------------------------------------------------------------------------

// tau - c at a state, all rows.
static lb_status compute_forces(search *x, const double *q, const double *v)
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
    status = status < 0 ? status : lb_compute_bias(s->model, s->work, q, v, x->c);
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
static lb_status list_coordinates(search *x)
{
    lb_system *s = x->s;
    int count = 0;
    lb_status status = compute_forces(x, x->q, x->v); // for the hinges that are driven
    for (int k = 0; k < s->body_count && status >= 0; ++k) {
        const int first = lb_get_v_offset(s->model, k), modes = lb_get_mode_count(s->model, k);
        const bool held = s->driven[k] || s->locked[k] || (x->holding && x->holding[k]);
        for (int i = 0; i < modes + (held ? 0 : lb_get_hinge_v_count(s->model, k)); ++i) {
            x->coordinates[count++] = first + i;
        }
    }
    status =
        status < 0 ? status : lb_take_freedom(&x->store, s, count, x->coordinates, &x->freedom);
    for (int i = 0; i < count; ++i) {
        x->favour[i] = 1.0;
    }
    x->freedom.favour = x->favour;
    return status;
}

// Speeds that the loops give, and r, at a configuration for which x->freedom was made.
static lb_status evaluate(search *x, const double *q, double *v, double *r)
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
static lb_status differentiate_loops(search *x)
{
    lb_system *s = x->s;
    const ptrdiff_t square = (ptrdiff_t)s->v_count * s->v_count;
    for (int i = 0; i < s->v_count; ++i) {
        x->xi[i] = -x->force[i];
    }
    lb_solve_reaction(&x->freedom, x->xi, x->f);
    const lb_loop_derivatives out = {.velocity_dq = x->velocity_dq, .force_dq = x->dq};
    lb_status status = lb_compute_inverse_derivatives(s->model, s->work, x->scratch, x->q, x->v,
                                                      NULL, NULL, NULL, NULL, NULL);
    status = status < 0 ? status
                        : lb_compute_loop_derivatives(s->model, s->work, x->scratch, x->f, &out);
    for (ptrdiff_t i = 0; i < square && status >= 0; ++i) {
        x->K[i] -= x->dq[i];
    }
    (void)lb_follow_rows(&x->freedom, x->velocity_dq, NULL, NULL, x->S);
    return status;
}

// J at x->q, of which x->force and x->freedom are                                       (TRM-2)
static lb_status differentiate(search *x)
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
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = 0.0;
            for (int k = 0; k < count; ++k) {
                sum += f->T[k * m + i] * x->product[k * m + j];
            }
            x->J[i * m + j] = sum;
        }
    }
    return status;
}

// Weights of the rows, so that forces count by how far they would move what they act on: stiff modes
// beside soft hinges make a narrow valley of |r|, a round one of |W r|. Rows on which nothing depends
// get a large one.
static void weigh(search *x)
{
    const int m = x->freedom.free_count;
    double largest = 0.0;
    for (int i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int j = 0; j < m; ++j) {
            sum += x->J[i * m + j] * x->J[i * m + j];
        }
        x->W[i] = sqrt(sum);
        largest = fmax(largest, x->W[i]);
    }
    for (int i = 0; i < m; ++i) {
        x->W[i] = largest > 0.0 ? 1.0 / fmax(x->W[i], 1e-8 * largest) : 1.0;
    }
}

// ---- steps -------------------------------------------------------------------------------------

// Whether an entry of v turns something, as against shifting or bending it.
static bool is_turn(const lb_model *model, int entry)
{
    const int body = lb_find_owner(model, entry);
    const int i = entry - lb_get_v_offset(model, body) - lb_get_mode_count(model, body);
    switch (lb_get_hinge_type(model, body)) {
    case LB_HINGE_REVOLUTE:
    case LB_HINGE_SCREW:
    case LB_HINGE_CYLINDRICAL:
        return i == 0;
    case LB_HINGE_UNIVERSAL:
    case LB_HINGE_SPHERICAL:
        return i >= 0;
    case LB_HINGE_PLANAR:
        return i == 2;
    case LB_HINGE_FREE:
        return i >= 0 && i < 3;
    default:
        return false;
    }
}

// next = q (+) T y, on the loops, and its freedom and speeds; LB_E_OPEN where that does not go. Nothing
// turns by more than a radian.
static lb_status move(search *x)
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
    lb_integrate_configuration(x->s->model, x->q, x->xi, x->next);
    memcpy(x->v_next, x->v, (size_t)x->s->v_count * sizeof *x->v);
    const lb_status status = lb_close_dependent(f, x->t, x->next);
    return status == LB_E_SINGULAR ? LB_E_OPEN : status;
}

// One step for a given mu, into x->y; false where the equations are singular.
static bool solve_step(search *x, double mu)
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
static double square(const search *x, const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < x->freedom.free_count; ++i) {
        sum += x->W[i] * x->W[i] * r[i] * r[i];
    }
    return sum;
}

static void find_largest(const search *x, lb_trim *trim)
{
    const lb_freedom *f = &x->freedom;
    int worst = 0;
    for (int i = 1; i < f->free_count; ++i) {
        worst = fabs(x->r[i]) > fabs(x->r[worst]) ? i : worst;
    }
    trim->tolerance = 1e-9 * x->scale;
    if (f->free_count > 0) {
        const int entry = f->coordinates[f->free[worst]];
        trim->residual = fabs(x->r[worst]);
        trim->body = lb_find_owner(x->s->model, entry);
        trim->offset = entry - lb_get_v_offset(x->s->model, trim->body);
    }
}

// Freedom, speeds and r at x->q.
static lb_status arrive(search *x, lb_trim *trim)
{
    lb_status status = lb_choose_freedom(&x->freedom, x->q, NULL);
    status = status < 0 ? status : evaluate(x, x->q, x->v, x->r);
    if (status >= 0) {
        find_largest(x, trim);
    }
    return status;
}

// Whether r is as small as it gets near here: no column of J has a part of it.
static bool is_stuck(const search *x)
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
static void keep_transformation(search *x)
{
    const lb_freedom *f = &x->freedom;
    if (f->T) {
        memcpy(x->T, f->T, (size_t)f->count * (size_t)f->free_count * sizeof *x->T);
    }
}

// Whether there is a step that lessens |W r|: x->next then.
static lb_status take_step(search *x, double *mu, bool *better)
{
    lb_status status = differentiate(x);
    weigh(x);
    keep_transformation(x);
    *better = false;
    for (; status >= 0 && !*better && *mu < 1e12; *mu *= *better ? 1.0 : 10.0) {
        if (!solve_step(x, *mu)) {
            continue;
        }
        status = move(x);
        if (status == LB_E_OPEN) {
            status = LB_OK; // a shorter step
            continue;
        }
        status = status < 0 ? status : evaluate(x, x->next, x->v_next, x->r_next);
        *better = status >= 0 && square(x, x->r_next) < square(x, x->r);
    }
    return status;
}

// Where a coordinate pulls a linkage straight its force does not vanish, and nothing shows the way to
// the equilibrium that is there: coordinates that follow may.
static lb_status change_coordinates(search *x, lb_trim *trim)
{
    const lb_freedom *f = &x->freedom;
    for (int i = 0; i < f->count; ++i) {
        x->favour[i] = f->taken[i] ? 1e-3 : 1.0;
    }
    return arrive(x, trim);
}

// Where all forces are as large as they get nearby, such as those of a pendulum that stands out level,
// their squares show no way: a move along the accelerations, as things would fall, up to 0.3 rad or m.
static lb_status fall(search *x, lb_trim *trim)
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
    double largest = 0.0;
    for (int i = 0; i < m; ++i) {
        largest = fmax(largest, fabs(x->y[i]));
    }
    lb_status status = LB_E_OPEN;
    keep_transformation(x);
    for (double reach = 0.3; reach > 1e-3 && status == LB_E_OPEN && largest > 0.0; reach *= 0.5) {
        for (int i = 0; i < m; ++i) {
            x->y[i] *= reach / largest;
        }
        largest = reach;
        status = move(x);
    }
    if (status >= 0) {
        memcpy(x->q, x->next, (size_t)x->s->q_count * sizeof *x->q);
    }
    return status < 0 && status != LB_E_OPEN ? status : arrive(x, trim);
}

// Another way where none lessens |W r| any more: other coordinates, then a fall.
static lb_status try_otherwise(search *x, int attempt, lb_trim *trim)
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
        status = differentiate(x);
        status = status < 0 ? status : fall(x, trim);
    }
    return status;
}

static lb_status iterate(search *x, lb_trim *trim)
{
    enum { MOST = 200, ATTEMPTS = 8 };
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
            continue;
        }
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

static lb_status say_unbalanced(const search *x, const lb_trim *trim)
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
        return lb_say(s, LB_E_STEP,
                      "trim: there is no %s near here: a force of %.3g (N, N m) is left at %s, and "
                      "no small move changes that; what pushes has nothing to push against",
                      what, trim->residual, name);
    }
    return lb_say(s, LB_E_STEP,
                  "trim: no %s found from here: after %d iterations a force of %.3g (N, N m) is "
                  "left at %s; another initial state, or a lock, may help",
                  what, trim->iterations, trim->residual, name);
}

lb_status lb_find_balance(lb_system *s, double t, double *v, const unsigned char *held, double *q,
                          lb_trim *trim)
{
    search x = {.t = t, .holding = held};
    *trim = (lb_trim){0};
    lb_status status = allocate(&x, s);
    if (status == LB_OK) {
        memcpy(x.q, q, (size_t)s->q_count * sizeof *x.q);
        memcpy(x.v, v, (size_t)s->v_count * sizeof *x.v);
        status = list_coordinates(&x);
        status = status < 0 ? status : iterate(&x, trim);
    }
    if (status >= 0 && trim->residual > trim->tolerance) {
        status = say_unbalanced(&x, trim);
    } else if (status >= 0) {
        memcpy(q, x.q, (size_t)s->q_count * sizeof *x.q);
        memcpy(v, x.v, (size_t)s->v_count * sizeof *x.v);
        status = LB_OK;
    }
    lb_destroy_derivative_work(s->model, x.scratch);
    lb_store_free(&x.store);
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
    lb_store store = lb_make_store();
    double *q = lb_take_numbers(&store, (size_t)(s->q_count + s->v_count));
    status = q ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        memcpy(q, sim->q0, (size_t)s->q_count * sizeof *q);
        if (s->force_count > 0) {
            status = lb_set_driven_state(s->forces, s->model, 0.0, q, s->v);
        }
        if (s->closure) {
            s->closure->dropped = 2;
        }
        status = status < 0 ? status : lb_set_loop_motions(s, 0.0);
        status = status < 0 ? status : lb_find_balance(s, 0.0, q + s->q_count, NULL, q, &own);
        if (s->closure) {
            s->closure->dropped = 0;
        }
    }
    if (status >= 0) {
        memcpy(sim->q0, q, (size_t)s->q_count * sizeof *q);
        memset(sim->v0, 0, (size_t)s->v_count * sizeof *sim->v0);
    }
    if (trim) {
        *trim = own;
    }
    lb_store_free(&store);
    return status;
}
