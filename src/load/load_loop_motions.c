// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of a model file that follow a motion, and what is to be said of others.
#include <math.h>
#include <string.h>

#include "forces/forces.h"
#include "load_keys.h"
#include "signals/functions.h"
#include "system/closure.h"

// The axis of a loop in the file, made a unit vector; false where its type has none.
static bool read_axis(lb_reader *reader, const lb_place *up, double axis[3])
{
    const int errors = reader->error_count;
    const lb_place at = lb_place_at_key(up, "axis");
    if (!lb_place_exists(&at) || !lb_read_numbers(reader, up, "axis", LB_OPTIONAL, 3, axis)) {
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
    if (!lb_place_exists(&turn) && !lb_place_exists(&shift)) {
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
    if (lb_place_exists(&turn)) {
        const bool own_axis = read_axis(reader, &place, drive->axis);
        if (!own_axis && !has_axis) {
            lb_reader_fail(reader, &place, "turn needs an axis, in the frame of node a");
        }
        drive->turns = true;
        status = lb_load_function(loader, &turn, 1, &drive->turn);
    }
    if (status >= 0 && lb_place_exists(&shift)) {
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
    s->closure->drives = lb_arena_take(&sim->arena, (size_t)count, sizeof *s->closure->drives);
    lb_status status = s->closure->drives ? LB_OK : LB_E_MEMORY;
    const lb_function_loader loader = {&s->forces->arena, {s->model, NULL, 0}, reader};
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

// The first ruthless body between an end and the ground, or -1.
static int find_ruthless(const lb_model *model, int body)
{
    while (body >= 0 && (lb_get_mode_count(model, body) == 0 ||
                         lb_get_fidelity(model, body) != LB_FIDELITY_RUTHLESS)) {
        body = lb_get_parent(model, body);
    }
    return body;
}

void lb_warn_of_loops(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_model *model = sim->system.model;
    const lb_place loops = lb_place_at_key(root, "loops");
    const int listed = (int)lb_place_get_count(&loops);
    for (int l = 0; l < lb_get_loop_count(model); ++l) {
        const lb_place at = l < listed ? lb_place_at_index(&loops, (size_t)l) : loops;
        int found = -1;
        for (int side = 0; side < 2 && found < 0; ++side) {
            int body, node;
            lb_get_loop_end(model, l, side, &body, &node);
            found = find_ruthless(model, body);
        }
        if (found >= 0) {
            lb_reader_warn(reader, &at,
                           "'%s' hangs on '%s', whose fidelity is ruthless: it closes in the "
                           "undeformed pose, and neither its accuracy nor its energy are promised",
                           lb_get_loop_name(model, l), lb_get_body_name(model, found));
        }
    }
}
