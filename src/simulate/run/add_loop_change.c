// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Actions of events that make a loop or alter one, as they are added.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "limber/loops.h"
#include "model/model_parts.h"
#include "simulate/system/closure.h"
#include "simulation.h"

#define ERROR(...) lb_complain(&sim->faults, LB_SEVERITY_ERROR, __VA_ARGS__)

enum { WHERE_SIZE = 96 };

static const char *const ends[2] = {"a", "b"};

// A key that is not there and should be.
static void miss(lb_simulation *sim, const char *where, const char *key)
{
    ERROR(where, key, "missing: the key \"%s\" is required here", key);
}

// What only some types have: refused in the others.
static void refuse(lb_simulation *sim, const char *where, const char *key, lb_loop_type type)
{
    ERROR(where, key, "a %s loop has no %s", lb_get_loop_type_name(type), key);
}

static bool check_number(lb_simulation *sim, const char *where, const char *key, double number)
{
    if (!isfinite(number)) {
        ERROR(where, key, "%g, expected a finite number", number);
    }
    return isfinite(number);
}

// ---- parts ---------------------------------------------------------------------------------------

// Body and node of one end, by name.
static void set_end(lb_simulation *sim, const char *where, int side, bool required,
                    const lb_node_name *name, lb_loop_change *change)
{
    const lb_model *model = sim->system.model;
    if (!name->body) {
        if (required) {
            ERROR(where, ends[side], "missing: an end is {body: NAME, node: NAME}");
        }
        return;
    }
    if (!name->node) {
        change->has_end[side] = lb_resolve_node(model, name, &sim->faults, where, ends[side],
                                                &change->body[side], &change->node[side]);
        return;
    }
    char at[WHERE_SIZE];
    snprintf(at, sizeof at, "%s.%s", where, ends[side]);
    change->body[side] = lb_find_body(model, name->body);
    if (change->body[side] < LB_GROUND) {
        ERROR(at, "body", "there is no body '%s'", name->body);
        return;
    }
    change->node[side] = lb_find_node(model, change->body[side], name->node);
    if (change->node[side] < 0) {
        ERROR(at, "node", "'%s' has no node '%s'", name->body, name->node);
        return;
    }
    change->has_end[side] = true;
}

// One term of a coupler.
static void set_term(lb_simulation *sim, const char *where, const lb_coupler_term *given,
                     lb_relation_term *term)
{
    const lb_model *model = sim->system.model;
    term->body = given->body ? lb_find_body(model, given->body) : LB_NOT_FOUND;
    term->coordinate = given->coordinate;
    term->factor = given->factor;
    const int n = term->body < 0 ? 0 : lb_get_hinge(model, term->body).v_count;
    const lb_hinge_type type =
        term->body < 0 ? LB_HINGE_FIXED : lb_get_hinge(model, term->body).type;
    if (term->body < 0) {
        ERROR(where, "", "there is no body '%s'", given->body ? given->body : "");
    } else if (term->factor == 0.0) {
        ERROR(where, "", "a factor of zero relates nothing");
    } else if (type == LB_HINGE_SPHERICAL || type == LB_HINGE_FREE || term->coordinate < 0 ||
               term->coordinate >= n) {
        ERROR(where, "", "the %s hinge of '%s' has no coordinate %d to relate",
              lb_get_hinge_type_name(type), given->body, term->coordinate);
    }
    check_number(sim, where, "factor", term->factor);
}

static lb_status set_terms(lb_simulation *sim, const char *where, bool required,
                           const lb_loop_change_options *given, lb_loop_change *change)
{
    const int count = given->term_count > 0 ? given->term_count : 0;
    if (count == 0) {
        if (required) {
            miss(sim, where, "terms");
        }
        return LB_OK;
    }
    change->terms = lb_arena_take(&sim->arena, (size_t)count, sizeof *change->terms);
    if (!change->terms) {
        return LB_E_MEMORY;
    }
    change->term_count = count;
    for (int i = 0; i < count; ++i) {
        char at[WHERE_SIZE];
        lb_relation_term *term = &change->terms[i];
        snprintf(at, sizeof at, "%s.terms[%d]", where, i);
        set_term(sim, at, &given->terms[i], term);
        for (int j = 0; j < i; ++j) {
            if (change->terms[j].body == term->body &&
                change->terms[j].coordinate == term->coordinate) {
                ERROR(at, "", "the same coordinate as terms[%d], expected each once", j);
            }
        }
    }
    return LB_OK;
}

static void set_axis(lb_simulation *sim, const char *where, bool required,
                     const lb_loop_change_options *given, lb_loop_change *change)
{
    const double *a = given->axis;
    change->has_axis = a[0] != 0.0 || a[1] != 0.0 || a[2] != 0.0;
    if (!lb_has_loop_axis(change->type)) {
        if (change->has_axis) {
            refuse(sim, where, "axis", change->type);
        }
        return;
    }
    memcpy(change->axis, a, sizeof change->axis);
    if (!change->has_axis) {
        if (required) {
            miss(sim, where, "axis");
        }
    } else if (check_number(sim, where, "axis", a[0] + a[1] + a[2]) &&
               !(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] > 0.0)) {
        ERROR(where, "axis", "a zero vector, expected a direction");
    }
}

static void set_length(lb_simulation *sim, const char *where, bool required,
                       const lb_loop_change_options *given, lb_loop_change *change)
{
    change->length = given->length;
    change->has_length = given->length != 0.0;
    if (change->type != LB_LOOP_ROD) {
        if (change->has_length) {
            refuse(sim, where, "length", change->type);
        }
        return;
    }
    if (!change->has_length) {
        if (required && !change->grasp) {
            miss(sim, where, "length");
        }
        return;
    }
    if (check_number(sim, where, "length", given->length) && !(given->length > 0.0)) {
        ERROR(where, "length", "%.9g, expected a length greater than zero", given->length);
    }
    if (change->grasp) {
        ERROR(where, "grasp", "says what the length is: leave one out");
    }
}

// What the type of a loop decides of the rest. Of a loop that is made, everything must be there.
static lb_status set_by_type(lb_simulation *sim, const char *where, bool makes,
                             const lb_loop_change_options *given, lb_loop_change *change)
{
    const lb_node_name *names[2] = {&given->a, &given->b};
    const lb_loop_type type = change->type;
    lb_status status = LB_OK;
    for (int side = 0; side < 2; ++side) {
        if (type != LB_LOOP_COUPLER) {
            set_end(sim, where, side, makes, names[side], change);
        } else if (names[side]->body) {
            refuse(sim, where, ends[side], type);
        }
    }
    if (type == LB_LOOP_COUPLER) {
        change->offset = given->offset;
        change->has_offset = makes || given->has_offset;
        check_number(sim, where, "offset", given->offset);
        status = set_terms(sim, where, makes, given, change);
    }
    set_axis(sim, where, change->has_type, given, change);
    set_length(sim, where, change->has_type, given, change);
    if (type != LB_LOOP_COUPLER && given->term_count > 0) {
        refuse(sim, where, "terms", type);
    }
    if (type != LB_LOOP_COUPLER && given->has_offset) {
        refuse(sim, where, "offset", type);
    }
    return status;
}

// ---- ends on one body ----------------------------------------------------------------------------

// Whether any action of the events leads this end of a loop elsewhere.
static bool is_end_altered(const lb_simulation *sim, int loop, int side)
{
    for (int i = 0; i < sim->event_count; ++i) {
        const lb_event *event = &sim->events[i];
        for (int j = 0; j < event->action_count; ++j) {
            const lb_loop_change *change = event->actions[j].change;
            if (change && change->loop == loop && change->has_end[side]) {
                return true;
            }
        }
    }
    return false;
}

// Two ends on one body, as far as is known: both are given, or the other one stays for ever.
static void check_ends(lb_simulation *sim, const char *where, const lb_loop_change *change)
{
    const lb_model *model = sim->system.model;
    int body[2], node[2];
    const lb_loop_info info = lb_get_loop_info(model, change->loop);
    for (int side = 0; side < 2; ++side) {
        body[side] = info.body[side];
        node[side] = info.node[side];
        if (change->has_end[side]) {
            body[side] = change->body[side];
            node[side] = change->node[side];
        } else if (is_end_altered(sim, change->loop, side)) {
            return;
        }
    }
    const char *key = ends[change->has_end[1]];
    if (body[0] == body[1] && node[0] == node[1]) {
        ERROR(where, key, "both ends are node '%s' of '%s': a node cannot close on itself",
              lb_get_node_name(model, body[0], node[0]), lb_get_body_name(model, body[0]));
    } else if (body[0] == body[1]) {
        ERROR(where, key, "both ends are on '%s', expected two different bodies",
              lb_get_body_name(model, body[0]));
    }
}

void lb_check_loop_changes(lb_simulation *sim)
{
    for (int i = 0; i < sim->event_count; ++i) {
        for (int j = 0; j < sim->events[i].action_count; ++j) {
            const lb_action *action = &sim->events[i].actions[j];
            lb_loop_change *change = action->change;
            if (!change || !change->is_sound || change->has_end[0] == change->has_end[1]) {
                continue;
            }
            char where[WHERE_SIZE];
            snprintf(where, sizeof where, "events[%d].then[%d]%s", i, j,
                     action->type == LB_ACTION_MAKE ? ".make" : "");
            check_ends(sim, where, change);
            change->is_sound = false; // said once is enough
        }
    }
}

// ---- the whole -----------------------------------------------------------------------------------

// The type that a loop gets or has.
static bool set_type(lb_simulation *sim, const char *where, bool makes, const char *name,
                     const lb_loop_change_options *given, lb_loop_change *change)
{
    const lb_model *model = sim->system.model;
    const lb_loop_type before = lb_get_loop_info(model, change->loop).type;
    change->has_type = given->has_type;
    change->type = given->has_type ? given->type : before;
    if ((unsigned)change->type >= LB_LOOP_TYPE_COUNT) {
        ERROR(where, "type", "%d is not a loop type", (int)change->type);
        return false;
    }
    if (makes && !given->has_type) {
        miss(sim, where, "type");
    }
    if (!makes && (before == LB_LOOP_COUPLER) != (change->type == LB_LOOP_COUPLER)) {
        ERROR(where, "type", "a %s cannot become a %s: make one with a name of its own",
              lb_get_loop_type_name(before), lb_get_loop_type_name(change->type));
        return false;
    }
    const double *a = given->axis;
    if (lb_get_loop_info(model, change->loop).driven &&
        (given->has_type || a[0] != 0.0 || a[1] != 0.0 || a[2] != 0.0)) {
        ERROR(where, "", "'%s' follows a motion: its type and axis cannot be altered", name);
    }
    return true;
}

lb_status lb_add_loop_change(lb_simulation *sim, const char *at, const lb_action_options *action,
                             lb_action *out)
{
    enum { SMALLEST = offsetof(lb_loop_change_options, type) + sizeof(lb_loop_type) };
    const bool makes = action->type == LB_ACTION_MAKE;
    lb_loop_change_options own = lb_default_loop_change_options();
    lb_loop_change *change = lb_arena_take(&sim->arena, 1, sizeof *change);
    if (!change) {
        return LB_E_MEMORY;
    }
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "%s%s", at, makes ? ".make" : "");
    const int errors = sim->faults.error_count;
    out->change = change;
    out->subject = change->loop = lb_find_loop(sim->system.model, action->subject);
    if (change->loop < 0) {
        ERROR(where, makes ? "name" : "alter", "there is no loop '%s'%s", action->subject,
              makes ? " in the model: one that an event makes must be added to it, inactive" : "");
        return LB_OK;
    }
    if (!action->change) {
        ERROR(
            where, "",
            "nothing is altered: expected a, b, type, axis, length, terms, offset or grasp beside "
            "the name");
        return LB_OK;
    }
    lb_status status =
        lb_take_checked(&sim->faults, where, "", &own, sizeof own, SMALLEST, action->change);
    if (status < 0) {
        return status;
    }
    change->grasp = own.grasp;
    if (!set_type(sim, where, makes, action->subject, &own, change)) {
        return LB_OK;
    }
    status = set_by_type(sim, where, makes, &own, change);
    change->is_sound = sim->faults.error_count == errors && change->type != LB_LOOP_COUPLER;
    if (change->is_sound && change->has_end[0] && change->has_end[1]) {
        check_ends(sim, where, change);
    }
    return status;
}
