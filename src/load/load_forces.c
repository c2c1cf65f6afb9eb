// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `forces` of a model file.
#include <math.h>

#include "document/reader.h"
#include "document/values.h"
#include "listener.h"
#include "load_parts.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"

// ---- parts -------------------------------------------------------------------------------------

static lb_status read_values(lb_part_loader *loader, const lb_place *place, bool motion,
                             lb_force_options *o)
{
    // whoever takes them knows how many there should be
    const size_t count = lb_place_count_items(place);
    lb_function_options *values = NULL;
    const lb_status status = lb_read_functions(loader, place, motion, count, &values);
    o->values = values;
    o->value_count = (int)count;
    return status == LB_E_MEMORY ? status : LB_OK;
}

static lb_status read_value(lb_part_loader *loader, const lb_place *place, lb_force_options *o)
{
    lb_place value;
    return lb_find_value(loader->reader, place, "value", LB_REQUIRED, &value)
               ? read_values(loader, &value, false, o)
               : LB_OK;
}

static void read_limits(lb_reader *reader, const lb_place *place, lb_force_options *o)
{
    double given[2];
    if (lb_read_numbers(reader, place, "limits", LB_OPTIONAL, 2, given)) {
        o->low = given[0];
        o->high = given[1];
    } else if (lb_place_has_key(place, "limits")) {
        // there are some: keys that need them are right
        o->low = -1.0;
        o->high = 1.0;
    }
}

static void read_between(lb_part_loader *loader, const lb_place *place, lb_force_options *o)
{
    lb_place list;
    if (!lb_read_sequence(loader->reader, place, "between", LB_REQUIRED, &list)) {
        return;
    }
    if (lb_place_get_count(&list) != 2) {
        lb_reader_fail(loader->reader, &list, "%zu nodes given, expected 2",
                       lb_place_get_count(&list));
        return;
    }
    for (size_t i = 0; i < 2; ++i) {
        const lb_place node = lb_place_at_index(&list, i);
        if (!lb_read_node_name(loader, &node, &o->between[i])) {
            o->between[i] = (lb_node_name){NULL, NULL}; // the other one is still looked for
        }
    }
}

// ---- types -------------------------------------------------------------------------------------

static void read_spring(lb_part_loader *loader, const lb_place *place, bool between,
                        lb_force_options *o)
{
    lb_reader *reader = loader->reader;
    if (between) {
        read_between(loader, place, o);
        lb_read_number(reader, place, "length", LB_OPTIONAL, &o->rest);
    } else {
        lb_read_angle(reader, place, "rest", LB_OPTIONAL, &o->rest);
    }
    lb_read_number(reader, place, "stiffness", LB_REQUIRED, &o->stiffness);
}

static void read_damper(lb_part_loader *loader, const lb_place *place, bool between,
                        lb_force_options *o)
{
    if (between) {
        read_between(loader, place, o);
    }
    lb_read_number(loader->reader, place, "damping", LB_REQUIRED, &o->damping);
}

static void read_friction(lb_reader *reader, const lb_place *place, lb_force_options *o)
{
    lb_read_number(reader, place, "coulomb", LB_REQUIRED, &o->coulomb);
    lb_read_number(reader, place, "viscous", LB_OPTIONAL, &o->viscous);
    lb_read_nonzero(reader, place, "speed", &o->speed);
    lb_read_nonzero(reader, place, "static", &o->breakaway);
}

static void read_stop(lb_reader *reader, const lb_place *place, lb_force_options *o)
{
    lb_read_angle(reader, place, "lower", LB_OPTIONAL, &o->lower);
    lb_read_angle(reader, place, "upper", LB_OPTIONAL, &o->upper);
    lb_read_number(reader, place, "stiffness", LB_REQUIRED, &o->stiffness);
    lb_read_number(reader, place, "damping", LB_OPTIONAL, &o->damping);
    lb_read_number(reader, place, "width", LB_OPTIONAL, &o->width);
}

static lb_status read_motor(lb_part_loader *loader, const lb_place *place, lb_force_options *o)
{
    read_limits(loader->reader, place, o);
    lb_read_number(loader->reader, place, "max_speed", LB_OPTIONAL, &o->max_speed);
    lb_read_number(loader->reader, place, "max_power", LB_OPTIONAL, &o->max_power);
    return read_value(loader, place, o);
}

static void read_actuator(lb_reader *reader, const lb_place *place, lb_force_options *o)
{
    read_limits(reader, place, o);
    lb_read_number(reader, place, "gain", LB_OPTIONAL, &o->gain);
    lb_read_number(reader, place, "dead_zone", LB_OPTIONAL, &o->dead_zone);
    lb_read_number(reader, place, "rate_limit", LB_OPTIONAL, &o->rate_limit);
    lb_read_number(reader, place, "lag", LB_OPTIONAL, &o->lag);
}

static lb_status read_motion(lb_part_loader *loader, const lb_place *place, lb_force_options *o)
{
    static const char *const orders[] = {"position", "speed", "acceleration"};
    int found = 0;
    for (int i = 0; i < 3; ++i) {
        if (lb_place_has_key(place, orders[i])) {
            o->order = (lb_motion_order)i;
            ++found;
        }
    }
    if (found != 1) {
        lb_reader_fail(loader->reader, place,
                       "expected exactly one of position, speed, acceleration");
    }
    if (found == 0) {
        return LB_OK;
    }
    const lb_place value = lb_place_at_key(place, orders[o->order]);
    return read_values(loader, &value, true, o);
}

static lb_status read_node_force(lb_part_loader *loader, const lb_place *place, lb_force_options *o)
{
    static const char *const axes[] = {"world", "body", "node", NULL};
    lb_place at;
    int chosen = 0;
    if (lb_find_value(loader->reader, place, "at", LB_REQUIRED, &at)) {
        lb_read_node_name(loader, &at, &o->at);
    }
    lb_read_word(loader->reader, place, "axes", LB_OPTIONAL, axes, &chosen);
    o->axes = (lb_axes)chosen;
    return read_value(loader, place, o);
}

static lb_status read_by_type(lb_part_loader *loader, const lb_place *place, bool between,
                              lb_force_options *o)
{
    lb_reader *reader = loader->reader;
    if (o->type < LB_FORCE_FORCE && !between) {
        lb_read_string(reader, place, "hinge", LB_REQUIRED, &o->hinge);
    }
    switch (o->type) {
    case LB_FORCE_SPRING:
        read_spring(loader, place, between, o);
        return LB_OK;
    case LB_FORCE_DAMPER:
        read_damper(loader, place, between, o);
        return LB_OK;
    case LB_FORCE_FRICTION:
        read_friction(reader, place, o);
        return LB_OK;
    case LB_FORCE_STOP:
        read_stop(reader, place, o);
        return LB_OK;
    case LB_FORCE_MOTOR:
        return read_motor(loader, place, o);
    case LB_FORCE_MOTION:
        return read_motion(loader, place, o);
    case LB_FORCE_ACTUATOR:
        read_actuator(reader, place, o);
        return LB_OK;
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE:
        return read_node_force(loader, place, o);
    default:
        lb_read_number(reader, place, "mu", LB_REQUIRED, &o->mu);
        lb_read_numbers(reader, place, "position", LB_OPTIONAL, 3, o->position);
        lb_read_bool(reader, place, "gradient", LB_OPTIONAL, &o->gradient);
        lb_read_number(reader, place, "j2", LB_OPTIONAL, &o->j2);
        lb_read_number(reader, place, "radius", o->j2 != 0.0 ? LB_REQUIRED : LB_OPTIONAL,
                       &o->radius);
        lb_read_numbers(reader, place, "axis", LB_OPTIONAL, 3, o->axis);
        return LB_OK;
    }
}

// ---- all ---------------------------------------------------------------------------------------

// Keys that all types have, and those that go with each type.
#define LB_COMMON "name", "type", "enabled"

static const char *const keys[LB_FORCE_CALLBACK][11] = {
    [LB_FORCE_SPRING] = {LB_COMMON, "hinge", "stiffness", "rest", NULL},
    [LB_FORCE_DAMPER] = {LB_COMMON, "hinge", "damping", NULL},
    [LB_FORCE_FRICTION] = {LB_COMMON, "hinge", "coulomb", "viscous", "speed", "static", NULL},
    [LB_FORCE_STOP] = {LB_COMMON, "hinge", "lower", "upper", "stiffness", "damping", "width", NULL},
    [LB_FORCE_MOTOR] = {LB_COMMON, "hinge", "value", "limits", "max_speed", "max_power", NULL},
    [LB_FORCE_MOTION] = {LB_COMMON, "hinge", "position", "speed", "acceleration", NULL},
    [LB_FORCE_ACTUATOR] = {LB_COMMON, "hinge", "limits", "gain", "dead_zone", "rate_limit", "lag",
                           NULL},
    [LB_FORCE_FORCE] = {LB_COMMON, "at", "axes", "value", NULL},
    [LB_FORCE_TORQUE] = {LB_COMMON, "at", "axes", "value", NULL},
    [LB_FORCE_GRAVITY_POINT] = {LB_COMMON, "mu", "position", "gradient", "j2", "radius", "axis",
                                NULL}};

static const char *const keys_between[2][8] = {
    [LB_FORCE_SPRING] = {LB_COMMON, "between", "stiffness", "length", NULL},
    [LB_FORCE_DAMPER] = {LB_COMMON, "between", "damping", NULL}};

// `has_type` becomes false if not even the type can be read.
static lb_status read_force(lb_part_loader *loader, const lb_place *place, lb_force_options *o,
                            bool *has_type)
{
    const char *types[LB_FORCE_CALLBACK + 1] = {NULL}; // a file cannot name functions
    lb_reader *reader = loader->reader;
    int type = 0;
    *has_type = false;
    for (int i = 0; i < LB_FORCE_CALLBACK; ++i) {
        types[i] = lb_get_force_type_name((lb_force_type)i);
    }
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, place, "a force, such as {name: s, type: spring, ...}");
        return LB_OK;
    }
    lb_read_string(reader, place, "name", LB_REQUIRED, &o->name);
    if (!lb_read_word(reader, place, "type", LB_REQUIRED, types, &type)) {
        return LB_OK;
    }
    o->type = (lb_force_type)type;
    *has_type = true;
    lb_read_bool(reader, place, "enabled", LB_OPTIONAL, &o->enabled);
    const bool between = type <= LB_FORCE_DAMPER && lb_place_has_key(place, "between");
    lb_read_mapping(reader, place, between ? keys_between[type] : keys[type]);
    return read_by_type(loader, place, between, o);
}

lb_status lb_read_forces(lb_part_loader *loader, lb_forces *forces)
{
    lb_reader *reader = loader->reader;
    const lb_place list = lb_find_part(loader->root, "forces", LB_DOC_SEQUENCE);
    lb_status status = lb_read_signals(loader, lb_get_force_signals(forces));
    for (size_t i = 0;
         status >= 0 && i < lb_place_get_count(&list) && !lb_gives_up(reader, &list, i); ++i) {
        const lb_place place = lb_place_at_index(&list, i);
        lb_force_options options = lb_default_force_options();
        bool has_type;
        options.name = "";
        status = read_force(loader, &place, &options, &has_type);
        if (status == LB_OK && !has_type) {
            lb_make_half_known(reader, options.name);
            status = lb_reserve_force(forces, options.name);
        } else if (status == LB_OK) {
            // also after errors of form: it finds those of meaning
            const lb_status added = lb_add_force(forces, &options, NULL);
            status = added == LB_E_MODEL ? LB_OK : added; // reported: others may be wrong as well
        }
    }
    return status;
}

lb_status lb_load_forces(const lb_document *document, const lb_model *model,
                         const lb_report *report, lb_forces **out)
{
    const lb_allocator allocator = lb_get_document_allocator(document);
    lb_reader reader = lb_start_reader(document, report);
    const lb_place root = lb_get_document_root(document);
    lb_part_loader loader = {&reader, &root, lb_make_arena(&allocator)};
    const lb_report relay = lb_get_relay(&loader);
    lb_listener listener;
    lb_start_listening(&listener, &reader, &root);
    lb_status status = lb_create_forces(model, &allocator, &relay, out);
    status = status < 0 ? status : lb_read_forces(&loader, *out);
    status = status == LB_OK && reader.error_count > 0 ? LB_E_MODEL : status;
    status = listener.no_memory ? LB_E_MEMORY : status;
    lb_report_lack(document, report, status);
    lb_end_part_loader(&loader);
    lb_end_listening(&listener);
    if (status == LB_OK) {
        lb_set_force_report(*out, report);
    } else {
        lb_destroy_forces(*out);
        *out = NULL;
    }
    return status;
}
