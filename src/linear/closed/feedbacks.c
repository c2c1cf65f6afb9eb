// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Feedbacks: from controllers to actuators, and which of them are closed.
#include <stdio.h>
#include <string.h>

#include "closed_loop.h"
#include "control/controllers.h"

// "controller.actuator"
static char *name_feedback(lb_arena *arena, const char *controller, const char *actuator)
{
    const size_t length = strlen(controller) + strlen(actuator) + 1;
    char *name = lb_arena_take_text(arena, length);
    if (name) {
        snprintf(name, length + 1, "%s.%s", controller, actuator);
    }
    return name;
}

static lb_status list_feedbacks(const lb_simulation *sim, lb_arena *arena, lb_feedbacks *all)
{
    const lb_control *control = sim->control;
    all->count = 0;
    for (int i = 0; control && i < control->count; ++i) {
        all->count += control->controllers[i].sample.channel_count;
    }
    all->list = lb_arena_take(arena, (size_t)all->count + 1, sizeof *all->list);
    if (!all->list) {
        return LB_E_MEMORY;
    }
    for (int i = 0, at = 0; control && i < control->count; ++i) {
        const lb_controller *c = &control->controllers[i];
        for (int j = 0; j < c->sample.channel_count; ++j, ++at) {
            const char *actuator =
                lb_get_force_info(sim->system.forces, c->channels[j].actuator).name;
            const char *name = name_feedback(arena, c->name, actuator);
            all->list[at] = (lb_feedback){name, i, j, true, ""};
            if (!name) {
                return LB_E_MEMORY;
            }
        }
    }
    return LB_OK;
}

// Cuts what a text of the options names; false if that is nothing.
static bool cut(const lb_simulation *sim, const char *text, lb_feedbacks *all)
{
    const bool everything = strcmp(text, "all") == 0 && lb_find_controller(sim, text) < 0;
    bool found = everything && all->count > 0;
    for (int i = 0; i < all->count; ++i) {
        lb_feedback *feedback = &all->list[i];
        const char *controller = lb_get_controller_name(sim, feedback->controller);
        if (everything || strcmp(text, controller) == 0 || strcmp(text, feedback->name) == 0) {
            feedback->is_closed = false;
            found = true;
        }
    }
    return found;
}

lb_status lb_choose_feedbacks(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                              lb_feedbacks *all)
{
    const lb_status status = list_feedbacks(sim, arena, all);
    if (status < 0) {
        return status;
    }
    if ((int)options->control < 0 || options->control > LB_CONTROL_DISCRETE ||
        options->pade_order < 1 || options->pade_order > 6) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      "linear: %d is no model of controllers, or %d no order from 1 to 6",
                      (int)options->control, options->pade_order);
    }
    for (int i = 0; i < options->open_count; ++i) {
        if (!cut(sim, options->open[i], all)) {
            return lb_say(&sim->system, LB_E_ARGUMENT,
                          all->count > 0
                              ? "linear: \"%s\" is no feedback to open: expected the name "
                                "of a controller, or \"%s\""
                              : "linear: there is no feedback \"%s\" to open: the model "
                                "has no controllers",
                          options->open[i], all->count > 0 ? all->list[0].name : "");
        }
    }
    all->closed_count = 0;
    for (int i = 0; i < all->count; ++i) {
        all->list[i].is_closed = all->list[i].is_closed && options->control != LB_CONTROL_OPEN;
        all->closed_count += all->list[i].is_closed;
    }
    return LB_OK;
}

lb_status lb_begin_linear(lb_simulation *sim, const lb_linear_options *options, lb_arena *arena,
                          lb_linear_options *own, lb_feedbacks *feedbacks)
{
    lb_status status = lb_complete_simulation(sim);
    status = status < 0 ? status : lb_take_linear_options(sim, options, own);
    return status < 0 ? status : lb_choose_feedbacks(sim, own, arena, feedbacks);
}

lb_status lb_spread_feedbacks(const lb_feedbacks *all, lb_arena *arena, lb_feedback_arrays *out)
{
    const size_t count = (size_t)all->count + 1;
    const char **names = lb_arena_take(arena, count, sizeof *names);
    const char **notes = lb_arena_take(arena, count, sizeof *notes);
    unsigned char *closed = lb_arena_take(arena, count, 1);
    if (!names || !notes || !closed) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < all->count; ++i) {
        names[i] = all->list[i].name;
        notes[i] = all->list[i].note;
        closed[i] = all->list[i].is_closed;
    }
    *out = (lb_feedback_arrays){names, notes, closed};
    return LB_OK;
}
