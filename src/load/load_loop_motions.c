// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of a model file that follow a motion, and what is to be said of others.
#include <stdio.h>
#include <string.h>

#include "document/values.h"
#include "limber/loops.h"
#include "load_keys.h"

// One function, or three along the axes of node a.
static lb_status load_shift(lb_part_loader *loader, const lb_place *place,
                            lb_loop_drive_options *drive)
{
    const bool is_list = lb_place_get_kind(place) == LB_DOC_SEQUENCE;
    lb_function_options *functions = NULL;
    if (is_list && lb_place_get_count(place) != 3) {
        lb_reader_fail(loader->reader, place,
                       "expected a list of 3 functions, along the axes of node a");
        return LB_E_MODEL;
    }
    drive->shift_count = is_list ? 3 : 1;
    const lb_status status =
        lb_read_functions(loader, place, true, (size_t)drive->shift_count, &functions);
    drive->shift = functions;
    return status;
}

static lb_status load_turn(lb_part_loader *loader, const lb_place *place,
                           lb_loop_drive_options *drive)
{
    lb_function_options *turn = lb_arena_take(&loader->scratch, 1, sizeof *turn);
    drive->turn = turn;
    return turn ? lb_read_function(loader, place, true, turn) : LB_E_MEMORY;
}

// The axis of a turn, where zero means the loop's own.
static bool load_axis(lb_reader *reader, const lb_place *motion, double axis[3])
{
    const lb_place at = lb_place_at_key(motion, "axis");
    if (!at.node) {
        return true;
    }
    if (!lb_read_numbers(reader, motion, "axis", LB_OPTIONAL, 3, axis)) {
        return false;
    }
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0) {
        lb_reader_fail(reader, &at, "a zero vector, expected a direction");
        return false;
    }
    return true;
}

// One function, where that says all.
static lb_status load_plain(lb_part_loader *loader, const lb_place *place, lb_loop_type type,
                            lb_loop_drive_options *drive)
{
    switch (type) {
    case LB_LOOP_REVOLUTE:
        return load_turn(loader, place, drive);
    case LB_LOOP_PRISMATIC:
    case LB_LOOP_POINT_LINE:
    case LB_LOOP_ROD:
    case LB_LOOP_COUPLER:
        return load_shift(loader, place, drive);
    default:
        lb_reader_fail(loader->reader, place,
                       "a %s loop needs to be told how it moves: {turn: FUNCTION, axis: [x, y, "
                       "z]}, {shift: [FUNCTION, FUNCTION, FUNCTION]}, or both",
                       lb_get_loop_type_name(type));
        return LB_E_MODEL;
    }
}

// {turn: FUNCTION, axis: [x, y, z], shift: FUNCTION or three}, or a function by itself.
static lb_status load_drive(lb_part_loader *loader, const lb_place *place, lb_loop_type type,
                            bool *is_plain, lb_loop_drive_options *drive)
{
    static const char *const keys[] = {"turn", "axis", "shift", NULL};
    lb_reader *reader = loader->reader;
    const lb_place turn = lb_place_at_key(place, "turn"), shift = lb_place_at_key(place, "shift");
    *is_plain = !turn.node && !shift.node;
    if (*is_plain) {
        return load_plain(loader, place, type, drive);
    }
    if (type == LB_LOOP_ROD || type == LB_LOOP_COUPLER) {
        lb_reader_fail(reader, place, "a %s takes one function: what is added to its %s",
                       lb_get_loop_type_name(type), type == LB_LOOP_ROD ? "length" : "offset");
        return LB_E_MODEL;
    }
    const bool is_right =
        lb_read_mapping(reader, place, keys) && load_axis(reader, place, drive->axis);
    lb_status status = is_right ? LB_OK : LB_E_MODEL;
    if (status >= 0 && turn.node) {
        status = load_turn(loader, &turn, drive);
    }
    if (status >= 0 && shift.node) {
        status = load_shift(loader, &shift, drive);
    }
    return status;
}

// A function by itself is neither under `turn` nor under `shift`.
typedef struct onward {
    lb_report report;
    char prefix[64];
    const char *part;
} onward;

static void pass_on(void *user, const lb_diagnostic *diagnostic)
{
    const onward *o = user;
    lb_pass_on(&o->report, diagnostic, o->prefix, o->part);
}

static lb_status load_motion(lb_simulation *sim, lb_part_loader *loader, const lb_place *loop,
                             int index)
{
    const lb_model *model = lb_get_simulation_model(sim);
    const lb_place place = lb_place_at_key(loop, "motion");
    lb_loop_drive_options drive = lb_default_loop_drive_options();
    bool is_plain = false;
    drive.loop = lb_get_loop_name(model, index);
    lb_status status =
        load_drive(loader, &place, lb_get_loop_info(model, index).type, &is_plain, &drive);
    if (status < 0) {
        return status;
    }
    onward o = {.report = sim->faults.report, .part = ""};
    snprintf(o.prefix, sizeof o.prefix, "loops[%d].motion", index);
    o.part = !is_plain ? "" : drive.turn ? ".turn" : ".shift";
    sim->faults.report = (lb_report){.emit = pass_on, .user = &o};
    status = lb_add_loop_drive(sim, &drive);
    sim->faults.report = o.report;
    return status;
}

lb_status lb_load_loop_motions(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_model *model = lb_get_simulation_model(sim);
    const lb_place loops = lb_find_part(root, "loops", LB_DOC_SEQUENCE);
    lb_part_loader loader = {reader, root, lb_make_arena(NULL)};
    const int count = lb_get_loop_count(model);
    // others are made and follow none, or are those of a model that was built, not read
    const int listed = (int)lb_place_get_count(&loops);
    lb_status status = LB_OK;
    for (int l = 0; status >= 0 && l < count && l < listed; ++l) {
        const lb_place at = lb_place_at_index(&loops, (size_t)l);
        if (lb_get_loop_info(model, l).driven) {
            status = load_motion(sim, &loader, &at, l);
            status = status == LB_E_MODEL ? LB_OK : status; // said already
        }
    }
    lb_end_part_loader(&loader);
    return status;
}

// The first ruthless body between an end and the ground, or -1.
static int find_ruthless(const lb_model *model, int body)
{
    while (body >= 0 && (lb_get_mode_count(model, body) == 0 ||
                         lb_get_fidelity(model, body) != LB_FIDELITY_RUTHLESS)) {
        body = lb_get_hinge(model, body).parent;
    }
    return body;
}

void lb_warn_of_loops(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_model *model = sim->system.model;
    const lb_place loops = lb_find_part(root, "loops", LB_DOC_SEQUENCE);
    const int listed = (int)lb_place_get_count(&loops);
    for (int l = 0; l < lb_get_loop_count(model); ++l) {
        const lb_place at = l < listed ? lb_place_at_index(&loops, (size_t)l) : loops;
        int found = -1;
        for (int side = 0; side < 2 && found < 0; ++side) {
            found = find_ruthless(model, lb_get_loop_info(model, l).body[side]);
        }
        if (found >= 0) {
            lb_reader_warn(reader, &at,
                           "'%s' hangs on '%s', whose fidelity is ruthless: it closes in the "
                           "undeformed pose, and neither its accuracy nor its energy are promised",
                           lb_get_loop_name(model, l), lb_get_body_name(model, found));
        }
    }
}
