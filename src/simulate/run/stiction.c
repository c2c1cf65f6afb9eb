// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction that sticks. A hinge that it holds is locked, and the dynamics finds the force that this takes;
// where it slips, friction is constant. What changes is an event.
#include "stiction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "limber/dynamics.h"
#include "limber/loops.h"
#include "simulate/forces/forces.h"
#include "simulate/record/record.h"
#include "simulate/system/closure.h"
#include "simulate/system/held_speeds.h"

// A hinge lets go where the force exceeds what holds it by this part, so that it then gains speed by more
// than round-off.
static const double margin = 1e-12;
// What passes for round-off: of the largest speed after an impulse; of the speed that a hinge had when others
// land; and in loops, of the largest acceleration or that which friction by itself would give.
static const double speed_noise = 1e-14, landing_noise = 1e-10, conflict_noise = 1e-10;
// Of the largest speed: below it, a hinge in a loop is at rest.
static const double pinned_noise = 1e-8;

// ---- setting up ----------------------------------------------------------------------------------

static bool has_stiction(const lb_force *force)
{
    return force->type == LB_FORCE_FRICTION && force->sticks;
}

// The hinge of an entry of v among those with friction; -1 if it is none of them.
static int find_stick(const lb_simulation *sim, int entry)
{
    for (int i = 0; i < sim->stick_count; ++i) {
        if (sim->sticks[i].v == entry) {
            return i;
        }
    }
    return -1;
}

lb_status lb_take_sticks(lb_simulation *sim)
{
    const lb_system *s = &sim->system;
    int count = 0, partial = 0;
    for (int i = 0; i < s->force_count; ++i) {
        count += has_stiction(&s->forces->forces[i]);
    }
    sim->sticks = lb_arena_take(&sim->arena, (size_t)count, sizeof *sim->sticks);
    sim->stick_of = lb_arena_take(&sim->arena, (size_t)s->force_count, sizeof *sim->stick_of);
    sim->stuck_at_point = lb_arena_take(&sim->arena, (size_t)s->v_count, 1);
    if (!sim->sticks || !sim->stick_of || !sim->stuck_at_point) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < s->force_count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        sim->stick_of[i] = -1;
        if (!has_stiction(force)) {
            continue;
        }
        int at = find_stick(sim, force->v);
        if (at < 0) {
            at = sim->stick_count++;
            const bool is_whole = lb_get_hinge(s->model, force->body).v_count == 1;
            partial += !is_whole;
            sim->sticks[at] = (lb_stick){
                .body = force->body, .v = force->v, .is_whole = is_whole, .name = force->name};
        }
        sim->stick_of[i] = at;
    }
    const lb_status status = partial > 0 ? lb_take_held_speeds(&sim->system, partial) : LB_OK;
    return status < 0 || !s->closure || count == 0 ? status : lb_take_stick_room(sim);
}

// ---- states --------------------------------------------------------------------------------------

static void hold(lb_simulation *sim, const lb_stick *stick, bool on)
{
    if (stick->is_whole) {
        lb_lock_hinge(&sim->system, stick->body, LB_LOCKED_BY_FRICTION, on);
    } else {
        lb_hold_speed(&sim->system, stick->v, stick->limit, on);
    }
}

void lb_set_stick(lb_simulation *sim, lb_stick *stick, lb_stick_state state, int slip,
                  double pinned)
{
    stick->state = state;
    stick->slip = slip;
    stick->pinned = pinned;
    hold(sim, stick, state == LB_STICK_HOLDS);
}

// Lets the elements know.
static void tell_forces(lb_simulation *sim)
{
    lb_forces *forces = sim->system.forces;
    for (int i = 0; i < forces->count; ++i) {
        if (sim->stick_of[i] >= 0) {
            lb_force *force = &forces->forces[i];
            const lb_stick *stick = &sim->sticks[sim->stick_of[i]];
            force->is_decided = stick->state != LB_STICK_NONE;
            force->dry = stick->state == LB_STICK_PINNED
                             ? stick->pinned * (force->breakaway / stick->limit)
                             : -stick->slip * force->coulomb;
        }
    }
}

lb_status lb_evaluate_sticks(lb_simulation *sim, double t, const double *y)
{
    tell_forces(sim);
    return lb_evaluate_system(&sim->system, t, y, NULL);
}

void lb_release_sticks(lb_simulation *sim)
{
    for (int i = 0; i < sim->stick_count; ++i) {
        hold(sim, &sim->sticks[i], false);
    }
    sim->were_struck = true;
}

// What each hinge holds at present.
static void find_limits(lb_simulation *sim)
{
    const lb_forces *forces = sim->system.forces;
    for (int i = 0; i < sim->stick_count; ++i) {
        sim->sticks[i].limit = sim->sticks[i].sliding = 0.0;
    }
    for (int i = 0; i < forces->count; ++i) {
        if (sim->stick_of[i] >= 0 && forces->forces[i].enabled) {
            sim->sticks[sim->stick_of[i]].limit += forces->forces[i].breakaway;
            sim->sticks[sim->stick_of[i]].sliding += forces->forces[i].coulomb;
        }
    }
}

// The force by which friction holds a hinge that sticks.
static double get_hold(const lb_system *s, const lb_stick *stick)
{
    return s->tau[stick->v] - s->tau_forces[stick->v];
}

static bool is_sticking(const lb_stick *stick)
{
    return stick->state == LB_STICK_HOLDS || stick->state == LB_STICK_PINNED;
}

// Whether loops contradict the hinges that are held. Needs an evaluation.
static bool is_torn(const lb_simulation *sim)
{
    const lb_system *s = &sim->system;
    int loop;
    return s->closure &&
           lb_get_loop_conflict(s->model, s->work, &loop) >
               conflict_noise * fmax(sim->stick_room.scale, lb_find_largest(s->v_count, s->a));
}

// ---- deciding ------------------------------------------------------------------------------------

// Whether a hinge is at rest, given its speed. What was held stays so but for impulses; of a hinge that
// slipped, hardly anything is left of its speed where it lands together with others.
static bool is_at_rest(const lb_simulation *sim, const lb_stick *stick, bool found, double v,
                       double noise)
{
    const double left = fabs(v);
    if (found && stick->state == LB_STICK_PINNED) {
        return false; // it has begun to move
    }
    return v == 0.0 ||
           (is_sticking(stick) ? !sim->were_struck || left <= noise
                               : stick->state == LB_STICK_SLIPS &&
                                     ((found && stick->slip * v <= 0.0 && !sim->were_struck) ||
                                      left <= landing_noise * stick->peak));
}

// Which hinges are at rest; the others slip as their speeds say.
static int find_rest(lb_simulation *sim, double *y, const int *found)
{
    const lb_system *s = &sim->system;
    double *v = y + s->q_count;
    const double noise = speed_noise * lb_find_largest(s->v_count, v);
    int count = 0;
    find_limits(sim);
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        const bool is_held = (s->locked[stick->body] & ~LB_LOCKED_BY_FRICTION) ||
                             lb_find_motion(s, stick->body) >= 0;
        stick->at_rest = false;
        if (stick->limit == 0.0 || is_held) {
            lb_set_stick(sim, stick, LB_STICK_NONE, 0, 0.0);
            continue;
        }
        stick->at_rest = is_at_rest(sim, stick, found && found[i], v[stick->v], noise);
        if (stick->at_rest) {
            v[stick->v] = stick->peak = 0.0;
            lb_set_stick(sim, stick, LB_STICK_HOLDS, 0, 0.0);
            ++count;
        } else {
            lb_set_stick(sim, stick, LB_STICK_SLIPS, v[stick->v] > 0.0 ? 1 : -1, 0.0);
        }
    }
    sim->were_struck = false;
    return count;
}

int lb_find_weakest(const lb_simulation *sim, const int *found, double *hold)
{
    int weakest = -1;
    double most = 0.0;
    for (int i = 0; i < sim->stick_count; ++i) {
        const lb_stick *stick = &sim->sticks[i];
        if (!stick->at_rest || stick->state != LB_STICK_HOLDS) {
            continue;
        }
        const double force = get_hold(&sim->system, stick);
        const double excess = fabs(force) / stick->limit - 1.0;
        if (excess > (found && found[i] ? 0.0 : margin) && (weakest < 0 || excess > most)) {
            weakest = i;
            most = excess;
            *hold = force;
        }
    }
    return weakest;
}

// Lets go the hinge whose friction is exceeded most; false if there is none.
static bool let_go(lb_simulation *sim, const int *found)
{
    double hold = 0.0;
    const int weakest = lb_find_weakest(sim, found, &hold);
    if (weakest >= 0) {
        lb_set_stick(sim, &sim->sticks[weakest], LB_STICK_SLIPS, hold > 0.0 ? -1 : 1, 0.0);
    }
    return weakest >= 0;
}

// Holds the first hinge that would move against the way it was let go; false if there is none.
static bool hold_back(lb_simulation *sim)
{
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        if (stick->at_rest && stick->state == LB_STICK_SLIPS &&
            stick->slip * sim->system.a[stick->v] < 0.0) {
            lb_set_stick(sim, stick, LB_STICK_HOLDS, 0, 0.0);
            return true;
        }
    }
    return false;
}

// Sticking and slipping of all hinges together                                          (STK-2)
//
//     sticks   a = 0,  |f| <= f_s              slips by s = +1 or -1   f = -s f_c,  s a >= 0 at v = 0
//
// All hinges at rest are held first; the one that exceeds its friction most is let go, and one that then
// would move against that is held again, until all agree. The number of changes is bounded: after twice
// the number of hinges none is held again.
static lb_status decide(lb_simulation *sim, double t, double *y, const int *found)
{
    const int count = find_rest(sim, y, found);
    const int patience = 2 * count + 4;
    lb_status status = LB_OK;
    if (count > 0 && sim->system.closure) {
        status = lb_decide_closed(sim, t, y, found);
    } else {
        bool changed = count > 0;
        for (int i = 0; status >= 0 && changed; ++i) {
            status = lb_evaluate_sticks(sim, t, y);
            changed = status >= 0 && (let_go(sim, found) || (i < patience && hold_back(sim)));
        }
    }
    tell_forces(sim);
    return status;
}

lb_status lb_decide_sticks(lb_simulation *sim, bool with_found)
{
    if (sim->stick_count == 0) {
        return LB_OK;
    }
    const int *found = with_found ? sim->flow.found + sim->event_count : NULL;
    const lb_status status = decide(sim, sim->flow.t, sim->flow.y, found);
    return status < 0 ? status : lb_project_step(&sim->system, sim->flow.t, sim->flow.y);
}

// ---- elsewhere -----------------------------------------------------------------------------------

// Locks what is held by something else, or lets it go.
static void hold_others(lb_simulation *sim, const unsigned char *held, bool on)
{
    for (int k = 0; k < sim->system.body_count; ++k) {
        if (held[k]) {
            lb_lock_hinge(&sim->system, k, LB_LOCKED_BY_CALLER, on);
        }
    }
}

lb_status lb_find_sticks(lb_simulation *sim, double t, const double *q, const double *v,
                         const unsigned char *held, lb_sticks_found *found)
{
    lb_system *s = &sim->system;
    double *y = sim->last_y;
    const bool were_struck = sim->were_struck;
    memset(sim->stuck_at_point, 0, (size_t)s->v_count);
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        stick->kept_state = stick->state;
        stick->kept_slip = stick->slip;
        stick->kept_pinned = stick->pinned;
        stick->kept_peak = stick->peak;
        // as if it had never been decided
        stick->state = LB_STICK_NONE;
    }
    memset(y, 0, (size_t)s->y_count * sizeof *y);
    memcpy(y, q, (size_t)s->q_count * sizeof *y);
    memcpy(y + s->q_count, v, (size_t)s->v_count * sizeof *y);
    hold_others(sim, held, true);
    lb_status status = decide(sim, t, y, NULL);
    status = status < 0 ? status : lb_evaluate_sticks(sim, t, y);
    hold_others(sim, held, false);
    memcpy(found->a, s->a, (size_t)s->v_count * sizeof *s->a);
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        if (status >= 0 && is_sticking(stick)) {
            sim->stuck_at_point[stick->v] = 1;
            ++*(stick->is_whole ? &found->hinge_count : &found->speed_count);
            (stick->is_whole ? found->hinges
                             : found->speeds)[stick->is_whole ? stick->body : stick->v] = 1;
        }
        found->lets_go = found->lets_go || (stick->at_rest && stick->state == LB_STICK_SLIPS);
        lb_set_stick(sim, stick, stick->kept_state, stick->kept_slip, stick->kept_pinned);
        stick->peak = stick->kept_peak;
    }
    tell_forces(sim);
    sim->were_struck = were_struck;
    return status;
}

// ---- events --------------------------------------------------------------------------------------

lb_signal_stage lb_get_stick_stage(const lb_simulation *sim)
{
    lb_signal_stage stage = sim->stick_count > 0 ? LB_SIGNAL_STATE : LB_SIGNAL_TIME;
    for (int i = 0; i < sim->stick_count; ++i) {
        stage = sim->sticks[i].state == LB_STICK_HOLDS ? LB_SIGNAL_ACCELERATION : stage;
    }
    return stage;
}

// Up to which speed a hinge that is pinned passes for one at rest. What projections leave of speeds is far
// below what they were; and in a dead point of a mechanism it moves with the square of the time at first.
static double get_pinned_speed(const lb_simulation *sim)
{
    double peak = 0.0;
    for (int i = 0; i < sim->stick_count; ++i) {
        peak = fmax(peak, sim->sticks[i].peak);
    }
    return pinned_noise * lb_find_largest(sim->system.v_count, sim->system.v) + 1e-20 * peak +
           LB_LEAST_LEVEL;
}

void lb_compute_stick_levels(lb_simulation *sim, double *levels)
{
    const lb_system *s = &sim->system;
    const bool torn = lb_get_stick_stage(sim) == LB_SIGNAL_ACCELERATION && is_torn(sim);
    const double pinned_speed = s->closure ? get_pinned_speed(sim) : 0.0;
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        const double v = s->v[stick->v];
        switch (stick->state) {
        case LB_STICK_SLIPS:
            stick->peak = fmax(stick->peak, fabs(v));
            levels[i] = stick->slip * v + LB_LEAST_LEVEL;
            break;
        case LB_STICK_HOLDS:
            levels[i] = torn ? -1.0 : 1.0 + margin - fabs(get_hold(s, stick)) / stick->limit;
            break;
        case LB_STICK_PINNED:
            levels[i] = pinned_speed - fabs(v);
            break;
        default:
            levels[i] = 1.0;
            break;
        }
    }
}

void lb_start_sticks(lb_simulation *sim)
{
    for (int i = 0; i < sim->stick_count; ++i) {
        sim->sticks[i].was_sticking = is_sticking(&sim->sticks[i]);
    }
}

void lb_announce_sticks(lb_simulation *sim, bool at_event)
{
    size_t used = strlen(sim->event_names);
    for (int i = 0; i < sim->stick_count; ++i) {
        lb_stick *stick = &sim->sticks[i];
        const bool sticks = is_sticking(stick);
        const bool changed = sticks != stick->was_sticking && stick->state != LB_STICK_NONE;
        stick->was_sticking = sticks;
        sim->stick_events += changed;
        if (changed && sim->recorder) {
            lb_record_stick(sim, sim->recorder, i);
        }
        if (at_event && (changed || sim->flow.found[sim->event_count + i])) {
            const int length = snprintf(sim->event_names + used, sizeof sim->event_names - used,
                                        "%s%s %s", used > 0 ? ", " : "", stick->name,
                                        changed && sticks ? "sticks"
                                        : changed         ? "slips"
                                                          : "turns back");
            used += (size_t)length < sizeof sim->event_names - used ? (size_t)length : 0;
        }
    }
}

// ---- for the caller ------------------------------------------------------------------------------

bool lb_is_speed_stuck(const lb_simulation *sim, int speed)
{
    if (sim->stage != LB_STAGE_RUNNING) {
        return sim->stuck_at_point && sim->stuck_at_point[speed];
    }
    const int at = find_stick(sim, speed);
    return at >= 0 && is_sticking(&sim->sticks[at]);
}

double lb_get_friction_force(const lb_simulation *sim, int force)
{
    const lb_system *s = &sim->system;
    const lb_force *f = &s->forces->forces[force];
    if (sim->stage != LB_STAGE_RUNNING || f->type != LB_FORCE_FRICTION || !f->enabled) {
        return 0.0;
    }
    const int at = sim->stick_of[force];
    if (at >= 0 && sim->sticks[at].state == LB_STICK_HOLDS) {
        return get_hold(s, &sim->sticks[at]) * (f->breakaway / sim->sticks[at].limit);
    }
    return lb_get_friction(f, s->v[f->v]);
}
