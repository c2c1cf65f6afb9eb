// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The motion that a driven loop follows, as it is added.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "limber/loops.h"
#include "model/model_parts.h"
#include "simulate/signals/functions.h"
#include "simulate/system/closure.h"
#include "simulation.h"

#define ERROR(...) lb_complain(&sim->faults, LB_SEVERITY_ERROR, __VA_ARGS__)

// Speeds must not jump.
enum { WHERE_SIZE = 64, SMOOTHNESS = 1 };

// A function of time at "where.key".
static lb_status set_function(lb_simulation *sim, const char *where, const char *key,
                              const lb_function_options *given, lb_function *function)
{
    // of time alone: no signals, but parameters
    const lb_scope scope = {.model = sim->system.model,
                            .named = lb_get_force_signals(sim->system.forces)};
    char at[WHERE_SIZE];
    snprintf(at, sizeof at, "%s.%s", where, key);
    return lb_make_function(&sim->arena, &scope, &sim->faults, at, SMOOTHNESS, given, function);
}

// The axis of the turn: its own, made a unit vector, or the loop's.
static void set_axis(lb_simulation *sim, const char *where, const double given[3], bool has_axis,
                     lb_loop_drive *drive)
{
    const double x = given[0], y = given[1], z = given[2];
    if (x == 0.0 && y == 0.0 && z == 0.0) {
        memcpy(drive->axis, drive->shift_axis, sizeof drive->axis);
        if (!has_axis) {
            ERROR(where, "", "turn needs an axis, in the frame of node a");
        }
        return;
    }
    const double length = sqrt(x * x + y * y + z * z);
    if (!isfinite(length) || !(length > 0.0)) {
        ERROR(where, "axis", "[%g, %g, %g] found, expected a direction: finite and not zero", x, y,
              z);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        drive->axis[i] = given[i] / length;
    }
}

static lb_status set_shift(lb_simulation *sim, const char *where,
                           const lb_loop_drive_options *given, lb_loop_drive *drive)
{
    static const char *const keys[3] = {"shift[0]", "shift[1]", "shift[2]"};
    lb_status status = LB_OK;
    drive->shift_count = given->shift_count;
    for (int i = 0; status >= 0 && i < given->shift_count; ++i) {
        status = set_function(sim, where, given->shift_count == 1 ? "shift" : keys[i],
                              lb_get_sized(given->shift, (size_t)i), &drive->shift[i]);
    }
    return status;
}

static lb_status set_drive(lb_simulation *sim, const char *where,
                           const lb_loop_drive_options *given, lb_loop_drive *drive)
{
    lb_system *s = &sim->system;
    const lb_loop_type type = lb_get_loop_info(s->model, drive->loop).type;
    const bool has_axis = lb_has_loop_axis(type);
    const bool is_scalar = type == LB_LOOP_ROD || type == LB_LOOP_COUPLER;
    if (has_axis) {
        lb_loop_ends ends = lb_default_loop_ends();
        lb_get_loop_ends(s->model, s->work, drive->loop, &ends);
        memcpy(drive->shift_axis, ends.axis, sizeof drive->shift_axis);
    }
    if (given->shift_count != 0 && given->shift_count != 1 && given->shift_count != 3) {
        ERROR(where, "shift", "expected a list of 3 functions, along the axes of node a");
        return LB_OK;
    }
    if (is_scalar && (given->turn || given->shift_count == 3)) {
        ERROR(where, "", "a %s takes one function: what is added to its %s",
              lb_get_loop_type_name(type), type == LB_LOOP_ROD ? "length" : "offset");
        return LB_OK;
    }
    if (given->shift_count == 1 && !has_axis && !is_scalar) {
        ERROR(where, "shift", "a %s loop has no axis: expected a list of 3 functions",
              lb_get_loop_type_name(type));
    }
    lb_status status = LB_OK;
    if (given->turn) {
        set_axis(sim, where, given->axis, has_axis, drive);
        drive->turns = true;
        status = set_function(sim, where, "turn", given->turn, &drive->turn);
    }
    return status < 0 ? status : set_shift(sim, where, given, drive);
}

lb_status lb_add_loop_drive(lb_simulation *sim, const lb_loop_drive_options *given)
{
    enum { SMALLEST = offsetof(lb_loop_drive_options, turn) + sizeof(lb_function_options *) };
    const lb_model *model = sim->system.model;
    lb_loop_drive_options own = lb_default_loop_drive_options();
    const int errors = sim->faults.error_count;
    if (lb_check_building(sim, "the motion of a loop") < 0) {
        return LB_E_ARGUMENT;
    }
    lb_status status =
        lb_take_checked(&sim->faults, "loops", "", &own, sizeof own, SMALLEST, given);
    if (status < 0) {
        return status;
    }
    const int loop = own.loop ? lb_find_loop(model, own.loop) : LB_NOT_FOUND;
    if (loop < 0) {
        ERROR("loops", "", "there is no loop '%s'", own.loop ? own.loop : "");
        return LB_E_MODEL;
    }
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "loops[%d].motion", loop);
    if (!lb_get_loop_info(model, loop).driven) {
        ERROR(where, "", "'%s' is not driven: the model must say so when the loop is added",
              own.loop);
        return LB_E_MODEL;
    }
    lb_closure *c = sim->system.closure;
    for (int i = 0; i < c->drive_count; ++i) {
        if (c->drives[i].loop == loop) {
            ERROR(where, "", "'%s' has a motion already", own.loop);
            return LB_E_MODEL;
        }
    }
    lb_loop_drive *drive = &c->drives[c->drive_count++];
    *drive = (lb_loop_drive){.loop = loop};
    status = set_drive(sim, where, &own, drive);
    return status < 0 ? status : sim->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}
