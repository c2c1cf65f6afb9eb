// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops made and altered in a workspace: what a slot joins, within what the model has room for.
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/sized.h"
#include "loop_work.h"
#include "model/model_parts.h"
#include "model/numbers.h"

// Whether what the type reads of an axis, a length, an offset and factors is finite. They are counted in this
// order, as if all were read.
static lb_status check_ends(lb_work *work, const lb_loop_ends *ends)
{
    enum { AXIS = 3, LENGTH = 1, OFFSET = 6 };
    double numbers[AXIS + LENGTH + OFFSET] = {0};
    const bool coupler = ends->type == LB_LOOP_COUPLER;
    if (lb_has_loop_axis(ends->type)) {
        memcpy(numbers, ends->axis, sizeof ends->axis);
    }
    numbers[AXIS] = ends->type == LB_LOOP_ROD ? ends->length : 0.0;
    memcpy(numbers + AXIS + LENGTH, ends->offset, (coupler ? 1 : OFFSET) * sizeof *ends->offset);
    lb_status status = lb_check_numbers(work, "ends", AXIS + LENGTH + OFFSET, numbers);
    for (int i = 0; coupler && i < ends->term_count && status == LB_OK; ++i) {
        status = lb_is_finite(ends->terms[i].factor)
                     ? LB_OK
                     : lb_refuse_number(work, "ends", AXIS + LENGTH + OFFSET + i);
    }
    return status;
}

// Two nodes of different bodies, and what the type asks for.
static lb_status take_ends(const lb_model *model, int slot, const lb_loop_ends *ends, lb_loop *loop)
{
    const lb_loop_end *a = &loop->ends[0], *b = &loop->ends[1];
    if (!lb_get_node(model, a->body, a->node) || !lb_get_node(model, b->body, b->node) ||
        a->body == b->body) {
        return LB_E_ARGUMENT;
    }
    if (loop->type == LB_LOOP_ROD && !(ends->length > 0)) {
        return LB_E_ARGUMENT;
    }
    loop->length = loop->type == LB_LOOP_ROD ? ends->length : 0.0;
    loop->offset =
        (lb_pose){lb_rotation_exp(lb_vec3_from(ends->offset)), lb_vec3_from(ends->offset + 3)};
    if (lb_has_loop_axis(loop->type)) {
        const lb_vec3 axis = lb_vec3_from(ends->axis);
        const double norm = lb_vec3_norm(axis);
        if (!(norm > 0) || !isfinite(norm)) {
            return LB_E_ARGUMENT;
        }
        loop->axis = lb_vec3_scale(1.0 / norm, axis);
    }
    for (int s = 0; s < 2; ++s) {
        const int body = loop->ends[s].body;
        if (!lb_may_reach(model, slot, body == LB_GROUND ? -1 : model->infos[body].sweep)) {
            return LB_E_CAPACITY;
        }
    }
    return LB_OK;
}

// A relation between coordinates.
static lb_status check_terms(const lb_model *model, int slot, int capacity,
                             const lb_loop_ends *ends)
{
    if (ends->term_count < 1) {
        return LB_E_ARGUMENT;
    }
    for (int i = 0; i < ends->term_count; ++i) {
        const lb_relation_term *t = &ends->terms[i];
        if (t->body < 0 || t->body >= model->body_count || t->factor == 0) {
            return LB_E_ARGUMENT;
        }
        const lb_body *b = lb_get_record(model, t->body);
        if (b->nq != b->nv || t->coordinate < 0 || t->coordinate >= b->nv) {
            return LB_E_ARGUMENT;
        }
        for (int j = 0; j < i; ++j) {
            if (ends->terms[j].body == t->body && ends->terms[j].coordinate == t->coordinate) {
                return LB_E_ARGUMENT;
            }
        }
    }
    int room = ends->term_count <= capacity;
    for (int i = 0; room && i < ends->term_count; ++i) {
        room = lb_may_reach(model, slot, model->infos[ends->terms[i].body].sweep);
    }
    return room ? LB_OK : LB_E_CAPACITY;
}

lb_status lb_alter_loop(const lb_model *model, lb_work *work, int loop, const lb_loop_ends *given)
{
    lb_loop_ends known = {.size = sizeof known}, *ends = &known;
    if (lb_take_sized(&known, sizeof known, LB_SIZE_THROUGH(lb_loop_ends, type), given) != LB_OK) {
        return LB_E_VERSION;
    }
    if (loop < 0 || loop >= lb_get_loop_capacity(model) ||
        (unsigned)ends->type >= LB_LOOP_TYPE_COUNT) {
        return LB_E_ARGUMENT;
    }
    lb_status status = check_ends(work, ends);
    if (status != LB_OK) {
        return status;
    }
    lb_loop_slot *slot = &work->loops->slots[loop];
    lb_loop altered = {.name = slot->set ? slot->loop.name : "",
                       .type = ends->type,
                       .ends = {{ends->body_a, ends->node_a}, {ends->body_b, ends->node_b}},
                       .terms = slot->terms,
                       .driven = slot->loop.driven,
                       .offset = lb_pose_identity()};
    if (ends->type == LB_LOOP_COUPLER) {
        altered.ends[0] = altered.ends[1] = (lb_loop_end){LB_GROUND, 0};
        altered.length = ends->offset[0];
        status = check_terms(model, loop, slot->term_capacity, ends);
    } else {
        status = take_ends(model, loop, ends, &altered);
    }
    if (status != LB_OK) {
        return status;
    }
    if (ends->type == LB_LOOP_COUPLER) {
        altered.term_count = ends->term_count;
        memmove(slot->listed, ends->terms, (size_t)ends->term_count * sizeof *slot->listed);
        for (int i = 0; i < altered.term_count; ++i) {
            const lb_relation_term *t = &slot->listed[i];
            slot->terms[i] = (lb_loop_term){model->infos[t->body].sweep, t->coordinate, t->factor};
        }
    }
    lb_set_loop_rows(&altered);
    slot->loop = altered;
    slot->set = 1;
    lb_join_slot(model, work, slot);
    work->has &= ~(unsigned)LB_HAS_WORLD; // it may be the first within a tree: places from the root
    lb_forget_loops(work);
    return LB_OK;
}

lb_status lb_make_loop(const lb_model *model, lb_work *work, int loop, const lb_loop_ends *ends,
                       int *out)
{
    const int capacity = lb_get_loop_capacity(model);
    if (loop < 0) {
        loop = model->loop_count;
        while (loop < capacity && work->loops->slots[loop].active) {
            ++loop;
        }
        if (loop == capacity) {
            return LB_E_CAPACITY;
        }
    }
    if (loop < model->loop_count) {
        return LB_E_ARGUMENT;
    }
    const lb_status status = lb_alter_loop(model, work, loop, ends);
    if (status != LB_OK) {
        return status;
    }
    lb_loop_slot *slot = &work->loops->slots[loop];
    slot->motion = (lb_loop_motion){{0}, {0}, {0}};
    slot->moves = 0;
    slot->active = 1;
    if (out) {
        *out = loop;
    }
    return LB_OK;
}

lb_status lb_get_loop_ends(const lb_model *model, const lb_work *work, int loop, lb_loop_ends *ends)
{
    if (loop < 0 || loop >= lb_get_loop_capacity(model)) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_slot *slot = &work->loops->slots[loop];
    const lb_loop *l = &slot->loop;
    lb_loop_ends own = {.size = sizeof own,
                        .body_a = l->ends[0].body,
                        .node_a = l->ends[0].node,
                        .body_b = l->ends[1].body,
                        .node_b = l->ends[1].node,
                        .type = l->type,
                        .term_count = l->term_count,
                        .terms = slot->listed};
    lb_vec3_to(l->axis, own.axis);
    if (l->type == LB_LOOP_COUPLER) {
        own.offset[0] = l->length;
    } else {
        own.length = l->type == LB_LOOP_ROD ? l->length : 0.0;
        lb_vec3_to(lb_quat_log(lb_quat_from_mat3(&l->offset.R)), own.offset);
        lb_vec3_to(l->offset.p, own.offset + 3);
    }
    return lb_give_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_loop_ends, type), ends);
}
