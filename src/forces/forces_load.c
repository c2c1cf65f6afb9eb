// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements out of a model file.
#include <math.h>
#include <string.h>

#include "forces.h"

// ---- numbers -----------------------------------------------------------------------------------

// A number with a lower bound: zero, or above it.
static void read_bounded(lb_reader *reader, const lb_place *up, const char *key, lb_need need,
                         bool positive, double *number)
{
    double value = 0.0;
    const lb_place place = lb_place_at_key(up, key);
    if (!lb_read_number(reader, up, key, need, &value)) {
        return;
    }
    if (positive ? !(value > 0) : !(value >= 0)) {
        lb_reader_fail(reader, &place, "%.15g, expected a number %s", value,
                       positive ? "above zero" : "not below zero");
        return;
    }
    *number = value;
}

// ---- places ------------------------------------------------------------------------------------

bool lb_find_hinge(const lb_model *model, const char *text, int *body, int *index)
{
    *index = -1;
    *body = lb_find_body(model, text);
    if (*body >= 0) {
        return true;
    }
    const char *dot = strrchr(text, '.');
    char name[256];
    if (!dot || !dot[1] || strlen(dot + 1) > 3 ||
        strspn(dot + 1, "0123456789") != strlen(dot + 1) || (size_t)(dot - text) >= sizeof name) {
        return false;
    }
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = '\0';
    *index = 0;
    for (const char *digit = dot + 1; *digit; ++digit) {
        *index = 10 * *index + (*digit - '0');
    }
    *body = lb_find_body(model, name);
    return *body >= 0;
}

static bool has_coordinates(lb_hinge_type type)
{
    return type != LB_HINGE_SPHERICAL && type != LB_HINGE_FREE;
}

bool lb_read_hinge(const lb_function_loader *loader, const lb_place *place, const char *key,
                   bool whole, bool needs_coordinate, lb_force *force)
{
    lb_reader *reader = loader->reader;
    const lb_model *model = loader->scope.model;
    const lb_place at = lb_place_at_key(place, key);
    const char *text = NULL;
    int index = -1;
    if (!lb_read_string(reader, place, key, LB_REQUIRED, &text)) {
        return false;
    }
    if (!lb_find_hinge(model, text, &force->body, &index)) {
        lb_reader_fail(reader, &at,
                       "there is no body \"%s\"; expected one, whose hinge is meant, "
                       "such as link, or link.0 for one of its speeds",
                       text);
        return false;
    }
    const char *name = lb_get_body_name(model, force->body);
    const lb_hinge_type type = lb_get_hinge_type(model, force->body);
    const int count = lb_get_hinge_v_count(model, force->body);
    const int modes = lb_get_mode_count(model, force->body);
    if (count == 0) {
        lb_reader_fail(reader, &at, "the hinge of \"%s\" is fixed", name);
        return false;
    }
    if (index >= count) {
        lb_reader_fail(reader, &at, "the hinge of \"%s\" has no speed %d: %s has %d, from 0", name,
                       index, lb_get_hinge_type_name(type), count);
        return false;
    }
    if (whole && index >= 0) {
        lb_reader_fail(reader, &at, "motion drives the whole hinge: expected \"%s\"", name);
        return false;
    }
    if (!whole && index < 0 && count > 1) {
        lb_reader_fail(reader, &at, "the hinge of \"%s\" has %d speeds: say which one, as %s.0",
                       name, count, name);
        return false;
    }
    if (needs_coordinate && !has_coordinates(type)) {
        lb_reader_fail(reader, &at,
                       "a %s hinge has no coordinate that this could act on; springs "
                       "between nodes, or motors with an expression, can replace it",
                       lb_get_hinge_type_name(type));
        return false;
    }
    index = index < 0 ? 0 : index;
    force->v = lb_get_v_offset(model, force->body) + modes + index;
    force->q = has_coordinates(type) ? lb_get_q_offset(model, force->body) + modes + index : -1;
    return true;
}

bool lb_read_node(const lb_function_loader *loader, const lb_place *place, int *body, int *node)
{
    static const char *const known[] = {"body", "node", NULL};
    lb_reader *reader = loader->reader;
    const lb_model *model = loader->scope.model;
    const char *text = lb_place_get_string(place);
    if (text) {
        lb_scan scan = {.text = text, .hyphens = true};
        if (lb_find_plain_node(model, text, body, node)) {
            return true;
        }
        if (lb_scan_read_node(&scan, &loader->scope, body, node) && scan.text[scan.at]) {
            lb_scan_fail(&scan, scan.at, "expected a body and a node, such as panel/n1");
        }
        if (scan.failed) {
            lb_reader_fail(reader, place, "%s", scan.error.message);
        }
        return !scan.failed;
    }
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, place, "a node, such as {body: panel, node: n1} or panel/n1");
        return false;
    }
    const char *body_name = NULL, *node_name = "origin";
    lb_read_mapping(reader, place, known);
    if (!lb_read_string(reader, place, "body", LB_REQUIRED, &body_name)) {
        return false;
    }
    lb_read_string(reader, place, "node", LB_OPTIONAL, &node_name);
    const lb_place body_place = lb_place_at_key(place, "body");
    const lb_place node_place = lb_place_at_key(place, "node");
    *body = lb_find_body(model, body_name);
    if (*body < LB_GROUND) {
        lb_reader_fail(reader, &body_place, "there is no body \"%s\"", body_name);
        return false;
    }
    *node = lb_find_node(model, *body, node_name);
    if (*node < 0) {
        lb_reader_fail(reader, &node_place, "%s has no node \"%s\"", body_name, node_name);
        return false;
    }
    return true;
}

// ---- types -------------------------------------------------------------------------------------

static void load_stop(lb_reader *reader, const lb_place *place, lb_force *force)
{
    force->lower = -INFINITY;
    force->upper = INFINITY;
    force->width = 1e-3;
    const bool lower = lb_read_angle(reader, place, "lower", LB_OPTIONAL, &force->lower);
    const bool upper = lb_read_angle(reader, place, "upper", LB_OPTIONAL, &force->upper);
    if (!lower && !upper && !lb_place_has_key(place, "lower") &&
        !lb_place_has_key(place, "upper")) {
        lb_reader_fail(reader, place, "a stop has \"lower\", \"upper\" or both");
    }
    if (!(force->lower < force->upper)) {
        const lb_place at = lb_place_at_key(place, "upper");
        lb_reader_fail(reader, &at, "%.15g, expected more than lower, %.15g", force->upper,
                       force->lower);
    }
    read_bounded(reader, place, "stiffness", LB_REQUIRED, true, &force->stiffness);
    read_bounded(reader, place, "damping", LB_OPTIONAL, false, &force->damping);
    read_bounded(reader, place, "width", LB_OPTIONAL, true, &force->width);
}

static lb_status load_functions(const lb_function_loader *loader, const lb_place *place,
                                int smoothness, size_t count, lb_force *force)
{
    // one function may stand without its list
    const bool list = lb_place_get_kind(place) == LB_DOC_SEQUENCE;
    if (list ? lb_place_get_count(place) != count : count != 1) {
        lb_reader_fail(loader->reader, place, "%zu value%s given, expected a list of %zu",
                       list ? lb_place_get_count(place) : (size_t)1,
                       list && lb_place_get_count(place) != 1 ? "s" : "", count);
        return LB_OK;
    }
    force->functions = lb_arena_take(loader->arena, count, sizeof *force->functions);
    if (!force->functions) {
        return LB_E_MEMORY;
    }
    force->function_count = (int)count;
    for (size_t i = 0; i < count; ++i) {
        const lb_place element = list ? lb_place_at_index(place, i) : *place;
        const lb_status status =
            lb_load_function(loader, &element, smoothness, &force->functions[i]);
        if (status != LB_OK) {
            return status;
        }
    }
    return LB_OK;
}

static bool find_required(lb_reader *reader, const lb_place *up, const char *key, lb_place *place)
{
    *place = lb_place_at_key(up, key);
    if (!lb_place_exists(place)) {
        lb_reader_fail(reader, place, "missing: the key \"%s\" is required here", key);
    }
    return lb_place_exists(place);
}

// The lowest and the highest force of a motor or actuator.
static void load_limits(lb_reader *reader, const lb_place *place, lb_force *force)
{
    double given[2];
    force->low = -INFINITY;
    force->high = INFINITY;
    const lb_place limits = lb_place_at_key(place, "limits");
    if (lb_read_numbers(reader, place, "limits", LB_OPTIONAL, 2, given)) {
        if (!(given[0] <= 0 && given[1] >= 0 && given[0] < given[1])) {
            lb_reader_fail(reader, &limits,
                           "[%.15g, %.15g], expected the lowest and the highest "
                           "value, with zero between them",
                           given[0], given[1]);
        }
        force->low = given[0];
        force->high = given[1];
    }
}

static void load_actuator(lb_reader *reader, const lb_place *place, lb_force *force)
{
    load_limits(reader, place, force);
    force->gain = 1.0;
    force->rate_limit = INFINITY;
    read_bounded(reader, place, "gain", LB_OPTIONAL, true, &force->gain);
    read_bounded(reader, place, "dead_zone", LB_OPTIONAL, false, &force->dead_zone);
    read_bounded(reader, place, "rate_limit", LB_OPTIONAL, true, &force->rate_limit);
    read_bounded(reader, place, "lag", LB_OPTIONAL, false, &force->lag);
}

static lb_status load_motor(const lb_function_loader *loader, const lb_place *place,
                            lb_force *force)
{
    lb_reader *reader = loader->reader;
    force->max_speed = force->max_power = INFINITY;
    const lb_place limits = lb_place_at_key(place, "limits");
    load_limits(reader, place, force);
    const lb_place speed = lb_place_at_key(place, "max_speed");
    read_bounded(reader, place, "max_speed", LB_OPTIONAL, true, &force->max_speed);
    if (lb_place_exists(&speed) && !lb_place_exists(&limits)) {
        lb_reader_fail_key(reader, &speed,
                           "\"max_speed\" needs \"limits\", which fall to zero there");
    }
    read_bounded(reader, place, "max_power", LB_OPTIONAL, true, &force->max_power);
    lb_place value;
    return find_required(reader, place, "value", &value)
               ? load_functions(loader, &value, -2, 1, force)
               : LB_OK;
}

static lb_status load_motion(const lb_function_loader *loader, const lb_place *place,
                             lb_force *force)
{
    static const char *const orders[] = {"position", "speed", "acceleration"};
    lb_reader *reader = loader->reader;
    const int count = lb_get_hinge_v_count(loader->scope.model, force->body);
    int found = 0;
    for (int i = 0; i < 3; ++i) {
        if (lb_place_has_key(place, orders[i])) {
            force->order = i;
            ++found;
        }
    }
    if (found != 1) {
        lb_reader_fail(reader, place, "expected exactly one of position, speed, acceleration");
        return LB_OK;
    }
    const lb_place value = lb_place_at_key(place, orders[force->order]);
    return load_functions(loader, &value, 1 - force->order, (size_t)count, force);
}

static lb_status load_node_force(const lb_function_loader *loader, const lb_place *place,
                                 lb_force *force)
{
    static const char *const axes[] = {"world", "body", "node", NULL};
    lb_place at, value;
    int chosen = 0;
    if (find_required(loader->reader, place, "at", &at)) {
        lb_read_node(loader, &at, &force->bodies[0], &force->nodes[0]);
    }
    lb_read_word(loader->reader, place, "axes", LB_OPTIONAL, axes, &chosen);
    force->axes = (lb_axes)chosen;
    return find_required(loader->reader, place, "value", &value)
               ? load_functions(loader, &value, -2, 3, force)
               : LB_OK;
}

static void load_between(const lb_function_loader *loader, const lb_place *place, lb_force *force)
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
        if (!lb_read_node(loader, &node, &force->bodies[i], &force->nodes[i])) {
            return;
        }
    }
    if (force->bodies[0] == force->bodies[1] && force->nodes[0] == force->nodes[1]) {
        lb_reader_fail(loader->reader, &list, "twice the same node, expected two");
    }
}

static void load_point_gravity(lb_reader *reader, const lb_place *place, lb_force *force)
{
    bool gradient = true;
    read_bounded(reader, place, "mu", LB_REQUIRED, true, &force->gravity.mu);
    lb_read_numbers(reader, place, "position", LB_OPTIONAL, 3, force->gravity.position);
    lb_read_bool(reader, place, "gradient", LB_OPTIONAL, &gradient);
    force->gravity.gradient = gradient;
}

// ---- all ---------------------------------------------------------------------------------------

static lb_status load_by_kind(const lb_function_loader *loader, const lb_place *place,
                              lb_force *force)
{
    lb_reader *reader = loader->reader;
    switch (force->kind) {
    case LB_FORCE_HINGE_SPRING:
        lb_read_hinge(loader, place, "hinge", false, true, force);
        read_bounded(reader, place, "stiffness", LB_REQUIRED, false, &force->stiffness);
        lb_read_angle(reader, place, "rest", LB_OPTIONAL, &force->rest);
        return LB_OK;
    case LB_FORCE_HINGE_DAMPER:
        lb_read_hinge(loader, place, "hinge", false, false, force);
        read_bounded(reader, place, "damping", LB_REQUIRED, false, &force->damping);
        return LB_OK;
    case LB_FORCE_FRICTION:
        force->speed = 1e-3;
        lb_read_hinge(loader, place, "hinge", false, false, force);
        read_bounded(reader, place, "coulomb", LB_REQUIRED, false, &force->coulomb);
        read_bounded(reader, place, "viscous", LB_OPTIONAL, false, &force->viscous);
        read_bounded(reader, place, "speed", LB_OPTIONAL, true, &force->speed);
        return LB_OK;
    case LB_FORCE_STOP:
        lb_read_hinge(loader, place, "hinge", false, true, force);
        load_stop(reader, place, force);
        return LB_OK;
    case LB_FORCE_MOTOR:
        lb_read_hinge(loader, place, "hinge", false, false, force);
        return load_motor(loader, place, force);
    case LB_FORCE_ACTUATOR:
        lb_read_hinge(loader, place, "hinge", false, false, force);
        load_actuator(reader, place, force);
        return LB_OK;
    case LB_FORCE_MOTION:
        return lb_read_hinge(loader, place, "hinge", true, true, force)
                   ? load_motion(loader, place, force)
                   : LB_OK;
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE:
        return load_node_force(loader, place, force);
    case LB_FORCE_NODE_SPRING:
        load_between(loader, place, force);
        read_bounded(reader, place, "stiffness", LB_REQUIRED, false, &force->stiffness);
        read_bounded(reader, place, "length", LB_OPTIONAL, false, &force->rest);
        return LB_OK;
    case LB_FORCE_NODE_DAMPER:
        load_between(loader, place, force);
        read_bounded(reader, place, "damping", LB_REQUIRED, false, &force->damping);
        return LB_OK;
    default:
        load_point_gravity(reader, place, force);
        return LB_OK;
    }
}

// Words of the file, and the keys that go with each besides these three.
#define LB_COMMON "name", "type", "enabled"

lb_status lb_load_force(const lb_function_loader *loader, const lb_place *place, lb_force *force)
{
    static const char *const types[] = {"spring", "damper",        "friction", "stop",
                                        "motor",  "motion",        "actuator", "force",
                                        "torque", "gravity-point", NULL};
    static const lb_force_kind plain[] = {
        LB_FORCE_HINGE_SPRING, LB_FORCE_HINGE_DAMPER, LB_FORCE_FRICTION, LB_FORCE_STOP,
        LB_FORCE_MOTOR,        LB_FORCE_MOTION,       LB_FORCE_ACTUATOR, LB_FORCE_FORCE,
        LB_FORCE_TORQUE,       LB_FORCE_POINT_GRAVITY};
    static const char *const keys[LB_FORCE_KIND_COUNT][11] = {
        [LB_FORCE_HINGE_SPRING] = {LB_COMMON, "hinge", "stiffness", "rest", NULL},
        [LB_FORCE_HINGE_DAMPER] = {LB_COMMON, "hinge", "damping", NULL},
        [LB_FORCE_FRICTION] = {LB_COMMON, "hinge", "coulomb", "viscous", "speed", NULL},
        [LB_FORCE_STOP] = {LB_COMMON, "hinge", "lower", "upper", "stiffness", "damping", "width",
                           NULL},
        [LB_FORCE_MOTOR] = {LB_COMMON, "hinge", "value", "limits", "max_speed", "max_power", NULL},
        [LB_FORCE_MOTION] = {LB_COMMON, "hinge", "position", "speed", "acceleration", NULL},
        [LB_FORCE_ACTUATOR] = {LB_COMMON, "hinge", "limits", "gain", "dead_zone", "rate_limit",
                               "lag", NULL},
        [LB_FORCE_FORCE] = {LB_COMMON, "at", "axes", "value", NULL},
        [LB_FORCE_TORQUE] = {LB_COMMON, "at", "axes", "value", NULL},
        [LB_FORCE_NODE_SPRING] = {LB_COMMON, "between", "stiffness", "length", NULL},
        [LB_FORCE_NODE_DAMPER] = {LB_COMMON, "between", "damping", NULL},
        [LB_FORCE_POINT_GRAVITY] = {LB_COMMON, "mu", "position", "gradient", NULL}};
    lb_reader *reader = loader->reader;
    const char *name = "";
    int type = 0;
    force->name = name;
    force->enabled = true;
    if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, place, "a force, such as {name: s, type: spring, ...}");
        return LB_OK;
    }
    if (lb_read_string(reader, place, "name", LB_REQUIRED, &name) && !name[0]) {
        const lb_place at = lb_place_at_key(place, "name");
        lb_reader_fail(reader, &at, "an empty name");
    }
    force->name = lb_arena_text(loader->arena, name);
    if (!force->name) {
        return LB_E_MEMORY;
    }
    if (!lb_read_word(reader, place, "type", LB_REQUIRED, types, &type)) {
        return LB_OK;
    }
    lb_read_bool(reader, place, "enabled", LB_OPTIONAL, &force->enabled);
    const bool between = lb_place_has_key(place, "between");
    force->kind = !between || type > 1 ? plain[type]
                  : type == 0          ? LB_FORCE_NODE_SPRING
                                       : LB_FORCE_NODE_DAMPER;
    lb_read_mapping(reader, place, keys[force->kind]);
    return load_by_kind(loader, place, force);
}
