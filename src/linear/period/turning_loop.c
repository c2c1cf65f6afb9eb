// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The plant, and loops that sample, along a motion that repeats itself.
#include <math.h>
#include <string.h>

#include "linear/closed/closed_loop.h"
#include "period.h"

// The shortest time in which the motion and all samples repeat themselves.
static lb_status fit_period(lb_closed *k)
{
    enum { MOST = 1000 };
    const double sampling = k->period, T = k->turn->period;
    if (!(sampling > 0.0)) {
        k->period = T;
        return LB_OK;
    }
    for (int many = 1; many <= MOST; ++many) {
        const double rounds = many * T / sampling;
        if (rounds > 0.5 && fabs(rounds - nearbyint(rounds)) <= 1e-9 * rounds) {
            const int times = (int)nearbyint(rounds);
            k->period = many * T;
            for (int i = 0; i < k->controller_count; ++i) {
                lb_closed_controller *own = &k->controllers[i];
                own->sample_count *= times;
                for (int j = 0; j < own->read_count; ++j) {
                    own->reads[j].samples *= times;
                }
            }
            return LB_OK;
        }
    }
    return lb_say(
        &k->sim->system, LB_E_UNSUPPORTED,
        "linear: the motion repeats itself every %.9g s and the samples of controllers every "
        "%.9g s, which have no common period within %d of the motion's: open the controllers, "
        "or change the period",
        T, sampling, (int)MOST);
}

static lb_status check_options(lb_simulation *sim, const lb_linear_options *o)
{
    if (!isfinite(o->period)) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "linear: the period is not a finite number");
    }
    if (o->about != LB_ABOUT_STATE) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      "linear: a period is of a motion, which is found from a state: neither an "
                      "equilibrium nor a steady motion");
    }
    return LB_OK;
}

lb_status lb_collect_turning_loop(lb_simulation *sim, const lb_linear_options *options,
                                  const lb_feedbacks *feedbacks, lb_arena *arena, lb_closed *k)
{
    lb_linear_options own = *options;
    lb_turn *turn = lb_arena_take(arena, 1, sizeof *turn);
    lb_status status = turn ? check_options(sim, options) : LB_E_MEMORY;
    status = status < 0 ? status : lb_find_turn(sim, options, arena, turn);
    if (status < 0) {
        return status;
    }
    own.q = turn->point.q;
    own.v = turn->point.v;
    status = lb_collect_loop_at(sim, &own, feedbacks, NULL, 0, arena, k);
    if (status < 0) {
        return status;
    }
    k->turn = turn;
    k->A = turn->mean;
    k->plant.unbalance = 0.0;
    k->plant.unbalanced = "";
    k->plant.is_periodic = true;
    k->plant.moved = turn->moved;
    k->plant.moved_name = turn->moved_name;
    turn->options = &k->plant_options;
    turn->ports = &k->ports;
    return fit_period(k);
}

// Actuators must do nothing: up to 1e-7 of the motion, or 1e-10 of a radian or metre in a period.
static lb_status check_commands(const lb_closed *k, const lb_closed *there)
{
    const lb_turn *x = k->turn;
    const int n = x->n, m = k->plant.input_count;
    for (int j = 0; j < there->actuator_count; ++j) {
        const lb_closed_actuator *actuator = &there->actuators[j];
        const double f = lb_find_command_force(there, actuator);
        for (int i = 0; i < n; ++i) {
            const double a = there->plant.B[(n + i) * m + actuator->input] * f;
            const double w = x->weight[k->plant.coordinates[i]];
            if (w * fabs(a) * x->period * x->period > 1e-7 * x->size + 1e-10 * w) {
                return lb_say(
                    x->s, LB_E_UNSUPPORTED,
                    "linear: \"%s\" delivers %.3g along the motion, %.6g s from its start: "
                    "a motion that controllers drive is not found; open them",
                    k->feedbacks.list[actuator->feedback].name, f, x->now.t);
            }
        }
    }
    return LB_OK;
}

// Laws that read along the motion what they do not read at its start have no place for it.
static lb_status check_reads(const lb_closed *k, const lb_closed *there)
{
    for (int i = 0; i < k->controller_count; ++i) {
        for (int j = 0; j < k->controllers[i].read_count; ++j) {
            if (there->controllers[i].reads[j].is_used && !k->controllers[i].reads[j].is_used) {
                return lb_say(
                    &k->sim->system, LB_E_UNSUPPORTED,
                    "linear: controller '%s' reads at %.6g s what it does not read at the "
                    "start of the motion: start elsewhere, or open it",
                    k->controllers[i].c->name, k->turn->now.t);
            }
        }
    }
    return LB_OK;
}

lb_status lb_look_at_loop(const lb_closed *k, lb_arena *arena, lb_closed *there)
{
    lb_linear_options own = k->plant_options;
    lb_feedbacks feedbacks = k->feedbacks;
    own.inputs = k->inputs;
    own.input_count = k->input_count;
    own.output_count = k->output_count;
    own.t = k->turn->point.t + k->turn->now.t;
    own.q = k->turn->now.q;
    own.v = k->turn->now.v;
    // notes are of the start
    feedbacks.list = lb_arena_take(arena, (size_t)feedbacks.count + 1, sizeof *feedbacks.list);
    if (!feedbacks.list) {
        return LB_E_MEMORY;
    }
    memcpy(feedbacks.list, k->feedbacks.list, (size_t)feedbacks.count * sizeof *feedbacks.list);
    lb_status status = lb_collect_loop_at(k->sim, &own, &feedbacks, NULL, 0, arena, there);
    status = status < 0 ? status : check_commands(k, there);
    status = status < 0 ? status : check_reads(k, there);
    for (int j = 0; j < k->actuator_count && status >= 0; ++j) {
        k->actuators[j].gain = there->actuators[j].gain;
    }
    return status;
}
