// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that follow a motion: `motion` of a loop in a model file, and its values in time.
#include <math.h>
#include <string.h>

#include "closure.h"
#include "forces/forces.h"
#include "limber/loops.h"
#include "signals/functions.h"

// A turn about an axis of node a and a shift in its axes, both functions of time.
struct lb_loop_drive {
    int loop;
    bool turns;
    double axis[3]; // unit
    lb_function turn;
    int shift_count; // 0; 1, along shift_axis (first entry for a rod or coupler); or 3
    double shift_axis[3];
    lb_function shift[3];
};

// ---- values --------------------------------------------------------------------------------------

static void get_motion(const lb_loop_drive *drive, double t, lb_loop_motion *motion)
{
    double x[3];
    double *const parts[3] = {motion->position, motion->velocity, motion->acceleration};
    memset(motion, 0, sizeof *motion);
    if (drive->turns) {
        lb_evaluate_motion(&drive->turn, t, x);
        for (int order = 0; order < 3; ++order) {
            for (int i = 0; i < 3; ++i) {
                parts[order][i] = x[order] * drive->axis[i];
            }
        }
    }
    for (int j = 0; j < drive->shift_count; ++j) {
        lb_evaluate_motion(&drive->shift[j], t, x);
        for (int order = 0; order < 3; ++order) {
            if (drive->shift_count == 3) {
                parts[order][3 + j] = x[order];
                continue;
            }
            // along the axis; a rod or a coupler has none and takes the first entry of all
            const double *axis = drive->shift_axis;
            const bool plain = axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0;
            parts[order][0] = plain ? x[order] : parts[order][0];
            for (int i = 0; i < 3 && !plain; ++i) {
                parts[order][3 + i] = x[order] * axis[i];
            }
        }
    }
}

lb_status lb_set_loop_motions(lb_system *s, double t)
{
    lb_status status = LB_OK;
    for (int i = 0; s->closure && status >= 0 && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        lb_loop_motion motion;
        get_motion(drive, t, &motion);
        if (s->closure->dropped > 0) {
            memset(motion.acceleration, 0, sizeof motion.acceleration);
        }
        if (s->closure->dropped > 1) {
            memset(motion.velocity, 0, sizeof motion.velocity);
        }
        for (int j = 0; j < 6; ++j) {
            if (!isfinite(motion.position[j]) || !isfinite(motion.velocity[j]) ||
                !isfinite(motion.acceleration[j])) {
                return lb_say(s, LB_E_NUMBER,
                              "t = %.9g s: the motion of loop '%s' is not a finite number", t,
                              lb_get_loop_name(s->model, drive->loop));
            }
        }
        status = lb_set_loop_motion(s->model, s->work, drive->loop, &motion);
        status = status < 0 ? status
                            : lb_set_loop_motion(s->model, s->closure->gauge, drive->loop, &motion);
    }
    return status;
}

double lb_find_loop_break(const lb_system *s, double t)
{
    double first = INFINITY;
    for (int i = 0; s->closure && i < s->closure->drive_count; ++i) {
        const lb_loop_drive *drive = &s->closure->drives[i];
        first = drive->turns ? fmin(first, lb_find_function_break(&drive->turn, t)) : first;
        for (int j = 0; j < drive->shift_count; ++j) {
            first = fmin(first, lb_find_function_break(&drive->shift[j], t));
        }
    }
    return first;
}

lb_status lb_compute_loop_power(lb_system *s, double *power)
{
    lb_closure *c = s->closure;
    *power = 0.0;
    if (c->drive_count == 0) {
        return LB_OK;
    }
    // force times J v, which is zero where nothing is given
    const lb_status status = lb_apply_loop_jacobian(s->model, s->work, s->v, c->velocity);
    for (int i = 0; status >= 0 && i < 6 * c->slot_count; ++i) {
        *power += c->forces[i] * c->velocity[i];
    }
    return status;
}

// ---- loading -------------------------------------------------------------------------------------

// The axis of a loop in the file, made a unit vector; false where its type has none.
static bool read_axis(lb_reader *reader, const lb_place *up, double axis[3])
{
    const int errors = reader->error_count;
    const lb_place at = lb_place_at_key(up, "axis");
    if (!at.node || !lb_read_numbers(reader, up, "axis", LB_OPTIONAL, 3, axis)) {
        return false;
    }
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0.0)) {
        lb_reader_fail(reader, &at, "a zero vector, expected a direction");
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] /= length;
    }
    return reader->error_count == errors;
}

static lb_status load_shift(const lb_function_loader *loader, const lb_place *place,
                            lb_loop_drive *drive)
{
    const bool is_list = lb_place_get_kind(place) == LB_DOC_SEQUENCE;
    lb_status status = LB_OK;
    if (is_list && lb_place_get_count(place) != 3) {
        lb_reader_fail(loader->reader, place,
                       "expected a list of 3 functions, along the axes of "
                       "node a");
        return LB_OK;
    }
    drive->shift_count = is_list ? 3 : 1;
    for (int i = 0; status >= 0 && i < drive->shift_count; ++i) {
        const lb_place at = is_list ? lb_place_at_index(place, (size_t)i) : *place;
        status = lb_load_function(loader, &at, 1, &drive->shift[i]);
    }
    return status;
}

static lb_status load_drive(const lb_function_loader *loader, const lb_place *loop,
                            lb_loop_type type, lb_loop_drive *drive)
{
    static const char *const keys[] = {"turn", "axis", "shift", NULL};
    lb_reader *reader = loader->reader;
    const lb_place place = lb_place_at_key(loop, "motion");
    const bool has_axis = read_axis(reader, loop, drive->shift_axis);
    memcpy(drive->axis, drive->shift_axis, sizeof drive->axis);
    const lb_place turn = lb_place_at_key(&place, "turn"), shift = lb_place_at_key(&place, "shift");
    // one function for what one function will do
    if (!turn.node && !shift.node) {
        switch (type) {
        case LB_LOOP_REVOLUTE:
            drive->turns = true;
            return lb_load_function(loader, &place, 1, &drive->turn);
        case LB_LOOP_PRISMATIC:
        case LB_LOOP_POINT_LINE:
        case LB_LOOP_ROD:
        case LB_LOOP_COUPLER:
            return load_shift(loader, &place, drive);
        default:
            lb_reader_fail(reader, &place,
                           "a %s loop needs to be told how it moves: {turn: FUNCTION, axis: [x, y, "
                           "z]}, {shift: [FUNCTION, FUNCTION, FUNCTION]}, or both",
                           lb_get_loop_type_name(type));
            return LB_OK;
        }
    }
    if (type == LB_LOOP_ROD || type == LB_LOOP_COUPLER) {
        lb_reader_fail(reader, &place, "a %s takes one function: what is added to its %s",
                       lb_get_loop_type_name(type), type == LB_LOOP_ROD ? "length" : "offset");
        return LB_OK;
    }
    lb_read_mapping(reader, &place, keys);
    lb_status status = LB_OK;
    if (turn.node) {
        const bool own_axis = read_axis(reader, &place, drive->axis);
        if (!own_axis && !has_axis) {
            lb_reader_fail(reader, &place, "turn needs an axis, in the frame of node a");
        }
        drive->turns = true;
        status = lb_load_function(loader, &turn, 1, &drive->turn);
    }
    if (status >= 0 && shift.node) {
        if (!has_axis && lb_place_get_kind(&shift) != LB_DOC_SEQUENCE) {
            lb_reader_fail(reader, &shift, "a %s loop has no axis: expected a list of 3 functions",
                           lb_get_loop_type_name(type));
        }
        status = load_shift(loader, &shift, drive);
    }
    return status;
}

lb_status lb_load_loop_motions(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    lb_system *s = &sim->system;
    if (!s->closure) {
        return LB_OK;
    }
    const int count = lb_get_loop_count(s->model);
    const lb_place loops = lb_place_at_key(root, "loops");
    // others are made and follow none, or are those of a model that was built, not read
    const int listed = (int)lb_place_get_count(&loops);
    s->closure->drives = lb_take(sim, (size_t)count, sizeof *s->closure->drives);
    lb_status status = s->closure->drives ? LB_OK : LB_E_MEMORY;
    const lb_function_loader loader = {&s->forces->store, {s->model, NULL, 0}, reader};
    for (int l = 0; status >= 0 && l < count && l < listed; ++l) {
        const lb_place at = lb_place_at_index(&loops, (size_t)l);
        if (lb_is_loop_driven(s->model, l)) {
            lb_loop_drive *drive = &s->closure->drives[s->closure->drive_count++];
            drive->loop = l;
            status = load_drive(&loader, &at, lb_get_loop_type(s->model, l), drive);
        }
    }
    return status;
}
