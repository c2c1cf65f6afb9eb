// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops in time: putting a state back on its closure constraints.
#include "closure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "limber/loops.h"
#include "model/layout.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"

// A projection that leaves more than this has failed: m or rad, and of the largest speed. What it
// leaves as a rule is round-off.
static const double position_limit = 1e-9, velocity_limit = 1e-6;

// In a singular position a direction is free for a moment; what is off along it, and speeds, are put
// right when it has passed.
static const double singular_position_limit = 1e-6, singular_velocity_limit = 1e-3;

// An output that is no further off stays as it is, bit by bit.
static const double round_off = 1e-13;

lb_status lb_init_closure(lb_system *s)
{
    const int slot_count = lb_get_loop_capacity(s->model);
    if (slot_count == 0) {
        return LB_OK;
    }
    lb_closure *c = lb_arena_take(s->arena, 1, sizeof *c);
    if (!c) {
        return LB_E_MEMORY;
    }
    const size_t n = (size_t)s->v_count, m = 6 * (size_t)slot_count;
    s->closure = c;
    c->slot_count = slot_count;
    const struct {
        double **place;
        size_t count;
    } pieces[] = {{&c->forces, m},   {&c->drive, n},
                  {&c->position, m}, {&c->velocity, m},
                  {&c->dv, n},       {&c->q, (size_t)s->q_count},
                  {&c->zero, n},     {&c->placed_q, (size_t)s->q_count}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        *pieces[i].place = lb_arena_take(s->arena, pieces[i].count, sizeof(double));
        if (!*pieces[i].place) {
            return LB_E_MEMORY;
        }
    }
    const size_t count = (size_t)lb_get_loop_count(s->model);
    c->held = lb_arena_take(s->arena, (size_t)s->body_count, 1);
    c->defined = lb_arena_take(s->arena, count, sizeof *c->defined);
    c->moved = lb_arena_take(s->arena, count, 1);
    c->drives = lb_arena_take(s->arena, count, sizeof *c->drives);
    const size_t work_size = lb_get_work_size(s->model);
    void *memory = lb_arena_take(s->arena, work_size, 1);
    return c->held && c->defined && c->moved && c->drives && memory
               ? lb_init_work(s->model, memory, work_size, &c->gauge)
               : LB_E_MEMORY;
}

lb_status lb_measure_closure(lb_system *s, const double *q, const double *v)
{
    lb_closure *c = s->closure;
    const lb_status status = lb_compute_kinematics(s->model, c->gauge, q, v, NULL);
    const lb_status moved =
        status < 0 ? status : lb_compute_loop_errors(s->model, c->gauge, q, NULL, c->velocity);
    return moved < 0 ? moved : lb_compute_loop_gaps(s->model, c->gauge, q, c->position);
}

double lb_find_worst_loop(const lb_system *s, const double *errors, int *loop)
{
    double worst = -1.0;
    *loop = 0;
    for (int l = 0; l < s->closure->slot_count; ++l) {
        double sum = 0.0;
        for (int i = 0; i < 6; ++i) {
            sum += errors[6 * l + i] * errors[6 * l + i];
        }
        // NaN is the worst
        if (!(sum <= worst)) {
            worst = sum;
            *loop = l;
        }
    }
    return sqrt(worst);
}

void lb_find_held(const lb_system *s, unsigned char *held)
{
    memcpy(held, s->locked, (size_t)s->body_count);
    for (int i = 0; i < s->force_count; ++i) {
        const lb_force *force = &s->forces->forces[i];
        if (force->type == LB_FORCE_MOTION && force->enabled) {
            held[force->body] = 1;
        }
    }
}

// ---- projection ----------------------------------------------------------------------------------

static lb_status say_open(lb_system *s, double t, int loop, double error, bool is_speed)
{
    char *message = s->closure->message;
    snprintf(message, sizeof s->closure->message,
             "loop '%s' cannot be held: it is off by %.3g %s and does not come closer%s",
             lb_get_loop_name(s->model, loop), error, is_speed ? "(m/s, rad/s)" : "(m, rad)",
             lb_has_motion(s->forces) ? "; the motion of driven hinges may contradict it" : "");
    return lb_say(s, LB_E_OPEN, "t = %.9g s: %s", t, message);
}

typedef enum factors { NO_FACTORS, FULL_RANK, SHORT_OF_RANK } factors;

static lb_status factor(lb_system *s, const double *q, factors *state)
{
    if (*state != NO_FACTORS) {
        return LB_OK;
    }
    lb_find_held(s, s->closure->held);
    const lb_status status = lb_factor_loops(s->model, s->work, q, s->closure->held);
    if (status < 0) {
        return status;
    }
    int held_count = 0;
    for (int k = 0; k < s->body_count; ++k) {
        held_count += s->closure->held[k] != 0;
    }
    memcpy(s->closure->placed_q, q, (size_t)s->q_count * sizeof *q);
    s->closure->is_placed = true;
    const bool is_short = lb_note_pivots(&s->closure->singular, s->model, s->work, held_count);
    *state = is_short ? SHORT_OF_RANK : FULL_RANK;
    return status;
}

// Newton's method along the manifold, with the factors of the start                     (PRJ-1)
//
//     q := q (+) dv,   dv = -M^-1 J' (J M^-1 J')^+ e(q)
//
// until e comes no closer to zero. What an integrator leaves is small: once or twice will do. From
// further away factors are made anew where they serve badly.
static lb_status close_positions(lb_system *s, double t, double *q, factors *state)
{
    enum { MOST = 25 };
    lb_closure *c = s->closure;
    int loop = 0;
    lb_status status = lb_measure_closure(s, q, c->zero);
    double error = status < 0 ? 0.0 : lb_find_worst_loop(s, c->position, &loop);
    bool is_short = false;
    for (int i = 0; status >= 0 && error > 0.0 && i < MOST; ++i) {
        const bool fresh = *state == NO_FACTORS;
        status = factor(s, q, state);
        is_short = *state == SHORT_OF_RANK;
        status = status < 0 ? status : lb_solve_loops(s->model, s->work, c->position, c->dv, NULL);
        for (int j = 0; j < s->v_count; ++j) {
            c->dv[j] = -c->dv[j];
        }
        lb_integrate_configuration(s->model, q, c->dv, c->q);
        status = status < 0 ? status : lb_measure_closure(s, c->q, c->zero);
        const double next = status < 0 ? INFINITY : lb_find_worst_loop(s, c->position, &loop);
        status = status == LB_E_NUMBER ? LB_OK : status; // a step that overflows is no better
        const bool better = status >= 0 && next < 0.5 * error;
        const bool slow = !(next < 0.1 * error) && error > round_off;
        if (status < 0 || (!better && (fresh || error <= round_off))) {
            break;
        }
        if (better) {
            memcpy(q, c->q, (size_t)s->q_count * sizeof *q);
            error = next;
        } else {
            status = lb_measure_closure(s, q, c->zero);
        }
        // slow: the factors are of too far away
        *state = slow ? NO_FACTORS : *state;
    }
    const double limit = is_short ? singular_position_limit : position_limit;
    return status < 0 ? status : error <= limit ? LB_OK : say_open(s, t, loop, error, false);
}

// The errors of speeds where positions were measured last.
static lb_status measure_speeds(lb_system *s, const double *q, const double *v)
{
    s->closure->gauge->is_placed = true;
    const lb_status status = lb_measure_closure(s, q, v);
    s->closure->gauge->is_placed = false;
    return status;
}

//     v := v - M^-1 J' (J M^-1 J')^+ (J v - given)                                      (PRJ-2)
//
// once with factors of this place; those that positions were closed with are of nearby, and are made
// anew where they serve badly.
static lb_status close_speeds(lb_system *s, double t, const double *q, double *v, factors *state)
{
    enum { MOST = 12 };
    lb_closure *c = s->closure;
    int loop = 0;
    double largest = 1.0;
    for (int i = 0; i < s->v_count; ++i) {
        largest = fmax(largest, fabs(v[i]));
    }
    lb_status status = lb_measure_closure(s, q, v);
    double error = status < 0 ? 0.0 : lb_find_worst_loop(s, c->velocity, &loop);
    bool is_short = *state == SHORT_OF_RANK;
    for (int i = 0; status >= 0 && error > 0.0 && i < MOST; ++i) {
        const bool fresh = *state == NO_FACTORS, small = error <= round_off * largest;
        status = factor(s, q, state);
        is_short = *state == SHORT_OF_RANK;
        status = status < 0 ? status : lb_solve_loops(s->model, s->work, c->velocity, c->dv, NULL);
        for (int j = 0; j < s->v_count; ++j) {
            c->dv[j] = v[j] - c->dv[j];
        }
        status = status < 0 ? status : measure_speeds(s, q, c->dv);
        const double next = status < 0 ? INFINITY : lb_find_worst_loop(s, c->velocity, &loop);
        status = status == LB_E_NUMBER ? LB_OK : status;
        const bool better = status >= 0 && next < 0.5 * error;
        if (status < 0 || (!better && (fresh || small))) {
            break;
        }
        // slow: the factors are of too far away
        *state = !(next < 0.1 * error) && !small ? NO_FACTORS : *state;
        if (better) {
            memcpy(v, c->dv, (size_t)s->v_count * sizeof *v);
            error = next;
        } else {
            status = measure_speeds(s, q, v);
        }
    }
    const double limit = is_short ? singular_velocity_limit : velocity_limit;
    return status < 0                 ? status
           : error <= limit * largest ? LB_OK
                                      : say_open(s, t, loop, error, true);
}

bool lb_is_placed(const lb_system *s)
{
    const lb_closure *c = s->closure;
    return c && c->is_placed && memcmp(c->placed_q, s->q, (size_t)s->q_count * sizeof *s->q) == 0;
}

lb_status lb_project(lb_system *s, double t, double *q, double *v)
{
    factors state = NO_FACTORS;
    s->closure->is_placed = false;
    lb_status status = lb_set_loop_motions(s, t);
    status = status < 0 ? status : close_positions(s, t, q, &state);
    status = status < 0 || !v ? status : close_speeds(s, t, q, v, &state);
    s->failure = status < 0 ? status : LB_OK;
    return status == LB_E_SINGULAR ? lb_explain_singular(s, t, status) : status;
}

static lb_status compute_whole_energy(lb_system *s, const double *y, double *energy)
{
    double potential = 0.0;
    lb_status status = lb_compute_kinematics(s->model, s->work, y, y + s->q_count, NULL);
    status = status < 0 ? status : lb_compute_energy(s->model, s->work, energy, &potential);
    *energy += potential;
    return status;
}

static lb_status project(lb_system *s, double t, double *y, bool with_speeds)
{
    if (!s->closure) {
        return LB_OK;
    }
    double before = 0.0, after = 0.0;
    lb_status status = compute_whole_energy(s, y, &before);
    status = status < 0 ? status : lb_project(s, t, y, with_speeds ? y + s->q_count : NULL);
    status = status < 0 ? status : compute_whole_energy(s, y, &after);
    y[s->q_count + s->v_count + s->force_count + LB_WORK_PROJECTION] += after - before;
    return status;
}

lb_status lb_project_step(lb_system *s, double t, double *y)
{
    return project(s, t, y, true);
}

lb_status lb_project_positions(lb_system *s, double t, double *y)
{
    return project(s, t, y, false);
}

lb_status lb_check_hold(lb_system *s, double t, const double *y, double limit, bool *hold)
{
    const double *v = y + s->q_count;
    int loop;
    double largest = 1.0;
    for (int i = 0; i < s->v_count; ++i) {
        largest = fmax(largest, fabs(v[i]));
    }
    lb_status status = lb_set_loop_motions(s, t);
    status = status < 0 ? status : lb_measure_closure(s, y, v);
    *hold = status >= 0 && lb_find_worst_loop(s, s->closure->position, &loop) <= limit &&
            lb_find_worst_loop(s, s->closure->velocity, &loop) <= limit * largest;
    return status;
}

lb_status lb_project_output(lb_system *s, double t, double *y)
{
    bool hold = true;
    const lb_status status = s->closure ? lb_check_hold(s, t, y, round_off, &hold) : LB_OK;
    return status < 0 || hold ? status : lb_project(s, t, y, y + s->q_count);
}
