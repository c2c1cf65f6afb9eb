// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Closure constraints of a model: types, rows, names.
#include <string.h>

#include "loop_report.h"
#include "model/layout.h"
#include "model/model_parts.h"

// What each type constrains, with t, u perpendicular to the axis: turns about (t, u), about the
// axis; shifts along (t, u), along the axis.
typedef struct type_row {
    const char *name;
    unsigned char turn_across, turn_along, shift_across, shift_along, has_axis;
} type_row;

static const type_row types[LB_LOOP_TYPE_COUNT] = {
    [LB_LOOP_WELD] = {"weld", 1, 1, 1, 1, 0},
    [LB_LOOP_SPHERICAL] = {"spherical", 0, 0, 1, 1, 0},
    [LB_LOOP_REVOLUTE] = {"revolute", 1, 0, 1, 1, 1},
    [LB_LOOP_PRISMATIC] = {"prismatic", 1, 1, 1, 0, 1},
    [LB_LOOP_CYLINDRICAL] = {"cylindrical", 1, 0, 1, 0, 1},
    [LB_LOOP_PLANAR] = {"planar", 1, 0, 0, 1, 1},
    [LB_LOOP_POINT_LINE] = {"point-line", 0, 0, 1, 0, 1},
    [LB_LOOP_POINT_PLANE] = {"point-plane", 0, 0, 0, 1, 1},
    [LB_LOOP_ROD] = {"rod", 0, 0, 0, 0, 0},         // one row, along its line
    [LB_LOOP_COUPLER] = {"coupler", 0, 0, 0, 0, 0}, // one row, no direction
};

const char *lb_get_loop_type_name(lb_loop_type type)
{
    return types[type].name;
}

bool lb_has_loop_axis(lb_loop_type type)
{
    return types[type].has_axis;
}

int lb_get_loop_count(const lb_model *model)
{
    return model->loop_count;
}

int lb_get_loop_capacity(const lb_model *model)
{
    return model->loop_count + model->spare_count;
}

const char *lb_get_loop_name(const lb_model *model, int loop)
{
    return model->loops[loop].name;
}

int lb_find_loop(const lb_model *model, const char *name)
{
    for (int loop = 0; loop < model->loop_count; ++loop) {
        if (strcmp(model->loops[loop].name, name) == 0) {
            return loop;
        }
    }
    return LB_NOT_FOUND;
}

lb_loop_info lb_get_loop_info(const lb_model *model, int loop)
{
    const lb_loop *l = &model->loops[loop];
    lb_loop_info info = {.type = l->type,
                         .row_count = l->row_count,
                         .term_count = l->term_count,
                         .as_assembled = l->as_assembled,
                         .driven = l->driven};
    for (int side = 0; side < 2; ++side) {
        const bool is_term = l->type == LB_LOOP_COUPLER && side < l->term_count;
        info.body[side] = is_term ? model->bodies[l->terms[side].k].listed : l->ends[side].body;
        info.node[side] = l->ends[side].node;
    }
    return info;
}

void lb_get_coupler_term(const lb_model *model, int loop, int term, int *body, int *coordinate,
                         double *factor)
{
    const lb_loop_term *t = &model->loops[loop].terms[term];
    *body = model->bodies[t->k].listed;
    *coordinate = t->entry;
    *factor = t->factor;
}

// The constrained rows, orthonormal, in the frame of node a. A driven loop constrains what its type
// leaves free as well: every turn where it constrains any, every shift.
void lb_set_loop_rows(lb_loop *loop)
{
    type_row type = types[loop->type];
    loop->row_count = 0;
    memset(loop->W, 0, sizeof loop->W);
    if (loop->type == LB_LOOP_ROD || loop->type == LB_LOOP_COUPLER) {
        // a rod's direction follows its line; a coupler uses the first entry
        loop->W[0][loop->type == LB_LOOP_ROD ? 3 : 0] = 1.0;
        loop->row_count = 1;
        return;
    }
    if (loop->driven) {
        const unsigned char turns = type.turn_across | (loop->type == LB_LOOP_SPHERICAL);
        type.turn_across = type.turn_along = turns;
        type.shift_across = type.shift_along = 1;
    }
    const lb_vec3 a = type.has_axis ? loop->axis : lb_vec3_make(0, 0, 1);
    const lb_vec3 e = fabs(a.x) < 0.9 ? lb_vec3_make(1, 0, 0) : lb_vec3_make(0, 1, 0);
    lb_vec3 t = lb_vec3_cross(a, e);
    t = lb_vec3_scale(1.0 / lb_vec3_norm(t), t);
    const lb_vec3 u = lb_vec3_cross(a, t), directions[3] = {t, u, a};
    const unsigned char turns[3] = {type.turn_across, type.turn_across, type.turn_along};
    const unsigned char shifts[3] = {type.shift_across, type.shift_across, type.shift_along};
    for (int i = 0; i < 3; ++i) {
        if (turns[i]) {
            lb_vec3_to(directions[i], loop->W[loop->row_count++]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        if (shifts[i]) {
            lb_vec3_to(directions[i], loop->W[loop->row_count++] + 3);
        }
    }
}
