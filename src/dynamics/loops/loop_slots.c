// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops in a workspace: memory, which of them hold, and locked hinges.
#include <string.h>

#include "loop_products.h"
#include "loop_work.h"
#include "model/numbers.h"

// Most modes of a body that a slot may be made to join.
static size_t count_modes(const lb_model *model, int loop)
{
    const lb_loop_pattern *pattern = model->pattern;
    if (loop >= model->loop_count || model->loops[loop].reach_all) {
        return (size_t)pattern->mode_most;
    }
    int most = 0;
    for (int i = 0, k; (k = lb_get_loop_reach(model, &model->loops[loop], i)) > -2; ++i) {
        const int branch = k < 0 ? -1 : pattern->branch[k];
        most = branch >= 0 && pattern->modes[branch] > most ? pattern->modes[branch] : most;
    }
    const int group = pattern->group[pattern->position[loop]];
    if (group >= 0 && pattern->hubs[group].modes > most) {
        most = pattern->hubs[group].modes;
    }
    return (size_t)most;
}

static int count_terms(const lb_model *model, int loop)
{
    return loop < model->loop_count ? model->loops[loop].term_capacity : model->spare_terms;
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
    work->x_root = lb_place_piece(base, used, n, sizeof *work->x_root);
    w->path = lb_place_piece(base, used, n, sizeof *w->path);
    w->rest = lb_place_piece(base, used, m, sizeof *w->rest);
    w->load = lb_place_piece(base, used, n + 1, sizeof *w->load);
    w->tau = lb_place_piece(base, used, v, sizeof *w->tau);
    w->x = lb_place_piece(base, used, 6 * m, sizeof *w->x);
    w->y = lb_place_piece(base, used, 6 * m, sizeof *w->y);
    w->force = lb_place_piece(base, used, 6 * m, sizeof *w->force);
    w->nulls = lb_place_piece(base, used, pattern->null_count, sizeof *w->nulls);
    w->null_space = lb_place_piece(base, used, 6 * m, sizeof *w->null_space);
    const size_t groups = (size_t)pattern->hub_count,
                 last = (size_t)(pattern->count - pattern->ordered);
    w->edges = lb_place_piece(base, used, pattern->edge_count, sizeof *w->edges);
    w->hub_memory = lb_place_piece(base, used, pattern->hub_size, sizeof *w->hub_memory);
    w->hubs = lb_place_piece(base, used, groups, sizeof *w->hubs);
    w->lacking = lb_place_piece(base, used, groups ? m : 0, sizeof *w->lacking);
    w->met = lb_place_piece(base, used, groups * last, sizeof *w->met);
    w->rows_scratch =
        lb_place_piece(base, used, 12 * (size_t)pattern->widest, sizeof *w->rows_scratch);
    w->along = lb_place_piece(base, used, groups ? 6 * m : 0, sizeof *w->along);
    w->side = lb_place_piece(base, used, groups ? 6 * m : 0, sizeof *w->side);
    w->more = lb_place_piece(base, used, groups ? 6 * m : 0, sizeof *w->more);
    for (size_t g = 0; base && g < groups; ++g) {
        const lb_loop_hub *hub = &pattern->hubs[g];
        const size_t square = (size_t)hub->width * (size_t)hub->width;
        double *at = w->hub_memory + hub->at;
        double *vectors = at + 4 * square;
        const size_t one = (size_t)hub->width;
        w->hubs[g] = (lb_hub_work){.S = at,
                                   .U = at + square,
                                   .R = at + 2 * square,
                                   .c = vectors,
                                   .beta = vectors + one,
                                   .u = vectors + 2 * one,
                                   .t = vectors + 3 * one};
    }
    // influence of the modes at the ends, and terms: of all that a slot may be made to join
    for (size_t l = 0; l < m; ++l) {
        const size_t modes = count_modes(model, (int)l), terms = (size_t)count_terms(model, (int)l);
        lb_loop_slot none = {.active = 0}, *slot = base ? &w->slots[l] : &none;
        for (int s = 0; s < 2; ++s) {
            slot->Pi[s] = modes ? lb_place_piece(base, used, modes, sizeof *slot->Pi[s]) : NULL;
        }
        slot->terms = lb_place_piece(base, used, terms, sizeof *slot->terms);
        slot->listed = lb_place_piece(base, used, terms, sizeof *slot->listed);
    }
    if (base) {
        w->load += 1;
    }
}

void lb_join_slot(const lb_model *model, lb_work *work, lb_loop_slot *slot)
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
    const int *root = model->pattern->root;
    work->x_root_users -= slot->together;
    slot->together = slot->k[0] >= 0 && slot->k[1] >= 0 && root[slot->k[0]] == root[slot->k[1]];
    work->x_root_users += slot->together;
    work->loops->couplers -= slot->coupler;
    slot->coupler = slot->loop.type == LB_LOOP_COUPLER;
    work->loops->couplers += slot->coupler;
}

void lb_start_loops(const lb_model *model, lb_work *work)
{
    if (!model->pattern) {
        return;
    }
    work->x_root_users = 0;
    work->loops->stamp = work->loops->couplers = 0;
    for (int l = 0; l < model->pattern->count; ++l) {
        lb_loop_slot *slot = &work->loops->slots[l];
        *slot = (lb_loop_slot){.Pi = {slot->Pi[0], slot->Pi[1]},
                               .terms = slot->terms,
                               .listed = slot->listed,
                               .term_capacity = count_terms(model, l),
                               .k = {-1, -1}};
        if (l < model->loop_count) {
            slot->loop = model->loops[l];
            slot->loop.terms = slot->terms;
            for (int i = 0; i < slot->loop.term_count; ++i) {
                const lb_loop_term *term = &model->loops[l].terms[i];
                slot->terms[i] = *term;
                slot->listed[i] =
                    (lb_relation_term){model->bodies[term->k].listed, term->entry, term->factor};
            }
            slot->active = !slot->loop.inactive;
            slot->set = 1;
            lb_join_slot(model, work, slot);
        }
    }
}

void lb_copy_holds(const lb_model *model, const lb_work *from, lb_work *to)
{
    const size_t bodies = (size_t)model->body_count;
    memcpy(to->locked, from->locked, bodies);
    memcpy(to->driven, from->driven, bodies);
    to->locked_count = from->locked_count;
    to->driven_count = from->driven_count;
    to->uses_tree = from->uses_tree;
    for (int l = 0; model->pattern && l < model->pattern->count; ++l) {
        const lb_loop_slot *given = &from->loops->slots[l];
        lb_loop_slot *slot = &to->loops->slots[l];
        const size_t terms = (size_t)given->loop.term_count;
        if (given->set) {
            slot->loop = given->loop;
            slot->loop.terms = slot->terms;
            memcpy(slot->terms, given->terms, terms * sizeof *slot->terms);
            memcpy(slot->listed, given->listed, terms * sizeof *slot->listed);
            lb_join_slot(model, to, slot);
        }
        slot->set = given->set;
        slot->active = given->active;
        slot->moves = given->moves;
        slot->motion = given->motion;
    }
    to->has &= ~(unsigned)LB_HAS_WORLD;
    lb_forget_loops(to);
}

static int has_slot(const lb_model *model, int loop)
{
    return loop >= 0 && loop < lb_get_loop_capacity(model);
}

void lb_forget_loops(lb_work *work)
{
    // the motion was that of the forces that are forgotten: reactions cannot be told from it any more
    const unsigned motion = work->has & LB_HAS_CLOSED ? LB_HAS_FORCES : 0u;
    work->has &= ~(LB_HAS_FACTORS | LB_HAS_CLOSED | LB_HAS_DRIVES | motion);
}

bool lb_is_loop_active(const lb_work *work, int loop)
{
    return work->loops->slots[loop].active;
}

lb_status lb_set_loop_active(const lb_model *model, lb_work *work, int loop, bool active)
{
    if (!has_slot(model, loop) || (active && !work->loops->slots[loop].set)) {
        return LB_E_ARGUMENT;
    }
    work->loops->slots[loop].active = active;
    lb_forget_loops(work);
    return LB_OK;
}

lb_status lb_set_loop_motion(const lb_model *model, lb_work *work, int loop,
                             const lb_loop_motion *motion)
{
    if (!has_slot(model, loop)) {
        return LB_E_ARGUMENT;
    }
    const lb_loop_motion none = {{0}, {0}, {0}};
    enum { COUNT = sizeof none / sizeof(double) };
    const lb_status status =
        lb_check_numbers(work, "motion", COUNT, (const double *)(const void *)motion);
    if (status < 0) {
        return status;
    }
    work->loops->slots[loop].motion = motion ? *motion : none;
    work->loops->slots[loop].moves = motion != NULL;
    const unsigned forces = work->has & LB_HAS_CLOSED ? LB_HAS_FORCES : 0u;
    work->has &= ~(LB_HAS_CLOSED | LB_HAS_DRIVES | forces);
    return LB_OK;
}

lb_status lb_set_hinge_locked(const lb_model *model, lb_work *work, int body, bool locked)
{
    if (body < 0 || body >= model->body_count) {
        return LB_E_ARGUMENT;
    }
    unsigned char *flag = &work->locked[model->infos[body].sweep];
    work->locked_count += locked - *flag;
    *flag = locked;
    lb_forget_loops(work);
    return LB_OK;
}

bool lb_is_hinge_locked(const lb_model *model, const lb_work *work, int body)
{
    return work->locked[model->infos[body].sweep];
}

lb_status lb_set_hinge_driven(const lb_model *model, lb_work *work, int body, bool driven)
{
    if (body < 0 || body >= model->body_count) {
        return LB_E_ARGUMENT;
    }
    work->driven_count += driven - work->driven[body];
    work->driven[body] = driven;
    lb_forget_loops(work);
    return LB_OK;
}

bool lb_is_hinge_driven(const lb_work *work, int body)
{
    return work->driven[body];
}
