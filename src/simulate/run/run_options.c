// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of a run: how long, how often, by which integrator.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/sized.h"
#include "simulation.h"

const char *const lb_algorithm_names[] = {"articulated", "divide-and-conquer", NULL};

int lb_find_algorithm(const char *name)
{
    for (int i = 0; i < LB_RUN_ALGORITHM_COUNT; ++i) {
        if (strcmp(lb_algorithm_names[i], name) == 0) {
            return i;
        }
    }
    return LB_NOT_FOUND;
}

// Written so that a NaN fails.
const char *lb_check_run_options(const lb_run_options *o, const char **key)
{
    static const int highest[] = {8, 12, 5, 0, 0, 0};
    *key = "duration";
    if (!(o->duration > 0.0 && o->duration <= 1e12)) {
        return "expected a time above 0 and not above 1e12 s";
    }
    *key = "interval";
    if (!(o->interval > 0.0 && o->interval <= 1e12)) {
        return "expected a time above 0 and not above 1e12 s";
    }
    if (!(o->duration / o->interval <= 1e9)) {
        return "gives more than 1e9 outputs";
    }
    *key = "type";
    if ((int)o->integrator < 0 || o->integrator >= LB_INTEGRATOR_COUNT) {
        return "there is no such integrator";
    }
    *key = "tolerance";
    if (!(o->relative_tolerance >= 1e-15 && o->relative_tolerance <= 0.1)) {
        return "expected a number from 1e-15 to 0.1";
    }
    *key = "absolute";
    const double absolute[] = {o->absolute_tolerance, o->absolute_modes,      o->absolute_angles,
                               o->absolute_lengths,   o->absolute_mode_rates, o->absolute_rates,
                               o->absolute_velocities};
    for (size_t i = 0; i < sizeof absolute / sizeof absolute[0]; ++i) {
        if (!(absolute[i] >= 0.0 && absolute[i] <= 1e6)) {
            return "expected a number above 0 and not above 1e6";
        }
    }
    *key = "step";
    if (!(o->step > 0.0 && o->step <= 1e6)) {
        return "expected a time above 0 and not above 1e6 s";
    }
    if (lb_is_fixed_step(o->integrator) && !(o->duration / o->step <= 1e15)) {
        return "gives more than 1e15 steps";
    }
    *key = "max_step";
    if (!(o->max_step >= 0.0)) {
        return "expected a time, or 0 for no limit";
    }
    *key = "order";
    if (o->order < 0 || (o->order > 0 && o->order > highest[o->integrator]) ||
        (o->integrator == LB_INTEGRATOR_ERK && (o->order == 1 || o->order == 7))) {
        return "expected 2 to 6 or 8 for erk, 1 to 12 for adams, 1 to 5 for bdf; other integrators "
               "have none";
    }
    *key = "algorithm";
    if ((int)o->algorithm < 0 || (int)o->algorithm >= LB_RUN_ALGORITHM_COUNT) {
        return "there is no such algorithm";
    }
    *key = "damping";
    if (!(o->damping >= 0.0 && o->damping <= 1.0)) {
        return "expected a spectral radius from 0 to 1";
    }
    *key = "seed";
    if (!(o->seed >= 0.0 && o->seed < 0x1p53 && o->seed == floor(o->seed))) {
        return "expected a whole number from 0 to 2^53";
    }
    return NULL;
}

enum { SMALLEST = offsetof(lb_run_options, interval) + sizeof(double) };

lb_status lb_get_run_options(const lb_simulation *sim, lb_run_options *options)
{
    return lb_give_sized(&sim->flow.options, sizeof sim->flow.options, SMALLEST, options);
}

// Copies the names of what is held, and marks it.
static lb_status keep_held(lb_simulation *sim, lb_run_options *options)
{
    const size_t count = options->hold && options->hold_count > 0 ? (size_t)options->hold_count : 0;
    const char **names = lb_arena_take(&sim->arena, count, sizeof *names);
    unsigned char *held = lb_arena_take(&sim->arena, (size_t)sim->system.v_count, 1);
    if (!names || !held) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        names[i] = lb_arena_text(&sim->arena, options->hold[i] ? options->hold[i] : "");
        if (!names[i]) {
            return LB_E_MEMORY;
        }
        if (lb_hold_coordinate(sim, names[i], held) < 0) {
            return LB_E_ARGUMENT;
        }
    }
    options->hold_count = (int)count;
    options->hold = count > 0 ? names : NULL;
    sim->assemble_held = held;
    return LB_OK;
}

lb_status lb_set_run_options(lb_simulation *sim, const lb_run_options *given)
{
    lb_run_options options = lb_default_run_options();
    const char *key;
    if (sim->stage == LB_STAGE_RUNNING) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      "run options are set before the simulation is started");
    }
    lb_faults faults = lb_hear_faults(sim);
    lb_status status =
        lb_take_checked(&faults, "run", "", &options, sizeof options, SMALLEST, given);
    if (status < 0) {
        return status;
    }
    const char *wrong = lb_check_run_options(&options, &key);
    if (wrong) {
        return lb_say(&sim->system, LB_E_ARGUMENT, "%s: %s", key, wrong);
    }
    status = keep_held(sim, &options);
    if (status >= 0) {
        sim->flow.options = options;
    }
    return status;
}
