// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law in a shared library, which runs in this process: opened when a run starts and is allowed to,
// never by merely reading a model.
#include "control.h"
#include "simulate/store/shared_library.h"

typedef struct plugin {
    const char *library, *function;
    void *handle;
    lb_control_law law;
} plugin;

static lb_status make(lb_simulation *sim, const lb_law_options *options, lb_controller *c)
{
    plugin *own = lb_arena_take(&sim->arena, 1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    c->own = own;
    if (!options->library) {
        LB_COMPLAIN(sim, c->law_path, "library", "missing: the key \"library\" is required here");
        return LB_OK;
    }
    own->library = lb_arena_text(&sim->arena, options->library);
    own->function =
        lb_arena_text(&sim->arena, options->function ? options->function : "limber_control");
    return own->library && own->function ? LB_OK : LB_E_MEMORY;
}

static lb_status start(lb_simulation *sim, lb_controller *c)
{
    plugin *own = c->own;
    if (!sim->flow.options.allow_plugins) {
        return lb_say(&sim->system, LB_E_UNSUPPORTED,
                      "controller '%s' would load the library '%s' into this process: allow it by "
                      "--allow-plugins",
                      c->name, own->library);
    }
    char why[256];
    const lb_status status = lb_find_library_function(own->library, own->function, &own->law,
                                                      sizeof own->law, &own->handle, why);
    return status >= 0 ? LB_OK : lb_say(&sim->system, status, "controller '%s': %s", c->name, why);
}

static lb_status update(lb_simulation *sim, lb_controller *c)
{
    const plugin *own = c->own;
    const int said = own->law(NULL, &c->sample, c->commands);
    return said == 0 ? LB_OK
                     : lb_say(&sim->system, LB_E_CALLBACK,
                              "t = %.9g s: controller '%s' ended the run with %d", c->sample.t,
                              c->name, said);
}

static void destroy(lb_controller *c)
{
    plugin *own = c->own;
    if (own) {
        lb_close_library(own->handle);
        own->handle = NULL;
    }
}

const lb_law lb_law_plugin = {
    .name = "plugin", .make = make, .start = start, .update = update, .destroy = destroy};
