// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulation of a document, as a whole.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report/findings.h"
#include "document/values.h"
#include "listener.h"
#include "load_keys.h"
#include "simulate/forces/forces.h"

void lb_pass_on(const lb_report *report, const lb_diagnostic *diagnostic, const char *prefix,
                const char *part)
{
    char path[512];
    const size_t length = strlen(prefix), left_out = strlen(part);
    lb_diagnostic shorter = *diagnostic;
    if (!report->emit) {
        return;
    }
    if (strncmp(diagnostic->path, prefix, length) == 0 &&
        strncmp(diagnostic->path + length, part, left_out) == 0) {
        snprintf(path, sizeof path, "%s%s", prefix, diagnostic->path + length + left_out);
        shorter.path = path;
    }
    report->emit(report->user, &shorter);
}

static lb_status load(lb_simulation *sim, lb_reader *reader, const lb_place *root)
{
    lb_status status = lb_load_initial(sim, reader, root);
    status = status < 0 ? status : lb_load_run(sim, reader, root);
    status = status < 0 ? status : lb_load_events(sim, reader, root);
    status = status < 0 ? status : lb_load_controllers(sim, reader, root);
    status = status < 0 ? status : lb_load_outputs(sim, reader, root);
    status = status < 0 ? status : lb_load_loop_motions(sim, reader, root);
    if (status >= 0) {
        lb_warn_of_loops(sim, reader, root);
        lb_warn_of_modes(sim, reader, root);
    }
    return status < 0 ? status : reader->error_count > 0 ? LB_E_MODEL : LB_OK;
}

// Loads all, also after errors. `said` has the names of which too little is known.
static lb_status load_all(lb_reader *reader, const lb_place *root, const lb_model *model,
                          lb_simulation **simulation)
{
    lb_part_loader loader = {reader, root, lb_make_arena(NULL)};
    const lb_report relay = lb_get_relay(&loader);
    lb_status status = lb_create_simulation(model, &relay, simulation);
    if (status >= 0) {
        // first, since the rest asks for names of forces and signals
        status = lb_read_forces(&loader, (*simulation)->system.forces);
        status = status < 0 ? status : load(*simulation, reader, root);
    }
    lb_end_part_loader(&loader);
    return status;
}

void lb_report_lack(const lb_document *document, const lb_report *report, lb_status status)
{
    if (status == LB_E_MEMORY && report) {
        const lb_diagnostic diagnostic = {.size = sizeof diagnostic,
                                          .severity = LB_SEVERITY_ERROR,
                                          .file = lb_get_document_file(document),
                                          .path = "",
                                          .message = "the simulation does not fit into memory"};
        report->emit(report->user, &diagnostic);
    }
}

lb_status lb_check_simulation(const lb_document *document, const lb_report *report)
{
    lb_findings findings;
    const lb_report counted = lb_start_findings(&findings, report);
    lb_reader reader = lb_start_reader(document, &counted);
    const lb_place root = lb_get_document_root(document);
    lb_listener *listener = malloc(sizeof *listener);
    if (!listener) {
        lb_report_lack(document, report, LB_E_MEMORY);
        return LB_E_MEMORY;
    }
    lb_start_listening(listener, &reader, &root);
    lb_model *model = NULL;
    lb_simulation *sim = NULL;
    lb_status status = lb_load_document_sketch(document, lb_add_half_known, listener, &model);
    status = status < 0 ? status : load_all(&reader, &root, model, &sim);
    // consequences of the model's own errors are not found here
    status = status == LB_E_MODEL && listener->reported == 0 ? LB_OK : status;
    status = listener->no_memory ? LB_E_MEMORY : status;
    lb_destroy_simulation(sim);
    lb_destroy_model(model);
    lb_end_listening(listener);
    free(listener);
    lb_end_findings(&findings);
    lb_report_lack(document, report, status);
    return status;
}

// The parameters of the document, for what is made of the simulation.
static lb_status keep_parameters(const lb_document *document, lb_simulation *sim)
{
    const int count = lb_get_parameter_count(document);
    sim->parameters = lb_arena_take(&sim->arena, (size_t)count, sizeof *sim->parameters);
    sim->parameter_values =
        lb_arena_take(&sim->arena, (size_t)count, sizeof *sim->parameter_values);
    if (!sim->parameters || !sim->parameter_values) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        lb_parameter p = {.size = sizeof p};
        (void)lb_get_parameter(document, i, &p);
        sim->parameters[i] = lb_arena_text(&sim->arena, p.name);
        sim->parameter_values[i] = p.value;
        if (!sim->parameters[i]) {
            return LB_E_MEMORY;
        }
    }
    sim->parameter_count = count;
    return LB_OK;
}

lb_status lb_load_simulation(const lb_document *document, const lb_model *model,
                             const lb_report *report, lb_simulation **simulation)
{
    lb_findings findings;
    const lb_report counted = lb_start_findings(&findings, report);
    lb_reader reader = lb_start_reader(document, &counted);
    const lb_place root = lb_get_document_root(document);
    lb_listener *listener = malloc(sizeof *listener);
    *simulation = NULL;
    if (!listener) {
        lb_report_lack(document, report, LB_E_MEMORY);
        return LB_E_MEMORY;
    }
    lb_start_listening(listener, &reader, &root);
    lb_status status = load_all(&reader, &root, model, simulation);
    status = listener->no_memory ? LB_E_MEMORY : status;
    status = status < 0 ? status : keep_parameters(document, *simulation);
    lb_end_listening(listener);
    free(listener);
    lb_end_findings(&findings);
    lb_report_lack(document, report, status);
    lb_simulation *sim = *simulation;
    if (status < 0) {
        lb_destroy_simulation(sim);
        *simulation = NULL;
        return status;
    }
    // what is added from now on is not in the document
    sim->faults.report = report ? *report : (lb_report){0};
    lb_set_force_report(sim->system.forces, report);
    return LB_OK;
}

// ---- from a file ---------------------------------------------------------------------------------

typedef struct opened {
    lb_document *document;
    lb_model *model;
} opened;

static void close_all(void *owned)
{
    opened *own = owned;
    lb_destroy_model(own->model);
    lb_destroy_document(own->document);
    free(own);
}

lb_status lb_open_simulation(const char *path, const lb_load_options *options,
                             const lb_report *report, lb_simulation **simulation)
{
    *simulation = NULL;
    opened *own = calloc(1, sizeof *own);
    if (!own) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_load_document(path, options, report, &own->document);
    status = status < 0 ? status : lb_load_document_model(own->document, report, &own->model);
    status =
        status < 0 ? status : lb_load_simulation(own->document, own->model, report, simulation);
    if (status < 0) {
        close_all(own);
        return status;
    }
    (*simulation)->owned = own;
    (*simulation)->release = close_all;
    return LB_OK;
}
