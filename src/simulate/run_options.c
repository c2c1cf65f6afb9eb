// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of a run: how long, how often, by which integrator.
#include <math.h>
#include <string.h>

#include "simulation.h"

const char *const lb_algorithm_names[] = {"articulated", "divide-and-conquer", NULL};

const char *lb_get_algorithm_name(lb_algorithm algorithm)
{
    return (int)algorithm >= 0 && algorithm < LB_ALGORITHM_COUNT ? lb_algorithm_names[algorithm]
                                                                 : "?";
}

lb_algorithm lb_find_algorithm(const char *name)
{
    int i = 0;
    while (lb_algorithm_names[i] && strcmp(lb_algorithm_names[i], name) != 0) {
        ++i;
    }
    return (lb_algorithm)i;
}

lb_run_options lb_default_run_options(void)
{
    return (lb_run_options){.size = sizeof(lb_run_options),
                            .duration = 10.0,
                            .interval = 0.01,
                            .integrator = LB_INTEGRATOR_ADAMS,
                            .relative_tolerance = 1e-8,
                            .absolute_tolerance = 1e-8,
                            .step = 1e-3,
                            .damping = 0.8};
}

// Written so that a NaN fails.
const char *lb_check_run_options(const lb_run_options *o, const char **key)
{
    static const int highest[] = {8, 12, 5, 0, 0, 0};
    *key = "duration";
    if (!(o->duration > 0.0 && o->duration <= 1e12)) {
        return "expected a time above 0";
    }
    *key = "interval";
    if (!(o->interval > 0.0 && o->interval <= 1e12)) {
        return "expected a time above 0";
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
    if (!(o->absolute_tolerance > 0.0 && o->absolute_tolerance <= 1e6)) {
        return "expected a number above 0";
    }
    *key = "step";
    if (!(o->step > 0.0 && o->step <= 1e6)) {
        return "expected a time above 0";
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
    if ((int)o->algorithm < 0 || o->algorithm >= LB_ALGORITHM_COUNT) {
        return "there is no such algorithm";
    }
    *key = "damping";
    if (!(o->damping >= 0.0 && o->damping <= 1.0)) {
        return "expected a spectral radius from 0 to 1";
    }
    return NULL;
}
