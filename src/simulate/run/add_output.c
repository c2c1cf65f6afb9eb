// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Outputs: what is recorded besides the state.
#include <stdio.h>
#include <string.h>

#include "simulate/forces/forces.h"
#include "simulate/signals/signals_parse.h"
#include "simulation.h"

// A node, "panel/n1" or "panel", with names in quotes or without.
static bool find_node(const lb_model *model, const char *text, int *body, int *node)
{
    lb_scan scan = {.text = text, .hyphens = true};
    const lb_scope scope = {.model = model};
    return lb_find_plain_node(model, text, body, node) ||
           (lb_scan_read_node(&scan, &scope, body, node) && !scan.text[scan.at]);
}

lb_status lb_add_output(lb_simulation *sim, const char *text)
{
    const int errors = sim->faults.error_count;
    if (lb_check_building(sim, "an output") < 0) {
        return LB_E_ARGUMENT;
    }
    if (strcmp(text, "reactions") == 0) {
        ++sim->output_number;
        sim->with_reactions = true;
        return LB_OK;
    }
    lb_output *outputs = lb_arena_grow(&sim->arena, sim->outputs, sim->output_count,
                                       &sim->output_capacity, sizeof *outputs);
    if (!outputs) {
        return LB_E_MEMORY;
    }
    sim->outputs = outputs;
    lb_output *output = &outputs[sim->output_count];
    *output = (lb_output){.text = lb_arena_text(&sim->arena, text)};
    if (!output->text) {
        return LB_E_MEMORY;
    }
    ++sim->output_count;
    char where[64];
    snprintf(where, sizeof where, "outputs[%d]", sim->output_number++);
    if (!find_node(sim->system.model, text, &output->body, &output->node)) {
        output->is_signal = true;
        lb_resolve_signal(sim->system.model, lb_get_force_signals(sim->system.forces), text,
                          &sim->faults, where, "", &output->signal);
    }
    return sim->faults.error_count > errors ? LB_E_MODEL : LB_OK;
}
