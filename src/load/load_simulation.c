// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulation of a document, as a whole.
#include "load_keys.h"

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
    }
    return status < 0 ? status : reader->error_count > 0 ? LB_E_MODEL : LB_OK;
}

lb_status lb_load_simulation(const lb_document *document, const lb_model *model,
                             const lb_report *report, lb_simulation **simulation)
{
    lb_forces *forces = NULL;
    *simulation = NULL;
    // the rest asks for names of forces and signals
    lb_status status = lb_load_forces(document, model, report, &forces);
    status = status < 0 ? status : lb_create_simulation(model, forces, simulation);
    if (status < 0) {
        return status;
    }
    lb_reader reader = lb_start_reader(document, report);
    const lb_place root = lb_get_document_root(document);
    status = load(*simulation, &reader, &root);
    if (status < 0) {
        lb_destroy_simulation(*simulation);
        *simulation = NULL;
    }
    return status;
}
