// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A law in a shared library, which runs in this process: opened when a run starts and is allowed to,
// never by merely reading a model.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "control.h"

typedef struct plugin {
    const char *library, *function;
    void *handle;
    lb_control_law law;
} plugin;

static lb_status load(lb_control_loader *loader, const lb_place *law, lb_controller *c)
{
    lb_reader *reader = loader->functions.reader;
    plugin *own = lb_take(loader->sim, 1, sizeof *own);
    const char *library = "", *function = "limber_control";
    if (!own) {
        return LB_E_MEMORY;
    }
    c->own = own;
    lb_read_string(reader, law, "library", LB_REQUIRED, &library);
    lb_read_string(reader, law, "function", LB_OPTIONAL, &function);
    own->library = lb_take_text(loader->sim, library);
    own->function = lb_take_text(loader->sim, function);
    return own->library && own->function ? LB_OK : LB_E_MEMORY;
}

static lb_status start(lb_simulation *sim, lb_controller *c)
{
    plugin *own = c->own;
    if (!sim->options.allow_plugins) {
        return lb_say(&sim->system, LB_E_UNSUPPORTED,
                      "controller '%s' would load the library '%s' into this process: allow it by "
                      "--allow-plugins",
                      c->name, own->library);
    }
    own->handle = dlopen(own->library, RTLD_NOW | RTLD_LOCAL);
    void *symbol = own->handle ? dlsym(own->handle, own->function) : NULL;
    if (!symbol) {
        const char *why = dlerror();
        return lb_say(&sim->system, LB_E_FILE, "controller '%s': %s", c->name,
                      why ? why : "the function is missing");
    }
    // ISO C has no conversion from an object to a function pointer; POSIX asks for this one
    memcpy(&own->law, &symbol, sizeof symbol);
    return LB_OK;
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
    if (own && own->handle) {
        dlclose(own->handle);
        own->handle = NULL;
    }
}

static const char *const keys[] = {"type", "library", "function", NULL};

const lb_law lb_law_plugin = {"plugin", keys, false, load, start, update, destroy, NULL};
