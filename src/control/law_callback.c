// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law that is a function of the caller.
#include "control.h"
#include "controllers.h"

typedef struct callback {
    lb_control_law law;
    void *user;
} callback;

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    callback *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    *own = (callback){options->callback, options->user};
    c->own = own;
    return LB_OK;
}

static lb_status start(lb_simulation *sim, lb_controller *c)
{
    const callback *own = c->own;
    return own->law ? LB_OK
                    : lb_say(&sim->system, LB_E_ARGUMENT,
                             "controller '%s' is of type callback and has been given none: "
                             "lb_set_control_callback gives it one, `limber serve` one by UDP",
                             c->name);
}

static lb_status update(lb_simulation *sim, lb_controller *c)
{
    const callback *own = c->own;
    const int said = own->law(own->user, &c->sample, c->commands);
    return said == 0 ? LB_OK
                     : lb_say(&sim->system, LB_E_CALLBACK,
                              "t = %.9g s: controller '%s' ended the run with %d", c->sample.t,
                              c->name, said);
}

static lb_status differentiate(lb_simulation *sim, lb_controller *c, lb_law_slopes *slopes)
{
    const lb_status status = lb_difference_law(sim, c, NULL, NULL, slopes);
    return status == LB_E_STAGE
               ? lb_say(
                     &sim->system, LB_E_UNSUPPORTED,
                     "linear: the callback of controller '%s' answers the same sample with other "
                     "commands: what it remembers has no linear model",
                     c->name)
               : status;
}

const lb_law lb_law_callback = {.name = "callback",
                                .make = make,
                                .start = start,
                                .update = update,
                                .differentiate = differentiate};

lb_status lb_set_control_callback(lb_simulation *sim, const char *name, lb_control_law law,
                                  void *user)
{
    const int i = lb_find_controller(sim, name);
    if (sim->stage == LB_STAGE_RUNNING || i < 0 ||
        sim->control->controllers[i].law != &lb_law_callback) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      sim->stage == LB_STAGE_RUNNING ? "laws are set before the start"
                      : i < 0                        ? "there is no controller '%s'"
                              : "the law of controller '%s' is not of type callback",
                      name);
    }
    callback *own = sim->control->controllers[i].own;
    *own = (callback){law, user};
    return LB_OK;
}
