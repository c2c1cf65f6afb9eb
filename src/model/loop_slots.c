// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops in a workspace: memory, which of them hold, and locked hinges.
#include <string.h>

#include "loop_work.h"

// Most modes that a body has.
static size_t count_modes(const lb_model *model)
{
    int most = 0;
    for (int k = 0; k < model->body_count; ++k) {
        most = model->bodies[k].mode_count > most ? model->bodies[k].mode_count : most;
    }
    return (size_t)most;
}

void lb_lay_out_loops(const lb_model *model, unsigned char *base, size_t *used, lb_work *work)
{
    const lb_loop_pattern *pattern = model->pattern;
    lb_loop_work nowhere;
    work->loops = lb_place_piece(base, used, pattern ? 1 : 0, sizeof *work->loops);
    if (!pattern) {
        work->loops = NULL;
        return;
    }
    lb_loop_work *w = base ? work->loops : &nowhere;
    const size_t n = (size_t)model->body_count, m = (size_t)pattern->count;
    const size_t v = (size_t)model->v_count, blocks = (size_t)pattern->block_count;
    w->slots = lb_place_piece(base, used, m, sizeof *w->slots);
    w->diagonal = lb_place_piece(base, used, 36 * m, sizeof *w->diagonal);
    w->blocks = lb_place_piece(base, used, 36 * blocks, sizeof *w->blocks);
    w->filled = lb_place_piece(base, used, blocks, sizeof *w->filled);
    w->carried = lb_place_piece(base, used, n, sizeof *w->carried);
    w->Upsilon = lb_place_piece(base, used, n, sizeof *w->Upsilon);
    w->marked = lb_place_piece(base, used, n, sizeof *w->marked);
    w->path = lb_place_piece(base, used, n, sizeof *w->path);
    w->rest = lb_place_piece(base, used, m, sizeof *w->rest);
    w->load = lb_place_piece(base, used, n + 1, sizeof *w->load);
    w->tau = lb_place_piece(base, used, v, sizeof *w->tau);
    w->x = lb_place_piece(base, used, 6 * m, sizeof *w->x);
    w->y = lb_place_piece(base, used, 6 * m, sizeof *w->y);
    w->force = lb_place_piece(base, used, 6 * m, sizeof *w->force);
    w->nulls = lb_place_piece(base, used, pattern->null_count, sizeof *w->nulls);
    w->null_space = lb_place_piece(base, used, 6 * m, sizeof *w->null_space);
    // influence of the modes at the ends: a spare loop may end anywhere
    const size_t most = count_modes(model);
    for (size_t l = 0; l < m; ++l) {
        for (int s = 0; s < 2; ++s) {
            size_t modes = most;
            if ((int)l < model->loop_count) {
                const int body = model->loops[l].ends[s].body;
                modes = body == LB_GROUND ? 0 : (size_t)lb_get_record(model, body)->mode_count;
            }
            lb_vec6 *Pi = modes ? lb_place_piece(base, used, modes, sizeof *Pi) : NULL;
            if (base) {
                w->slots[l].Pi[s] = Pi;
            }
        }
    }
    if (base) {
        w->load += 1;
    }
}

void lb_join_slot(const lb_model *model, lb_loop_slot *slot)
{
    for (int s = 0; s < 2; ++s) {
        const lb_loop_end *end = &slot->loop.ends[s];
        slot->k[s] = -1;
        slot->node[s] = NULL;
        if (slot->loop.type != LB_LOOP_COUPLER) {
            slot->k[s] = end->body == LB_GROUND ? -1 : model->infos[end->body].sweep;
            slot->node[s] = lb_get_node(model, end->body, end->node);
            slot->at[s] = slot->node[s]->X;
        }
    }
}

void lb_start_loops(const lb_model *model, lb_work *work)
{
    if (!model->pattern) {
        return;
    }
    work->loops->stamp = 0;
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_loop_slot *slot = &work->loops->slots[l];
        lb_vec6 *const Pi[2] = {slot->Pi[0], slot->Pi[1]};
        *slot = (lb_loop_slot){.Pi = {Pi[0], Pi[1]}, .k = {-1, -1}};
        if (l < model->loop_count) {
            slot->loop = model->loops[l];
            slot->active = !slot->loop.inactive;
            slot->set = 1;
            lb_join_slot(model, slot);
        }
    }
}

static int has_slot(const lb_model *model, int loop)
{
    return loop >= 0 && loop < lb_get_loop_capacity(model);
}

// What was computed of the loops no longer holds.
static void forget(lb_work *work)
{
    work->has &= ~(unsigned)(LB_HAS_FACTORS | LB_HAS_CLOSED);
}

int lb_is_loop_active(const lb_work *work, int loop)
{
    return work->loops->slots[loop].active;
}

lb_status lb_set_loop_active(const lb_model *model, lb_work *work, int loop, int active)
{
    if (!has_slot(model, loop) || (active && !work->loops->slots[loop].set)) {
        return LB_E_ARGUMENT;
    }
    work->loops->slots[loop].active = active != 0;
    forget(work);
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
    if (loop < model->loop_count || loop >= capacity) {
        return LB_E_ARGUMENT;
    }
    lb_loop made = {.name = "",
                    .type = ends->type,
                    .ends = {{ends->body_a, ends->node_a}, {ends->body_b, ends->node_b}},
                    .offset = lb_pose_identity(),
                    .length = ends->length};
    if (lb_check_loop_ends(model, &made) != LB_OK) {
        return LB_E_ARGUMENT;
    }
    if (lb_has_loop_axis(made.type)) {
        const lb_vec3 axis = lb_vec3_from(ends->axis);
        const double norm = lb_vec3_norm(axis);
        if (!(norm > 0) || !isfinite(norm)) {
            return LB_E_ARGUMENT;
        }
        made.axis = lb_vec3_scale(1.0 / norm, axis);
    }
    lb_set_loop_rows(&made);
    lb_loop_slot *slot = &work->loops->slots[loop];
    slot->loop = made;
    slot->motion = (lb_loop_motion){{0}, {0}, {0}};
    slot->moves = 0;
    slot->active = slot->set = 1;
    lb_join_slot(model, slot);
    forget(work);
    if (out) {
        *out = loop;
    }
    return LB_OK;
}

void lb_get_loop_ends(const lb_model *model, const lb_work *work, int loop, lb_loop_ends *ends)
{
    (void)model;
    const lb_loop *l = &work->loops->slots[loop].loop;
    *ends = (lb_loop_ends){l->ends[0].body, l->ends[0].node, l->ends[1].body,
                           l->ends[1].node, l->type,         {0},
                           l->length};
    lb_vec3_to(l->axis, ends->axis);
}

lb_status lb_set_loop_motion(const lb_model *model, lb_work *work, int loop,
                             const lb_loop_motion *motion)
{
    if (!has_slot(model, loop)) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_motion none = {{0}, {0}, {0}};
    work->loops->slots[loop].motion = motion ? *motion : none;
    work->loops->slots[loop].moves = motion != NULL;
    work->has &= ~(unsigned)LB_HAS_CLOSED;
    return LB_OK;
}

lb_status lb_set_hinge_locked(const lb_model *model, lb_work *work, int body, int locked)
{
    if (body < 0 || body >= model->body_count) {
        return LB_E_ARGUMENT;
    }
    unsigned char *flag = &work->locked[model->infos[body].sweep];
    work->locked_count += (locked != 0) - *flag;
    *flag = locked != 0;
    forget(work);
    return LB_OK;
}

int lb_is_hinge_locked(const lb_model *model, const lb_work *work, int body)
{
    return work->locked[model->infos[body].sweep];
}
