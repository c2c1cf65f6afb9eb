// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// PID at every hinge by itself, or with matrices of gains over all of them.
#include <math.h>
#include <stdio.h>

#include "control.h"

typedef struct pid {
    bool full;                      // gains are matrices, row by row; else one per channel
    double *kp, *ki, *kd, *inertia; // one per channel, or as many rows of as many
    double *limit;                  // of the integral's share
    double *sum;
    double *error, *rate_error; // of all channels at the present sample
} pid;

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const size_t n = (size_t)c->sample.channel_count;
    const size_t size = options->gain_matrices ? n * n : n;
    pid *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&sim->arena, 4 * size + 4 * n, sizeof *numbers);
    if (!own || !numbers) {
        return LB_E_MEMORY;
    }
    double *rest = numbers + 4 * size;
    *own = (pid){options->gain_matrices,
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

// What channel i is given for channel j.
static double get_gain(const lb_controller *c, const double *gains, int i, int j)
{
    const pid *own = c->own;
    return own->full ? gains[i * c->sample.channel_count + j] : i == j ? gains[i] : 0.0;
}

// Row i of gains times one number per channel.
static double apply(const lb_controller *c, const double *gains, int i, const double *x)
{
    const pid *own = c->own;
    if (!own->full) {
        return gains[i] * x[i];
    }
    double sum = 0.0;
    for (int j = 0; j < c->sample.channel_count; ++j) {
        sum += get_gain(c, gains, i, j) * x[j];
    }
    return sum;
}

static void find_errors(const lb_controller *c)
{
    const pid *own = c->own;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        own->error[i] = c->desired[0][i] - c->position[i];
        own->rate_error[i] = c->desired[1][i] - c->speed[i];
    }
}

static double find_command(const lb_controller *c, int i)
{
    const pid *own = c->own;
    return apply(c, own->inertia, i, c->desired[2]) + apply(c, own->kp, i, own->error) +
           apply(c, own->kd, i, own->rate_error) + own->sum[i];
}

// PID                                                                                   (CTL-4)
//
//     u = J xdd_d + kp (x_d - x) + kd (xd_d - xd) + ki sum_k (x_d - x)_k h,   the last between limits
static lb_status update(lb_simulation *sim, lb_controller *c)
{
    (void)sim;
    pid *own = c->own;
    find_errors(c);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const double sum = own->sum[i] + apply(c, own->ki, i, own->error) * c->sample.period;
        own->sum[i] = fmin(own->limit[i], fmax(-own->limit[i], sum));
        c->commands[i] = find_command(c, i);
    }
    return LB_OK;
}

static void remember(lb_memory *memory, const lb_simulation *sim, lb_controller *c)
{
    const pid *own = c->own;
    (void)sim;
    lb_remember(memory, c->sample.channel_count, own->sum);
}

// ---- for linear models -----------------------------------------------------------------------------

// Whether the integral of a channel can deviate: not without a gain, and not at its limit.
static bool integrates(const lb_controller *c, int channel)
{
    const pid *own = c->own;
    bool any = false;
    for (int j = 0; j < c->sample.channel_count; ++j) {
        any = any || get_gain(c, own->ki, channel, j) != 0.0;
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
    const pid *own = c->own;
    const int r = slopes->read_count, n = slopes->memory_count, count = c->sample.channel_count;
    find_errors(c);
    for (int i = 0, at = 0; i < count; ++i) {
        const bool adds = integrates(c, i);
        c->commands[i] = find_command(c, i);
        for (int j = 0; j < count; ++j) {
            const int position = lb_find_read(c, 0, j), desired = lb_find_read(c, 2, j);
            const double part = adds ? get_gain(c, own->ki, i, j) * c->sample.period : 0.0;
            slopes->D[i * r + position] = -get_gain(c, own->kp, i, j) - part;
            slopes->D[i * r + desired] = -slopes->D[i * r + position];
            slopes->D[i * r + lb_find_read(c, 1, j)] = -get_gain(c, own->kd, i, j);
            if (adds) {
                slopes->N[at * r + position] = -part;
                slopes->N[at * r + desired] = part;
            }
        }
        if (adds) {
            slopes->C[i * n + at] = 1.0;
            slopes->M[at * n + at] = 1.0;
            const char *actuator = lb_get_force_name(sim->system.forces, c->channels[i].actuator);
            snprintf(slopes->names[at++], LB_COLUMN_SIZE, "%.100s.integral", actuator);
        }
    }
    return LB_OK;
}

const lb_law lb_law_pid = {.name = "pid",
                           .needs_desired = true,
                           .make = make,
                           .update = update,
                           .remember = remember,
                           .count_states = count_states,
                           .differentiate = differentiate};
