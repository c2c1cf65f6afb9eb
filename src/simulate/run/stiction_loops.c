// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Friction that sticks in models with loops. Several hinges may hold the same motion, and what each of them
// does is then not determined; the motion is.
//
// With u_i = f_i / F_i the friction of the hinges at rest as a part of what it can be, and
// G = F da/df F of them, u solves                                                        (STK-3)
//
//     minimize  1/2 u' G u + u' F a_0,   -1 <= u_i <= 1
//
// for then F a = G u + F a_0 is zero where u is inside, and has the opposite sign of u at a bound. A small
// multiple of u'u makes u unique: friction is shared evenly.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "limber/dynamics.h"
#include "simulation.h"

// Of the largest entry of G: what is added to its diagonal.
static const double sharing = 1e-8;
// What is zero up to round-off: of the admittance of a hinge by itself, and of its friction.
static const double dependent = 1e-10, resting = 1e-9;

lb_status lb_take_stick_room(lb_simulation *sim)
{
    lb_stick_room *room = &sim->stick_room;
    const size_t n = (size_t)sim->stick_count;
    room->G = lb_take_numbers(&sim->arena, n * n);
    room->S = lb_take_numbers(&sim->arena, n * n);
    room->a = lb_take_numbers(&sim->arena, n);
    room->u = lb_take_numbers(&sim->arena, n);
    room->inertia = lb_take_numbers(&sim->arena, n);
    room->row = lb_take_numbers(&sim->arena, n);
    room->list = lb_arena_take(&sim->arena, n, sizeof *room->list);
    room->pivot = lb_arena_take(&sim->arena, n, sizeof *room->pivot);
    room->bound = lb_arena_take(&sim->arena, n, 1);
    return room->G && room->S && room->a && room->u && room->inertia && room->row && room->list &&
                   room->pivot && room->bound
               ? LB_OK
               : LB_E_MEMORY;
}

// ---- the equations -------------------------------------------------------------------------------

// The inertia of the motion of one hinge alone, from the energy of a unit speed.
static lb_status find_inertia(lb_simulation *sim, int index)
{
    lb_system *s = &sim->system;
    double energy = 0.0;
    memset(s->v, 0, (size_t)s->v_count * sizeof *s->v);
    s->v[sim->sticks[index].v] = 1.0;
    lb_status status = lb_compute_kinematics(s->model, s->work, s->q, s->v, NULL);
    status = status < 0 ? status : lb_compute_energy(s->model, s->work, &energy, NULL);
    sim->stick_room.inertia[index] = 2.0 * energy;
    if (energy > 0.0) {
        sim->stick_room.scale =
            fmax(sim->stick_room.scale, 0.5 * sim->sticks[index].limit / energy);
    }
    return status;
}

// G and F a_0: the friction of one hinge at rest after the other.
static lb_status form(lb_simulation *sim, double t, const double *y)
{
    lb_stick_room *room = &sim->stick_room;
    const int n = sim->stick_count;
    for (int i = 0; i < n; ++i) {
        if (sim->sticks[i].at_rest) {
            lb_set_stick(sim, &sim->sticks[i], LB_STICK_PINNED, 0, 0.0);
        }
    }
    lb_status status = lb_evaluate_sticks(sim, t, y);
    for (int i = 0; i < n; ++i) {
        const lb_stick *stick = &sim->sticks[i];
        room->a[i] = stick->limit * sim->system.a[stick->v];
    }
    for (int j = 0; status >= 0 && j < n; ++j) {
        lb_stick *stick = &sim->sticks[j];
        if (!stick->at_rest) {
            continue;
        }
        stick->pinned = stick->limit;
        status = lb_evaluate_sticks(sim, t, y);
        stick->pinned = 0.0;
        for (int i = 0; i < n; ++i) {
            const lb_stick *other = &sim->sticks[i];
            room->G[i * n + j] = other->limit * sim->system.a[other->v] - room->a[i];
        }
        status = status < 0 ? status : find_inertia(sim, j);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            const double mean = 0.5 * (room->G[i * n + j] + room->G[j * n + i]);
            room->G[i * n + j] = room->G[j * n + i] = mean;
        }
    }
    return status;
}

// F_i a_i with the present u.
static double get_push(const lb_simulation *sim, int i)
{
    const lb_stick_room *room = &sim->stick_room;
    double push = room->a[i];
    for (int j = 0; j < sim->stick_count; ++j) {
        push += sim->sticks[j].at_rest ? room->G[i * sim->stick_count + j] * room->u[j] : 0.0;
    }
    return push;
}

// u of those inside, the others at their bounds.
static bool solve_inside(lb_simulation *sim, double share)
{
    lb_stick_room *room = &sim->stick_room;
    const int n = sim->stick_count;
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (sim->sticks[i].at_rest && room->bound[i] == 0) {
            room->u[i] = 0.0;
            room->list[count++] = i;
        }
    }
    for (int r = 0; r < count; ++r) {
        for (int c = 0; c < count; ++c) {
            room->S[r * count + c] =
                room->G[room->list[r] * n + room->list[c]] + (r == c ? share : 0.0);
        }
        room->row[r] = -get_push(sim, room->list[r]);
    }
    if (count > 0 && !lb_factor_lu(count, room->S, room->pivot)) {
        return false;
    }
    lb_solve_lu(count, room->S, room->pivot, room->row);
    for (int r = 0; r < count; ++r) {
        room->u[room->list[r]] = room->row[r];
    }
    return true;
}

// Puts the one that is furthest outside at its bound, or else takes one inside that is drawn there.
static bool change_bound(lb_simulation *sim, double share, bool may_enter)
{
    lb_stick_room *room = &sim->stick_room;
    int worst = -1;
    for (int i = 0; i < sim->stick_count; ++i) {
        if (sim->sticks[i].at_rest && room->bound[i] == 0 && fabs(room->u[i]) > 1.0 &&
            (worst < 0 || fabs(room->u[i]) > fabs(room->u[worst]))) {
            worst = i;
        }
    }
    if (worst >= 0) {
        room->bound[worst] = room->u[worst] > 0.0 ? 1 : -1;
        room->u[worst] = room->bound[worst];
        return true;
    }
    for (int i = 0; may_enter && i < sim->stick_count; ++i) {
        if (sim->sticks[i].at_rest && abs(room->bound[i]) == 1 &&
            room->bound[i] * (get_push(sim, i) + share * room->u[i]) > 0.0) {
            room->bound[i] = 0;
            return true;
        }
    }
    return false;
}

// Minimizes; hinges that slip already keep their friction.
static lb_status minimize(lb_simulation *sim)
{
    lb_stick_room *room = &sim->stick_room;
    const int n = sim->stick_count;
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        if (sim->sticks[i].at_rest) {
            room->bound[i] = abs(room->bound[i]) == 2 ? room->bound[i] : 0;
            largest = fmax(largest, room->G[i * n + i]);
        }
    }
    const double share = largest > 0.0 ? sharing * largest : 1.0;
    bool changed = true;
    for (int i = 0; changed; ++i) {
        if (!solve_inside(sim, share)) {
            return LB_E_SINGULAR;
        }
        changed = change_bound(sim, share, i < 2 * n + 4);
    }
    return LB_OK;
}

// ---- what follows --------------------------------------------------------------------------------

// What is left of G_ii when the hinges in `list` are held: their factors are L, row by row.
static double reduce(const lb_stick_room *room, int n, int i, int count, double *row)
{
    double left = room->G[i * n + i];
    for (int r = 0; r < count; ++r) {
        row[r] = room->G[i * n + room->list[r]];
        for (int c = 0; c < r; ++c) {
            row[r] -= room->S[r * n + c] * row[c];
        }
        row[r] /= room->S[r * n + r];
        left -= row[r] * row[r];
    }
    return left;
}

// Whether a hinge can still move by more than round-off.
static bool can_move(const lb_simulation *sim, int i, double left)
{
    const lb_stick *stick = &sim->sticks[i];
    return left * sim->stick_room.inertia[i] > dependent * stick->limit * stick->limit;
}

// Those inside hold as far as they are independent. Gives how many do.
static int hold_inside(lb_simulation *sim)
{
    lb_stick_room *room = &sim->stick_room;
    const int n = sim->stick_count;
    int held = 0;
    for (int i = 0; i < n; ++i) {
        lb_stick *stick = &sim->sticks[i];
        if (!stick->at_rest) {
            continue;
        }
        lb_set_stick(sim, stick, LB_STICK_PINNED, 0, room->u[i] * stick->limit);
        if (room->bound[i] == 0) {
            double *row = room->S + (ptrdiff_t)held * n;
            const double left = reduce(room, n, i, held, row);
            if (can_move(sim, i, left)) {
                row[held] = sqrt(left);
                room->list[held++] = i;
                lb_set_stick(sim, stick, LB_STICK_HOLDS, 0, 0.0);
            }
        }
    }
    return held;
}

// Those at their bounds slip if they can move, or are moved. Gives whether others than before do.
static lb_status let_slip(lb_simulation *sim, double t, const double *y, bool *changed)
{
    lb_stick_room *room = &sim->stick_room;
    const int n = sim->stick_count, held = hold_inside(sim);
    const lb_status status = lb_evaluate_sticks(sim, t, y);
    for (int i = 0; status >= 0 && i < n; ++i) {
        lb_stick *stick = &sim->sticks[i];
        if (!stick->at_rest || room->bound[i] == 0) {
            continue;
        }
        const double push = fabs(sim->system.a[stick->v]) * room->inertia[i];
        const double left = reduce(room, n, i, held, room->row);
        if (can_move(sim, i, left) || push > resting * stick->limit) {
            *changed = *changed || abs(room->bound[i]) == 1;
            room->bound[i] = room->bound[i] > 0 ? 2 : -2;
            lb_set_stick(sim, stick, LB_STICK_SLIPS, room->bound[i] > 0 ? -1 : 1, 0.0);
        }
    }
    return status;
}

// While hinges slip, friction is what it is then, which may be less than what held them.
static void set_sliding(lb_simulation *sim)
{
    lb_stick_room *room = &sim->stick_room;
    for (int i = 0; i < sim->stick_count; ++i) {
        const lb_stick *stick = &sim->sticks[i];
        if (stick->at_rest && abs(room->bound[i]) == 2) {
            room->u[i] = (room->bound[i] > 0 ? 1.0 : -1.0) * (stick->sliding / stick->limit);
        }
    }
}

lb_status lb_decide_closed(lb_simulation *sim, double t, const double *y, const int *found)
{
    lb_stick_room *room = &sim->stick_room;
    memset(room->bound, 0, (size_t)sim->stick_count);
    memset(room->u, 0, (size_t)sim->stick_count * sizeof *room->u);
    room->scale = 0.0;
    lb_status status = form(sim, t, y);
    bool changed = true;
    for (int i = 0; status >= 0 && changed && i <= sim->stick_count; ++i) {
        set_sliding(sim);
        changed = false;
        status = minimize(sim);
        status = status < 0 ? status : let_slip(sim, t, y, &changed);
        if (status < 0 || changed) {
            continue;
        }
        // what the dynamics says exactly
        double hold = 0.0;
        status = lb_evaluate_sticks(sim, t, y);
        const int weakest = status < 0 ? -1 : lb_find_weakest(sim, found, &hold);
        if (weakest >= 0) {
            room->bound[weakest] = hold > 0.0 ? 2 : -2;
            changed = true;
        }
    }
    return status;
}
