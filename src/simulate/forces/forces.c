// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// All force elements of a model together.
#include "forces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "force_set.h"
#include "simulate/signals/signals.h"

static const char *const type_names[LB_FORCE_TYPE_COUNT] = {
    [LB_FORCE_SPRING] = "spring",     [LB_FORCE_DAMPER] = "damper",
    [LB_FORCE_FRICTION] = "friction", [LB_FORCE_STOP] = "stop",
    [LB_FORCE_MOTOR] = "motor",       [LB_FORCE_MOTION] = "motion",
    [LB_FORCE_ACTUATOR] = "actuator", [LB_FORCE_FORCE] = "force",
    [LB_FORCE_TORQUE] = "torque",     [LB_FORCE_GRAVITY_POINT] = "gravity-point",
    [LB_FORCE_CALLBACK] = "callback"};

// ---- life --------------------------------------------------------------------------------------

void lb_set_force_report(lb_forces *forces, const lb_report *report)
{
    forces->faults.report = report ? *report : (lb_report){0};
    lb_set_signal_report(forces->signals, report);
}

lb_status lb_create_forces(const lb_model *model, const lb_allocator *allocator,
                           const lb_report *report, lb_forces **out)
{
    *out = NULL;
    lb_arena arena = lb_make_arena(allocator);
    lb_forces *forces = lb_arena_take(&arena, 1, sizeof *forces);
    if (!forces) {
        return LB_E_MEMORY;
    }
    const size_t n = (size_t)lb_get_v_count(model), nq = (size_t)lb_get_q_count(model);
    forces->arena = arena;
    forces->model = model;
    forces->applied.size = sizeof forces->applied;
    forces->scratch = lb_arena_take(&forces->arena, 36 * n + nq + 1, sizeof *forces->scratch);
    forces->list = lb_arena_take(&forces->arena, n + 1, sizeof *forces->list);
    forces->gradients = lb_take_numbers(&forces->arena, 6 * n + 1);
    forces->slopes.rows = lb_take_numbers(&forces->arena, lb_count_slope_rows(model));
    forces->scales = lb_take_numbers(&forces->arena, n + 1);
    forces->line = lb_arena_take(&forces->arena, n + 1, sizeof *forces->line);
    forces->line_capacity = (int)n + 1;
    forces->driver =
        lb_arena_take(&forces->arena, (size_t)lb_get_body_count(model) + 1, sizeof *forces->driver);
    if (!forces->driver || !forces->scratch || !forces->list || !forces->gradients ||
        !forces->slopes.rows || !forces->scales || !forces->line ||
        lb_create_signals(model, allocator, report, &forces->signals) != LB_OK) {
        lb_destroy_forces(forces);
        return LB_E_MEMORY;
    }
    lb_set_force_report(forces, report);
    lb_find_scales(model, forces->scales);
    *out = forces;
    return LB_OK;
}

void lb_destroy_forces(lb_forces *forces)
{
    if (forces) {
        lb_destroy_signals(forces->signals);
        lb_arena_free(&forces->arena); // the forces themselves among its pieces
    }
}

// ---- reading off -------------------------------------------------------------------------------

lb_signals *lb_get_force_signals(const lb_forces *forces)
{
    return forces->signals;
}

int lb_get_force_count(const lb_forces *forces)
{
    return forces->count;
}

lb_force_info lb_get_force_info(const lb_forces *forces, int force)
{
    const lb_force *f = &forces->forces[force];
    return (lb_force_info){.name = f->name,
                           .type = f->type,
                           .is_enabled = f->enabled,
                           .is_conservative = f->conservative,
                           .is_differenced = lb_is_differenced(f),
                           .power = f->power,
                           .energy = f->energy};
}

const char *lb_get_force_type_name(lb_force_type type)
{
    return type_names[type];
}

int lb_find_force(const lb_forces *forces, const char *name)
{
    const int index = lb_names_find(&forces->names, name);
    return index >= 0 ? index : LB_NOT_FOUND;
}

void lb_set_force_enabled(lb_forces *forces, int force, bool enabled)
{
    forces->forces[force].enabled = enabled;
}

bool lb_has_motion(const lb_forces *forces)
{
    for (int i = 0; i < forces->count; ++i) {
        if (forces->forces[i].type == LB_FORCE_MOTION && forces->forces[i].enabled) {
            return true;
        }
    }
    return false;
}

const char *lb_get_force_message(const lb_forces *forces)
{
    return forces->message;
}

double lb_get_next_break(const lb_forces *forces, double t)
{
    double first = INFINITY;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->enabled && force->type == LB_FORCE_ACTUATOR) {
            first = fmin(first, lb_find_actuator_break(force, t));
        }
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            first = fmin(first, lb_find_function_break(&force->functions[j], t));
        }
    }
    return first;
}

bool lb_reads_callbacks(const lb_forces *forces)
{
    bool any = lb_has_signal_callback(forces->signals);
    for (int i = 0; i < forces->count; ++i) {
        any = any || forces->forces[i].type == LB_FORCE_CALLBACK;
    }
    return any;
}

double lb_find_force_feature(const lb_forces *forces, double t, double horizon)
{
    double first = INFINITY;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            first = fmin(first, lb_find_function_feature(&force->functions[j], t, horizon));
        }
    }
    return first;
}

const lb_force *lb_find_rough_motion(const lb_forces *forces, double t)
{
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0;
             force->enabled && force->type == LB_FORCE_MOTION && j < force->function_count; ++j) {
            if (lb_is_rough_at(&force->functions[j], t, 1 - force->order)) {
                return force;
            }
        }
    }
    return NULL;
}

bool lb_pass_breaks(const lb_forces *forces, double t)
{
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        for (int j = 0; force->enabled && j < force->function_count; ++j) {
            if (lb_passes_break(&force->functions[j], t)) {
                return true;
            }
        }
    }
    return false;
}

// ---- motion ------------------------------------------------------------------------------------

lb_status lb_set_driven_state(const lb_forces *forces, const lb_model *model, double t, double *q,
                              double *v)
{
    (void)model;
    lb_status status = isfinite(t) ? LB_OK : LB_E_NUMBER;
    for (int i = 0; i < forces->count && status == LB_OK; ++i) {
        const lb_force *force = &forces->forces[i];
        if (force->type != LB_FORCE_MOTION || !force->enabled || force->order == 2) {
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
        if (force->type != LB_FORCE_MOTION || !force->enabled) {
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

lb_status lb_say_force(lb_forces *forces, const lb_force *force, lb_status status, double t)
{
    const char *type = type_names[force->type];
    if (status == LB_E_NUMBER) {
        snprintf(forces->message, sizeof forces->message,
                 "%s \"%.128s\" is not a finite number at t = %.9g s", type, force->name, t);
    } else if (status == LB_E_CALLBACK) {
        snprintf(forces->message, sizeof forces->message,
                 "%s \"%.128s\" cannot be computed at t = %.9g s: a function of the caller failed",
                 type, force->name, t);
    }
    return status;
}

lb_status lb_check_forces(lb_forces *forces)
{
    forces->message[0] = '\0';
    if (forces->faults.error_count == 0 && lb_are_signals_right(forces->signals)) {
        return LB_OK;
    }
    snprintf(forces->message, sizeof forces->message,
             "a force or signal is wrong, as was said when it was added");
    return LB_E_MODEL;
}

// Whether an array is finite; says which entry is not.
static bool is_finite_array(lb_forces *forces, const char *name, int count, const double *x)
{
    for (int i = 0; x && i < count; ++i) {
        if (!isfinite(x[i])) {
            snprintf(forces->message, sizeof forces->message, "%s[%d] is not a finite number", name,
                     i);
            return false;
        }
    }
    return true;
}

lb_status lb_check_force_state(lb_forces *forces, const lb_model *model, double t, const double *q,
                               const double *v, const double *tau)
{
    const int n = lb_get_v_count(model);
    if (!isfinite(t)) {
        snprintf(forces->message, sizeof forces->message, "the time is not a finite number");
        return LB_E_NUMBER;
    }
    return is_finite_array(forces, "q", lb_get_q_count(model), q) &&
                   is_finite_array(forces, "v", n, v) && is_finite_array(forces, "tau", n, tau)
               ? LB_OK
               : LB_E_NUMBER;
}

lb_status lb_compute_forces(lb_forces *forces, const lb_model *model, lb_work *work, double t,
                            const double *q, const double *v, double *tau, unsigned char *driven,
                            double *a)
{
    lb_status status = lb_check_forces(forces);
    status = status < 0 ? status : lb_check_force_state(forces, model, t, q, v, tau);
    return status < 0
               ? status
               : lb_compute_chosen_forces(forces, model, work, t, q, v, NULL, tau, driven, a);
}

lb_status lb_compute_chosen_forces(lb_forces *forces, const lb_model *model, lb_work *work,
                                   double t, const double *q, const double *v,
                                   const unsigned char *chosen, double *tau, unsigned char *driven,
                                   double *a)
{
    const lb_instant instant = lb_make_instant(model, work, t, q, v, NULL);
    int load_count = 0, field_count = 0;
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
        lb_node_force *loads = forces->loads ? forces->loads + load_count : NULL;
        load_count += lb_get_load_count(force);
        switch (force->type) {
        case LB_FORCE_MOTION:
            driven[force->body] = 1;
            status = drive(force, t, a);
            break;
        case LB_FORCE_CALLBACK:
            status = lb_compute_own_force(forces, force, &instant, loads, tau);
            break;
        case LB_FORCE_GRAVITY_POINT:
            status = lb_apply_oblate_gravity(model, work, &force->gravity, tau, &force->power,
                                             &force->energy);
            status = status == LB_OK && !isfinite(force->power) ? LB_E_NUMBER : status;
            forces->fields[field_count++] = force->gravity;
            break;
        default:
            status = lb_acts_at_nodes(force) ? lb_compute_node_loads(force, &instant, loads)
                                             : lb_compute_hinge_force(force, &instant, tau);
            break;
        }
        if (status != LB_OK) {
            return lb_say_force(forces, force, status, t);
        }
    }
    forces->applied = (lb_applied_loads){sizeof forces->applied, load_count, forces->loads,
                                         field_count, forces->fields};
    if (load_count == 0) {
        return LB_OK;
    }

    // all loads at nodes in one sweep; then whose power was whose
    const lb_status status = lb_apply_node_forces(model, work, load_count, forces->loads, tau);
    const lb_node_force *load = forces->loads;
    for (int i = 0; status == LB_OK && i < forces->count; ++i) {
        lb_force *force = &forces->forces[i];
        const bool wanted = force->enabled && (!chosen || chosen[i]);
        for (int j = 0; wanted && j < lb_get_load_count(force); ++j) {
            force->power += (load++)->power;
        }
    }
    return status;
}

const lb_applied_loads *lb_get_applied_loads(const lb_forces *forces)
{
    return &forces->applied;
}

lb_status lb_compute_force_loads(lb_forces *forces, int force, const lb_instant *instant,
                                 lb_node_force loads[2], int *count)
{
    lb_force *f = &forces->forces[force];
    lb_instant own = {0};
    lb_status status = lb_take_sized(&own, sizeof own, offsetof(lb_instant, a), instant);
    status = status < 0 ? status : lb_check_forces(forces);
    *count = 0;
    if (status < 0 || f->type == LB_FORCE_CALLBACK || !lb_acts_at_nodes(f)) {
        return status;
    }
    *count = lb_get_load_count(f);
    return lb_compute_node_loads(f, &own, loads);
}
