// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Hinges that controllers take along motions that repeat themselves.
#include "control/control.h"
#include "linear/linear.h"
#include "model/layout.h"
#include "simulate/signals/functions.h"

// The desired motion of a speed; NULL if nobody commands it.
static const lb_desired *find_desired(const lb_simulation *sim, int v)
{
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < c->sample.channel_count; ++j) {
            if (c->channels[j].v == v && c->channels[j].desired.given) {
                return &c->channels[j].desired;
            }
        }
    }
    return NULL;
}

static bool is_independent(const lb_operating_point *point, int v, int count)
{
    int found = 0;
    for (int i = 0; i < point->freedom.free_count; ++i) {
        const int entry = point->coordinates[point->freedom.free[i]];
        found += entry >= v && entry < v + count;
    }
    return found == count;
}

lb_status lb_find_commanded(const lb_simulation *sim, lb_arena *arena, lb_operating_point *point)
{
    const lb_model *model = sim->system.model;
    point->commanded =
        lb_arena_take(arena, (size_t)sim->system.v_count + 1, sizeof *point->commanded);
    point->is_commanded = lb_arena_take(arena, (size_t)sim->system.body_count, 1);
    for (int k = 0; point->commanded && point->is_commanded && k < sim->system.body_count; ++k) {
        const int count = lb_get_hinge(model, k).v_count, modes = lb_get_mode_count(model, k);
        const int q = lb_get_q_offset(model, k) + modes, v = lb_get_v_offset(model, k) + modes;
        bool repeats = false;
        int given = 0;
        for (; given < count && find_desired(sim, v + given); ++given) {
            const lb_desired *desired = find_desired(sim, v + given);
            point->commanded[point->commanded_count + given] =
                (lb_commanded){q + given, v + given, desired};
            repeats = repeats || lb_repeats_itself(&desired->function);
        }
        // a hinge of which a part is free, or that a loop leads, goes its own way
        point->is_commanded[k] = repeats && given == count && !point->held[k] &&
                                 !point->guided[k] && lb_get_hinge(model, k).q_count == count &&
                                 is_independent(point, v, count);
        point->commanded_count += point->is_commanded[k] ? count : 0;
    }
    return point->commanded && point->is_commanded ? LB_OK : LB_E_MEMORY;
}

void lb_follow_commands(lb_operating_point *point)
{
    for (int i = 0; i < point->commanded_count; ++i) {
        const lb_commanded *to = &point->commanded[i];
        double x[3];
        lb_evaluate_desired(to->desired, point->t, x);
        point->q[to->q] = x[0];
        point->v[to->v] = x[1];
        point->a[to->v] = x[2];
    }
}
