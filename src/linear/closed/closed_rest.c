// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a system rests under its controllers.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/lapack/locked.h"
#include "closed_loop.h"
#include "control/controllers.h"
#include "dynamics/tree/tree.h"
#include "linear/linear.h"
#include "model/layout.h"

typedef struct rest {
    lb_simulation *sim;
    lb_linear_options options;
    const lb_feedbacks *feedbacks;
    double *q;
    double *forces; // of actuators, one per feedback
    double size;    // largest acceleration that was met, or part of one
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

static double find_force(const lb_closed *k, const lb_closed_actuator *actuator, double *slope)
{
    const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
    const lb_controller *c = &k->sim->control->controllers[feedback->controller];
    const lb_force *force = &k->sim->system.forces->forces[actuator->force];
    *slope = 0.0;
    return force->enabled ? shape_command(force, c->commands[feedback->channel], slope) : 0.0;
}

double lb_find_command_force(const lb_closed *k, const lb_closed_actuator *actuator)
{
    double slope;
    return find_force(k, actuator, &slope);
}

static lb_force *get_actuator(lb_simulation *sim, const lb_feedback *feedback)
{
    const lb_controller *c = &sim->control->controllers[feedback->controller];
    return &sim->system.forces->forces[c->channels[feedback->channel].actuator];
}

void lb_hold_actuators(lb_simulation *sim, const lb_feedbacks *feedbacks, const double *forces,
                       double *before)
{
    for (int i = 0; i < feedbacks->count; ++i) {
        const lb_feedback *feedback = &feedbacks->list[i];
        lb_force *force = get_actuator(sim, feedback);
        if (feedback->is_closed) {
            const double old[3] = {force->target, force->ramp, force->output};
            memcpy(before + 3 * i, old, sizeof old);
            force->target = force->ramp = force->output = forces ? forces[i] : 0.0;
        }
    }
}

void lb_release_actuators(lb_simulation *sim, const lb_feedbacks *feedbacks, const double *before)
{
    // the last one first, as one actuator may have several feedbacks
    for (int i = feedbacks->count - 1; i >= 0; --i) {
        const lb_feedback *feedback = &feedbacks->list[i];
        lb_force *force = get_actuator(sim, feedback);
        if (feedback->is_closed) {
            force->target = before[3 * i];
            force->ramp = before[3 * i + 1];
            force->output = before[3 * i + 2];
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
            const double b = k->plant.B[(n + i) * m + k->actuators[j].input];
            const double part = b * (find_force(k, &k->actuators[j], &slope) - held);
            a += part;
            size = fmax(size, fmax(fabs(part), fabs(b * held)));
        }
        if (fabs(a) > fmax(worst, fmax(1e-9, 1e-12 * size))) {
            worst = fabs(a);
            which = i;
        }
    }
    k->plant.unbalance = worst;
    k->plant.unbalanced = which >= 0 ? k->plant.states[which] : "";
}

lb_status lb_find_closed_forces(lb_simulation *sim, const lb_linear_options *options,
                                const lb_feedbacks *feedbacks, lb_arena *arena, double **forces)
{
    const int stick_count = sim->stick_count;
    lb_linear_options own = *options;
    lb_closed k = {.sim = sim};
    *forces = lb_take_numbers(arena, (size_t)feedbacks->count + 1);
    for (int i = 0; i < feedbacks->count && *forces; ++i) {
        const lb_force *force = get_actuator(sim, &feedbacks->list[i]);
        (*forces)[i] = force->enabled ? force->output : 0.0;
    }
    // at a moment of a run they deliver what they delivered; else what they are told matters to friction alone
    if (stick_count == 0 || sim->stage == LB_STAGE_MOMENT) {
        return *forces ? LB_OK : LB_E_MEMORY;
    }
    own.input_count = own.output_count = 0;
    sim->stick_count = 0;
    const lb_status status =
        *forces ? lb_collect_loop_at(sim, &own, feedbacks, NULL, 0, arena, &k) : LB_E_MEMORY;
    sim->stick_count = stick_count;
    for (int i = 0; i < k.actuator_count && status >= 0; ++i) {
        double slope;
        (*forces)[k.actuators[i].feedback] = find_force(&k, &k.actuators[i], &slope);
    }
    return status;
}

// ---- the search --------------------------------------------------------------------------------

// Speeds by differences are part of the memory of a controller in linear models: at rest they are what they are.
static int count_memory(const lb_closed *k)
{
    int count = 0;
    for (int c = 0; c < k->controller_count; ++c) {
        count += k->controllers[c].law.memory_count;
    }
    return count;
}

// Equations of accelerations and memories                                                 (CLL-7)
//
//     [A_K + B g D C   B g C_m] [y]     [a + B f]
//     [N C             M - I  ] [z] = - [  rho  ]
//
// given     g  slopes of actuators, f their forces, rho what a memory gains from one sample to the next
static void fill_equations(rest *x, lb_closed *k, int width, double *J, double *r)
{
    const int n = k->plant.coordinate_count, m = k->plant.input_count, states = 2 * n;
    for (int i = 0; i < n; ++i) {
        memcpy(J + i * width, k->A + (n + i) * states, (size_t)n * sizeof *J);
        r[i] = -k->plant.a[k->plant.coordinates[i]];
        x->size = fmax(x->size, fabs(r[i]));
    }
    for (int c = 0, at = n; c < k->controller_count; at += k->controllers[c++].law.memory_count) {
        const lb_closed_controller *own = &k->controllers[c];
        const lb_law_slopes *law = &own->law;
        const int reads = law->read_count, memory = law->memory_count;
        for (int a = 0; a < k->actuator_count; ++a) {
            const lb_closed_actuator *actuator = &k->actuators[a];
            const lb_feedback *feedback = &k->feedbacks.list[actuator->feedback];
            double slope;
            if (feedback->controller != own->index) {
                continue;
            }
            const double force = find_force(k, actuator, &slope);
            const double more = force - x->forces[actuator->feedback];
            x->forces[actuator->feedback] = force;
            for (int i = 0; i < n; ++i) {
                const double b = k->plant.B[(n + i) * m + actuator->input];
                r[i] -= b * more;
                x->size = fmax(x->size, fabs(b * force));
                for (int s = 0; s < reads; ++s) {
                    const double d = b * slope * law->D[feedback->channel * reads + s];
                    if (d != 0.0) {
                        lb_add_scaled(n, d, k->C + own->reads[s].output * states, J + i * width);
                    }
                }
                lb_add_scaled(memory, b * slope, law->C + feedback->channel * memory,
                              J + i * width + at);
            }
        }
        for (int s = 0; s < memory; ++s) {
            double *row = J + (at + s) * width;
            r[at + s] = -law->drift[s];
            for (int i = 0; i < reads; ++i) {
                if (law->N[s * reads + i] != 0.0) {
                    lb_add_scaled(n, law->N[s * reads + i], k->C + own->reads[i].output * states,
                                  row);
                }
            }
            for (int i = 0; i < memory; ++i) {
                row[at + i] = law->M[s * memory + i] - (i == s);
            }
        }
    }
}

// Forces in place of accelerations: M times the rows of the coordinates, so that stiff modes do not hide soft hinges.
// Sums that cancel are zero.
static lb_status weigh(rest *x, lb_closed *k, const lb_operating_point *point, int width, double *J,
                       double *r, lb_arena *arena)
{
    const lb_system *s = &x->sim->system;
    const int n = k->plant.coordinate_count, all = point->count, v_count = s->v_count;
    const size_t wide = (size_t)width + 1;
    double *M = lb_take_numbers(arena, (size_t)v_count * (size_t)v_count + 1);
    double *own = lb_take_numbers(arena, (size_t)n * (size_t)n + 1);
    double *rows = lb_take_numbers(arena, (size_t)n * wide + 1);
    if (!M || !own || !rows) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_tree_mass_matrix(s->model, s->work, x->q, M);
    const double *T = point->freedom.T;
    for (int i = 0; i < all * all && status >= 0; ++i) {
        const double value = M[point->coordinates[i / all] * v_count + point->coordinates[i % all]];
        for (int j = 0; T && j < n * n && value != 0.0; ++j) {
            own[j] += T[i / all * n + j / n] * value * T[i % all * n + j % n];
        }
        if (!T) {
            own[i] = value;
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < width + 1; ++j) {
            double sum = 0.0, size = 0.0;
            for (int l = 0; l < n; ++l) {
                const double part = own[i * n + l] * (j < width ? J[l * width + j] : r[l]);
                sum += part;
                size += fabs(part);
            }
            rows[(size_t)i * wide + (size_t)j] = fabs(sum) > 1e-14 * size ? sum : 0.0;
        }
    }
    for (int i = 0; i < n; ++i) {
        memcpy(J + i * width, rows + (size_t)i * wide, (size_t)width * sizeof *J);
        r[i] = rows[(size_t)i * wide + (size_t)width];
    }
    return status;
}

// Brings the largest entry of each row and column near to 1.
static void equilibrate(int n, double *J, double *r, double *column)
{
    enum { ROUNDS = 4 };
    for (int i = 0; i < n; ++i) {
        column[i] = 1.0;
    }
    for (int round = 0; round < 2 * ROUNDS; ++round) {
        for (int i = 0; i < n; ++i) {
            double largest = 0.0;
            for (int j = 0; j < n; ++j) {
                largest = fmax(largest, fabs(round % 2 ? J[j * n + i] : J[i * n + j]));
            }
            const double factor = largest > 0.0 ? 1.0 / largest : 1.0;
            for (int j = 0; j < n; ++j) {
                J[round % 2 ? j * n + i : i * n + j] *= factor;
            }
            if (round % 2) {
                column[i] *= factor;
            } else {
                r[i] *= factor;
            }
        }
    }
}

// Moves the configuration, on its loops. Nothing turns by more than a radian.
//
// @param part  out: how much of the step was taken
static lb_status move(rest *x, lb_operating_point *point, const double *y, lb_arena *arena,
                      double *part)
{
    lb_system *s = &x->sim->system;
    lb_freedom *f = &point->freedom;
    double *way = lb_take_numbers(arena, (size_t)(s->v_count + s->q_count) + 1), furthest = 0.0;
    if (!way) {
        return LB_E_MEMORY;
    }
    double *next = way + s->v_count;
    for (int i = 0; i < point->count; ++i) {
        const int entry = point->coordinates[i], body = lb_find_owner(s->model, entry);
        const int own = entry - lb_get_v_offset(s->model, body) - lb_get_mode_count(s->model, body);
        double sum = f->T ? 0.0 : y[i];
        for (int j = 0; f->T && j < f->free_count; ++j) {
            sum += f->T[i * f->free_count + j] * y[j];
        }
        way[entry] = sum;
        if (own >= 0 && lb_is_turn(lb_get_hinge(s->model, body).type, own)) {
            furthest = fmax(furthest, fabs(sum));
        }
    }
    *part = furthest > 1.0 ? 1.0 / furthest : 1.0;
    for (int i = 0; i < s->v_count; ++i) {
        way[i] *= *part;
    }
    // the point has driven hinges where their motions put them
    lb_integrate_configuration(s->model, point->q, way, next);
    const lb_status status = f->T ? lb_close_dependent(f, x->options.t, next) : LB_OK;
    memcpy(x->q, next, (size_t)s->q_count * sizeof *next);
    return status != LB_E_OPEN && status != LB_E_SINGULAR
               ? status
               : lb_say(s, LB_E_EQUILIBRIUM,
                        "linear: no equilibrium under the controllers found from here: the loops "
                        "do not follow; another initial state may help");
}

// Memories that the laws keep go with it.
static lb_status move_memories(const lb_closed *k, const double *z, double part, lb_arena *arena)
{
    double *by = lb_take_numbers(arena, (size_t)count_memory(k) + 1);
    for (int c = 0, at = 0; c < k->controller_count && by; ++c) {
        const lb_closed_controller *own = &k->controllers[c];
        for (int i = 0; i < own->law.memory_count; ++i) {
            by[i] = part * z[at + i];
        }
        if (own->c->law->move_memory) {
            own->c->law->move_memory(own->c, by);
        }
        at += own->law.memory_count;
    }
    return by ? LB_OK : LB_E_MEMORY;
}

// One step of Newton's method; of directions that nothing changes the least.
//
// @param left   out: the largest acceleration before it
// @param moved  out: the largest move of a coordinate
static lb_status step(rest *x, lb_closed *k, lb_arena *arena, double *moved, double *left)
{
    const int n = k->plant.coordinate_count, width = n + count_memory(k);
    const size_t size = (size_t)width;
    double *J = lb_take_numbers(arena, size * (size + 3) + 1), part = 1.0;
    lb_operating_point point;
    if (!J) {
        return LB_E_MEMORY;
    }
    double *r = J + size * size, *sigma = r + width, *column = sigma + width;
    fill_equations(x, k, width, J, r);
    *left = lb_find_largest(n, r);
    lb_status status = lb_find_point(x->sim, &x->options, NULL, arena, &point);
    status = status < 0 ? status : weigh(x, k, &point, width, J, r, arena);
    if (status < 0) {
        return status;
    }
    equilibrate(width, J, r, column);
    lapack_int rank = 0;
    const int info = width > 0 ? LB_LAPACK(dgelss, LAPACK_ROW_MAJOR, width, width, 1, J, width, r,
                                           1, sigma, 1e-12, &rank)
                               : 0;
    if (info != 0) {
        return lb_check_lapack(info, LB_E_NUMBER);
    }
    for (int i = 0; i < width; ++i) {
        r[i] *= column[i];
    }
    *moved = lb_find_largest(n, r);
    status = move(x, &point, r, arena, &part);
    return status < 0 ? status : move_memories(k, r + n, part, arena);
}

// Saves or restores the memories of laws.
static int visit(lb_simulation *sim, lb_memory memory)
{
    for (int i = 0; i < lb_get_controller_count(sim); ++i) {
        lb_controller *c = &sim->control->controllers[i];
        if (c->law->move_memory) {
            c->law->remember(&memory, sim, c);
        }
    }
    return memory.count;
}

lb_status lb_save_laws(lb_simulation *sim, lb_arena *arena, double **numbers)
{
    const int count = visit(sim, (lb_memory){LB_MEMORY_COUNT, 0, NULL});
    *numbers = lb_take_numbers(arena, (size_t)count + 1);
    if (*numbers) {
        visit(sim, (lb_memory){LB_MEMORY_SAVE, 0, *numbers});
    }
    return *numbers ? LB_OK : LB_E_MEMORY;
}

void lb_restore_laws(lb_simulation *sim, double *numbers)
{
    visit(sim, (lb_memory){LB_MEMORY_RESTORE, 0, numbers});
}

static lb_status search(rest *x)
{
    enum { MOST = 100 };
    double moved = INFINITY, left = INFINITY, before = INFINITY, size = 0.0;
    lb_status status = LB_OK;
    for (int i = 0; i < MOST && status >= 0; ++i) {
        lb_arena own = lb_make_arena(NULL);
        lb_closed k;
        before = left;
        status = lb_collect_loop_at(x->sim, &x->options, x->feedbacks, x->forces, i + 1, &own, &k);
        status = status < 0 ? status : step(x, &k, &own, &moved, &left);
        lb_arena_free(&own);
        size = 1.0 + lb_find_largest(x->sim->system.q_count, x->q);
        // on as long as it gets better, well below what counts as rest
        if (moved <= 1e-9 * size && left <= 1e-9 * x->size && !(left < 0.5 * before)) {
            break;
        }
    }
    if (status >= 0 && !(left <= 1e-9 * x->size && moved <= 1e-9 * size)) {
        return lb_say(&x->sim->system, LB_E_EQUILIBRIUM,
                      "linear: no equilibrium under the controllers found from here: an "
                      "acceleration of %.3g is left; another initial state may help",
                      left);
    }
    return status;
}

lb_status lb_find_closed_rest(lb_simulation *sim, const lb_linear_options *options,
                              const lb_feedbacks *feedbacks, lb_arena *arena, double **q,
                              double **forces)
{
    const size_t count = (size_t)sim->system.q_count;
    const int stick_count = sim->stick_count;
    rest x = {.sim = sim, .options = *options, .feedbacks = feedbacks};
    x.q = lb_take_numbers(arena, count + 1);
    x.forces = lb_take_numbers(arena, (size_t)feedbacks->count + 1);
    if (!x.q || !x.forces) {
        return LB_E_MEMORY;
    }
    memcpy(x.q, options->q ? options->q : sim->q0, count * sizeof *x.q);
    x.options.about = LB_ABOUT_REST;
    x.options.q = x.q;
    x.options.input_count = x.options.output_count = 0;
    sim->stick_count = 0; // friction is left out, as by lb_trim_simulation
    const lb_status status = search(&x);
    sim->stick_count = stick_count;
    *q = x.q;
    *forces = x.forces;
    return status;
}

lb_status lb_rest_under_control(lb_simulation *sim)
{
    lb_arena arena = lb_make_arena(NULL);
    lb_linear_options options;
    lb_feedbacks feedbacks;
    double *q = NULL, *forces = NULL, *memories = NULL;
    options = lb_default_linear_options();
    options.control = LB_CONTROL_DISCRETE;
    lb_status status = lb_choose_feedbacks(sim, &options, &arena, &feedbacks);
    status = status < 0 ? status : lb_save_laws(sim, &arena, &memories);
    if (status >= 0 && feedbacks.closed_count == 0) {
        status = LB_NEWS_STOP;
    } else if (status >= 0) {
        status = lb_find_closed_rest(sim, &options, &feedbacks, &arena, &q, &forces);
        if (status < 0) {
            lb_restore_laws(sim, memories);
        } else {
            memcpy(sim->q0, q, (size_t)sim->system.q_count * sizeof *q);
        }
        (void)lb_leave_point(&sim->system, status, NULL);
    }
    lb_arena_free(&arena);
    return status;
}
