// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one after the other: what a run changes is copied before the first, and brought back before the next.
#include <stdint.h>
#include <string.h>

#include "simulate/forces/forces.h"
#include "simulate/system/closure.h"
#include "simulation.h"

// All that a run switches, or that remembers it, and lies in one piece. Returns how much that is.
static size_t copy_pieces(const lb_simulation *sim, unsigned char *kept, bool back)
{
    const lb_system *s = &sim->system;
    const lb_closure *c = s->closure;
    const size_t loops = c ? (size_t)lb_get_loop_count(s->model) : 0;
    const struct {
        void *now;
        size_t size;
    } pieces[] = {
        {s->forces->forces, (size_t)s->forces->count * sizeof *s->forces->forces},
        {sim->events, (size_t)sim->event_count * sizeof *sim->events},
        {sim->sticks, (size_t)sim->stick_count * sizeof *sim->sticks},
        {sim->watched, (size_t)sim->watched_count * sizeof *sim->watched},
        {s->locked, (size_t)s->body_count},
        {c ? c->moved : NULL, loops},
        {c ? c->defined : NULL, loops * sizeof(lb_loop_ends)},
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        if (kept && pieces[i].size > 0) {
            memcpy(back ? pieces[i].now : kept + used, back ? kept + used : pieces[i].now,
                   pieces[i].size);
        }
        used += pieces[i].size;
    }
    return used;
}

// Behind the pieces: what each loop joins, and whether it holds.
typedef struct lb_loop_at_start {
    lb_loop_ends ends;
    int holds;
} lb_loop_at_start;

static lb_loop_at_start *find_loops(const lb_simulation *sim)
{
    const size_t unit = _Alignof(max_align_t), used = copy_pieces(sim, NULL, false);
    return (lb_loop_at_start *)(void *)((unsigned char *)sim->at_start +
                                        (used + unit - 1) / unit * unit);
}

lb_status lb_keep_start(lb_simulation *sim)
{
    const lb_system *s = &sim->system;
    const int loop_count = s->closure ? lb_get_loop_count(s->model) : 0;
    const size_t room = copy_pieces(sim, NULL, false) + _Alignof(max_align_t) +
                        (size_t)loop_count * sizeof(lb_loop_at_start);
    sim->at_start = lb_arena_take(&sim->arena, room, 1);
    if (!sim->at_start) {
        return LB_E_MEMORY;
    }
    copy_pieces(sim, sim->at_start, false);
    lb_loop_at_start *loops = find_loops(sim);
    for (int l = 0; l < loop_count; ++l) {
        loops[l].ends.size = sizeof loops[l].ends;
        (void)lb_get_loop_ends(s->model, s->work, l, &loops[l].ends);
        loops[l].holds = lb_is_loop_active(s->work, l);
    }
    return LB_OK;
}

static lb_status bring_back_loops(lb_simulation *sim)
{
    const lb_system *s = &sim->system;
    lb_closure *c = s->closure;
    const lb_loop_at_start *loops = find_loops(sim);
    lb_work *const works[2] = {s->work, c->gauge};
    lb_status status = LB_OK;
    for (int l = 0; l < lb_get_loop_count(s->model); ++l) {
        for (int i = 0; status >= 0 && i < 2; ++i) {
            status = lb_set_loop_active(s->model, works[i], l, 0);
            status = status < 0 ? status : lb_alter_loop(s->model, works[i], l, &loops[l].ends);
            status =
                status < 0 ? status : lb_set_loop_active(s->model, works[i], l, loops[l].holds);
        }
    }
    c->singular = (lb_singular){0};
    c->is_placed = c->is_open = false;
    return status;
}

lb_status lb_bring_back_start(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    lb_flow *flow = &sim->flow;
    lb_release_sticks(sim);
    lb_hold_sides(sim, false);
    copy_pieces(sim, sim->at_start, true);
    s->locked_count = 0;
    for (int k = 0; k < s->body_count; ++k) {
        s->locked_count += s->locked[k] != 0;
    }
    memset(flow->spent, 0, (size_t)flow->event_count);
    memset(flow->sides, 0, (size_t)flow->event_count);
    flow->quaternion_error = 0.0;
    flow->is_work_loose = flow->is_leaping = flow->is_interrupted = false;
    s->piece_time = -INFINITY;
    s->evaluation_count = s->jacobian_count = s->fallback_count = 0;
    s->redundant = s->indefinite = s->called_off = false;
    s->failure = LB_OK;
    s->message[0] = sim->event_names[0] = '\0';
    sim->were_struck = false;
    sim->stick_events = sim->events_met = sim->drift_restarts = 0;
    sim->deformation = sim->closure_error = sim->closure_speed_error = 0.0;
    sim->crowded_events = sim->complete = 0;
    return s->closure ? bring_back_loops(sim) : LB_OK;
}
