// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// All force elements of a model together.
#include "forces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    bool conservative;
} kinds[LB_FORCE_KIND_COUNT] = {
#define LB_FORCE_ROW(NAME, text, conservative) [LB_FORCE_##NAME] = {text, conservative},
    LB_FORCE_LIST(LB_FORCE_ROW)
#undef LB_FORCE_ROW
};

// ---- reading off -------------------------------------------------------------------------------

const lb_signals *lb_get_force_signals(const lb_forces *forces)
{
    return forces->signals;
}

int lb_get_force_count(const lb_forces *forces)
{
    return forces->count;
}

const char *lb_get_force_name(const lb_forces *forces, int force)
{
    return forces->forces[force].name;
}

const char *lb_get_force_type_name(const lb_forces *forces, int force)
{
    return kinds[forces->forces[force].kind].name;
}

int lb_find_force(const lb_forces *forces, const char *name)
{
    for (int i = 0; i < forces->count; ++i) {
        if (strcmp(forces->forces[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int lb_is_force_enabled(const lb_forces *forces, int force)
{
    return forces->forces[force].enabled;
}

void lb_set_force_enabled(lb_forces *forces, int force, int on)
{
    forces->forces[force].enabled = on != 0;
}

int lb_has_motion(const lb_forces *forces)
{
    for (int i = 0; i < forces->count; ++i) {
        if (forces->forces[i].kind == LB_FORCE_MOTION && forces->forces[i].enabled) {
            return 1;
        }
    }
    return 0;
}

double lb_get_force_power(const lb_forces *forces, int force)
{
    return forces->forces[force].power;
}

double lb_get_force_energy(const lb_forces *forces, int force)
{
    return forces->forces[force].energy;
}

int lb_is_conservative(const lb_forces *forces, int force)
{
    return forces->forces[force].conservative;
}

const char *lb_get_force_message(const lb_forces *forces)
{
    return forces->message;
}

double lb_find_next_break(const lb_forces *forces, double t)
{
    double first = INFINITY;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->kind == LB_FORCE_ACTUATOR) {
            first = fmin(first, lb_find_actuator_break(force, t));
        }
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            first = fmin(first, lb_find_function_break(&force->functions[j], t));
        }
    }
    return first;
}

// ---- motion ------------------------------------------------------------------------------------

lb_status lb_set_driven_state(const lb_forces *forces, const lb_model *model, double t, double *q,
                              double *v)
{
    (void)model;
    lb_status status = LB_OK;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->kind != LB_FORCE_MOTION || !force->enabled || force->order == 2) {
            continue;
        }
        for (int j = 0; j < force->function_count; ++j) {
            double x[3];
            lb_evaluate_motion(&force->functions[j], t, x);
            if (force->order == 0) {
                q[force->q + j] = x[0];
            }
            v[force->v + j] = x[1 - force->order];
            status = isfinite(x[0]) && isfinite(x[1]) ? status : LB_E_NUMBER;
        }
    }
    return status;
}

void lb_mark_driven_state(const lb_forces *forces, unsigned char *given_q, unsigned char *given_v)
{
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->kind != LB_FORCE_MOTION || !force->enabled) {
            continue;
        }
        for (int j = 0; j < force->function_count; ++j) {
            given_q[force->v + j] = force->order == 0;
            given_v[force->v + j] = force->order < 2;
        }
    }
}

// Accelerations of a driven hinge.
static lb_status drive(const lb_force *force, double t, double *a)
{
    for (int j = 0; j < force->function_count; ++j) {
        double x[3];
        lb_evaluate_motion(&force->functions[j], t, x);
        a[force->v + j] = x[2 - force->order];
        if (!isfinite(a[force->v + j])) {
            return LB_E_NUMBER;
        }
    }
    return LB_OK;
}

// ---- evaluation --------------------------------------------------------------------------------

static lb_status say(lb_forces *forces, const lb_force *force, lb_status status, double t)
{
    if (status == LB_E_NUMBER) {
        snprintf(forces->message, sizeof forces->message,
                 "%s \"%.128s\" is not a finite number at t = %.9g s", kinds[force->kind].name,
                 force->name, t);
    }
    return status;
}

lb_status lb_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work, double t,
                            const double *q, const double *v, double *tau, unsigned char *driven,
                            double *a)
{
    return lb_compute_chosen_forces(forces, model, work, t, q, v, NULL, tau, driven, a);
}

lb_status lb_compute_chosen_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v,
                                   const unsigned char *chosen, double *tau, unsigned char *driven,
                                   double *a)
{
    const lb_instant instant = {model, work, t, q, v, NULL};
    int load_count = 0;
    for (int i = 0; i < forces->count; ++i) {
        lb_force *force = &forces->forces[i];
        lb_status status = LB_OK;
        if (chosen && !chosen[i]) {
            continue;
        }
        force->power = force->energy = 0.0;
        if (!force->enabled) {
            continue;
        }
        switch (force->kind) {
        case LB_FORCE_MOTION:
            driven[force->body] = 1;
            status = drive(force, t, a);
            break;
        case LB_FORCE_FORCE:
        case LB_FORCE_TORQUE:
        case LB_FORCE_NODE_SPRING:
        case LB_FORCE_NODE_DAMPER: {
            int count = 0;
            status = lb_compute_node_loads(force, &instant, forces->loads + load_count, &count);
            load_count += count;
            break;
        }
        case LB_FORCE_POINT_GRAVITY:
            status = lb_apply_point_gravity(model, work, &force->gravity, tau, &force->power,
                                            &force->energy);
            status = status == LB_OK && !isfinite(force->power) ? LB_E_NUMBER : status;
            break;
        default:
            status = lb_compute_hinge_force(force, &instant, tau);
            break;
        }
        if (status != LB_OK) {
            return say(forces, force, status, t);
        }
    }
    if (load_count == 0) {
        return LB_OK;
    }

    // all loads at nodes in one sweep; then whose power was whose
    const lb_status status = lb_apply_node_forces(model, work, load_count, forces->loads, tau);
    const lb_node_force *load = forces->loads;
    for (int i = 0; status == LB_OK && i < forces->count; ++i) {
        lb_force *force = &forces->forces[i];
        const bool single = force->kind == LB_FORCE_FORCE || force->kind == LB_FORCE_TORQUE;
        const bool link =
            force->kind == LB_FORCE_NODE_SPRING || force->kind == LB_FORCE_NODE_DAMPER;
        const bool wanted = force->enabled && (!chosen || chosen[i]);
        for (int j = 0; wanted && j < single + 2 * link; ++j) {
            force->power += (load++)->power;
        }
    }
    return status;
}

lb_status lb_compute_force_loads(lb_forces *forces, int force, const lb_instant *instant,
                                 lb_node_force loads[2], int *count)
{
    lb_force *f = &forces->forces[force];
    *count = 0;
    switch (f->kind) {
    case LB_FORCE_FORCE:
    case LB_FORCE_TORQUE:
    case LB_FORCE_NODE_SPRING:
    case LB_FORCE_NODE_DAMPER:
        return lb_compute_node_loads(f, instant, loads, count);
    default:
        return LB_OK;
    }
}

// ---- loading -----------------------------------------------------------------------------------

void lb_destroy_forces(lb_forces *forces)
{
    if (forces) {
        lb_destroy_signals(forces->signals);
        lb_arena_free(&forces->arena); // the forces themselves among its pieces
    }
}

// Names are unique, and a hinge is driven by one motion at most.
static void check_pairs(lb_forces *forces, lb_reader *reader, const lb_place *list, int last)
{
    const lb_force *force = &forces->forces[last];
    const lb_place place = lb_place_at_index(list, (size_t)last);
    for (int i = 0; i < last; ++i) {
        const lb_force *other = &forces->forces[i];
        if (force->name[0] && strcmp(force->name, other->name) == 0) {
            const lb_place name = lb_place_at_key(&place, "name");
            lb_reader_fail(reader, &name, "the name \"%s\" is taken by forces[%d]", force->name, i);
        }
        if (force->kind == LB_FORCE_MOTION && other->kind == LB_FORCE_MOTION &&
            force->function_count && other->function_count && force->body == other->body) {
            const lb_place hinge = lb_place_at_key(&place, "hinge");
            lb_reader_fail(reader, &hinge, "this hinge is driven by forces[%d] already", i);
        }
    }
}

static lb_status load_all(lb_forces *forces, const lb_model *model, lb_reader *reader,
                          const lb_place *list)
{
    const bool given = lb_place_get_kind(list) == LB_DOC_SEQUENCE;
    const size_t count = given ? lb_place_get_count(list) : 0;
    forces->count = (int)count;
    forces->forces = lb_arena_take(&forces->arena, count + 1, sizeof *forces->forces);
    forces->loads = lb_arena_take(&forces->arena, 2 * count + 1, sizeof *forces->loads);
    const size_t n = (size_t)lb_get_v_count(model), nq = (size_t)lb_get_q_count(model);
    forces->scratch = lb_arena_take(&forces->arena, 24 * n + nq + 1, sizeof *forces->scratch);
    forces->list = lb_arena_take(&forces->arena, n + 1, sizeof *forces->list);
    forces->chosen = lb_arena_take(&forces->arena, count + 1, sizeof *forces->chosen);
    if (!forces->forces || !forces->loads || !forces->scratch || !forces->list || !forces->chosen) {
        return LB_E_MEMORY;
    }
    const lb_function_loader loader = {
        &forces->arena, {model, forces->signals, lb_get_signal_count(forces->signals)}, reader};
    for (size_t i = 0; i < count; ++i) {
        const lb_place place = lb_place_at_index(list, i);
        lb_force *force = &forces->forces[i];
        const lb_status status = lb_load_force(&loader, &place, force);
        if (status != LB_OK) {
            return status;
        }
        check_pairs(forces, reader, list, (int)i);
        force->conservative = kinds[force->kind].conservative;
        // with a gradient, modes do not feel how the inertia changes with them: see (FRC-9)
        for (int b = 0; force->gravity.gradient && b < lb_get_body_count(model); ++b) {
            force->conservative = force->conservative && lb_get_mode_count(model, b) == 0;
        }
    }
    return LB_OK;
}

lb_status lb_load_forces(const lb_document *document, const lb_model *model,
                         const lb_report *report, lb_forces **out)
{
    *out = NULL;
    lb_arena arena = {lb_get_document_allocator(document), NULL};
    lb_forces *forces = lb_arena_take(&arena, 1, sizeof *forces);
    if (!forces) {
        return LB_E_MEMORY;
    }
    forces->arena = arena;
    lb_reader reader = lb_start_reader(document, report);
    lb_status status = lb_load_signals(document, model, report, &forces->signals);
    if (status == LB_OK) {
        const lb_place root = lb_get_document_root(document);
        lb_place list;
        (void)lb_read_sequence(&reader, &root, "forces", LB_OPTIONAL, &list);
        status = load_all(forces, model, &reader, &list);
    }
    if (status == LB_OK && reader.error_count > 0) {
        status = LB_E_MODEL;
    }
    if (status == LB_OK) {
        *out = forces;
    } else {
        lb_destroy_forces(forces);
    }
    return status;
}
