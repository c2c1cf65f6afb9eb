// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law in a shared library, which runs in this process: opened when a run starts and is allowed to,
// never by merely reading a model.
#include "control.h"
#include "store/shared_library.h"

typedef struct plugin {
    const char *library, *function;
    void *handle;
    lb_control_law law;
} plugin;

static lb_status load(lb_control_loader *loader, const lb_place *law, lb_controller *c)
{
    lb_reader *reader = loader->functions.reader;
    plugin *own = lb_arena_take(&loader->sim->arena, 1, sizeof *own);
    const char *library = "", *function = "limber_control";
    if (!own) {
        return LB_E_MEMORY;
    }
    c->own = own;
    lb_read_string(reader, law, "library", LB_REQUIRED, &library);
    lb_read_string(reader, law, "function", LB_OPTIONAL, &function);
    own->library = lb_arena_text(&loader->sim->arena, library);
    own->function = lb_arena_text(&loader->sim->arena, function);
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
                     : lb_say(&sim->system, LB_E_STEP,
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

static const char *const keys[] = {"type", "library", "function", NULL};

const lb_law lb_law_plugin = {"plugin", keys, false, load, start, update, destroy, NULL};
