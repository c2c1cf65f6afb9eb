// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "open_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forces/forces.h"
#include "limber/dynamics.h"
#include "limber/work.h"
#include "signals/named_signals.h"

// ---- which -------------------------------------------------------------------------------------

// Places of numbers; NULL to count them.
typedef struct listing {
    double **places;
    int count;
} listing;

static void add(listing *l, const double *first, int count)
{
    for (int i = 0; first && i < count; ++i, ++l->count) {
        if (l->places) {
            l->places[l->count] = (double *)(uintptr_t)(first + i);
        }
    }
}

static void add_expression(listing *l, const lb_expression *e)
{
    for (int i = 0; e && i < e->count; ++i) {
        add(l, &e->program[i].number, 1);
    }
}

static void add_function(listing *l, const lb_function *f)
{
    const double *const numbers[] = {&f->value, &f->offset, &f->omega,  &f->phase,
                                     &f->start, &f->width,  &f->period, &f->rise};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        add(l, numbers[i], 1);
    }
    if (f->type == LB_FUNCTION_PIECES) {
        add(l, f->starts, f->piece_count + 1);
        add(l, f->coefficients, f->piece_count * f->coefficient_count);
    }
    for (int i = 0; f->type == LB_FUNCTION_EXPRESSION && i < 3; ++i) {
        add_expression(l, f->expressions[i]);
    }
}

static void add_force(listing *l, const lb_force *f)
{
    const double *const numbers[] = {
        &f->stiffness, &f->damping,    &f->rest,      &f->coulomb,    &f->viscous,
        &f->speed,     &f->breakaway,  &f->lower,     &f->upper,      &f->width,
        &f->low,       &f->high,       &f->max_speed, &f->max_power,  &f->gain,
        &f->dead_zone, &f->rate_limit, &f->lag,       &f->gravity.j2, &f->gravity.radius};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        add(l, numbers[i], 1);
    }
    add(l, f->gravity.axis, 3);
    add(l, f->gravity.point.position, 3);
    add(l, &f->gravity.point.mu, 1);
    for (int i = 0; i < f->function_count; ++i) {
        add_function(l, &f->functions[i]);
    }
}

static void add_all(listing *l, const lb_simulation *sim)
{
    const lb_forces *forces = sim->system.forces;
    const lb_signals *signals = forces->signals;
    for (int i = 0; i < forces->count; ++i) {
        add_force(l, &forces->forces[i]);
    }
    for (int i = 0; signals && i < signals->count; ++i) {
        add_expression(l, signals->entries[i].expression);
    }
    for (int i = 0; i < sim->event_count; ++i) {
        add(l, &sim->events[i].value, 1);
    }
}

static bool are_programs_alike(const lb_expression *a, const lb_expression *b)
{
    bool alike = (a == NULL) == (b == NULL) && (!a || a->count == b->count);
    for (int i = 0; alike && a && i < a->count; ++i) {
        alike =
            a->program[i].op == b->program[i].op && a->program[i].signal == b->program[i].signal;
    }
    return alike;
}

static bool are_functions_alike(const lb_function *a, const lb_function *b)
{
    bool alike = a->type == b->type && a->piece_count == b->piece_count &&
                 a->coefficient_count == b->coefficient_count;
    for (int i = 0; alike && a->type == LB_FUNCTION_EXPRESSION && i < 3; ++i) {
        alike = are_programs_alike(a->expressions[i], b->expressions[i]);
    }
    return alike;
}

// Whether two simulations differ in numbers alone.
static bool are_alike(const lb_simulation *x, const lb_simulation *y)
{
    const lb_forces *a = x->system.forces, *b = y->system.forces;
    bool alike = a->count == b->count && x->event_count == y->event_count &&
                 x->output_count == y->output_count &&
                 (a->signals == NULL) == (b->signals == NULL) &&
                 (!a->signals || a->signals->count == b->signals->count);
    for (int i = 0; alike && i < a->count; ++i) {
        const lb_force *f = &a->forces[i], *g = &b->forces[i];
        alike = f->type == g->type && f->enabled == g->enabled && f->at_nodes == g->at_nodes &&
                f->sticks == g->sticks && f->function_count == g->function_count;
        for (int j = 0; alike && j < f->function_count; ++j) {
            alike = are_functions_alike(&f->functions[j], &g->functions[j]);
        }
    }
    for (int i = 0; alike && a->signals && i < a->signals->count; ++i) {
        alike = are_programs_alike(a->signals->entries[i].expression,
                                   b->signals->entries[i].expression);
    }
    return alike;
}

// ---- at other values ---------------------------------------------------------------------------

static lb_status simulate(const lb_open_simulation *open, const lb_model *model,
                          lb_simulation **sim)
{
    *sim = NULL;
    const lb_status status = open->given->simulate(open->given->user, model, sim);
    if (status < 0 || !*sim) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    if (!are_alike(open->sim, *sim)) {
        lb_destroy_simulation(*sim);
        *sim = NULL;
        return LB_E_UNSUPPORTED;
    }
    return LB_OK;
}

static lb_status read(void *user, const lb_model *model, double *out)
{
    const lb_open_simulation *open = user;
    lb_simulation *sim;
    lb_status status = simulate(open, model, &sim);
    if (status != LB_OK) {
        return status;
    }
    listing all = {.places = NULL};
    add_all(&all, sim);
    listing l = {.places = calloc((size_t)all.count + 1, sizeof *l.places)};
    if (l.places) {
        add_all(&l, sim);
        int kept = 0;
        listing own = {.places = calloc((size_t)all.count + 1, sizeof *own.places)};
        if (own.places) {
            add_all(&own, open->sim);
        }
        // what is infinite at the start stays so
        for (int i = 0; own.places && i < l.count; ++i) {
            if (isfinite(*own.places[i])) {
                out[kept++] = *l.places[i];
            }
            status = isfinite(*own.places[i]) == isfinite(*l.places[i]) ? status : LB_E_UNSUPPORTED;
        }
        status = own.places ? status : LB_E_MEMORY;
        free(own.places);
    } else {
        status = LB_E_MEMORY;
    }
    free(l.places);
    lb_destroy_simulation(sim);
    return status;
}

// Generalized forces at the sample state.
static lb_status run(lb_simulation *sim, const lb_model *model, const lb_open_simulation *open,
                     double *tau)
{
    const size_t nq = (size_t)model->q_count, n = (size_t)model->v_count;
    double *q = calloc(nq + 2 * n + 1, sizeof *q);
    unsigned char *driven = calloc((size_t)model->body_count + 1, 1);
    lb_work *work = lb_create_work(model);
    lb_status status = q && driven && work ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        lb_forces *forces = sim->system.forces;
        double *v = q + nq, *a = v + n;
        memcpy(q, open->sample->values[LB_ARRAY_Q], nq * sizeof *q);
        memcpy(v, open->sample->values[LB_ARRAY_V], n * sizeof *v);
        memset(tau, 0, n * sizeof *tau);
        status = lb_set_driven_state(forces, model, open->t, q, v);
        status = status < 0 ? status : lb_compute_kinematics(model, work, q, v, NULL);
        status = status < 0 ? status
                            : lb_compute_forces(forces, model, work, open->t, q, v, tau, driven, a);
    }
    free(q);
    free(driven);
    if (work) {
        lb_destroy_work(work);
    }
    return status;
}

// The forces of a simulation at other values against those of this one with numbers of polynomials.
static lb_status confirm(void *user, const lb_model *model, const double *numbers)
{
    const lb_open_simulation *open = user;
    const size_t n = (size_t)model->v_count, count = (size_t)open->more.count;
    double *tau = calloc(2 * n + count + 1, sizeof *tau), *kept = tau ? tau + 2 * n : NULL;
    lb_simulation *other = NULL;
    lb_status status = tau ? simulate(open, model, &other) : LB_E_MEMORY;
    if (status == LB_OK) {
        status = lb_start_simulation(other);
    }
    status = status < 0 ? status : run(other, model, open, tau);
    lb_destroy_simulation(other);
    for (size_t i = 0; status >= 0 && i < count; ++i) {
        kept[i] = *open->more.places[i];
        *open->more.places[i] = numbers[i];
    }
    if (status >= 0) {
        status = run(open->sim, model, open, tau + n);
        for (size_t i = 0; i < count; ++i) {
            *open->more.places[i] = kept[i];
        }
    }
    double gap = 0.0, size = 0.0;
    for (size_t i = 0; status >= 0 && i < n; ++i) {
        gap = fmax(gap, fabs(tau[i] - tau[n + i]));
        size = fmax(size, fabs(tau[i]));
    }
    free(tau);
    return status < 0 ? status : gap <= 1e-9 * size ? LB_OK : LB_E_UNSUPPORTED;
}

bool lb_list_open_numbers(lb_open_simulation *open)
{
    listing all = {.places = NULL};
    add_all(&all, open->sim);
    open->more = (lb_more_numbers){.user = open, .read = read, .confirm = confirm};
    open->more.places = calloc((size_t)all.count + 1, sizeof *open->more.places);
    if (!open->more.places) {
        return false;
    }
    listing l = {.places = open->more.places};
    add_all(&l, open->sim);
    for (int i = 0; i < l.count; ++i) {
        if (isfinite(*l.places[i])) {
            open->more.places[open->more.count++] = l.places[i];
        }
    }
    return true;
}

void lb_clear_open_numbers(lb_open_simulation *open)
{
    free(open->more.places);
    open->more.places = NULL;
}
