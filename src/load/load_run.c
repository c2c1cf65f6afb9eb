// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `run` of a model file.
#include <string.h>

#include "document/values.h"
#include "listener.h"
#include "load_keys.h"
#include "simulate/balance/trim.h"

// `assemble: true`, or {hold: [crank.angle, ...]}.
static lb_status load_assemble(lb_simulation *sim, lb_part_loader *loader, const lb_place *run,
                               lb_run_options *o)
{
    static const char *const keys[] = {"hold", NULL};
    lb_reader *reader = loader->reader;
    const lb_place at = lb_place_at_key(run, "assemble");
    if (lb_place_get_kind(&at) != LB_DOC_MAPPING) {
        lb_read_bool(reader, run, "assemble", LB_OPTIONAL, &o->assemble);
        return LB_OK;
    }
    if (!lb_read_mapping(reader, &at, keys)) {
        return LB_OK;
    }
    o->assemble = true;
    lb_place hold;
    // here only to see whether they can be
    unsigned char *held =
        lb_arena_take(&loader->scratch, (size_t)lb_get_v_count(lb_get_simulation_model(sim)), 1);
    if (!held) {
        return LB_E_MEMORY;
    }
    if (!lb_read_sequence(reader, &at, "hold", LB_OPTIONAL, &hold)) {
        return LB_OK;
    }
    const lb_status status =
        lb_read_strings(reader, &loader->scratch, &hold,
                        "a body or coordinate, such as crank.angle", &o->hold, &o->hold_count);
    for (int i = 0; status == LB_OK && i < o->hold_count; ++i) {
        const lb_place entry = lb_place_at_index(&hold, (size_t)i);
        if (*o->hold[i] && !lb_is_half_known(reader, o->hold[i]) &&
            lb_hold_coordinate(sim, o->hold[i], held) < 0) {
            lb_reader_fail(reader, &entry, "%s", lb_get_simulation_message(sim));
        }
    }
    return status;
}

// `absolute: 1.0e-9`, or {modes: 1.0e-9, angles: 1.0e-8, ...}.
static void load_absolute(lb_reader *reader, const lb_place *inner, lb_run_options *o)
{
    static const char *const keys[] = {"modes", "angles",     "lengths", "mode_rates",
                                       "rates", "velocities", NULL};
    double *const values[] = {&o->absolute_modes,   &o->absolute_angles,
                              &o->absolute_lengths, &o->absolute_mode_rates,
                              &o->absolute_rates,   &o->absolute_velocities};
    const lb_place at = lb_place_at_key(inner, "absolute");
    const bool is_mapping = lb_place_get_kind(&at) == LB_DOC_MAPPING;
    if (is_mapping && !lb_read_mapping(reader, &at, keys)) {
        return;
    }
    for (int i = 0; i < (is_mapping ? 6 : 1); ++i) {
        const lb_place *from = is_mapping ? &at : inner;
        const char *key = is_mapping ? keys[i] : "absolute";
        double *value = is_mapping ? values[i] : &o->absolute_tolerance;
        const lb_place number = lb_place_at_key(from, key);
        if (lb_read_number(reader, from, key, LB_OPTIONAL, value) && number.node &&
            !(*value > 0.0 && *value <= 1e6)) {
            lb_reader_fail(reader, &number, "expected a number above 0 and not above 1e6");
            *value = 0.0; // none, so that it is not reported again
        }
    }
}

static void load_integrator(lb_reader *reader, const lb_place *inner, lb_run_options *o)
{
    static const char *const keys[] = {"type",     "tolerance", "absolute", "step",
                                       "max_step", "order",     "damping",  "stop_at_outputs",
                                       "jacobian", NULL};
    static const char *const jacobians[] = {"analytic", "differences", NULL};
    int type = (int)o->integrator, differences = o->differences;
    // a name alone will do
    const char *name = lb_place_get_string(inner);
    if (name) {
        type = lb_find_integrator(name);
        if (type == LB_NOT_FOUND) {
            lb_reader_fail(reader, inner,
                           "'%s' found, expected erk, adams, bdf, rk4, euler or alpha", name);
        } else {
            o->integrator = (lb_integrator)type;
        }
        return;
    }
    if (!inner->node || !lb_read_mapping(reader, inner, keys)) {
        return;
    }
    lb_read_word(reader, inner, "type", LB_OPTIONAL, lb_integrator_names, &type);
    o->integrator = (lb_integrator)type;
    lb_read_number(reader, inner, "tolerance", LB_OPTIONAL, &o->relative_tolerance);
    load_absolute(reader, inner, o);
    lb_read_number(reader, inner, "step", LB_OPTIONAL, &o->step);
    lb_read_number(reader, inner, "max_step", LB_OPTIONAL, &o->max_step);
    lb_read_number(reader, inner, "damping", LB_OPTIONAL, &o->damping);
    lb_read_bool(reader, inner, "stop_at_outputs", LB_OPTIONAL, &o->stop_at_outputs);
    lb_read_word(reader, inner, "jacobian", LB_OPTIONAL, jacobians, &differences);
    o->differences = differences != 0;
    lb_read_integer(reader, inner, "order", LB_OPTIONAL, &o->order);
}

// Replaces what is wrong with an option by its default, so that others can be checked.
static void mend_option(lb_run_options *o, const char *key)
{
    const lb_run_options good = lb_default_run_options();
    const struct {
        const char *key;
        void *own;
        const void *good;
        size_t size;
    } options[] = {
        {"duration", &o->duration, &good.duration, sizeof o->duration},
        {"interval", &o->interval, &good.interval, sizeof o->interval},
        {"tolerance", &o->relative_tolerance, &good.relative_tolerance,
         sizeof o->relative_tolerance},
        {"step", &o->step, &good.step, sizeof o->step},
        {"max_step", &o->max_step, &good.max_step, sizeof o->max_step},
        {"order", &o->order, &good.order, sizeof o->order},
        {"damping", &o->damping, &good.damping, sizeof o->damping},
        {"seed", &o->seed, &good.seed, sizeof o->seed},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        if (strcmp(options[i].key, key) == 0) {
            memcpy(options[i].own, options[i].good, options[i].size);
            return;
        }
    }
    *o = good; // not from a file
}

// Reports all options that are wrong.
static void check_options(lb_reader *reader, const lb_place *run, const lb_place *inner,
                          const lb_run_options *options)
{
    lb_run_options o = *options;
    const char *key, *wrong;
    // each turn mends one of them; those that are not from a file mend all
    while ((wrong = lb_check_run_options(&o, &key))) {
        const bool outer = strcmp(key, "duration") == 0 || strcmp(key, "interval") == 0 ||
                           strcmp(key, "seed") == 0;
        const lb_place at = lb_place_at_key(outer ? run : inner, key);
        lb_reader_fail(reader, &at, "%s", wrong);
        mend_option(&o, key);
    }
}

static lb_status load(lb_simulation *sim, lb_part_loader *loader, const lb_place *run)
{
    static const char *const keys[] = {"duration", "interval",  "integrator", "assemble",
                                       "trim",     "algorithm", "seed",       NULL};
    lb_reader *reader = loader->reader;
    lb_run_options o = lb_default_run_options();
    const int errors = reader->error_count;
    if (!run->node || !lb_read_mapping(reader, run, keys)) {
        return LB_OK;
    }
    lb_status status = load_assemble(sim, loader, run, &o);
    bool trim = false;
    lb_read_bool(reader, run, "trim", LB_OPTIONAL, &trim);
    if (trim) {
        lb_trim_at_start(sim);
    }
    lb_read_number(reader, run, "duration", LB_OPTIONAL, &o.duration);
    lb_read_number(reader, run, "interval", LB_OPTIONAL, &o.interval);
    lb_read_number(reader, run, "seed", LB_OPTIONAL, &o.seed);
    int algorithm = (int)o.algorithm;
    lb_read_word(reader, run, "algorithm", LB_OPTIONAL, lb_algorithm_names, &algorithm);
    o.algorithm = (lb_algorithm)algorithm;
    const lb_place inner = lb_place_at_key(run, "integrator");
    load_integrator(reader, &inner, &o);
    check_options(reader, run, &inner, &o);
    return status < 0 || reader->error_count > errors ? status : lb_set_run_options(sim, &o);
}

lb_status lb_load_run(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place run = lb_place_at_key(root, "run");
    lb_part_loader loader = {reader, root, lb_make_arena(NULL)};
    const lb_status status = load(sim, &loader, &run);
    lb_end_part_loader(&loader);
    return status;
}
