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

static lb_status load(lb_control_loader *loader, const lb_place *law, lb_controller *c)
{
    const size_t n = (size_t)c->sample.channel_count;
    pid *own = lb_arena_take(&loader->sim->arena, 1, sizeof *own);
    double *numbers = lb_arena_take(&loader->sim->arena, 6 * n, sizeof *numbers);
    if (!own || !numbers) {
        return LB_E_MEMORY;
    }
    *own = (pid){numbers,         numbers + n,     numbers + 2 * n,
                 numbers + 3 * n, numbers + 4 * n, numbers + 5 * n};
    c->own = own;
    for (size_t i = 0; i < n; ++i) {
        own->limit[i] = INFINITY;
    }
    lb_read_gains(loader, law, "kp", LB_REQUIRED, c, own->kp);
    lb_read_gains(loader, law, "ki", LB_OPTIONAL, c, own->ki);
    lb_read_gains(loader, law, "kd", LB_OPTIONAL, c, own->kd);
    lb_read_gains(loader, law, "inertia", LB_OPTIONAL, c, own->inertia);
    lb_read_gains(loader, law, "integral_limit", LB_OPTIONAL, c, own->limit);
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

static const char *const keys[] = {"type", "kp", "ki", "kd", "inertia", "integral_limit", NULL};

const lb_law lb_law_pid = {"pid", keys, true, load, NULL, update, NULL, remember};
