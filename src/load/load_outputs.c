// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `outputs` of a model file.
#include <string.h>

#include "load_keys.h"
#include "signals/scan.h"
#include "signals/signals.h"

// A node, "panel/n1" or "panel", with names in quotes or without.
static bool find_node(const lb_model *model, const char *text, int *body, int *node)
{
    lb_scan scan = {.text = text, .hyphens = true};
    const lb_scope scope = {.model = model};
    return lb_find_plain_node(model, text, body, node) ||
           (lb_scan_read_node(&scan, &scope, body, node) && !scan.text[scan.at]);
}

static lb_status load_output(lb_simulation *sim, lb_reader *reader, const lb_place *place)
{
    lb_output *output = &sim->outputs[sim->output_count];
    const lb_model *model = sim->system.model;
    const char *text = lb_place_get_string(place);
    if (!text) {
        lb_reader_fail_type(reader, place, "a signal, a node such as panel/n1, or reactions");
        return LB_OK;
    }
    if (strcmp(text, "reactions") == 0) {
        const lb_forces *forces = sim->system.forces;
        for (int i = 0; i < lb_get_force_count(forces); ++i) {
            if (strcmp(lb_get_force_type_name(forces, i), "gravity-point") == 0) {
                lb_reader_fail(reader, place, "reactions leave out force '%s', gravity-point",
                               lb_get_force_name(forces, i));
            }
        }
        sim->with_reactions = true;
        return LB_OK;
    }
    ++sim->output_count;
    output->text = lb_arena_text(&sim->arena, text);
    if (!output->text) {
        return LB_E_MEMORY;
    }
    if (find_node(model, text, &output->body, &output->node)) {
        return LB_OK;
    }
    lb_signal_error error;
    output->is_signal = true;
    if (lb_compile_signal(model, lb_get_force_signals(sim->system.forces), text, &error,
                          &output->signal) < 0) {
        lb_reader_fail(reader, place, "%s", error.message);
    }
    return LB_OK;
}

lb_status lb_load_outputs(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    const lb_place outputs = lb_place_at_key(root, "outputs");
    const size_t count = lb_place_get_count(&outputs);
    sim->outputs = lb_arena_take(&sim->arena, count, sizeof *sim->outputs);
    if (!sim->outputs) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place at = lb_place_at_index(&outputs, i);
        const lb_status status = load_output(sim, reader, &at);
        if (status < 0) {
            return status;
        }
    }
    return LB_OK;
}
