// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions that jump or have kinks where the state passes something.
#include "sides.h"

#include <math.h>
#include <stdio.h>

#include "simulate/forces/forces.h"
#include "simulate/system/system.h"
#include "simulation.h"

// ---- finding them --------------------------------------------------------------------------------

static const lb_expression *get_named(const lb_signal *signal)
{
    return signal->kind == LB_SIGNAL_NAMED ? lb_get_named_expression(signal->named, signal->index)
                                           : NULL;
}

static lb_watched *find(const lb_simulation *sim, const lb_switch *place)
{
    for (int i = 0; i < sim->watched_count; ++i) {
        if (sim->watched[i].place == place) {
            return &sim->watched[i];
        }
    }
    return NULL;
}

// Those of an expression, after those of the signals that it reads: it is decided after them.
static lb_status add(lb_simulation *sim, const lb_expression *e, const char *name)
{
    if (!e || e->stage == LB_SIGNAL_TIME) {
        return LB_OK;
    }
    // one of several that read the same signal
    if (e->switch_count > 0 && find(sim, &e->switches[e->switch_count - 1])) {
        return LB_OK;
    }
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < e->signal_count; ++i) {
        status = add(sim, get_named(&e->signals[i]), name);
    }
    for (int i = 0; status >= 0 && i < e->switch_count; ++i) {
        if (e->switches[i].stage == LB_SIGNAL_TIME || find(sim, &e->switches[i])) {
            continue;
        }
        lb_watched *watched = lb_arena_grow(&sim->arena, sim->watched, sim->watched_count,
                                            &sim->watched_capacity, sizeof *watched);
        if (!watched) {
            return LB_E_MEMORY;
        }
        sim->watched = watched;
        watched[sim->watched_count++] = (lb_watched){
            .expression = e, .place = &e->switches[i], .name = name, .side = LB_SIDE_FREE};
    }
    return status;
}

lb_status lb_take_sides(lb_simulation *sim)
{
    const lb_forces *forces = sim->system.forces;
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0; status >= 0 && j < force->function_count; ++j) {
            status = add(sim, force->functions[j].expressions[0], force->name);
        }
    }
    for (int i = 0; status >= 0 && i < sim->event_count; ++i) {
        const lb_event *event = &sim->events[i];
        status = event->level ? LB_OK : add(sim, get_named(&event->signal), event->name);
    }
    return status;
}

// ---- which of them count at present ---------------------------------------------------------------

static void mark(lb_simulation *sim, const lb_expression *e)
{
    if (!e || e->stage == LB_SIGNAL_TIME) {
        return;
    }
    for (int i = 0; i < e->switch_count; ++i) {
        lb_watched *watched = find(sim, &e->switches[i]);
        if (watched && watched->is_used) {
            return; // with all that it reads
        }
        if (watched) {
            watched->is_used = true;
        }
    }
    for (int i = 0; i < e->signal_count; ++i) {
        mark(sim, get_named(&e->signals[i]));
    }
}

static void mark_all(lb_simulation *sim)
{
    const lb_forces *forces = sim->system.forces;
    for (int i = 0; i < sim->watched_count; ++i) {
        sim->watched[i].is_used = false;
    }
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            mark(sim, force->functions[j].expressions[0]);
        }
    }
    for (int i = 0; i < sim->event_count; ++i) {
        if (!sim->flow.spent[i] && !sim->events[i].level) {
            mark(sim, get_named(&sim->events[i].signal));
        }
    }
}

static bool is_watched(const lb_watched *watched)
{
    return watched->is_used && !watched->chatters && watched->side != LB_SIDE_FREE;
}

// ---- deciding ------------------------------------------------------------------------------------

void lb_hold_sides(lb_simulation *sim, bool on)
{
    for (int i = 0; i < sim->watched_count; ++i) {
        sim->watched[i].place->side = on ? sim->watched[i].side : LB_SIDE_FREE;
    }
}

lb_status lb_decide_sides(lb_simulation *sim)
{
    lb_system *s = &sim->system;
    if (sim->watched_count == 0 || lb_is_fixed_step(sim->flow.options.integrator)) {
        return LB_OK;
    }
    lb_hold_sides(sim, false);
    mark_all(sim);
    lb_signal_stage stage = LB_SIGNAL_STATE;
    for (int i = 0; i < sim->watched_count; ++i) {
        const lb_watched *watched = &sim->watched[i];
        stage = watched->is_used && watched->place->stage > stage ? watched->place->stage : stage;
    }
    const double t = sim->flow.t;
    lb_status status = stage == LB_SIGNAL_ACCELERATION ? lb_evaluate_system(s, t, sim->flow.y, NULL)
                                                       : lb_place_system(s, t, sim->flow.y);
    const lb_instant instant = lb_make_system_instant(
        s, lb_get_force_time(s, t), s->q, s->v, stage == LB_SIGNAL_ACCELERATION ? s->a : NULL);
    for (int i = 0; status >= 0 && i < sim->watched_count; ++i) {
        lb_watched *watched = &sim->watched[i];
        watched->side = LB_SIDE_FREE;
        if (watched->is_used && !watched->chatters) {
            double x[3] = {0};
            // what fails here fails where it is used, with a message
            if (lb_evaluate_operands(watched->expression, watched->place, &instant, x) == LB_OK) {
                watched->side =
                    lb_find_side(watched->expression->program[watched->place->at].op, x);
            }
        }
        watched->place->side = watched->side;
    }
    return status;
}

// ---- while it runs -------------------------------------------------------------------------------

lb_signal_stage lb_get_side_stage(const lb_simulation *sim)
{
    lb_signal_stage stage = LB_SIGNAL_TIME;
    for (int i = 0; i < sim->watched_count; ++i) {
        const lb_watched *watched = &sim->watched[i];
        stage =
            is_watched(watched) && watched->place->stage > stage ? watched->place->stage : stage;
    }
    return stage;
}

// Sides and where they are left                                                          (JMP-2)
//
//     f(x; side) smooth,   side changes where  g(x; side)  falls through zero
//
// given     the side of each switch, decided where the integrator started last
// computes  g of each. Zero itself belongs to the side, so that one which starts there can be left.
lb_status lb_compute_side_levels(lb_simulation *sim, const lb_instant *instant, double *levels)
{
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < sim->watched_count; ++i) {
        const lb_watched *watched = &sim->watched[i];
        double x[3] = {0};
        levels[i] = 1.0;
        if (is_watched(watched)) {
            status = lb_evaluate_operands(watched->expression, watched->place, instant, x);
            const lb_term_op op = watched->expression->program[watched->place->at].op;
            levels[i] = lb_get_side_level(op, watched->side, x);
            levels[i] = levels[i] == 0.0 ? LB_LEAST_LEVEL : levels[i];
            status = status >= 0 && isnan(levels[i]) ? LB_E_NUMBER : status;
        }
    }
    return status;
}

bool lb_count_sides(lb_simulation *sim)
{
    // so few steps from change to change are no motion, and so many changes no accident
    enum { QUICK = 3, MOST = 10 };
    lb_step_counts counts = {0};
    const int *found = sim->flow.found + sim->event_count + sim->stick_count;
    bool any = false;
    sim->flow.stepper->count(&sim->flow, &counts);
    for (int i = 0;
         i < sim->watched_count && sim->flow.event_count > sim->event_count + sim->stick_count;
         ++i) {
        lb_watched *watched = &sim->watched[i];
        if (!found[i]) {
            continue;
        }
        any = true;
        watched->quick = counts.steps - watched->last_step <= QUICK ? watched->quick + 1 : 0;
        watched->last_step = counts.steps;
        watched->chatters = watched->quick > MOST;
    }
    return any;
}

lb_status lb_explain_sides(lb_simulation *sim, lb_status status)
{
    for (int i = 0; i < sim->watched_count && status == LB_E_STEP; ++i) {
        if (sim->watched[i].chatters) {
            char message[LB_MESSAGE_SIZE];
            snprintf(message, sizeof message, "%s", sim->system.message);
            return lb_say(&sim->system, status,
                          "%s; the expression of '%s' jumps to and fro there: make it continuous, "
                          "as by `tanh`, or use "
                          "`friction` with `breakaway`",
                          message, sim->watched[i].name);
        }
    }
    return status;
}
