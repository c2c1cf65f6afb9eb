// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// PID at every hinge by itself.
#include <math.h>

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

const lb_law lb_law_pid = {
    .name = "pid", .needs_desired = true, .make = make, .update = update, .remember = remember};
