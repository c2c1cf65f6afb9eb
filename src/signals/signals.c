// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of signals, and the named signals of a model file.
#include "signals.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/dense.h"
#include "expression.h"
#include "limber/loops.h"
#include "scan.h"

typedef struct lb_named_signal {
    const char *name;
    lb_expression *expression;
} lb_named_signal;

struct lb_signals {
    lb_arena arena;
    int count;
    lb_named_signal *entries;
};

// ---- values ------------------------------------------------------------------------------------

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

// The distance d = |x_b - x_a|, or its rate (x_b - x_a) . (v_b - v_a) / d, zero where d is.
static lb_status read_distance(const lb_signal *s, const lb_instant *at, double *value)
{
    lb_node_motion a, b;
    lb_status status = lb_compute_node_motion(at->model, at->work, s->body, s->node, &a);
    if (status == LB_OK) {
        status = lb_compute_node_motion(at->model, at->work, s->other_body, s->other_node, &b);
    }
    if (status != LB_OK) {
        return status;
    }
    double square = 0.0, product = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double x = b.position[i] - a.position[i];
        square += x * x;
        product += x * (b.velocity[3 + i] - a.velocity[3 + i]);
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

lb_status lb_evaluate_signal(const lb_signal *s, const lb_instant *at, double *value)
{
    if (s->stage == LB_SIGNAL_ACCELERATION && !at->a) {
        return LB_E_STAGE;
    }
    switch (s->kind) {
    case LB_SIGNAL_T:
        *value = at->t;
        return LB_OK;
    case LB_SIGNAL_Q:
        *value = at->q[s->index];
        return LB_OK;
    case LB_SIGNAL_V:
        *value = at->v[s->index];
        return LB_OK;
    case LB_SIGNAL_A:
        *value = at->a[s->index];
        return LB_OK;
    case LB_SIGNAL_LOOP_MOMENT:
    case LB_SIGNAL_LOOP_FORCE: {
        double force[6] = {0};
        const lb_status status = lb_get_loop_force(at->model, at->work, s->body, force);
        *value = pick(force + (s->kind == LB_SIGNAL_LOOP_FORCE ? 3 : 0), 3, s->index);
        return status;
    }
    case LB_SIGNAL_NAMED: {
        const lb_status status =
            lb_evaluate_expression(s->named->entries[s->index].expression, at, value);
        return status == LB_OK && !isfinite(*value) ? LB_E_NUMBER : status;
    }
    case LB_SIGNAL_DISTANCE:
    case LB_SIGNAL_DISTANCE_RATE:
        return read_distance(s, at, value);
    default:
        return s->kind < LB_SIGNAL_DISTANCE ? read_node(s, at, value) : read_system(s, at, value);
    }
}

// ---- named signals -----------------------------------------------------------------------------

int lb_get_signal_count(const lb_signals *signals)
{
    return signals->count;
}

const char *lb_get_signal_name(const lb_signals *signals, int index)
{
    return signals->entries[index].name;
}

lb_signal_stage lb_get_named_stage(const lb_signals *signals, int index)
{
    return lb_get_expression_stage(signals->entries[index].expression);
}

void lb_destroy_signals(lb_signals *signals)
{
    if (signals) {
        lb_arena_free(&signals->arena); // the signals themselves among its pieces
    }
}

// One entry of the mapping: name, then expression.
static lb_status load_entry(lb_signals *signals, const lb_model *model, lb_reader *reader,
                            const lb_place *place, int index)
{
    lb_named_signal *entry = &signals->entries[index];
    entry->name = lb_arena_text(&signals->arena, lb_place_get_key(place));
    if (!entry->name) {
        return LB_E_MEMORY;
    }
    if (!lb_is_plain_name(lb_place_get_key(place))) {
        lb_reader_fail_key(reader, place, "expected a name of letters, digits and underscores");
    } else if (lb_is_reserved_word(lb_place_get_key(place))) {
        lb_reader_fail_key(reader, place, "\"%s\" has a meaning already, expected another name",
                           lb_place_get_key(place));
    } else if (lb_find_body(model, lb_place_get_key(place)) >= LB_GROUND) {
        lb_reader_fail_key(reader, place, "\"%s\" is a body, expected another name",
                           lb_place_get_key(place));
    }
    const lb_scope scope = {model, signals, index};
    return lb_load_expression(&signals->arena, &scope, reader, place, &entry->expression);
}

lb_status lb_load_signals(const lb_document *document, const lb_model *model,
                          const lb_report *report, lb_signals **out)
{
    *out = NULL;
    lb_arena arena = {lb_get_document_allocator(document), NULL};
    lb_signals *signals = lb_arena_take(&arena, 1, sizeof *signals);
    if (!signals) {
        return LB_E_MEMORY;
    }
    lb_reader reader = lb_start_reader(document, report);
    const lb_place root = lb_get_document_root(document);
    const lb_place place = lb_place_at_key(&root, "signals");
    if (lb_place_exists(&place) && lb_place_get_kind(&place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(&reader, &place, "a mapping from names to expressions");
    }
    const size_t count =
        lb_place_get_kind(&place) == LB_DOC_MAPPING ? lb_place_get_count(&place) : 0;
    signals->arena = arena;
    signals->count = (int)count;
    signals->entries = lb_arena_take(&signals->arena, count + 1, sizeof *signals->entries);
    lb_status status = signals->entries ? LB_OK : LB_E_MEMORY;
    for (size_t i = 0; status == LB_OK && i < count; ++i) {
        const lb_place entry = lb_place_at_pair(&place, i);
        status = load_entry(signals, model, &reader, &entry, (int)i);
    }
    if (status == LB_OK && reader.error_count > 0) {
        status = LB_E_MODEL;
    }
    if (status == LB_OK) {
        *out = signals;
    } else {
        lb_destroy_signals(signals);
    }
    return status;
}
