// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber trim MODEL: the equilibrium at rest, as an `initial` block for the model file.
#include "commands.h"
#include "console.h"
#include "json_out.h"
#include "limber/simulate.h"

// YAML, one line a body: {q: [...]} with modes first, as `initial` takes it.
static void print_state(const lb_model *model, const double *q)
{
    printf("initial:\n");
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        const int first = lb_get_q_offset(model, body);
        const int count = lb_get_mode_count(model, body) + lb_get_hinge_q_count(model, body);
        if (count == 0) {
            continue;
        }
        fputs("  ", stdout);
        lb_cli_json name = lb_cli_json_start(stdout);
        lb_cli_json_string(&name, lb_get_body_name(model, body));
        fputs(": {q: [", stdout);
        for (int i = 0; i < count; ++i) {
            printf("%s%.17g", i ? ", " : "", q[first + i]);
        }
        printf("]}\n");
    }
}

int lb_cli_run_trim(const lb_cli_arguments *arguments)
{
    const char *path = arguments->operands[0];
    const lb_report report = lb_cli_make_report(NULL);
    const lb_load_options options = lb_cli_get_load_options(arguments);
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    lb_status status = lb_load_document(path, &options, &report, &document);
    status = status < 0 ? status : lb_load_document_model(document, &report, &model);
    status = status < 0 ? status : lb_load_simulation(document, model, &report, &simulation);
    int result = LB_CLI_FAILED;
    if (status >= 0) {
        lb_trim trim;
        status = lb_trim_simulation(simulation, &trim);
        if (status < 0) {
            lb_cli_complain("%s: %s", path, lb_get_simulation_message(simulation));
        } else {
            const double *q, *v;
            lb_get_initial_state(simulation, &q, &v);
            printf("# equilibrium after %d iterations, largest force left %.3g\n", trim.iterations,
                   trim.residual);
            print_state(model, q);
            result = LB_CLI_DONE;
        }
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return result;
}
