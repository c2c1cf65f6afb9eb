// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of signals. This source is recorded for frozen files too: see freeze/trace.h.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/sized.h"
#include "dynamics/loops/loop_products.h"
#include "limber/loops.h"
#include "named_signals.h"
#include "signal_recovery.h"
#include "slopes.h"

static double pick(const double *x, int count, int index)
{
    return index >= 0 ? x[index] : lb_compute_norm(count, x);
}

static lb_status read_node(const lb_signal *s, const lb_instant *at, double *value)
{
    lb_node_motion m;
    const lb_status status = lb_compute_node_motion(at->model, at->work, s->body, s->node, &m);
    if (status != LB_OK) {
        return status;
    }
    switch (s->kind) {
    case LB_SIGNAL_POSITION:
        *value = pick(m.position, 3, s->index);
        break;
    case LB_SIGNAL_ROTATION:
        *value = pick(m.rotation, 4, s->index);
        break;
    case LB_SIGNAL_VELOCITY:
        *value = pick(m.velocity + 3, 3, s->index);
        break;
    case LB_SIGNAL_ANGULAR_VELOCITY:
        *value = pick(m.velocity, 3, s->index);
        break;
    case LB_SIGNAL_NODE_ACCELERATION:
        *value = pick(m.acceleration + 3, 3, s->index);
        break;
    default:
        *value = pick(m.acceleration, 3, s->index);
        break;
    }
    return LB_OK;
}

lb_status lb_find_ends(const lb_signal *s, const lb_instant *at, lb_node_motion ends[2])
{
    const lb_status status =
        lb_compute_node_motion(at->model, at->work, s->body, s->node, &ends[0]);
    return status != LB_OK ? status
                           : lb_compute_node_motion(at->model, at->work, s->other_body,
                                                    s->other_node, &ends[1]);
}

// The distance d = |x_b - x_a|, or its rate (x_b - x_a) . (v_b - v_a) / d, zero where d is.
static lb_status read_distance(const lb_signal *s, const lb_instant *at, double *value)
{
    lb_node_motion ends[2];
    const lb_status status = lb_find_ends(s, at, ends);
    if (status != LB_OK) {
        return status;
    }
    double square = 0.0, product = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double x = ends[1].position[i] - ends[0].position[i];
        square += x * x;
        product += x * (ends[1].velocity[3 + i] - ends[0].velocity[3 + i]);
    }
    const double d = sqrt(square);
    *value = s->kind == LB_SIGNAL_DISTANCE ? d : d > 0 ? product / d : 0.0;
    return LB_OK;
}

static lb_status read_system(const lb_signal *s, const lb_instant *at, double *value)
{
    if (s->kind == LB_SIGNAL_KINETIC) {
        return lb_compute_energy(at->model, at->work, value, NULL);
    }
    if (s->kind == LB_SIGNAL_POTENTIAL) {
        return lb_compute_energy(at->model, at->work, NULL, value);
    }
    lb_system_motion m;
    const lb_status status = lb_compute_system_motion(at->model, at->work, &m);
    if (status != LB_OK) {
        return status;
    }
    switch (s->kind) {
    case LB_SIGNAL_MASS:
        *value = m.mass;
        break;
    case LB_SIGNAL_COM:
        *value = pick(m.com, 3, s->index);
        break;
    case LB_SIGNAL_COM_VELOCITY:
        *value = pick(m.com_velocity, 3, s->index);
        break;
    case LB_SIGNAL_MOMENTUM:
        *value = pick(m.linear, 3, s->index);
        break;
    default:
        *value = pick(m.angular, 3, s->index);
        break;
    }
    return LB_OK;
}

static lb_status give(double number, double *value)
{
    *value = number;
    return isfinite(number) ? LB_OK : LB_E_NUMBER;
}

static lb_status read_named(const lb_named_signal *named, const lb_instant *at, double *value)
{
    if (!named->callback) {
        const lb_status status = lb_evaluate_expression(named->expression, at, value);
        return status == LB_OK && !isfinite(*value) ? LB_E_NUMBER : status;
    }
    double own = 0.0;
    if (named->callback(named->user, at, &own) != 0) {
        return LB_E_CALLBACK;
    }
    return give(own, value);
}

// ---- loads -------------------------------------------------------------------------------------

bool lb_is_load_signal(const lb_signal *s)
{
    return (s->kind >= LB_SIGNAL_LOOP_MOMENT && s->kind <= LB_SIGNAL_SECTION_FORCE) ||
           s->kind == LB_SIGNAL_CORRECTED;
}

// Moment and force, as the signal writes them.
static lb_status compute_load(const lb_signal *s, const lb_instant *at, double load[6])
{
    if (lb_is_modal_signal(s)) {
        return lb_compute_modal_cut_force(at->model, at->work, s->body, s->node, &s->frame, load);
    }
    if (s->kind >= LB_SIGNAL_SECTION_MOMENT) {
        return lb_compute_cut_force(at->model, at->work, at->applied, s->body, s->node, &s->frame,
                                    load);
    }
    if (s->kind >= LB_SIGNAL_REACTION_MOMENT) {
        return lb_compute_reaction(at->model, at->work, at->applied, s->body, &s->frame, load);
    }
    const lb_status status = lb_get_loop_force(at->model, at->work, s->body, load);
    return status < 0 || lb_compute_norm(6, load) == 0.0 // an open loop has no force
               ? status
               : lb_refer_loop_force(at->model, at->work, s->body, load, &s->frame, load);
}

// What another component has computed at this instant, or NULL.
static const double *find_load(const lb_signal *s, const lb_load_memory *loads)
{
    for (int i = 0; i < loads->count && i < LB_LOAD_MEMORY; ++i) {
        if (lb_have_same_load(s, loads->entries[i].signal)) {
            return loads->entries[i].load;
        }
    }
    return NULL;
}

static lb_status read_load(const lb_signal *s, const lb_instant *at, double *value)
{
    double own[6] = {0};
    const double *load = at->loads ? find_load(s, at->loads) : NULL;
    lb_status status = LB_OK;
    if (!load) {
        status = compute_load(s, at, own);
        load = own;
        if (at->loads && status >= 0) {
            const int place = at->loads->count++ % LB_LOAD_MEMORY;
            at->loads->entries[place].signal = s;
            memcpy(at->loads->entries[place].load, own, sizeof own);
        }
    }
    *value = pick(load + (lb_is_moment_signal(s) ? 0 : 3), 3, s->index);
    return status;
}

static lb_status evaluate(const lb_signal *s, const lb_instant *at, double *value)
{
    if (s->stage == LB_SIGNAL_ACCELERATION && !at->a) {
        return LB_E_STAGE;
    }
    if (s->kind == LB_SIGNAL_CORRECTED) {
        return lb_compute_recovery(at->model, at->work, at->applied, s->body, s->index, value);
    }
    if (lb_is_load_signal(s) || lb_is_modal_signal(s)) {
        return read_load(s, at, value);
    }
    switch (s->kind) {
    case LB_SIGNAL_T:
        return give(at->t, value);
    case LB_SIGNAL_Q:
        return give(at->q[s->index], value);
    case LB_SIGNAL_V:
        return give(at->v[s->index], value);
    case LB_SIGNAL_A:
        return give(at->a[s->index], value);
    case LB_SIGNAL_DISPLACEMENT:
        return give(lb_get_elastic_displacement(s, at), value);
    case LB_SIGNAL_RECOVERY:
        return give(lb_get_recovered(s, at), value);
    case LB_SIGNAL_ATTITUDE:
    case LB_SIGNAL_TURN:
    case LB_SIGNAL_EULER:
    case LB_SIGNAL_SIGHT:
        return lb_read_attitude(s, at, value);
    case LB_SIGNAL_NAMED:
        return read_named(&s->named->entries[s->index], at, value);
    case LB_SIGNAL_DISTANCE:
    case LB_SIGNAL_DISTANCE_RATE:
        return read_distance(s, at, value);
    default:
        return s->kind < LB_SIGNAL_DISTANCE ? read_node(s, at, value) : read_system(s, at, value);
    }
}

lb_status lb_evaluate_signal(const lb_signal *s, const lb_instant *at, double *value)
{
    if (at->size == sizeof *at) {
        return evaluate(s, at, value);
    }
    // of a program that knows less of an instant
    lb_instant own = {0};
    const lb_status status = lb_take_sized(&own, sizeof own, offsetof(lb_instant, a), at);
    return status == LB_OK ? evaluate(s, &own, value) : status;
}
