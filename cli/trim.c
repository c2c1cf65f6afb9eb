// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber trim MODEL: the equilibrium at rest, as an `initial` block for the model file.
#include "commands.h"
#include "console.h"
#include "initial_out.h"
#include "limber/simulate.h"

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
            lb_cli_print_initial(model, q, NULL);
            result = LB_CLI_DONE;
        }
    }
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return result;
}
