// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulation becomes an FMU: which functions are frozen, and what its events do.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"
#include "export/fmu/make_fmu.h"
#include "export/freeze/freeze_all.h"
#include "limber/freeze.h"
#include "simulate/run/simulation.h"

// Whether a model with open parameters goes alone: nothing acts on it, and nobody can make its simulation at other values.
static bool is_bare(const lb_simulation *sim, const lb_fmu_options *options)
{
    const bool is_open = options->parameters && options->parameters->count > 0;
    return is_open && !options->parameters->simulate && sim->output_count == 0 &&
           sim->event_count == 0 && lb_get_force_count(lb_get_simulation_forces(sim)) == 0;
}

static lb_status list_events(const lb_simulation *sim, const lb_report *report,
                             lb_fmu_event *events)
{
    for (int i = 0; i < sim->event_count; ++i) {
        const lb_event *event = &sim->events[i];
        events[i] = (lb_fmu_event){.direction = event->direction, .once = event->once};
        for (int j = 0; j < event->action_count; ++j) {
            if (event->actions[j].type != LB_ACTION_STOP) {
                return lb_refuse_to_freeze(
                    report, LB_E_UNSUPPORTED,
                    "event '%.300s': an FMU knows events that stop, and no other actions",
                    event->name);
            }
            events[i].ends = true;
        }
    }
    return LB_OK;
}

static bool is_controlled(const lb_simulation *sim, const lb_fmu_options *options)
{
    return !options->open_loop && sim->control && sim->control->count > 0;
}

// By actuator, in the order of the forces: whether a controller commands it.
static int find_commanded(const lb_simulation *sim, unsigned char *inside)
{
    const lb_forces *forces = sim->system.forces;
    int count = 0;
    for (int i = 0; i < forces->count; ++i) {
        if (!forces->forces[i].enabled || forces->forces[i].type != LB_FORCE_ACTUATOR) {
            continue;
        }
        for (int j = 0; j < sim->control->count; ++j) {
            const lb_controller *c = &sim->control->controllers[j];
            for (int k = 0; k < c->sample.channel_count; ++k) {
                inside[count] |= c->channels[k].actuator == i;
            }
        }
        ++count;
    }
    return count;
}

// Whether a name is made of two others, with a dot between them and a third behind.
static bool is_made_of(const char *name, const char *first, const char *second, const char *third)
{
    const size_t one = strlen(first), two = strlen(second);
    return strncmp(name, first, one) == 0 && name[one] == '.' &&
           strncmp(name + one + 1, second, two) == 0 && strcmp(name + one + 1 + two, third) == 0;
}

// The unit of an input of a motion: of a coordinate of its hinge or a derivative of it; NULL if the name is not one.
static const char *find_motion_unit(const lb_model *model, const lb_force *f, const char *part)
{
    static const char *const parts[] = {"position", "speed", "acceleration"};
    for (int i = 0; i < 3 * f->function_count; ++i) {
        char name[32];
        (void)snprintf(name, sizeof name, f->function_count > 1 ? "%s.%d" : "%s", parts[i % 3],
                       i / 3);
        if (strcmp(part, name) == 0) {
            return lb_get_hinge_unit(model, f->v + i / 3, i % 3);
        }
    }
    return NULL;
}

// The unit of an input of the frozen functions, by its name.
static const char *find_unit(const lb_simulation *sim, const char *name)
{
    static const char *const parts[] = {".desired", ".desired_speed", ".desired_acceleration"};
    const lb_model *model = sim->system.model;
    const lb_forces *forces = sim->system.forces;
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *f = &forces->forces[i];
        const size_t length = strlen(f->name);
        if (strcmp(name, f->name) == 0) {
            return lb_get_hinge_unit(model, f->v, 3);
        }
        const bool begins = strncmp(name, f->name, length) == 0 && name[length] == '.';
        if (begins && (f->type == LB_FORCE_FORCE || f->type == LB_FORCE_TORQUE)) {
            return f->type == LB_FORCE_FORCE ? "N" : "N.m";
        }
        if (begins && f->type == LB_FORCE_MOTION && find_motion_unit(model, f, name + length + 1)) {
            return find_motion_unit(model, f, name + length + 1);
        }
    }
    for (int i = 0; sim->control && i < sim->control->count; ++i) {
        const lb_controller *c = &sim->control->controllers[i];
        for (int j = 0; j < 3 * c->sample.channel_count; ++j) {
            const lb_force *f = &forces->forces[c->channels[j / 3].actuator];
            if (is_made_of(name, c->name, f->name, parts[j % 3])) {
                return lb_get_hinge_unit(model, f->v, j % 3);
            }
        }
    }
    return NULL;
}

// By speed: whether a motion drives it.
static void mark_driven(const lb_forces *forces, unsigned char *driven)
{
    for (int i = 0; i < forces->count; ++i) {
        const lb_force *f = &forces->forces[i];
        for (int j = 0; f->enabled && f->type == LB_FORCE_MOTION && j < f->function_count; ++j) {
            driven[f->v + j] = f->order < 2;
        }
    }
}

static bool has_stop(const lb_forces *forces)
{
    for (int i = 0; i < forces->count; ++i) {
        if (forces->forces[i].enabled && forces->forces[i].type == LB_FORCE_STOP) {
            return true;
        }
    }
    return false;
}

// Freezes the functions that the simulation has something for.
static lb_status freeze(lb_simulation *sim, const lb_fmu_options *options, const lb_report *report,
                        lb_frozen **frozen)
{
    char functions[80];
    lb_freeze_options how = lb_default_freeze_options();
    how.name = options->name;
    how.inputs = options->inputs;
    how.parameters = options->parameters;
    how.functions = functions;
    // a step brings what puts driven hinges in place
    (void)snprintf(functions, sizeof functions, "step%s%s%s",
                   is_controlled(sim, options) ? ",control" : "",
                   sim->output_count > 0 ? ",outputs" : "",
                   sim->event_count > 0 || has_stop(sim->system.forces) ? ",indicators" : "");
    return lb_freeze_simulation(sim, &how, report, frozen);
}

// Says what of the recorded outputs is not in the FMU.
static void warn_of_reactions(const lb_simulation *sim, const lb_report *report)
{
    if (sim->with_reactions && report && report->emit) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_WARNING,
                                          .path = "outputs",
                                          .message = "reactions are not in the FMU"};
        report->emit(report->user, &diagnostic);
    }
}

static lb_status make(const lb_simulation *sim, const lb_fmu_options *options,
                      const lb_frozen *frozen, const lb_fmu_event *events, unsigned char *inside,
                      const lb_report *report, lb_fmu **fmu)
{
    const lb_model *model = sim->system.model;
    const bool controlled = frozen && is_controlled(sim, options);
    const int input_count = frozen ? lb_get_frozen_count(frozen, LB_FROZEN_INPUTS) : 0;
    const char **units = calloc((size_t)input_count + 1, sizeof *units);
    unsigned char *driven = calloc((size_t)lb_get_v_count(model) + 1, 1);
    if (!units || !driven) {
        free(units);
        free(driven);
        return LB_E_MEMORY;
    }
    for (int i = 0; i < input_count; ++i) {
        units[i] = find_unit(sim, lb_get_frozen_entry(frozen, LB_FROZEN_INPUTS, i));
    }
    mark_driven(sim->system.forces, driven);
    const lb_fmu_extras extras = {.frozen = frozen,
                                  .events = events,
                                  .event_count = frozen ? sim->event_count : 0,
                                  .controlled = controlled,
                                  .inside = inside,
                                  .actuator_count = controlled ? find_commanded(sim, inside) : 0,
                                  .units = units,
                                  .driven = driven};
    const lb_status status = lb_make_fmu(model, options, &extras, report, fmu);
    free(units);
    free(driven);
    return status;
}

lb_status lb_create_simulation_fmu(lb_simulation *sim, const lb_fmu_options *options,
                                   const lb_report *report, lb_fmu **fmu)
{
    lb_fmu_options own;
    lb_frozen *frozen = NULL;
    *fmu = NULL;
    lb_status status = lb_take_fmu_options(options, report, &own);
    if (status != LB_OK) {
        return status;
    }
    // loops are assembled when a simulation starts
    sim->flow.is_eager = true; // commands of t = 0 are in the FMU
    status = sim->stage == LB_STAGE_RUNNING ? LB_OK : lb_start_simulation(sim);
    sim->flow.is_eager = false;
    if (status < 0) {
        const char *said = lb_get_simulation_message(sim);
        return lb_refuse_to_freeze(report, status, "%.300s",
                                   said[0] ? said : lb_get_status_text(status));
    }
    lb_fmu_event *events = calloc((size_t)sim->event_count + 1, sizeof *events);
    unsigned char *inside = calloc((size_t)sim->system.forces->count + 1, 1);
    status = events && inside ? list_events(sim, report, events) : LB_E_MEMORY;
    double t;
    lb_get_simulation_state(sim, &t, &own.q, &own.v, NULL);
    if (status == LB_OK && !is_bare(sim, &own)) {
        status = freeze(sim, &own, report, &frozen);
    }
    if (status == LB_OK) {
        warn_of_reactions(sim, report);
        status = make(sim, &own, frozen, events, inside, report, fmu);
    }
    lb_destroy_frozen(frozen);
    free(events);
    free(inside);
    return status;
}
