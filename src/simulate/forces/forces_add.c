// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements out of what a caller, or a file, says of them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "forces.h"
#include "model/layout.h"
#include "simulate/signals/signals.h"

// Of friction that is smooth where no speed is given.
static const double smooth_speed = 1e-3;

// What an element is made with.
typedef struct maker {
    lb_forces *forces;
    lb_faults *faults;
    const char *where; // "forces[2]"
} maker;

// ---- numbers -----------------------------------------------------------------------------------

typedef enum limit {
    LB_BOUND_NONE,
    LB_BOUND_ZERO,     // not below zero
    LB_BOUND_POSITIVE, // above zero
    LB_BOUND_OPEN      // above zero, or infinite for no limit
} limit;

static void check(const maker *m, const char *key, limit bound, double x)
{
    if (bound == LB_BOUND_ZERO ? !(x >= 0) : bound != LB_BOUND_NONE && !(x > 0)) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, key, "%.15g, expected a number %s", x,
                    bound == LB_BOUND_ZERO ? "not below zero" : "above zero");
    } else if (bound != LB_BOUND_OPEN && !isfinite(x)) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, key, "%.15g, expected a finite number",
                    x);
    }
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

bool lb_resolve_hinge(const lb_model *model, const char *text, bool whole, bool needs_coordinate,
                      lb_faults *faults, const char *where, const char *key, lb_hinge_place *place)
{
    int index = -1;
    *place = (lb_hinge_place){0, 0, -1};
    if (!text || !lb_find_hinge(model, text, &place->body, &index)) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "there is no body \"%s\"; expected one, whose hinge is meant, "
                    "such as link, or link.0 for one of its speeds",
                    text ? text : "");
        return false;
    }
    const char *name = lb_get_body_name(model, place->body);
    const lb_hinge_type type = lb_get_hinge(model, place->body).type;
    const int count = lb_get_hinge(model, place->body).v_count;
    const int modes = lb_get_mode_count(model, place->body);
    if (count == 0) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key, "the hinge of \"%s\" is fixed", name);
        return false;
    }
    if (index >= count) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "the hinge of \"%s\" has no speed %d: %s has %d, from 0", name, index,
                    lb_get_hinge_type_name(type), count);
        return false;
    }
    if (whole && index >= 0) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "motion drives the whole hinge: expected \"%s\"", name);
        return false;
    }
    if (!whole && index < 0 && count > 1) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "the hinge of \"%s\" has %d speeds: say which one, as %s.0", name, count, name);
        return false;
    }
    if (needs_coordinate && !has_coordinates(type)) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, key,
                    "a %s hinge has no coordinate that this could act on; springs "
                    "between nodes, or motors with an expression, can replace it",
                    lb_get_hinge_type_name(type));
        return false;
    }
    index = index < 0 ? 0 : index;
    place->v = lb_get_v_offset(model, place->body) + modes + index;
    place->q = has_coordinates(type) ? lb_get_q_offset(model, place->body) + modes + index : -1;
    return true;
}

static bool find_hinge(const maker *m, const lb_force_options *o, bool whole, bool needs_coordinate,
                       lb_force *force)
{
    lb_hinge_place place;
    const bool found = lb_resolve_hinge(m->forces->model, o->hinge, whole, needs_coordinate,
                                        m->faults, m->where, "hinge", &place);
    force->body = found ? place.body : LB_NOT_FOUND;
    force->v = place.v;
    force->q = place.q;
    return found;
}

static void find_between(const maker *m, const lb_force_options *o, lb_force *force)
{
    bool found = true;
    for (int i = 0; i < 2; ++i) {
        found = lb_resolve_node(m->forces->model, &o->between[i], m->faults, m->where,
                                i == 0 ? "between[0]" : "between[1]", &force->bodies[i],
                                &force->nodes[i]) &&
                found;
    }
    if (found && force->bodies[0] == force->bodies[1] && force->nodes[0] == force->nodes[1]) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "between",
                    "twice the same node, expected two");
    }
}

// ---- types -------------------------------------------------------------------------------------

static lb_status make_functions(const maker *m, const lb_force_options *o, const char *key,
                                int smoothness, int count, lb_force *force)
{
    lb_forces *forces = m->forces;
    const int given = o->values && o->value_count > 0 ? o->value_count : 0;
    if (given != count) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, key,
                    "%d value%s given, expected a list of %d", given, given == 1 ? "" : "s", count);
        return LB_OK;
    }
    force->functions = lb_arena_take(&forces->arena, (size_t)count, sizeof *force->functions);
    if (!force->functions) {
        return LB_E_MEMORY;
    }
    force->function_count = count;
    const lb_scope scope = {forces->model, forces->signals, lb_get_signal_count(forces->signals)};
    lb_status status = LB_OK;
    for (int i = 0; i < count && status == LB_OK; ++i) {
        char where[64], index[16] = "";
        if (count > 1) {
            snprintf(index, sizeof index, "[%d]", i);
        }
        snprintf(where, sizeof where, "%s.%s%s", m->where, key, index);
        status = lb_make_function(&forces->arena, &scope, m->faults, where, smoothness,
                                  lb_get_sized(o->values, (size_t)i), &force->functions[i]);
    }
    return status;
}

static void make_stop(const maker *m, const lb_force_options *o, lb_force *force)
{
    force->lower = o->lower;
    force->upper = o->upper;
    force->stiffness = o->stiffness;
    force->damping = o->damping;
    force->width = o->width;
    if (o->lower == -INFINITY && o->upper == INFINITY) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "",
                    "a stop has \"lower\", \"upper\" or both");
    }
    if (!(o->lower < o->upper)) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "upper",
                    "%.15g, expected more than lower, %.15g", o->upper, o->lower);
    }
    check(m, "stiffness", LB_BOUND_POSITIVE, o->stiffness);
    check(m, "damping", LB_BOUND_ZERO, o->damping);
    check(m, "width", LB_BOUND_POSITIVE, o->width);
}

// The lowest and the highest force of a motor or actuator.
static void make_limits(const maker *m, const lb_force_options *o, lb_force *force)
{
    force->low = o->low;
    force->high = o->high;
    if (!(o->low <= 0 && o->high >= 0 && o->low < o->high)) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "limits",
                    "[%.15g, %.15g], expected the lowest and the highest "
                    "value, with zero between them",
                    o->low, o->high);
    }
}

static lb_status make_motor(const maker *m, const lb_force_options *o, lb_force *force)
{
    find_hinge(m, o, false, false, force);
    make_limits(m, o, force);
    force->max_speed = o->max_speed;
    force->max_power = o->max_power;
    check(m, "max_speed", LB_BOUND_OPEN, o->max_speed);
    if (o->max_speed < INFINITY && o->low == -INFINITY && o->high == INFINITY) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "max_speed",
                    "\"max_speed\" needs \"limits\", which fall to zero there");
    }
    check(m, "max_power", LB_BOUND_OPEN, o->max_power);
    return make_functions(m, o, "value", LB_SMOOTHNESS_ANY, 1, force);
}

static void make_actuator(const maker *m, const lb_force_options *o, lb_force *force)
{
    find_hinge(m, o, false, false, force);
    make_limits(m, o, force);
    force->gain = o->gain;
    force->dead_zone = o->dead_zone;
    force->rate_limit = o->rate_limit;
    force->lag = o->lag;
    check(m, "gain", LB_BOUND_NONE, o->gain);
    if (o->gain == 0.0) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "gain",
                    "0, expected a number that is not zero");
    }
    check(m, "dead_zone", LB_BOUND_ZERO, o->dead_zone);
    check(m, "rate_limit", LB_BOUND_OPEN, o->rate_limit);
    check(m, "lag", LB_BOUND_ZERO, o->lag);
}

static lb_status make_motion(const maker *m, const lb_force_options *o, lb_force *force)
{
    static const char *const orders[] = {"position", "speed", "acceleration"};
    if (!find_hinge(m, o, true, true, force)) {
        return LB_OK;
    }
    if (o->order < LB_MOTION_POSITION || o->order > LB_MOTION_ACCELERATION) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "",
                    "expected exactly one of position, speed, acceleration");
        return LB_OK;
    }
    force->order = (int)o->order;
    const int count = lb_get_hinge(m->forces->model, force->body).v_count;
    return make_functions(m, o, orders[o->order], 1 - force->order, count, force);
}

void lb_check_axes(lb_axes axes, lb_faults *faults, const char *where)
{
    if (axes < LB_AXES_WORLD || axes > LB_AXES_NODE) {
        lb_complain(faults, LB_SEVERITY_ERROR, where, "axes", "%d are no axes", (int)axes);
    }
}

static lb_status make_node_force(const maker *m, const lb_force_options *o, lb_force *force)
{
    lb_resolve_node(m->forces->model, &o->at, m->faults, m->where, "at", &force->bodies[0],
                    &force->nodes[0]);
    lb_check_axes(o->axes, m->faults, m->where);
    force->axes = o->axes;
    return make_functions(m, o, "value", LB_SMOOTHNESS_ANY, 3, force);
}

static void make_point_gravity(const maker *m, const lb_force_options *o, lb_force *force)
{
    const lb_model *model = m->forces->model;
    const double length = hypot(hypot(o->axis[0], o->axis[1]), o->axis[2]);
    force->gravity = (lb_oblate_gravity){
        .point = {.mu = o->mu,
                  .position = {o->position[0], o->position[1], o->position[2]},
                  .gradient = o->gradient},
        .j2 = o->j2,
        .radius = o->radius,
        .axis = {o->axis[0] / length, o->axis[1] / length, o->axis[2] / length}};
    check(m, "mu", LB_BOUND_POSITIVE, o->mu);
    check(m, "j2", LB_BOUND_NONE, o->j2);
    check(m, "radius", o->j2 != 0.0 ? LB_BOUND_POSITIVE : LB_BOUND_NONE, o->radius);
    for (int i = 0; i < 3; ++i) {
        check(m, "position", LB_BOUND_NONE, o->position[i]);
        check(m, "axis", LB_BOUND_NONE, o->axis[i]);
    }
    if (length == 0.0) {
        lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "axis",
                    "expected a direction, found zeros");
    }
    // the gradient is that of an energy if the inertia follows the modes as they say: see (FRC-9)
    force->conservative = true;
    for (int b = 0; o->gradient && b < lb_get_body_count(model); ++b) {
        force->conservative =
            force->conservative && (lb_get_mode_count(model, b) == 0 ||
                                    lb_get_fidelity(model, b) == LB_FIDELITY_CONSISTENT);
    }
}

// At a hinge, or between nodes.
static void make_spring(const maker *m, const lb_force_options *o, lb_force *force)
{
    force->conservative = true;
    force->stiffness = o->stiffness;
    force->rest = o->rest;
    if (force->at_nodes) {
        find_between(m, o, force);
    } else {
        find_hinge(m, o, false, true, force);
    }
    check(m, "stiffness", LB_BOUND_ZERO, o->stiffness);
    check(m, force->at_nodes ? "length" : "rest", force->at_nodes ? LB_BOUND_ZERO : LB_BOUND_NONE,
          o->rest);
}

static void make_damper(const maker *m, const lb_force_options *o, lb_force *force)
{
    force->damping = o->damping;
    if (force->at_nodes) {
        find_between(m, o, force);
    } else {
        find_hinge(m, o, false, false, force);
    }
    check(m, "damping", LB_BOUND_ZERO, o->damping);
}

static void make_friction(const maker *m, const lb_force_options *o, lb_force *force)
{
    force->coulomb = o->coulomb;
    force->viscous = o->viscous;
    const bool found = find_hinge(m, o, false, false, force);
    check(m, "coulomb", LB_BOUND_ZERO, o->coulomb);
    check(m, "viscous", LB_BOUND_ZERO, o->viscous);
    check(m, "speed", o->speed == 0.0 ? LB_BOUND_ZERO : LB_BOUND_POSITIVE, o->speed);
    // in loops a hinge is held as a whole: those with several speeds have the smooth form
    const lb_model *model = m->forces->model;
    const bool holds = found && (lb_get_hinge(model, force->body).v_count == 1 || !model->pattern);
    const bool may_stick = holds && o->speed == 0.0;
    force->breakaway = o->breakaway > 0.0 ? o->breakaway : o->coulomb;
    force->sticks = may_stick && force->breakaway > 0.0;
    force->speed = o->speed == 0.0 ? smooth_speed : o->speed;
    if (o->breakaway != 0.0) {
        check(m, "static", LB_BOUND_POSITIVE, o->breakaway);
        if (o->breakaway > 0.0 && o->breakaway < o->coulomb) {
            lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "static",
                        "%.15g, expected at least \"coulomb\", %.15g", o->breakaway, o->coulomb);
        }
        if (found && !may_stick) {
            lb_complain(m->faults, LB_SEVERITY_ERROR, m->where, "static",
                        o->speed == 0.0
                            ? "in a model with loops, friction at a hinge with several speeds "
                              "does not stick"
                            : "friction with \"speed\" does not stick: leave one of them out");
        }
    }
}

static lb_status make_by_type(const maker *m, const lb_force_options *o, lb_force *force)
{
    switch (o->type) {
    case LB_FORCE_SPRING:
        make_spring(m, o, force);
        return LB_OK;
    case LB_FORCE_DAMPER:
        make_damper(m, o, force);
        return LB_OK;
    case LB_FORCE_FRICTION:
        make_friction(m, o, force);
        return LB_OK;
    case LB_FORCE_STOP:
        find_hinge(m, o, false, true, force);
        make_stop(m, o, force);
        return LB_OK;
    case LB_FORCE_MOTOR:
        return make_motor(m, o, force);
    case LB_FORCE_MOTION:
        return make_motion(m, o, force);
    case LB_FORCE_ACTUATOR:
        make_actuator(m, o, force);
        return LB_OK;
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE:
        return make_node_force(m, o, force);
    case LB_FORCE_GRAVITY_POINT:
        make_point_gravity(m, o, force);
        return LB_OK;
    default:
        return lb_make_own_force(m->forces, o, m->where, force);
    }
}

// ---- all ---------------------------------------------------------------------------------------

// An element that does nothing, at the end, with its name.
static lb_status append(lb_forces *forces, const char *name, lb_force **force)
{
    lb_arena *arena = &forces->arena;
    lb_force *array =
        lb_arena_grow(arena, forces->forces, forces->count, &forces->capacity, sizeof *array);
    forces->forces = array ? array : forces->forces;
    unsigned char *chosen = lb_arena_grow(arena, forces->chosen, forces->count,
                                          &forces->chosen_capacity, sizeof *chosen);
    forces->chosen = chosen ? chosen : forces->chosen;
    const int lines = lb_get_v_count(forces->model) + forces->count;
    lb_line_slope *line =
        lb_arena_grow(arena, forces->line, lines, &forces->line_capacity, sizeof *line);
    forces->line = line ? line : forces->line;
    const char *copy = lb_arena_text(arena, name);
    if (!array || !chosen || !line || !copy ||
        lb_names_add(&forces->names, arena, copy, forces->count) != LB_OK) {
        return LB_E_MEMORY;
    }
    *force = &array[forces->count++];
    **force = (lb_force){.name = copy, .type = LB_FORCE_DAMPER};
    return LB_OK;
}

// Room for the loads or the field of one element more.
static lb_status add_loads(lb_forces *forces, const lb_force *force)
{
    for (int i = 0; i < lb_get_load_count(force); ++i) {
        lb_node_force *loads = lb_arena_grow(&forces->arena, forces->loads, forces->load_count,
                                             &forces->load_capacity, sizeof *loads);
        if (!loads) {
            return LB_E_MEMORY;
        }
        forces->loads = loads;
        ++forces->load_count;
    }
    if (force->type == LB_FORCE_GRAVITY_POINT) {
        lb_oblate_gravity *fields =
            lb_arena_grow(&forces->arena, forces->fields, forces->field_count,
                          &forces->field_capacity, sizeof *fields);
        if (!fields) {
            return LB_E_MEMORY;
        }
        forces->fields = fields;
        ++forces->field_count;
    }
    return LB_OK;
}

// What its functions read, as far as derivatives ask for it.
static lb_status prepare_slopes(lb_forces *forces, lb_force *force)
{
    const int n = lb_get_v_count(forces->model);
    lb_status status = LB_OK;
    for (int i = 0; i < force->function_count && status == LB_OK; ++i) {
        const lb_function *f = &force->functions[i];
        if (f->type == LB_FUNCTION_EXPRESSION &&
            lb_get_expression_stage(f->expressions[0]) != LB_SIGNAL_TIME) {
            force->reads_state = true;
            status =
                lb_prepare_function_slopes(&forces->arena, f, n, &forces->slopes, &force->samples);
        }
    }
    return status;
}

// Names are unique.
static void check_name(lb_forces *forces, const char *where, const char *name)
{
    const int other = lb_find_force(forces, name);
    if (!name[0]) {
        lb_complain(&forces->faults, LB_SEVERITY_ERROR, where, "name", "an empty name");
    } else if (other >= 0) {
        lb_complain(&forces->faults, LB_SEVERITY_ERROR, where, "name",
                    "the name \"%s\" is taken by forces[%d]", name, other);
    }
}

// A hinge is driven by one motion at most.
static void check_motion(lb_forces *forces, const char *where, const lb_force *force)
{
    if (force->type != LB_FORCE_MOTION || !force->function_count || force->body < 0) {
        return;
    }
    int *driver = &forces->driver[force->body];
    if (*driver) {
        lb_complain(&forces->faults, LB_SEVERITY_ERROR, where, "hinge",
                    "this hinge is driven by forces[%d] already", *driver - 1);
    } else {
        *driver = (int)(force - forces->forces) + 1;
    }
}

lb_status lb_reserve_force(lb_forces *forces, const char *name)
{
    char where[32];
    lb_force *force;
    snprintf(where, sizeof where, "forces[%d]", forces->count);
    if (name[0]) {
        check_name(forces, where, name);
    }
    return append(forces, name, &force);
}

lb_status lb_add_force(lb_forces *forces, const lb_force_options *options, int *index)
{
    if (forces->complete) {
        return LB_E_ARGUMENT;
    }
    char where[32];
    snprintf(where, sizeof where, "forces[%d]", forces->count);
    const maker m = {forces, &forces->faults, where};
    const int errors = forces->faults.error_count;
    lb_force_options own;
    own = lb_default_force_options();
    lb_status status = lb_take_checked(&forces->faults, where, "", &own, sizeof own,
                                       offsetof(lb_force_options, enabled), options);
    if (status != LB_OK) {
        return status;
    }
    const char *name = own.name ? own.name : "";
    lb_force made = {.type = own.type, .enabled = own.enabled};
    check_name(forces, where, name);
    if (own.type < LB_FORCE_SPRING || own.type >= LB_FORCE_TYPE_COUNT) {
        lb_complain(&forces->faults, LB_SEVERITY_ERROR, where, "type", "%d is no type of force",
                    (int)own.type);
        made.type = LB_FORCE_DAMPER;
    } else {
        made.at_nodes = own.type <= LB_FORCE_DAMPER && (own.between[0].body || own.between[1].body);
        status = make_by_type(&m, &own, &made);
    }
    lb_force *force = NULL;
    status = status < 0 ? status : append(forces, name, &force);
    if (status < 0) {
        return status;
    }
    made.name = force->name;
    *force = made; // also if something is wrong with it: then nothing is evaluated
    check_motion(forces, where, force);
    if (index) {
        *index = forces->count - 1;
    }
    status = add_loads(forces, force);
    status = status < 0 ? status : prepare_slopes(forces, force);
    return status == LB_OK && forces->faults.error_count > errors ? LB_E_MODEL : status;
}

lb_status lb_complete_forces(lb_forces *forces)
{
    forces->complete = true;
    return forces->faults.error_count > 0 || !lb_are_signals_right(forces->signals) ? LB_E_MODEL
                                                                                    : LB_OK;
}
