// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law that is a function of the caller.
#include "control.h"

typedef struct callback {
    lb_control_law law;
    void *user;
} callback;

static lb_status load(lb_control_loader *loader, const lb_place *law, lb_controller *c)
{
    (void)law;
    c->own = lb_arena_take(&loader->sim->arena, 1, sizeof(callback));
    return c->own ? LB_OK : LB_E_MEMORY;
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
                     : lb_say(&sim->system, LB_E_STEP,
                              "t = %.9g s: controller '%s' ended the run with %d", c->sample.t,
                              c->name, said);
}

static const char *const keys[] = {"type", NULL};

const lb_law lb_law_callback = {"callback", keys, false, load, start, update, NULL, NULL};

lb_status lb_set_control_callback(lb_simulation *sim, const char *name, lb_control_law law,
                                  void *user)
{
    const int i = lb_find_controller(sim, name);
    if (sim->started || i < 0 || sim->control->controllers[i].law != &lb_law_callback) {
        return lb_say(&sim->system, LB_E_ARGUMENT,
                      sim->started ? "laws are set before the start"
                      : i < 0      ? "there is no controller '%s'"
                                   : "the law of controller '%s' is not of type callback",
                      name);
    }
    callback *own = sim->control->controllers[i].own;
    *own = (callback){law, user};
    return LB_OK;
}
