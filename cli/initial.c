// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "initial.h"

#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "limber/loops.h"
#include "request.h"
#include "resolve.h"

#include "../src/command.h"
#include "limber/simulate.h"

// Whether `run` asks for assembly.
static bool asks_for_assembly(const lb_document *document)
{
    const lb_place root = lb_get_document_root(document), run = lb_place_at_key(&root, "run");
    const lb_place assemble = lb_place_at_key(&run, "assemble");
    lb_reader reader = lb_start_reader(document, NULL);
    bool asked = lb_place_get_kind(&assemble) == LB_DOC_MAPPING;
    if (!asked) {
        lb_read_bool(&reader, &run, "assemble", LB_OPTIONAL, &asked);
    }
    return asked;
}

bool lb_cli_read_initial(const lb_document *document, const lb_model *model, double *q,
                         bool *assembled)
{
    const lb_report report = lb_cli_make_report(NULL);
    lb_simulation *simulation = NULL;
    bool good = lb_load_simulation(document, model, &report, &simulation) >= 0;
    if (good && assembled) {
        // as it is where it cannot be closed
        *assembled = asks_for_assembly(document) &&
                     lb_cli_check_memory(lb_assemble_simulation(simulation, NULL, NULL)) >= 0;
    }
    if (good) {
        const double *initial, *v;
        lb_get_initial_state(simulation, &initial, &v);
        memcpy(q, initial, (size_t)lb_get_q_count(model) * sizeof *q);
    }
    lb_destroy_simulation(simulation);
    return good;
}

bool lb_cli_take_initial_offsets(const lb_document *document, const lb_model *model, lb_work *work)
{
    bool any = false;
    for (int l = 0; l < lb_get_loop_count(model); ++l) {
        any = any || lb_get_loop_info(model, l).as_assembled;
    }
    if (!any) {
        return true;
    }
    double *q = lb_cli_allocate(1, lb_get_q_count(model), "state");
    int loop = 0;
    bool done = lb_cli_read_initial(document, model, q, NULL);
    if (done && lb_take_initial_offsets(model, work, q, &loop) < 0) {
        lb_cli_complain("%s: loops[%d]: the ends of the rod are in one place in the initial "
                        "configuration: it has no length",
                        lb_get_document_file(document), loop);
        done = false;
    }
    free(q);
    return done;
}

int lb_cli_read_state(const lb_model *model, const char *path, double *q, double *v)
{
    if (!path) {
        return LB_CLI_DONE;
    }
    lb_cli_request_list list;
    const int status = lb_cli_load_requests(model, path, true, &list);
    if (status == LB_CLI_DONE && list.requests[0].q.values) {
        memcpy(q, list.requests[0].q.values, (size_t)lb_get_q_count(model) * sizeof *q);
    }
    if (status == LB_CLI_DONE && v && list.requests[0].v.values) {
        memcpy(v, list.requests[0].v.values, (size_t)lb_get_v_count(model) * sizeof *v);
    }
    lb_cli_free_requests(&list);
    return status;
}
