// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The initial state of a simulation: set as a whole, or by the names of its entries.
#include <math.h>
#include <string.h>

#include "simulation.h"

// A quaternion may be off by this much: numbers typed with seven digits.
static const double typing_error = 1e-6;

static lb_status check_time(lb_simulation *sim)
{
    return sim->stage == LB_STAGE_RUNNING
               ? lb_say(&sim->system, LB_E_ARGUMENT,
                        "the initial state is set before the simulation is started")
               : LB_OK;
}

// Entry i of (q, v) is not acceptable.
static lb_status say_wrong(lb_simulation *sim, lb_status status, int i, double value)
{
    char where[128];
    lb_describe_entry(&sim->system, i, where, sizeof where);
    return isfinite(value)
               ? lb_say(&sim->system, status, "%s: the quaternion is not of unit length", where)
               : lb_say(&sim->system, status, "%s: %g, expected a finite number", where, value);
}

lb_status lb_set_initial_state(lb_simulation *sim, const double *q, const double *v)
{
    const lb_system *s = &sim->system;
    if (check_time(sim) < 0) {
        return LB_E_ARGUMENT;
    }
    if (q) {
        int bad = -1;
        memcpy(sim->q_trial, q, (size_t)s->q_count * sizeof *q);
        if (lb_normalize_configuration(s->model, typing_error, sim->q_trial, &bad) < 0) {
            return say_wrong(sim, LB_E_ARGUMENT, bad, q[bad]);
        }
    }
    for (int i = 0; v && i < s->v_count; ++i) {
        if (!isfinite(v[i])) {
            return say_wrong(sim, LB_E_ARGUMENT, s->q_count + i, v[i]);
        }
    }
    if (q) {
        memcpy(sim->q0, sim->q_trial, (size_t)s->q_count * sizeof *q);
        sim->is_raw = false;
    }
    if (v) {
        memcpy(sim->v0, v, (size_t)s->v_count * sizeof *v);
    }
    return LB_OK;
}

bool lb_find_coordinate(lb_simulation *sim, const char *text, lb_signal *signal)
{
    lb_faults faults = lb_hear_faults(sim);
    return lb_resolve_signal(sim->system.model, NULL, text, &faults, "", "", signal);
}

lb_status lb_set_initial_value(lb_simulation *sim, const char *name, double value)
{
    lb_system *s = &sim->system;
    lb_signal signal;
    if (check_time(sim) < 0 || !lb_find_coordinate(sim, name, &signal)) {
        return LB_E_ARGUMENT;
    }
    if (signal.kind != LB_SIGNAL_Q && signal.kind != LB_SIGNAL_V) {
        return lb_say(s, LB_E_ARGUMENT,
                      "'%s' is no part of the state: expected a coordinate such as crank.angle or "
                      "panel.eta.0, or a speed such as crank.rate or base.v.2",
                      name);
    }
    if (!isfinite(value)) {
        return lb_say(s, LB_E_ARGUMENT, "%s: %g, expected a finite number", name, value);
    }
    if (signal.kind == LB_SIGNAL_Q) {
        sim->q0[signal.index] = value;
        sim->is_raw = true;
    } else {
        sim->v0[signal.index] = value;
    }
    return LB_OK;
}

lb_status lb_clean_initial(lb_simulation *sim)
{
    int bad = -1;
    if (!sim->is_raw || sim->stage == LB_STAGE_RUNNING) {
        return LB_OK;
    }
    if (lb_normalize_configuration(sim->system.model, typing_error, sim->q0, &bad) < 0) {
        return say_wrong(sim, LB_E_MODEL, bad, sim->q0[bad]);
    }
    sim->is_raw = false;
    return LB_OK;
}

void lb_get_initial_state(const lb_simulation *sim, const double **q, const double **v)
{
    if (q) {
        *q = sim->q0;
    }
    if (v) {
        *v = sim->v0;
    }
}
