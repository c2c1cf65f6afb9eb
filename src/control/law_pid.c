// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// PID at every hinge by itself.
#include <math.h>
#include <stdio.h>

#include "control.h"

typedef struct pid {
    double *kp, *ki, *kd, *inertia;
    double *limit; // of the integral's share
    double *sum;
} pid;

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    const size_t n = (size_t)c->sample.channel_count;
    pid *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&sim->arena, 6 * n, sizeof *numbers);
    if (!own || !numbers) {
        return LB_E_MEMORY;
    }
    *own = (pid){numbers,         numbers + n,     numbers + 2 * n,
                 numbers + 3 * n, numbers + 4 * n, numbers + 5 * n};
    c->own = own;
    for (size_t i = 0; i < n; ++i) {
        own->limit[i] = INFINITY;
    }
    lb_copy_gains(sim, c, "kp", false, options->kp, own->kp);
    lb_copy_gains(sim, c, "ki", false, options->ki, own->ki);
    lb_copy_gains(sim, c, "kd", false, options->kd, own->kd);
    lb_copy_gains(sim, c, "inertia", false, options->inertia, own->inertia);
    lb_copy_gains(sim, c, "integral_limit", true, options->integral_limit, own->limit);
    return LB_OK;
}

// PID                                                                                   (CTL-4)
//
//     u = J xdd_d + kp (x_d - x) + kd (xd_d - xd) + ki sum_k (x_d - x)_k h,   the last between limits
static lb_status update(lb_simulation *sim, lb_controller *c)
{
    (void)sim;
    pid *own = c->own;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const double error = c->desired[0][i] - c->position[i];
        const double sum = own->sum[i] + own->ki[i] * error * c->sample.period;
        own->sum[i] = fmin(own->limit[i], fmax(-own->limit[i], sum));
        c->commands[i] = own->inertia[i] * c->desired[2][i] + own->kp[i] * error +
                         own->kd[i] * (c->desired[1][i] - c->speed[i]) + own->sum[i];
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
static bool integrates(const pid *own, int channel)
{
    return own->ki[channel] != 0.0 && fabs(own->sum[channel]) < own->limit[channel];
}

static int count_states(const lb_simulation *sim, const lb_controller *c)
{
    (void)sim;
    int count = 0;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        count += integrates(c->own, i);
    }
    return count;
}

// (CTL-4): the integral has the error of the present sample in it
static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    const pid *own = c->own;
    const int r = slopes->read_count, n = slopes->memory_count;
    for (int i = 0, at = 0; i < c->sample.channel_count; ++i) {
        const int position = lb_find_read(c, 0, i), speed = lb_find_read(c, 1, i);
        const int desired = lb_find_read(c, 2, i);
        const double error = c->desired[0][i] - c->position[i];
        const double part = own->ki[i] * c->sample.period;
        slopes->D[i * r + position] = -own->kp[i];
        slopes->D[i * r + speed] = -own->kd[i];
        c->commands[i] = own->inertia[i] * c->desired[2][i] + own->kp[i] * error +
                         own->kd[i] * (c->desired[1][i] - c->speed[i]) + own->sum[i];
        if (integrates(own, i)) {
            slopes->D[i * r + position] -= part;
            slopes->C[i * n + at] = 1.0;
            slopes->M[at * n + at] = 1.0;
            slopes->N[at * r + position] = -part;
            slopes->N[at * r + desired] = part;
            const char *actuator = lb_get_force_name(sim->system.forces, c->channels[i].actuator);
            snprintf(slopes->names[at++], LB_COLUMN_SIZE, "%.100s.integral", actuator);
        }
        slopes->D[i * r + desired] = -slopes->D[i * r + position];
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
