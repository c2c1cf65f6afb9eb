// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A sample of a linear-quadratic regulator with its observer.
#include <math.h>
#include <string.h>

#include "laws.h"

void lb_compute_lqr_commands(const lb_simulation *sim, lb_controller *c)
{
    const lb_lqr *own = (const lb_lqr *)c->own;
    const int n = own->n, m = c->sample.channel_count;
    memset(own->wanted, 0, (size_t)n * sizeof *own->wanted);
    for (int i = 0; i < m; ++i) {
        if (c->channels[i].desired.given && own->of_position[i] >= 0) {
            own->wanted[own->of_position[i]] = c->desired[0][i] - own->q0[i];
            own->wanted[own->of_speed[i]] = c->desired[1][i];
        }
    }
    for (int i = 0; i < m; ++i) {
        double u = 0.0;
        for (int j = 0; j < n; ++j) {
            u -= own->K[i * n + j] * (own->x[j] - own->wanted[j]);
        }
        const lb_force *actuator = &sim->system.forces->forces[c->channels[i].actuator];
        c->commands[i] = u / actuator->gain;
    }
}

void lb_predict_lqr_state(const lb_simulation *sim, lb_controller *c)
{
    const lb_lqr *own = (const lb_lqr *)c->own;
    const int n = own->n, m = c->sample.channel_count, p = c->sample.sensor_count;
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) {
            sum += own->F[i * n + j] * own->x[j];
        }
        for (int j = 0; j < m; ++j) {
            const lb_force *actuator = &sim->system.forces->forces[c->channels[j].actuator];
            const double u = actuator->gain * c->commands[j];
            sum += own->G[i * m + j] * fmin(actuator->high, fmax(actuator->low, u));
        }
        for (int j = 0; j < p; ++j) {
            sum += own->H[i * p + j] * (c->readings[j] - own->y0[j]);
        }
        own->next[i] = sum;
    }
}

// (CTL-14)
lb_status lb_update_lqr(lb_simulation *sim, lb_controller *c)
{
    lb_lqr *own = (lb_lqr *)c->own;
    lb_compute_lqr_commands(sim, c);
    lb_predict_lqr_state(sim, c);
    memcpy(own->x, own->next, (size_t)own->n * sizeof *own->x);
    return LB_OK;
}
