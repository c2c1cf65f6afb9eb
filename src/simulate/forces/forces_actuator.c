// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Actuators: motors that obey the commands of a controller, as well as they can.
#include <math.h>

#include "forces.h"

// From command to force, between commands at t_k and t_(k+1)                             (CTL-1)
//
//     c     = gain (u less the dead zone), between the limits
//     r(t)  = r_k + clamp(c - r_k, -R s, R s),   s = t - t_k
//     y(t)  : T y_dot = r - y,   y(t_k) = y_k
//
// given     u the command, R the rate limit, T the lag
// computes  y in closed form: while r is a ramp of slope p,
//           y = r - p T + (y_k - r_k + p T) exp(-s/T); once r has come to c, y = c + (y_c - c) exp(...)

static double shape_command(const lb_force *force, double command)
{
    const double left = fmax(0.0, fabs(command) - force->dead_zone);
    const double f = force->gain * copysign(left, command);
    return fmin(force->high, fmax(force->low, f));
}

// How long the ramp takes, s.
static double get_ramp_time(const lb_force *force)
{
    return isinf(force->rate_limit) ? 0.0 : fabs(force->target - force->ramp) / force->rate_limit;
}

// A first-order lag of a ramp of some slope, `s` after it was at r and its output at y.
static double follow(const lb_force *force, double r, double y, double slope, double s)
{
    const double at = r + slope * s;
    if (!(force->lag > 0.0)) {
        return at;
    }
    const double behind = slope * force->lag;
    return at - behind + (y - r + behind) * exp(-s / force->lag);
}

double lb_get_actuator_output(const lb_force *force, double t)
{
    const double s = fmax(0.0, t - force->t_command), ramp_time = get_ramp_time(force);
    const double slope = copysign(force->rate_limit, force->target - force->ramp);
    if (s < ramp_time) {
        return follow(force, force->ramp, force->output, slope, s);
    }
    const double y = ramp_time > 0.0 ? follow(force, force->ramp, force->output, slope, ramp_time)
                                     : force->output;
    return follow(force, force->target, y, 0.0, s - ramp_time);
}

double lb_find_actuator_break(const lb_force *force, double t)
{
    const double end = force->t_command + get_ramp_time(force);
    return end > t && end > force->t_command ? end : INFINITY;
}

bool lb_change_command(lb_force *force, double t, double command)
{
    if (shape_command(force, command) == force->target) {
        return false;
    }
    lb_command_actuator(force, t, command);
    return true;
}

void lb_command_actuator(lb_force *force, double t, double command)
{
    const double output = lb_get_actuator_output(force, t);
    const double s = t - force->t_command, ramp_time = get_ramp_time(force);
    force->ramp = s < ramp_time
                      ? force->ramp + copysign(force->rate_limit * s, force->target - force->ramp)
                      : force->target;
    force->output = output;
    force->t_command = t;
    force->target = shape_command(force, command);
}
