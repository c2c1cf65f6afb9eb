// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// State-space models with controllers.
#include <string.h>

#include "base/dense.h"
#include "closed_loop.h"

// From frames that move along with free bodies to the speeds of the state                (LIN-17)
//
//     A = L A' L^-1 + [0 0; Z_dot 0],   B = L B',   C = C' L^-1,   L = [I 0; Z I]
//
// A discrete model has no rate to which Z_dot could be added.
static void leave_frame(const lb_linear *plant, bool discrete, lb_matrices *x)
{
    const int half = plant->coordinate_count, n = x->n;
    for (int i = 0; i < half; ++i) {
        for (int k = 0; k < half; ++k) {
            const double z = plant->carry[i * half + k];
            if (z != 0.0) {
                lb_add_scaled(n, z, x->A + k * n, x->A + (half + i) * n);
                lb_add_scaled(x->m, z, x->B + k * x->m, x->B + (half + i) * x->m);
            }
        }
    }
    for (int i = 0; i < n + x->p; ++i) {
        double *row = i < n ? x->A + i * n : x->C + (i - n) * n;
        lb_add_transposed_image(half, half, -1.0, plant->carry, row + half, row);
    }
    for (int i = 0; i < half && !discrete; ++i) {
        lb_add_scaled(half, 1.0, plant->carry_rate + i * half, x->A + (half + i) * n);
    }
}

static lb_status name_states(const lb_closed *k, const lb_matrices *x, lb_linear *linear)
{
    const int plant = k->plant.state_count;
    const char **states = lb_arena_take(k->arena, (size_t)x->n + 1, sizeof *states);
    const char **inputs = lb_arena_take(k->arena, (size_t)x->m + 1, sizeof *inputs);
    if (!states || !inputs) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < x->m; ++i) {
        inputs[i] = lb_arena_text(k->arena, k->inputs[i]);
        if (!inputs[i]) {
            return LB_E_MEMORY;
        }
    }
    linear->inputs = inputs;
    for (int i = 0; i < x->n; ++i) {
        states[i] = i < plant ? k->plant.states[i] : x->names[i - plant];
    }
    linear->states = states;
    return LB_OK;
}

// Finds which pole grows, always by the exact discrete model, and attaches that model to a continuous one for responses.
static lb_status judge(lb_closed *k, const lb_closed_spectrum *own, bool discrete,
                       lb_linear *linear)
{
    lb_matrices x;
    lb_closed_spectrum spectrum;
    lb_sampled_loop *sampled = NULL;
    lb_status status = LB_OK;
    if (!discrete) {
        status = lb_form_discrete(k, -1, &x);
        status = status < 0 ? status : lb_compute_closed_spectrum(k, &x, k->period, &spectrum);
        status = status < 0 ? status : lb_form_sampled(k, &sampled);
        own = &spectrum;
    }
    linear->stable = status >= 0 && !lb_find_growth(own->count, own->values, linear->growth);
    if (status >= 0 && sampled) {
        sampled->pole_count = own->count;
        sampled->poles = own->values;
    }
    linear->sampled = sampled;
    return status;
}

lb_status lb_fill_closed(lb_simulation *sim, const lb_linear_options *options,
                         const lb_feedbacks *feedbacks, lb_arena *arena, lb_linear *linear)
{
    const bool turns = options->period != 0.0;
    const bool discrete = turns || options->control == LB_CONTROL_DISCRETE;
    lb_closed k;
    lb_matrices x;
    lb_closed_spectrum spectrum;
    lb_feedback_arrays arrays;
    lb_status status =
        (turns ? lb_collect_turning_loop : lb_collect_loop)(sim, options, feedbacks, arena, &k);
    if (status >= 0) {
        status = discrete ? lb_form_discrete(&k, -1, &x)
                          : lb_form_continuous(&k, options->pade_order, &x);
    }
    const double period = discrete ? k.period : 0.0;
    status = status < 0 ? status : lb_compute_closed_spectrum(&k, &x, period, &spectrum);
    if (status < 0) {
        return status;
    }
    status = judge(&k, &spectrum, discrete, &k.plant);
    if (status < 0) {
        return status;
    }
    leave_frame(&k.plant, discrete, &x);
    const size_t half = (size_t)k.plant.coordinate_count;
    double *zero = lb_take_numbers(arena, half * half + 1);
    status = zero ? name_states(&k, &x, linear) : LB_E_MEMORY;
    status = status < 0 ? status : lb_spread_feedbacks(&k.feedbacks, arena, &arrays);
    if (status < 0) {
        return status;
    }
    const char *const *states = linear->states, *const *inputs = linear->inputs;
    const size_t size = linear->size;
    *linear = k.plant;
    linear->size = size;
    linear->states = states;
    linear->inputs = inputs;
    linear->state_count = x.n;
    linear->input_count = x.m;
    linear->output_count = x.p;
    linear->A = x.A;
    linear->B = x.B;
    linear->C = x.C;
    linear->D = x.D;
    linear->eigenvalues = spectrum.values;
    linear->multipliers = spectrum.multipliers;
    linear->zero_count = spectrum.zero_count;
    linear->participation = spectrum.participation;
    linear->carry_rate = discrete ? zero : k.plant.carry_rate;
    linear->control = feedbacks->closed_count == 0 ? LB_CONTROL_OPEN
                      : turns                      ? LB_CONTROL_DISCRETE
                                                   : options->control;
    linear->period = period;
    linear->feedback_count = k.feedbacks.count;
    linear->feedbacks = arrays.names;
    linear->closed = arrays.closed;
    linear->feedback_notes = arrays.notes;
    return LB_OK;
}
