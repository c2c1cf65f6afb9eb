// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a system rests under its controllers.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "closed_loop.h"
#include "lapack/locked.h"

typedef struct rest {
    lb_simulation *sim;
    lb_linear_options options;
    const lb_feedbacks *feedbacks;
    double *q;
    double *forces;    // of actuators, one per feedback
    double *integrals; // of laws with integrals, one per feedback: added to its command
} rest;

// What an actuator does with a command once it has settled, and the slope of that     (CTL-1)
static double shape_command(const lb_force *force, double command, double *slope)
{
    const double left = fmax(0.0, fabs(command) - force->dead_zone);
    const double f = force->gain * copysign(left, command);
    *slope = left > 0.0 || force->dead_zone == 0.0 ? force->gain : 0.0;
    *slope = f > force->high || f < force->low ? 0.0 : *slope;
    return fmin(force->high, fmax(force->low, f));
}

static double find_force(const lb_closed *k, const lb_closed_actuator *actuator, double more,
                         double *slope)
{
    const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
    const lb_controller *c = &k->sim->control->controllers[feedback->controller];
    const lb_force *force = &k->sim->system.forces->forces[actuator->force];
    *slope = 0.0;
    return force->enabled ? shape_command(force, c->commands[feedback->channel] + more, slope)
                          : 0.0;
}

void lb_hold_actuators(lb_simulation *sim, const lb_feedbacks *feedbacks, const double *forces)
{
    for (int i = 0; i < feedbacks->count; ++i) {
        const lb_feedback *feedback = &feedbacks->list[i];
        const lb_controller *c = &sim->control->controllers[feedback->controller];
        lb_force *force = &sim->system.forces->forces[c->channels[feedback->channel].actuator];
        if (feedback->is_closed) {
            force->target = force->ramp = force->output = forces ? forces[i] : 0.0;
        }
    }
}

void lb_find_closed_unbalance(lb_closed *k, const double *forces)
{
    const int n = k->plant.coordinate_count, m = k->plant.input_count;
    double worst = 0.0;
    int which = -1;
    for (int i = 0; i < n; ++i) {
        double a = k->plant.a[k->plant.coordinates[i]], slope, size = fabs(a);
        for (int j = 0; j < k->actuator_count; ++j) {
            const double held = forces ? forces[k->actuators[j].feedback] : 0.0;
            const double part = k->plant.B[(n + i) * m + k->actuators[j].input] *
                                (find_force(k, &k->actuators[j], 0.0, &slope) - held);
            a += part;
            size = fmax(size, fabs(part));
        }
        if (fabs(a) > fmax(worst, fmax(1e-9, 1e-12 * size))) {
            worst = fabs(a);
            which = i;
        }
    }
    k->plant.unbalance = worst;
    k->plant.unbalanced = which >= 0 ? k->plant.states[which] : "";
}

// Whether the memory of a controller is made of integrals of errors, one per channel that has a gain.
static bool has_integrals(const lb_closed_controller *own)
{
    return own->c->law == &lb_law_pid && own->law.memory_count > 0;
}

// What moves accelerations and integrals                                                (CLL-7)
//
//     [A_K + B g D C   B g C_m] [y]     [a + B f]
//     [N C                0   ] [z] = - [  rho  ]
//
// given     g  slopes of actuators, f their forces, rho what an integral gains from one sample to the next
static void fill_equations(const rest *x, lb_closed *k, int width, double *J, double *r)
{
    const int n = k->plant.coordinate_count, m = k->plant.input_count, states = 2 * n;
    memset(J, 0, (size_t)width * (size_t)width * sizeof *J);
    for (int i = 0; i < n; ++i) {
        memcpy(J + i * width, k->A + (n + i) * states, (size_t)n * sizeof *J);
        r[i] = -k->plant.a[k->plant.coordinates[i]];
    }
    for (int c = 0, at = n; c < k->controller_count; ++c) {
        const lb_closed_controller *own = &k->controllers[c];
        const lb_law_slopes *law = &own->law;
        const int reads = law->read_count, memory = law->memory_count;
        const bool integrals = has_integrals(own);
        for (int a = 0; a < k->actuator_count; ++a) {
            const lb_closed_actuator *actuator = &k->actuators[a];
            const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
            double slope;
            if (feedback->controller != own->index) {
                continue;
            }
            const double more = find_force(k, actuator, x->integrals[actuator->feedback], &slope) -
                                x->forces[actuator->feedback];
            x->forces[actuator->feedback] += more;
            for (int i = 0; i < n; ++i) {
                const double b = k->plant.B[(n + i) * m + actuator->input];
                r[i] -= b * more;
                for (int s = 0; s < reads; ++s) {
                    const double d = b * slope * law->D[feedback->channel * reads + s];
                    const double *C = k->C + own->reads[s].output * states;
                    for (int j = 0; j < n && d != 0.0; ++j) {
                        J[i * width + j] += d * C[j];
                    }
                }
                for (int s = 0; s < memory && integrals; ++s) {
                    J[i * width + at + s] += b * slope * law->C[feedback->channel * memory + s];
                }
            }
        }
        for (int s = 0; s < memory && integrals; ++s) {
            r[at + s] = 0.0;
            for (int i = 0; i < reads; ++i) {
                const double gain = law->N[s * reads + i];
                const int channel = i - lb_find_read(own->c, 2, 0);
                const double value = channel >= 0 && channel < own->c->sample.channel_count
                                         ? own->c->desired[0][channel]
                                         : k->plant.output_values[own->reads[i].output];
                r[at + s] -= gain * value;
                for (int j = 0; j < n && gain != 0.0; ++j) {
                    J[(at + s) * width + j] += gain * k->C[own->reads[i].output * states + j];
                }
            }
        }
        at += integrals ? memory : 0;
    }
}

// One step of Newton's method, not more than a radian; of directions that nothing changes the least.
static lb_status step(rest *x, lb_closed *k, lb_arena *arena, double *moved, double *left)
{
    const lb_system *s = &x->sim->system;
    const int n = k->plant.coordinate_count;
    int width = n;
    for (int c = 0; c < k->controller_count; ++c) {
        width += has_integrals(&k->controllers[c]) ? k->controllers[c].law.memory_count : 0;
    }
    double *J = lb_take_numbers(arena, (size_t)width * (size_t)(width + 2) + 1);
    double *way = lb_take_numbers(arena, (size_t)(s->v_count + s->q_count) + 1);
    if (!J || !way) {
        return LB_E_MEMORY;
    }
    double *r = J + width * width, *sigma = r + width, *next = way + s->v_count, scale = 0.0;
    fill_equations(x, k, width, J, r);
    *left = lb_find_largest(n, r);
    lapack_int rank = 0;
    const int info = width > 0 ? LB_LAPACK(dgelss, LAPACK_ROW_MAJOR, width, width, 1, J, width, r,
                                           1, sigma, 1e-13, &rank)
                               : 0;
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    *moved = lb_find_largest(n, r);
    scale = *moved > 1.0 ? 1.0 / *moved : 1.0;
    for (int i = 0; i < n; ++i) {
        way[k->plant.coordinates[i]] = scale * r[i];
    }
    lb_integrate_configuration(s->model, x->q, way, next);
    memcpy(x->q, next, (size_t)s->q_count * sizeof *next);
    for (int c = 0, at = n; c < k->controller_count; ++c) {
        const lb_closed_controller *own = &k->controllers[c];
        for (int f = 0; f < k->feedbacks.count && has_integrals(own); ++f) {
            const lb_feedback *feedback = &k->feedbacks.list[f];
            const double *C = own->law.C + feedback->channel * own->law.memory_count;
            for (int m = 0; m < own->law.memory_count && feedback->controller == own->index; ++m) {
                x->integrals[f] += scale * C[m] * r[at + m];
            }
        }
        at += has_integrals(own) ? own->law.memory_count : 0;
    }
    return LB_OK;
}

lb_status lb_find_closed_rest(lb_simulation *sim, const lb_linear_options *options,
                              const lb_feedbacks *feedbacks, lb_arena *arena, double **q,
                              double **forces)
{
    enum { MOST = 100 };
    const size_t count = (size_t)sim->system.q_count;
    rest x = {.sim = sim, .options = *options, .feedbacks = feedbacks};
    x.q = lb_take_numbers(arena, count + 1);
    x.forces = lb_take_numbers(arena, 2 * (size_t)feedbacks->count + 1);
    if (!x.q || !x.forces) {
        return LB_E_MEMORY;
    }
    x.integrals = x.forces + feedbacks->count;
    memcpy(x.q, options->q ? options->q : sim->q0, count * sizeof *x.q);
    x.options.about = LB_ABOUT_REST;
    x.options.q = x.q;
    x.options.input_count = x.options.output_count = 0;
    double moved = INFINITY, left = INFINITY, first = 0.0;
    lb_status status = LB_OK;
    for (int i = 0; i < MOST && status >= 0 && !(moved <= 1e-14 && left <= 1e-13 * first); ++i) {
        lb_arena own = lb_make_arena(NULL);
        lb_closed k;
        lb_hold_actuators(sim, feedbacks, x.forces);
        status = lb_collect_loop_at(sim, &x.options, feedbacks, &own, &k);
        status = status < 0 ? status : step(&x, &k, &own, &moved, &left);
        first = fmax(first, left);
        lb_arena_free(&own);
    }
    lb_hold_actuators(sim, feedbacks, NULL);
    *q = x.q;
    *forces = x.forces;
    if (status >= 0 && !(left <= 1e-9 * fmax(first, 1.0) && moved <= 1e-9)) {
        return lb_say(&sim->system, LB_E_EQUILIBRIUM,
                      "linear: no equilibrium under the controllers found from here: an "
                      "acceleration of %.3g is left; another initial state may help",
                      left);
    }
    return status;
}
