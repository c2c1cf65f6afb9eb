// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frozen_simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/laws/laws.h"
#include "limber/dynamics.h"
#include "limber/work.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/named_signals.h"

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

// Laws whose numbers do not come from a design: see lb_find_closed_controller.
static void add_controller(listing *l, const lb_controller *c)
{
    const int n = c->sample.channel_count;
    for (int i = 0; i < n; ++i) {
        add_function(l, &c->channels[i].desired.function);
    }
    if (strcmp(c->law->name, "pid") == 0) {
        const lb_pid *own = c->own;
        const double *const gains[] = {own->kp, own->ki, own->kd, own->inertia};
        for (int i = 0; i < 4; ++i) {
            add(l, gains[i], own->full ? n * n : n);
        }
        add(l, own->limit, n);
    } else if (strcmp(c->law->name, "attitude") == 0) {
        const lb_attitude *own = c->own;
        add(l, own->kp.m[0], 9);
        add(l, own->kd.m[0], 9);
        add(l, own->inertia.m[0], 9);
        add(l, own->distribution, 3 * n);
        add(l, &own->waypoints[0].w, 4 * own->waypoint_count);
        add(l, &own->turns[0].x, 3 * own->waypoint_count);
        add_function(l, &own->place.function);
    }
}

const char *lb_find_closed_controller(const lb_simulation *sim)
{
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        if (c->shaping.start ||
            (strcmp(c->law->name, "pid") != 0 && strcmp(c->law->name, "attitude") != 0)) {
            return c->name;
        }
    }
    return NULL;
}

static void add_all(listing *l, const lb_simulation *sim, bool controlled)
{
    for (int i = 0; controlled && i < sim->control->count; ++i) {
        add_controller(l, &sim->control->controllers[i]);
    }
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

// Whether two controllers sample at the same times, in the same way.
static bool are_controllers_alike(const lb_controller *a, const lb_controller *b)
{
    bool alike = a->law == b->law && a->rate == b->rate &&
                 a->sample.sensor_count == b->sample.sensor_count &&
                 a->sample.channel_count == b->sample.channel_count;
    for (int i = 0; alike && i < a->sample.sensor_count; ++i) {
        const lb_sensor *s = &a->sensors[i], *t = &b->sensors[i];
        alike = s->rate == t->rate && s->delay == t->delay && s->noise == t->noise &&
                s->quantum == t->quantum && s->past_count == t->past_count &&
                memcmp(s->offset, t->offset, sizeof s->offset) == 0;
    }
    for (int i = 0; alike && i < a->sample.channel_count; ++i) {
        alike =
            are_functions_alike(&a->channels[i].desired.function, &b->channels[i].desired.function);
    }
    if (alike && strcmp(a->law->name, "attitude") == 0) {
        const lb_attitude *s = a->own, *t = b->own;
        alike = s->waypoint_count == t->waypoint_count && s->feeds == t->feeds &&
                are_functions_alike(&s->place.function, &t->place.function);
    }
    return alike;
}

// Whether two simulations differ in numbers alone.
static bool are_alike(const lb_simulation *x, const lb_simulation *y, bool controlled)
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
    const int controllers = controlled ? x->control->count : 0;
    alike = alike && (!controlled || (y->control && y->control->count == controllers));
    for (int i = 0; alike && i < controllers; ++i) {
        alike = are_controllers_alike(&x->control->controllers[i], &y->control->controllers[i]);
    }
    for (int i = 0; alike && a->signals && i < a->signals->count; ++i) {
        alike = are_programs_alike(a->signals->entries[i].expression,
                                   b->signals->entries[i].expression);
    }
    return alike;
}

// Whether a node has moved in its body. What a file is asked for may depend on that, as poses of nodes are constants in
// it.
static bool has_moved(const lb_model *a, const lb_model *b, int body, int node)
{
    const lb_node *x = lb_get_node(a, body, node), *y = lb_get_node(b, body, node);
    return (x == NULL) != (y == NULL) || (x && memcmp(&x->X, &y->X, sizeof x->X) != 0);
}

static bool has_any_moved(const lb_model *a, const lb_model *b)
{
    for (int k = LB_GROUND; k < a->body_count; ++k) {
        for (int i = 0; lb_get_node(a, k, i) || lb_get_node(b, k, i); ++i) {
            if (has_moved(a, b, k, i)) {
                return true;
            }
        }
    }
    return false;
}

// Whether a signal asks where a node is that has moved.
static bool has_signal_moved(const lb_model *a, const lb_model *b, const lb_signal *s)
{
    if (s->kind <= LB_SIGNAL_A || s->kind == LB_SIGNAL_NAMED ||
        (s->kind >= LB_SIGNAL_MASS && s->kind <= LB_SIGNAL_POTENTIAL)) {
        return false; // of coordinates, of expressions that are looked at themselves, or of all masses
    }
    if (s->kind <= LB_SIGNAL_ANGULAR_ACCELERATION) {
        return has_moved(a, b, s->body, s->node);
    }
    if (s->kind == LB_SIGNAL_DISTANCE || s->kind == LB_SIGNAL_DISTANCE_RATE ||
        (s->kind >= LB_SIGNAL_ATTITUDE && s->kind <= LB_SIGNAL_SIGHT)) {
        return has_moved(a, b, s->body, s->node) || has_moved(a, b, s->other_body, s->other_node);
    }
    return has_any_moved(a, b); // loads, and what is recovered
}

static bool has_expression_moved(const lb_model *a, const lb_model *b, const lb_expression *e)
{
    for (int i = 0; e && i < e->signal_count; ++i) {
        if (has_signal_moved(a, b, &e->signals[i])) {
            return true;
        }
    }
    return false;
}

static bool has_force_moved(const lb_model *a, const lb_model *b, const lb_force *f)
{
    for (int i = 0; i < f->function_count; ++i) {
        for (int k = 0; f->functions[i].type == LB_FUNCTION_EXPRESSION && k < 3; ++k) {
            if (has_expression_moved(a, b, f->functions[i].expressions[k])) {
                return true;
            }
        }
        if (f->reads_state && f->functions[i].type != LB_FUNCTION_EXPRESSION &&
            has_any_moved(a, b)) {
            return true;
        }
    }
    return f->type == LB_FORCE_CALLBACK
               ? has_any_moved(a, b)
               : lb_acts_at_nodes(f) &&
                     (has_moved(a, b, f->bodies[0], f->nodes[0]) ||
                      (f->at_nodes && has_moved(a, b, f->bodies[1], f->nodes[1])));
}

// Whether what is asked for depends on the place of a node that is another in a model.
static bool depends_on_moved(const lb_open_numbers *open, const lb_model *other)
{
    const lb_simulation *sim = open->sim;
    const lb_model *own = sim->system.model;
    const lb_forces *forces = sim->system.forces;
    bool found = open->controlled && has_any_moved(own, other);
    for (int i = 0; i < forces->count && !found; ++i) {
        found = has_force_moved(own, other, &forces->forces[i]);
    }
    for (int i = 0; forces->signals && i < forces->signals->count && !found; ++i) {
        found = has_expression_moved(own, other, forces->signals->entries[i].expression);
    }
    for (int i = 0; open->with_outputs && i < sim->output_count && !found; ++i) {
        const lb_output *o = &sim->outputs[i];
        found = o->is_signal ? has_signal_moved(own, other, &o->signal)
                             : has_moved(own, other, o->body, o->node);
    }
    for (int i = 0; open->with_events && i < sim->event_count && !found; ++i) {
        found = has_signal_moved(own, other, &sim->events[i].signal);
    }
    return found;
}

// ---- at other values ---------------------------------------------------------------------------

static lb_status simulate(const lb_open_numbers *open, const lb_model *model, lb_simulation **sim)
{
    *sim = NULL;
    const lb_status status = open->given->simulate(open->given->user, model, sim);
    if (status < 0 || !*sim) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    if (!are_alike(open->sim, *sim, open->controlled) || depends_on_moved(open, model)) {
        lb_destroy_simulation(*sim);
        *sim = NULL;
        return LB_E_UNSUPPORTED;
    }
    return LB_OK;
}

static lb_status read(void *user, const lb_model *model, double *out)
{
    const lb_open_numbers *open = user;
    lb_simulation *sim;
    lb_status status = simulate(open, model, &sim);
    if (status != LB_OK) {
        return status;
    }
    listing all = {.places = NULL};
    add_all(&all, sim, open->controlled);
    listing l = {.places = calloc((size_t)all.count + 1, sizeof *l.places)};
    if (l.places) {
        add_all(&l, sim, open->controlled);
        int kept = 0;
        listing own = {.places = calloc((size_t)all.count + 1, sizeof *own.places)};
        if (own.places) {
            add_all(&own, open->sim, open->controlled);
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

// Actuators do what they were told at the start, which is not compared: switches them off, or on again.
static void switch_actuators(lb_forces *forces, bool *were, bool off)
{
    for (int i = 0; i < forces->count; ++i) {
        lb_force *force = &forces->forces[i];
        if (off) {
            were[i] = force->enabled;
            force->enabled = force->enabled && force->type != LB_FORCE_ACTUATOR;
        } else {
            force->enabled = were[i];
        }
    }
}

// Generalized forces at the sample state.
static lb_status run(lb_simulation *sim, const lb_model *model, const lb_open_numbers *open,
                     double *tau)
{
    const size_t nq = (size_t)model->q_count, n = (size_t)model->v_count;
    double *q = calloc(nq + 2 * n + 1, sizeof *q);
    unsigned char *driven = calloc((size_t)model->body_count + 1, 1);
    lb_forces *forces = sim->system.forces;
    bool *were = calloc((size_t)forces->count + 1, sizeof *were);
    lb_work *work = lb_create_work(model);
    lb_status status = q && driven && work && were ? LB_OK : LB_E_MEMORY;
    if (status == LB_OK) {
        switch_actuators(forces, were, true);
        double *v = q + nq, *a = v + n;
        memcpy(q, open->sample->values[LB_ARRAY_Q], nq * sizeof *q);
        memcpy(v, open->sample->values[LB_ARRAY_V], n * sizeof *v);
        memset(tau, 0, n * sizeof *tau);
        status = lb_set_driven_state(forces, model, open->t, q, v);
        status = status < 0 ? status : lb_compute_kinematics(model, work, q, v, NULL);
        status = status < 0 ? status
                            : lb_compute_forces(forces, model, work, open->t, q, v, tau, driven, a);
        switch_actuators(forces, were, false);
    }
    free(q);
    free(were);
    free(driven);
    lb_destroy_work(work);
    return status;
}

// The forces of a simulation at other values against those of this one with numbers of polynomials.
static lb_status confirm(void *user, const lb_model *model, const double *numbers)
{
    const lb_open_numbers *open = user;
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

bool lb_list_open_numbers(lb_open_numbers *open)
{
    listing all = {.places = NULL};
    add_all(&all, open->sim, open->controlled);
    open->more = (lb_more_numbers){.user = open, .read = read, .confirm = confirm};
    open->more.places = calloc((size_t)all.count + 1, sizeof *open->more.places);
    if (!open->more.places) {
        return false;
    }
    listing l = {.places = open->more.places};
    add_all(&l, open->sim, open->controlled);
    for (int i = 0; i < l.count; ++i) {
        if (isfinite(*l.places[i])) {
            open->more.places[open->more.count++] = l.places[i];
        }
    }
    return true;
}

void lb_clear_open_numbers(lb_open_numbers *open)
{
    free(open->more.places);
    open->more.places = NULL;
}
