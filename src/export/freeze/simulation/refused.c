// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "frozen_simulation.h"

#include "export/freeze/freeze_all.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/named_signals.h"

// ---- signals -----------------------------------------------------------------------------------

// Calls `ask` for a signal and for all that it is made of, until it holds for one.
static bool find_signal(const lb_signal *s, bool (*ask)(const lb_signal *));

static bool find_in_expression(const lb_expression *e, bool (*ask)(const lb_signal *))
{
    for (int i = 0; e && i < e->signal_count; ++i) {
        if (find_signal(&e->signals[i], ask)) {
            return true;
        }
    }
    return false;
}

static bool find_signal(const lb_signal *s, bool (*ask)(const lb_signal *))
{
    return ask(s) || (s->kind == LB_SIGNAL_NAMED &&
                      find_in_expression(s->named->entries[s->index].expression, ask));
}

// Whether a signal follows from forces in hinges and bodies, or is a function of the caller.
static bool is_refused(const lb_signal *s)
{
    const bool load = s->kind >= LB_SIGNAL_LOOP_MOMENT && s->kind <= LB_SIGNAL_SECTION_FORCE;
    return load || s->kind == LB_SIGNAL_CORRECTED || lb_is_modal_signal(s) ||
           (s->kind == LB_SIGNAL_NAMED && s->named->entries[s->index].callback);
}

static bool is_of_system(const lb_signal *s)
{
    return s->kind >= LB_SIGNAL_MASS && s->kind <= LB_SIGNAL_POTENTIAL;
}

bool lb_is_signal_refused(const lb_signal *signal)
{
    return find_signal(signal, is_refused);
}

bool lb_is_signal_of_system(const lb_signal *signal)
{
    return find_signal(signal, is_of_system);
}

static bool find_in_force(const lb_force *force, bool (*ask)(const lb_signal *))
{
    for (int i = 0; i < force->function_count; ++i) {
        if (force->functions[i].type == LB_FUNCTION_EXPRESSION &&
            find_in_expression(force->functions[i].expressions[0], ask)) {
            return true;
        }
    }
    return false;
}

// ---- all ---------------------------------------------------------------------------------------

// Why a force cannot be frozen, or NULL.
static const char *get_obstacle(const lb_force *force)
{
    if (force->type == LB_FORCE_CALLBACK) {
        return "forces of callbacks are not frozen";
    }
    if (force->type == LB_FORCE_FRICTION && force->sticks) {
        return "friction that sticks is not frozen; give it a speed in place of breakaway";
    }
    return find_in_force(force, is_refused)
               ? "reads a signal that is not frozen: a reaction, a force in a cut, or a callback"
               : NULL;
}

lb_status lb_check_forces_freeze(const lb_forces *forces, const lb_report *report)
{
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        const char *obstacle = force->enabled ? get_obstacle(force) : NULL;
        if (obstacle) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED, "%s '%s': %s",
                                       lb_get_force_type_name(force->type), force->name, obstacle);
        }
    }
    return LB_OK;
}

lb_status lb_check_outputs(const lb_simulation *sim, const lb_report *report)
{
    for (int i = 0; i < sim->output_count; ++i) {
        const lb_output *output = &sim->outputs[i];
        if (output->is_signal && find_signal(&output->signal, is_refused)) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                       "output '%s': signals of reactions, forces in cuts and "
                                       "callbacks are not frozen",
                                       output->text);
        }
    }
    return LB_OK;
}

lb_status lb_check_events(const lb_simulation *sim, const lb_report *report)
{
    for (int i = 0; i < sim->event_count; ++i) {
        const lb_event *event = &sim->events[i];
        if (event->level || find_signal(&event->signal, is_refused)) {
            return lb_refuse_to_freeze(report, LB_E_UNSUPPORTED,
                                       "event '%s': signals of reactions, forces in cuts and "
                                       "callbacks are not frozen",
                                       event->name);
        }
    }
    return LB_OK;
}

bool lb_do_forces_need_inertias(const lb_forces *forces)
{
    bool found = false;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *force = &forces->forces[i];
        found = found || (force->enabled && (force->type == LB_FORCE_GRAVITY_POINT ||
                                             find_in_force(force, is_of_system)));
    }
    return found;
}

bool lb_needs_inertias(const lb_simulation *sim)
{
    bool found = lb_do_forces_need_inertias(sim->system.forces);
    for (int i = 0; i < sim->output_count; ++i) {
        found = found ||
                (sim->outputs[i].is_signal && find_signal(&sim->outputs[i].signal, is_of_system));
    }
    for (int i = 0; i < sim->event_count; ++i) {
        found = found || find_signal(&sim->events[i].signal, is_of_system);
    }
    return found;
}
