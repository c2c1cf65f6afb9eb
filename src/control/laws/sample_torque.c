// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A sample of the laws that know the dynamics.
#include <math.h>

#include "laws.h"

// (CTL-8)
static lb_status compute_wanted(const lb_torque_law *own, const lb_controller *c)
{
    if (own->regulator) {
        return lb_regulate(own->regulator, own->plan, c, own->wanted);
    }
    for (int i = 0; i < c->sample.channel_count; ++i) {
        own->wanted[i] = c->desired[2][i] + own->kd[i] * (c->desired[1][i] - c->speed[i]) +
                         own->kp[i] * (c->desired[0][i] - c->position[i]);
    }
    return LB_OK;
}

// Forces to servo commands, of which an actuator makes `gain` times as much.
static void convert(const lb_simulation *sim, const lb_plan *plan, lb_controller *c)
{
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const lb_force *actuator = &sim->system.forces->forces[c->channels[i].actuator];
        c->commands[i] = plan->tau[plan->v_at[i]] / actuator->gain;
    }
}

// What actuators really deliver: limits are known to the controller, rates and lags are not.
static void clip(const lb_simulation *sim, lb_plan *plan, const lb_controller *c)
{
    for (int i = 0; i < c->sample.channel_count; ++i) {
        const lb_force *actuator = &sim->system.forces->forces[c->channels[i].actuator];
        double *tau = &plan->tau[plan->v_at[i]];
        *tau = fmin(actuator->high, fmax(actuator->low, *tau));
    }
}

lb_status lb_update_computed_torque(lb_simulation *sim, lb_controller *c)
{
    lb_torque_law *own = (lb_torque_law *)c->own;
    lb_plan *plan = own->plan;
    lb_observe(plan, &sim->system, c, own->modes, false);
    lb_status status = compute_wanted(own, c);
    status = status < 0 ? status : lb_compute_plan_forces(plan, c->sample.t);
    status = status < 0 ? status : lb_follow_deformations(own->goals, plan, c, own->wanted);
    for (int i = 0; i < c->sample.channel_count; ++i) {
        plan->a[plan->v_at[i]] = own->wanted[i];
    }
    status = status < 0 ? status : lb_compute_plan_inverse(plan, own->modes == LB_LAW_MODES_RIGID);
    if (status < 0) {
        return status;
    }
    convert(sim, plan, c);
    if (own->modes == LB_LAW_MODES_ESTIMATED) {
        clip(sim, plan, c);
        status = lb_advance_plan(plan, c->sample.period);
    }
    return status;
}

lb_status lb_update_matching(lb_simulation *sim, lb_controller *c)
{
    lb_torque_law *own = (lb_torque_law *)c->own;
    lb_plan *plan = own->plan;
    lb_observe(plan, &sim->system, c, LB_LAW_MODES_ESTIMATED, own->whole);
    if (own->whole) {
        // feedback on the integrated state
        for (int i = 0; i < c->sample.channel_count; ++i) {
            c->position[i] = plan->q[plan->q_at[i]];
            c->speed[i] = plan->v[plan->v_at[i]];
        }
    }
    lb_status status = compute_wanted(own, c);
    status = status < 0 ? status : lb_compute_plan_forces(plan, c->sample.t);
    status = status < 0 ? status : lb_follow_deformations(own->goals, plan, c, own->wanted);
    status = status < 0 ? status : lb_match_accelerations(own, c);
    if (status < 0) {
        return status;
    }
    convert(sim, plan, c);
    clip(sim, plan, c);
    status = lb_advance_plan(plan, c->sample.period);
    return status;
}
