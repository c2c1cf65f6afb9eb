// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// PID at every hinge by itself, or with matrices of gains over all of them.
#include <math.h>
#include <stdio.h>

#include "laws/laws.h"

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const size_t n = (size_t)c->sample.channel_count;
    const size_t size = options->gain_matrices ? n * n : n;
    lb_pid *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&sim->arena, 4 * size + 4 * n, sizeof *numbers);
    if (!own || !numbers) {
        return LB_E_MEMORY;
    }
    double *rest = numbers + 4 * size;
    *own = (lb_pid){options->gain_matrices,
                    numbers,
                    numbers + size,
                    numbers + 2 * size,
                    numbers + 3 * size,
                    rest,
                    rest + n,
                    rest + 2 * n,
                    rest + 3 * n};
    c->own = own;
    for (size_t i = 0; i < n; ++i) {
        own->limit[i] = INFINITY;
    }
    const int count = (int)size;
    lb_copy_gains(sim, c, "kp", false, count, options->kp, own->kp);
    lb_copy_gains(sim, c, "ki", false, count, options->ki, own->ki);
    lb_copy_gains(sim, c, "kd", false, count, options->kd, own->kd);
    lb_copy_gains(sim, c, "inertia", false, count, options->inertia, own->inertia);
    lb_copy_gains(sim, c, "integral_limit", true, (int)n, options->integral_limit, own->limit);
    return LB_OK;
}

static void remember(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    const lb_pid *own = c->own;
    (void)sim;
    lb_remember(memory, c->sample.channel_count, own->sum);
}

// ---- for linear models -----------------------------------------------------------------------------

// Whether the integral of a channel can deviate: not without a gain, and not at its limit.
static bool integrates(const lb_controller *c, int channel)
{
    const lb_pid *own = c->own;
    bool any = false;
    for (int j = 0; j < c->sample.channel_count; ++j) {
        any = any || lb_get_pid_gain(c, own->ki, channel, j) != 0.0;
    }
    return any && fabs(own->sum[channel]) < own->limit[channel];
}

static int count_states(const lb_simulation *sim, const lb_controller *c)
{
    (void)sim;
    int count = 0;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        count += integrates(c, i);
    }
    return count;
}

// (CTL-4): the integral has the error of the present sample in it
static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    const lb_pid *own = c->own;
    const int r = slopes->read_count, n = slopes->memory_count, count = c->sample.channel_count;
    lb_find_pid_errors(c);
    for (int i = 0, at = 0; i < count; ++i) {
        const bool adds = integrates(c, i);
        c->commands[i] = lb_find_pid_command(c, i);
        for (int j = 0; j < count; ++j) {
            const int position = lb_find_read(c, 0, j), desired = lb_find_read(c, 2, j);
            const double part = adds ? lb_get_pid_gain(c, own->ki, i, j) * c->sample.period : 0.0;
            slopes->D[i * r + position] = -lb_get_pid_gain(c, own->kp, i, j) - part;
            slopes->D[i * r + desired] = -slopes->D[i * r + position];
            slopes->D[i * r + lb_find_read(c, 1, j)] = -lb_get_pid_gain(c, own->kd, i, j);
            if (adds) {
                slopes->N[at * r + position] = -part;
                slopes->N[at * r + desired] = part;
                slopes->drift[at] += part * own->error[j];
            }
        }
        if (adds) {
            slopes->C[i * n + at] = 1.0;
            slopes->M[at * n + at] = 1.0;
            const char *actuator =
                lb_get_force_info(sim->system.forces, c->channels[i].actuator).name;
            snprintf(slopes->names[at++], LB_COLUMN_SIZE, "%.100s.integral", actuator);
        }
    }
    return LB_OK;
}

static void move_memory(lb_controller *c, const double *by)
{
    const lb_pid *own = c->own;
    for (int i = 0, at = 0; i < c->sample.channel_count; ++i) {
        if (integrates(c, i)) {
            const double sum = own->sum[i] + by[at++];
            own->sum[i] = fmin(own->limit[i], fmax(-own->limit[i], sum));
        }
    }
}

const lb_law lb_law_pid = {.name = "pid",
                           .needs_desired = true,
                           .make = make,
                           .update = lb_update_pid,
                           .remember = remember,
                           .count_states = count_states,
                           .differentiate = differentiate,
                           .move_memory = move_memory};
