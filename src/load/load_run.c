// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `run` of a model file.
#include <string.h>

#include "load_keys.h"

// `assemble: true`, or {hold: [crank.angle, ...]}.
static lb_status load_assemble(lb_simulation *sim, lb_reader *reader, const lb_place *run)
{
    static const char *const keys[] = {"hold", NULL};
    const lb_place at = lb_place_at_key(run, "assemble");
    sim->assemble_held = lb_arena_take(&sim->arena, (size_t)sim->system.v_count, 1);
    if (!sim->assemble_held) {
        return LB_E_MEMORY;
    }
    if (!lb_place_exists(&at) || lb_place_get_kind(&at) != LB_DOC_MAPPING) {
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
    lb_run_options *o = &sim->flow.options;
    *o = lb_default_run_options();
    const lb_place run = lb_place_at_key(root, "run");
    if (load_assemble(sim, reader, &run) < 0) {
        return LB_E_MEMORY;
    }
    if (!lb_place_exists(&run) || !lb_read_mapping(reader, &run, keys)) {
        return LB_OK;
    }
    const int errors = reader->error_count;
    lb_read_number(reader, &run, "duration", LB_OPTIONAL, &o->duration);
    lb_read_number(reader, &run, "interval", LB_OPTIONAL, &o->interval);
    int algorithm = (int)o->algorithm;
    lb_read_word(reader, &run, "algorithm", LB_OPTIONAL, lb_algorithm_names, &algorithm);
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
    } else if (lb_place_exists(&inner) && lb_read_mapping(reader, &inner, inner_keys)) {
        int type = (int)o->integrator;
        bool stop = false;
        lb_read_word(reader, &inner, "type", LB_OPTIONAL, lb_integrator_names, &type);
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
        if (lb_place_exists(&order)) {
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
