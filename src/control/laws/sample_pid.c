// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A sample of a PID.
#include <math.h>

#include "laws.h"

// What channel i is given for channel j.
double lb_get_pid_gain(const lb_controller *c, const double *gains, int i, int j)
{
    const lb_pid *own = (const lb_pid *)c->own;
    return own->full ? gains[i * c->sample.channel_count + j] : i == j ? gains[i] : 0.0;
}

// Row i of gains times one number per channel.
static double apply(const lb_controller *c, const double *gains, int i, const double *x)
{
    const lb_pid *own = (const lb_pid *)c->own;
    if (!own->full) {
        return gains[i] * x[i];
    }
    double sum = 0.0;
    for (int j = 0; j < c->sample.channel_count; ++j) {
        sum += lb_get_pid_gain(c, gains, i, j) * x[j];
    }
    return sum;
}

void lb_find_pid_errors(const lb_controller *c)
{
    const lb_pid *own = (const lb_pid *)c->own;
    for (int i = 0; i < c->sample.channel_count; ++i) {
        own->error[i] = c->desired[0][i] - c->position[i];
        own->rate_error[i] = c->desired[1][i] - c->speed[i];
    }
}

double lb_find_pid_command(const lb_controller *c, int i)
{
    const lb_pid *own = (const lb_pid *)c->own;
    return apply(c, own->inertia, i, c->desired[2]) + apply(c, own->kp, i, own->error) +
           apply(c, own->kd, i, own->rate_error) + own->sum[i];
}

// PID                                                                                   (CTL-4)
//
//     u = J xdd_d + kp (x_d - x) + kd (xd_d - xd) + ki sum_k (x_d - x)_k h,   the last between limits
lb_status lb_update_pid(lb_simulation *sim, lb_controller *c)
{
    (void)sim;
    lb_pid *own = (lb_pid *)c->own;
    lb_find_pid_errors(c);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const double sum = own->sum[i] + apply(c, own->ki, i, own->error) * c->sample.period;
        own->sum[i] = fmin(own->limit[i], fmax(-own->limit[i], sum));
        c->commands[i] = lb_find_pid_command(c, i);
    }
    return LB_OK;
}
