// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Poles of closed loops as modes.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "closed_loop.h"
#include "dynamics/tree/tree.h"
#include "linear/period/period.h"
#include "linear/system_modes.h"

// What is being put together.
typedef struct lister {
    const lb_closed *k;
    lb_operating_point point;
    int n;           // coordinates, dependent ones too
    const double *M; // v_count x v_count
    const lb_matrices *x;
    const lb_closed_spectrum *spectrum;
    lb_mode_kind *kinds;
    double *values, *frequencies, *dampings, *shapes, *shares;
    int count;
    // along a motion: deviations at instants by those at its start, the points there; and what becomes of them
    const double *turns;
    lb_operating_point places[LB_TURN_INSTANTS];
    double *instants, *multipliers, *ways;
} lister;

// Unit modal mass, and the largest part by inertia real and positive; then shares.
static void scale_shape(const lister *l, double *shape, double *share)
{
    const int n = l->n, width = l->k->sim->system.v_count;
    const int *at = l->point.coordinates;
    double mass = 0.0, largest = 0.0, re = 1.0, im = 0.0, all = 0.0;
    for (int i = 0; i < n; ++i) {
        const double *row = l->M + at[i] * width;
        for (int j = 0; j < n; ++j) {
            mass += row[at[j]] * shape[2 * i] * shape[2 * j];
            mass += row[at[j]] * shape[2 * i + 1] * shape[2 * j + 1];
        }
        const double size = hypot(shape[2 * i], shape[2 * i + 1]);
        share[i] = row[at[i]] * size * size;
        all += share[i];
        if (sqrt(share[i]) > largest * (1.0 + 1e-6)) {
            largest = sqrt(share[i]);
            re = shape[2 * i] / size;
            im = shape[2 * i + 1] / size;
        }
    }
    const double unit = mass > 0.0 ? 1.0 / sqrt(mass) : 0.0;
    for (int i = 0; i < n; ++i) {
        const double a = shape[2 * i] * unit, b = shape[2 * i + 1] * unit;
        shape[2 * i] = a * re + b * im;
        shape[2 * i + 1] = b * re - a * im;
        share[i] = all > 0.0 ? share[i] / all : 0.0;
    }
}

// The periodic part of a mode over the motion                                             (FLQ-6)
//
//     p(t) = E(t) x exp(-s t)
//
// given     x  the state of the loop at the start, pairs;  y  scratch
static void put_turn(lister *l, int mode, const double *raw, const double *x, double *y)
{
    const int n = l->x->n, half = l->k->plant.coordinate_count;
    const double complex s = l->values[2 * mode] + I * l->values[2 * mode + 1];
    const double *shape = l->shapes + 2 * (size_t)mode * (size_t)l->n;
    // the factor by which the shape was scaled
    double complex factor = 0.0;
    double largest = 0.0;
    for (int i = 0; i < l->n; ++i) {
        const double size = hypot(raw[2 * i], raw[2 * i + 1]);
        if (size > largest) {
            largest = size;
            factor = (shape[2 * i] + I * shape[2 * i + 1]) / (raw[2 * i] + I * raw[2 * i + 1]);
        }
    }
    for (int k = 0; k < LB_TURN_INSTANTS; ++k) {
        const double *E = l->turns + (size_t)k * (size_t)half * (size_t)n;
        const double complex back = factor * cexp(-s * l->instants[k]);
        for (int i = 0; i < half; ++i) {
            double complex sum = 0.0;
            for (int j = 0; j < n; ++j) {
                sum += E[i * n + j] * (x[2 * j] + I * x[2 * j + 1]);
            }
            y[2 * i] = creal(sum * back);
            y[2 * i + 1] = cimag(sum * back);
        }
        const size_t at = (size_t)k * ((size_t)n + 1) + (size_t)mode;
        lb_expand(&l->places[k], y, l->ways + 2 * at * (size_t)l->n);
    }
}

// One more mode, whose independent coordinates are y: pairs.
static void put(lister *l, lb_mode_kind kind, double real, double imaginary, const double *y)
{
    const int at = l->count++;
    const double size = hypot(real, imaginary);
    double *shape = l->shapes + 2 * (size_t)at * (size_t)l->n;
    l->kinds[at] = kind;
    l->values[2 * at] = real;
    l->values[2 * at + 1] = imaginary;
    l->frequencies[at] = size / 6.283185307179586;
    l->dampings[at] = size > 0.0 ? -real / size : 0.0;
    lb_expand(&l->point, y, shape);
    scale_shape(l, shape, l->shares + (size_t)at * (size_t)l->n);
}

static void list_modes(lister *l, double *y, double *x, double *raw)
{
    const lb_closed_spectrum *s = l->spectrum;
    const int half = l->k->plant.coordinate_count, n = l->x->n;
    for (int i = 0; i < s->rigid_count; ++i) {
        memset(x, 0, 2 * (size_t)n * sizeof *x);
        for (int j = 0; j < n; ++j) {
            x[2 * j] = s->rigid[i * n + j];
        }
        memcpy(y, x, 2 * (size_t)half * sizeof *y);
        put(l, LB_MODE_RIGID, 0.0, 0.0, y);
        if (l->turns) {
            l->multipliers[2 * l->count - 2] = 1.0;
            lb_expand(&l->point, y, raw);
            put_turn(l, l->count - 1, raw, x, y);
        }
    }
    for (int i = 0; i < s->count; ++i) {
        const double *value = s->values + 2 * i, *share = s->participation + (size_t)i * (size_t)n;
        double plant = 0.0;
        if (value[1] < 0.0 || isinf(value[0]) || (value[0] == 0.0 && value[1] == 0.0)) {
            continue;
        }
        for (int j = 0; j < 2 * half; ++j) {
            plant += share[j];
        }
        // of a controller alone
        memset(y, 0, 2 * (size_t)half * sizeof *y);
        if (plant > 1e-9) {
            memcpy(y, s->vectors + 2 * (size_t)i * (size_t)n, 2 * (size_t)half * sizeof *y);
        }
        put(l, value[1] > 0.0 ? LB_MODE_OSCILLATION : LB_MODE_APERIODIC, value[0], value[1], y);
        if (l->turns) {
            memcpy(l->multipliers + 2 * (l->count - 1), s->multipliers + 2 * i, 2 * sizeof *y);
            lb_expand(&l->point, y, raw);
            put_turn(l, l->count - 1, raw, s->vectors + 2 * (size_t)i * (size_t)n, y);
        }
    }
}

static lb_status take(lister *l, lb_arena *arena)
{
    const size_t most = (size_t)l->x->n + 1, n = (size_t)l->n;
    l->kinds = lb_arena_take(arena, most, sizeof *l->kinds);
    l->values = lb_take_numbers(arena, 2 * most);
    l->frequencies = lb_take_numbers(arena, most);
    l->dampings = lb_take_numbers(arena, most);
    l->shapes = lb_take_numbers(arena, 2 * most * n + 1);
    l->shares = lb_take_numbers(arena, most * n + 1);
    return l->kinds && l->values && l->frequencies && l->dampings && l->shapes && l->shares
               ? LB_OK
               : LB_E_MEMORY;
}

// Room for the way of modes over a motion, and the points on it.
static lb_status take_turns(lister *l, lb_arena *arena)
{
    const lb_turn *turn = l->k->turn;
    const size_t most = (size_t)l->x->n + 1, n = (size_t)l->point.count;
    l->turns = l->x->turns;
    l->instants = lb_take_numbers(arena, LB_TURN_INSTANTS);
    l->multipliers = lb_take_numbers(arena, 2 * most);
    l->ways = lb_take_numbers(arena, 2 * LB_TURN_INSTANTS * most * n + 1);
    lb_status status = l->instants && l->multipliers && l->ways ? LB_OK : LB_E_MEMORY;
    for (int k = 0; k < LB_TURN_INSTANTS && status >= 0; ++k) {
        l->instants[k] = turn->at[k].t;
        l->places[k] = l->point;
        if (turn->s->closure) {
            status = lb_place_point(turn->s, &l->point, l->point.t + turn->at[k].t, turn->at[k].q,
                                    turn->at[k].v, arena, &l->places[k]);
        }
    }
    return status;
}

static lb_status hand_over(const lister *l, lb_arena *arena, lb_modes *modes)
{
    const lb_operating_point *point = &l->point;
    const char **names = lb_arena_take(arena, (size_t)l->n + 1, sizeof *names);
    double *effective = lb_take_numbers(arena, 6 * (size_t)l->count + 1);
    lb_feedback_arrays arrays;
    const lb_status status = lb_spread_feedbacks(&l->k->feedbacks, arena, &arrays);
    if (status < 0 || !names || !effective) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < l->n; ++i) {
        names[i] = point->names[i];
    }
    for (int i = 0; i < 6 * l->count; ++i) {
        effective[i] = NAN;
    }
    for (int i = 0; i < 6; ++i) {
        modes->effective_sums[i] = NAN;
    }
    if (l->turns) {
        // rows of modes that there are
        const size_t row = 2 * (size_t)l->count * (size_t)l->n;
        for (int k = 0; k < LB_TURN_INSTANTS; ++k) {
            memmove(l->ways + (size_t)k * row,
                    l->ways + 2 * (size_t)k * ((size_t)l->x->n + 1) * (size_t)l->n,
                    row * sizeof *l->ways);
        }
        for (int i = 0; i < l->spectrum->count; ++i) {
            modes->lost_count += isinf(l->spectrum->values[2 * i]) ? 1 : 0;
        }
        modes->instant_count = LB_TURN_INSTANTS;
        modes->instants = l->instants;
        modes->turns = l->ways;
        modes->multipliers = l->multipliers;
    }
    modes->mode_count = l->count;
    modes->coordinate_count = l->n;
    modes->coordinates = point->coordinates;
    modes->names = names;
    modes->kinds = l->kinds;
    modes->eigenvalues = l->values;
    modes->frequencies = l->frequencies;
    modes->dampings = l->dampings;
    modes->shapes = l->shapes;
    modes->shares = l->shares;
    modes->effective = effective;
    modes->q = point->q;
    modes->v = point->v;
    modes->a = point->a;
    modes->unbalance = point->unbalance;
    modes->unbalanced = l->k->plant.unbalanced;
    modes->changes = l->k->plant.changes;
    modes->moved = l->k->plant.moved;
    modes->moved_name = l->k->plant.moved_name;
    modes->stable = !lb_find_growth(l->count, l->values, modes->growth);
    modes->control = l->k->controller_count > 0 ? LB_CONTROL_DISCRETE : LB_CONTROL_OPEN;
    modes->period = l->k->period;
    modes->feedback_count = l->k->feedbacks.count;
    modes->feedbacks = arrays.names;
    modes->closed = arrays.closed;
    modes->feedback_notes = arrays.notes;
    return LB_OK;
}

lb_status lb_fill_closed_modes(lb_simulation *sim, const lb_linear_options *options,
                               const lb_feedbacks *feedbacks, lb_arena *arena, lb_modes *modes)
{
    lb_system *s = &sim->system;
    lb_linear_options own = *options;
    lb_closed k;
    lb_matrices x;
    lb_closed_spectrum spectrum;
    own.input_count = own.output_count = 0;
    lb_status status = (own.period != 0.0 ? lb_collect_turning_loop
                                          : lb_collect_loop)(sim, &own, feedbacks, arena, &k);
    if (status >= 0 && k.turn) {
        own.q = k.turn->point.q;
        own.v = k.turn->point.v;
    }
    if (status >= 0 && k.rest) {
        own.q = k.rest;
        own.about = LB_ABOUT_REST;
    }
    status = status < 0 ? status : lb_form_discrete(&k, -1, &x);
    status = status < 0 ? status : lb_compute_closed_spectrum(&k, &x, k.period, &spectrum);
    lister l = {.k = &k, .x = &x, .spectrum = &spectrum};
    double *before = lb_take_numbers(arena, 3 * (size_t)feedbacks->count + 1);
    if (status >= 0 && before) {
        lb_hold_actuators(sim, feedbacks, k.forces, before);
        status = lb_find_point(sim, &own, NULL, arena, &l.point);
        lb_release_actuators(sim, feedbacks, before);
    }
    status = before ? status : LB_E_MEMORY;
    if (status >= 0) {
        l.point.unbalance = k.plant.unbalance;
    }
    if (status >= 0 && k.turn) {
        status = take_turns(&l, arena);
    }
    l.n = l.point.count;
    const size_t n = (size_t)s->v_count;
    double *M = lb_take_numbers(arena, n * n + 1), *y = lb_take_numbers(arena, 2 * n + 1);
    double *raw = status < 0 ? NULL : lb_take_numbers(arena, 2 * (n + (size_t)x.n) + 1);
    if (status < 0 || !M || !y || !raw) {
        return status < 0 ? status : LB_E_MEMORY;
    }
    l.M = M;
    status = lb_tree_mass_matrix(s->model, s->work, l.point.q, M);
    status = status < 0 ? status : take(&l, arena);
    if (status < 0) {
        return status;
    }
    list_modes(&l, y, raw + 2 * n, raw);
    status = lb_sum_masses(s, &l.point, options->about_point, modes);
    return status < 0 ? status : hand_over(&l, arena, modes);
}
