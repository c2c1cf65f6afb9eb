// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `run` of a model file: how long, how often, by which integrator.
#include <math.h>
#include <string.h>

#include "simulation.h"

static const char *const integrator_names[] = {"erk",   "adams", "bdf", "rk4",
                                               "euler", "alpha", NULL};

const char *lb_get_integrator_name(lb_integrator integrator)
{
    return (int)integrator >= 0 && integrator < LB_INTEGRATOR_COUNT ? integrator_names[integrator]
                                                                    : "?";
}

lb_integrator lb_find_integrator(const char *name)
{
    int i = 0;
    while (integrator_names[i] && strcmp(integrator_names[i], name) != 0) {
        ++i;
    }
    return (lb_integrator)i;
}

static const char *const algorithm_names[] = {"articulated", "divide-and-conquer", NULL};

const char *lb_get_algorithm_name(lb_algorithm algorithm)
{
    return (int)algorithm >= 0 && algorithm < LB_ALGORITHM_COUNT ? algorithm_names[algorithm] : "?";
}

lb_algorithm lb_find_algorithm(const char *name)
{
    int i = 0;
    while (algorithm_names[i] && strcmp(algorithm_names[i], name) != 0) {
        ++i;
    }
    return (lb_algorithm)i;
}

bool lb_is_fixed_step(lb_integrator integrator)
{
    return integrator >= LB_INTEGRATOR_RK4;
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

// `assemble: true`, or {hold: [crank.angle, ...]}.
static lb_status load_assemble(lb_simulation *sim, lb_reader *reader, const lb_place *run)
{
    static const char *const keys[] = {"hold", NULL};
    const lb_place at = lb_place_at_key(run, "assemble");
    sim->assemble_held = lb_take(sim, (size_t)sim->system.v_count, 1);
    if (!sim->assemble_held) {
        return LB_E_MEMORY;
    }
    if (!at.node || lb_place_get_kind(&at) != LB_DOC_MAPPING) {
        lb_read_bool(reader, run, "assemble", LB_OPTIONAL, &sim->assemble);
        return LB_OK;
    }
    if (!lb_read_mapping(reader, &at, keys)) {
        return LB_OK;
    }
    sim->assemble = true;
    const lb_place hold = lb_place_at_key(&at, "hold");
    for (size_t i = 0; i < lb_place_get_count(&hold); ++i) {
        const lb_place entry = lb_place_at_index(&hold, i);
        const char *text = lb_place_get_string(&entry);
        if (!text) {
            lb_reader_fail_type(reader, &entry, "a body or coordinate, such as crank.angle");
        } else if (lb_hold_coordinate(sim, text, sim->assemble_held) < 0) {
            lb_reader_fail(reader, &entry, "%s", sim->system.message);
        }
    }
    return LB_OK;
}

lb_status lb_load_run(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    static const char *const keys[] = {"duration", "interval",  "integrator",
                                       "assemble", "algorithm", NULL};
    static const char *const inner_keys[] = {"type",     "tolerance", "absolute", "step",
                                             "max_step", "order",     "damping",  "stop_at_outputs",
                                             "jacobian", NULL};
    static const char *const jacobians[] = {"analytic", "differences", NULL};
    lb_run_options *o = &sim->options;
    *o = lb_default_run_options();
    const lb_place run = lb_place_at_key(root, "run");
    if (load_assemble(sim, reader, &run) < 0) {
        return LB_E_MEMORY;
    }
    if (!run.node || !lb_read_mapping(reader, &run, keys)) {
        return LB_OK;
    }
    const int errors = reader->error_count;
    lb_read_number(reader, &run, "duration", LB_OPTIONAL, &o->duration);
    lb_read_number(reader, &run, "interval", LB_OPTIONAL, &o->interval);
    int algorithm = (int)o->algorithm;
    lb_read_word(reader, &run, "algorithm", LB_OPTIONAL, algorithm_names, &algorithm);
    o->algorithm = (lb_algorithm)algorithm;
    const lb_place inner = lb_place_at_key(&run, "integrator");
    // a name alone will do
    const char *name = lb_place_get_string(&inner);
    if (name) {
        const lb_integrator found = lb_find_integrator(name);
        if (found == LB_INTEGRATOR_COUNT) {
            lb_reader_fail(reader, &inner,
                           "'%s' found, expected erk, adams, bdf, rk4, euler or alpha", name);
        } else {
            o->integrator = found;
        }
    } else if (inner.node && lb_read_mapping(reader, &inner, inner_keys)) {
        int type = (int)o->integrator;
        bool stop = false;
        lb_read_word(reader, &inner, "type", LB_OPTIONAL, integrator_names, &type);
        o->integrator = (lb_integrator)type;
        if (lb_read_number(reader, &inner, "tolerance", LB_OPTIONAL, &o->relative_tolerance)) {
            o->absolute_tolerance = o->relative_tolerance;
        }
        lb_read_number(reader, &inner, "absolute", LB_OPTIONAL, &o->absolute_tolerance);
        lb_read_number(reader, &inner, "step", LB_OPTIONAL, &o->step);
        lb_read_number(reader, &inner, "max_step", LB_OPTIONAL, &o->max_step);
        lb_read_number(reader, &inner, "damping", LB_OPTIONAL, &o->damping);
        lb_read_bool(reader, &inner, "stop_at_outputs", LB_OPTIONAL, &stop);
        o->stop_at_outputs = stop;
        lb_read_word(reader, &inner, "jacobian", LB_OPTIONAL, jacobians, &o->differences);
        const lb_place order = lb_place_at_key(&inner, "order");
        if (order.node) {
            lb_read_integer_at(reader, &order, &o->order);
        }
    }
    const char *key;
    const char *wrong = reader->error_count == errors ? lb_check_run_options(o, &key) : NULL;
    if (wrong) {
        const bool outer = strcmp(key, "duration") == 0 || strcmp(key, "interval") == 0;
        const lb_place at = lb_place_at_key(outer ? &run : &inner, key);
        lb_reader_fail(reader, &at, "%s", wrong);
    }
    return LB_OK;
}
